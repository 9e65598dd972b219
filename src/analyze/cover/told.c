/* The cover of a counted release, where somebody says which row of the original shows what.
 *
 * Nothing of it is believed. What is told must be the release: the same rows, each as often. And
 * each of its rows must stand for the one that it is said to be, with as many rows of the input.
 * Both together are a cover. Where they do not hold, rows are matched in any order (match.c), which
 * needs no help and more time. O(rows * columns). */
#include "analyze/cover/told.h"

#include "analyze/tuples/tuples.h"

typedef struct {
    kan_run *run;
    const kan_table *release, *told;
    size_t n;
    const kan_column **released, **said; /* n of each, of the same names */
    uint32_t **code_of; /* by column and code of what is told: the code of the release, or none */
    uint32_t *tuple;
} comparison;

/* Finds the columns, and the values of one in the other. */
static kan_status compare_begin(comparison *c, bool *is_same) {
    const size_t n = c->release->n_columns;
    KAN_TRY(kan_alloc_zero(c->run, n, sizeof *c->released, &c->released));
    KAN_TRY(kan_alloc_zero(c->run, n, sizeof *c->said, &c->said));
    KAN_TRY(kan_alloc_zero(c->run, n, sizeof *c->code_of, &c->code_of));
    KAN_TRY(kan_alloc_zero(c->run, n + 1, sizeof *c->tuple, &c->tuple));
    for (size_t i = 0; i < n && *is_same; i++) {
        const kan_column *released = &c->release->columns[i];
        const kan_column *said = kan_table_find(c->told, released->name, NULL);
        *is_same = said && said->is_encoded && released->is_encoded;
        if (!*is_same)
            return KAN_OK;
        c->released[c->n] = released;
        c->said[c->n] = said;
        KAN_TRY(kan_alloc(c->run, said->dictionary.n, sizeof **c->code_of, &c->code_of[c->n]));
        for (uint32_t code = 0; code < said->dictionary.n; code++)
            if (!kan_dictionary_find(&released->dictionary,
                                     kan_dictionary_value(&said->dictionary, code),
                                     &c->code_of[c->n][code]))
                c->code_of[c->n][code] = UINT32_MAX;
        c->n++;
    }
    return KAN_OK;
}

static void compare_end(comparison *c) {
    for (size_t i = 0; c->code_of && i < c->release->n_columns; i++)
        kan_free(c->run, c->code_of[i]);
    kan_free(c->run, c->released);
    kan_free(c->run, c->said);
    kan_free(c->run, c->code_of);
    kan_free(c->run, c->tuple);
}

/* Takes the rows that are told away from those of the release. */
static kan_status take_away(comparison *c, kan_tuples *tuples, bool *is_same) {
    for (uint64_t row = 0; row < c->told->n_rows && *is_same; row++) {
        const uint64_t n = kan_table_count(c->told, row);
        size_t at;
        if (row % 8192 == 0)
            KAN_TRY(kan_check_cancel(c->run));
        for (size_t i = 0; i < c->n; i++)
            c->tuple[i] = c->code_of[i][kan_column_code(c->said[i], row)];
        *is_same = kan_tuples_find(tuples, c->tuple, &at) && tuples->count[at] >= n;
        if (*is_same)
            tuples->count[at] -= n;
    }
    return KAN_OK;
}

static kan_status compare(comparison *c, bool *is_same) {
    kan_tuples tuples;
    kan_status status = KAN_OK;
    KAN_TRY(compare_begin(c, is_same));
    *is_same = *is_same && c->n > 0;
    if (!*is_same)
        return KAN_OK;
    kan_tuples_init(&tuples, c->run, c->n * sizeof *c->tuple);
    for (uint64_t row = 0; row < c->release->n_rows && status == KAN_OK; row++) {
        size_t at;
        for (size_t i = 0; i < c->n; i++)
            c->tuple[i] = kan_column_code(c->released[i], row);
        status = row % 8192 == 0 ? kan_check_cancel(c->run) : KAN_OK;
        if (status == KAN_OK)
            status =
                kan_tuples_add_rows(&tuples, c->tuple, row, kan_table_count(c->release, row), &at);
    }
    if (status == KAN_OK)
        status = take_away(c, &tuples, is_same);
    kan_tuples_destroy(&tuples);
    return status;
}

/* The same rows, each as often: none is left over, for both have as many. */
static kan_status is_release(kan_run *run, const kan_table *release, const kan_table *told,
                             bool *is_same) {
    comparison c = {.run = run, .release = release, .told = told};
    *is_same = kan_table_total(release) == kan_table_total(told);
    const kan_status status = *is_same ? compare(&c, is_same) : KAN_OK;
    compare_end(&c);
    return status;
}

/* Each row that is told counts what the row does that it is said to be. */
static bool has_counts(const kan_table *told, const kan_table *original, const uint64_t *row_of) {
    if (told->n_rows > original->n_rows)
        return false;
    for (uint64_t row = 0; row < told->n_rows; row++)
        if (row_of[row] >= original->n_rows ||
            kan_table_count(told, row) != kan_table_count(original, row_of[row]))
            return false;
    return true;
}

/* The pairs with the columns of what is told; false where it lacks one. */
static bool find_pairs(const kan_cover_question *question, const kan_table *told,
                       kan_cover_pair *pairs) {
    for (size_t i = 0; i < question->n_quasi + question->n_others; i++) {
        const bool is_quasi = i < question->n_quasi;
        pairs[i] = is_quasi ? question->quasi[i] : question->others[i - question->n_quasi];
        const char *name = question->release->columns[pairs[i].released].name;
        if (!kan_table_find(told, name, &pairs[i].released))
            return false;
    }
    return true;
}

kan_status kan_verify_cover_told(kan_run *run, const kan_cover_question *question,
                                 const kan_table *told, const uint64_t *row_of, kan_cover *out) {
    kan_cover_pair *pairs;
    bool is_same = false;
    kan_cover cover = {.holds = false};
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(run, question->n_quasi + question->n_others, sizeof *pairs, &pairs));
    if (has_counts(told, question->original, row_of) && find_pairs(question, told, pairs))
        KAN_TRY_DONE(is_release(run, question->release, told, &is_same));
    if (is_same) {
        kan_cover_question as_told = *question;
        as_told.release = told;
        as_told.quasi = pairs;
        as_told.others = pairs + question->n_quasi;
        as_told.order = row_of;
        as_told.needs_order = as_told.in_place = true;
        KAN_TRY_DONE(kan_verify_cover(run, &as_told, &cover));
    }
    if (cover.holds)
        *out = (kan_cover){.holds = true,
                           .n_not_released = kan_table_total(question->original) -
                                             kan_table_total(question->release)};
    else
        status = kan_verify_cover(run, question, out);
done:
    kan_free(run, pairs);
    return status;
}

/* Choosing rows: every test is asked about each distinct value once, and rows look their codes up. */
#include <inttypes.h>
#include <stdio.h>

#include "core/spill.h"
#include "data/cohort/cohort.h"
#include "data/encoder.h"
#include "data/spelling.h"

enum { STEP = 1 << 16 };

kan_status kan_cohort_fail_misfit(kan_run *run, const kan_cohort_test *test, const char *place,
                                  kan_slice value) {
    char quoted[3][256];
    const bool is_date = test->type == KAN_TYPE_DATE;
    return kan_fail(run, KAN_BAD_INPUT,
                    "%s: --where compares column %s with the %s %s, and %s is no %s%s; name what "
                    "stands for missing values with --missing, or put the value in quotes to "
                    "compare text",
                    place, kan_quote(test->column, quoted[0]), is_date ? "date" : "number",
                    kan_quote(test->values[0], quoted[1]), kan_quote(value, quoted[2]),
                    is_date ? "date" : "number",
                    is_date ? "" : " (--decimal and --thousands say how numbers are written)");
}

typedef struct choosing {
    kan_run *run;
    const kan_cohort *cohort;
    const kan_table *table;
    const char *origin;
    const kan_cohort_places *places;
    uint8_t **holds; /* by test and code */
} choosing;

static kan_status fail_misfit(const choosing *c, const kan_cohort_test *test, uint32_t code) {
    const kan_column *const column = &c->table->columns[test->at];
    char place[512];
    uint64_t row = 0, line;
    bool is_found = false;
    while (row < column->n_rows && kan_column_code(column, row) != code)
        row++;
    if (c->places)
        KAN_TRY(c->places->find(c->places->context, row, &line, &is_found));
    if (is_found)
        (void)snprintf(place, sizeof place, "%s:%" PRIu64, c->origin, line);
    else
        (void)snprintf(place, sizeof place, "%s: row %" PRIu64, c->origin, row + 1);
    return kan_cohort_fail_misfit(c->run, test, place,
                                  kan_dictionary_value(&column->dictionary, code));
}

static kan_status ask(const choosing *c, size_t index) {
    const kan_cohort_test *const test = &c->cohort->tests[index];
    const kan_dictionary *const values = &c->table->columns[test->at].dictionary;
    for (uint32_t code = 0; code < values->n; code++) {
        const kan_cohort_answer answer = kan_cohort_ask(test, kan_dictionary_value(values, code));
        if (code % STEP == 0)
            KAN_TRY(kan_check_cancel(c->run));
        if (answer == KAN_COHORT_MISFIT)
            return fail_misfit(c, test, code);
        c->holds[index][code] = answer == KAN_COHORT_YES;
    }
    return KAN_OK;
}

/* Text that no row has may be a slip. */
static void note_absent(const choosing *c) {
    char quoted[2][256];
    for (size_t i = 0; i < c->cohort->n_tests; i++) {
        const kan_cohort_test *const test = &c->cohort->tests[i];
        const kan_dictionary *const values = &c->table->columns[test->at].dictionary;
        bool is_there = test->relation != KAN_COHORT_AMONG || test->n_values > 1;
        for (uint32_t code = 0; code < values->n && !is_there; code++)
            is_there = !kan_value_is_unknown(kan_dictionary_value(values, code)) &&
                       (c->holds[i][code] > 0) != test->is_negated;
        if (!is_there)
            kan_note(c->run, "--where: column %s of %s has no value %s",
                     kan_quote(test->column, quoted[0]), c->origin,
                     kan_quote(test->values[0], quoted[1]));
    }
}

static bool is_chosen(const choosing *c, uint64_t row) {
    const kan_cohort *const cohort = c->cohort;
    bool holds[KAN_COHORT_STEPS];
    for (size_t i = 0; i < cohort->n_steps; i++) {
        const kan_cohort_step step = cohort->steps[i];
        switch (step.joint) {
        case KAN_COHORT_TEST:
            holds[i] = c->holds[step.left][kan_column_code(
                           &c->table->columns[cohort->tests[step.left].at], row)] != 0;
            break;
        case KAN_COHORT_AND:
            holds[i] = holds[step.left] && holds[step.right];
            break;
        case KAN_COHORT_OR:
            holds[i] = holds[step.left] || holds[step.right];
            break;
        }
    }
    return holds[cohort->n_steps - 1];
}

static kan_status walk(const choosing *c, uint64_t *rows, uint64_t *n_rows) {
    uint64_t n = 0;
    for (uint64_t row = 0; row < c->table->n_rows; row++) {
        if (row % STEP == 0) {
            KAN_TRY(kan_check_cancel(c->run));
            kan_table_done(c->table, row < STEP ? 0 : row - STEP, row < STEP ? 0 : STEP);
        }
        if (!is_chosen(c, row))
            continue;
        if (rows)
            rows[n] = row;
        n++;
    }
    *n_rows = n;
    return KAN_OK;
}

kan_status kan_cohort_choose(kan_run *run, const kan_cohort *cohort, const kan_table *table,
                             const char *origin, const kan_cohort_places *places, uint64_t **rows,
                             uint64_t *n_rows) {
    choosing c = {run, cohort, table, origin, places, NULL};
    uint64_t *found = NULL, n = 0;
    char counts[2][32];
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, cohort->n_tests, sizeof *c.holds, &c.holds));
    for (size_t i = 0; i < cohort->n_tests; i++) {
        KAN_TRY_DONE(
            kan_alloc_zero(run, table->columns[cohort->tests[i].at].dictionary.n, 1, &c.holds[i]));
        KAN_TRY_DONE(ask(&c, i));
    }
    note_absent(&c);
    KAN_TRY_DONE(walk(&c, NULL, &n));
    if (n == 0) {
        status = kan_fail(run, KAN_BAD_INPUT, "%s: --where chooses none of the %s rows", origin,
                          kan_count_text(table->n_rows, counts[0]));
        goto done;
    }
    KAN_TRY_DONE(kan_spill_alloc(run, n, sizeof *found, &found));
    KAN_TRY_DONE(walk(&c, found, &n));
    kan_note(run, "--where chooses %s of the %s rows of %s", kan_count_text(n, counts[0]),
             kan_count_text(table->n_rows, counts[1]), origin);
    *rows = found;
    *n_rows = n;
    found = NULL;
done:
    for (size_t i = 0; i < cohort->n_tests; i++)
        kan_free(run, c.holds[i]);
    kan_free(run, c.holds);
    kan_free(run, found);
    return status;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* Entries of `width` bytes of the chosen rows. */
static kan_status cut_array(kan_run *run, const uint64_t *rows, uint64_t n_rows, size_t width,
                            void **array) {
    char *made;
    KAN_TRY(kan_spill_alloc(run, n_rows, width, &made));
    for (uint64_t i = 0; i < n_rows; i++)
        memcpy(made + i * width, (const char *)*array + rows[i] * width, width);
    kan_free(run, *array);
    *array = made;
    return KAN_OK;
}

/* Values that are left, in an encoder; map: from a code to the encoder's. */
static kan_status keep_values(kan_run *run, const kan_column *column, kan_encoder *encoder,
                              uint32_t *map) {
    bool *is_used;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc_zero(run, column->dictionary.n, sizeof *is_used, &is_used));
    for (uint64_t row = 0; row < column->n_rows; row++)
        is_used[kan_column_code(column, row)] = true;
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        if (is_used[code])
            KAN_TRY_DONE(kan_encoder_add(encoder, kan_dictionary_value(&column->dictionary, code),
                                         &map[code]));
done:
    kan_free(run, is_used);
    return status;
}

/* A dictionary of the values that are left, in the order of what they are now. */
static kan_status cut_values(kan_run *run, kan_column *column) {
    kan_encoder encoder = {.run = run};
    kan_dictionary dictionary = {0};
    uint32_t *map = NULL, *rank = NULL;
    void *codes = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_encoder_init(&encoder, run));
    KAN_TRY_DONE(kan_alloc_zero(run, column->dictionary.n, sizeof *map, &map));
    KAN_TRY_DONE(keep_values(run, column, &encoder, map));
    KAN_TRY_DONE(kan_dictionary_build_column(
        run, &encoder, column->ends, kan_column_is_called_text(column), &rank, &dictionary));
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        map[code] = map[code] < dictionary.n ? rank[map[code]] : 0;
    const unsigned width = kan_code_width(dictionary.n);
    KAN_TRY_DONE(kan_spill_alloc(run, column->n_rows, width, &codes));
    kan_codes_map(column->codes, column->width, map, column->n_rows, codes, width);
    kan_free(run, column->codes);
    kan_dictionary_destroy(run, &column->dictionary);
    column->codes = codes;
    column->width = width;
    column->dictionary = dictionary;
    codes = NULL;
    dictionary = (kan_dictionary){0};
done:
    kan_free(run, codes);
    kan_dictionary_destroy(run, &dictionary);
    kan_encoder_destroy(&encoder);
    kan_free(run, map);
    kan_free(run, rank);
    return status;
}

static kan_status cut_column(kan_run *run, kan_column *column, const uint64_t *rows,
                             uint64_t n_rows) {
    void *missing_of = column->missing_of;
    KAN_TRY(kan_check_cancel(run));
    KAN_TRY(cut_array(run, rows, n_rows, column->width, &column->codes));
    if (missing_of) {
        KAN_TRY(cut_array(run, rows, n_rows, 1, &missing_of));
        column->missing_of = missing_of;
    }
    column->n_rows = n_rows;
    return cut_values(run, column);
}

kan_status kan_cohort_cut(kan_table *table, const uint64_t *rows, uint64_t n_rows) {
    void *counts = table->counts;
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].is_encoded)
            KAN_TRY(cut_column(table->run, &table->columns[i], rows, n_rows));
    table->n_rows = n_rows;
    if (!counts)
        return KAN_OK;
    KAN_TRY(cut_array(table->run, rows, n_rows, sizeof *table->counts, &counts));
    table->counts = NULL;
    return kan_table_take_counts(table, counts);
}

/* --missing-matches: whom rows match is told by the values before, of the very people who are in the
 * release.
 *
 * Where rows were left out, which these were is told by the order of the rows, as far as it goes: a
 * row may be several of the original. Then it is counted for every choice at once, from below and from
 * above (analyze/verify/recount_fits.h), and the promise holds where it holds in each. In another order
 * the columns that are released as they were tell who may be there. */
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "job/verify/verify_inside.h"

static kan_status check_asked(const kan_verification *v) {
    const char *why = NULL;
    if (!v->has_original)
        why = "whom a row matches is told by the values before: give them with --original FILE";
    else if (v->n_groups_by != v->n_quasi)
        why = "it looks at rows that show values or *, and means of groups are neither";
    return why ? kan_fail(v->run, KAN_BAD_INPUT, "--missing-matches: %s", why) : KAN_OK;
}

/* In which stratum each row of the release is; NULL: the release has the column, or nobody asks. */
static kan_status count(kan_verification *v, const uint8_t *is_left_out, const kan_fits_open *open,
                        const uint64_t *stratum_of) {
    const size_t n = v->n_quasi;
    kan_table release = *v->release.table;
    size_t *columns = NULL;
    kan_fits_question question = {.release = &release,
                                  .original = v->original.table,
                                  .n_columns = n + v->has_strata,
                                  .has_strata = v->has_strata,
                                  .is_left_out = is_left_out,
                                  .open = open,
                                  .k = v->claim.fits,
                                  .most_blank = v->release.shown.n_blank};
    kan_status status;
    KAN_TRY_DONE(kan_alloc(v->run, 2 * (n + 1), sizeof *columns, &columns));
    memcpy(columns, v->quasi_columns, n * sizeof *columns);
    memcpy(columns + n + 1, v->quasi_originals, n * sizeof *columns);
    question.released = columns;
    question.originals = columns + n + 1;
    columns[n] = stratum_of ? release.n_columns : v->stratum_released;
    columns[2 * n + 1] = v->stratum;
    if (stratum_of)
        KAN_TRY_DONE(kan_stratified_make(v->run, v->release.table,
                                         &v->original.table->columns[v->stratum], stratum_of,
                                         &release));
    KAN_TRY_DONE(kan_verify_fits_sets(v->run, &question, &v->claim.subsets, &v->models.fits));
    const kan_fits_recount *fits = &v->models.fits;
    v->matches_are_open = !fits->holds && fits->n_small_rows + fits->n_small_people == 0;
done:
    kan_stratified_destroy(v->run, v->release.table, &release);
    kan_free(v->run, columns);
    return status;
}

static kan_status leave_open(kan_verification *v, const char *why) {
    v->matches_are_open = true;
    v->why_uncounted = why;
    return KAN_OK;
}

/* Whether the release does not say itself in which stratum its rows are. */
static bool asks_for_strata(const kan_verification *v) {
    return v->has_strata && v->stratum_released == KAN_NO_COLUMN;
}

static const char no_stratum[] =
    "in which stratum each of its rows is (--strata) is not known: it "
    "does not have the column, and the order of its rows leaves it open";

/* ---- nobody is missing ---------------------------------------------------------------------- */

static kan_status count_all(kan_verification *v, const kan_cover_question *question) {
    uint64_t *stratum_of;
    bool is_known = false;
    if (!asks_for_strata(v))
        return count(v, NULL, NULL, NULL);
    KAN_TRY(kan_alloc(v->run, (size_t)v->release.table->n_rows, sizeof *stratum_of, &stratum_of));
    kan_status status = kan_verify_strata_in_place(v, question, stratum_of, &is_known);
    if (status == KAN_OK)
        status = is_known ? count(v, NULL, NULL, stratum_of) : leave_open(v, no_stratum);
    kan_free(v->run, stratum_of);
    return status;
}

/* ---- in the order of the original ----------------------------------------------------------- */

/* By original row: what is open is not among those who certainly have a released row. */
static kan_status count_open(kan_verification *v, uint32_t *block_of, size_t n_blocks,
                             const uint64_t *n_released, const uint64_t *stratum_of) {
    const uint64_t n = v->original.table->n_rows;
    const kan_fits_open open = {block_of, n_blocks, n_released};
    uint8_t *is_left_out;
    KAN_TRY(kan_alloc(v->run, (size_t)n, sizeof *is_left_out, &is_left_out));
    for (uint64_t row = 0; row < n; row++) {
        is_left_out[row] = block_of[row] != KAN_ROW_THERE;
        if (block_of[row] == KAN_ROW_GONE)
            block_of[row] = KAN_FITS_KNOWN;
    }
    const kan_status status = count(v, is_left_out, &open, stratum_of);
    kan_free(v->run, is_left_out);
    return status;
}

static kan_status count_ordered(kan_verification *v, const kan_rows_open *rows) {
    uint64_t *stratum_of;
    bool is_known = false;
    if (!asks_for_strata(v))
        return count_open(v, rows->block_of, rows->n_blocks, rows->n_released, NULL);
    KAN_TRY(kan_alloc(v->run, (size_t)v->release.table->n_rows, sizeof *stratum_of, &stratum_of));
    kan_status status = kan_verify_strata_in_order(v, rows, stratum_of, &is_known);
    if (status == KAN_OK)
        status = is_known
                     ? count_open(v, rows->block_of, rows->n_blocks, rows->n_released, stratum_of)
                     : leave_open(v, no_stratum);
    kan_free(v->run, stratum_of);
    return status;
}

static kan_status count_in_order(kan_verification *v, const kan_cover_question *question,
                                 bool *is_counted) {
    kan_rows_open rows;
    kan_status status = kan_verify_open_rows(v->run, question, &rows);
    *is_counted = status == KAN_OK && rows.in_order;
    if (*is_counted)
        status = count_ordered(v, &rows);
    kan_rows_open_destroy(&rows);
    return status;
}

/* Rows that were kept as * leave all others in their places. Who has one of these is promised nothing:
 * it says nothing of her. */
static kan_status count_in_place(kan_verification *v, const kan_cover_question *question,
                                 bool *is_counted) {
    const uint64_t n = v->release.table->n_rows, n_original = v->original.table->n_rows;
    uint64_t *order = NULL, at = 0, behind = n;
    uint8_t *is_left_out = NULL;
    kan_cover_question in_place = *question;
    kan_cover cover = {.holds = true};
    kan_status status;
    KAN_TRY_DONE(kan_alloc(v->run, (size_t)n_original, sizeof *order, &order));
    KAN_TRY_DONE(kan_alloc(v->run, (size_t)n_original, sizeof *is_left_out, &is_left_out));
    for (uint64_t row = 0; row < n_original; row++) {
        is_left_out[row] = !(at < n && kan_shown_row(&v->release.shown, at) == row);
        order[is_left_out[row] ? behind++ : at++] = row;
    }
    in_place.order = order;
    in_place.in_place = in_place.needs_order = true;
    KAN_TRY_DONE(kan_verify_cover(v->run, &in_place, &cover));
    *is_counted = cover.holds;
    status = cover.holds ? count(v, is_left_out, NULL, NULL) : KAN_OK;
done:
    kan_free(v->run, order);
    kan_free(v->run, is_left_out);
    return status;
}

/* ---- in any order --------------------------------------------------------------------------- */

typedef struct {
    uint64_t hash, row; /* of the original; behind these, of the release */
} other_values;

static int compare_values(const void *a, const void *b) {
    const other_values *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Where two rows have different values and one hash, a block is of both: that says less, and nothing
 * wrong. */
static void hash_side(const kan_table *table, const kan_cover_question *question, bool is_release,
                      uint64_t first, other_values *out) {
    for (uint64_t row = 0; row < table->n_rows; row++) {
        uint64_t hash = 0;
        for (size_t i = 0; i < question->n_others; i++) {
            const kan_cover_pair *pair = &question->others[i];
            const kan_column *column =
                &table->columns[is_release ? pair->released : pair->original];
            const kan_slice value = kan_column_value(column, row);
            hash = kan_hash_word(hash ^ kan_hash_bytes(value.bytes, value.size)) + i;
        }
        out[row] = (other_values){hash, first + row};
    }
}

/* A released row stands for one of the original that shows the same beside the quasi-identifiers. */
static kan_status make_blocks(const kan_verification *v, const kan_cover_question *question,
                              uint32_t *block_of, size_t *n_blocks, uint64_t *n_released) {
    const uint64_t n_original = v->original.table->n_rows,
                   n = n_original + v->release.table->n_rows;
    other_values *all;
    if (n >= KAN_ROW_GONE)
        return kan_fail(v->run, KAN_FAILED, "too many rows to be matched in another order");
    KAN_TRY(kan_alloc(v->run, (size_t)n, sizeof *all, &all));
    hash_side(v->original.table, question, false, 0, all);
    hash_side(v->release.table, question, true, n_original, all + n_original);
    qsort(all, (size_t)n, sizeof *all, compare_values);
    *n_blocks = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || all[i].hash != all[i - 1].hash)
            n_released[(*n_blocks)++] = 0;
        if (all[i].row < n_original)
            block_of[all[i].row] = (uint32_t)(*n_blocks - 1);
        else
            n_released[*n_blocks - 1]++;
    }
    kan_free(v->run, all);
    return KAN_OK;
}

static kan_status count_in_any_order(kan_verification *v, const kan_cover_question *question) {
    const size_t n = (size_t)v->original.table->n_rows,
                 n_all = n + (size_t)v->release.table->n_rows;
    uint32_t *block_of = NULL;
    uint64_t *n_released = NULL;
    size_t n_blocks = 0;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(v->run, n, sizeof *block_of, &block_of));
    KAN_TRY_DONE(kan_alloc(v->run, n_all, sizeof *n_released, &n_released));
    KAN_TRY_DONE(make_blocks(v, question, block_of, &n_blocks, n_released));
    status = count_open(v, block_of, n_blocks, n_released, NULL);
done:
    kan_free(v->run, block_of);
    kan_free(v->run, n_released);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

kan_status kan_verify_check_matches(kan_verification *v, const kan_cover_question *question) {
    bool is_counted = false;
    if (v->claim.fits == 0)
        return KAN_OK;
    KAN_TRY(check_asked(v));
    if (kan_table_total(v->release.table) == kan_table_total(v->original.table))
        return count_all(v, question);
    if (v->release.table->counts || v->original.table->counts)
        return leave_open(v,
                          "its rows were counted where they are, so that it is not known which of "
                          "the original's were left out");
    if (v->release.table->n_rows + v->release.shown.n_blank == v->original.table->n_rows)
        KAN_TRY(count_in_place(v, question, &is_counted));
    if (!is_counted && !kan_verify_comes_unordered(v))
        KAN_TRY(count_in_order(v, question, &is_counted));
    if (is_counted)
        return KAN_OK;
    return asks_for_strata(v) ? leave_open(v, no_stratum) : count_in_any_order(v, question);
}

/* --strata: rows must match people of their own stratum. A release that has the column says itself in which
 * stratum each of its rows is; of others the order of the rows tells it, as far as it goes: a row may be one of
 * several of the original, and is known where all of these are of one stratum. */
#include "job/verify/verify_inside.h"

/* ---- before the tables are read ------------------------------------------------------------- */

static kan_status refuse(const kan_verification *v, const char *why) {
    return kan_fail(v->run, KAN_BAD_INPUT, "--strata: %s", why);
}

/* As anonymize does. */
static kan_status check_role(const kan_verification *v) {
    const unsigned may_be = KAN_ROLE_SET(KAN_ROLE_KEEP) | KAN_ROLE_SET(KAN_ROLE_OTHER) |
                            KAN_ROLE_SET(KAN_ROLE_DROP) | KAN_ROLE_SET(KAN_ROLE_SENSITIVE) |
                            KAN_ROLE_SET(KAN_ROLE_CLASS);
    const kan_role role = v->roles.of[KAN_VERIFY_ORIGINAL][v->stratum];
    if (role == KAN_ROLE_QUASI)
        return refuse(v, "the column is a quasi-identifier, whose cells may be hidden; leave it "
                         "out of --qi, or leave --strata out");
    if (!(KAN_ROLE_SET(role) & may_be))
        return refuse(v, "the column plays another part; strata are the values of a column that "
                         "is kept, sensitive, or left out");
    if (kan_input_treatment(&v->original.input, v->stratum))
        return refuse(v, "the column is also changed, and strata are of the values before; leave "
                         "one of the two out");
    return KAN_OK;
}

kan_status kan_verify_find_strata(kan_verification *v) {
    const kan_options *options = &v->job->options;
    const char *name = kan_options_find(options, "strata");
    if (!name || (!v->has_original && kan_options_switch(options, "missing-matches")))
        return KAN_OK; /* verify_matches.c asks for the original */
    if (!kan_options_switch(options, "missing-matches"))
        return refuse(v, "it is for --missing-matches; groups are within strata where the column "
                         "is a quasi-identifier that is shown as it was");
    if (v->keeps_suppressed)
        return refuse(v, "a row of nothing but * that was kept (--keep-suppressed) is of no "
                         "stratum that anybody could tell; leave one of the two out");
    kan_problems_begin(v->run);
    v->has_strata = kan_input_take(&v->original.input, "strata", kan_slice_of(name), &v->stratum);
    KAN_TRY(kan_problems_end(v->run));
    if (!kan_input_find(&v->release.input, kan_slice_of(name), &v->stratum_released))
        v->stratum_released = KAN_NO_COLUMN;
    return check_role(v);
}

/* ---- in which stratum each row is ----------------------------------------------------------- */

kan_status kan_verify_strata_in_place(const kan_verification *v, const kan_cover_question *question,
                                      uint64_t *row_of, bool *is_known) {
    kan_cover_question in_place = *question;
    kan_cover cover = {.holds = question->n_quasi + question->n_others > 0};
    in_place.in_place = in_place.needs_order = true;
    for (uint64_t row = 0; row < v->release.table->n_rows; row++)
        row_of[row] = row;
    if (cover.holds && !kan_verify_comes_unordered(v))
        KAN_TRY(kan_verify_cover(v->run, &in_place, &cover));
    *is_known = cover.holds && !kan_verify_comes_unordered(v);
    return KAN_OK;
}

/* The rows of a block are one behind the other, in both tables: no other row is between them, save rows of
 * the original that are certainly gone. */
kan_status kan_verify_strata_in_order(const kan_verification *v, const kan_rows_open *rows,
                                      uint64_t *row_of, bool *is_known) {
    const kan_column *stratum = &v->original.table->columns[v->stratum];
    uint64_t at = 0, *first;
    *is_known = true;
    KAN_TRY(kan_alloc(v->run, rows->n_blocks, sizeof *first, &first));
    for (size_t i = 0; i < rows->n_blocks; i++)
        first[i] = UINT64_MAX;
    for (uint64_t row = 0; row < v->original.table->n_rows && *is_known; row++) {
        const uint32_t block = rows->block_of[row];
        if (block == KAN_ROW_GONE)
            continue;
        if (block != KAN_ROW_THERE && first[block] != UINT64_MAX) {
            *is_known = kan_column_code(stratum, row) == kan_column_code(stratum, first[block]);
            continue;
        }
        uint64_t n = 1;
        if (block != KAN_ROW_THERE) {
            first[block] = row;
            n = rows->n_released[block];
        }
        for (; n > 0 && at < v->release.table->n_rows; n--)
            row_of[at++] = row;
    }
    kan_free(v->run, first);
    *is_known &= at == v->release.table->n_rows;
    return KAN_OK;
}

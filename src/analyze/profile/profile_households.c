/* What all members of a household share: columns whose values never differ within one. Whoever knows such a
 * value of one member knows it of all, and it tells households apart and not their members.
 *
 * One pass over the rows for each column; O(rows) time, O(households) memory. A missing value is a value
 * here: where one member has it and another has not, they differ. */
#include "analyze/profile/profile.h"
#include "core/memory.h"
#include "data/value.h"

enum { ROWS_BETWEEN_CHECKS = 65536 };

/* Households whose name is a known value; others are nobody's. */
static kan_status find_named(kan_run *run, const kan_column *household, uint8_t **is_named) {
    const uint32_t n = household->dictionary.n;
    KAN_TRY(kan_alloc_zero(run, n, sizeof **is_named, is_named));
    for (uint32_t code = 0; code < n; code++)
        (*is_named)[code] =
            !kan_value_is_unknown(kan_dictionary_value(&household->dictionary, code));
    return KAN_OK;
}

kan_status kan_profile_households_count(kan_run *run, const kan_column *household,
                                        kan_profile_households *out) {
    const uint32_t n = household->dictionary.n;
    uint64_t *n_rows = NULL;
    uint8_t *is_named = NULL;
    kan_status status;
    *out = (kan_profile_households){0};
    KAN_TRY(find_named(run, household, &is_named));
    KAN_TRY_DONE(kan_alloc_zero(run, n, sizeof *n_rows, &n_rows));
    for (uint64_t row = 0; row < household->n_rows; row++) {
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY_DONE(kan_check_cancel(run));
        n_rows[kan_column_code(household, row)]++;
    }
    for (uint32_t code = 0; code < n; code++) {
        if (!is_named[code]) {
            out->n_rows_without += n_rows[code];
            continue;
        }
        out->n += n_rows[code] > 0;
        out->n_several += n_rows[code] > 1;
        out->n_most = n_rows[code] > out->n_most ? n_rows[code] : out->n_most;
    }
done:
    kan_free(run, n_rows);
    kan_free(run, is_named);
    return status;
}

kan_status kan_profile_households_differ(kan_run *run, const kan_column *household,
                                         const kan_column *column, uint64_t *n_differing) {
    enum { UNSEEN, SAME, DIFFERS };
    const uint32_t n = household->dictionary.n;
    uint8_t *is_named = NULL, *state = NULL;
    uint32_t *first = NULL;
    kan_status status;
    *n_differing = 0;
    KAN_ASSERT(household->n_rows == column->n_rows);
    KAN_TRY(find_named(run, household, &is_named));
    KAN_TRY_DONE(kan_alloc_zero(run, n, sizeof *state, &state));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *first, &first));
    for (uint64_t row = 0; row < household->n_rows; row++) {
        const uint32_t of = kan_column_code(household, row), code = kan_column_code(column, row);
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY_DONE(kan_check_cancel(run));
        if (state[of] == UNSEEN) {
            state[of] = SAME;
            first[of] = code;
        } else if (first[of] != code) {
            state[of] = DIFFERS;
        }
    }
    for (uint32_t code = 0; code < n; code++)
        *n_differing += is_named[code] && state[code] == DIFFERS;
done:
    kan_free(run, first);
    kan_free(run, state);
    kan_free(run, is_named);
    return status;
}

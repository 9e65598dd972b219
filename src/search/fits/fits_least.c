/* The bound from below. Whom a row fits follows from what it shows, and others have no part in that. So
 * the fewest cells that it has to hide are found by looking at all sets of columns: each row needs so
 * many, whatever the others do, and their sum is a bound. It leaves out that every person has to be
 * fitted by k rows, and so may be below what is possible. */
#include "search/fits/fits_inside.h"

/* Tuples times sets of columns. */
#define MOST_WORK (UINT64_C(1) << 24)

/* Tuples whose class has k people when these columns are hidden need to hide no more. What is missing
 * is hidden for nothing. */
static void lower(const kan_fits *fits, const kan_fits_pattern *pattern, uint64_t hidden,
                  uint8_t *needs) {
    for (size_t t = 0; t < fits->n_tuples; t++) {
        const int n = __builtin_popcountll(hidden & ~fits->missing[t]);
        if ((fits->missing[t] & ~hidden) == 0 && n < needs[t] &&
            pattern->class_rows[pattern->class_of[t]] >= fits->k)
            needs[t] = (uint8_t)n;
    }
}

kan_status kan_fits_least(kan_fits *fits, kan_fits_found *found) {
    kan_status status = KAN_OK;
    kan_fits_pattern pattern = {.columns = 0};
    uint8_t *needs = NULL;
    if (fits->n_columns >= 24 || fits->n_tuples > MOST_WORK >> fits->n_columns)
        return KAN_OK;
    const uint64_t all = (UINT64_C(1) << fits->n_columns) - 1;
    KAN_TRY_DONE(kan_alloc(fits->run, fits->n_tuples, 1, &needs));
    memset(needs, (int)fits->n_columns, fits->n_tuples); /* all people are k people or more */
    for (uint64_t hidden = 0; hidden <= all && !kan_should_stop(fits->run); hidden++) {
        KAN_TRY_DONE(kan_fits_classify(fits, all & ~hidden, &pattern));
        lower(fits, &pattern, hidden, needs);
        found->has_least = hidden == all;
    }
    for (size_t t = 0; t < fits->n_tuples && found->has_least; t++)
        found->least += needs[t] * fits->n_rows[t];
done:
    kan_fits_pattern_destroy(fits, &pattern);
    kan_free(fits->run, needs);
    return status;
}

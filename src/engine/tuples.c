#include "engine/tuples.h"

#include <string.h>

void kan_engine_tuples_init(kan_engine_tuples *tuples, kan_run *run, size_t n_columns) {
    *tuples = (kan_engine_tuples){.run = run, .n_columns = n_columns};
}

void kan_engine_tuples_destroy(kan_engine_tuples *tuples) {
    kan_free(tuples->run, tuples->codes);
    kan_free(tuples->run, tuples->counts);
    tuples->codes = NULL;
    tuples->counts = NULL;
    tuples->n = 0;
}

kan_status kan_engine_tuples_add(kan_engine_tuples *tuples, uint64_t count, uint32_t **codes) {
    const uint64_t n = tuples->n + 1;
    if (n >= UINT32_MAX)
        return kan_fail(
            tuples->run, KAN_BAD_INPUT,
            "the table has 2^32 distinct combinations of its columns or more; leave out "
            "a column, or fold it at a higher level");
    KAN_TRY(kan_reserve(tuples->run, (size_t)n * tuples->n_columns, sizeof *tuples->codes,
                        &tuples->codes_capacity, &tuples->codes));
    KAN_TRY(kan_reserve(tuples->run, (size_t)n, sizeof *tuples->counts, &tuples->counts_capacity,
                        &tuples->counts));
    tuples->counts[tuples->n] = count;
    *codes = tuples->codes + tuples->n * tuples->n_columns;
    tuples->n = n;
    return KAN_OK;
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Puts `from` in the order of one column into `to`, equal ones as they stood. */
static kan_status order_column(const kan_engine_tuples *tuples, size_t column, uint32_t n_codes,
                               const uint32_t *from, uint32_t *to) {
    uint32_t *place;
    KAN_TRY(kan_alloc_zero(tuples->run, (size_t)n_codes + 1, sizeof *place, &place));
    for (uint64_t i = 0; i < tuples->n; i++) {
        KAN_ASSERT(kan_engine_tuples_codes(tuples, i)[column] < n_codes);
        place[kan_engine_tuples_codes(tuples, i)[column] + 1]++;
    }
    for (uint32_t code = 0; code < n_codes; code++)
        place[code + 1] += place[code];
    for (uint64_t i = 0; i < tuples->n; i++)
        to[place[kan_engine_tuples_codes(tuples, from[i])[column]]++] = from[i];
    kan_free(tuples->run, place);
    return kan_check_cancel(tuples->run);
}

/* The last column first: each pass keeps what the ones before did. */
static kan_status order_tuples(const kan_engine_tuples *tuples, const uint32_t *n_codes,
                               uint32_t **order, uint32_t **other) {
    for (uint64_t i = 0; i < tuples->n; i++)
        (*order)[i] = (uint32_t)i;
    for (size_t column = tuples->n_columns; column-- > 0;) {
        if (n_codes[column] < 2)
            continue;
        KAN_TRY(order_column(tuples, column, n_codes[column], *order, *other));
        uint32_t *const swapped = *order;
        *order = *other;
        *other = swapped;
    }
    return KAN_OK;
}

/* In their new order, those that are the same as one. */
static kan_status merge_tuples(kan_engine_tuples *tuples, const uint32_t *order) {
    const size_t n_columns = tuples->n_columns, bytes = n_columns * sizeof *tuples->codes;
    kan_engine_tuples sorted;
    kan_status status = KAN_OK;
    kan_engine_tuples_init(&sorted, tuples->run, n_columns);
    for (uint64_t i = 0; i < tuples->n && status == KAN_OK; i++) {
        const uint32_t *const codes = kan_engine_tuples_codes(tuples, order[i]);
        const uint64_t count = tuples->counts[order[i]];
        uint32_t *added;
        if (sorted.n == 0 || (bytes > 0 && memcmp(kan_engine_tuples_codes(&sorted, sorted.n - 1),
                                                  codes, bytes) != 0)) {
            status = kan_engine_tuples_add(&sorted, count, &added);
            if (status == KAN_OK && bytes > 0)
                memcpy(added, codes, bytes);
        } else if (__builtin_add_overflow(sorted.counts[sorted.n - 1], count,
                                          &sorted.counts[sorted.n - 1])) {
            status = kan_fail(tuples->run, KAN_FAILED, "the engine counts 2^64 rows or more");
        }
    }
    if (status == KAN_OK) {
        kan_engine_tuples_destroy(tuples);
        *tuples = sorted;
    } else {
        kan_engine_tuples_destroy(&sorted);
    }
    return status;
}

kan_status kan_engine_tuples_sort(kan_engine_tuples *tuples, const uint32_t *n_codes) {
    uint32_t *order = NULL, *other = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(tuples->run, (size_t)tuples->n, sizeof *order, &order));
    KAN_TRY_DONE(kan_alloc(tuples->run, (size_t)tuples->n, sizeof *other, &other));
    KAN_TRY_DONE(order_tuples(tuples, n_codes, &order, &other));
    KAN_TRY_DONE(merge_tuples(tuples, order));
done:
    kan_free(tuples->run, order);
    kan_free(tuples->run, other);
    return status;
}

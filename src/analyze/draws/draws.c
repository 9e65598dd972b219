/* The definition once more, and the groups of a release. */
#include "analyze/draws/draws.h"

#include <math.h>

/* The probability that more than `most` of n are drawn, each with probability b. */
static double tail(double n, double b, double most) {
    double sum = 0;
    for (double j = most + 1; j <= n; j++) {
        const double term = exp(lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1) + j * log(b) +
                                (n - j) * log1p(-b));
        sum += term;
        if (j > n * b && term < sum * 1e-17)
            break;
    }
    return sum;
}

bool kan_draws_are_enough(double epsilon, double delta, uint64_t k) {
    const double b = -expm1(-epsilon), c = (expm1(epsilon) + b) / exp(epsilon);
    const double rate = c * log(c / b) + (1 - c) * log((1 - c) / (1 - b));
    double n = ceil((double)k / c - 1);
    /* exp(-n * rate) bounds the tail of n (Chernoff) */
    for (n = n < 1 ? 1 : n; exp(-n * rate) > delta; n++)
        if (tail(n, b, floor(c * n)) > delta)
            return false;
    return true;
}

/* Whether a row's key comes before that of the row ahead of it, by bytes. */
static bool is_behind(const kan_table *table, uint64_t row) {
    for (size_t c = 0; c < table->n_columns; c++) {
        const int order = kan_slice_compare(kan_column_value(&table->columns[c], row - 1),
                                            kan_column_value(&table->columns[c], row));
        if (order != 0)
            return order > 0;
    }
    return false;
}

kan_status kan_draws_count(kan_run *run, const kan_table *released, uint64_t k,
                           kan_draws_recount *out) {
    kan_recount_groups groups = {0};
    size_t *columns = NULL;
    kan_status status;
    *out = (kan_draws_recount){.n_rows = released->n_rows, .unordered = released->n_rows};
    if (released->n_rows == 0)
        return KAN_OK;
    kan_tuples_init(&groups.tuples, run, 1);
    KAN_TRY_DONE(kan_alloc(run, released->n_columns, sizeof *columns, &columns));
    for (size_t c = 0; c < released->n_columns; c++)
        columns[c] = c;
    KAN_TRY_DONE(kan_recount_group(run, released, columns, released->n_columns, NULL, &groups));
    out->n_groups = groups.tuples.n;
    for (size_t g = 0; g < groups.tuples.n; g++) {
        const uint64_t size = groups.tuples.count[g];
        out->n_small += size < k;
        out->smallest = g == 0 || size < out->smallest ? size : out->smallest;
    }
    for (uint64_t row = 1; row < released->n_rows && out->unordered == released->n_rows; row++)
        if (is_behind(released, row))
            out->unordered = row;
done:
    kan_tuples_destroy(&groups.tuples);
    kan_free(run, columns);
    return status;
}

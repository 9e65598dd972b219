/* Pearson's and Spearman's correlation of two weighted columns. One walk over the rows counts how much
 * weight each number has among the rows that have both, which gives means, ranks and variances in the
 * order of the numbers; the second adds up products. O(rows + distinct numbers). */
#include <math.h>

#include "analyze/fidelity/fidelity_inside.h"

/* One of the two columns, over the rows that have both. */
typedef struct {
    const kan_number_rows *rows;
    uint64_t *units; /* by step */
    double *rank;    /* by step: what is below, and half of itself, less its mean */
    double mean;
    double squares, rank_squares; /* weighted, about the means */
} half;

static inline uint32_t step_at(const kan_number_rows *rows, uint64_t row) {
    const uint32_t code = kan_column_code(rows->column, row);
    return rows->scale->step_of[rows->point_of ? rows->point_of[code] : code];
}

static void describe(half *h, uint64_t all) {
    const kan_number_scale *scale = h->rows->scale;
    uint64_t below = 0;
    double sum = 0;
    for (uint32_t i = 0; i < scale->n; i++)
        sum += (double)h->units[i] * scale->numbers[i];
    h->mean = sum / (double)all;
    for (uint32_t i = 0; i < scale->n; i++) {
        const double units = (double)h->units[i], from_mean = scale->numbers[i] - h->mean;
        h->rank[i] = ((double)below - (double)(all - below - h->units[i])) / 2 / (double)all;
        h->squares += units * from_mean * from_mean;
        h->rank_squares += units * h->rank[i] * h->rank[i];
        below += h->units[i];
    }
}

static double within_one(double r) {
    return r > 1 ? 1 : r < -1 ? -1 : r;
}

static void add_products(const half *a, const half *b, const kan_fidelity_weights *weights,
                         uint64_t all, uint64_t n, kan_correlations *out) {
    const uint64_t n_rows = a->rows->column->n_rows;
    double sum = 0, ranks = 0;
    for (uint64_t row = 0; row < n_rows; row++) {
        const uint32_t i = step_at(a->rows, row), j = step_at(b->rows, row);
        if (i == KAN_NO_STEP || j == KAN_NO_STEP)
            continue;
        const double units = (double)kan_fidelity_units(weights, row);
        sum +=
            units * (a->rows->scale->numbers[i] - a->mean) * (b->rows->scale->numbers[j] - b->mean);
        ranks += units * a->rank[i] * b->rank[j];
    }
    out->has_covariance = n > 1;
    if (n > 1)
        out->covariance = sum / (double)all * ((double)n / (double)(n - 1));
    out->is_defined =
        a->rank_squares > 0 && b->rank_squares > 0 && a->squares > 0 && b->squares > 0;
    if (!out->is_defined)
        return;
    out->correlation = within_one(sum / sqrt(a->squares) / sqrt(b->squares));
    out->rank_correlation = within_one(ranks / sqrt(a->rank_squares) / sqrt(b->rank_squares));
}

kan_status kan_correlate(kan_run *run, const kan_number_rows *a, const kan_number_rows *b,
                         const kan_fidelity_weights *weights, kan_correlations *out) {
    half halves[2] = {{.rows = a}, {.rows = b}};
    const uint64_t n_rows = a->column->n_rows;
    uint64_t all = 0, n = 0;
    kan_status status;
    *out = (kan_correlations){.is_defined = false};
    for (size_t i = 0; i < 2; i++) {
        half *h = &halves[i];
        KAN_TRY_DONE(kan_alloc_zero(run, h->rows->scale->n, sizeof *h->units, &h->units));
        KAN_TRY_DONE(kan_alloc(run, h->rows->scale->n, sizeof *h->rank, &h->rank));
    }
    for (uint64_t row = 0; row < n_rows; row++) {
        const uint32_t i = step_at(a, row), j = step_at(b, row);
        if (i == KAN_NO_STEP || j == KAN_NO_STEP)
            continue;
        const uint64_t units = kan_fidelity_units(weights, row);
        halves[0].units[i] += units;
        halves[1].units[j] += units;
        all += units;
        n++;
    }
    if (n > 0) {
        describe(&halves[0], all);
        describe(&halves[1], all);
        add_products(&halves[0], &halves[1], weights, all, n, out);
    }
done:
    for (size_t i = 0; i < 2; i++) {
        kan_free(run, halves[i].units);
        kan_free(run, halves[i].rank);
    }
    return status;
}

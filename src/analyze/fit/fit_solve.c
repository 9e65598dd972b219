/* A Cholesky factor in plain loops, and solutions by it. Squares are stored by lines; only what is on and
 * above the diagonal is looked at. O(n^3) and O(n^2). */
#include <math.h>

#include "analyze/fit/fit_inside.h"

bool kan_cholesky(double *square, size_t n, double least, bool *is_out) {
    bool has_new = false;
    /* What each was is read off as long as it is untouched: the diagonal changes as lines are done. */
    for (size_t k = 0; k < n; k++) {
        double *line = square + k * n, was = line[k];
        for (size_t i = 0; i < k; i++) /* the squares that were taken off */
            was += is_out[i] ? 0 : square[i * n + k] * square[i * n + k];
        if (!is_out[k] && !(line[k] > least * was)) {
            is_out[k] = true;
            has_new = true;
        }
        if (is_out[k])
            continue;
        const double root = sqrt(line[k]);
        for (size_t j = k; j < n; j++)
            line[j] /= root;
        for (size_t i = k + 1; i < n; i++) {
            double *below = square + i * n;
            const double factor = line[i];
            if (factor == 0 || is_out[i])
                continue;
            for (size_t j = i; j < n; j++)
                below[j] -= factor * line[j];
        }
    }
    return has_new;
}

void kan_cholesky_forward(const double *factor, size_t n, const bool *is_out, double *x) {
    for (size_t k = 0; k < n; k++) {
        const double *line = factor + k * n;
        if (is_out[k] || x[k] == 0) {
            x[k] = 0;
            continue;
        }
        x[k] /= line[k];
        for (size_t j = k + 1; j < n; j++)
            x[j] -= line[j] * x[k];
    }
}

void kan_cholesky_back(const double *factor, size_t n, const bool *is_out, double *x) {
    for (size_t k = n; k-- > 0;) {
        const double *line = factor + k * n;
        double sum = x[k];
        if (is_out[k]) {
            x[k] = 0;
            continue;
        }
        for (size_t j = k + 1; j < n; j++)
            sum -= is_out[j] ? 0 : line[j] * x[j];
        x[k] = sum / line[k];
    }
}

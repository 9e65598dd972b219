/* The shortest path of Hansen and Mukherjee (docs/papers/univariate.md): a node stands between any
 * two rows, an edge is a group of k to 2k - 1 rows, and as long as the sum of its squares. So the
 * best groups of the first j rows are a last group, and the best of what is before it; of those that
 * are equally good the one with the smallest last group.
 *
 * Time: rows times k. Memory: 4 bytes for each row that the caller has, and 2k sums. */
#include "search/microaggregate/univariate_inside.h"

typedef struct {
    const kan_univariate_rows *rows;
    uint32_t *last;
    kan_u128 *sum; /* of the first j rows: at j % room */
    size_t room;
} walking;

/* A group has `n` rows: their distances from its last one, and the squares of these. */
static kan_u128 length_of(const walking *w, uint64_t n, kan_u128 distances, kan_u128 squares) {
    const kan_u128 scaled = (n * squares - distances * distances) * w->rows->multiple;
    return scaled / n + (scaled % n != 0);
}

/* Between k and 2k - 1 rows there is one group alone, and fewer than k are none: the rows before
 * the last group are none, or k at least. */
static void step(walking *w, size_t j) {
    const uint64_t *at = w->rows->at, k = w->rows->k;
    kan_u128 distances = 0, squares = 0, best = 0;
    uint32_t best_n = 0;
    for (uint64_t n = 1; n <= j && n < 2 * k; n++) {
        const uint64_t distance = at[j - 1] - at[j - n];
        distances += distance;
        squares += (kan_u128)distance * distance;
        if (n < k || (n < j && j - n < k))
            continue;
        const kan_u128 sum = w->sum[(j - n) % w->room] + length_of(w, n, distances, squares);
        if (best_n == 0 || sum < best) {
            best = sum;
            best_n = (uint32_t)n;
        }
    }
    w->sum[j % w->room] = best;
    w->last[j] = best_n;
}

kan_status kan_univariate_solve(const kan_univariate_rows *rows, uint32_t *last, kan_u128 *total) {
    enum { ROWS_AT_ONCE = 1024 };
    walking w = {.rows = rows, .last = last, .room = (size_t)(2 * rows->k)};
    kan_status status;
    KAN_ASSERT(rows->k > 0 && rows->n >= rows->k);
    KAN_TRY(kan_alloc_zero(rows->run, w.room, sizeof *w.sum, &w.sum));
    for (size_t j = (size_t)rows->k; j <= rows->n; j++) {
        if (j % ROWS_AT_ONCE == 0) {
            kan_report_progress(rows->run, "search", j, rows->n);
            KAN_TRY_DONE(kan_check_cancel(rows->run));
        }
        step(&w, j);
    }
    *total = w.sum[rows->n % w.room];
    status = KAN_OK;
done:
    kan_free(rows->run, w.sum);
    return status;
}

/* Tables with more tuples than MDAV can be done for are cut into blocks first: a block of too many
 * is halved by rows, where its coordinates are spread most, until none is left. Tuples keep their
 * order within a block where nothing but categories tells them apart.
 * Time: tuples times their logarithm, for each halving. */
#include <stdlib.h>

#include "search/microaggregate/mdav_inside.h"

typedef struct {
    double at;
    uint32_t tuple;
} ranked;

typedef struct {
    const kan_mdav_scale *scale;
    kan_mdav_blocks *blocks;
    size_t most;
    ranked *order;
} cutting;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->tuple < y->tuple ? -1 : x->tuple > y->tuple;
}

static double coordinate_of(const kan_mdav_scale *scale, unsigned c, uint32_t tuple) {
    return scale->coordinates[c].at[kan_mdav_place(scale, tuple, scale->coordinates[c].dimension)];
}

/* Sorts the tuples of a block by the coordinate with the widest range. */
static void sort_block(cutting *w, size_t first, size_t n) {
    const kan_mdav_scale *scale = w->scale;
    uint32_t *tuples = w->blocks->tuples + first;
    unsigned widest = 0;
    double width = -1;
    for (unsigned c = 0; c < scale->n_coordinates; c++) {
        double low = coordinate_of(scale, c, tuples[0]), high = low;
        for (size_t i = 1; i < n; i++) {
            const double at = coordinate_of(scale, c, tuples[i]);
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        if (high - low > width) {
            width = high - low;
            widest = c;
        }
    }
    for (size_t i = 0; i < n; i++)
        w->order[i] = (ranked){
            scale->n_coordinates > 0 ? coordinate_of(scale, widest, tuples[i]) : 0, tuples[i]};
    qsort(w->order, n, sizeof *w->order, compare_ranked);
    for (size_t i = 0; i < n; i++)
        tuples[i] = w->order[i].tuple;
}

static uint64_t rows_of(const cutting *w, size_t first, size_t n) {
    uint64_t rows = 0;
    for (size_t i = first; i < first + n; i++)
        rows += kan_partition_rows(kan_partition_record(w->scale->space, w->blocks->tuples[i]));
    return rows;
}

static kan_status cut(cutting *w, size_t first, size_t n) {
    kan_mdav_blocks *blocks = w->blocks;
    const uint64_t k = w->scale->space->least_size;
    KAN_TRY(kan_check_cancel(blocks->run));
    if (n > w->most) {
        sort_block(w, first, n);
        if (rows_of(w, first, n / 2) >= k && rows_of(w, first + n / 2, n - n / 2) >= k) {
            KAN_TRY(cut(w, first, n / 2));
            return cut(w, first + n / 2, n - n / 2);
        }
    }
    KAN_TRY(kan_reserve(blocks->run, blocks->n + 2, sizeof *blocks->start, &blocks->room,
                        &blocks->start));
    blocks->start[blocks->n++] = first;
    blocks->start[blocks->n] = first + n;
    return KAN_OK;
}

kan_status kan_mdav_blocks_make(const kan_mdav_scale *scale, size_t most_tuples,
                                kan_mdav_blocks *out) {
    kan_run *run = scale->space->run;
    const size_t n = scale->space->n_records;
    cutting w = {.scale = scale, .blocks = out, .most = most_tuples};
    *out = (kan_mdav_blocks){.run = run};
    KAN_TRY(kan_alloc(run, n, sizeof *out->tuples, &out->tuples));
    for (size_t t = 0; t < n; t++)
        out->tuples[t] = (uint32_t)t;
    KAN_TRY(kan_alloc(run, n, sizeof *w.order, &w.order));
    const kan_status status = cut(&w, 0, n);
    kan_free(run, w.order);
    return status;
}

void kan_mdav_blocks_destroy(kan_mdav_blocks *blocks) {
    kan_free(blocks->run, blocks->tuples);
    kan_free(blocks->run, blocks->start);
}

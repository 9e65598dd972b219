/* The greedy cover over all sets of k to 2k - 1 rows, by their diameter: the first algorithm of
 * Meyerson and Williams as they state it. There are about rows to the power of 2k - 1 of them, so
 * that it is for small tables, and to compare with.
 *
 * Each step goes through all sets, but for those that cannot be better whatever is added. A set
 * that was taken is made disjoint from those before at once (their Reduce): a row that two share
 * goes out of one that has more than k; two that have just k become one. */
#include <math.h>
#include <string.h>

#include "search/cells/cells_inside.h"

#define MOST_SETS (UINT64_C(1) << 20)
#define NO_GROUP  UINT32_MAX

typedef struct {
    const kan_cell_tuples *tuples;
    kan_run *run;
    size_t n, k;
    uint32_t *place;  /* by row */
    double *distance; /* [row * n + row] */
    uint32_t *group;  /* by row: NO_GROUP while it is not covered */
    uint32_t *size;   /* by group; 0: it became part of another */
    uint32_t n_groups;
    size_t n_covered;
    /* The set at work, and the best one: rows, ascending. */
    uint32_t *rows, *best;
    size_t n_best;
    double price;
} covering;

/* ---- sets ------------------------------------------------------------------------------------ */

/* All sets that have the first n_rows of c->rows, and no others before `next`. */
static void try_sets(covering *c, size_t n_rows, size_t next, double diameter, size_t n_new) {
    const size_t most = 2 * c->k - 1;
    if (n_rows + c->n - next < c->k)
        return; /* too few are left to come to k */
    if (n_rows > 0 && diameter / (double)(n_new + most - n_rows) >= c->price)
        return;
    if (n_rows >= c->k && n_new > 0 && diameter / (double)n_new < c->price) {
        c->price = diameter / (double)n_new;
        c->n_best = n_rows;
        memcpy(c->best, c->rows, n_rows * sizeof *c->rows);
    }
    for (size_t row = next; row < c->n && n_rows < most; row++) {
        double wider = diameter;
        for (size_t i = 0; i < n_rows; i++)
            wider = fmax(wider, c->distance[c->rows[i] * c->n + row]);
        c->rows[n_rows] = (uint32_t)row;
        try_sets(c, n_rows + 1, row + 1, wider, n_new + (c->group[row] == NO_GROUP));
    }
}

/* The best set becomes a group, disjoint from the others. */
static void take_best(covering *c) {
    const uint32_t own = c->n_groups++;
    c->size[own] = (uint32_t)c->n_best;
    for (size_t i = 0; i < c->n_best; i++) {
        const uint32_t row = c->best[i], other = c->group[row];
        c->n_covered += other == NO_GROUP;
        if (other == NO_GROUP || other == own) {
            c->group[row] = own;
        } else if (c->size[other] > c->k) {
            c->size[other]--;
            c->group[row] = own;
        } else if (c->size[own] > c->k) {
            c->size[own]--;
        } else { /* its rows come along; those that are in both were counted twice */
            uint32_t n_shared = 0;
            for (size_t j = i; j < c->n_best; j++)
                n_shared += c->group[c->best[j]] == other;
            for (size_t r = 0; r < c->n; r++)
                if (c->group[r] == other)
                    c->group[r] = own;
            c->size[own] += c->size[other] - n_shared;
            c->size[other] = 0;
        }
    }
}

/* ---- the method ------------------------------------------------------------------------------ */

/* Stops counting where there are too many. */
static uint64_t count_sets(const covering *c) {
    double n_sets = 0, of_size = 1;
    for (size_t size = 1; size < 2 * c->k && size <= c->n; size++) {
        of_size *= (double)(c->n - size + 1) / (double)size;
        n_sets += size >= c->k ? of_size : 0;
    }
    return n_sets < (double)MOST_SETS ? (uint64_t)n_sets : MOST_SETS + 1;
}

static kan_status check_size(const covering *c) {
    char most[32];
    if (count_sets(c) <= MOST_SETS)
        return KAN_OK;
    return kan_fail(c->run, KAN_BAD_INPUT,
                    "--sets all looks at every set of k to 2k - 1 rows, and takes at most %s of "
                    "them; leave --sets out, so that sets are balls around a row",
                    kan_count_text(MOST_SETS, most));
}

static kan_status begin(covering *c) {
    kan_cell_ruler ruler;
    size_t row = 0;
    KAN_TRY(kan_alloc(c->run, c->n, sizeof *c->place, &c->place));
    KAN_TRY(kan_alloc(c->run, c->n * c->n, sizeof *c->distance, &c->distance));
    KAN_TRY(kan_alloc(c->run, c->n, sizeof *c->group, &c->group));
    KAN_TRY(kan_alloc(c->run, c->n, sizeof *c->size, &c->size));
    KAN_TRY(kan_alloc(c->run, 2 * c->k, sizeof *c->rows, &c->rows));
    KAN_TRY(kan_alloc(c->run, 2 * c->k, sizeof *c->best, &c->best));
    for (uint32_t p = 0; p < c->tuples->n; p++)
        for (uint64_t i = 0; i < c->tuples->rows[p]; i++) {
            c->group[row] = NO_GROUP;
            c->place[row++] = p;
        }
    kan_status status = kan_cell_ruler_make(c->tuples, &ruler);
    for (size_t r = 0; r < c->n && status == KAN_OK; r++) {
        kan_cell_measure(&ruler, c->place[r]);
        for (size_t other = 0; other < c->n; other++)
            c->distance[r * c->n + other] = ruler.distance[c->place[other]];
    }
    kan_cell_ruler_destroy(&ruler);
    return status;
}

static kan_status make_clusters(const covering *c, kan_local_clusters *clusters) {
    for (uint32_t g = 0; g < c->n_groups; g++) {
        size_t made;
        if (c->size[g] == 0)
            continue;
        KAN_TRY(kan_local_clusters_add(clusters, &made));
        for (size_t row = 0; row < c->n; row++)
            if (c->group[row] == g)
                KAN_TRY(kan_local_cluster_add(clusters, made, c->tuples->tuple[c->place[row]], 1));
    }
    return KAN_OK;
}

static kan_status cover(covering *c, kan_local_clusters *clusters) {
    KAN_TRY(begin(c));
    while (c->n_covered < c->n) {
        KAN_TRY(kan_check_cancel(c->run));
        kan_report_progress(c->run, "search", c->n_covered, c->n);
        c->price = HUGE_VAL;
        try_sets(c, 0, 0, 0, 0);
        take_best(c);
    }
    return make_clusters(c, clusters);
}

kan_status kan_cover_by_all_sets(const kan_cell_tuples *tuples, kan_local_clusters *clusters) {
    covering c = {.tuples = tuples,
                  .run = tuples->space->run,
                  .n = (size_t)tuples->n_rows,
                  .k = (size_t)tuples->least_size};
    KAN_TRY(check_size(&c));
    const kan_status status = cover(&c, clusters);
    kan_free(c.run, c.place);
    kan_free(c.run, c.distance);
    kan_free(c.run, c.group);
    kan_free(c.run, c.size);
    kan_free(c.run, c.rows);
    kan_free(c.run, c.best);
    return status;
}

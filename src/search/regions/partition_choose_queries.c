/* Which cut: the one after which the queries of a workload are answered best.
 *
 * A query selects a box. Of a region that lies partly inside of it, a reader of the release can
 * only guess how many rows are meant: the share of the region that the box covers, as if rows were
 * spread evenly. How many there are we know better, from how the rows spread over each column. A
 * cut is worth how much nearer the guesses for its parts come, summed over the queries, each by its
 * weight over the rows that it selects in all (what counts is the error in proportion). Looked at
 * are the cuts along the borders of boxes and those next to the medians; where none is worth
 * anything, the widest column is cut as ever. */
#include <math.h>
#include <string.h>

#include "search/regions/partition.h"

/* What chance weighs beside what is known; little, or queries of few rows take all the cuts. */
#define CHANCE 0.1

/* One column of a query that the region lies partly inside of. */
typedef struct {
    double share;           /* of the region's width that the box covers */
    uint64_t before, up_to; /* rows of the region before the box, and up to its end */
} side;

/* Such a query. */
typedef struct {
    const kan_query_box *box;
    double scale;
    double guess, truth; /* shares of the region's rows */
} asking;

typedef struct kan_partition_queries {
    asking *asking;
    side *sides; /* [query that asks * dimensions + dimension] */
    size_t n;
    double *scale;      /* by query of the question */
    uint8_t *is_border; /* by place: a cut behind it is along a border */
} kan_partition_queries;

/* About how many rows a query selects, as if columns were independent. */
static double expected_rows(const kan_partition_space *space, const kan_query_box *box) {
    const kan_problem *problem = space->question->problem;
    double rows = (double)problem->n_rows;
    for (unsigned d = 0; d < space->n_dimensions; d++) {
        const kan_domain *domain = space->dimensions[d].domain;
        uint64_t inside = 0;
        if (!problem->leaf_rows[d])
            continue;
        for (uint32_t leaf = domain->first_leaf[box->first[d]];
             leaf < domain->first_leaf[box->last[d] + 1]; leaf++)
            inside += problem->leaf_rows[d][leaf];
        rows *= (double)inside / (double)problem->n_rows;
    }
    return fmax(rows, 1);
}

kan_status kan_partition_queries_make(const kan_partition_space *space,
                                      kan_partition_queries **out) {
    kan_run *run = space->run;
    kan_partition_queries *made;
    const size_t n = space->question->n_queries;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *made, &made));
    *out = made; /* freed with the worker, whatever follows */
    KAN_TRY(kan_alloc(run, n, sizeof *made->asking, &made->asking));
    KAN_TRY(kan_alloc(run, n * space->n_dimensions, sizeof *made->sides, &made->sides));
    KAN_TRY(kan_alloc(run, n, sizeof *made->scale, &made->scale));
    KAN_TRY(kan_alloc(run, space->most_places, sizeof *made->is_border, &made->is_border));
    for (size_t i = 0; i < n; i++) {
        const kan_query_box *box = &space->question->queries[i];
        made->scale[i] = box->weight / expected_rows(space, box);
    }
    return KAN_OK;
}

void kan_partition_queries_destroy(const kan_partition_space *space,
                                   kan_partition_queries *queries) {
    if (!queries)
        return;
    kan_free(space->run, queries->asking);
    kan_free(space->run, queries->sides);
    kan_free(space->run, queries->scale);
    kan_free(space->run, queries->is_border);
    kan_free(space->run, queries);
}

/* ---- what queries ask of a region ------------------------------------------------------------ */

/* The share of the places low to high that a query selects. */
static double share_of(const kan_partition_dimension *dimension, const kan_query_box *box,
                       unsigned d, uint32_t low, uint32_t high) {
    const uint32_t first = box->first[d] > low ? box->first[d] : low;
    const uint32_t last = box->last[d] < high ? box->last[d] : high;
    if (first > last)
        return 0;
    if (first == low && last == high)
        return 1;
    if (dimension->cutting != KAN_PARTITION_VALUES)
        return (double)(last - first + 1) / (double)(high - low + 1);
    /* a step of the domain stands for the width of a place */
    const double step = 1.0 / (double)dimension->n_places;
    return (dimension->position[last] - dimension->position[first] + step) /
           (dimension->position[high] - dimension->position[low] + step);
}

/* The queries that the region lies partly inside of. */
static void find_asking(kan_partition_worker *worker) {
    const kan_partition_space *space = worker->space;
    kan_partition_queries *queries = worker->queries;
    queries->n = 0;
    for (size_t i = 0; i < space->question->n_queries; i++) {
        const kan_query_box *box = &space->question->queries[i];
        side *sides = queries->sides + queries->n * space->n_dimensions;
        double guess = 1;
        for (unsigned d = 0; d < space->n_dimensions && guess > 0; d++) {
            sides[d].share =
                share_of(&space->dimensions[d], box, d, worker->low[d], worker->high[d]);
            guess *= sides[d].share;
        }
        if (guess > 0 && guess < 1)
            queries->asking[queries->n++] = (asking){box, queries->scale[i], guess, 1};
    }
}

/* The rows of places up to `place`; `prefix` has those of the counts. */
static uint64_t rows_up_to(const kan_partition_counts *counts, const uint64_t *prefix,
                           uint32_t place) {
    uint32_t low = 0, high = counts->n; /* how many of the places are up to it */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (counts->place[middle] <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? prefix[low - 1] : 0;
}

/* How the rows spread over one column, for every query that asks. */
static kan_status count_sides(kan_partition_worker *worker, const kan_partition_region *region,
                              unsigned d) {
    const kan_partition_space *space = worker->space;
    kan_partition_queries *queries = worker->queries;
    KAN_TRY(kan_partition_count(worker, region, d));
    uint64_t sum = 0, *prefix = worker->counts.rows;
    for (uint32_t i = 0; i < worker->counts.n; i++)
        prefix[i] = sum += prefix[i];
    for (size_t i = 0; i < queries->n; i++) {
        asking *a = &queries->asking[i];
        side *s = &queries->sides[i * space->n_dimensions + d];
        const uint32_t first = a->box->first[d], last = a->box->last[d];
        s->before = first > 0 ? rows_up_to(&worker->counts, prefix, first - 1) : 0;
        s->up_to = rows_up_to(&worker->counts, prefix, last);
        a->truth *= (double)(s->up_to - s->before) / (double)region->n_rows;
    }
    return KAN_OK;
}

static void mark_borders(kan_partition_worker *worker, unsigned d) {
    kan_partition_queries *queries = worker->queries;
    const uint32_t low = worker->low[d], high = worker->high[d];
    memset(queries->is_border + low, 0, high - low + 1);
    for (size_t i = 0; i < queries->n; i++) {
        const kan_query_box *box = queries->asking[i].box;
        if (box->first[d] > low)
            queries->is_border[box->first[d] - 1] = 1;
        if (box->last[d] < high)
            queries->is_border[box->last[d]] = 1;
    }
}

/* ---- what a cut is worth --------------------------------------------------------------------- */

/* How far a guess is off, in rows: by what is known, and by chance. */
static double error_of(double rows, double guess, double truth) {
    return rows * fabs(guess - truth) + CHANCE * rows * guess * (1 - guess);
}

/* The first part ends at the place `end`, the second begins at `begin`. */
static double worth(const kan_partition_worker *worker, unsigned d, uint32_t end, uint32_t begin,
                    uint64_t left, uint64_t right) {
    const kan_partition_queries *queries = worker->queries;
    const kan_partition_space *space = worker->space;
    const kan_partition_dimension *dimension = &space->dimensions[d];
    const uint32_t low = worker->low[d], high = worker->high[d];
    const double all = (double)(left + right);
    double sum = 0;
    for (size_t i = 0; i < queries->n; i++) {
        const asking *a = &queries->asking[i];
        const side *s = &queries->sides[i * space->n_dimensions + d];
        const uint64_t inside = s->up_to - s->before, stop = s->up_to < left ? s->up_to : left;
        const double first = (double)(stop > s->before ? stop - s->before : 0);
        /* what the other columns leave of the shares */
        const double guess = a->guess / s->share;
        const double truth = inside > 0 ? a->truth * all / (double)inside : 0;
        sum +=
            a->scale * (error_of(all, a->guess, a->truth) -
                        error_of((double)left, guess * share_of(dimension, a->box, d, low, end),
                                 truth * first / (double)left) -
                        error_of((double)right, guess * share_of(dimension, a->box, d, begin, high),
                                 truth * ((double)inside - first) / (double)right));
    }
    return sum;
}

/* Whether the cut behind the i-th place is looked at; `n_left` rows stand up to it. */
static bool is_looked_at(const kan_partition_worker *worker, uint32_t i, uint64_t n_left,
                         uint64_t all) {
    const kan_partition_counts *counts = &worker->counts;
    const uint64_t next = n_left + counts->rows[i + 1], before = n_left - counts->rows[i];
    for (uint32_t p = counts->place[i]; p < counts->place[i + 1]; p++)
        if (worker->queries->is_border[p])
            return true;
    return (n_left >= all - n_left && before < all - before) ||
           (next >= all - next && n_left < all - n_left);
}

static kan_status choose(kan_partition_worker *worker, const kan_partition_region *region,
                         unsigned d, double *best, kan_partition_cut *out) {
    const kan_partition_counts *counts = &worker->counts;
    const uint64_t least = worker->space->least_size;
    uint64_t n_left = 0;
    KAN_TRY(kan_partition_count(worker, region, d));
    for (uint32_t i = 0; i + 1 < counts->n; i++) {
        n_left += counts->rows[i];
        const uint64_t right = region->n_rows - n_left;
        if (n_left < least || right < least || !is_looked_at(worker, i, n_left, region->n_rows))
            continue;
        const double gain = worth(worker, d, counts->place[i], counts->place[i + 1], n_left, right);
        const kan_partition_cut cut = {
            .dimension = d, .n_parts = 2, .place = counts->place[i], .n_left = n_left};
        bool is_allowed = gain > *best;
        if (is_allowed)
            KAN_TRY(kan_partition_allows(worker, region, &cut, &is_allowed));
        if (is_allowed) {
            *best = gain;
            *out = cut;
        }
    }
    return KAN_OK;
}

kan_status kan_partition_choose_query(kan_partition_worker *worker,
                                      const kan_partition_region *region, kan_partition_cut *out) {
    const kan_partition_space *space = worker->space;
    double best = 0;
    out->n_parts = 0;
    if (space->is_relaxed)
        return KAN_OK; /* halves have borders of their own */
    find_asking(worker);
    if (worker->queries->n == 0)
        return KAN_OK;
    for (unsigned d = 0; d < space->n_dimensions; d++)
        KAN_TRY(count_sides(worker, region, d));
    for (unsigned i = 0; i < space->n_dimensions; i++) {
        const unsigned d = space->by_places[i];
        if (worker->low[d] == worker->high[d] || space->dimensions[d].cutting == KAN_PARTITION_TREE)
            continue;
        mark_borders(worker, d);
        KAN_TRY(choose(worker, region, d, &best, out));
    }
    return KAN_OK;
}

/* Which cut: the dimensions in the order of a score, and of each the cut next to its median.
 *
 * If a dimension has a cut that leaves enough rows on both sides, one of the two cuts next to the
 * median value does (the median value alone may hold so many rows that only one of them does): both
 * are tried. Where the promise asks for more than rows, all cuts of the dimension are tried, those
 * that divide most evenly first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/pasts.h"
#include "search/regions/partition.h"

/* ---- one dimension --------------------------------------------------------------------------- */

static uint64_t imbalance(uint64_t left, uint64_t all) {
    return left > all - left ? left - (all - left) : all - left - left;
}

static bool is_large_enough(const kan_partition_worker *worker, uint64_t left, uint64_t all) {
    const uint64_t least = worker->space->least_size;
    return left >= least && all - left >= least;
}

/* Who stands beside the cuts of a dimension; NULL where rows are counted. */
typedef struct {
    uint64_t least;
    const uint64_t *before, *behind; /* by index of the count: people up to it, and after it */
    const uint8_t *is_good;          /* with pasts: whether each has enough, or nobody */
} beside;

static kan_status look_beside(kan_partition_worker *worker, const kan_partition_region *region,
                              unsigned d, beside *out) {
    *out = (beside){.least = worker->space->least_size};
    if (worker->pasts && worker->space->is_relaxed)
        return KAN_OK;
    if (worker->pasts)
        return kan_partition_pasts_beside(worker, region, d, &out->is_good);
    return worker->people
               ? kan_partition_people_beside(worker, region, d, &out->before, &out->behind)
               : KAN_OK;
}

static bool has_people(const beside *people, uint32_t i) {
    if (people->is_good)
        return people->is_good[i];
    return !people->before ||
           (people->before[i] >= people->least && people->behind[i] >= people->least);
}

/* After which of the places the rows are halved, as an index of the counts. */
static uint32_t find_median(const kan_partition_counts *counts, uint64_t n_rows, uint64_t *up_to) {
    uint64_t sum = 0;
    uint32_t i = 0;
    for (;; i++) {
        sum += counts->rows[i];
        if (sum >= n_rows - sum)
            break;
    }
    *up_to = sum;
    return i;
}

/* Cuts in the order of how evenly they divide, beginning at the median, until one is allowed. */
static kan_status cut_evenly(kan_partition_worker *worker, const kan_partition_region *region,
                             unsigned d, kan_partition_cut *out) {
    const kan_partition_counts *counts = &worker->counts;
    const uint64_t all = region->n_rows;
    const kan_promise *promise = worker->space->question->promise;
    const bool is_simple =
        promise->size_decides || kan_partition_people_settle(worker->space) ||
        (worker->pasts && !worker->space->is_relaxed && kan_pasts_by_size(promise));
    uint64_t after, before;
    beside people;
    KAN_TRY(look_beside(worker, region, d, &people));
    const uint32_t median = find_median(counts, all, &after);
    uint32_t high = median, low = median; /* the next cuts: after `high`, before `low` */
    before = after - counts->rows[median];
    *out = (kan_partition_cut){.dimension = d};
    for (;;) {
        const bool has_high = high + 1 < counts->n && is_large_enough(worker, after, all);
        const bool has_low = low > 0 && is_large_enough(worker, before, all);
        if (!has_high && !has_low)
            return KAN_OK;
        const bool takes_high =
            has_high && (!has_low || imbalance(after, all) <= imbalance(before, all));
        const kan_partition_cut cut = {.dimension = d,
                                       .n_parts = 2,
                                       .place = takes_high ? counts->place[high]
                                                           : counts->place[low - 1],
                                       .n_left = takes_high ? after : before};
        bool is_allowed = has_people(&people, takes_high ? high : low - 1);
        if (is_allowed && !is_simple)
            KAN_TRY(kan_partition_allows(worker, region, &cut, &is_allowed));
        if (is_allowed) {
            *out = cut;
            return KAN_OK;
        }
        if (takes_high)
            after += counts->rows[++high];
        else
            before -= counts->rows[--low];
    }
}

/* Rows at the median go to both sides, so that these differ by at most one row. */
static kan_status cut_in_half(kan_partition_worker *worker, const kan_partition_region *region,
                              unsigned d, kan_partition_cut *out) {
    uint64_t up_to;
    const uint32_t median = find_median(&worker->counts, region->n_rows, &up_to);
    const kan_partition_cut cut = {.dimension = d,
                                   .n_parts = 2,
                                   .place = worker->counts.place[median],
                                   .n_left = region->n_rows - region->n_rows / 2};
    bool is_allowed = is_large_enough(worker, cut.n_left, region->n_rows);
    *out = (kan_partition_cut){.dimension = d};
    if (is_allowed)
        KAN_TRY(kan_partition_allows(worker, region, &cut, &is_allowed));
    if (is_allowed)
        *out = cut;
    return KAN_OK;
}

kan_status kan_partition_cut_node(kan_partition_worker *worker, const kan_partition_region *region,
                                  unsigned d, kan_partition_cut *out) {
    const kan_partition_space *space = worker->space;
    const kan_partition_dimension *dimension = &space->dimensions[d];
    const kan_partition_counts *counts = &worker->counts;
    const unsigned level = kan_partition_cover(dimension, worker->low[d], worker->high[d]);
    uint64_t rows = 0, first = 0;
    unsigned n = 0;
    bool is_enough = true;
    *out = (kan_partition_cut){.dimension = d};
    for (uint32_t i = 0; i < counts->n; i++) {
        const uint32_t child = kan_partition_node(dimension, level - 1, counts->place[i]);
        if (i > 0 && child != kan_partition_node(dimension, level - 1, counts->place[i - 1])) {
            is_enough &= rows >= space->least_size;
            first = n++ == 0 ? rows : first;
            rows = 0;
        }
        if (n > UINT16_MAX)
            return KAN_OK; /* too many children for a side each: the node stays whole */
        rows += counts->rows[i];
        worker->side[counts->place[i]] = (uint16_t)n;
    }
    if (is_enough && rows >= space->least_size && n > 0 && n < UINT16_MAX)
        *out = (kan_partition_cut){
            .dimension = d, .n_parts = n + 1, .by_side = true, .level = level - 1, .n_left = first};
    (void)region;
    return KAN_OK;
}

/* The cut of a dimension that has several values. */
static kan_status cut_dimension(kan_partition_worker *worker, const kan_partition_region *region,
                                unsigned d, kan_partition_cut *out) {
    KAN_TRY(kan_partition_count(worker, region, d));
    if (worker->space->dimensions[d].cutting == KAN_PARTITION_TREE) {
        bool is_allowed = false;
        KAN_TRY(kan_partition_cut_node(worker, region, d, out));
        if (out->n_parts > 0)
            KAN_TRY(kan_partition_allows(worker, region, out, &is_allowed));
        out->n_parts = is_allowed ? out->n_parts : 0;
        return KAN_OK;
    }
    return worker->space->is_relaxed && !worker->pasts ? cut_in_half(worker, region, d, out)
                                                       : cut_evenly(worker, region, d, out);
}

/* ---- all dimensions -------------------------------------------------------------------------- */

/* The one with the greatest score first; of equals the one with the fewest values, which leaves the
 * finer ones for later. */
static void order_by_score(const kan_partition_space *space, const double *scores,
                           unsigned *order) {
    for (unsigned i = 0; i < space->n_dimensions; i++) {
        unsigned at = i;
        const unsigned d = space->by_places[i];
        for (; at > 0 && scores[order[at - 1]] < scores[d]; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
}

kan_status kan_partition_choose_best(kan_partition_worker *worker,
                                     const kan_partition_region *region, const double *scores,
                                     kan_partition_cut *out) {
    unsigned order[KAN_MAX_ATTRIBUTES];
    out->n_parts = 0;
    order_by_score(worker->space, scores, order);
    for (unsigned i = 0; i < worker->space->n_dimensions && out->n_parts == 0; i++)
        if (worker->low[order[i]] < worker->high[order[i]] && scores[order[i]] > -HUGE_VAL)
            KAN_TRY(cut_dimension(worker, region, order[i], out));
    return KAN_OK;
}

void kan_partition_widths(const kan_partition_worker *worker, double *widths) {
    for (unsigned d = 0; d < worker->space->n_dimensions; d++) {
        const kan_partition_dimension *dimension = &worker->space->dimensions[d];
        const uint32_t low = worker->low[d], high = worker->high[d];
        if (dimension->cutting == KAN_PARTITION_TREE) {
            const unsigned level = kan_partition_cover(dimension, low, high);
            widths[d] = dimension->hierarchy->levels[level]
                            .share[kan_partition_node(dimension, level, low)];
        } else {
            widths[d] = dimension->position[high] - dimension->position[low];
        }
    }
}

/* How evenly the rows spread over the values that the column has, 0 to 1. */
static kan_status find_entropies(kan_partition_worker *worker, const kan_partition_region *region,
                                 double *entropies) {
    for (unsigned d = 0; d < worker->space->n_dimensions; d++) {
        const kan_partition_counts *counts = &worker->counts;
        double sum = 0;
        entropies[d] = 0;
        if (worker->low[d] == worker->high[d])
            continue;
        KAN_TRY(kan_partition_count(worker, region, d));
        for (uint32_t i = 0; i < counts->n; i++)
            sum += (double)counts->rows[i] * log((double)counts->rows[i]);
        entropies[d] = (log((double)region->n_rows) - sum / (double)region->n_rows) /
                       log((double)worker->space->dimensions[d].n_places);
    }
    return KAN_OK;
}

/* What tells the outcome apart; where nothing does, the widest of the columns that the model uses, and
 * only where these cannot be cut any more the widest of the others. */
static kan_status choose_for(kan_partition_worker *worker, const kan_partition_region *region,
                             kan_partition_cut *out) {
    const kan_partition_space *space = worker->space;
    double widths[KAN_MAX_ATTRIBUTES], scores[KAN_MAX_ATTRIBUTES];
    KAN_TRY(kan_partition_choose_gain(worker, region, out));
    kan_partition_widths(worker, widths);
    for (unsigned used = 2; used-- > 0 && out->n_parts == 0;) {
        for (unsigned d = 0; d < space->n_dimensions; d++)
            scores[d] = space->question->purpose->is_used[d] == (used > 0) ? widths[d] : -HUGE_VAL;
        KAN_TRY(kan_partition_choose_best(worker, region, scores, out));
    }
    return KAN_OK;
}

kan_status kan_partition_choose(kan_partition_worker *worker, const kan_partition_region *region,
                                kan_partition_cut *out) {
    double scores[KAN_MAX_ATTRIBUTES];
    out->n_parts = 0;
    if (region->n_rows / 2 < worker->space->least_size)
        return KAN_OK;
    kan_partition_look(worker, region);
    switch (worker->space->choice) {
    case KAN_PARTITION_COST:
        return kan_partition_choose_gain(worker, region, out);
    case KAN_PARTITION_PURPOSE:
        return choose_for(worker, region, out);
    case KAN_PARTITION_WORKLOAD:
        KAN_TRY(kan_partition_choose_query(worker, region, out));
        if (out->n_parts > 0)
            return KAN_OK;
        kan_partition_widths(worker, scores);
        break;
    case KAN_PARTITION_ENTROPY:
        KAN_TRY(find_entropies(worker, region, scores));
        break;
    case KAN_PARTITION_WIDEST:
        kan_partition_widths(worker, scores);
        break;
    }
    return kan_partition_choose_best(worker, region, scores, out);
}

/* Group sizes as a histogram, and what they say of recognising people.
 *
 * Groups are counted by the grouping of the verification (analyze/tuples). Sizes below 2^16 are
 * counted in an array, the few larger ones are sorted: O(groups). Everything else is one pass over
 * the histogram. */
#include "analyze/risk/risk_groups.h"

#include <stdlib.h>

#include "analyze/verify/verify.h"

enum { SMALL_SIZES = 1 << 16 };

/* ---- sizes ---------------------------------------------------------------------------------- */

static int compare_sizes(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add_size(kan_group_sizes *sizes, uint64_t size, uint64_t n_groups) {
    KAN_ASSERT(size > 0 && n_groups > 0);
    KAN_ASSERT(sizes->n == 0 || sizes->counts[sizes->n - 1].size <= size);
    if (sizes->n > 0 && sizes->counts[sizes->n - 1].size == size)
        sizes->counts[sizes->n - 1].n_groups += n_groups;
    else
        sizes->counts[sizes->n++] = (kan_size_count){size, n_groups};
}

static kan_status make_sizes(kan_run *run, const uint64_t *sizes, size_t n, kan_group_sizes *out) {
    kan_group_sizes made = {.run = run};
    uint64_t *small = NULL, *large = NULL;
    size_t n_large = 0, n_distinct = 0;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, SMALL_SIZES, sizeof *small, &small));
    for (size_t i = 0; i < n; i++) {
        n_large += sizes[i] >= SMALL_SIZES;
        if (sizes[i] < SMALL_SIZES)
            n_distinct += small[sizes[i]]++ == 0;
    }
    KAN_TRY_DONE(kan_alloc(run, n_large, sizeof *large, &large));
    n_large = 0;
    for (size_t i = 0; i < n; i++)
        if (sizes[i] >= SMALL_SIZES)
            large[n_large++] = sizes[i];
    if (n_large > 0)
        qsort(large, n_large, sizeof *large, compare_sizes);
    KAN_TRY_DONE(kan_alloc(run, n_distinct + n_large, sizeof *made.counts, &made.counts));
    for (uint64_t size = 0; size < SMALL_SIZES; size++)
        if (small[size] > 0)
            add_size(&made, size, small[size]);
    for (size_t i = 0; i < n_large; i++)
        add_size(&made, large[i], 1);
    *out = made;
done:
    kan_free(run, small);
    kan_free(run, large);
    return status;
}

kan_status kan_group_sizes_make(kan_run *run, const uint64_t *sizes, size_t n,
                                uint64_t n_suppressed, kan_group_sizes *out) {
    KAN_TRY(make_sizes(run, sizes, n, out));
    out->n_suppressed = n_suppressed;
    return KAN_OK;
}

kan_status kan_group_sizes_count(kan_run *run, const kan_table *table, const size_t *columns,
                                 size_t n_columns, const uint32_t *person_of,
                                 kan_group_sizes *out) {
    const kan_model_rows rows = {
        .table = table, .quasi = columns, .n_quasi = n_columns, .person_of = person_of};
    kan_model_groups by_group;
    kan_status status = kan_model_groups_make(run, &rows, &by_group);
    if (status == KAN_OK)
        status = make_sizes(run, by_group.groups.tuples.count, by_group.groups.tuples.n, out);
    kan_model_groups_destroy(&by_group);
    return status;
}

void kan_group_sizes_destroy(kan_group_sizes *sizes) {
    kan_free(sizes->run, sizes->counts);
    *sizes = (kan_group_sizes){.run = sizes->run};
}

/* ---- risk ----------------------------------------------------------------------------------- */

/* The size of the group that the lower one of the median rows is in. */
static uint64_t median_size(const kan_group_sizes *sizes, uint64_t n_rows) {
    uint64_t before = 0;
    for (size_t i = 0; i < sizes->n; i++) {
        before += sizes->counts[i].size * sizes->counts[i].n_groups;
        if (before > (n_rows - 1) / 2)
            return sizes->counts[i].size;
    }
    return 0;
}

void kan_risk_measure(const kan_group_sizes *sizes, uint64_t threshold, kan_risk *out) {
    kan_risk risk = {.n_suppressed = sizes->n_suppressed, .threshold = threshold ? threshold : 1};
    for (size_t i = 0; i < sizes->n; i++) {
        const kan_size_count *at = &sizes->counts[i];
        const uint64_t n_rows = at->size * at->n_groups;
        risk.n_groups += at->n_groups;
        risk.n_rows += n_rows;
        if (at->size == 1)
            risk.n_unique = at->n_groups;
        if (at->size < risk.threshold) {
            risk.n_groups_at_risk += at->n_groups;
            risk.n_rows_at_risk += n_rows;
        }
    }
    if (risk.n_rows > 0) {
        const double n_rows = (double)risk.n_rows;
        risk.smallest = sizes->counts[0].size;
        risk.largest = sizes->counts[sizes->n - 1].size;
        risk.mean_size = n_rows / (double)risk.n_groups;
        risk.median_size = median_size(sizes, risk.n_rows);
        risk.highest = 1 / (double)risk.smallest;
        risk.average = risk.marketer = (double)risk.n_groups / n_rows;
        risk.share_at_risk = (double)risk.n_rows_at_risk / n_rows;
        risk.share_unique = (double)risk.n_unique / n_rows;
    }
    *out = risk;
}

/* ---- bands ---------------------------------------------------------------------------------- */

/* 1, 2, 3, 5, 10, 20, 50, 100, ...; 0 when the next one would not fit into a number. */
static uint64_t next_step(uint64_t step) {
    uint64_t power = 1;
    if (step < 3)
        return step + 1;
    if (step == 3)
        return 5;
    while (power <= step / 10)
        power *= 10;
    const uint64_t factor = step / power == 1 ? 2 : step / power == 2 ? 5 : 10;
    return power > UINT64_MAX / factor ? 0 : power * factor;
}

size_t kan_size_bands(const kan_group_sizes *sizes, uint64_t threshold, kan_size_band *bands) {
    size_t n = 0, at = 0;
    uint64_t step = 1;
    if (sizes->n == 0)
        return 0;
    while (at < sizes->n && n < KAN_SIZE_BANDS) {
        const uint64_t next = next_step(step);
        uint64_t end = next ? next : UINT64_MAX;
        if (step < threshold && threshold < end)
            end = threshold;
        kan_size_band band = {.least = step, .most = end - 1};
        for (; at < sizes->n && sizes->counts[at].size < end; at++) {
            band.n_groups += sizes->counts[at].n_groups;
            band.n_rows += sizes->counts[at].n_groups * sizes->counts[at].size;
        }
        if (n > 0 || band.n_groups > 0)
            bands[n++] = band;
        /* The threshold cuts a step in two. */
        step = end == threshold && end != next ? threshold : next;
        if (step == 0)
            break;
    }
    return n;
}

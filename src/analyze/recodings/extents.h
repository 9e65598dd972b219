/* How far the labels of a column reach: along an order of its values, in which nodes of a hierarchy and
 * intervals have no gaps, and by the bounds of ranges. For this room alone. */
#ifndef KANON_ANALYZE_RECODINGS_EXTENTS_H
#define KANON_ANALYZE_RECODINGS_EXTENTS_H

#include "analyze/recodings/spans.h"

/* A label. Places are those of values in the order; n = 0: it covers no value. */
typedef struct kan_extent {
    uint32_t first, last, n; /* n = last - first + 1: without a gap */
    /* From lower to upper along the order, where 2 * place + 1 is a value and the even numbers are between
     * two: no label reaches further than that, also by the bounds of its ranges. lower > upper: nowhere. */
    uint32_t lower, upper;
    size_t spans; /* where its ranges begin; they end where those of the next label do */
} kan_extent;

/* The bins that a label holds, as places among those that some label begins or ends with; first > last: none. */
typedef struct kan_bin_run {
    uint32_t first, last;
} kan_bin_run;

typedef struct kan_extents {
    kan_run *run;
    const kan_labels *labels;
    kan_extent *of;     /* by code of the release, and one more; shown ones alone are filled in */
    uint32_t *value_at; /* by place */
    uint32_t n_unknown; /* of numbers and dates: values that have no place among them come first */
    kan_spans spans;    /* by label; empty where they do not count */
    uint32_t end;       /* all reach below it */
    kan_bin_run *bins;  /* by code of the release, where the column may be one of bins; else NULL */
} kan_extents;

/* Initialised by this call, also when it fails. `is_ordered`: ranges count by their bounds. O(values * levels +
 * what the labels list), and sorting. */
KAN_MUST_USE kan_status kan_extents_make(kan_run *run, const kan_labels *labels, bool is_ordered,
                                         kan_extents *out);
void kan_extents_destroy(kan_extents *extents);

/* Where all that a column of numbers shows may be made of bins of one width (--bins), bins take the place of
 * its values: who may share a border shares a bin then (bins.c). */
KAN_MUST_USE kan_status kan_extents_take_bins(kan_extents *extents);
/* Bins, and unknown values, that two labels share. */
unsigned kan_bins_share(const kan_extents *extents, uint32_t a, uint32_t b);

/* Values that two labels share: none, one, or 2 for more; of a label and itself those that it covers. O(1),
 * unless one of them has gaps; *work grows by the values that were looked at. */
unsigned kan_extents_share(const kan_extents *extents, uint32_t a, uint32_t b, uint64_t *work);

/* Whether the known values that a label covers have others between them. */
bool kan_extents_has_gap(const kan_extents *extents, uint32_t code);

#endif

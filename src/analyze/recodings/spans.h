/* The ranges of numbers and dates that a column shows, by their bounds. Two of them may overlap where
 * no value of the data lies: that is to be seen, too. For this room alone. */
#ifndef KANON_ANALYZE_RECODINGS_SPANS_H
#define KANON_ANALYZE_RECODINGS_SPANS_H

#include "analyze/recodings/labels.h"

typedef struct kan_span {
    kan_label_range range;
    uint32_t code; /* the label; one of a list may have several */
} kan_span;

/* By their lower bounds; one that holds its own stands before one that does not. */
typedef struct kan_spans {
    kan_run *run;
    kan_span *spans;
    size_t n, capacity;
} kan_spans;

/* Initialised by this call, also when it fails. O(n log n) of the shown labels. */
KAN_MUST_USE kan_status kan_spans_make(kan_run *run, const kan_labels *labels, kan_spans *out);
void kan_spans_destroy(kan_spans *spans);

/* Numbers that two ranges share: none, one, or 2 for more. */
unsigned kan_span_shares(const kan_span *a, const kan_span *b);

#endif

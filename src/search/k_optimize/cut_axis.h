/* The axis: one attribute whose cuts the branch and bound does not have to decide.
 *
 * When all other attributes are cut, the best cuts of one more are a shortest path: its intervals
 * cost what they cost, whatever the others are. While the others are still open, a bound for each
 * interval (span) makes the shortest path a bound for all. So the choices of the axis are never
 * branched on as long as spans cost what their bounds say, and in a path all groups agree on where
 * the axis is cut. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_AXIS_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_AXIS_H

#include "search/k_optimize/cut_class.h"

enum {
    KAN_CUT_NO_AXIS = -1,
    /* Places of an axis that has many: an axis pays earlier then, and spans are so many that of
     * most only a rough bound is known. What is found out about a few of them moves shortest paths
     * to others, and is worth less. Found by trying. */
    KAN_CUT_MANY_PLACES = 32
};

typedef struct kan_cut_axis {
    int attribute;        /* or KAN_CUT_NO_AXIS: one span has all rows */
    uint32_t n;           /* places; 1 without an axis */
    size_t *first;        /* by place, and one more: tuples at lower places */
    uint64_t *below;      /* ditto: rows */
    kan_cut_class *whole; /* all tuples, by their places */
} kan_cut_axis;

/* The attribute whose places tell most pairs of rows apart, of those that are cut by place; or
 * KAN_CUT_NO_AXIS, if there is none, it would not pay when so many rows may be suppressed, or
 * memory is too small for it. */
int kan_cut_axis_choose(const kan_cut_space *space, uint64_t limit);

/* From all tuples as one class. */
KAN_MUST_USE kan_status kan_cut_axis_make(kan_cut_maker *maker, int attribute, kan_arena *arena,
                                          kan_cut_axis *out);

/* The same with tuples joined that no open choice divides by now, beside those of the axis; on a
 * stack, or as it was where that saves little. */
KAN_MUST_USE kan_status kan_cut_axis_join(kan_cut_maker *maker, const kan_cut_axis *from,
                                          kan_stack *stack, kan_cut_axis *out);

/* The rows at places from..to-1, to be divided. Points into the axis. */
typedef struct kan_cut_slice {
    kan_cut_class class_;
    uint32_t least[KAN_MAX_ATTRIBUTES], greatest[KAN_MAX_ATTRIBUTES];
} kan_cut_slice;
void kan_cut_axis_slice(const kan_cut_maker *maker, const kan_cut_axis *axis, uint32_t from,
                        uint32_t to, kan_cut_slice *out);

/* Spans are numbered by their end, then by their beginning. */
static inline size_t kan_cut_span_at(uint32_t from, uint32_t to) {
    return (size_t)to * (to - 1) / 2 + from;
}
static inline size_t kan_cut_n_spans(const kan_cut_axis *axis) {
    return kan_cut_span_at(0, axis->n + 1);
}

#endif

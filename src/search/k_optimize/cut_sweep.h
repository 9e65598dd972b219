/* A bound for every span of the axis at once, by classification.
 *
 * The bound of a span is a sum over the classes in it: the rows of those below k, which are lost;
 * the minority of those that cannot be divided (less than 2 k rows, or only one value that can be
 * a majority); else the minorities of their cells. Adding one more place to a span changes only the
 * classes and cells that have rows there. So each class is swept once per first place, and all
 * spans together cost about as much as a few of them worked out one by one (cut_spans.h).
 *
 * Cells are made for several spans at a time, by the choices that are good in the widest of them: a
 * choice that is good in a span is good in a wider one, and smaller cells never cost more. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_SWEEP_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_SWEEP_H

#include "search/k_optimize/cut_axis.h"

typedef struct kan_cut_sweep {
    kan_cut_maker *maker;
    uint32_t last[KAN_CUT_MOST_PLACES]; /* in: by first place, the end of its widest span; or 0 */
    int64_t *cost, *n_lost;      /* out, at kan_cut_sweep_at(from, to), as far as last[from] */
    struct kan_cut_swept *swept; /* scratch */
} kan_cut_sweep;

static inline size_t kan_cut_sweep_at(const kan_cut_axis *axis, uint32_t from, uint32_t to) {
    return (size_t)from * (axis->n + 1) + to;
}

/* Scratch of one thread, for an axis and what becomes of it by kan_cut_axis_join. */
KAN_MUST_USE kan_status kan_cut_sweep_create(kan_cut_maker *maker, const kan_cut_axis *axis,
                                             kan_arena *arena, kan_cut_sweep *out);

/* By the decisions of now. When the run has to stop, some classes may be left out: the bounds hold,
 * and n_lost is no more than it is. */
void kan_cut_sweep_all(kan_cut_sweep *sweep, const kan_cut_axis *axis);

#endif

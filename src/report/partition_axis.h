/* An axis of the picture of a partition: where the cells of one column lie on it. For src/report
 * alone.
 *
 * The axis is made of what labels of the release say. A number has its place on the scale when a
 * label names it. A bound that no label names, such as that of a node of a hierarchy over numbers,
 * lies evenly between its neighbours. A category has a step of its own when a label names it;
 * values that only a node stands for share one step. So nobody can measure out what the release
 * does not say. */
#ifndef KANON_REPORT_PARTITION_AXIS_H
#define KANON_REPORT_PARTITION_AXIS_H

#include "data/domain/domain.h"
#include "recode/regions.h"

/* What a cell covers: a part of the axis, which goes from 0 to 1. */
typedef struct kan_axis_span {
    double from, to;
} kan_axis_span;

typedef struct kan_axis_tick {
    double at;
    kan_slice label;
} kan_axis_tick;

typedef struct kan_partition_axis {
    kan_arena arena;
    bool is_scale;      /* numbers or dates; otherwise categories in equal steps */
    size_t *first_span; /* by cell, n + 1 of them; cells that are shown as another have none */
    kan_axis_span *spans;
    size_t n_ticks;
    kan_axis_tick *ticks; /* ascending; in the middle of a step */
    size_t n_steps;       /* categories */
} kan_partition_axis;

/* What is given is borrowed. Linear in the values of the domain and the bytes of the labels, but
 * for sorting the bounds. */
KAN_MUST_USE kan_status kan_partition_axis_make(kan_run *run, const kan_domain *domain,
                                                const kan_cells *cells, const kan_cell_names *names,
                                                kan_partition_axis *out);
void kan_partition_axis_destroy(kan_partition_axis *axis);

#endif

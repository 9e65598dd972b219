/* Ticks of a scale of numbers or dates: round numbers, or the first days of months and years. For
 * src/report alone. */
#ifndef KANON_REPORT_AXIS_TICKS_H
#define KANON_REPORT_AXIS_TICKS_H

#include "report/partition_axis.h"

enum { KAN_AXIS_MOST_TICKS = 24 };

typedef struct kan_axis_scale {
    double low, high; /* where the axis begins and ends; low < high */
    double lo, hi;    /* ticks lie between these */
    double unit;      /* numbers are multiples of it */
    bool is_date;     /* numbers are days */
} kan_axis_scale;

/* Appends to ticks[*n], of which there are at most KAN_AXIS_MOST_TICKS more afterwards. Where fewer
 * than two round ones lie between them, lo and hi themselves. Labels live in the arena. */
KAN_MUST_USE kan_status kan_axis_ticks(kan_arena *arena, const kan_axis_scale *scale,
                                       kan_axis_tick *ticks, size_t *n);

#endif

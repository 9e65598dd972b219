/* The price of privacy as a picture: what releases cost, and how likely people are recognised in
 * them, against k, with a line for each method. */
#ifndef KANON_REPORT_K_CHART_H
#define KANON_REPORT_K_CHART_H

#include "report/svg.h"

typedef struct kan_curve_line {
    const char *name;
    const double *cost, *risk; /* by k; NAN: there is no release, or no such figure */
} kan_curve_line;

typedef struct kan_curve {
    const char *title;
    const char *cost; /* its name, beside the axis */
    size_t n_ks, n_lines;
    const double *ks; /* ascending, above 0 */
    const kan_curve_line *lines;
} kan_curve;

/* More would look alike: so many lines are told apart by dashes and marks. */
enum { KAN_CURVE_MOST_LINES = KAN_SVG_LOOKS };

/* The whole SVG file. The description holds every figure, for those who do not see the lines. */
KAN_MUST_USE kan_status kan_curve_print(const kan_curve *curve, kan_text *to);

#endif

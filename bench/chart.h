/* Line charts as SVG, for figures of benchmarks and of reports. No library is needed.
 *
 * Each series has a dash pattern and a marker of its own, so that nothing depends on colour; the
 * picture follows the reader's light or dark scheme, is black on white on paper, and carries its
 * title and description for those who do not see it. */
#ifndef KANON_BENCH_CHART_H
#define KANON_BENCH_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CHART_MOST_SERIES = 12 }; /* there are as many looks: KAN_SVG_LOOKS */

typedef struct chart_axis {
    const char *label; /* "quasi-identifiers", "CPU time, ms" */
    bool is_log;       /* values of 0 and below have no place on it, and are left out */
    bool is_tight;     /* of y: from the least value on, rather than from 0 or a power of ten */
    size_t n_ticks;    /* where to put ticks; 0: chosen to be round numbers */
    const double *ticks;
} chart_axis;

/* How a point of a line is drawn. */
enum { CHART_MARK, CHART_RING /* a mark with a ring around it */, CHART_BARE /* the line alone */ };

typedef struct chart_series {
    const char *name;
    size_t look; /* which dash, marker and colour, below CHART_MOST_SERIES: another for each series,
                    and the same in all pictures that show the same thing */
    size_t n;
    const double *x, *y;  /* a y that is not a finite number leaves a gap */
    const uint8_t *marks; /* by point; NULL: a mark at each */
} chart_series;

typedef struct line_chart {
    const char *title;
    const char *description; /* what it shows, in a sentence, for screen readers */
    const char *caption;     /* a line below the picture; NULL: none */
    const char *ring;        /* what a ring says, for the legend; NULL: there are none */
    chart_axis x, y;
    size_t n_series;
    const chart_series *series;
} line_chart;

/* Writes the whole document. False when the stream has an error, a look does not exist, or no
 * series has a point that can be drawn (nothing is written then). */
bool chart_write(const line_chart *chart, FILE *to);
/* The same into a file of that name; failures are printed to standard error. */
bool chart_save(const line_chart *chart, const char *path);

#endif

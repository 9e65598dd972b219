/* What became of a table as a picture: of each column how its rows were distributed before and after, and
 * how well a model tells the two tables apart. It compares with the original: for those who may see it. */
#ifndef KANON_REPORT_FIDELITY_PICTURE_H
#define KANON_REPORT_FIDELITY_PICTURE_H

#include "report/svg.h"

typedef struct kan_fidelity_panel {
    const char *name;    /* of the column */
    const char *caption; /* what is said of it */
    size_t n;            /* classes */
    const kan_slice *classes;
    const double *before, *after; /* shares of rows, by class */
} kan_fidelity_panel;

typedef struct kan_fidelity_sketch {
    const char *release, *original; /* names of the tables */
    size_t n_columns;
    const kan_fidelity_panel *columns;
    /* Guesses of the model, in steps of the same width; n_steps is 0: there is none */
    size_t n_steps;
    const double *before, *after;  /* shares of rows, by step */
    double least, greatest, share; /* share: what it would guess knowing nothing */
    const char *caption;           /* what is said of it */
} kan_fidelity_sketch;

/* The whole SVG file. */
KAN_MUST_USE kan_status kan_fidelity_sketch_print(const kan_fidelity_sketch *picture, kan_text *to);

#endif

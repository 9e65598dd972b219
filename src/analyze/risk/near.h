/* How much numbers that were changed (means of groups, noise) tell of those that they stand for, where
 * row i of a release was made of row i of its original.
 *
 *   near    a number of the original lies within `share` standard deviations of what is shown for it
 *           (interval disclosure; Mateo-Sanz, Sebe and Domingo-Ferrer 2004, sdcMicro's dRisk). The
 *           deviation is that of the released numbers, which whoever has the release can compute.
 *   linked  somebody who has the numbers of the original links each released row to the nearest: how
 *           many she gets right, as an expected number. Of t rows that are equally near she chooses
 *           any: her own among them counts 1 / t.
 *
 * Distances add the squares of the columns, in standard deviations, each rounded to a 65,536th: what
 * is equally near by definition is so here. What is not shown is no distance; from an unknown number
 * of the original it is one deviation. A column without a deviation is in no distance. */
#ifndef KANON_ANALYZE_RISK_NEAR_H
#define KANON_ANALYZE_RISK_NEAR_H

#include "core/memory.h"

enum { KAN_NEAR_COLUMNS = 64 };

typedef struct kan_near_question {
    size_t n_rows;
    unsigned n_columns;
    /* [row * n_columns + column]; NAN: not shown, unknown. */
    const double *released, *original;
    double share; /* of the standard deviation; at least 0 */
} kan_near_question;

typedef struct kan_near {
    uint64_t n_rows;
    unsigned n_columns;
    uint64_t n_all;                      /* rows that are near in all columns */
    uint64_t n_but_one;                  /* in all but one at most */
    uint64_t n_column[KAN_NEAR_COLUMNS]; /* by column */
    double deviation[KAN_NEAR_COLUMNS];  /* of the released numbers; 0: there is none */
    double linked;                       /* rows */
    /* Each number that is shown is the mean of the originals of all rows that show it in that column,
     * but for digits that are not shown; or the median. */
    bool shows_means, shows_medians;
} kan_near;

/* Near takes time in cells. Linked takes distinct released rows times those of the original that are
 * nearer by the column with the most different numbers alone: all of them at worst, on all threads. */
KAN_MUST_USE kan_status kan_near_measure(kan_run *run, const kan_near_question *question,
                                         kan_near *out);

#endif

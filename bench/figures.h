/* What the figures of the Incognito paper measure, on one table: filled by bench_figures.c, put
 * into words by figures_findings.c. */
#ifndef KANON_BENCH_FIGURES_H
#define KANON_BENCH_FIGURES_H

#include "trial.h"

enum {
    FIGURES_FIRST = 3, /* columns of the smallest prefix */
    FIGURES_SIZES = 7, /* prefixes at most */
    FIGURES_KS = 5,
    FIGURES_SEARCHES = 10
};

extern const char *const figures_searches[FIGURES_SEARCHES];
extern const char *const figures_ks[FIGURES_KS];
/* Figure 10 has two of the k. */
enum { FIGURES_K2 = 0, FIGURES_K10 = 2 };

typedef struct figure_data {
    const char *data; /* "adult" or "sales" */
    uint64_t n_rows;
    unsigned n_sizes;
    unsigned fixed_size; /* columns of Figure 11, where all k are measured */
    double budget_s;
    size_t n_tuples[FIGURES_SIZES]; /* of the base */
    double cube_ms[FIGURES_SIZES];  /* building alone; below 0: not known */
    trial_result results[FIGURES_SIZES][FIGURES_KS][FIGURES_SEARCHES];
} figure_data;

/* The result of a search by its name. */
const trial_result *figures_find(const figure_data *figures, unsigned size, unsigned k,
                                 const char *search);
/* Prints which gains of the paper show in the measured numbers, and why where one does not. */
void figures_print_findings(const figure_data *figures);

#endif

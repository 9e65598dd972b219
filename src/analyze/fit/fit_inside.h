/* The inside of analyze/fit: the design with numbers centred and scaled, and sums over its rows. */
#ifndef KANON_ANALYZE_FIT_FIT_INSIDE_H
#define KANON_ANALYZE_FIT_FIT_INSIDE_H

#include "analyze/fit/fit.h"

/* A term as rows are added up: number - mean, over the standard deviation. */
typedef struct kan_fit_term {
    const uint32_t *codes;
    double *numbers; /* by code; NULL: categories */
    size_t first;    /* column */
    double mean, deviation;
} kan_fit_term;

typedef struct kan_fit_frame {
    kan_run *run;
    const kan_fit_question *question;
    size_t n; /* columns */
    kan_fit_term *terms;
    uint64_t n_rows; /* of a weight above 0 */
    double total;
} kan_fit_frame;

/* Initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_fit_frame_make(kan_run *run, const kan_fit_question *question,
                                           kan_fit_frame *out);
void kan_fit_frame_destroy(kan_fit_frame *frame);

/* Sums over all rows at coefficients b: squares have n * n places, of which those on and above the
 * diagonal are used. */
typedef struct kan_fit_sums {
    double *cross;    /* sum of h x x', h the weight (linear), or w mu (1 - mu) */
    double *gradient; /* sum of w (y - mu) x */
    double *spread;   /* sum of (w (y - mu))^2 x x' */
    double loss;
} kan_fit_sums;

typedef struct kan_fit_pass {
    const kan_fit_frame *frame;
    const double *b;
    bool wants_cross, wants_spread;
} kan_fit_pass;

KAN_MUST_USE kan_status kan_fit_sums_make(kan_run *run, size_t n, bool has_spread,
                                          kan_fit_sums *out);
void kan_fit_sums_destroy(kan_run *run, kan_fit_sums *sums);
/* What is not wanted stays as it was. */
KAN_MUST_USE kan_status kan_fit_add_up(const kan_fit_pass *pass, kan_fit_sums *out);

/* The upper Cholesky factor of `square`, in its place. A column whose rest is not above `least` of what
 * it was is left out: is_out[column] becomes true; what is out already stays so. Says whether
 * another one was left out. */
bool kan_cholesky(double *square, size_t n, double least, bool *is_out);
/* Solves R' z = x, and R z = x, in place. */
void kan_cholesky_forward(const double *factor, size_t n, const bool *is_out, double *x);
void kan_cholesky_back(const double *factor, size_t n, const bool *is_out, double *x);

#endif

/* The door of analyze/fit: linear and logistic models by weighted least squares. May touch core alone.
 *
 * A design is a constant and terms: numbers, a column each, and categories, a column of 0 and 1 for
 * each but the first. Rows have a code per term, so that a row of ten terms has eleven entries, however
 * many categories there are, and cross products are added up by entries: a pass costs
 * O(rows * terms^2 + columns^3).
 *
 *   linear     minimizes sum of w (y - x b)^2; errors as lm of R has them
 *   logistic   y is 0 or 1; iteratively reweighted least squares (Newton's steps, halved where they
 *              overshoot), until no step is longer than 1e-9 of a standard error; errors as glm of R
 *              has them, converged
 *
 * Why no LAPACK: what is found is printed, and promised to be the same bytes on every machine, while
 * an optimized BLAS adds up in an order of its own, by the processor that it finds. Everything here is made
 * of +, -, *, / and square roots, which IEEE 754 rounds in one way alone, in one order on any number of
 * threads; the exponential and the logarithm are series of our own (fit_curve.c). So all figures are the
 * same to the last digit, and need not be rounded to hide differences of machines. The numbers are
 * centred and scaled first, and each solution is corrected by its residuals, so that the Cholesky
 * factor of the cross products is as good as an orthogonal one: tests/check/models.sh holds it
 * against R.
 *
 * Collinear: a column that is a combination of those before it, but for 1e-5 of its length, is left
 * out, as R does it, and told. Separated: where columns tell the two outcomes apart without an error,
 * their coefficients grow without end. They are found by their steps, which do not shrink, and told;
 * the others are what they are in the limit. */
#ifndef KANON_ANALYZE_FIT_FIT_H
#define KANON_ANALYZE_FIT_FIT_H

#include "core/run.h"

enum { KAN_DESIGN_MOST_COLUMNS = 1000 };

typedef struct kan_design_term {
    const uint32_t *codes; /* by row; borrowed */
    uint32_t n_codes;
    const double
        *numbers; /* by code, finite; NULL: codes are categories, the first in the constant */
} kan_design_term;

typedef struct kan_design {
    const kan_design_term *terms;
    size_t n_terms;
    uint64_t n_rows;
    const double *weights; /* by row, 0 or more: a row of 0 is none; NULL: 1 */
} kan_design;

/* The constant, and what the terms need; SIZE_MAX where that is more than KAN_DESIGN_MOST_COLUMNS. */
size_t kan_design_width(const kan_design *design);

/* The first column of a term; that of category c is the one c - 1 behind it. Column 0 is the constant. */
size_t kan_design_first_column(const kan_design *design, size_t term);

typedef enum kan_fit_kind { KAN_FIT_LINEAR, KAN_FIT_LOGISTIC } kan_fit_kind;

typedef enum kan_coefficient_state {
    KAN_COEFFICIENT_FOUND,
    KAN_COEFFICIENT_COLLINEAR, /* left out: coefficient 0 */
    KAN_COEFFICIENT_SEPARATED  /* without end: as far as it came, for predictions alone */
} kan_coefficient_state;

typedef struct kan_fitted {
    kan_run *run;
    kan_fit_kind kind;
    size_t n_columns;
    double *coefficients;
    double *errors; /* standard errors; NaN: none */
    kan_coefficient_state *states;
    size_t n_found, n_collinear, n_separated;
    bool has_converged; /* false: nothing of this means anything */
    unsigned n_steps;
    uint64_t n_rows;  /* of a weight above 0 */
    double total;     /* their weight */
    double loss;      /* linear: sum of squared residuals; logistic: the deviance */
    double null_loss; /* the same with the constant alone */
    double reach; /* a 95 % interval is coefficient +- reach * error; NaN: no degree of freedom */
} kan_fitted;

typedef struct kan_fit_question {
    const kan_design *design;
    const double *y; /* by row */
    kan_fit_kind kind;
    /* The weights say how many people a row stands for: errors are those of a linearized survey
     * estimator, rows drawn independently (the sandwich, times n / (n - 1)). Otherwise they are
     * how precise a row is (linear), or how often it was seen (logistic). */
    bool is_survey;
} kan_fit_question;

/* A design without a row of weight, or wider than KAN_DESIGN_MOST_COLUMNS, is the caller's error. */
KAN_MUST_USE kan_status kan_fit_make(kan_run *run, const kan_fit_question *question,
                                     kan_fitted *out);
void kan_fit_destroy(kan_fitted *fit);

/* By row, whatever its weight: the value, or the probability of 1. The design has the columns of the one
 * that was fitted. */
KAN_MUST_USE kan_status kan_fit_predict(const kan_fitted *fit, const kan_design *design,
                                        double *out);

/* ---- fit_curve.c ---------------------------------------------------------------------------- */

/* 1 / (1 + exp(-x)), and log(1 + exp(x)), within 4 units of the last place, the same on all machines. */
double kan_logistic(double x);
double kan_log_one_plus_exp(double x);

/* The 97.5 % quantile of Student's t, within 1e-8; degrees may be infinite. NaN below 1. */
double kan_t_quantile(double degrees);

#endif

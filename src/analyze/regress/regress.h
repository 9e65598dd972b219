/* The door of analyze/regress: a regression on the original and on the release, and what is left of its
 * coefficients. May touch core, data, analyze/fit and analyze/fidelity.
 *
 * Rows are complete where the outcome and all columns of the model are known; others are left out. How a
 * column enters:
 *
 *   number      numbers and dates (in days): values of the original, middles of released cells
 *   categories  text: a column of 0 and 1 for each value but the first that both tables have. Where
 *               released values are coarser, their labels are categories; where no two labels stand for the same
 *               value, the original is fitted again at the labels, and the release is held against that
 *
 * With `as_categories` numbers that the release shows coarser enter as their labels, too. The outcome is a number
 * (linear), or has two values (logistic: the odds of the second). A released outcome is a number by its
 * middle; of two values it must be one of them.
 *
 * Coefficients are held against each other where both models have them, by 95 % intervals
 * (Karr and others 2006): with I the length that both have in common, negative where they are apart,
 * 1/2 (I / length before + I / length after). */
#ifndef KANON_ANALYZE_REGRESS_REGRESS_H
#define KANON_ANALYZE_REGRESS_REGRESS_H

#include "analyze/fidelity/fidelity.h"
#include "analyze/fit/fit.h"

/* A column that the model names. */
typedef struct kan_regress_column {
    const kan_column *original; /* encoded */
    size_t compared;            /* column of the fidelity; KAN_NOT_RELEASED: the release has none */
} kan_regress_column;
#define KAN_NOT_RELEASED SIZE_MAX

typedef struct kan_regress_question {
    const kan_fidelity *fidelity;
    const kan_fidelity_column *compared;
    kan_regress_column outcome; /* it is released */
    const kan_regress_column *terms;
    size_t n_terms;
    bool as_categories;
    bool is_survey; /* weights are those of a survey */
    kan_fidelity_rows original, released;
    const char *formula; /* for messages */
} kan_regress_question;

typedef enum kan_term_form {
    KAN_TERM_NUMBER,
    KAN_TERM_VALUES,         /* categories, the same in both tables */
    KAN_TERM_LABELS,         /* categories: the release's labels, in both */
    KAN_TERM_LABELS_OVERLAP, /* the labels in the release alone: they are not disjoint */
    KAN_TERM_NOT_RELEASED    /* or hidden in every cell: the release's model goes without */
} kan_term_form;

typedef struct kan_regress_term {
    kan_term_form form;
    bool has_coarser;   /* the release shows something coarser */
    bool has_baseline;  /* categories: both models leave out the same one */
    kan_slice baseline; /* that one */
} kan_regress_term;

typedef enum kan_regress_state {
    KAN_REGRESS_FITTED,
    KAN_REGRESS_NO_ROWS,  /* no row is complete */
    KAN_REGRESS_ONE_VALUE /* the outcome has one value in all of them */
} kan_regress_state;

typedef struct kan_regress_model {
    kan_regress_state state;
    uint64_t n_complete, n_incomplete; /* rows */
    kan_fitted fit;                    /* of KAN_REGRESS_FITTED */
} kan_regress_model;

typedef enum kan_estimate_state {
    KAN_ESTIMATE_FOUND,
    KAN_ESTIMATE_COLLINEAR,
    KAN_ESTIMATE_SEPARATED,
    KAN_ESTIMATE_NONE /* the model has no such column, or did not converge */
} kan_estimate_state;

typedef struct kan_estimate {
    kan_estimate_state state;
    double value, error, low, high; /* NaN: none */
} kan_estimate;

typedef struct kan_regress_coefficient {
    size_t term;    /* SIZE_MAX: the constant */
    kan_slice name; /* the category; empty: a number, or the constant */
    kan_estimate before, after;
    bool is_compared; /* both have it, and with an interval */
    bool has_overlap; /* and both intervals have a length */
    double overlap;
    bool keeps_sign, keeps_significance;
} kan_regress_coefficient;

typedef struct kan_regression {
    kan_run *run;
    kan_fit_kind kind;
    kan_slice counted;       /* logistic: the value whose odds are modelled */
    kan_slice other;         /* and the other one */
    bool outcome_is_coarser; /* some released outcome is */
    kan_regress_term *terms; /* by term */
    bool is_at_labels;       /* `before` is the original at the release's labels */
    kan_regress_model original, at_labels, released;
    size_t n_coefficients;
    kan_regress_coefficient *coefficients;
    size_t n_compared, n_sign, n_significance, n_overlaps;
    double mean_overlap; /* of n_overlaps */
} kan_regression;

/* An outcome that no model has is KAN_BAD_INPUT, and so are more than KAN_DESIGN_MOST_COLUMNS columns.
 * O(rows * terms^2) for each pass of a model (analyze/fit). */
KAN_MUST_USE kan_status kan_regression_make(kan_run *run, const kan_regress_question *question,
                                            kan_regression *out);
/* Coefficients that the original has, and those of them that nothing of the release can be held against. */
size_t kan_regression_found(const kan_regression *regression);
size_t kan_regression_lost(const kan_regression *regression);
void kan_regression_destroy(kan_regression *regression);

#endif

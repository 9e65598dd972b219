/* The inside of analyze/regress: a table as a model sees it. */
#ifndef KANON_ANALYZE_REGRESS_REGRESS_INSIDE_H
#define KANON_ANALYZE_REGRESS_REGRESS_INSIDE_H

#include "analyze/regress/regress.h"

typedef enum kan_side_kind {
    KAN_SIDE_ORIGINAL,
    KAN_SIDE_AT_LABELS,
    KAN_SIDE_RELEASED
} kan_side_kind;

/* A category is an original value by its code, or a released one by its code behind all of these. */
#define KAN_NO_CATEGORY UINT32_MAX

/* A column of one table, by code. */
typedef struct kan_side_column {
    const kan_column *column;
    bool is_absent;       /* the model goes without */
    double *numbers;      /* NaN: missing */
    uint32_t *categories; /* KAN_NO_CATEGORY: missing; NULL: numbers */
    uint32_t n_categories;
    uint32_t *places; /* by category: 0 the baseline; KAN_NO_CATEGORY: no complete row has it */
    uint32_t n_places;
} kan_side_column;

typedef struct kan_side {
    kan_run *run;
    kan_side_kind kind;
    const kan_regress_question *question;
    const kan_fidelity_rows *rows;
    kan_side_column outcome, *terms;
    uint64_t n_complete;
    bool *is_complete; /* by row */
    kan_regress_model *model;
} kan_side;

/* Which value of the outcome is 1; SIZE_MAX: it is a number. */
typedef struct kan_side_outcome {
    bool is_binary;
    uint32_t zero, one; /* codes of the original */
} kan_side_outcome;

/* Reads the columns and finds the complete rows. Initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_side_make(kan_run *run, const kan_regress_question *question,
                                      kan_side_kind kind, const kan_regress_term *terms,
                                      const kan_side_outcome *outcome, kan_side *out);
void kan_side_destroy(kan_side *side);

/* The first category of the term that both have; KAN_NO_CATEGORY: there is none. */
uint32_t kan_side_common_category(const kan_side *a, const kan_side *b, size_t term);
/* Numbers the categories, that one first; KAN_NO_CATEGORY: the first that there is. */
void kan_side_set_baseline(kan_side *side, size_t term, uint32_t baseline);
/* After all baselines are set. */
KAN_MUST_USE kan_status kan_side_fit(kan_side *side, kan_fit_kind kind, kan_regress_model *out);

#endif

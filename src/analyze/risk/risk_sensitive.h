/* What the groups of a table tell of sensitive values: how sure somebody can be of a value who
 * knows in which group a person is, and which promises are kept, whoever made the table. */
#ifndef KANON_ANALYZE_RISK_RISK_SENSITIVE_H
#define KANON_ANALYZE_RISK_RISK_SENSITIVE_H

#include "analyze/verify/verify.h"

/* The largest share of a group that has one value: the confidence of an inference. */
typedef struct kan_value_confidence {
    kan_slice value;      /* borrowed from the column */
    uint64_t n_rows;      /* of the value */
    uint64_t part, whole; /* in the worst group: so many of its rows; the largest such group */
    double confidence;    /* part / whole */
    double share;         /* of all rows: what one would guess anyway */
    uint32_t order;       /* of the value among those of its column */
} kan_value_confidence;

/* The figures of models that are told of every table: those of all kinds of recounts. */
typedef struct kan_risk_figure {
    const kan_recount_figure *figure;
    kan_claim_model model;
    bool is_told; /* the option that it needs was given */
} kan_risk_figure;

typedef struct kan_risk_figures {
    size_t n;
    const kan_risk_figure *all; /* in the order of the kinds */
    bool use_distance;
} kan_risk_figures;

/* Takes the options that figures need; `out` lives in the arena. */
KAN_MUST_USE kan_status kan_risk_figures_read(kan_run *run, kan_arena *arena,
                                              const kan_options *options, kan_risk_figures *out);

/* One sensitive column. */
typedef struct kan_sensitive_risk {
    const char *name;             /* borrowed from the column */
    size_t n_values;              /* that a row has */
    kan_value_confidence *values; /* by confidence, greatest first, then by rows, then as in the
                                     column */
    /* What is reached in the worst group, by figure; is_reached is false without any group, and
     * of what is not told. */
    kan_model_recount *reached;
    uint64_t n_rows_certain; /* rows of groups that have one value alone: no doubt is left */
    uint64_t n_groups_certain;
} kan_sensitive_risk;

typedef struct kan_sensitive_risks {
    kan_run *run;
    const kan_risk_figures *figures; /* of the question */
    size_t n;
    kan_sensitive_risk *columns; /* as in the question */
} kan_sensitive_risks;

typedef struct kan_sensitive_question {
    const kan_table *table; /* sealed; the columns are encoded */
    const size_t *quasi;
    size_t n_quasi;
    /* What is known of the whole table, one per sensitive column: its values and their distances,
     * as kan_claim_columns fills them in. */
    const kan_claim_column *columns;
    const kan_column *const *sensitive; /* what the rows of the table show of each */
    size_t n_columns;
    const kan_risk_figures *figures;
    const uint32_t *person_of; /* by row, where people are counted; NULL: rows are */
} kan_sensitive_question;

/* Rows of * alone belong to no group. O(rows * columns) for counting, then a sort of each group's
 * values; memory for the distinct tuples and the distinct pairs of group and value. */
KAN_MUST_USE kan_status kan_risk_sensitive(kan_run *run, const kan_sensitive_question *question,
                                           kan_sensitive_risks *out);
void kan_sensitive_risks_destroy(kan_sensitive_risks *risks);

#endif

/* What the columns of a release show, label by label. For this room alone. */
#ifndef KANON_ANALYZE_RECODINGS_LABELS_H
#define KANON_ANALYZE_RECODINGS_LABELS_H

#include "analyze/recodings/recodings.h"

/* The labels of a column, by code of the release. */
typedef struct kan_labels {
    const kan_column *column;
    kan_relation relation; /* which values each label covers */
    uint32_t n;            /* codes */
    uint32_t n_values;
    unsigned top;         /* the level of * */
    uint64_t *first_row;  /* the first row that shows it, from 1; 0: none */
    uint64_t *levels;     /* bits: at which levels it is a label; 0: it is none of the hierarchy */
    uint64_t *any_levels; /* the same of all nodes that it might be (readings.c) */
    uint8_t *is_named;    /* it is a value, or the name of a node */
    uint32_t *leaf;       /* a value below its lowest node; KAN_NO_CODE: none */
    bool is_unsure;       /* some label might be another node than it was taken for */
} kan_labels;

/* A release as distinct rows of labels, those that are left out aside. */
typedef struct kan_shape {
    kan_run *run;
    const kan_shape_question *question;
    size_t n_columns;
    kan_labels *labels;
    kan_tuples tuples; /* of uint32_t codes, one for each column */
    bool has_star_row; /* of `tuples`, star_row shows * alone, and is not to be looked at */
    size_t star_row;
} kan_shape;

/* Initialised by this call, also when it fails. With `is_wide` a label that might be several nodes is
 * the highest of them, and a range that might be none is none; else the lowest, and one. */
KAN_MUST_USE kan_status kan_shape_make(kan_run *run, const kan_shape_question *question,
                                       bool is_wide, kan_shape *out);
void kan_shape_destroy(kan_shape *shape);

static inline bool kan_labels_is_star(const kan_labels *labels, uint32_t code) {
    return code == labels->relation.star;
}
/* The lowest level of a label that has any. */
static inline unsigned kan_labels_lowest(const kan_labels *labels, uint32_t code) {
    return (unsigned)__builtin_ctzll(labels->levels[code]);
}
static inline const uint32_t *kan_shape_tuple(const kan_shape *shape, size_t i) {
    return kan_tuples_at(&shape->tuples, i);
}
static inline bool kan_shape_skips(const kan_shape *shape, size_t i) {
    return shape->has_star_row && i == shape->star_row;
}

/* Whether a row of the release shows * alone. */
bool kan_shape_leaves_out(const kan_shape *shape, uint64_t row);

/* Finds out which node each label of a column is, where it might be several (readings.c). */
KAN_MUST_USE kan_status kan_labels_read(const kan_shape *shape, size_t c, bool is_wide);

/* Says what is wrong: of a column (NULL: of the row), and in which rows, from 1. */
void kan_shape_blame(kan_shape_verdict *verdict, const kan_labels *labels, uint64_t row,
                     uint64_t other_row, const char *fault);

/* ---- rules ---------------------------------------------------------------------------------- */

/* A rule finds `out` with holds = true, and blames the first that breaks it. */
typedef kan_status (*kan_shape_rule)(const kan_shape *shape, kan_shape_verdict *out);

kan_status kan_rule_full_domain(const kan_shape *shape, kan_shape_verdict *out);
kan_status kan_rule_attribute_suppression(const kan_shape *shape, kan_shape_verdict *out);
kan_status kan_rule_full_subtree(const kan_shape *shape, kan_shape_verdict *out);
kan_status kan_rule_ordered_set(const kan_shape *shape, kan_shape_verdict *out);
kan_status kan_rule_unrestricted(const kan_shape *shape, kan_shape_verdict *out);
kan_status kan_rule_cell_suppression(const kan_shape *shape, kan_shape_verdict *out);
kan_status kan_rule_cell_generalization(const kan_shape *shape, kan_shape_verdict *out);

kan_status kan_rule_full_subgraph(const kan_shape *shape, kan_shape_verdict *out);
kan_status kan_rule_unrestricted_multi(const kan_shape *shape, kan_shape_verdict *out);
kan_status kan_rule_ordered_regions(const kan_shape *shape, kan_shape_verdict *out);
kan_status kan_rule_relaxed_regions(const kan_shape *shape, kan_shape_verdict *out);

/* Every label that is shown is a node of its hierarchy, or *. */
void kan_rule_shows_nodes(const kan_shape *shape, kan_shape_verdict *out);

#endif

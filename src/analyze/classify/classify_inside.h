/* The inside of analyze/classify: columns of two tables as one model sees them, and the tree. */
#ifndef KANON_ANALYZE_CLASSIFY_CLASSIFY_INSIDE_H
#define KANON_ANALYZE_CLASSIFY_CLASSIFY_INSIDE_H

#include "analyze/classify/classify.h"
#include "analyze/fit/fit.h"

/* The values of a column, by code, as a model that was learnt from some table sees them. */
typedef struct kan_seen_values {
    const kan_column *column;
    uint32_t *codes; /* by row, in place of the column's; NULL: the column's */
    uint32_t n_codes;
    double *numbers; /* missing ones are the mean */
    uint32_t *is_missing;
    uint32_t *places; /* categories, the most frequent first */
    uint32_t *bins;   /* for trees; of numbers 0 is missing */
} kan_seen_values;

typedef struct kan_feature {
    bool is_number, has_missing;
    bool is_drawn; /* cells are learnt from as one of the values that they may stand for */
    uint32_t n_places, n_bins;
    kan_seen_values learnt, tested;
} kan_feature;

/* What a row of the release is known by: the row that it was made from, where that is known. */
static inline uint64_t kan_classify_row_of(const kan_classify_question *question, uint64_t row) {
    return question->row_of ? question->row_of[row] : row;
}

/* Features of who learns from one table and is tested on the original. */
typedef struct kan_features {
    kan_run *run;
    size_t n;
    kan_feature *features;
} kan_features;

static inline uint32_t kan_seen_code(const kan_seen_values *values, uint64_t row) {
    return values->codes ? values->codes[row] : kan_column_code(values->column, row);
}

/* Initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_features_make(kan_run *run, const kan_classify_question *question,
                                          bool is_released, kan_features *out);
void kan_features_destroy(kan_features *features);

/* The design of one of the two sides. Initialised by this call, also when it fails. */
typedef struct kan_seen_design {
    kan_run *run;
    kan_design design;
    kan_design_term *terms;
} kan_seen_design;
KAN_MUST_USE kan_status kan_seen_design_make(const kan_features *features, bool is_tested,
                                             uint64_t n_rows, kan_seen_design *out);
void kan_seen_design_destroy(kan_seen_design *design);

/* ---- trees ---------------------------------------------------------------------------------- */

typedef struct kan_tree_node {
    size_t feature;   /* SIZE_MAX: a leaf */
    size_t left;      /* the other one is behind it */
    size_t first_bin; /* of `goes_left` */
} kan_tree_node;

typedef struct kan_tree {
    kan_run *run;
    size_t n_classes, n_nodes, node_room, n_bins, bin_room;
    kan_tree_node *nodes;
    double *shares; /* n_classes for each node */
    uint8_t *goes_left;
} kan_tree;

typedef struct kan_tree_question {
    const kan_features *features;
    uint64_t n_rows;
    const uint8_t *classes; /* by row */
    const double *weights;  /* by row; 0: not learnt from */
    size_t n_classes;
} kan_tree_question;

/* O(rows * features) for each level. */
KAN_MUST_USE kan_status kan_tree_grow(kan_run *run, const kan_tree_question *question,
                                      kan_tree *out);
void kan_tree_destroy(kan_tree *tree);
/* The shares of the classes in the leaf of that row of the table that is tested. */
const double *kan_tree_find(const kan_tree *tree, const kan_features *features, uint64_t row);

#endif

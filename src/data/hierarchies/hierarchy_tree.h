/* The tree that checked lines make: children, leaves and rows of every node.
 *
 * A bound hierarchy (data/hierarchies/hierarchy.h) knows the values that the data has; this one knows all that
 * the lines say, and is what hierarchies are shown, reviewed and written from. Level 0 has the
 * values, level `height` the one top. */
#ifndef KANON_DATA_HIERARCHIES_HIERARCHY_TREE_H
#define KANON_DATA_HIERARCHIES_HIERARCHY_TREE_H

#include "data/hierarchies/hierarchy_lines.h"

typedef struct kan_tree_level {
    const kan_label_node *nodes; /* borrowed from the lines */
    uint32_t n;
    uint32_t *start;  /* of a node's children in `child`; n + 1 of them; NULL at level 0 */
    uint32_t *child;  /* nodes of the level below, by parent, in the order of their first lines */
    uint32_t *leaves; /* values below the node */
    uint64_t *rows;   /* rows of the data that have one of them; NULL without data */
    bool *is_value;   /* the node only repeats the label of the one value below it */
} kan_tree_level;

typedef struct kan_hierarchy_tree {
    kan_run *run;
    unsigned height;                     /* at least 1 */
    const struct kan_spelling *spelling; /* of the column; NULL: kanon's own */
    kan_tree_level *levels;
    uint32_t n_absent; /* values that the data does not have; 0 without data */
    uint64_t n_rows;
    kan_arena arena;
} kan_hierarchy_tree;

/* Rows of each value by code; one for each where the column has no rows. One pass over the codes.
 */
KAN_MUST_USE kan_status kan_column_count(kan_run *run, const kan_column *column, uint64_t *counts);

/* The lines have passed kan_hierarchy_lines_check, with the column where there is one (NULL: no
 * data), and live as long as the tree. Linear in the number of nodes, and of rows. */
KAN_MUST_USE kan_status kan_hierarchy_tree_make(const kan_hierarchy_lines *lines,
                                                const kan_column *column, kan_hierarchy_tree **out);
void kan_hierarchy_tree_destroy(kan_hierarchy_tree *tree);

/* ---- what a careful eye would see ----------------------------------------------------------- */

typedef enum kan_tree_remark {
    KAN_TREE_ABSENT,   /* values that the data lacks */
    KAN_TREE_IDLE,     /* a level has as many labels as the one below */
    KAN_TREE_LOPSIDED, /* one label below the top has nearly all rows */
    KAN_TREE_NESTED    /* a label of two levels covers more at the upper one */
} kan_tree_remark;

typedef struct kan_tree_finding {
    kan_tree_remark remark;
    unsigned level, upper; /* upper: the other level of a nested label */
    uint32_t node;         /* absent: the first value of them; lopsided, nested: of `level` */
    uint64_t count;        /* absent: values; lopsided: rows; nested: such labels in all */
} kan_tree_finding;

enum { KAN_TREE_FINDINGS_MOST = 3 * KAN_HEIGHT_MOST + 2 };

/* What is worth a warning, at most KAN_TREE_FINDINGS_MOST, in `findings`. */
size_t kan_hierarchy_tree_review(const kan_hierarchy_tree *tree, const kan_hierarchy_lines *lines,
                                 const uint32_t *code_of_node, kan_tree_finding *findings);

/* Adds a problem for each label that stands for one set of values at a level and for others at a
 * higher one: who reads it in a release cannot know which. (A set within the other is a remark.) */
void kan_hierarchy_tree_check_labels(const kan_hierarchy_tree *tree,
                                     const kan_hierarchy_lines *lines);

#endif

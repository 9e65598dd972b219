/* The lines of a hierarchy while they are collected; for the hierarchy*.c files of this folder.
 *
 * Each level is a set of labels: the label's bytes are stored once, and every line that shows it
 * refers to the same node. A node's parent is the label that its first line shows one level higher.
 * What is wrong with a line is noted as a fault when the line is added, and told when the lines are
 * bound. */
#ifndef KANON_DATA_HIERARCHIES_HIERARCHY_LINES_H
#define KANON_DATA_HIERARCHIES_HIERARCHY_LINES_H

#include "data/hierarchies/hierarchy.h"

#define KAN_NO_NODE UINT32_MAX

typedef struct kan_label_node {
    kan_slice label;
    uint64_t line;   /* first line that shows it */
    uint32_t parent; /* node of the next level; KAN_NO_NODE at the top */
    bool is_split;   /* a second parent was seen and noted */
} kan_label_node;

/* The labels of one level, in the order of their first lines. */
typedef struct kan_label_set {
    kan_label_node *nodes;
    size_t n, capacity;
    uint64_t *slots; /* open addressing: the hash's upper half, node + 1 in the lower; 0: free */
    size_t n_slots;  /* power of two; 0 before the first label */
} kan_label_set;

typedef enum kan_line_fault_kind {
    KAN_LINE_RAGGED,      /* not as many fields as the first line */
    KAN_LINE_TOO_LONG,    /* more levels than KAN_HEIGHT_MOST */
    KAN_LINE_REPEATED,    /* the value has a line that says otherwise */
    KAN_LINE_TWO_PARENTS, /* a label had another parent before */
    KAN_LINE_NAMED_TWICE  /* of a tree: another node of the level has the label */
} kan_line_fault_kind;

typedef struct kan_line_fault {
    kan_line_fault_kind kind;
    uint64_t line;
    size_t n_fields;       /* ragged, too long */
    unsigned level;        /* two parents, named twice: of the label */
    uint32_t node, parent; /* all but ragged: the label; two parents: the parent of this line */
} kan_line_fault;

struct kan_hierarchy_lines {
    kan_run *run;
    kan_arena arena; /* path and bytes of the labels */
    const char *path;
    const struct kan_spelling *spelling; /* of what is added; NULL: kanon's own */
    bool is_taxonomy;                    /* they come from a tree, not from columns */
    uint64_t n_lines, first_line;        /* the number of the first line of all */
    size_t n_fields;                     /* of the first line that has labels; 0 before */
    uint64_t fields_line;                /* the number of that line */
    kan_label_set values;                /* level 0 */
    kan_label_set *levels;               /* levels 1 .. n_fields - 1, at index level - 1 */
    kan_line_fault *faults;
    size_t n_faults, fault_capacity;
};

static inline const kan_label_set *kan_lines_level(const kan_hierarchy_lines *lines,
                                                   unsigned level) {
    return level == 0 ? &lines->values : &lines->levels[level - 1];
}

/* The node of a label; KAN_NO_NODE when the level does not have it. */
uint32_t kan_label_find(const kan_label_set *set, kan_slice label);

/* One value of a tree: its label and those of its ancestors, as kan_hierarchy_lines_add takes them,
 * and the line of each of these nodes. A label that the level has from another line is a fault: two
 * nodes would become one. */
KAN_MUST_USE kan_status kan_hierarchy_lines_add_path(kan_hierarchy_lines *lines,
                                                     const kan_slice *fields,
                                                     const uint64_t *line_of, size_t n_fields);

/* Adds every problem of the lines, alone and against the column, to the run's problems.
 * KAN_BAD_INPUT when there were any. code_of_node has room for each node of level 0 and gets its
 * code, or UINT32_MAX for a value that the data does not have. Without a column (NULL), the lines
 * alone are checked, and code_of_node is not looked at. */
KAN_MUST_USE kan_status kan_hierarchy_lines_check(const kan_hierarchy_lines *lines,
                                                  const kan_column *column, uint32_t *code_of_node);

#endif

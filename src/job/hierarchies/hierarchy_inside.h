/* The inside of the commands hierarchy-build, hierarchy-check, hierarchy-show and
 * hierarchy-convert: the data beside a hierarchy, hierarchies as trees, and how both are told. */
#ifndef KANON_JOB_HIERARCHIES_HIERARCHY_INSIDE_H
#define KANON_JOB_HIERARCHIES_HIERARCHY_INSIDE_H

#include <jansson.h>

#include "data/hierarchies/hierarchies.h"
#include "job/input/input.h"
#include "job/settings/settings.h"

/* The column that a value of --column names where no builder can follow: the whole of it, or what
 * its double quotes hold. */
kan_slice kan_hierarchy_column_name(const char *value);

/* A hierarchy, read or built, checked, as a tree. */
typedef struct kan_known_hierarchy {
    kan_hierarchy_lines *lines;
    kan_hierarchy_tree *tree;
    uint32_t *code_of_node; /* values that the column has; NULL without data */
} kan_known_hierarchy;

/* From a file or a spec. Problems are added with kan_problem_add; KAN_BAD_INPUT when there are any.
 * `column` is NULL without data. Destroy it in any case. */
KAN_MUST_USE kan_status kan_known_hierarchy_load(kan_run *run, const char *origin,
                                                 const kan_column *column,
                                                 kan_known_hierarchy *out);
void kan_known_hierarchy_destroy(kan_run *run, kan_known_hierarchy *known);

/* ---- writing -------------------------------------------------------------------------------- */

/* Whether a target of that name gets a taxonomy. */
bool kan_hierarchy_is_text_name(const char *path);

/* ---- telling -------------------------------------------------------------------------------- */

/* Labels, rows of the smallest and of the largest label, for each level. */
json_t *kan_hierarchy_levels_json(const kan_hierarchy_tree *tree);
/* Adds to each of these levels a list of its first labels, at most `most`. They are values of the
 * data. */
KAN_MUST_USE kan_status kan_hierarchy_list_labels(const kan_hierarchy_tree *tree, uint64_t most,
                                                  json_t *levels);
void kan_hierarchy_levels_text(const kan_hierarchy_tree *tree, kan_text *text);

#endif

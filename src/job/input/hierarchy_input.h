/* Hierarchies that settings name: a file, a builder, or a file in the folder of --hierarchies. */
#ifndef KANON_JOB_INPUT_HIERARCHY_INPUT_H
#define KANON_JOB_INPUT_HIERARCHY_INPUT_H

#include "data/hierarchies/hierarchies.h"
#include "job/settings/settings.h"

/* The hierarchy of a column: `spec` (a builder or a path) when there is one, else DIR/NAME.csv or
 * DIR/NAME.txt of the setting `hierarchies`, else `suppress`. Problems are added with
 * kan_problem_add.
 */
KAN_MUST_USE kan_status kan_input_hierarchy(const kan_job *job, const kan_column *column,
                                            const char *spec, kan_hierarchy **out);

/* The path of DIR/NAME.csv, or of DIR/NAME.txt where only that exists; it is a problem when both
 * do. The text is initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_input_find_hierarchy(kan_run *run, const char *dir, const char *name,
                                                 kan_text *path, bool *is_missing);

/* Whether there is neither DIR/NAME.csv nor DIR/NAME.txt, though DIR exists. */
KAN_MUST_USE kan_status kan_input_lacks_hierarchy(const kan_job *job, const kan_column *column,
                                                  bool *out);

/* The hierarchy that measures how far values of a sensitive column are apart, as --t-distance and
 * --t-hierarchy say; NULL where they say none. That of --hierarchies is for columns that are text,
 * unless somebody asks for it. Problems are added with kan_problem_add. */
KAN_MUST_USE kan_status kan_input_tree(const kan_job *job, const kan_column *column, bool is_text,
                                       kan_hierarchy **out);
/* Whether somebody asks for it, whatever the column is. */
bool kan_input_names_tree(const kan_job *job, const kan_column *column);

#endif

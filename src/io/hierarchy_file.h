/* Hierarchy files: one line per value, `value;level 1;level 2;...;*`. */
#ifndef KANON_IO_HIERARCHY_FILE_H
#define KANON_IO_HIERARCHY_FILE_H

#include "data/hierarchy.h"

/* Reads a file and binds it to the column. The separator is the first of ; tab , that splits every
 * line of the first megabyte alike. Problems, a file that cannot be read included, are added with
 * kan_problem_add, as kan_hierarchy_bind does. The path is opened twice: a pipe will not do. */
KAN_MUST_USE kan_status kan_hierarchy_read(kan_run *run, const char *path, const kan_column *column,
                                           kan_hierarchy **out);

/* Writes a bound hierarchy as a file of that format: one line for each value of the column, in
 * preorder. Values that only the hierarchy had are not part of it. Refuses to overwrite; a file
 * that could not be written whole is removed. */
KAN_MUST_USE kan_status kan_hierarchy_write(const kan_hierarchy *hierarchy,
                                            const kan_column *column, const char *path);

#endif

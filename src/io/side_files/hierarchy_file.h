/* Hierarchy files: one line per value, `value;level 1;level 2;...;*`, or a taxonomy
 * (io/side_files/taxonomy_file.h). */
#ifndef KANON_IO_SIDE_FILES_HIERARCHY_FILE_H
#define KANON_IO_SIDE_FILES_HIERARCHY_FILE_H

#include "data/hierarchies/hierarchies.h"

/* Reads a file whose values and labels are written as `spelling` says (NULL: as kanon writes);
 * problems as below. The lines have not been checked. */
KAN_MUST_USE kan_status kan_hierarchy_read_lines(kan_run *run, const char *path,
                                                 const struct kan_spelling *spelling,
                                                 kan_hierarchy_lines **out);

/* Writes the tree in columns, apart by ; and in preorder, values that no data has included; as the
 * table writes its values, where the tree was made with one. */
KAN_MUST_USE kan_status kan_hierarchy_compose(const kan_hierarchy_tree *tree, kan_text *text);

/* Reads a file, which writes values as the table does or as kanon does, and binds it to the column.
 * The separator is the first of ; tab , that splits every
 * line of the first megabyte alike. Problems, a file that cannot be read included, are added with
 * kan_problem_add, as kan_hierarchy_bind does. The path is opened twice: a pipe will not do. */
KAN_MUST_USE kan_status kan_hierarchy_read(kan_run *run, const char *path, const kan_column *column,
                                           kan_hierarchy **out);

#endif

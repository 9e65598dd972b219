/* Taxonomies: hierarchies as indented text, one node per line, children below their parent.
 *
 *     # what stands behind a # is for people
 *     *
 *       Europe
 *         Germany
 *         France
 *       Antarctica
 *
 * The first node is the top, nodes without children are the values of the column. Leaves may stand
 * at any depth; in columns a shallow one shows its own label for as long as others have a lower
 * level to go through, so that it stays itself as long as possible. Blank lines, and lines whose
 * first sign is a #, say nothing. Blanks around a node do not count. A node that is empty, begins
 * or ends with a blank, begins with # or ", or holds a control character stands in double quotes,
 * within which \" \\ \n \r \t and \xNN are what they are in C. */
#ifndef KANON_IO_SIDE_FILES_TAXONOMY_FILE_H
#define KANON_IO_SIDE_FILES_TAXONOMY_FILE_H

#include "data/hierarchies/hierarchies.h"

/* Whether the bytes of a file are a taxonomy rather than columns: some node is indented, and the
 * first has no separator (; , tab). Where the name ends in .txt, one of the two will do; a file
 * that is called .csv is never one. */
bool kan_taxonomy_is(const char *path, const char *bytes, size_t size);

/* Adds the values of a taxonomy to the lines. What is malformed is added with kan_problem_add, with
 * `path` and line; KAN_BAD_INPUT when there is something. */
KAN_MUST_USE kan_status kan_taxonomy_parse(kan_run *run, const char *path, const char *bytes,
                                           size_t size, kan_hierarchy_lines *lines);

/* Writes the tree as a taxonomy that has the same columns when it is read. Values that only repeat
 * their own label stand at the depth at which they begin to. */
KAN_MUST_USE kan_status kan_taxonomy_compose(const kan_hierarchy_tree *tree, kan_text *text);

#endif

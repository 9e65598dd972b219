/* Order files: the values of a column, one per line, in the order in which they may be cut. */
#ifndef KANON_IO_SIDE_FILES_ORDER_FILE_H
#define KANON_IO_SIDE_FILES_ORDER_FILE_H

#include "data/table.h"

/* Reads a file and writes the column's codes in the order of its lines into order[0 .. n-1], n
 * being the number of values of the column. A line is a value; one that begins with a quote is read
 * as a field of CSV is, so that a value may hold quotes and line breaks. Values that the column
 * does not have are passed over, and so are empty lines, save the first where the column has the
 * empty value. A value that stands twice, or that no line has, is added with kan_problem_add, and
 * KAN_BAD_INPUT returned: all of them are told. */
KAN_MUST_USE kan_status kan_order_read(kan_run *run, const char *path, const kan_column *column,
                                       uint32_t *order);

#endif

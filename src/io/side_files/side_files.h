/* The door of io/side_files: files that stand beside a table and say how it is read: hierarchies in
 * columns or as trees, orders of values, workloads of queries.
 *
 * May touch core, data, io and io/csv. */
#ifndef KANON_IO_SIDE_FILES_SIDE_FILES_H
#define KANON_IO_SIDE_FILES_SIDE_FILES_H

#include "io/side_files/hierarchy_file.h"
#include "io/side_files/order_file.h"
#include "io/side_files/taxonomy_file.h"
#include "io/side_files/workload_file.h"

#endif

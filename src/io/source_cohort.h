/* Rows of a source that an expression chooses, where the source reads all: they are found by a reading of the
 * columns that the expression names, and every later reading is cut to them, before values are taken as their
 * spelling says. So what is read is what a file of these rows alone would give. */
#ifndef KANON_IO_SOURCE_COHORT_H
#define KANON_IO_SOURCE_COHORT_H

#include "io/source.h"

KAN_MUST_USE kan_status kan_source_read_cohort(kan_source *source, const bool *encode,
                                               const bool *as_is, kan_table **out);
/* The same as those of io/source.h. The rows were read. */
KAN_MUST_USE kan_status kan_source_find_cohort_lines(kan_source *source, const uint64_t *rows,
                                                     size_t n, uint64_t *lines, bool *is_found);
KAN_MUST_USE kan_status kan_source_hash_cohort(kan_source *source, const size_t *columns,
                                               size_t n_columns, uint64_t *const *out);

#endif

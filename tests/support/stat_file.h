/* Statistics files made by our own sinks, and tables read from them. */
#ifndef KANON_TESTS_STAT_FILE_H
#define KANON_TESTS_STAT_FILE_H

#include "io/sink.h"
#include "io/stat/stat.h"

enum { STAT_COLUMNS = 12 };

/* A table that is to be written: cells row by row. */
typedef struct stat_table {
    size_t n_rows, n_columns;
    const kan_field *fields; /* with their names */
    const char *const *cells;
    bool is_read;     /* values are those that a reader shows, not as they are */
    bool is_released; /* of the code book of the fields, what is about these rows alone */
} stat_table;

/* Writes the table, as it is unless is_read; the run has the text of a failure. */
KAN_MUST_USE kan_status stat_write(kan_run *run, const kan_sink_kind *kind, const stat_table *table,
                                   const char *path);
/* Opens and reads all columns; `labels` is what is said with --labels, NULL: nothing. */
KAN_MUST_USE kan_status stat_read(kan_run *run, const kan_source_kind *kind, const char *path,
                                  const char *labels, bool as_is, kan_source **source,
                                  kan_table **table);
/* The same value in all rows, or the test fails. */
void stat_assert_column(const kan_table *table, size_t column, const char *const *values);

char *stat_file_bytes(const char *path, size_t *size);
void stat_put_bytes(const char *path, const char *bytes, size_t size);

#endif

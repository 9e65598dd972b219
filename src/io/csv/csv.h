/* The door of io/csv: a source that reads CSV files into tables, and a sink that writes releases as
 * such. May touch core, data and io.
 *
 * RFC 4180: fields in quotes may hold separators, line breaks and doubled quotes; CRLF or LF; a
 * UTF-8 byte order mark is skipped; without a named encoding, bytes that are not UTF-8 are kept as
 * they are. `.gz` and `.zst` are recognised by their first bytes (source) or the target's name
 * (sink). */
#ifndef KANON_IO_CSV_CSV_H
#define KANON_IO_CSV_CSV_H

#include "data/release.h"
#include "data/table.h"
#include "io/sink.h"
#include "io/streams/streams.h"

typedef struct kan_csv_source kan_csv_source;

/* Opens a file ("-" is standard input), reads its header line and, unless `separator` is given (not
 * 0), detects the separator: comma, semicolon, tab or bar. Fails with KAN_BAD_INPUT on a missing,
 * empty or binary file, and on a repeated or empty column name. */
KAN_MUST_USE kan_status kan_csv_open(kan_run *run, const char *path, char separator,
                                     kan_csv_source **out);
/* The same with text in another encoding; all values are UTF-8 then. */
KAN_MUST_USE kan_status kan_csv_open_encoded(kan_run *run, const char *path, char separator,
                                             kan_stream_encoding encoding, kan_csv_source **out);
void kan_csv_close(kan_csv_source *source);
const char *kan_csv_path(const kan_csv_source *source); /* for messages; "standard input" */
char kan_csv_separator(const kan_csv_source *source);
size_t kan_csv_n_columns(const kan_csv_source *source);
const char *kan_csv_column_name(const kan_csv_source *source, size_t column);

/* The table was written with a guard against formulas (io/guard.h): from here on names and values
 * are those before it. KAN_BAD_INPUT, here or by kan_csv_read, where a cell has none and needs one.
 */
KAN_MUST_USE kan_status kan_csv_unguard(kan_csv_source *source);

/* A header without rows is a table, too, from here on: for whoever must not tell it from others. */
void kan_csv_take_empty(kan_csv_source *source);

/* Reads all rows, on all threads of the run. Columns with encode[i] get dictionary and codes. Every
 * malformed line is named (the first 20). A file with a header and no row is KAN_BAD_INPUT, unless it was
 * said otherwise. */
KAN_MUST_USE kan_status kan_csv_read(kan_csv_source *source, const bool *encode, kan_table **out);

/* out[i][row] becomes a number for what a row has in columns[i], on all threads: the same where the
 * values are the same, and another where they are not, but for one chance in 2^64. The columns are
 * in ascending order, and the rows were read. */
KAN_MUST_USE kan_status kan_csv_hash(kan_csv_source *source, const size_t *columns,
                                     size_t n_columns, uint64_t *const *out);

/* Calls `fn` for each record in turn, header or not, one thread; for small files such as
 * hierarchies. `line` is the line on which the record starts, from 1. Stops at the first failure
 * that fn returns. Malformed lines are added with kan_problem_add (see core/run.h) and skipped; the
 * number of fields is not checked. */
typedef kan_status (*kan_csv_record_fn)(void *context, uint64_t line, const kan_slice *fields,
                                        size_t n_fields);
KAN_MUST_USE kan_status kan_csv_records(kan_run *run, const char *path, char separator,
                                        kan_csv_record_fn fn, void *context);
/* The same with the first bytes of a source that was read, its header first; a record that is cut
 * off may be shown as well. */
KAN_MUST_USE kan_status kan_csv_walk_records(const kan_csv_source *source, size_t n_bytes,
                                             kan_csv_record_fn fn, void *context);

/* Writes the whole release into a target, which the caller finishes. `source` is read again for the
 * columns that pass through; it may be NULL when none does. Adds to *formulas the cells, those of
 * the header included, that a spreadsheet would run without a guard. */
KAN_MUST_USE kan_status kan_csv_write(kan_run *run, const kan_release *release,
                                      kan_csv_source *source, char separator, kan_target *target,
                                      kan_formulas *formulas);

#endif

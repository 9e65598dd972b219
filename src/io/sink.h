/* The sink: what a release is written to. The bytes stand beside the target, under no name or
 * another one, until they are committed. */
#ifndef KANON_IO_SINK_H
#define KANON_IO_SINK_H

#include "data/release.h"
#include "io/source.h"

typedef struct kan_sink kan_sink;

/* Writes the whole release, in the form of the source where there is one. `source` is read again
 * for the columns that pass through; NULL: the rows are in memory, and none does. Target "-" is
 * standard output: the bytes wait in a temporary file. Without `overwrite` an existing target is
 * KAN_BAD_INPUT, found before anything is written. */
KAN_MUST_USE kan_status kan_sink_write(kan_run *run, const kan_release *release, kan_source *source,
                                       const char *target, bool overwrite, kan_sink **out);
/* Cells, those of the header included, that a spreadsheet would run as formulas without a guard;
 * *column (NULL: none) is the name of the first column with one, borrowed from the release. */
uint64_t kan_sink_formulas(const kan_sink *sink, const char **column);
/* Where the bytes can be read before they are committed, and how. */
const char *kan_sink_path(const kan_sink *sink);
const kan_source_kind *kan_sink_kind(const kan_sink *sink);
kan_source_options kan_sink_options(const kan_sink *sink);
/* Waits until the bytes have reached the disk: the slow part of a commit. */
KAN_MUST_USE kan_status kan_sink_sync(kan_sink *sink);
/* Gives the bytes their final name, or copies them to standard output. After kan_sink_sync. */
KAN_MUST_USE kan_status kan_sink_commit(kan_sink *sink);
/* Removes what was not committed. NULL is none. */
void kan_sink_close(kan_sink *sink);

#endif

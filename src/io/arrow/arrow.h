/* Tables in the memory of other programs, by the Arrow C data interface: the door of the room.
 *
 * A kan_arrow is a schema and its batches, as they came (arrow_import.c) or as a release was made
 * (sink_arrow.c); both are read by the same source, so that a release is recounted from the very
 * arrays that are handed out (arrow_export.c). Nothing of this has a path: a source gets its batches
 * by kan_source_options.arrow, and a sink leaves them there. */
#ifndef KANON_IO_ARROW_ARROW_H
#define KANON_IO_ARROW_ARROW_H

#include "io/sink.h"
#include "kanon_arrow.h"

typedef struct kan_arrow kan_arrow;

/* Takes all batches of a stream, which is released in any case. KAN_BAD_INPUT says what is wrong
 * with it, in its producer's words where it failed itself. */
KAN_MUST_USE kan_status kan_arrow_import(kan_run *run, struct ArrowArrayStream *stream,
                                         kan_arrow **out);
void kan_arrow_destroy(kan_arrow *arrow); /* NULL is none */
uint64_t kan_arrow_n_rows(const kan_arrow *arrow);
size_t kan_arrow_n_columns(const kan_arrow *arrow);
const char *const *kan_arrow_names(const kan_arrow *arrow);

/* Sets found[i] of each of these columns that has different values of one text, such as a null and "".
 * O(rows). */
KAN_MUST_USE kan_status kan_arrow_find_apart(void *arrow, const bool *columns, bool *found);

/* Moves the batches into a stream that needs neither run nor table; the kan_arrow has none left. */
KAN_MUST_USE kan_status kan_arrow_export(kan_arrow *arrow, struct ArrowArrayStream *out);

extern const kan_source_kind kan_source_arrow;
extern const kan_sink_kind kan_sink_arrow;

#endif

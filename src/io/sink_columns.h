/* What the columns of a release are written as, in a format that has types. For io/sink.c. */
#ifndef KANON_IO_SINK_COLUMNS_H
#define KANON_IO_SINK_COLUMNS_H

#include "io/sink.h"

typedef struct kan_sink_columns {
    kan_run *run;
    kan_arena arena;
    kan_sink_column *columns; /* NULL: not made */
} kan_sink_columns;

void kan_sink_columns_init(kan_sink_columns *columns, kan_run *run);
/* Decides on a type for each column of the release, which is borrowed. It depends on what the
 * source's schema says and on the rows that are shown, and on nothing that is left out. With
 * `is_spelled` columns of text have their values as the input writes them; `has_codes`: the format has a
 * code book, and values with a label are written by their codes. */
KAN_MUST_USE kan_status kan_sink_columns_make(kan_run *run, const kan_release *release,
                                              bool is_spelled, bool has_codes,
                                              kan_sink_columns *out);
void kan_sink_columns_destroy(kan_sink_columns *columns);

#endif

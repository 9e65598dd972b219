/* The dictionary of a .sav or .zsav: what libreadstat does not tell of it. */
#ifndef KANON_IO_STAT_STAT_SAV_H
#define KANON_IO_STAT_STAT_SAV_H

#include "io/beside.h"
#include "io/streams/streams.h"

/* Adds the label of the file, its notes, and all records that say something else than what columns
 * are called and look like. What cannot be understood is listed, too. */
KAN_MUST_USE kan_status kan_stat_sav_walk(kan_run *run, const kan_stream *stream, kan_beside *out);

#endif

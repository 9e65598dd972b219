/* The parts of a .dta that libreadstat passes over, or reads without a word when they are cut off. */
#ifndef KANON_IO_STAT_STAT_DTA_H
#define KANON_IO_STAT_STAT_DTA_H

#include "io/beside.h"
#include "io/streams/streams.h"

/* *is_whole: the file ends where a .dta does. Notes, characteristics and the label of the file are
 * added to `beside` (NULL: they are not wanted). What cannot be understood is not whole. */
KAN_MUST_USE kan_status kan_stat_dta_walk(kan_run *run, const kan_stream *stream,
                                          kan_beside *beside, bool *is_whole);

#endif

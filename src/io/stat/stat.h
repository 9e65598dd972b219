/* The door of io/stat: files of SPSS (.sav, .zsav, .por), Stata (.dta) and SAS (.sas7bdat, .xpt), as
 * kinds of sources and sinks. May touch core, data and io.
 *
 * libreadstat reads and writes them. It cannot be trusted with hostile bytes, so it reads in a child
 * process with limits (io/confined.h); what the child says is checked (stat_wire.h), and encoded by
 * the parent while the child goes on reading. */
#ifndef KANON_IO_STAT_STAT_H
#define KANON_IO_STAT_STAT_H

#include "io/sink.h"
#include "io/source.h"

extern const kan_source_kind kan_source_sav, kan_source_zsav, kan_source_por, kan_source_dta,
    kan_source_sas7bdat, kan_source_xpt;
extern const kan_sink_kind kan_sink_sav, kan_sink_zsav, kan_sink_por, kan_sink_dta, kan_sink_xpt;

#endif

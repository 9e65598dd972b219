/* The door of io/streams: bytes in and out. Files and pipes that are read whole or window by window,
 * unpacked and as UTF-8 (stream.h, spool.h); files that are written, packed and in any encoding, and
 * get their name when they are complete (target.h), on many threads (places.h); what a file is, by its bytes (foreign.h,
 * encoding_guess.h).
 *
 * May touch core and data. */
#ifndef KANON_IO_STREAMS_STREAMS_H
#define KANON_IO_STREAMS_STREAMS_H

#include "io/streams/encoding_guess.h"
#include "io/streams/foreign.h"
#include "io/streams/spool.h"
#include "io/streams/stream.h"
#include "io/streams/target.h"
#include "io/streams/unpack.h"

#endif

/* Text that is written in another encoding than UTF-8, as it is written. */
#ifndef KANON_IO_STREAMS_TRANSCODE_H
#define KANON_IO_STREAMS_TRANSCODE_H

#include "core/encoding.h"
#include "core/memory.h"

typedef struct kan_transcoder kan_transcoder;

/* Takes bytes of the other encoding. */
typedef kan_status (*kan_transcoded_fn)(void *context, const char *bytes, size_t size);

/* UTF-16 and UTF-32 without an order of bytes begin with the mark of the usual one. */
KAN_MUST_USE kan_status kan_transcoder_create(kan_run *run, const char *encoding,
                                              kan_transcoded_fn fn, void *context,
                                              kan_transcoder **out);
/* Whole characters. One that the encoding lacks is counted and left out; nothing is handed on
 * behind it. */
KAN_MUST_USE kan_status kan_transcoder_add(kan_transcoder *transcoder, const char *bytes,
                                           size_t size);
KAN_MUST_USE kan_status kan_transcoder_finish(kan_transcoder *transcoder);
uint64_t kan_transcoder_n_lost(const kan_transcoder *transcoder);
void kan_transcoder_destroy(kan_transcoder *transcoder); /* NULL is none */

#endif

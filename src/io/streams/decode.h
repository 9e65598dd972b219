/* Text in another encoding than UTF-8 becomes UTF-8 when it is read. */
#ifndef KANON_IO_STREAMS_DECODE_H
#define KANON_IO_STREAMS_DECODE_H

#include "core/encoding.h"
#include "io/streams/spool.h"

struct kan_stream;

/* The byte order mark that a text begins with: the name of its encoding, NULL where there is none.
 */
const char *kan_decode_find_mark(kan_slice first_bytes);

/* The encoding by its exact name, where one of several units was named without the order of its
 * bytes: a byte order mark tells, else where the zeros of a text with separators and line breaks
 * stand. */
const char *kan_decode_find_order(const char *encoding, kan_slice first_bytes);

/* Converts the beginning, as far as it goes, into *size bytes; *size becomes how many there are.
 * *is_text is false where it is not of this encoding: kan_decode says where. */
KAN_MUST_USE kan_status kan_decode_head(kan_run *run, const char *encoding, kan_slice head,
                                        char *out, size_t *size, bool *is_text);

/* Converts a whole stream. Bytes that are none of the encoding are KAN_BAD_INPUT, with their place.
 */
KAN_MUST_USE kan_status kan_decode(const struct kan_stream *stream, const char *encoding,
                                   kan_spool *out);

#endif

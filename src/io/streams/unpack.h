/* Decompression of whole files. */
#ifndef KANON_IO_STREAMS_UNPACK_H
#define KANON_IO_STREAMS_UNPACK_H

#include "core/memory.h"
#include "core/text.h"
#include "io/streams/spool.h"

typedef enum kan_packed { KAN_PACKED_NOT, KAN_PACKED_GZIP, KAN_PACKED_ZSTD } kan_packed;

/* How a file with these first bytes is packed. */
kan_packed kan_unpack_find(kan_slice first_bytes);

/* Unpacks the beginning, as far as it goes, into `most` bytes; returns how many there are. Nothing
 * is an error here: kan_unpack finds it. */
size_t kan_unpack_head(kan_packed kind, kan_slice packed, char *out, size_t most);

/* Unpacks all members of a .gz, or all frames of a .zst. Truncated or corrupt bytes are
 * KAN_BAD_INPUT. `is_mapped`: the packed bytes are a mapped file, and need not stay resident. */
KAN_MUST_USE kan_status kan_unpack(const char *name, kan_packed kind, kan_slice packed,
                                   bool is_mapped, kan_spool *out);

#endif

/* Decompression of whole files in memory. */
#ifndef KANON_IO_UNPACK_H
#define KANON_IO_UNPACK_H

#include "core/memory.h"
#include "core/text.h"

typedef enum kan_packed { KAN_PACKED_NOT, KAN_PACKED_GZIP, KAN_PACKED_ZSTD } kan_packed;

/* How a file with these first bytes is packed. */
kan_packed kan_unpack_find(kan_slice first_bytes);

/* Unpacks all members of a .gz, or all frames of a .zst. The result is followed by `pad` zeros and
 * is the caller's. Truncated or corrupt bytes are KAN_BAD_INPUT. */
KAN_MUST_USE kan_status kan_unpack(kan_run *run, const char *name, kan_packed kind,
                                   kan_slice packed, size_t pad, char **out, size_t *size);

#endif

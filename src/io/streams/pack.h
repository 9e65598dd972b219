/* Compression of what is written, as it is written. */
#ifndef KANON_IO_STREAMS_PACK_H
#define KANON_IO_STREAMS_PACK_H

#include "core/memory.h"

typedef struct kan_packer kan_packer;

/* Takes compressed bytes. */
typedef kan_status (*kan_packed_fn)(void *context, const char *bytes, size_t size);

/* A packer for a file of that name: gzip for .gz, zstd for .zst; *out is NULL for other names. */
KAN_MUST_USE kan_status kan_packer_create(kan_run *run, const char *name, kan_packed_fn fn,
                                          void *context, kan_packer **out);
KAN_MUST_USE kan_status kan_packer_add(kan_packer *packer, const char *bytes, size_t size);
KAN_MUST_USE kan_status kan_packer_finish(kan_packer *packer);
void kan_packer_destroy(kan_packer *packer);

#endif

/* Bytes that come in one after the other and whose number nobody knows beforehand: from a pipe, or
 * out of a compressed file. They are kept in memory, or, where the memory budget is too small for
 * them, in a temporary file (core/spill.h). */
#ifndef KANON_IO_SPOOL_H
#define KANON_IO_SPOOL_H

#include "core/memory.h"

typedef struct kan_spool {
    kan_run *run;
    size_t pad;  /* zeros behind the last byte */
    char *bytes; /* all of them, or those that are not yet in the file */
    size_t used, capacity;
    int file;           /* -1: all are in memory */
    uint64_t n_in_file; /* bytes */
} kan_spool;

void kan_spool_init(kan_spool *spool, kan_run *run, size_t pad);
void kan_spool_destroy(kan_spool *spool);

/* Where the next bytes go, and how many fit: 64 KiB at least. */
KAN_MUST_USE kan_status kan_spool_room(kan_spool *spool, char **at, size_t *room);
/* So many were put there. */
void kan_spool_add(kan_spool *spool, size_t size);
/* No more will come. In memory: `bytes`, `used` of them and the pad. In a file: `file` has all of
 * them, `bytes` is NULL; whoever takes the file sets the member to -1 and takes over its bytes in
 * the account of temporary bytes. */
KAN_MUST_USE kan_status kan_spool_end(kan_spool *spool);

#endif

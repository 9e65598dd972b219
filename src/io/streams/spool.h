/* Bytes that come in one after the other and whose number nobody knows beforehand: from a pipe, or
 * out of a compressed file. They are kept in memory, or, where the memory budget is too small for
 * them, in a temporary file (core/spill.h); without a budget, where they take more than a quarter
 * of the machine's memory. A few megabytes can unpack to more than a disk holds: there is a limit.
 */
#ifndef KANON_IO_STREAMS_SPOOL_H
#define KANON_IO_STREAMS_SPOOL_H

#include "core/memory.h"

typedef struct kan_spool {
    kan_run *run;
    const char *name; /* of the input, for messages */
    uint64_t limit;   /* bytes that may come; UINT64_MAX: any number */
    size_t pad;       /* zeros behind the last byte */
    char *bytes;      /* all of them, or those that are not yet in the file */
    size_t used, capacity;
    int file;           /* -1: all are in memory */
    uint64_t n_in_file; /* bytes */
} kan_spool;

void kan_spool_init(kan_spool *spool, kan_run *run, const char *name, size_t pad);
/* From here on more bytes than the run allows are KAN_FAILED with a text. */
void kan_spool_set_limit(kan_spool *spool);
void kan_spool_destroy(kan_spool *spool);

/* Where the next bytes go, and how many fit: 64 KiB at least. */
KAN_MUST_USE kan_status kan_spool_room(kan_spool *spool, char **at, size_t *room);
/* So many were put there. */
void kan_spool_add(kan_spool *spool, size_t size);
/* No more will come. In memory: `bytes`, `used` of them and the pad. In a file: `file` has all of
 * them, `bytes` is NULL; a caller that takes the file sets the member to -1 and takes over its
 * bytes in the account of temporary bytes. */
KAN_MUST_USE kan_status kan_spool_end(kan_spool *spool);

#endif

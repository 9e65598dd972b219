/* A child process for a library that cannot be trusted with hostile bytes. It has a copy of the
 * memory of this process, one file, and a socket to answer through; it can start no thread that
 * matters, write no file, and take no more memory than it is given. What it answers is as little to
 * be trusted as the bytes it was made from: whoever reads it checks every size.
 *
 * Other threads may be at work when it is made. So the child calls nothing of the run: memory that
 * it needs beside the library's own is allocated before. */
#ifndef KANON_IO_CONFINED_H
#define KANON_IO_CONFINED_H

#include "core/memory.h"

typedef struct kan_confined kan_confined;

/* What the child does. */
typedef struct kan_confined_task {
    void (*act)(void *context, int out); /* in the child; it ends when this returns */
    void *context;
    int file; /* stays open in the child, as KAN_CONFINED_FILE; -1: none does */
    /* More than this process has now; 0: no limit. Not under a sanitizer, which takes terabytes. */
    uint64_t memory_bytes;
    uint64_t cpu_seconds; /* 0: no limit */
} kan_confined_task;

enum { KAN_CONFINED_FILE = 3 };

KAN_MUST_USE kan_status kan_confined_start(kan_run *run, const kan_confined_task *task,
                                           kan_confined **out);
/* Waits for the next `size` bytes; fewer, *n, when the child sends no more. An interrupt ends the
 * waiting. */
KAN_MUST_USE kan_status kan_confined_read(kan_confined *child, void *bytes, size_t size, size_t *n);
/* Waits for the end of a child that sends no more. *cause becomes what ended it before its time, for
 * a message, such as "stopped (signal 11)"; NULL: nothing did. */
KAN_MUST_USE kan_status kan_confined_end(kan_confined *child, const char **cause);
/* Ends the child, if it still runs. NULL is none. */
void kan_confined_close(kan_confined *child);

/* In the child: all of it, or false when nobody listens any more. */
bool kan_confined_send(int out, const void *bytes, size_t size);

#endif

/* The one file that is given to the library: opened by us, and named by its number, so that no
 * character of its name means anything. What comes from a pipe is put into a file without a name. */
#ifndef KANON_IO_DUCKDB_DUCK_FILE_H
#define KANON_IO_DUCKDB_DUCK_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "core/memory.h"

typedef struct kan_duck_file {
    kan_run *run;
    const char *name; /* for messages */
    int file;
    struct stat state; /* when it was opened */
    uint64_t spooled;  /* bytes that came from a pipe */
    char path[40];     /* /proc/self/fd/7 */
} kan_duck_file;

/* KAN_BAD_INPUT for what is not there, is a folder or empty. `name` must outlive it. */
KAN_MUST_USE kan_status kan_duck_file_open(kan_run *run, const char *path, const char *name,
                                           kan_duck_file *out);
void kan_duck_file_close(kan_duck_file *file);
/* Bytes at a place; how many there were, -1 for an error of the disk. */
ssize_t kan_duck_file_look(const kan_duck_file *file, uint64_t at, char *out, size_t size);
/* KAN_FAILED when somebody changed it since. */
KAN_MUST_USE kan_status kan_duck_file_check(const kan_duck_file *file);

#endif

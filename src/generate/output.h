/* Where generators write: a set of files that appear together or not at all.
 *
 * Each file is written in its target's directory under a hidden name of its own, and gets its final
 * name in kan_outputs_commit, when the bytes of all of them are on the disk. Order of calls: init,
 * open each target, write, commit, close. Closing without a commit leaves nothing behind. One
 * thread. */
#ifndef KANON_GENERATE_OUTPUT_H
#define KANON_GENERATE_OUTPUT_H

#include <sys/stat.h>

#include "core/memory.h"
#include "core/text.h"

enum { KAN_OUTPUTS_MAX = 40 };

/* One file in the making. */
typedef struct kan_output {
    kan_run *run;
    int fd;           /* -1 once closed */
    char *path;       /* the target; what messages name */
    char *hidden;     /* where the bytes are until the commit; NULL: they go straight to the target,
                         which is standard output, a device or a pipe */
    const char *base; /* the last part of path */
    dev_t directory_device;
    ino_t directory_inode;
    bool is_standard, is_published;
} kan_output;

typedef struct kan_outputs {
    kan_run *run;
    bool overwrite;
    size_t n;
    kan_output files[KAN_OUTPUTS_MAX];
} kan_outputs;

void kan_outputs_init(kan_outputs *outputs, kan_run *run, bool overwrite);

/* Starts a file. "-" is standard output; devices and pipes are written to as they are. An existing
 * file is KAN_BAD_INPUT unless `overwrite`; so are a directory, a directory that does not exist,
 * and a target that the set holds already. The output is the set's. */
KAN_MUST_USE kan_status kan_outputs_open(kan_outputs *outputs, const char *path, kan_output **out);

/* A whole small file DIRECTORY/NAME.csv. */
KAN_MUST_USE kan_status kan_outputs_add(kan_outputs *outputs, const char *directory,
                                        const char *name, const kan_text *content);

/* Appends all the bytes. Unbuffered: callers hand over large pieces. */
KAN_MUST_USE kan_status kan_output_write(kan_output *output, const char *bytes, size_t size);

/* Forces the bytes to the disk and gives every file its final name. When one of them cannot get it,
 * those that appeared before it are taken away again, except where they replaced an older file. */
KAN_MUST_USE kan_status kan_outputs_commit(kan_outputs *outputs);

/* Removes what was not committed, and releases the set. */
void kan_outputs_close(kan_outputs *outputs);

#endif

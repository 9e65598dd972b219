/* The files that a job reads and writes, by what the user named them with.
 *
 * A setting that takes a path says what is done with it (kan_setting.file); where it says nothing
 * the file is read. So a new setting is protected from being overwritten without anybody thinking
 * of it.
 */
#ifndef KANON_JOB_SETTINGS_NAMED_FILES_H
#define KANON_JOB_SETTINGS_NAMED_FILES_H

#include "job/settings/job.h"

typedef struct kan_named_file {
    const char *setting; /* "output"; also "job" for job files */
    const char *path;    /* "-" is standard input or output */
    const char *column;  /* whose hierarchy or order it is; not terminated; NULL: of none */
    size_t column_size;
} kan_named_file;

typedef struct kan_named_files {
    kan_named_file *files; /* in the job's arena */
    size_t n, capacity;
} kan_named_files;

/* Files that a command reads: tables, hierarchies (also those that a folder has for the
 * quasi-identifiers), orders, keys, job files, whatever else its settings name. */
KAN_MUST_USE kan_status kan_named_files_read(kan_job *job, const char *command,
                                             kan_named_files *out);
/* Files that it writes; of `hierarchy-build -o DIR/` and of `generate` not those in folders. */
KAN_MUST_USE kan_status kan_named_files_written(kan_job *job, const char *command,
                                                kan_named_files *out);

/* Whether writing to one is writing to the other: links followed, hard links included, standard
 * input and output by what they are connected with. Files need not exist. */
bool kan_named_file_is_read(const kan_named_file *written, const kan_named_file *read);
bool kan_named_file_is_written(const kan_named_file *written, const kan_named_file *other);

/* "the input", "the hierarchy of 'age'" into `room`; returns `room`. */
const char *kan_named_file_what(const kan_named_file *file, char *room, size_t size);

/* A file of which the job learns late that it will write it: KAN_BAD_INPUT when the job reads it,
 * or writes something else to it. */
KAN_MUST_USE kan_status kan_named_file_check(kan_job *job, const char *command,
                                             const kan_named_file *written);

/* Whether there is a directory of that name, links followed. */
bool kan_is_directory(const char *path);

#endif

/* Folders for temporary files that others name: a library that puts aside what does not fit (DuckDB).
 * Files of our own have no name (core/spill.h), and are gone however the program ends. These are not: a
 * program that is killed leaves its folder, with values of the table in it. So each folder is locked for
 * the life of the process (flock), and whoever starts with the same folder for temporary files takes
 * away those of this user whose lock is free. */
#ifndef KANON_CORE_SPILL_FOLDER_H
#define KANON_CORE_SPILL_FOLDER_H

#include "core/run.h"

typedef struct kan_spill_folder {
    int lock; /* the folder, open; -1: none */
    char *path;
} kan_spill_folder;

/* Makes one in the run's folder for temporary files, that nobody else can look into. `out` is
 * initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_spill_folder_make(kan_run *run, kan_spill_folder *out);
/* Takes it away, with its files. */
void kan_spill_folder_remove(kan_run *run, kan_spill_folder *folder);
/* Takes away what killed programs of this user have left in the run's folder for temporary files: never
 * what is in use, and never through a link. */
void kan_spill_folder_clear(kan_run *run);

#endif

/* Files below a folder, and nowhere else. */
#ifndef KANON_SERVER_PROJECTS_FILES_H
#define KANON_SERVER_PROJECTS_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* Adds folder/relative to `out`; false when the relative path is empty, absolute, goes up, or goes
 * through a link. What it names need not be there. */
bool sv_below(const char *folder, const char *relative, sv_text *out);
/* The bytes of a small file, NUL-terminated, the caller's; NULL: not there, too large, no memory. */
char *sv_file_read(const char *path, size_t most, size_t *size);
/* Written under another name and renamed when it is whole and on the disk. */
bool sv_file_write(const char *path, const char *bytes, size_t size);
/* Copies a file of any size. */
bool sv_file_copy(const char *from, const char *to);
/* Takes away a folder with all that is in it; links are taken away, not followed. */
bool sv_folder_remove(const char *path);
/* A folder for its owner alone; one that is there is good, too. */
bool sv_folder_make(const char *path);
/* What was renamed in a folder is on the disk. */
void sv_folder_sync(const char *path);

#endif

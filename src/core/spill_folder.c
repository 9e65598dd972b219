#include "core/spill_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/spill.h"
#include "core/text.h"

static const char prefix[] = "kanon-duckdb-";
enum { N_DRAWN = 6, MOST_TRIES = 100 };

/* ---- one folder ----------------------------------------------------------------------------- */

/* Removes the files of a folder, and none of what it may have beside them. */
static void remove_files(int folder) {
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const entries = again >= 0 ? fdopendir(again) : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(folder, entry->d_name, 0); /* of a link itself, not where it leads */
    if (entries)
        (void)closedir(entries);
    else if (again >= 0)
        (void)close(again);
}

/* Whoever clears may have locked it before us, and taken it away: then there is none at its path. A file
 * system that has no such locks has nobody who clears, either. */
static bool take_lock(kan_spill_folder *folder) {
    struct stat here, there;
    folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->lock < 0)
        return false;
    if (flock(folder->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(folder->lock, &here) == 0 && lstat(folder->path, &there) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

static kan_status try_making(kan_run *run, kan_spill_folder *out, bool *is_made) {
    kan_text path;
    kan_text_init(&path, run);
    kan_text_print(&path, "%s/%sXXXXXX", kan_run_tmp(run), prefix);
    kan_status status = kan_text_status(&path);
    if (status == KAN_OK && !mkdtemp(path.bytes))
        status = kan_fail(run, KAN_FAILED,
                          "%s: a folder cannot be created there: %s; name another one with --tmp",
                          kan_run_tmp(run), strerror(errno));
    if (status == KAN_OK) {
        status = kan_alloc(run, path.size + 1, 1, &out->path);
        if (status != KAN_OK)
            (void)rmdir(path.bytes);
    }
    if (status == KAN_OK) {
        memcpy(out->path, path.bytes, path.size + 1);
        *is_made = take_lock(out);
    }
    kan_text_destroy(&path);
    return status;
}

kan_status kan_spill_folder_make(kan_run *run, kan_spill_folder *out) {
    bool is_made = false;
    *out = (kan_spill_folder){.lock = -1};
    for (unsigned i = 0; i < MOST_TRIES; i++) {
        KAN_TRY(try_making(run, out, &is_made));
        if (is_made)
            return KAN_OK;
        kan_spill_folder_remove(run, out);
    }
    return kan_fail(
        run, KAN_FAILED,
        "%s: a folder that was created there disappeared at once; name another one with --tmp",
        kan_run_tmp(run));
}

void kan_spill_folder_remove(kan_run *run, kan_spill_folder *folder) {
    if (folder->lock >= 0)
        remove_files(folder->lock);
    if (folder->path)
        (void)rmdir(folder->path);
    if (folder->lock >= 0)
        (void)close(folder->lock); /* with it goes the lock */
    kan_free(run, folder->path);
    *folder = (kan_spill_folder){.lock = -1};
}

/* ---- what was left -------------------------------------------------------------------------- */

static bool is_called_so(const char *name) {
    const size_t size = sizeof prefix - 1;
    return strncmp(name, prefix, size) == 0 && strlen(name) == size + N_DRAWN;
}

/* One of this user's that nobody has locked. */
static void clear_one(int folder, const char *name) {
    struct stat state;
    const int file = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return;
    if (fstat(file, &state) == 0 && state.st_uid == geteuid() &&
        (state.st_mode & (S_IRWXG | S_IRWXO)) == 0 && flock(file, LOCK_EX | LOCK_NB) == 0) {
        remove_files(file);
        (void)unlinkat(folder, name, AT_REMOVEDIR);
    }
    (void)close(file);
}

void kan_spill_folder_clear(kan_run *run) {
    DIR *const entries = opendir(kan_run_tmp(run));
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;)
        if (is_called_so(entry->d_name))
            clear_one(dirfd(entries), entry->d_name);
    if (entries)
        (void)closedir(entries);
}

/* A folder that gets its name when all its files are complete.
 *
 * The files are written into a hidden folder beside the target (.NAME.kanon-XXXXXXXX), each synced; then
 * the hidden folder gets the target's name by one rename. Where the target is there, both change places
 * in one step, and the old one is removed afterwards. So whoever looks finds the old folder, or the new
 * one, whole; a kill that cannot be caught may leave a hidden folder behind. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/tables/tables_inside.h"

static kan_status fail_errno(kan_run *run, const char *path, const char *what, int error) {
    return kan_fail(run, error == ENOENT || error == ENOTDIR ? KAN_BAD_INPUT : KAN_FAILED,
                    "%s: %s: %s; check the folder and its permissions; nothing was released", path,
                    what, strerror(error));
}

/* The folder that a path is in. */
static kan_status parent_of(kan_arena *arena, const char *path, const char **out) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return kan_arena_copy(arena, ".", 1, out);
    return kan_arena_copy(arena, path, slash == path ? 1 : (size_t)(slash - path), out);
}

/* Without slashes at its end. */
static kan_status strip(kan_arena *arena, const char *path, const char **out) {
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    return kan_arena_copy(arena, path, size, out);
}

kan_status kan_folder_path(kan_arena *arena, const char *folder, const char *table,
                           const char *ending, const char **out) {
    const size_t size = strlen(folder) + strlen(table) + strlen(ending) + sizeof "/.";
    char *path;
    KAN_TRY(kan_arena_alloc(arena, size, 1, &path));
    snprintf(path, size, "%s%s%s.%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", table,
             ending);
    *out = path;
    return KAN_OK;
}

/* ---- checks --------------------------------------------------------------------------------- */

static bool is_of_release(const kan_clan *clan, const char *ending, int folder, const char *name) {
    char own[512];
    struct stat info;
    for (size_t t = 0; t < clan->n; t++) {
        snprintf(own, sizeof own, "%s.%s", clan->tables[t].part->name, ending);
        if (strcmp(own, name) == 0)
            return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
    }
    return false;
}

kan_status kan_folder_find_foreign(const kan_clan *clan, const char *path, kan_text *out) {
    const char *ending = kan_clan_ending_of(clan, path);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    char quoted[256];
    if (!folder)
        return fail_errno(clan->run, path, "cannot be read", errno);
    while ((entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !is_of_release(clan, ending, dirfd(folder), entry->d_name))
            kan_text_print(out, "%s: holds %s, which is no file of this release\n", path,
                           kan_quote(kan_slice_of(entry->d_name), quoted));
    (void)closedir(folder);
    return kan_text_status(out);
}

/* What is replaced goes, so that it must be a release of these tables and nothing else, and one that can be
 * removed. */
static kan_status check_contents(const kan_clan *clan, const char *path) {
    kan_text foreign;
    kan_text_init(&foreign, clan->run);
    kan_status status = kan_folder_find_foreign(clan, path, &foreign);
    if (status == KAN_OK && foreign.size > 0)
        status = kan_fail(clan->run, KAN_BAD_INPUT,
                          "%.*s, and it would be gone; move it elsewhere, or choose another folder",
                          (int)strcspn(foreign.bytes, "\n"), foreign.bytes);
    kan_text_destroy(&foreign);
    if (status == KAN_OK && access(path, W_OK | X_OK) != 0)
        status = fail_errno(clan->run, path, "cannot be replaced", errno);
    return status;
}

static bool is_below(const char *path, const char *folder) {
    const size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

/* By the file itself, and by the folder in which its name stands: it may be a link. */
static kan_status is_within(const kan_clan *clan, const char *path, const char *folder,
                            bool *is_inside) {
    const char *parent;
    KAN_TRY(parent_of(&clan->job->arena, path, &parent));
    char *file = realpath(path, NULL), *place = realpath(parent, NULL),
         *outer = realpath(folder, NULL);
    *is_inside = outer && ((file && is_below(file, outer)) || (place && is_below(place, outer)));
    free(file);
    free(place);
    free(outer);
    return KAN_OK;
}

/* No switch allows to replace what the release is made from. */
static kan_status check_read(const kan_clan *clan, const char *path) {
    kan_named_files read;
    KAN_TRY(kan_named_files_read(clan->job, "anonymize", &read));
    for (size_t i = 0; i < read.n; i++) {
        bool is_inside;
        KAN_TRY(is_within(clan, read.files[i].path, path, &is_inside));
        if (is_inside)
            return kan_fail(clan->run, KAN_BAD_INPUT,
                            "--output %s: has %s in it, which is read; choose another folder", path,
                            read.files[i].path);
    }
    return KAN_OK;
}

/* Where a folder is, or will be; NULL where that is nowhere. The caller's, to be freed. */
static char *place_of(const char *folder, const char *parent) {
    char *there = realpath(folder, NULL), *above = there ? NULL : realpath(parent, NULL);
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    if (there || !above)
        return there;
    const size_t size = strlen(above) + strlen(name) + 2;
    char *place = malloc(size);
    if (place)
        snprintf(place, size, "%s/%s", above, name);
    free(above);
    return place;
}

static kan_status find_place(const kan_clan *clan, const char *folder, char **out) {
    const char *path, *parent;
    KAN_TRY(strip(&clan->job->arena, folder, &path));
    KAN_TRY(parent_of(&clan->job->arena, path, &parent));
    *out = place_of(path, parent);
    return KAN_OK;
}

kan_status kan_folder_check_written(const kan_clan *clan, const char *folder, const char *command) {
    kan_named_files written;
    KAN_TRY(kan_named_files_written(clan->job, command, &written));
    for (size_t i = 0; i < written.n; i++) {
        const kan_named_file *file = &written.files[i];
        const char *path, *parent;
        char *inner, *outer;
        KAN_TRY(strip(&clan->job->arena, file->path, &path));
        KAN_TRY(parent_of(&clan->job->arena, path, &parent));
        KAN_TRY(find_place(clan, parent, &inner));
        kan_status status = find_place(clan, folder, &outer);
        if (status == KAN_OK && inner && outer && is_below(inner, outer))
            status =
                kan_fail(clan->run, KAN_BAD_INPUT,
                         "--%s %s: would stand in the folder of the release, where nothing but "
                         "its tables may be; choose another place",
                         file->setting, file->path);
        free(inner);
        free(outer);
        KAN_TRY(status);
    }
    return KAN_OK;
}

kan_status kan_folder_check(const kan_clan *clan, const char *target) {
    kan_arena *arena = &clan->job->arena;
    const char *path, *parent;
    struct stat info;
    if (strcmp(target, "-") == 0)
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "--output %s: several tables are released as a folder of files; name a "
                        "folder",
                        target);
    KAN_TRY(strip(arena, target, &path));
    KAN_TRY(parent_of(arena, path, &parent));
    if (lstat(path, &info) != 0) {
        if (stat(parent, &info) != 0 || !S_ISDIR(info.st_mode))
            return kan_fail(clan->run, KAN_BAD_INPUT,
                            "--output %s: %s is no folder; create it first", target, parent);
        return KAN_OK;
    }
    if (!S_ISDIR(info.st_mode))
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "--output %s: there is a file or a link of that name, and several tables "
                        "are released as a folder; choose another name",
                        target);
    KAN_TRY(check_read(clan, path));
    if (!kan_options_switch(&clan->job->options, "force"))
        return kan_fail(clan->run, KAN_BAD_INPUT,
                        "--output %s already exists; choose another name, or replace it with "
                        "--force",
                        target);
    return check_contents(clan, path);
}

/* ---- making --------------------------------------------------------------------------------- */

static kan_status name_hidden(kan_clan *clan, const char *target, unsigned attempt,
                              const char **out) {
    const char *parent, *slash = strrchr(target, '/');
    char *path;
    KAN_TRY(parent_of(&clan->arena, target, &parent));
    const size_t size = strlen(target) + strlen(parent) + 64;
    uint64_t state = (uint64_t)getpid() << 32 ^ (uint64_t)kan_now_ms() ^ attempt;
    KAN_TRY(kan_arena_alloc(&clan->arena, size, 1, &path));
    snprintf(path, size, "%s/.%.100s.kanon-%08x", parent, slash ? slash + 1 : target,
             (unsigned)kan_random(&state));
    *out = path;
    return KAN_OK;
}

kan_status kan_folder_begin(kan_clan *clan, const char *target, kan_folder *out) {
    enum { ATTEMPTS = 100 };
    struct stat info;
    *out = (kan_folder){.run = clan->run, .clan = clan};
    KAN_TRY(kan_folder_check(clan, target));
    KAN_TRY(strip(&clan->arena, target, &out->target));
    out->replaces = lstat(out->target, &info) == 0;
    out->old_ending = kan_clan_ending_of(clan, out->target);
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        const char *hidden;
        KAN_TRY(name_hidden(clan, out->target, attempt, &hidden));
        if (mkdir(hidden, 0777) == 0) {
            out->hidden = hidden;
            return KAN_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return fail_errno(clan->run, out->target, "cannot be made", errno);
}

/* Removes a folder of plain files. */
static void remove_folder(const char *path) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        (void)closedir(folder);
    (void)rmdir(path);
}

static kan_status sync_folder(kan_run *run, const char *path) {
    const int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = file < 0 || fsync(file) != 0 ? errno : 0;
    if (file >= 0)
        (void)close(file);
    /* some file systems cannot sync a folder, and need not */
    return error == 0 || error == EINVAL ? KAN_OK
                                         : fail_errno(run, path, "cannot be synced", error);
}

/* What was there before. What came meanwhile is nobody's to remove: it stays, and is told. */
static void remove_old(const kan_folder *folder) {
    DIR *old = opendir(folder->hidden);
    const struct dirent *entry;
    while (old && (entry = readdir(old)))
        if (is_of_release(folder->clan, folder->old_ending, dirfd(old), entry->d_name))
            (void)unlinkat(dirfd(old), entry->d_name, 0);
    if (old)
        (void)closedir(old);
    if (rmdir(folder->hidden) != 0)
        kan_note(folder->run,
                 "%s: what was in it before could not all be removed, and stands in %s now",
                 folder->target, folder->hidden);
}

/* What is replaced keeps its permissions: the folder, and each file of it. */
static kan_status keep_modes(const kan_folder *folder) {
    struct stat info;
    for (size_t t = 0; t < folder->clan->n; t++) {
        const char *name = folder->clan->tables[t].part->name, *old, *made;
        KAN_TRY(kan_folder_path(&folder->clan->job->arena, folder->target, name, folder->old_ending,
                                &old));
        KAN_TRY(kan_folder_path(&folder->clan->job->arena, folder->hidden, name,
                                folder->clan->ending, &made));
        if (stat(old, &info) == 0 && chmod(made, info.st_mode & 07777) != 0)
            return fail_errno(folder->run, made, "cannot keep its permissions", errno);
    }
    if (stat(folder->target, &info) == 0 && chmod(folder->hidden, info.st_mode & 07777) != 0)
        return fail_errno(folder->run, folder->hidden, "cannot keep its permissions", errno);
    return KAN_OK;
}

/* Names must survive a power cut, too; once the name is there, nothing is taken back. */
static void sync_parent(const char *path) {
    char parent[4096];
    const char *slash = strrchr(path, '/');
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    const int file = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        (void)close(file);
    }
}

kan_status kan_folder_commit(kan_folder *folder) {
    if (folder->replaces)
        KAN_TRY(keep_modes(folder));
    KAN_TRY(sync_folder(folder->run, folder->hidden));
    const unsigned how = folder->replaces ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    int error = renameat2(AT_FDCWD, folder->hidden, AT_FDCWD, folder->target, how) != 0 ? errno : 0;
    /* A plain rename replaces no folder that has files in it. */
    if ((error == EINVAL || error == ENOSYS) && !folder->replaces)
        error = rename(folder->hidden, folder->target) != 0 ? errno : 0;
    if (error == EINVAL && folder->replaces)
        return kan_fail(folder->run, KAN_FAILED,
                        "%s: this file system cannot replace a folder in one step; remove it "
                        "first, or choose another name",
                        folder->target);
    if (error != 0)
        return fail_errno(folder->run, folder->target,
                          error == EEXIST || error == ENOTEMPTY ? "appeared meanwhile"
                                                                : "cannot get its name",
                          error);
    sync_parent(folder->target);
    if (folder->replaces)
        remove_old(folder);
    folder->hidden = NULL;
    return KAN_OK;
}

void kan_folder_close(kan_folder *folder) {
    if (folder->hidden)
        remove_folder(folder->hidden);
    folder->hidden = NULL;
}

/* Files that appear complete or not at all.
 *
 * The bytes go to a file without a name in the target's folder (O_TMPFILE), so nothing is left
 * however the program ends, and commit gives it its name. Where the file system or the lack of
 * /proc does not allow that, a hidden file beside the target (.NAME.kanon-XXXXXXXX) takes its part;
 * then only a kill that cannot be caught leaves it behind. Standard output, pipes and devices are
 * not renamed over: their bytes wait in a temporary file and are copied by commit. */
#include "io/streams/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/text.h"
#include "io/streams/pack.h"
#include "io/streams/transcode.h"

struct kan_target {
    kan_run *run;
    kan_arena arena;
    const char *name;   /* for messages */
    const char *path;   /* where it will stand, links resolved; NULL: standard output */
    const char *folder; /* of the file that is written */
    const char *temporary;
    const char *readable; /* a path at which the bytes can be read */
    bool is_copied;       /* by commit, to standard output or a device */
    bool overwrites;
    bool replaces;   /* a file stands there */
    bool is_private; /* while it has no name, and afterwards if it is new */
    bool is_seen;    /* copying has begun: what arrived cannot be taken back */
    int file;
    kan_places *places;   /* NULL: nobody took one */
    kan_packer *packer;   /* NULL: not compressed */
    const char *encoding; /* NULL: as it comes */
    kan_transcoder *transcoder;
};

static kan_status fail_errno(const kan_target *target, kan_status status, const char *what,
                             int error) {
    const char *remedy =
        error == ENOSPC || error == EDQUOT || error == EFBIG ? "free some space or write elsewhere"
        : error == ENOENT || error == ENOTDIR ? "create the folder first, or check the path"
        : error == EACCES || error == EPERM || error == EROFS
            ? "check the folder's permissions or write elsewhere"
        : error == EPIPE ? "the reader at the other end has gone"
                         : "check the disk or write elsewhere";
    return kan_fail(target->run, status, "%s: %s: %s; %s; %s", target->name, what, strerror(error),
                    remedy,
                    target->is_seen ? "what has arrived there is not the whole release"
                                    : "nothing was left behind");
}

/* ---- names ---------------------------------------------------------------------------------- */

static kan_status copy_text(kan_target *target, const char *text, size_t size, const char **out) {
    return kan_arena_copy(&target->arena, text, size, out);
}

static kan_status find_folder(kan_target *target) {
    const char *slash = target->path ? strrchr(target->path, '/') : NULL;
    if (target->is_copied) {
        target->folder = kan_run_tmp(target->run);
        return copy_text(target, target->folder, strlen(target->folder), &target->folder);
    }
    if (!slash) {
        target->folder = ".";
        return KAN_OK;
    }
    size_t size = slash == target->path ? 1 : (size_t)(slash - target->path);
    return copy_text(target, target->path, size, &target->folder);
}

/* What stands at the target's path decides how it is written. */
static kan_status look_at_path(kan_target *target, const char *path) {
    struct stat state;
    if (strcmp(path, "-") == 0) {
        target->name = "standard output";
        target->is_copied = true;
        return KAN_OK;
    }
    KAN_TRY(copy_text(target, path, strlen(path), &target->path));
    target->name = target->path;
    if (stat(path, &state) != 0)
        return errno == ENOENT ? KAN_OK
                               : fail_errno(target, KAN_BAD_INPUT, "cannot be written", errno);
    if (S_ISDIR(state.st_mode))
        return kan_fail(target->run, KAN_BAD_INPUT,
                        "%s: this is a directory; name a file inside it", path);
    if (!S_ISREG(state.st_mode)) {
        target->is_copied = true;
        return KAN_OK;
    }
    if (!target->overwrites)
        return kan_fail(target->run, KAN_BAD_INPUT,
                        "%s: the file exists; choose another name, or overwrite it with --force",
                        path);
    target->replaces = true;
    char *resolved = realpath(path, NULL); /* a link stays, the file behind it is replaced */
    if (!resolved)
        return errno == ENOMEM ? kan_fail(target->run, KAN_FAILED, "out of memory")
                               : fail_errno(target, KAN_BAD_INPUT, "cannot be written", errno);
    kan_status status = copy_text(target, resolved, strlen(resolved), &target->path);
    free(resolved);
    return status;
}

/* A name beside the target that nobody has: only a name, so the clock is random enough. */
static kan_status name_hidden(kan_target *target, const char **out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t state = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 48;
    const char *slash = target->path ? strrchr(target->path, '/') : NULL;
    const char *name = slash ? slash + 1 : target->path && !target->is_copied ? target->path : "";
    kan_text text;
    kan_text_init(&text, target->run);
    kan_text_print(&text, "%s/.%.200s.kanon-%08x", target->folder, name,
                   (unsigned)kan_random(&state));
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = copy_text(target, text.bytes, text.size, out);
    kan_text_destroy(&text);
    return status;
}

/* What takes the place of another file gets its mode at the end; until then, and in a folder of all
 * such as /tmp, nobody else shall look into it. */
static mode_t first_mode(const kan_target *target) {
    return target->is_private || target->replaces || target->is_copied ? 0600 : 0666;
}

static kan_status open_named(kan_target *target) {
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        const char *name;
        KAN_TRY(name_hidden(target, &name));
        target->file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(target));
        if (target->file >= 0) {
            target->temporary = target->readable = name;
            return KAN_OK;
        }
        if (errno != EEXIST)
            break;
    }
    kan_status status = errno == ENOENT || errno == ENOTDIR ? KAN_BAD_INPUT : KAN_FAILED;
    return fail_errno(target, status, "cannot be written", errno);
}

static kan_status open_file(kan_target *target) {
    char path[64];
#ifdef O_TMPFILE
    target->file = open(target->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, first_mode(target));
    if (target->file >= 0) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", target->file);
        if (access(path, R_OK) == 0)
            return copy_text(target, path, strlen(path), &target->readable);
        (void)close(target->file);
        target->file = -1;
    }
#else
    (void)path;
#endif
    return open_named(target);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* All of the bytes, however the system portions them. 0, or the error's number. */
static int write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t n = write(file, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

static kan_status write_packed(void *context, const char *bytes, size_t size) {
    kan_target *target = context;
    int error = write_all(target->file, bytes, size);
    return error ? fail_errno(target, KAN_FAILED, "cannot be written", error) : KAN_OK;
}

kan_status kan_target_open(kan_run *run, const char *path, bool overwrite,
                           kan_target_readers readers, kan_target **out) {
    kan_target *target;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *target, &target));
    target->run = run;
    target->overwrites = overwrite;
    target->is_private = readers == KAN_TARGET_PRIVATE;
    target->file = -1;
    kan_arena_init(&target->arena, run);
    KAN_TRY_DONE(look_at_path(target, path));
    KAN_TRY_DONE(find_folder(target));
    KAN_TRY_DONE(open_file(target));
    KAN_TRY_DONE(kan_packer_create(run, path, write_packed, target, &target->packer));
    *out = target;
done:
    if (status != KAN_OK)
        kan_target_close(target);
    return status;
}

static kan_status pack(void *context, const char *bytes, size_t size) {
    kan_target *target = context;
    return target->packer ? kan_packer_add(target->packer, bytes, size)
                          : write_packed(target, bytes, size);
}

kan_status kan_target_set_encoding(kan_target *target, const char *encoding) {
    if (!encoding)
        return KAN_OK;
    KAN_TRY(copy_text(target, encoding, strlen(encoding), &target->encoding));
    return kan_transcoder_create(target->run, encoding, pack, target, &target->transcoder);
}

const char *kan_target_encoding(const kan_target *target) {
    return target->encoding;
}

uint64_t kan_target_n_lost(const kan_target *target) {
    return target->transcoder ? kan_transcoder_n_lost(target->transcoder) : 0;
}

kan_status kan_target_write(kan_target *target, const char *bytes, size_t size) {
    return target->transcoder ? kan_transcoder_add(target->transcoder, bytes, size)
                              : pack(target, bytes, size);
}

bool kan_target_has_places(const kan_target *target) {
    return !target->transcoder && !target->packer && kan_run_threads(target->run) > 1 &&
           kan_run_memory_budget(target->run) == 0;
}

kan_status kan_target_take(kan_target *target, size_t size, kan_place *out) {
    if (!target->places) {
        const off_t at = lseek(target->file, 0, SEEK_CUR);
        if (at < 0)
            return fail_errno(target, KAN_FAILED, "cannot be written", errno);
        KAN_TRY(kan_places_open(target->run, target->file, (uint64_t)at, &target->places));
    }
    return kan_places_take(target->places, size, out);
}

kan_status kan_target_fill(kan_target *target, const kan_place *place, const char *bytes) {
    const int error = kan_places_fill(target->places, place, bytes);
    return error ? fail_errno(target, KAN_FAILED, "cannot be written", error) : KAN_OK;
}

/* What is written from here on stands behind the places. */
static kan_status end_places(kan_target *target) {
    const int error = target->places ? kan_places_end(target->places) : 0;
    kan_places_close(target->places);
    target->places = NULL;
    return error ? fail_errno(target, KAN_FAILED, "cannot be written", error) : KAN_OK;
}

kan_status kan_target_finish(kan_target *target) {
    KAN_TRY(end_places(target));
    if (kan_target_n_lost(target) > 0)
        return kan_fail(target->run, KAN_BAD_INPUT,
                        "%s: %llu characters cannot be written in the encoding %s; write UTF-8",
                        target->name, (unsigned long long)kan_target_n_lost(target),
                        target->encoding);
    if (target->transcoder)
        KAN_TRY(kan_transcoder_finish(target->transcoder));
    return target->packer ? kan_packer_finish(target->packer) : KAN_OK;
}

const char *kan_target_path(const kan_target *target) {
    return target->readable;
}

const char *kan_target_name(const kan_target *target) {
    return target->name;
}

/* ---- committing ----------------------------------------------------------------------------- */

/* A reader that has gone shall be an error, not the end of the program: the signal is held back in
 * this thread while we write, and taken off when it was ours. */
static int write_without_signal(int file, const char *bytes, size_t size) {
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    int error = write_all(file, bytes, size);
    if (error == EPIPE && !was_pending) {
        const struct timespec at_once = {0, 0};
        while (sigtimedwait(&pipe_signal, NULL, &at_once) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static kan_status copy_to(kan_target *target, int to) {
    enum { PART = 1 << 20 };
    char *part;
    off_t at = 0;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(target->run, PART, 1, &part));
    for (;;) {
        ssize_t n = pread(target->file, part, PART, at);
        if (n < 0 && errno == EINTR)
            continue;
        target->is_seen |= n > 0;
        int error = n < 0 ? errno : write_without_signal(to, part, (size_t)n);
        if (error) {
            status = fail_errno(target, KAN_FAILED, "cannot be written", error);
            break;
        }
        if (n == 0)
            break;
        at += n;
    }
    kan_free(target->run, part);
    return status;
}

static kan_status commit_copy(kan_target *target) {
    if (!target->path)
        return copy_to(target, STDOUT_FILENO);
    int to = open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (to < 0)
        return fail_errno(target, KAN_FAILED, "cannot be written", errno);
    kan_status status = copy_to(target, to);
    if (close(to) != 0 && status == KAN_OK)
        status = fail_errno(target, KAN_FAILED, "cannot be written", errno);
    return status;
}

/* Gives the file `name`, which must not exist yet. 0, or the error's number. */
static int give_name(const kan_target *target, const char *name) {
    const char *from = target->temporary ? target->temporary : target->readable;
    if (linkat(AT_FDCWD, from, AT_FDCWD, name, target->temporary ? 0 : AT_SYMLINK_FOLLOW) == 0) {
        if (target->temporary)
            (void)unlink(target->temporary);
        return 0;
    }
    /* File systems without hard links know renaming. */
    if (target->temporary && errno != EEXIST)
        return renameat2(AT_FDCWD, from, AT_FDCWD, name, RENAME_NOREPLACE) == 0 ? 0 : errno;
    return errno;
}

/* The file becomes as private, or as public, as the one that it replaces. Where the group cannot be
 * kept, another one gets no more than everybody has. File systems without modes say no to all of
 * this, and their own rules hold. */
static void take_mode(const kan_target *target) {
    struct stat old, now;
    if (stat(target->path, &old) != 0 || !S_ISREG(old.st_mode) || fstat(target->file, &now) != 0)
        return;
    mode_t mode = old.st_mode & 0777;
    const bool is_ours = old.st_uid == now.st_uid && old.st_gid == now.st_gid;
    if (!is_ours && fchown(target->file, old.st_uid, old.st_gid) != 0 &&
        fchown(target->file, (uid_t)-1, old.st_gid) != 0 && old.st_gid != now.st_gid)
        mode &= ~(mode_t)0070 | (mode & 0007) << 3;
    (void)!fchmod(target->file, mode);
}

static kan_status commit_over(kan_target *target) {
    take_mode(target);
    for (unsigned attempt = 0; !target->temporary && attempt < 100; attempt++) {
        const char *name;
        KAN_TRY(name_hidden(target, &name));
        int error = give_name(target, name);
        if (error && error != EEXIST)
            return fail_errno(target, KAN_FAILED, "cannot be named", error);
        if (!error)
            target->temporary = name;
    }
    if (!target->temporary)
        return fail_errno(target, KAN_FAILED, "cannot be named", EEXIST);
    if (rename(target->temporary, target->path) != 0)
        return fail_errno(target, KAN_FAILED, "cannot be replaced", errno);
    target->temporary = NULL;
    return KAN_OK;
}

static kan_status commit_new(kan_target *target) {
    int error = give_name(target, target->path);
    if (error == EEXIST)
        return kan_fail(target->run, KAN_BAD_INPUT,
                        "%s: the file was created in the meantime; choose another name, or "
                        "overwrite it with --force",
                        target->name);
    if (error)
        return fail_errno(target, KAN_FAILED, "cannot be named", error);
    target->temporary = NULL;
    return KAN_OK;
}

/* 0, or the error's number. File systems that cannot do it say EINVAL. */
static int sync_file(int file) {
    while (fsync(file) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    return 0;
}

/* The name, too, shall outlast a power cut. */
static kan_status sync_folder(const kan_target *target) {
    int folder = open(target->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return KAN_OK; /* a folder that can be written but not read: nothing more can be done */
    int error = sync_file(folder);
    (void)close(folder);
    if (error)
        return kan_fail(target->run, KAN_FAILED,
                        "%s: the file was written, but the folder could not be synced: %s; check "
                        "the disk",
                        target->name, strerror(error));
    return KAN_OK;
}

kan_status kan_target_sync(kan_target *target) {
    int error = target->is_copied ? 0 : sync_file(target->file);
    return error ? fail_errno(target, KAN_FAILED, "cannot be written", error) : KAN_OK;
}

kan_status kan_target_commit(kan_target *target) {
    if (target->is_copied)
        return commit_copy(target);
    KAN_TRY(target->overwrites ? commit_over(target) : commit_new(target));
    return sync_folder(target);
}

void kan_target_close(kan_target *target) {
    if (!target)
        return;
    kan_run *run = target->run;
    kan_places_close(target->places);
    kan_transcoder_destroy(target->transcoder);
    kan_packer_destroy(target->packer);
    if (target->file >= 0)
        (void)close(target->file);
    if (target->temporary)
        (void)unlink(target->temporary);
    kan_arena_destroy(&target->arena);
    kan_free(run, target);
}

void kan_target_withdraw(const char *path) {
    struct stat state;
    if (path && strcmp(path, "-") != 0 && stat(path, &state) == 0 && S_ISREG(state.st_mode))
        (void)unlink(path);
}

kan_status kan_target_put(kan_run *run, const char *path, bool overwrite,
                          kan_target_readers readers, const char *bytes, size_t size) {
    kan_target *target = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_target_open(run, path, overwrite, readers, &target));
    KAN_TRY_DONE(kan_target_write(target, bytes, size));
    KAN_TRY_DONE(kan_target_finish(target));
    KAN_TRY_DONE(kan_target_sync(target));
    KAN_TRY_DONE(kan_target_commit(target));
done:
    kan_target_close(target);
    return status;
}

/* Files that appear under their names only when they are complete.
 *
 * The bytes go to DIRECTORY/.kanon-XXXXXXXXXXXX, created exclusively with the user's usual file
 * mode. At the commit every file is synced first; then each gets its name: by a hard link where
 * nothing may be replaced (a link never overwrites, so a file that appeared in the meantime is
 * safe), by a rename where it may. The directories are synced last, so that the names survive a
 * power cut as well. */
#include "generate/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/hash.h"

enum { HIDDEN_NAME_BYTES = 32, NAME_ATTEMPTS = 100 };

/* The failure of a system call, with what the user can do about it. */
static kan_status fail_on(kan_run *run, const char *path, const char *what, int error) {
    kan_status status = KAN_FAILED;
    const char *remedy = "";
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        status = KAN_BAD_INPUT;
        remedy = "; does its directory exist?";
        break;
    case ENAMETOOLONG:
        status = KAN_BAD_INPUT;
        remedy = "; choose a shorter name";
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        remedy = "; choose a place that you may write to";
        break;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        remedy = "; make room, choose another place, or ask for fewer --rows";
        break;
    default:
        break;
    }
    return kan_fail(run, status, "%s: %s: %s%s", path, what, strerror(error), remedy);
}

static kan_status copy_text(kan_run *run, const char *text, char **out) {
    size_t size = strlen(text) + 1;
    KAN_TRY(kan_alloc(run, size, 1, out));
    memcpy(*out, text, size);
    return KAN_OK;
}

/* "dir/name" gives "dir", "/name" gives "/", "name" gives "."; the caller frees it. */
static kan_status directory_of(kan_run *run, const char *path, char **out) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return copy_text(run, ".", out);
    size_t size = slash == path ? 1 : (size_t)(slash - path);
    char *directory;
    KAN_TRY(kan_alloc(run, size + 1, 1, &directory));
    memcpy(directory, path, size);
    directory[size] = '\0';
    *out = directory;
    return KAN_OK;
}

/* Creates the hidden file. open() instead of mkstemp(), which would make it unreadable to others
 * whatever the user's umask says. The name needs to be unused, not unguessable: O_EXCL refuses
 * anything that is there already, a planted symbolic link included. */
static kan_status hidden_create(kan_output *output, const char *directory) {
    kan_run *run = output->run;
    size_t size = strlen(directory) + HIDDEN_NAME_BYTES;
    uint64_t state = kan_hash_word((uint64_t)getpid()) ^ (uint64_t)(kan_now_ms() * 1e6);
    char *hidden;
    KAN_TRY(kan_alloc(run, size, 1, &hidden));
    int fd = -1, error = EEXIST;
    for (int i = 0; i < NAME_ATTEMPTS && fd < 0 && error == EEXIST; i++) {
        snprintf(hidden, size, "%s/.kanon-%012llx", directory,
                 (unsigned long long)(kan_random(&state) >> 16));
        fd = open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = errno;
    }
    if (fd < 0) {
        kan_free(run, hidden);
        return fail_on(run, output->path, "cannot be created", error);
    }
    output->fd = fd;
    output->hidden = hidden;
    return KAN_OK;
}

void kan_outputs_init(kan_outputs *outputs, kan_run *run, bool overwrite) {
    *outputs = (kan_outputs){.run = run, .overwrite = overwrite};
}

/* What stands at the path now: refused, written to as it is (*is_special), or a file that the
 * commit may replace. A symbolic link is followed, so that the commit replaces the file and not the
 * link. */
static kan_status target_inspect(const kan_outputs *outputs, kan_output *output, bool *is_special,
                                 mode_t *old_mode) {
    kan_run *run = outputs->run;
    struct stat at;
    if (lstat(output->path, &at) != 0)
        return errno == ENOENT ? KAN_OK : fail_on(run, output->path, "cannot be created", errno);
    bool is_link = S_ISLNK(at.st_mode);
    if (is_link && stat(output->path, &at) != 0 && errno != ENOENT)
        return fail_on(run, output->path, "cannot be created", errno);
    if (S_ISDIR(at.st_mode))
        return kan_fail(run, KAN_BAD_INPUT, "%s: is a directory; name a file in it", output->path);
    if (!S_ISREG(at.st_mode) && !S_ISLNK(at.st_mode)) {
        *is_special = true;
        return KAN_OK;
    }
    if (!outputs->overwrite)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: already exists; choose another name, or overwrite it with --force",
                        output->path);
    *old_mode = at.st_mode & 0777;
    char resolved[PATH_MAX];
    if (is_link && S_ISREG(at.st_mode) && realpath(output->path, resolved)) {
        char *path;
        KAN_TRY(copy_text(run, resolved, &path));
        kan_free(run, output->path);
        output->path = path;
    }
    return KAN_OK;
}

/* Notes the identity of the directory, and refuses a target that the set writes already. */
static kan_status target_check_unique(kan_outputs *outputs, kan_output *output,
                                      const char *directory) {
    struct stat at;
    if (stat(directory, &at) != 0)
        return fail_on(outputs->run, output->path, "cannot be created", errno);
    output->directory_device = at.st_dev;
    output->directory_inode = at.st_ino;
    for (size_t i = 0; i < outputs->n; i++) {
        const kan_output *other = &outputs->files[i];
        if (other->hidden && other->directory_device == at.st_dev &&
            other->directory_inode == at.st_ino && strcmp(other->base, output->base) == 0)
            return kan_fail(outputs->run, KAN_BAD_INPUT,
                            "%s: the table and a hierarchy would have the same name; "
                            "choose another name or another directory for one of them",
                            output->path);
    }
    return KAN_OK;
}

static kan_status target_open(kan_outputs *outputs, kan_output *output) {
    kan_run *run = outputs->run;
    bool is_special = false;
    mode_t old_mode = 0;
    KAN_TRY(target_inspect(outputs, output, &is_special, &old_mode));
    if (is_special) {
        output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
        return output->fd >= 0 ? KAN_OK : fail_on(run, output->path, "cannot be opened", errno);
    }
    const char *slash = strrchr(output->path, '/');
    output->base = slash ? slash + 1 : output->path;
    if (*output->base == '\0')
        return kan_fail(run, KAN_BAD_INPUT, "'%s': is not the name of a file; name one",
                        output->path);
    char *directory;
    KAN_TRY(directory_of(run, output->path, &directory));
    kan_status status = target_check_unique(outputs, output, directory);
    if (status == KAN_OK)
        status = hidden_create(output, directory);
    kan_free(run, directory);
    /* A file that is replaced stays as private, or as public, as it was; where the file system
     * cannot say so, the user's usual mode has to do. */
    if (status == KAN_OK && old_mode != 0 && fchmod(output->fd, old_mode) != 0)
        errno = 0;
    return status;
}

static void output_release(kan_output *output) {
    if (output->fd >= 0 && !output->is_standard)
        close(output->fd);
    if (output->hidden && !output->is_published)
        unlink(output->hidden);
    kan_free(output->run, output->hidden);
    kan_free(output->run, output->path);
}

kan_status kan_outputs_open(kan_outputs *outputs, const char *path, kan_output **out) {
    kan_run *run = outputs->run;
    if (outputs->n == KAN_OUTPUTS_MAX)
        return kan_fail(run, KAN_FAILED, "%s: more than %d files at a time", path, KAN_OUTPUTS_MAX);
    bool is_standard = strcmp(path, "-") == 0;
    kan_output *output = &outputs->files[outputs->n];
    *output = (kan_output){.run = run, .fd = -1, .is_standard = is_standard};
    KAN_TRY(copy_text(run, is_standard ? "standard output" : path, &output->path));
    kan_status status = KAN_OK;
    if (is_standard)
        output->fd = STDOUT_FILENO;
    else
        status = target_open(outputs, output);
    if (status != KAN_OK) {
        output_release(output);
        return status;
    }
    outputs->n++;
    *out = output;
    return KAN_OK;
}

kan_status kan_outputs_add(kan_outputs *outputs, const char *directory, const char *name,
                           const kan_text *content) {
    kan_output *output;
    kan_text path;
    kan_status status;
    kan_text_init(&path, outputs->run);
    kan_text_print(&path, "%s/%s.csv", directory, name);
    KAN_TRY_DONE(kan_text_status(&path));
    KAN_TRY_DONE(kan_text_status(content));
    KAN_TRY_DONE(kan_outputs_open(outputs, path.bytes, &output));
    status = kan_output_write(output, content->bytes, content->size);
done:
    kan_text_destroy(&path);
    return status;
}

kan_status kan_output_write(kan_output *output, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(output->fd, bytes, size);
        if (written < 0) {
            if (errno != EINTR)
                return fail_on(output->run, output->path, "cannot be written", errno);
            /* Ctrl-C interrupts a write to a pipe that nobody reads. */
            KAN_TRY(kan_check_cancel(output->run));
            continue;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return KAN_OK;
}

/* After this the bytes are where they have to be, under whatever name. */
static kan_status output_finish(kan_output *output) {
    if (output->is_standard)
        return KAN_OK;
    int fd = output->fd;
    int synced = 0;
    do
        synced = output->hidden ? fsync(fd) : 0;
    while (synced != 0 && errno == EINTR);
    if (synced != 0)
        return fail_on(output->run, output->path, "cannot be written", errno);
    output->fd = -1;
    if (close(fd) != 0 && errno != EINTR)
        return fail_on(output->run, output->path, "cannot be written", errno);
    return KAN_OK;
}

static kan_status output_publish(kan_output *output, bool overwrite) {
    bool is_done = false;
    if (!overwrite) {
        is_done = link(output->hidden, output->path) == 0;
        if (is_done)
            unlink(output->hidden);
        else if (errno == EEXIST)
            return kan_fail(output->run, KAN_BAD_INPUT,
                            "%s: appeared while the data was being generated; choose another name, "
                            "or overwrite it with --force",
                            output->path);
        else if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
            return fail_on(output->run, output->path, "cannot be named", errno);
        /* Otherwise the file system has no hard links; nothing stood there when we opened. */
    }
    if (!is_done && rename(output->hidden, output->path) != 0)
        return fail_on(output->run, output->path, "cannot be named", errno);
    output->is_published = true;
    return KAN_OK;
}

/* The name itself must reach the disk. Not every file system can sync a directory, and the file is
 * complete either way, so a refusal is not a failure. */
static void directory_sync(const kan_output *output) {
    char *directory;
    if (directory_of(output->run, output->path, &directory) != KAN_OK)
        return;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        if (fsync(fd) != 0)
            errno = 0;
        close(fd);
    }
    kan_free(output->run, directory);
}

kan_status kan_outputs_commit(kan_outputs *outputs) {
    KAN_TRY(kan_check_cancel(outputs->run));
    for (size_t i = 0; i < outputs->n; i++)
        KAN_TRY(output_finish(&outputs->files[i]));
    for (size_t i = 0; i < outputs->n; i++) {
        kan_output *output = &outputs->files[i];
        if (!output->hidden)
            continue;
        kan_status status = output_publish(output, outputs->overwrite);
        if (status != KAN_OK) {
            for (size_t j = 0; j < i && !outputs->overwrite; j++)
                if (outputs->files[j].is_published)
                    unlink(outputs->files[j].path);
            return status;
        }
    }
    for (size_t i = 0; i < outputs->n; i++) {
        const kan_output *output = &outputs->files[i], *last = i > 0 ? output - 1 : NULL;
        bool is_synced = last && last->directory_inode == output->directory_inode &&
                         last->directory_device == output->directory_device;
        if (output->hidden && !is_synced)
            directory_sync(output);
    }
    return KAN_OK;
}

void kan_outputs_close(kan_outputs *outputs) {
    for (size_t i = 0; i < outputs->n; i++)
        output_release(&outputs->files[i]);
    outputs->n = 0;
}

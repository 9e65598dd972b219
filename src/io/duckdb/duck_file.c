/* Opening the file. */
#include "io/duckdb/duck_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/spill.h"
#include "io/streams/streams.h"

static kan_status fail_errno(const kan_duck_file *file, int error) {
    const bool is_hers = error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
                         error == ENAMETOOLONG || error == ELOOP || error == ENXIO;
    return kan_fail(file->run, is_hers ? KAN_BAD_INPUT : KAN_FAILED, "%s: cannot be read: %s; %s",
                    file->name, strerror(error),
                    error == ENOENT || error == ENOTDIR ? "check the path"
                    : error == EACCES || error == EPERM ? "check its permissions"
                                                        : "check the file and its disk");
}

static kan_status write_all(kan_duck_file *file, int to, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t n = write(to, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return kan_spill_fail(file->run, file->spooled, errno);
        bytes += n;
        size -= (size_t)n;
        file->spooled += (uint64_t)n;
        kan_spill_count(file->run, (uint64_t)n);
    }
    return KAN_OK;
}

/* All that comes from `file` goes to `to`. */
static kan_status copy_pipe(kan_duck_file *file, int to) {
    enum { PART = 1 << 16 };
    kan_spool limit; /* how much may come */
    char *part;
    kan_status status = KAN_OK;
    kan_spool_init(&limit, file->run, file->name, 0);
    kan_spool_set_limit(&limit);
    KAN_TRY(kan_alloc(file->run, PART, 1, &part));
    while (status == KAN_OK) {
        const ssize_t n = read(file->file, part, PART);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            status = fail_errno(file, errno);
        else if (n > 0 && file->spooled + (uint64_t)n > limit.limit)
            status = kan_fail(file->run, KAN_FAILED,
                              "%s: more data came than temporary files may hold; save it to a "
                              "file, and name that",
                              file->name);
        else if (n > 0)
            status = write_all(file, to, part, (size_t)n);
        if (status == KAN_OK)
            status = kan_check_cancel(file->run);
    }
    kan_free(file->run, part);
    kan_spool_destroy(&limit);
    return status;
}

static kan_status take_pipe(kan_duck_file *file) {
    int to = -1;
    KAN_TRY(kan_spill_file(file->run, &to));
    const kan_status status = copy_pipe(file, to);
    if (file->file != STDIN_FILENO)
        (void)close(file->file);
    file->file = to;
    return status;
}

static kan_status look_at(kan_duck_file *file) {
    if (fstat(file->file, &file->state) != 0)
        return fail_errno(file, errno);
    if (S_ISDIR(file->state.st_mode))
        return kan_fail(file->run, KAN_BAD_INPUT,
                        "%s: this is a directory; name a file inside it, or for a folder of "
                        "Parquet files use --engine duckdb",
                        file->name);
    if (!S_ISREG(file->state.st_mode) || file->file == STDIN_FILENO) {
        KAN_TRY(take_pipe(file));
        if (fstat(file->file, &file->state) != 0)
            return fail_errno(file, errno);
    }
    if (file->state.st_size == 0)
        return kan_fail(file->run, KAN_BAD_INPUT,
                        "%s: the file is empty; was it written completely?", file->name);
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->file);
    if (access(file->path, R_OK) != 0)
        return kan_fail(file->run, KAN_FAILED,
                        "%s: cannot be handed to DuckDB without /proc; mount it, or convert the "
                        "table to CSV",
                        file->name);
    return KAN_OK;
}

kan_status kan_duck_file_open(kan_run *run, const char *path, const char *name,
                              kan_duck_file *out) {
    *out = (kan_duck_file){.run = run, .name = name};
    out->file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (out->file < 0)
        return fail_errno(out, errno);
    const kan_status status = look_at(out);
    if (status != KAN_OK)
        kan_duck_file_close(out);
    return status;
}

void kan_duck_file_close(kan_duck_file *file) {
    if (file->file > STDIN_FILENO)
        (void)close(file->file);
    kan_spill_uncount(file->run, file->spooled);
    file->file = -1;
    file->spooled = 0;
}

ssize_t kan_duck_file_look(const kan_duck_file *file, uint64_t at, char *out, size_t size) {
    size_t n = 0;
    while (n < size) {
        const ssize_t more = pread(file->file, out + n, size - n, (off_t)(at + n));
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        n += (size_t)more;
    }
    return (ssize_t)n;
}

kan_status kan_duck_file_check(const kan_duck_file *file) {
    struct stat now;
    if (fstat(file->file, &now) != 0)
        return fail_errno(file, errno);
    if (now.st_size != file->state.st_size || now.st_mtim.tv_sec != file->state.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != file->state.st_mtim.tv_nsec)
        return kan_fail(
            file->run, KAN_FAILED,
            "%s: the file was changed while it was read; try again when nothing writes to it",
            file->name);
    return KAN_OK;
}

/* Writing a small text file safely: beside its target, then under its name when it is whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static bool write_all(int file, const char *text, size_t size) {
    while (size > 0) {
        ssize_t n = write(file, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        text += n;
        size -= (size_t)n;
    }
    return true;
}

/* What is replaced keeps its mode, and its owner where that is possible; a result is otherwise for
 * its owner alone, as mkstemp makes it. */
static void take_mode(int file, const char *path) {
    struct stat old, now;
    if (stat(path, &old) != 0 || !S_ISREG(old.st_mode) || fstat(file, &now) != 0)
        return;
    mode_t mode = old.st_mode & 0777;
    const bool is_ours = old.st_uid == now.st_uid && old.st_gid == now.st_gid;
    if (!is_ours && fchown(file, old.st_uid, old.st_gid) != 0 &&
        fchown(file, (uid_t)-1, old.st_gid) != 0 && old.st_gid != now.st_gid)
        mode &= ~(mode_t)0070 | (mode & 0007) << 3; /* another group gets what everybody has */
    (void)!fchmod(file, mode);
}

/* Gives the finished file its name. A link fails where the name is taken, a rename replaces it. */
static bool give_name(const char *beside, const char *path, bool overwrite) {
    if (overwrite)
        return rename(beside, path) == 0;
    if (link(beside, path) == 0) {
        unlink(beside);
        return true;
    }
    /* Some file systems have no links; the name was free when the work began. */
    if (errno == EEXIST || access(path, F_OK) == 0) {
        errno = EEXIST;
        return false;
    }
    return rename(beside, path) == 0;
}

static const char *remedy(int error) {
    return error == ENOSPC || error == EDQUOT || error == EFBIG ? "make room, or write it elsewhere"
           : error == EACCES || error == EPERM || error == EROFS
               ? "check the folder's permissions, or write it elsewhere"
           : error == EEXIST ? "choose another name, or overwrite it with --force"
                             : "write it elsewhere";
}

static bool fill_file(int file, const char *beside, const char *path, const char *text,
                      bool overwrite) {
    if (overwrite)
        take_mode(file, path);
    bool is_written = write_all(file, text, strlen(text)) && fsync(file) == 0;
    int error = errno;
    is_written = close(file) == 0 && is_written;
    errno = is_written ? 0 : error;
    is_written = is_written && give_name(beside, path, overwrite);
    error = errno;
    if (!is_written)
        unlink(beside);
    errno = error;
    return is_written;
}

static kan_status write_file(const char *name, const char *text, bool overwrite) {
    char *behind = realpath(name, NULL); /* a link stays, the file behind it is replaced */
    const char *path = behind ? behind : name;
    size_t size = strlen(path) + 16;
    char *beside = malloc(size);
    if (!beside) {
        free(behind);
        cli_error("%s: out of memory", name);
        return KAN_FAILED;
    }
    snprintf(beside, size, "%s.XXXXXX", path);
    int file = mkstemp(beside);
    bool is_written = file >= 0 && fill_file(file, beside, path, text, overwrite);
    if (!is_written)
        cli_error("%s: cannot be written: %s; all else was done, only the JSON result is missing: "
                  "%s",
                  name, strerror(errno), remedy(errno));
    free(beside);
    free(behind);
    return is_written ? KAN_OK : KAN_FAILED;
}

kan_status cli_write_text(const char *path, const char *text, bool overwrite) {
    if (strcmp(path, "-") != 0)
        return write_file(path, text, overwrite);
    fputs(text, stdout);
    return KAN_OK; /* cli_finish tells whether it arrived */
}

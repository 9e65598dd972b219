#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a part of a path is a name that stays where it is. */
static bool is_name(const char *part, size_t size) {
    if (size == 0 || size > 255 || (size == 1 && part[0] == '.') ||
        (size == 2 && part[0] == '.' && part[1] == '.'))
        return false;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)part[i] < 0x20)
            return false;
    return true;
}

bool sv_below(const char *folder, const char *relative, sv_text *out) {
    const size_t began = out->size;
    sv_raw(out, folder);
    for (const char *at = relative;;) {
        const size_t size = strcspn(at, "/");
        struct stat seen;
        if (!is_name(at, size))
            break;
        sv_raw(out, "/");
        sv_bytes(out, at, size);
        if (out->failed || (lstat(out->bytes + began, &seen) == 0 && S_ISLNK(seen.st_mode)))
            break;
        if (!at[size])
            return true;
        at += size + 1;
    }
    if (out->bytes) {
        out->size = began;
        out->bytes[began] = '\0';
    }
    return false;
}

char *sv_file_read(const char *path, size_t most, size_t *size) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat seen;
    char *bytes = NULL;
    if (file < 0)
        return NULL;
    if (fstat(file, &seen) == 0 && S_ISREG(seen.st_mode) && (size_t)seen.st_size <= most)
        bytes = malloc((size_t)seen.st_size + 1);
    size_t n = 0;
    while (bytes && n < (size_t)seen.st_size) {
        const ssize_t got = read(file, bytes + n, (size_t)seen.st_size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(file);
    if (bytes)
        bytes[n] = '\0';
    if (size)
        *size = bytes ? n : 0;
    return bytes;
}

static bool write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t n = write(file, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

void sv_folder_sync(const char *path) {
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    (void)fsync(folder); /* not every file system can; the rename stands either way */
    close(folder);
}

bool sv_file_write(const char *path, const char *bytes, size_t size) {
    sv_text beside = {0};
    const char *slash = strrchr(path, '/');
    sv_bytes(&beside, path, slash ? (size_t)(slash - path) + 1 : 0);
    sv_raw(&beside, ".part-XXXXXX");
    if (beside.failed) {
        sv_text_free(&beside);
        return false;
    }
    const int file = mkostemp(beside.bytes, O_CLOEXEC);
    bool is_good = file >= 0 && write_all(file, bytes, size) && fsync(file) == 0;
    if (file >= 0 && close(file) != 0)
        is_good = false;
    is_good = is_good && rename(beside.bytes, path) == 0;
    if (!is_good && file >= 0)
        (void)unlink(beside.bytes);
    if (is_good && slash) {
        beside.bytes[slash - path] = '\0';
        sv_folder_sync(beside.bytes);
    }
    sv_text_free(&beside);
    return is_good;
}

bool sv_file_copy(const char *from, const char *to) {
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    const int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool is_good = out >= 0;
    char *room = malloc(1 << 20);
    is_good = is_good && room;
    while (is_good) {
        const ssize_t n = read(in, room, 1 << 20);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            is_good = n == 0;
            break;
        }
        is_good = write_all(out, room, (size_t)n);
    }
    free(room);
    is_good = is_good && fsync(out) == 0;
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0)
        is_good = false;
    if (!is_good && out >= 0)
        (void)unlink(to);
    return is_good;
}

static bool remove_all(int parent, const char *name) {
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return true;
    if (errno != EISDIR && errno != EPERM)
        return false;
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);
    if (!list) {
        if (folder >= 0)
            close(folder);
        return false;
    }
    bool is_good = true;
    for (struct dirent *entry; is_good && (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            is_good = remove_all(folder, entry->d_name);
    closedir(list);
    return is_good && unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

bool sv_folder_remove(const char *path) {
    return remove_all(AT_FDCWD, path);
}

bool sv_folder_make(const char *path) {
    struct stat seen;
    if (mkdir(path, 0700) == 0)
        return true;
    return errno == EEXIST && lstat(path, &seen) == 0 && S_ISDIR(seen.st_mode);
}

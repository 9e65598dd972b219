/* The file of a ledger: for its owner alone, locked while it is written, replaced as a whole.
 *
 * The lock is on the file itself, and not on one beside it, so that nothing stays behind. Since the
 * file is replaced, the next one is locked before it gets its name, and who gets a lock looks
 * whether the name still leads to what it locked. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/spill.h"
#include "ledger/ledger_inside.h"

static kan_status fail_errno(const kan_ledger *ledger, const char *what, int error) {
    const bool is_hers = error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
                         error == EISDIR || error == ENAMETOOLONG || error == ELOOP ||
                         error == EROFS;
    return kan_fail(ledger->run, is_hers ? KAN_BAD_INPUT : KAN_FAILED, "%s: the ledger %s: %s; %s",
                    ledger->name, what, strerror(error),
                    error == ENOENT && ledger->use != KAN_LEDGER_WRITE
                        ? "kanon anonymize --ledger makes one; check the path"
                    : is_hers ? "check the path and its permissions"
                              : "check the disk");
}

/* ---- which file ----------------------------------------------------------------------------- */

static kan_status check_file(const kan_ledger *ledger, const struct stat *info) {
    if (!S_ISREG(info->st_mode))
        return kan_fail(ledger->run, KAN_BAD_INPUT,
                        "%s: a ledger is a plain file, and this is not one; name another",
                        ledger->name);
    if ((info->st_mode & 077) == 0)
        return KAN_OK;
    /* It is not repaired in silence: its owner has to know that others had it. */
    return kan_fail(ledger->run, KAN_BAD_INPUT,
                    "%s: others may read or write this ledger (mode %04o), which says who was in a "
                    "group with whom; find out who did, and protect it with chmod 600",
                    ledger->name, (unsigned)info->st_mode & 07777);
}

/* Whether the name leads to the file that is open. */
static bool is_named(const kan_ledger *ledger, const struct stat *info) {
    struct stat now;
    return stat(ledger->name, &now) == 0 && now.st_dev == info->st_dev &&
           now.st_ino == info->st_ino;
}

static kan_status fail_locked(const kan_ledger *ledger) {
    return kan_fail(ledger->run, KAN_FAILED,
                    "%s: another run of kanon is at work with this ledger; start again when it has "
                    "ended",
                    ledger->name);
}

/* 0, or the error's number. */
static int lock(int file) {
    while (flock(file, LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

bool kan_ledger_file_is_locked(const kan_ledger *ledger) {
    if (ledger->use != KAN_LEDGER_READ) /* by us */
        return false;
    const bool is_locked = flock(ledger->file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    (void)flock(ledger->file, LOCK_UN);
    return is_locked;
}

static kan_status make_file(kan_ledger *ledger) {
    const kan_ledger_content none = {.run = ledger->run, .next_number = 1};
    const kan_ledger_change change = {.from = &none, .column = "", .left_out = SIZE_MAX};
    uint8_t *bytes;
    size_t size;
    KAN_TRY(kan_ledger_make_bytes(ledger->run, &ledger->keys, &change, &bytes, &size));
    const kan_status status = kan_target_put(ledger->run, ledger->name, false, KAN_TARGET_PRIVATE,
                                             (const char *)bytes, size);
    kan_free(ledger->run, bytes);
    ledger->is_made = status == KAN_OK;
    return status == KAN_OK || access(ledger->name, F_OK) != 0 ? status : KAN_OK; /* another's */
}

/* *is_open is false where somebody replaced the file in the meantime: once more. */
static kan_status try_open(kan_ledger *ledger, struct stat *info, bool *is_open) {
    const bool writes = ledger->use != KAN_LEDGER_READ;
    ledger->file =
        open(ledger->name, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (ledger->file < 0 && errno == ENOENT && ledger->use == KAN_LEDGER_WRITE)
        return make_file(ledger);
    if (ledger->file < 0)
        return fail_errno(ledger, "cannot be opened", errno);
    if (fstat(ledger->file, info) != 0)
        return fail_errno(ledger, "cannot be read", errno);
    KAN_TRY(check_file(ledger, info));
    const int error = writes ? lock(ledger->file) : 0;
    if (error == EWOULDBLOCK)
        return fail_locked(ledger);
    if (error)
        return fail_errno(ledger, "cannot be locked", error);
    *is_open = !writes || is_named(ledger, info);
    if (!*is_open)
        kan_ledger_file_close(ledger);
    return KAN_OK;
}

static kan_status read_all(const kan_ledger *ledger, uint8_t *bytes, size_t size, size_t *out) {
    size_t n = 0;
    while (n < size) {
        const ssize_t got = pread(ledger->file, bytes + n, size - n, (off_t)n);
        KAN_TRY(kan_check_cancel(ledger->run));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(ledger, "cannot be read", errno);
        if (got == 0)
            break;
        n += (size_t)got;
    }
    *out = n;
    return KAN_OK;
}

static kan_status check_name(const kan_ledger *ledger) {
    const char *dot = strrchr(ledger->name, '.');
    if (strcmp(ledger->name, "-") == 0)
        return kan_fail(
            ledger->run, KAN_BAD_INPUT,
            "a ledger is a file that the next release adds to, and - is none; name one");
    if (dot && (strcmp(dot, ".gz") == 0 || strcmp(dot, ".zst") == 0))
        return kan_fail(ledger->run, KAN_BAD_INPUT,
                        "%s: a ledger is not compressed; choose a name without %s", ledger->name,
                        dot);
    return KAN_OK;
}

kan_status kan_ledger_file_open(kan_ledger *ledger, uint8_t **bytes, size_t *size) {
    struct stat info;
    bool is_open = false;
    KAN_TRY(check_name(ledger));
    for (unsigned attempt = 0; !is_open; attempt++) {
        if (attempt == 100)
            return fail_locked(ledger);
        KAN_TRY(try_open(ledger, &info, &is_open));
    }
    uint8_t *read;
    KAN_TRY(kan_spill_alloc(ledger->run, (size_t)info.st_size, 1, &read));
    const kan_status status = read_all(ledger, read, (size_t)info.st_size, size);
    if (status != KAN_OK)
        kan_free(ledger->run, read);
    else
        *bytes = read;
    return status;
}

void kan_ledger_file_close(kan_ledger *ledger) {
    if (ledger->file >= 0)
        (void)close(ledger->file);
    ledger->file = -1;
}

/* ---- writing -------------------------------------------------------------------------------- */

kan_status kan_ledger_file_replace(kan_ledger *ledger, const uint8_t *bytes, size_t size,
                                   bool is_sealed, bool *is_replaced) {
    kan_target *target = NULL;
    kan_status status;
    uint8_t seal[KAN_LEDGER_SUM];
    struct stat info;
    int next = -1;
    *is_replaced = false;
    KAN_TRY_DONE(kan_target_open(ledger->run, ledger->name, true, KAN_TARGET_PRIVATE, &target));
    KAN_TRY_DONE(kan_target_write(target, (const char *)bytes, size));
    if (is_sealed) {
        kan_ledger_seal(&ledger->keys, bytes + size - KAN_LEDGER_SUM, seal);
        KAN_TRY_DONE(kan_target_write(target, (const char *)seal, sizeof seal));
    }
    KAN_TRY_DONE(kan_target_finish(target));
    KAN_TRY_DONE(kan_target_sync(target));
    next = open(kan_target_path(target), O_RDWR | O_CLOEXEC);
    const int error = next < 0 ? errno : lock(next);
    if (error) {
        status = fail_errno(ledger, "cannot be locked", error);
        goto done;
    }
    status = kan_target_commit(target);
    /* A folder that cannot be synced is a failure after the name was given. */
    if (fstat(next, &info) == 0 && is_named(ledger, &info)) {
        kan_ledger_file_close(ledger);
        ledger->file = next;
        next = -1;
        *is_replaced = true;
    }
done:
    if (next >= 0)
        (void)close(next);
    kan_target_close(target);
    return status;
}

int kan_ledger_file_seal(const kan_ledger *ledger, size_t size, const uint8_t sum[KAN_LEDGER_SUM]) {
    uint8_t seal[KAN_LEDGER_SUM];
    kan_ledger_seal(&ledger->keys, sum, seal);
    for (size_t n = 0; n < sizeof seal;) {
        const ssize_t put = pwrite(ledger->file, seal + n, sizeof seal - n, (off_t)(size + n));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? errno : EIO;
        n += (size_t)put;
    }
    while (fsync(ledger->file) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    return 0;
}

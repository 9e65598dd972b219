/* SHA-256 of files, by nettle. */
#include "report/report_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/version.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"

enum { READ_BYTES = 1 << 18 };

void kan_hash_begin(kan_hash *hash) {
    sha256_init(&hash->state);
    hash->n_bytes = 0;
}

void kan_hash_add(kan_hash *hash, const void *bytes, size_t size) {
    sha256_update(&hash->state, size, bytes);
    hash->n_bytes += size;
}

void kan_hash_end(kan_hash *hash, char text[KAN_HASH_TEXT]) {
    uint8_t digest[SHA256_DIGEST_SIZE];
#if NETTLE_VERSION_MAJOR >= 4
    sha256_digest(&hash->state, digest);
#else
    sha256_digest(&hash->state, sizeof digest, digest);
#endif
    for (unsigned i = 0; i < SHA256_DIGEST_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

/* ---- files ---------------------------------------------------------------------------------- */

static kan_status unreadable(kan_run *run, const char *path) {
    return kan_fail(run, KAN_FAILED, "%s: %s; its SHA-256 for the report could not be computed",
                    path, strerror(errno));
}

static kan_status hash_bytes(kan_run *run, int file, const char *path, char *room, kan_hash *hash) {
    for (;;) {
        const ssize_t n = read(file, room, READ_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return unreadable(run, path);
        if (n == 0)
            return KAN_OK;
        kan_hash_add(hash, room, (size_t)n);
        KAN_TRY(kan_check_cancel(run));
    }
}

kan_status kan_hash_file(kan_run *run, const char *path, char text[KAN_HASH_TEXT],
                         uint64_t *n_bytes) {
    kan_hash hash;
    char *room;
    KAN_TRY(kan_alloc(run, READ_BYTES, 1, &room));
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    kan_hash_begin(&hash);
    const kan_status status =
        file < 0 ? unreadable(run, path) : hash_bytes(run, file, path, room, &hash);
    if (status == KAN_OK) {
        *n_bytes = hash.n_bytes;
        kan_hash_end(&hash, text);
    }
    if (file >= 0)
        close(file);
    kan_free(run, room);
    return status;
}

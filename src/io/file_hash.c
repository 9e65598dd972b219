/* SHA-256 of files, keyed and not, by nettle. */
#include "io/file_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/version.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/secret.h"

enum { READ_BYTES = 1 << 18 };

void kan_hash_begin(kan_hash *hash) {
    sha256_init(&hash->state);
    hash->n_bytes = 0;
}

void kan_hash_add(kan_hash *hash, const void *bytes, size_t size) {
    sha256_update(&hash->state, size, bytes);
    hash->n_bytes += size;
}

static void write_digest(const uint8_t digest[SHA256_DIGEST_SIZE], char text[KAN_HASH_TEXT]) {
    for (size_t i = 0; i < SHA256_DIGEST_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

void kan_hash_end(kan_hash *hash, char text[KAN_HASH_TEXT]) {
    uint8_t digest[SHA256_DIGEST_SIZE];
#if NETTLE_VERSION_MAJOR >= 4
    sha256_digest(&hash->state, digest);
#else
    sha256_digest(&hash->state, sizeof digest, digest);
#endif
    write_digest(digest, text);
}

/* ---- files ---------------------------------------------------------------------------------- */

static kan_status unreadable(kan_run *run, const char *path) {
    return kan_fail(run, KAN_FAILED, "%s: %s; its SHA-256 for the report could not be computed",
                    path, strerror(errno));
}

/* Who takes the bytes of a file. */
typedef void (*take_fn)(void *context, const char *bytes, size_t size);

static kan_status read_bytes(kan_run *run, int file, const char *path, char *room, take_fn take,
                             void *context) {
    for (;;) {
        const ssize_t n = read(file, room, READ_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return unreadable(run, path);
        if (n == 0)
            return KAN_OK;
        take(context, room, (size_t)n);
        KAN_TRY(kan_check_cancel(run));
    }
}

static kan_status read_file(kan_run *run, const char *path, take_fn take, void *context) {
    char *room;
    KAN_TRY(kan_alloc(run, READ_BYTES, 1, &room));
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const kan_status status =
        file < 0 ? unreadable(run, path) : read_bytes(run, file, path, room, take, context);
    if (file >= 0)
        close(file);
    kan_free(run, room);
    return status;
}

static void take_plain(void *context, const char *bytes, size_t size) {
    kan_hash_add(context, bytes, size);
}

kan_status kan_hash_file(kan_run *run, const char *path, char text[KAN_HASH_TEXT],
                         uint64_t *n_bytes) {
    kan_hash hash;
    kan_hash_begin(&hash);
    KAN_TRY(read_file(run, path, take_plain, &hash));
    *n_bytes = hash.n_bytes;
    kan_hash_end(&hash, text);
    return KAN_OK;
}

/* ---- keyed ---------------------------------------------------------------------------------- */

static void take_keyed(void *context, const char *bytes, size_t size) {
    hmac_sha256_update(context, size, (const uint8_t *)bytes);
}

kan_status kan_hash_file_keyed(kan_run *run, const char *path, const char *key_path,
                               char text[KAN_HASH_TEXT]) {
    struct hmac_sha256_ctx hmac;
    uint8_t *key, digest[SHA256_DIGEST_SIZE];
    size_t size;
    KAN_TRY(kan_secret_read_key(run, key_path, false, &key, &size));
    hmac_sha256_set_key(&hmac, size, key);
    explicit_bzero(key, size);
    kan_free(run, key);
    const kan_status status = read_file(run, path, take_keyed, &hmac);
#if NETTLE_VERSION_MAJOR >= 4
    hmac_sha256_digest(&hmac, digest);
#else
    hmac_sha256_digest(&hmac, sizeof digest, digest);
#endif
    explicit_bzero(&hmac, sizeof hmac);
    write_digest(digest, text);
    return status;
}

kan_status kan_hash_check_key(kan_run *run, const char *key_path) {
    uint8_t *key;
    size_t size;
    KAN_TRY(kan_secret_read_key(run, key_path, true, &key, &size));
    explicit_bzero(key, size);
    kan_free(run, key);
    return KAN_OK;
}

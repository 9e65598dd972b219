/* Secret numbers: ChaCha by nettle, keyed by getrandom, or by HMAC-SHA-256 over a purpose with the
 * bytes of a file as its key. Whatever held key material is wiped. */
#include "core/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/hmac.h>
#include <nettle/version.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"

static void stream_begin(kan_secret *secret, const uint8_t key[CHACHA_KEY_SIZE]) {
    /* Every key is used for one stream. */
    static const uint8_t nonce[CHACHA_NONCE_SIZE];
    chacha_set_key(&secret->stream, key);
    chacha_set_nonce(&secret->stream, nonce);
    secret->used = sizeof secret->block;
}

kan_status kan_secret_draw(kan_run *run, kan_secret *out) {
    uint8_t key[CHACHA_KEY_SIZE];
    for (size_t n = 0; n < sizeof key;) {
        const ssize_t got = getrandom(key + n, sizeof key - n, 0);
        if (got < 0 && errno == EINTR) {
            KAN_TRY(kan_check_cancel(run));
            continue;
        }
        if (got <= 0)
            return kan_fail(run, KAN_FAILED,
                            "the system provides no random numbers: %s; without them nothing "
                            "unguessable can be made",
                            strerror(got < 0 ? errno : EIO));
        n += (size_t)got;
    }
    stream_begin(out, key);
    explicit_bzero(key, sizeof key);
    return KAN_OK;
}

/* ---- a key in a file ------------------------------------------------------------------------ */

/* What the user named wrongly is hers to correct; a broken disk is not. */
static kan_status fail_key(kan_run *run, const char *path, int error) {
    const bool is_hers = error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
                         error == EISDIR || error == ENAMETOOLONG || error == ELOOP;
    return kan_fail(run, is_hers ? KAN_BAD_INPUT : KAN_FAILED, "%s: the key cannot be read: %s; %s",
                    path, strerror(error),
                    is_hers ? "check the path and its permissions" : "check the file and its disk");
}

/* Reads at most `room` bytes. */
static kan_status read_bytes(kan_run *run, int file, const char *path, uint8_t *bytes, size_t room,
                             size_t *out) {
    size_t size = 0;
    while (size < room) {
        const ssize_t n = read(file, bytes + size, room - size);
        KAN_TRY(kan_check_cancel(run));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_key(run, path, errno);
        if (n == 0)
            break;
        size += (size_t)n;
    }
    *out = size;
    return KAN_OK;
}

static kan_status check_key(kan_run *run, int file, const char *path, bool tells, size_t size) {
    struct stat info;
    if (size < KAN_SECRET_LEAST_KEY)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: a key needs at least %d bytes that nobody can guess, this has %zu; "
                        "make one with: head -c 32 /dev/urandom > FILE",
                        path, KAN_SECRET_LEAST_KEY, size);
    if (size > KAN_SECRET_MOST_KEY)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: this is too large for a key (more than 1 MiB); make one with: head -c "
                        "32 /dev/urandom > FILE",
                        path);
    if (tells && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & S_IROTH))
        kan_note(run, "%s: everybody on this machine can read this key; protect it with chmod 600",
                 path);
    return KAN_OK;
}

static void derive(const uint8_t *bytes, size_t size, const char *purpose, kan_secret *out) {
    struct hmac_sha256_ctx hmac;
    uint8_t key[SHA256_DIGEST_SIZE];
    _Static_assert(SHA256_DIGEST_SIZE == CHACHA_KEY_SIZE, "a digest is a key");
    hmac_sha256_set_key(&hmac, size, bytes);
    hmac_sha256_update(&hmac, strlen(purpose), (const uint8_t *)purpose);
#if NETTLE_VERSION_MAJOR >= 4
    hmac_sha256_digest(&hmac, key);
#else
    hmac_sha256_digest(&hmac, sizeof key, key);
#endif
    stream_begin(out, key);
    explicit_bzero(&hmac, sizeof hmac);
    explicit_bzero(key, sizeof key);
}

kan_status kan_secret_read_key(kan_run *run, const char *path, bool tells, uint8_t **out,
                               size_t *out_size) {
    kan_status status;
    uint8_t *bytes = NULL;
    size_t size = 0;
    const size_t room = KAN_SECRET_MOST_KEY + 1;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return fail_key(run, path, errno);
    KAN_TRY_DONE(kan_alloc(run, room, 1, &bytes));
    KAN_TRY_DONE(read_bytes(run, file, path, bytes, room, &size));
    KAN_TRY_DONE(check_key(run, file, path, tells, size));
    *out = bytes;
    *out_size = size;
    bytes = NULL;
done:
    if (bytes)
        explicit_bzero(bytes, size);
    kan_free(run, bytes);
    (void)close(file);
    return status;
}

bool kan_secret_is_poor(const uint8_t *bytes, size_t size) {
    enum { LEAST = 8 };
    bool is_met[256] = {false};
    unsigned n = 0;
    for (size_t i = 0; i < size && n < LEAST; i++) {
        n += !is_met[bytes[i]];
        is_met[bytes[i]] = true;
    }
    return n < LEAST;
}

kan_status kan_secret_fail_poor(kan_run *run, const char *path) {
    return kan_fail(run, KAN_BAD_INPUT,
                    "%s: the bytes of this key are nearly all the same, and can be guessed; make "
                    "one with: (umask 077; head -c 32 /dev/urandom > FILE)",
                    path);
}

kan_status kan_secret_read(kan_run *run, const char *path, const char *purpose, kan_secret *out) {
    uint8_t *bytes;
    size_t size;
    KAN_TRY(kan_secret_read_key(run, path, true, &bytes, &size));
    derive(bytes, size, purpose, out);
    explicit_bzero(bytes, size);
    kan_free(run, bytes);
    return KAN_OK;
}

void kan_secret_forget(kan_secret *secret) {
    explicit_bzero(secret, sizeof *secret);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static uint64_t next_word(kan_secret *secret) {
    static const uint8_t zeros[sizeof secret->block];
    uint64_t word = 0;
    if (secret->used == sizeof secret->block) {
        chacha_crypt(&secret->stream, sizeof secret->block, secret->block, zeros);
        secret->used = 0;
    }
    /* The same number on every machine: the first byte is the least. */
    for (unsigned i = 0; i < sizeof word; i++)
        word |= (uint64_t)secret->block[secret->used + i] << 8 * i;
    secret->used += sizeof word;
    return word;
}

uint64_t kan_secret_below(kan_secret *secret, uint64_t bound) {
    /* Words from the last multiple of the bound on would make its first numbers more likely. */
    const uint64_t excess = (UINT64_MAX % bound + 1) % bound;
    uint64_t word;
    do
        word = next_word(secret);
    while (word > UINT64_MAX - excess);
    return word % bound;
}

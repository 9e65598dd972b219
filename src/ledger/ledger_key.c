/* What follows from the key: for each purpose a key of its own, HMAC-SHA-256 of "kanon ledger 1" and the purpose
 * under the bytes of the file, so that none of them can be had from another.
 *
 * A mark is SipHash-2-4 of 128 bits (Aumasson and Bernstein 2012), made for short texts: whoever lacks the key
 * cannot tell it from random bits. Two people have one mark with a probability of n^2 / 2^129. It is no
 * pseudonym of data/treat, and cannot be had from one. The sum of a file is HMAC-SHA-256, by nettle, of the
 * SipHashes of its megabytes, one after the other, under a key of their own: all threads share the work. */
#include <nettle/version.h>

#include "core/pool.h"
#include "core/secret.h"
#include "ledger/ledger_inside.h"

enum { PART = 1 << 20, MARKS_OF_TASK = 1 << 14 };

static void digest_of(struct hmac_sha256_ctx *hmac, uint8_t out[SHA256_DIGEST_SIZE]) {
#if NETTLE_VERSION_MAJOR >= 4
    hmac_sha256_digest(hmac, out);
#else
    hmac_sha256_digest(hmac, SHA256_DIGEST_SIZE, out);
#endif
}

static void derive(const uint8_t *bytes, size_t size, const char *purpose,
                   uint8_t out[SHA256_DIGEST_SIZE]) {
    static const char use[] = KAN_LEDGER_MAGIC;
    struct hmac_sha256_ctx hmac;
    hmac_sha256_set_key(&hmac, size, bytes);
    hmac_sha256_update(&hmac, sizeof use, (const uint8_t *)use);
    hmac_sha256_update(&hmac, strlen(purpose), (const uint8_t *)purpose);
    digest_of(&hmac, out);
    explicit_bzero(&hmac, sizeof hmac);
}

/* The first 128 bits. */
static void derive_short(const uint8_t *bytes, size_t size, const char *purpose, uint64_t out[2]) {
    uint8_t key[SHA256_DIGEST_SIZE];
    derive(bytes, size, purpose, key);
    memcpy(out, key, 2 * sizeof *out);
    explicit_bzero(key, sizeof key);
}

static void begin(const uint8_t *bytes, size_t size, const char *purpose,
                  struct hmac_sha256_ctx *out) {
    uint8_t key[SHA256_DIGEST_SIZE];
    derive(bytes, size, purpose, key);
    hmac_sha256_set_key(out, sizeof key, key);
    explicit_bzero(key, sizeof key);
}

kan_status kan_ledger_read_key(kan_run *run, const char *path, kan_ledger_keys *out) {
    uint8_t *bytes, check[SHA256_DIGEST_SIZE];
    size_t size;
    KAN_TRY(kan_secret_read_key(run, path, true, &bytes, &size));
    const bool is_poor = kan_secret_is_poor(bytes, size);
    derive_short(bytes, size, "mark", out->mark);
    derive_short(bytes, size, "part", out->part);
    begin(bytes, size, "sum", &out->sum);
    begin(bytes, size, "seal", &out->seal);
    derive(bytes, size, "check", check);
    memcpy(out->check, check, sizeof out->check);
    explicit_bzero(bytes, size);
    kan_free(run, bytes);
    return is_poor ? kan_secret_fail_poor(run, path) : KAN_OK;
}

/* ---- marks ---------------------------------------------------------------------------------- */

static inline uint64_t rotate(uint64_t word, unsigned bits) {
    return word << bits | word >> (64 - bits);
}

/* One SipRound. */
static inline void mix(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static inline void absorb(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    mix(v);
    mix(v);
    v[0] ^= word;
}

static inline uint64_t squeeze(uint64_t v[4]) {
    for (unsigned i = 0; i < 4; i++)
        mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

kan_ledger_mark kan_ledger_siphash(const uint64_t key[2], const char *bytes, size_t size) {
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du ^ 0xee,
                     key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    const size_t rest = size % 8;
    uint64_t word, out[2];
    kan_ledger_mark mark;
    for (const char *end = bytes + (size - rest); bytes < end; bytes += 8) {
        memcpy(&word, bytes, 8);
        absorb(v, word);
    }
    word = 0;
    if (rest > 0)
        memcpy(&word, bytes, rest);
    absorb(v, word | (uint64_t)size << 56);
    v[2] ^= 0xee;
    out[0] = squeeze(v);
    v[1] ^= 0xdd;
    out[1] = squeeze(v);
    memcpy(mark.bytes, out, sizeof mark.bytes);
    return mark;
}

typedef struct {
    const kan_ledger *ledger;
    const kan_slice *ids;
    size_t n;
    kan_ledger_mark *out;
} marking;

static kan_status mark_some(void *context, size_t task, unsigned worker) {
    const marking *m = context;
    const size_t from = task * MARKS_OF_TASK;
    const size_t end = m->n - from < MARKS_OF_TASK ? m->n : from + MARKS_OF_TASK;
    (void)worker;
    for (size_t i = from; i < end; i++)
        m->out[i] = kan_ledger_siphash(m->ledger->keys.mark, m->ids[i].bytes, m->ids[i].size);
    return KAN_OK;
}

kan_status kan_ledger_make_marks(const kan_ledger *ledger, const kan_slice *ids, size_t n,
                                 kan_ledger_mark *out) {
    marking m = {ledger, ids, n, out};
    return kan_parallel(ledger->run, (n + MARKS_OF_TASK - 1) / MARKS_OF_TASK, mark_some, &m);
}

/* ---- sums ----------------------------------------------------------------------------------- */

typedef struct {
    const kan_ledger_keys *keys;
    const uint8_t *bytes;
    size_t size;
    kan_ledger_mark *sums; /* of its parts */
} summing;

static kan_status sum_part(void *context, size_t task, unsigned worker) {
    const summing *s = context;
    const size_t from = task * PART, size = s->size - from < PART ? s->size - from : PART;
    (void)worker;
    s->sums[task] = kan_ledger_siphash(s->keys->part, (const char *)s->bytes + from, size);
    return KAN_OK;
}

kan_status kan_ledger_sum(kan_run *run, const kan_ledger_keys *keys, const uint8_t *bytes,
                          size_t size, uint8_t out[KAN_LEDGER_SUM]) {
    const size_t n = (size + PART - 1) / PART;
    summing s = {keys, bytes, size, NULL};
    struct hmac_sha256_ctx hmac = keys->sum;
    KAN_TRY(kan_alloc(run, n, sizeof *s.sums, &s.sums));
    const kan_status status = kan_parallel(run, n, sum_part, &s);
    if (status == KAN_OK) {
        hmac_sha256_update(&hmac, n * sizeof *s.sums, (const uint8_t *)s.sums);
        digest_of(&hmac, out);
    }
    kan_free(run, s.sums);
    return status;
}

void kan_ledger_seal(const kan_ledger_keys *keys, const uint8_t sum[KAN_LEDGER_SUM],
                     uint8_t out[KAN_LEDGER_SUM]) {
    struct hmac_sha256_ctx hmac = keys->seal;
    hmac_sha256_update(&hmac, KAN_LEDGER_SUM, sum);
    digest_of(&hmac, out);
}

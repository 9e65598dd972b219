/* What follows from the key: HMAC-SHA-256, by nettle, as the pseudonyms of data/treat, but under keys of its own:
 * each is HMAC of the file's bytes over "kanon ledger 1" and a purpose, so that a mark is no
 * pseudonym of the same person, and none of these can be had from another.
 *
 * A mark is two blocks of SHA-256 for texts of up to 55 bytes. The sum is a tree of two levels: of
 * each megabyte, with its place, and of these sums; so that all threads share the work. */
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
    begin(bytes, size, "mark", &out->mark);
    begin(bytes, size, "sum", &out->sum);
    begin(bytes, size, "seal", &out->seal);
    derive(bytes, size, "check", check);
    memcpy(out->check, check, sizeof out->check);
    explicit_bzero(bytes, size);
    kan_free(run, bytes);
    return is_poor ? kan_secret_fail_poor(run, path) : KAN_OK;
}

/* ---- marks ---------------------------------------------------------------------------------- */

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
    struct hmac_sha256_ctx hmac = m->ledger->keys.mark; /* a digest makes it ready again */
    (void)worker;
    for (size_t i = from; i < end; i++) {
        uint8_t digest[SHA256_DIGEST_SIZE];
        hmac_sha256_update(&hmac, m->ids[i].size, (const uint8_t *)m->ids[i].bytes);
        digest_of(&hmac, digest);
        memcpy(m->out[i].bytes, digest, sizeof m->out[i].bytes);
    }
    explicit_bzero(&hmac, sizeof hmac);
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
    uint8_t (*sums)[KAN_LEDGER_SUM];
} summing;

static kan_status sum_part(void *context, size_t task, unsigned worker) {
    const summing *s = context;
    const size_t from = task * PART;
    uint8_t place[8];
    struct hmac_sha256_ctx hmac = s->keys->sum;
    (void)worker;
    for (unsigned i = 0; i < sizeof place; i++)
        place[i] = (uint8_t)((uint64_t)task >> 8 * i);
    hmac_sha256_update(&hmac, sizeof place, place);
    hmac_sha256_update(&hmac, s->size - from < PART ? s->size - from : PART, s->bytes + from);
    digest_of(&hmac, s->sums[task]);
    return KAN_OK;
}

kan_status kan_ledger_sum(kan_run *run, const kan_ledger_keys *keys, const uint8_t *bytes,
                          size_t size, uint8_t out[KAN_LEDGER_SUM]) {
    const size_t n = (size + PART - 1) / PART;
    summing s = {keys, bytes, size, NULL};
    struct hmac_sha256_ctx hmac = keys->sum;
    static const uint8_t above[8] = {255, 255, 255, 255, 255, 255, 255, 255}; /* no part's place */
    KAN_TRY(kan_alloc(run, n, sizeof *s.sums, &s.sums));
    const kan_status status = kan_parallel(run, n, sum_part, &s);
    if (status == KAN_OK) {
        hmac_sha256_update(&hmac, sizeof above, above);
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

/* Keyed pseudonyms: HMAC-SHA-256, by nettle, under the bytes of the key, over
 *
 *   "kanon", what it is for ("pseudonym"), the domain, the value
 *
 * each with its length before it in eight bytes, the greatest first, so that no two of these
 * messages are the same. The first 128 bits are shown, as hexadecimal digits behind a letter: what
 * begins with a letter is never taken for a number, as 12e45 would be. */
#include <nettle/hmac.h>
#include <nettle/version.h>
#include <string.h>

#include "data/treat/treat_inside.h"

static void add_part(struct hmac_sha256_ctx *hmac, kan_slice part) {
    uint8_t size[8];
    for (unsigned i = 0; i < 8; i++)
        size[i] = (uint8_t)((uint64_t)part.size >> (56 - 8 * i));
    hmac_sha256_update(hmac, sizeof size, size);
    if (part.size > 0)
        hmac_sha256_update(hmac, part.size, (const uint8_t *)part.bytes);
}

void kan_treat_digest(const kan_treatment *t, const char *purpose, kan_slice value,
                      uint8_t digest[KAN_TREAT_DIGEST]) {
    struct hmac_sha256_ctx hmac;
    _Static_assert(SHA256_DIGEST_SIZE == KAN_TREAT_DIGEST, "the digest of SHA-256");
    hmac_sha256_set_key(&hmac, t->key.size, (const uint8_t *)t->key.bytes);
    add_part(&hmac, kan_slice_of("kanon"));
    add_part(&hmac, kan_slice_of(purpose));
    add_part(&hmac, t->domain);
    add_part(&hmac, value);
#if NETTLE_VERSION_MAJOR >= 4
    hmac_sha256_digest(&hmac, digest);
#else
    hmac_sha256_digest(&hmac, KAN_TREAT_DIGEST, digest);
#endif
    explicit_bzero(&hmac, sizeof hmac);
}

kan_slice kan_treat_pseudonym(const kan_treatment *t, kan_slice value, char *room) {
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[KAN_TREAT_DIGEST];
    kan_treat_digest(t, "pseudonym", value, digest);
    room[0] = KAN_PSEUDONYM_LETTER;
    for (unsigned i = 0; i < KAN_PSEUDONYM_BYTES; i++) {
        room[1 + 2 * i] = digits[digest[i] >> 4];
        room[2 + 2 * i] = digits[digest[i] & 15];
    }
    explicit_bzero(digest, sizeof digest);
    return (kan_slice){room, 1 + 2 * KAN_PSEUDONYM_BYTES};
}

/* Pseudonyms and shifts, worked out anew: HMAC as RFC 2104 defines it, from SHA-256 alone, over a message that
 * is laid out in one piece. */
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <stdio.h>
#include <string.h>

#include "analyze/verify/treated.h"
#include "analyze/verify/treated_inside.h"
#include "core/hash.h"

enum { BLOCK = 64, DIGEST = KAN_VERIFY_DIGEST };

static void hash_two(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                     uint8_t out[DIGEST]) {
    struct sha256_ctx state;
    sha256_init(&state);
    sha256_update(&state, a_size, a);
    if (b_size > 0)
        sha256_update(&state, b_size, b);
#if NETTLE_VERSION_MAJOR >= 4
    sha256_digest(&state, out);
#else
    sha256_digest(&state, DIGEST, out);
#endif
    explicit_bzero(&state, sizeof state);
}

void kan_verify_hmac(kan_slice key, kan_slice message, uint8_t digest[DIGEST]) {
    uint8_t block[BLOCK] = {0}, inner[DIGEST];
    if (key.size > BLOCK)
        hash_two((const uint8_t *)key.bytes, key.size, NULL, 0, block);
    else if (key.size > 0)
        memcpy(block, key.bytes, key.size);
    for (unsigned i = 0; i < BLOCK; i++)
        block[i] ^= 0x36;
    hash_two(block, BLOCK, (const uint8_t *)message.bytes, message.size, inner);
    for (unsigned i = 0; i < BLOCK; i++)
        block[i] ^= 0x36 ^ 0x5c;
    hash_two(block, BLOCK, inner, sizeof inner, digest);
    explicit_bzero(block, sizeof block);
    explicit_bzero(inner, sizeof inner);
}

static void add_part(kan_text *text, const char *bytes, size_t size) {
    for (int shift = 56; shift >= 0; shift -= 8) {
        const char byte = (char)((uint64_t)size >> shift & 0xff);
        kan_text_add(text, &byte, 1);
    }
    kan_text_add(text, bytes, size);
}

kan_status kan_verify_digest(const kan_treatment *t, const char *purpose, kan_slice value,
                             kan_text *room, uint8_t digest[DIGEST]) {
    room->size = 0;
    add_part(room, "kanon", 5);
    add_part(room, purpose, strlen(purpose));
    add_part(room, t->domain.bytes, t->domain.size);
    add_part(room, value.bytes, value.size);
    KAN_TRY(kan_text_status(room));
    kan_verify_hmac(t->key, (kan_slice){room->bytes, room->size}, digest);
    return KAN_OK;
}

static int digit_value(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool kan_verify_looks_pseudonym(kan_slice shown) {
    bool is_right = shown.size == 33 && shown.bytes[0] == 'p';
    for (size_t i = 1; is_right && i < shown.size; i++)
        is_right = digit_value(shown.bytes[i]) >= 0;
    return is_right;
}

kan_status kan_verify_pseudonym(const kan_treatment *t, kan_slice raw, kan_slice shown,
                                kan_text *room, bool *is_right) {
    uint8_t digest[DIGEST];
    KAN_TRY(kan_verify_digest(t, "pseudonym", raw, room, digest));
    *is_right = kan_verify_looks_pseudonym(shown);
    for (size_t i = 0; *is_right && i < 16; i++)
        *is_right =
            digit_value(shown.bytes[1 + 2 * i]) * 16 + digit_value(shown.bytes[2 + 2 * i]) ==
            digest[i];
    explicit_bzero(digest, sizeof digest);
    return KAN_OK;
}

/* A number of 64 bits at a time; those from the last whole multiple of the choices on are passed
 * over, so that each choice is as likely as any other. */
kan_status kan_verify_shift(const kan_treatment *t, kan_slice person, kan_text *room,
                            int64_t *out) {
    const kan_u128 all = (kan_u128)1 << 64, n = (kan_u128)t->within * 2 + 1;
    const kan_u128 end = all - 1 - (all - 1) % n;
    for (unsigned round = 0;; round++) {
        uint8_t digest[DIGEST];
        char purpose[32];
        snprintf(purpose, sizeof purpose, round == 0 ? "shift" : "shift %u", round);
        KAN_TRY(kan_verify_digest(t, purpose, person, room, digest));
        for (unsigned part = 0; part < 4; part++) {
            kan_u128 number = 0;
            for (unsigned i = 0; i < 8; i++)
                number = number * 256 + digest[8 * part + i];
            if (number >= end)
                continue;
            *out = (int64_t)(number % n) - (int64_t)t->within;
            explicit_bzero(digest, sizeof digest);
            return KAN_OK;
        }
    }
}

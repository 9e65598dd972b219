/* Numbers that nobody can guess: a stream of ChaCha under a key of 256 bits, from the system's
 * randomness or from a file that its owner keeps secret. Not for what has to be made again by the
 * run's seed (core/hash.h). */
#ifndef KANON_CORE_SECRET_H
#define KANON_CORE_SECRET_H

#include <nettle/chacha.h>

#include "core/run.h"

enum { KAN_SECRET_LEAST_KEY = 16, KAN_SECRET_MOST_KEY = 1 << 20 }; /* bytes of a key file */

typedef struct kan_secret {
    struct chacha_ctx stream;
    uint8_t block[512];
    size_t used; /* bytes of the block */
} kan_secret;

/* A key that the system draws; KAN_FAILED where it has no randomness. */
KAN_MUST_USE kan_status kan_secret_draw(kan_run *run, kan_secret *out);
/* The key that follows from all bytes of a file and from `purpose`: one file gives unrelated
 * streams for different purposes. KAN_BAD_INPUT when it has fewer than KAN_SECRET_LEAST_KEY bytes
 * or too many to be a key; a note when everybody may read it. */
KAN_MUST_USE kan_status kan_secret_read(kan_run *run, const char *path, const char *purpose,
                                        kan_secret *out);
/* The bytes of such a file, for keys that are used in another way; `tells` is whether there may be
 * a note. The caller wipes and frees them. */
KAN_MUST_USE kan_status kan_secret_read_key(kan_run *run, const char *path, bool tells,
                                            uint8_t **bytes, size_t *size);
/* Whether they are nearly all the same: a key that was typed, or comes from /dev/zero, can be
 * guessed. And the failure that says so, KAN_BAD_INPUT. */
bool kan_secret_is_poor(const uint8_t *bytes, size_t size);
KAN_MUST_USE kan_status kan_secret_fail_poor(kan_run *run, const char *path);
/* Wipes it. */
void kan_secret_forget(kan_secret *secret);

/* Uniform in 0 .. bound-1, without any bias; bound > 0. */
uint64_t kan_secret_below(kan_secret *secret, uint64_t bound);

#endif

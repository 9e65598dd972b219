/* SHA-256 of files, so that anybody who has a file can tell with `sha256sum` whether it is the one
 * that a report speaks of. Keyed, it tells that to those alone who hold the key: without one it can
 * be tried out what a file holds. */
#ifndef KANON_IO_FILE_HASH_H
#define KANON_IO_FILE_HASH_H

#include <nettle/hmac.h>

#include "core/run.h"

enum { KAN_HASH_TEXT = 65 }; /* 64 hexadecimal digits and the end */

typedef struct kan_hash {
    struct sha256_ctx state;
    uint64_t n_bytes;
} kan_hash;

void kan_hash_begin(kan_hash *hash);
void kan_hash_add(kan_hash *hash, const void *bytes, size_t size);
/* Ends it: no more can be added. */
void kan_hash_end(kan_hash *hash, char text[KAN_HASH_TEXT]);

/* The bytes of a file as they are, compressed or not, and their number. */
KAN_MUST_USE kan_status kan_hash_file(kan_run *run, const char *path, char text[KAN_HASH_TEXT],
                                      uint64_t *n_bytes);

/* The same as HMAC-SHA-256, with the bytes of the file at key_path as its key: KAN_BAD_INPUT where
 * it is none (core/secret.h). */
KAN_MUST_USE kan_status kan_hash_file_keyed(kan_run *run, const char *path, const char *key_path,
                                            char text[KAN_HASH_TEXT]);
/* Whether there is such a key. */
KAN_MUST_USE kan_status kan_hash_check_key(kan_run *run, const char *key_path);

#endif

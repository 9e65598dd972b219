/* The inside of the ledger: keys, the file as bytes, and what is made of them.
 *
 *   ledger_key.c      what follows from the key: marks, the check, sums over bytes
 *   ledger_read.c     bytes become releases and people, bounded and checked
 *   ledger_write.c    releases and people become bytes: a release more, or one less
 *   ledger_classes.c  who looks the same in all of them
 *   ledger_file.c     the file: its mode, its lock, its name
 *   ledger.c          open, stage, commit, abandon, forget
 *
 * The file, all numbers with their least byte first:
 *
 *   magic (16)  check (16)  bytes of all but the seal (8)  people (8)  releases (4)
 *   the next number (4)  bytes of the facts (8)
 *   facts: the column, then each release; filled up to a multiple of 16
 *   marks, 16 bytes each, ascending
 *   groups: of each release, 4 bytes for each person; 0: not in it, else the group and 1
 *   sum (32)  seal (32)
 *
 * The seal is there when the last release is settled. The sum is about everything before it. */
#ifndef KANON_LEDGER_LEDGER_INSIDE_H
#define KANON_LEDGER_LEDGER_INSIDE_H

#include <nettle/hmac.h>

#include "core/memory.h"
#include "io/streams/streams.h"
#include "ledger/ledger.h"

enum {
    KAN_LEDGER_SUM = 32,
    KAN_LEDGER_HEAD = 64,
    KAN_LEDGER_LEAST = KAN_LEDGER_HEAD + KAN_LEDGER_SUM,
    KAN_LEDGER_MOST_RELEASES = 4096,
    KAN_LEDGER_MOST_COLUMNS = 1024
};

#define KAN_LEDGER_MAGIC "kanon ledger 1\n" /* and a zero: 16 bytes */

/* Ready to take a message, each for one purpose. */
typedef struct kan_ledger_keys {
    struct hmac_sha256_ctx sum, seal;
    uint64_t mark[2], part[2];
    uint8_t check[16];
} kan_ledger_keys;

/* SipHash-2-4 of 128 bits. */
kan_ledger_mark kan_ledger_siphash(const uint64_t key[2], const char *bytes, size_t size);

KAN_MUST_USE kan_status kan_ledger_read_key(kan_run *run, const char *path, kan_ledger_keys *out);
/* The sum of all bytes; on all threads. */
KAN_MUST_USE kan_status kan_ledger_sum(kan_run *run, const kan_ledger_keys *keys,
                                       const uint8_t *bytes, size_t size,
                                       uint8_t out[KAN_LEDGER_SUM]);
/* What stands behind that sum when the last release is settled. */
void kan_ledger_seal(const kan_ledger_keys *keys, const uint8_t sum[KAN_LEDGER_SUM],
                     uint8_t out[KAN_LEDGER_SUM]);

/* What a file says. */
typedef struct kan_ledger_content {
    kan_run *run;
    kan_arena arena;
    uint8_t *bytes; /* all of the file but the seal; what is below points into them */
    size_t size;
    bool is_sealed;
    const char *column;
    uint32_t next_number;
    size_t n_releases;
    kan_ledger_release *releases;
    uint64_t n_people;
    const kan_ledger_mark *marks;
    const uint32_t *groups; /* release * n_people + person */
} kan_ledger_content;

/* Takes bytes that were allocated from the run, also when it fails; `name` is for messages.
 * Destroy the content in any case. */
KAN_MUST_USE kan_status kan_ledger_parse(kan_run *run, const kan_ledger_keys *keys,
                                         const char *name, uint8_t *bytes, size_t size,
                                         kan_ledger_content *out);
void kan_ledger_content_destroy(kan_ledger_content *content);

/* What the bytes of the next file are made of. */
typedef struct kan_ledger_change {
    const kan_ledger_content *from;
    const char *column;
    const kan_ledger_release *added; /* NULL: none */
    const kan_ledger_mark *marks;
    const uint32_t *group_of;
    size_t n;
    size_t left_out; /* a release that is not taken over; SIZE_MAX: none */
} kan_ledger_change;

/* The whole file without a seal. Releases that are pending stay so. */
KAN_MUST_USE kan_status kan_ledger_make_bytes(kan_run *run, const kan_ledger_keys *keys,
                                              const kan_ledger_change *change, uint8_t **bytes,
                                              size_t *size);

/* Marks in order, each with the place that it had. O(n), for marks as they come. */
typedef struct kan_ledger_placed {
    kan_ledger_mark mark;
    uint32_t index;
} kan_ledger_placed;
KAN_MUST_USE kan_status kan_ledger_sort(kan_run *run, const kan_ledger_mark *marks, size_t n,
                                        kan_ledger_placed **out);

/* As their bytes are in order; each half at once, of which the first nearly always decides. */
static inline int kan_ledger_compare(const kan_ledger_mark *a, const kan_ledger_mark *b) {
    uint64_t x, y;
    for (size_t half = 0; half < sizeof a->bytes; half += sizeof x) {
        memcpy(&x, a->bytes + half, sizeof x);
        memcpy(&y, b->bytes + half, sizeof y);
        if (x != y)
            return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1 : 1;
    }
    return 0;
}

struct kan_ledger {
    kan_run *run;
    kan_arena arena;
    const char *name; /* as the user said it */
    kan_ledger_use use;
    kan_ledger_keys keys;
    int file;     /* the one that is locked */
    bool is_made; /* by this run */
    const char *column;
    kan_ledger_content content;
    /* Between stage and commit: what the file has now. */
    bool is_staged;
    uint8_t staged_sum[KAN_LEDGER_SUM];
    size_t staged_size;
};

/* ---- the file (ledger_file.c) ----------------------------------------------------------------- */

/* Opens it, locks it where it will be written, makes it where it may, and reads it. */
KAN_MUST_USE kan_status kan_ledger_file_open(kan_ledger *ledger, uint8_t **bytes, size_t *size);
/* Gives these bytes, and perhaps a seal, its name in place of what was there; the lock goes on.
 * *is_replaced is set in any case: the disk may fail when that is done. */
KAN_MUST_USE kan_status kan_ledger_file_replace(kan_ledger *ledger, const uint8_t *bytes,
                                                size_t size, bool is_sealed, bool *is_replaced);
/* Puts the seal behind so many bytes. 0, or the error's number. */
int kan_ledger_file_seal(const kan_ledger *ledger, size_t size, const uint8_t sum[KAN_LEDGER_SUM]);
/* Whether somebody else writes it, for who reads. */
bool kan_ledger_file_is_locked(const kan_ledger *ledger);
void kan_ledger_file_close(kan_ledger *ledger);

#endif

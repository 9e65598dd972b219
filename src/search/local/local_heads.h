/* Heads: the different people of a set of rows, or the different pairs of a person and a sensitive
 * value, each with its rows. Rows come and go one by one, so that whoever has several must be known
 * until the last of hers has gone.
 *
 * Few are looked through, many found by a hash: O(1), and nothing is as large as all people. */
#ifndef KANON_SEARCH_LOCAL_LOCAL_HEADS_H
#define KANON_SEARCH_LOCAL_LOCAL_HEADS_H

#include "core/memory.h"

typedef struct kan_local_heads {
    size_t n, room; /* who has rows, in any order */
    struct kan_local_head {
        uint32_t id, slot;
        uint64_t n_rows;
    } * heads;
    uint32_t *slots; /* place of a head + 1; 0 is free */
    size_t n_slots;  /* 0: few, without slots */
} kan_local_heads;

void kan_local_heads_destroy(kan_run *run, kan_local_heads *heads);
void kan_local_heads_clear(kan_local_heads *heads);
/* More rows, at least one; *is_new where there were none. */
KAN_MUST_USE kan_status kan_local_heads_add(kan_run *run, kan_local_heads *heads, uint32_t id,
                                            uint64_t n_rows, bool *is_new);
/* Takes rows away that are there; whether they were the last. */
bool kan_local_heads_remove(kan_local_heads *heads, uint32_t id, uint64_t n_rows);
bool kan_local_heads_has(const kan_local_heads *heads, uint32_t id);

#endif

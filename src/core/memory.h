/* Allocation with an account: every byte counts against the run's budget and towards its peak.
 *
 * `out` is the address of a pointer of any type: KAN_TRY(kan_alloc(run, n, sizeof *rows, &rows)).
 * It is untouched on failure. Thread safe. An allocation of 0 elements gives a pointer that can be
 * freed. kan_free takes NULL.
 *
 * Not in the account: the run itself, what libraries take (jansson, libyaml, zlib, libzstd, the C
 * library), and stacks of threads. */
#ifndef KANON_CORE_MEMORY_H
#define KANON_CORE_MEMORY_H

#include "core/run.h"

KAN_MUST_USE kan_status kan_alloc(kan_run *run, size_t n, size_t size, void *out);
KAN_MUST_USE kan_status kan_alloc_zero(kan_run *run, size_t n, size_t size, void *out);
/* Grows or shrinks *inout (NULL allowed), keeping its contents. */
KAN_MUST_USE kan_status kan_resize(kan_run *run, size_t n, size_t size, void *inout);
/* Makes room for at least `need` elements, doubling, or with little to spare where that would take
 * much of what the budget leaves; *capacity is updated. */
KAN_MUST_USE kan_status kan_reserve(kan_run *run, size_t need, size_t size, size_t *capacity,
                                    void *inout);
void kan_free(kan_run *run, const void *memory);

/* Bytes that somebody else allocates for the run, because they outlive it, into the account and out of
 * it. */
KAN_MUST_USE kan_status kan_memory_lend(kan_run *run, size_t bytes);
void kan_memory_return(kan_run *run, size_t bytes);

/* At the end of a stage that gave back much in small blocks: what the system's allocator keeps of
 * them leaves resident memory, when there is a budget. */
void kan_memory_trim(const kan_run *run);

/* The arena: many small things with one lifetime. Not thread safe. */
typedef struct kan_arena {
    kan_run *run;
    struct kan_arena_block *blocks;
} kan_arena;

void kan_arena_init(kan_arena *arena, kan_run *run);
void kan_arena_destroy(kan_arena *arena);
KAN_MUST_USE kan_status kan_arena_alloc(kan_arena *arena, size_t n, size_t size, void *out);
/* A NUL-terminated copy of `size` bytes. */
KAN_MUST_USE kan_status kan_arena_copy(kan_arena *arena, const char *bytes, size_t size,
                                       const char **out);
/* What lives as long as the run. */
kan_arena *kan_run_arena(kan_run *run);

#endif

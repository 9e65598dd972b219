/* Allocation with an account, and the arena.
 *
 * Each block carries its size in front, so that giving it back needs no size from the caller. The
 * account is two atomic counters: an allocation costs two atomic operations more than malloc. */
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/run_internal.h"
#include "core/text.h"

/* Keeps malloc's alignment of 16 bytes. */
typedef struct {
    size_t size;
    size_t unused;
} block_head;

_Static_assert(sizeof(block_head) == 16 || sizeof(size_t) < 8, "the head must keep the alignment");

enum { HUGE_BYTES = 4 << 20 };

static kan_status out_of_memory(kan_run *run, size_t bytes) {
    char asked[32], limit[32];
    if (run->memory_budget)
        return kan_fail(run, KAN_FAILED,
                        "out of memory: %s more were needed within the budget of %s; "
                        "allow more with --memory",
                        kan_bytes_text(bytes, asked), kan_bytes_text(run->memory_budget, limit));
    return kan_fail(run, KAN_FAILED, "out of memory: %s more were needed",
                    kan_bytes_text(bytes, asked));
}

/* Takes `bytes` into the account; false when the budget does not allow them. What is refused never
 * shows in the account, or it would make smaller requests of other threads fail beside it. */
static bool account_take(kan_run *run, size_t bytes) {
    uint64_t before = atomic_load(&run->memory_used), used;
    do {
        used = before + bytes;
        if (run->memory_budget && used > run->memory_budget)
            return false;
    } while (!atomic_compare_exchange_weak(&run->memory_used, &before, used));
    uint64_t peak = atomic_load(&run->memory_peak);
    while (used > peak && !atomic_compare_exchange_weak(&run->memory_peak, &peak, used)) {
    }
    return true;
}

static bool total_bytes(size_t n, size_t size, size_t *out) {
    return !__builtin_mul_overflow(n, size, out) && *out <= SIZE_MAX / 2;
}

/* Large blocks in huge pages: fewer page faults, fewer misses of the address cache. */
static void prefer_huge_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
    if (bytes >= HUGE_BYTES) {
        uintptr_t first = ((uintptr_t)block + 4095) & ~(uintptr_t)4095;
        uintptr_t end = ((uintptr_t)block + bytes) & ~(uintptr_t)4095;
        if (end > first)
            (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
    }
#else
    (void)block;
    (void)bytes;
#endif
}

static kan_status allocate(kan_run *run, size_t n, size_t size, bool zero, void *out) {
    size_t bytes;
    if (!total_bytes(n, size, &bytes) || !account_take(run, bytes))
        return out_of_memory(run, n > SIZE_MAX / 2 / (size ? size : 1) ? SIZE_MAX : n * size);
    block_head *head = zero ? calloc(1, sizeof *head + bytes) : malloc(sizeof *head + bytes);
    if (!head) {
        atomic_fetch_sub(&run->memory_used, bytes);
        return out_of_memory(run, bytes);
    }
    prefer_huge_pages(head, bytes);
    head->size = bytes;
    void *block = head + 1;
    memcpy(out, &block, sizeof block);
    return KAN_OK;
}

kan_status kan_alloc(kan_run *run, size_t n, size_t size, void *out) {
    return allocate(run, n, size, false, out);
}

kan_status kan_alloc_zero(kan_run *run, size_t n, size_t size, void *out) {
    return allocate(run, n, size, true, out);
}

kan_status kan_resize(kan_run *run, size_t n, size_t size, void *inout) {
    void *block;
    memcpy(&block, inout, sizeof block);
    if (!block)
        return kan_alloc(run, n, size, inout);
    block_head *head = (block_head *)block - 1;
    size_t before = head->size, bytes;
    if (!total_bytes(n, size, &bytes))
        return out_of_memory(run, SIZE_MAX);
    if (bytes > before && !account_take(run, bytes - before))
        return out_of_memory(run, bytes - before);
    block_head *moved = realloc(head, sizeof *head + bytes);
    if (!moved) {
        if (bytes > before)
            atomic_fetch_sub(&run->memory_used, bytes - before);
        return out_of_memory(run, bytes);
    }
    if (bytes < before)
        atomic_fetch_sub(&run->memory_used, before - bytes);
    else
        prefer_huge_pages(moved, bytes);
    moved->size = bytes;
    block = moved + 1;
    memcpy(inout, &block, sizeof block);
    return KAN_OK;
}

kan_status kan_reserve(kan_run *run, size_t need, size_t size, size_t *capacity, void *inout) {
    if (need <= *capacity)
        return KAN_OK;
    size_t next = *capacity ? *capacity : 16;
    while (next < need)
        next = next > SIZE_MAX / 4 ? need : next * 2;
    KAN_TRY(kan_resize(run, next, size, inout));
    *capacity = next;
    return KAN_OK;
}

void kan_free(kan_run *run, const void *memory) {
    if (!memory)
        return;
    /* Callers hold const views of what they own; the block itself was never const. */
    block_head *head = (block_head *)(uintptr_t)memory - 1;
    atomic_fetch_sub(&run->memory_used, head->size);
    free(head);
}

void kan_run_set_memory(kan_run *run, uint64_t budget_bytes) {
    run->memory_budget = budget_bytes;
}

uint64_t kan_run_memory_budget(const kan_run *run) {
    return run->memory_budget;
}

uint64_t kan_run_memory_left(const kan_run *run) {
    if (!run->memory_budget)
        return UINT64_MAX;
    uint64_t used = atomic_load(&run->memory_used);
    return used < run->memory_budget ? run->memory_budget - used : 0;
}

uint64_t kan_run_peak_memory(const kan_run *run) {
    return atomic_load(&run->memory_peak);
}

/* ---- arena ---------------------------------------------------------------------------------- */

struct kan_arena_block {
    struct kan_arena_block *next;
    size_t used, size;
    max_align_t bytes[];
};

enum { ARENA_BLOCK_BYTES = 1 << 14 };

void kan_arena_init(kan_arena *arena, kan_run *run) {
    *arena = (kan_arena){run, NULL};
}

void kan_arena_destroy(kan_arena *arena) {
    while (arena->blocks) {
        struct kan_arena_block *next = arena->blocks->next;
        kan_free(arena->run, arena->blocks);
        arena->blocks = next;
    }
}

kan_status kan_arena_alloc(kan_arena *arena, size_t n, size_t size, void *out) {
    size_t bytes;
    if (!total_bytes(n, size, &bytes))
        return out_of_memory(arena->run, SIZE_MAX);
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct kan_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t room = bytes > ARENA_BLOCK_BYTES ? bytes : ARENA_BLOCK_BYTES;
        KAN_TRY(kan_alloc(arena->run, 1, sizeof *block + room, &block));
        *block = (struct kan_arena_block){arena->blocks, 0, room};
        arena->blocks = block;
    }
    void *memory = (char *)block->bytes + block->used;
    block->used += bytes;
    memset(memory, 0, bytes);
    memcpy(out, &memory, sizeof memory);
    return KAN_OK;
}

kan_status kan_arena_copy(kan_arena *arena, const char *bytes, size_t size, const char **out) {
    char *copy = NULL;
    KAN_TRY(kan_arena_alloc(arena, size + 1, 1, &copy));
    if (size)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    *out = copy;
    return KAN_OK;
}

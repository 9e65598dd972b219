/* Allocation with an account, and the arena.
 *
 * Each block carries its size in front, so that giving it back needs no size from the caller. The
 * account is two atomic counters: an allocation costs two atomic operations more than malloc.
 *
 * With a budget, large blocks are mappings of their own, not malloc's: what is given back leaves
 * resident memory at once, and growing moves pages instead of copying them, which would need both
 * at a time. So resident memory follows the account. */
#include "core/memory.h"

#ifdef __GLIBC__
#include <inttypes.h>
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/poison.h"
#include "core/run_internal.h"
#include "core/spill.h"
#include "core/text.h"

enum {
    HUGE_BYTES = 4 << 20,
    MAPPED_BYTES = 1 << 20, /* least size of a block that is a mapping, with a budget */
    MAPPED_HEAD = 64        /* in front of it */
};

/* Twice the budget, as --memory takes it. */
static void suggest_budget(uint64_t budget, char *out, size_t room) {
    static const char units[] = "KMG";
    const char *unit = units;
    uint64_t size = budget / 512 + (budget % 512 > 0);
    for (; unit[1] && size >= 10240; unit++)
        size = size / 1024 + (size % 1024 > 0);
    snprintf(out, room, "%" PRIu64 "%c", size, *unit);
}

static kan_status out_of_memory(kan_run *run, size_t bytes) {
    char asked[32], limit[32], more[32];
    suggest_budget(run->memory_budget, more, sizeof more);
    if (run->memory_budget)
        return kan_fail(run, KAN_FAILED,
                        "out of memory: %s more were needed within the budget of %s; "
                        "allow more with --memory, such as --memory %s",
                        kan_bytes_text(bytes, asked), kan_bytes_text(run->memory_budget, limit),
                        more);
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

/* Marks a mapped block. */
static const char mapped_mark;

static bool is_mapped(const kan_block_head *head) {
    return (const void *)head->spill == &mapped_mark;
}

static void *mapped_base(kan_block_head *head) {
    return (char *)(head + 1) - MAPPED_HEAD;
}

static size_t mapped_length(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (MAPPED_HEAD + bytes + page - 1) / page * page;
}

static void set_mapped_head(void *base, size_t bytes, kan_block_head **out) {
    kan_block_head *head = (kan_block_head *)((char *)base + MAPPED_HEAD) - 1;
    *head = (kan_block_head){bytes, (struct kan_spill *)(uintptr_t)&mapped_mark};
    *out = head;
}

/* NULL when there is no memory. */
static kan_block_head *map_block(size_t bytes) {
    kan_block_head *head;
    void *base = mmap(NULL, mapped_length(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    prefer_huge_pages(base, mapped_length(bytes));
    set_mapped_head(base, bytes, &head);
    return head;
}

/* The advice was given for all of the mapping, so it is still one to the system, and can move. */
static kan_block_head *remap_block(kan_block_head *head, size_t bytes) {
    void *base =
        mremap(mapped_base(head), mapped_length(head->size), mapped_length(bytes), MREMAP_MAYMOVE);
    if (base == MAP_FAILED)
        return NULL;
    prefer_huge_pages(base, mapped_length(bytes));
    set_mapped_head(base, bytes, &head);
    return head;
}

static kan_block_head *take_block(const kan_run *run, size_t bytes, bool zero) {
    if (run->memory_budget && bytes >= MAPPED_BYTES)
        return map_block(bytes);
    kan_block_head *head = zero ? calloc(1, sizeof *head + bytes) : malloc(sizeof *head + bytes);
    if (!head)
        return NULL;
    prefer_huge_pages(head, bytes);
    *head = (kan_block_head){bytes, NULL};
    return head;
}

static void give_block(kan_block_head *head) {
    if (is_mapped(head))
        (void)munmap(mapped_base(head), mapped_length(head->size));
    else
        free(head);
}

static kan_status allocate(kan_run *run, size_t n, size_t size, bool zero, void *out) {
    size_t bytes;
    if (!total_bytes(n, size, &bytes) || !account_take(run, bytes))
        return out_of_memory(run, n > SIZE_MAX / 2 / (size ? size : 1) ? SIZE_MAX : n * size);
    kan_block_head *head = take_block(run, bytes, zero);
    if (!head) {
        atomic_fetch_sub(&run->memory_used, bytes);
        return out_of_memory(run, bytes);
    }
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

/* A mapped file is not resized; what it holds moves. */
static kan_status resize_spilled(kan_run *run, size_t n, size_t size, void *block, void *inout) {
    const kan_block_head *head = (const kan_block_head *)block - 1;
    void *moved;
    KAN_TRY(kan_spill_alloc(run, n, size, &moved));
    memcpy(moved, block, n * size < head->size ? n * size : head->size);
    kan_spill_done(run, moved, n * size);
    kan_free(run, block);
    memcpy(inout, &moved, sizeof moved);
    return KAN_OK;
}

/* The block with another size, perhaps elsewhere; NULL when there is no memory, and it stays. */
static kan_block_head *resize_block(const kan_run *run, kan_block_head *head, size_t bytes) {
    if (is_mapped(head))
        return remap_block(head, bytes);
    kan_block_head *moved;
    if (run->memory_budget && bytes >= MAPPED_BYTES) {
        moved = map_block(bytes);
        if (!moved)
            return NULL;
        memcpy(moved + 1, head + 1, head->size < bytes ? head->size : bytes);
        free(head);
        return moved;
    }
    moved = realloc(head, sizeof *head + bytes);
    if (!moved)
        return NULL;
    if (bytes > moved->size)
        prefer_huge_pages(moved, bytes);
    moved->size = bytes;
    return moved;
}

kan_status kan_resize(kan_run *run, size_t n, size_t size, void *inout) {
    void *block;
    memcpy(&block, inout, sizeof block);
    if (!block)
        return kan_alloc(run, n, size, inout);
    kan_block_head *head = (kan_block_head *)block - 1;
    size_t before = head->size, bytes;
    if (!total_bytes(n, size, &bytes))
        return out_of_memory(run, SIZE_MAX);
    if (head->spill && !is_mapped(head))
        return resize_spilled(run, n, size, block, inout);
    if (bytes > before && !account_take(run, bytes - before))
        return out_of_memory(run, bytes - before);
    kan_block_head *moved = resize_block(run, head, bytes);
    if (!moved) {
        if (bytes > before)
            atomic_fetch_sub(&run->memory_used, bytes - before);
        return out_of_memory(run, bytes);
    }
    if (bytes < before)
        atomic_fetch_sub(&run->memory_used, before - bytes);
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
    /* Room to spare is for those who have it. */
    if (size && next > MAPPED_BYTES / size && kan_run_memory_left(run) / 4 / size < next)
        next = need + (next - need < need / 16 ? next - need : need / 16);
    KAN_TRY(kan_resize(run, next, size, inout));
    *capacity = next;
    return KAN_OK;
}

void kan_free(kan_run *run, const void *memory) {
    if (!memory)
        return;
    /* Callers hold const views of what they own; the block itself was never const. */
    kan_block_head *head = (kan_block_head *)(uintptr_t)memory - 1;
    if (head->spill && !is_mapped(head)) {
        kan_spill_give_back(run, head);
        return;
    }
    atomic_fetch_sub(&run->memory_used, head->size);
    give_block(head);
}

kan_status kan_memory_lend(kan_run *run, size_t bytes) {
    return account_take(run, bytes) ? KAN_OK : out_of_memory(run, bytes);
}

void kan_memory_return(kan_run *run, size_t bytes) {
    atomic_fetch_sub(&run->memory_used, bytes);
}

void kan_memory_trim(const kan_run *run) {
#ifdef __GLIBC__
    if (run->memory_budget)
        (void)malloc_trim(0);
#else
    (void)run;
#endif
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
    return run ? atomic_load(&run->memory_peak) : 0;
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
        KAN_UNPOISON(arena->blocks->bytes, arena->blocks->size);
        kan_free(arena->run, arena->blocks);
        arena->blocks = next;
    }
}

kan_status kan_arena_alloc(kan_arena *arena, size_t n, size_t size, void *out) {
    size_t bytes;
    if (!total_bytes(n, size, &bytes))
        return out_of_memory(arena->run, SIZE_MAX);
    const size_t asked = bytes;
    bytes += KAN_RED_ZONE;
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct kan_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t room = bytes > ARENA_BLOCK_BYTES ? bytes : ARENA_BLOCK_BYTES;
        KAN_TRY(kan_alloc(arena->run, 1, sizeof *block + room, &block));
        *block = (struct kan_arena_block){arena->blocks, 0, room};
        KAN_POISON(block->bytes, room);
        arena->blocks = block;
    }
    void *memory = (char *)block->bytes + block->used;
    block->used += bytes;
    KAN_UNPOISON(memory, asked);
    memset(memory, 0, asked);
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

/* Memory that is given back in the reverse order: for searches that go down a tree and come back.
 *
 * Taking is adding to a pointer. A mark remembers how full the stack is; going back to it gives
 * back everything taken since, and keeps the blocks for the next time. Not thread safe. */
#ifndef KANON_CORE_STACK_H
#define KANON_CORE_STACK_H

#include "core/memory.h"
#include "core/poison.h"

typedef struct kan_stack {
    kan_run *run;
    size_t n_blocks, room;
    struct kan_stack_block {
        unsigned char *bytes;
        size_t size;
    } * blocks;
    size_t block; /* the one that is being filled */
    size_t used;  /* of it */
    size_t taken; /* bytes in all */
} kan_stack;

typedef struct kan_stack_mark {
    size_t block, used, taken;
} kan_stack_mark;

void kan_stack_init(kan_stack *stack, kan_run *run);
void kan_stack_destroy(kan_stack *stack);

/* `out` is the address of a pointer of any type, as in kan_alloc. What is taken has no contents. */
KAN_MUST_USE kan_status kan_stack_take(kan_stack *stack, size_t n, size_t size, void *out);

static inline kan_stack_mark kan_stack_here(const kan_stack *stack) {
    return (kan_stack_mark){stack->block, stack->used, stack->taken};
}

/* Bytes taken since a mark: the same whatever blocks there are. */
static inline size_t kan_stack_since(const kan_stack *stack, kan_stack_mark mark) {
    return stack->taken - mark.taken;
}

/* What is behind a mark may not be touched any more. */
static inline void kan_stack_poison(const kan_stack *stack, kan_stack_mark mark) {
    for (size_t b = mark.block; KAN_RED_ZONE > 0 && b < stack->n_blocks && b <= stack->block; b++) {
        const size_t from = b == mark.block ? mark.used : 0;
        KAN_POISON(stack->blocks[b].bytes + from, stack->blocks[b].size - from);
    }
}

static inline void kan_stack_back(kan_stack *stack, kan_stack_mark mark) {
    KAN_ASSERT(mark.taken <= stack->taken); /* a mark is gone back to once */
    kan_stack_poison(stack, mark);
    stack->block = mark.block;
    stack->used = mark.used;
    stack->taken = mark.taken;
}

#endif

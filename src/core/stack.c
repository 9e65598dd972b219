/* Memory given back in the reverse order: a list of blocks, each twice the one before, as long as
 * that is little. */
#include "core/stack.h"

#include <string.h>

enum { FIRST_BLOCK = 1 << 16, MOST_BLOCK = 1 << 23, ALIGNMENT = 16 };

void kan_stack_init(kan_stack *stack, kan_run *run) {
    memset(stack, 0, sizeof *stack);
    stack->run = run;
}

void kan_stack_destroy(kan_stack *stack) {
    for (size_t i = 0; i < stack->n_blocks; i++) {
        KAN_UNPOISON(stack->blocks[i].bytes, stack->blocks[i].size);
        kan_free(stack->run, stack->blocks[i].bytes);
    }
    kan_free(stack->run, stack->blocks);
    kan_stack_init(stack, stack->run);
}

static kan_status add_block(kan_stack *stack, size_t need) {
    size_t size = stack->n_blocks ? 2 * stack->blocks[stack->n_blocks - 1].size : FIRST_BLOCK;
    unsigned char *bytes;
    size = size < MOST_BLOCK ? size : MOST_BLOCK;
    if (size < need)
        size = need;
    KAN_TRY(kan_reserve(stack->run, stack->n_blocks + 1, sizeof *stack->blocks, &stack->room,
                        &stack->blocks));
    KAN_TRY(kan_alloc(stack->run, size, 1, &bytes));
    KAN_POISON(bytes, size);
    stack->blocks[stack->n_blocks++] = (struct kan_stack_block){bytes, size};
    return KAN_OK;
}

kan_status kan_stack_take(kan_stack *stack, size_t n, size_t size, void *out) {
    if (size && n > (SIZE_MAX - ALIGNMENT - KAN_RED_ZONE) / size)
        return kan_fail(stack->run, KAN_FAILED,
                        "out of memory: more than this machine can address");
    const size_t bytes = (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t room = bytes + KAN_RED_ZONE; /* which is not counted: limits stay the same */
    while (stack->block >= stack->n_blocks ||
           stack->blocks[stack->block].size - stack->used < room) {
        if (stack->block + 1 < stack->n_blocks) {
            stack->block++;
            stack->used = 0;
            continue;
        }
        KAN_TRY(add_block(stack, room));
        stack->block = stack->n_blocks - 1;
        stack->used = 0;
    }
    unsigned char *taken = stack->blocks[stack->block].bytes + stack->used;
    KAN_UNPOISON(taken, n * size);
    stack->used += room;
    stack->taken += bytes;
    memcpy(out, &taken, sizeof taken);
    return KAN_OK;
}

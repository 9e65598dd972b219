/* core/stack.h: memory that is given back in the reverse order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/hash.h"
#include "core/stack.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

/* Up and down at random, from nothing to several blocks: what is taken is aligned, apart from all
 * that is still held, and keeps its bytes until the stack goes back below it. */
static void what_is_taken_is_aligned_and_apart_until_the_stack_goes_back(void **state) {
    enum { N = 400, STEPS = 20000 };
    static struct {
        kan_stack_mark before;
        unsigned char *bytes, fill;
        size_t size;
    } held[N];
    kan_stack stack;
    uint64_t random = 5;
    size_t n = 0;
    kan_stack_init(&stack, *state);
    for (unsigned step = 0; step < STEPS; step++) {
        if (n == N || kan_random_below(&random, 40) == 0) {
            const size_t to = (size_t)kan_random_below(&random, n + 1);
            if (to < n)
                kan_stack_back(&stack, held[to].before);
            n = to;
            continue;
        }
        const size_t sizes[] = {0, 1, kan_random_below(&random, 100),
                                kan_random_below(&random, 5000), kan_random_below(&random, 200000)};
        held[n].before = kan_stack_here(&stack);
        held[n].size = sizes[kan_random_below(&random, step % 50 == 0 ? 5 : 4)];
        held[n].fill = (unsigned char)step;
        assert_int_equal(kan_stack_take(&stack, held[n].size, 1, &held[n].bytes), KAN_OK);
        assert_int_equal((uintptr_t)held[n].bytes % _Alignof(max_align_t), 0);
        memset(held[n].bytes, held[n].fill, held[n].size);
        n++;
        if (step % 100 == 0)
            for (size_t i = 0; i < n; i++)
                for (size_t b = 0; b < held[i].size; b++)
                    if (held[i].bytes[b] != held[i].fill)
                        fail_msg("byte %zu of piece %zu was written over", b, i);
    }
    kan_stack_destroy(&stack);
}

/* Going down a tree a second time needs no more memory than the first time. */
static void going_back_keeps_the_blocks_for_the_next_time(void **state) {
    kan_run *run = *state;
    kan_stack stack;
    void *memory;
    uint64_t left = 0;
    kan_run_set_memory(run, UINT64_C(1) << 30);
    kan_stack_init(&stack, run);
    const kan_stack_mark empty = kan_stack_here(&stack);
    for (unsigned time = 0; time < 5; time++) {
        for (unsigned i = 0; i < 300; i++)
            assert_int_equal(kan_stack_take(&stack, i % 7 * 1000, sizeof(uint64_t), &memory),
                             KAN_OK);
        if (time == 0)
            left = kan_run_memory_left(run);
        assert_int_equal(kan_run_memory_left(run), left);
        kan_stack_back(&stack, empty);
    }
    kan_stack_destroy(&stack);
    assert_int_equal(kan_run_memory_left(run), UINT64_C(1) << 30);
}

/* A piece larger than the next block would be gets one of its own size; smaller blocks before it
 * that have no room are passed over. */
static void a_large_piece_gets_a_block_that_holds_it(void **state) {
    kan_stack stack;
    unsigned char *small, *large, *again;
    kan_stack_init(&stack, *state);
    assert_int_equal(kan_stack_take(&stack, 10, 1, &small), KAN_OK);
    const kan_stack_mark mark = kan_stack_here(&stack);
    assert_int_equal(kan_stack_take(&stack, 3u << 20, 1, &large), KAN_OK);
    memset(large, 1, 3u << 20);
    memset(small, 2, 10);
    kan_stack_back(&stack, mark);
    assert_int_equal(kan_stack_take(&stack, 100000, 1, &again), KAN_OK);
    memset(again, 3, 100000);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(small[i], 2);
    kan_stack_destroy(&stack);
    kan_stack_destroy(&stack);                                      /* twice is once */
    assert_int_equal(kan_stack_take(&stack, 1, 1, &small), KAN_OK); /* and it can be used again */
    kan_stack_destroy(&stack);
}

static void a_stack_respects_the_budget_and_stays_usable(void **state) {
    kan_run *run = *state;
    kan_stack stack;
    char mark;
    void *memory = &mark;
    unsigned char *bytes;
    kan_run_set_memory(run, 1u << 20);
    kan_stack_init(&stack, run);
    assert_int_equal(kan_stack_take(&stack, 100, 1, &bytes), KAN_OK);
    memset(bytes, 9, 100);
    assert_int_equal(kan_stack_take(&stack, 2u << 20, 1, &memory), KAN_FAILED);
    assert_int_equal(kan_stack_take(&stack, SIZE_MAX, 2, &memory), KAN_FAILED);
    assert_int_equal(kan_stack_take(&stack, SIZE_MAX, 1, &memory), KAN_FAILED);
    assert_int_equal(kan_stack_take(&stack, SIZE_MAX / 2, 1, &memory), KAN_FAILED);
    assert_ptr_equal(memory, &mark);
    assert_int_equal(kan_stack_take(&stack, 1000, 8, &memory), KAN_OK);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(bytes[i], 9);
    kan_stack_destroy(&stack);
    assert_int_equal(kan_run_memory_left(run), 1u << 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            what_is_taken_is_aligned_and_apart_until_the_stack_goes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(going_back_keeps_the_blocks_for_the_next_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_large_piece_gets_a_block_that_holds_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_stack_respects_the_budget_and_stays_usable, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}

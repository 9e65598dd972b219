/* core/memory.h, the arena: many small things with one lifetime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/memory.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

/* Sizes from one byte to several blocks: what is given is zero, aligned, and apart. */
static void arena_blocks_are_zero_aligned_and_apart(void **state) {
    enum { N = 3000 };
    kan_arena arena;
    static unsigned char *blocks[N];
    static size_t sizes[N];
    kan_arena_init(&arena, *state);
    for (size_t i = 0; i < N; i++) {
        sizes[i] = i % 100 == 99 ? 40000 : 1 + i * 7919 % 300;
        assert_int_equal(kan_arena_alloc(&arena, sizes[i], 1, &blocks[i]), KAN_OK);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(blocks[i][j], 0);
        memset(blocks[i], (int)(1 + i % 255), sizes[i]);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(blocks[i][j], 1 + i % 255);
    kan_arena_destroy(&arena);
}

static void destroying_an_arena_gives_all_back(void **state) {
    kan_run *run = *state;
    kan_arena arena;
    kan_run_set_memory(run, 10u << 20);
    kan_arena_init(&arena, run);
    for (int i = 0; i < 1000; i++) {
        void *memory;
        assert_int_equal(kan_arena_alloc(&arena, 3, 777, &memory), KAN_OK);
    }
    assert_true(kan_run_memory_left(run) < (10u << 20) - 2331000);
    kan_arena_destroy(&arena);
    assert_int_equal(kan_run_memory_left(run), 10u << 20);
    /* And it can be used again. */
    void *memory;
    assert_int_equal(kan_arena_alloc(&arena, 1, 1, &memory), KAN_OK);
    kan_arena_destroy(&arena);
    kan_arena_destroy(&arena);
}

static void an_arena_respects_the_budget(void **state) {
    kan_run *run = *state;
    kan_arena arena;
    char mark;
    void *memory = &mark;
    kan_run_set_memory(run, 100000);
    kan_arena_init(&arena, run);
    assert_int_equal(kan_arena_alloc(&arena, 100001, 1, &memory), KAN_FAILED);
    assert_int_equal(kan_arena_alloc(&arena, SIZE_MAX, 2, &memory), KAN_FAILED);
    assert_int_equal(kan_arena_alloc(&arena, SIZE_MAX / 2, 1, &memory), KAN_FAILED);
    assert_ptr_equal(memory, &mark);
    assert_int_equal(kan_arena_alloc(&arena, 50000, 1, &memory), KAN_OK);
    kan_arena_destroy(&arena);
}

static void an_arena_copy_ends_with_nul_and_keeps_every_byte(void **state) {
    kan_arena arena;
    const char *copy = NULL, *empty = NULL;
    kan_arena_init(&arena, *state);
    assert_int_equal(kan_arena_copy(&arena, "a\0b", 3, &copy), KAN_OK);
    assert_memory_equal(copy, "a\0b\0", 4);
    assert_int_equal(kan_arena_copy(&arena, NULL, 0, &empty), KAN_OK);
    assert_string_equal(empty, "");
    kan_arena_destroy(&arena);
}

static void the_runs_arena_lives_as_long_as_the_run(void **state) {
    kan_run *run = *state;
    const char *copy;
    assert_int_equal(kan_arena_copy(kan_run_arena(run), "Bonn", 4, &copy), KAN_OK);
    for (int i = 0; i < 100; i++) {
        void *memory;
        assert_int_equal(kan_arena_alloc(kan_run_arena(run), 1000, 1, &memory), KAN_OK);
    }
    assert_string_equal(copy, "Bonn");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arena_blocks_are_zero_aligned_and_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(destroying_an_arena_gives_all_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_arena_respects_the_budget, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_arena_copy_ends_with_nul_and_keeps_every_byte, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_runs_arena_lives_as_long_as_the_run, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}

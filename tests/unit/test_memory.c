/* core/memory.h, the account: what is allocated, what the budget refuses, what the peak was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/memory.h"
#include "core/pool.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

static void a_block_can_be_written_and_freed(void **state) {
    kan_run *run = *state;
    uint64_t *numbers = NULL;
    assert_int_equal(kan_alloc(run, 1000, sizeof *numbers, &numbers), KAN_OK);
    assert_int_equal((uintptr_t)numbers % 16, 0);
    memset(numbers, 0xff, 1000 * sizeof *numbers);
    kan_free(run, numbers);
    kan_free(run, NULL);
}

static void a_zeroed_block_is_zero(void **state) {
    kan_run *run = *state;
    unsigned char *dirty, *bytes;
    assert_int_equal(kan_alloc(run, 5000, 1, &dirty), KAN_OK);
    memset(dirty, 0xff, 5000);
    kan_free(run, dirty);
    assert_int_equal(kan_alloc_zero(run, 5000, 1, &bytes), KAN_OK);
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(bytes[i], 0);
    kan_free(run, bytes);
}

static void no_elements_give_a_pointer_that_can_be_freed(void **state) {
    kan_run *run = *state;
    void *nothing = NULL;
    assert_int_equal(kan_alloc(run, 0, 8, &nothing), KAN_OK);
    assert_non_null(nothing);
    kan_free(run, nothing);
    nothing = NULL;
    assert_int_equal(kan_alloc(run, 8, 0, &nothing), KAN_OK);
    assert_non_null(nothing);
    kan_free(run, nothing);
}

static void a_product_that_overflows_is_out_of_memory(void **state) {
    kan_run *run = *state;
    char mark;
    void *out = &mark;
    assert_int_equal(kan_alloc(run, SIZE_MAX / 2, 3, &out), KAN_FAILED);
    assert_ptr_equal(out, &mark);
    assert_non_null(strstr(kan_run_error(run), "out of memory"));
    assert_int_equal(kan_alloc_zero(run, SIZE_MAX, SIZE_MAX, &out), KAN_FAILED);
    assert_int_equal(kan_alloc(run, SIZE_MAX, 1, &out), KAN_FAILED);
    assert_ptr_equal(out, &mark);
    assert_int_equal(kan_run_peak_memory(run), 0);
}

static void the_budget_refuses_and_names_the_remedy(void **state) {
    kan_run *run = *state;
    char mark;
    void *first = NULL, *second = &mark;
    kan_run_set_memory(run, 1000);
    assert_int_equal(kan_run_memory_left(run), 1000);
    assert_int_equal(kan_alloc(run, 600, 1, &first), KAN_OK);
    assert_int_equal(kan_run_memory_left(run), 400);
    assert_int_equal(kan_alloc(run, 401, 1, &second), KAN_FAILED);
    assert_ptr_equal(second, &mark);
    assert_non_null(strstr(kan_run_error(run), "--memory"));
    assert_int_equal(kan_run_memory_left(run), 400);
    assert_int_equal(kan_alloc(run, 400, 1, &second), KAN_OK);
    assert_int_equal(kan_run_memory_left(run), 0);
    kan_free(run, first);
    kan_free(run, second);
    assert_int_equal(kan_run_memory_left(run), 1000);
    assert_int_equal(kan_run_peak_memory(run), 1000);
}

static void without_a_budget_memory_left_is_endless(void **state) {
    kan_run *run = *state;
    assert_true(kan_run_memory_left(run) == UINT64_MAX);
    assert_int_equal(kan_run_memory_budget(run), 0);
}

static void a_resized_block_keeps_its_contents_and_its_account(void **state) {
    kan_run *run = *state;
    kan_run_set_memory(run, 1 << 20);
    uint32_t *numbers = NULL;
    assert_int_equal(kan_resize(run, 10, sizeof *numbers, &numbers), KAN_OK);
    for (uint32_t i = 0; i < 10; i++)
        numbers[i] = i * i;
    assert_int_equal(kan_resize(run, 10000, sizeof *numbers, &numbers), KAN_OK);
    assert_int_equal(kan_run_memory_left(run), (1 << 20) - 40000);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(numbers[i], i * i);
    assert_int_equal(kan_resize(run, 5, sizeof *numbers, &numbers), KAN_OK);
    assert_int_equal(kan_run_memory_left(run), (1 << 20) - 20);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(numbers[i], i * i);
    kan_free(run, numbers);
    assert_int_equal(kan_run_memory_left(run), 1 << 20);
    assert_int_equal(kan_run_peak_memory(run), 40000);
}

static void a_refused_resize_leaves_the_block_as_it_was(void **state) {
    kan_run *run = *state;
    kan_run_set_memory(run, 100);
    char *text = NULL;
    assert_int_equal(kan_resize(run, 50, 1, &text), KAN_OK);
    strcpy(text, "still here");
    char *before = text;
    assert_int_equal(kan_resize(run, 101, 1, &text), KAN_FAILED);
    assert_int_equal(kan_resize(run, SIZE_MAX, 16, &text), KAN_FAILED);
    assert_ptr_equal(text, before);
    assert_string_equal(text, "still here");
    assert_int_equal(kan_run_memory_left(run), 50);
    kan_free(run, text);
}

static void reserve_doubles_and_never_shrinks(void **state) {
    kan_run *run = *state;
    int *numbers = NULL;
    size_t capacity = 0, n_moves = 0;
    for (size_t need = 1; need <= 100000; need++) {
        size_t before = capacity;
        assert_int_equal(kan_reserve(run, need, sizeof *numbers, &capacity, &numbers), KAN_OK);
        assert_true(capacity >= need);
        assert_true(capacity >= before);
        n_moves += capacity != before;
        numbers[need - 1] = (int)need;
    }
    assert_true(n_moves < 20);
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(numbers[i], (int)i + 1);
    size_t kept = capacity;
    int *same = numbers;
    assert_int_equal(kan_reserve(run, 3, sizeof *numbers, &capacity, &numbers), KAN_OK);
    assert_int_equal(capacity, kept);
    assert_ptr_equal(numbers, same);
    assert_int_equal(kan_reserve(run, SIZE_MAX - 1, sizeof *numbers, &capacity, &numbers),
                     KAN_FAILED);
    assert_int_equal(capacity, kept);
    assert_ptr_equal(numbers, same);
    kan_free(run, numbers);
}

/* Large blocks go another way (huge pages): they must be as good as small ones. */
static void a_block_of_many_megabytes_is_usable_to_its_last_byte(void **state) {
    kan_run *run = *state;
    char *bytes = NULL;
    size_t size = (17u << 20) + 3;
    assert_int_equal(kan_alloc_zero(run, size, 1, &bytes), KAN_OK);
    assert_int_equal(bytes[0] | bytes[size / 2] | bytes[size - 1], 0);
    bytes[size - 1] = 'x';
    assert_int_equal(kan_resize(run, 2 * size, 1, &bytes), KAN_OK);
    assert_int_equal(bytes[size - 1], 'x');
    bytes[2 * size - 1] = 'y';
    kan_free(run, bytes);
    assert_int_equal(kan_run_peak_memory(run), 2 * size);
}

/* Even tasks ask for what the budget never allows, odd ones for what it always does. */
static kan_status allocate_often(void *context, size_t task, unsigned worker) {
    kan_run *run = context;
    (void)worker;
    for (int i = 0; i < 2000; i++) {
        void *memory = NULL;
        kan_status status = kan_alloc(run, task % 2 ? 10 : 100000, 1, &memory);
        if ((status == KAN_OK) != (task % 2 == 1))
            return kan_fail(run, KAN_BAD_INPUT, "task %zu got status %d", task, (int)status);
        kan_free(run, memory);
    }
    return KAN_OK;
}

static void a_refused_request_never_makes_another_thread_fail(void **state) {
    kan_run *run = *state;
    kan_run_set_threads(run, 4);
    kan_run_set_memory(run, 60000);
    kan_status status = kan_parallel(run, 16, allocate_often, run);
    if (status != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    assert_true(kan_run_peak_memory(run) <= 60000);
}

static kan_status hold_and_free(void *context, size_t task, unsigned worker) {
    kan_run *run = context;
    (void)worker;
    void *blocks[50];
    for (size_t i = 0; i < 50; i++)
        KAN_TRY(kan_alloc(run, 1 + (task * 31 + i * 7) % 999, 1, &blocks[i]));
    for (size_t i = 0; i < 50; i++)
        KAN_TRY(kan_resize(run, 1 + (task + i) % 500, 1, &blocks[i]));
    for (size_t i = 0; i < 50; i++)
        kan_free(run, blocks[i]);
    return KAN_OK;
}

static void the_account_is_even_after_many_threads(void **state) {
    kan_run *run = *state;
    kan_run_set_memory(run, 1u << 30);
    kan_run_set_threads(run, 4);
    assert_int_equal(kan_parallel(run, 2, hold_and_free, run), KAN_OK); /* the pool stays */
    uint64_t left = kan_run_memory_left(run);
    assert_int_equal(kan_parallel(run, 500, hold_and_free, run), KAN_OK);
    assert_int_equal(kan_run_memory_left(run), left);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_block_can_be_written_and_freed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_zeroed_block_is_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_elements_give_a_pointer_that_can_be_freed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_product_that_overflows_is_out_of_memory, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_budget_refuses_and_names_the_remedy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_budget_memory_left_is_endless, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_resized_block_keeps_its_contents_and_its_account, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_refused_resize_leaves_the_block_as_it_was, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(reserve_doubles_and_never_shrinks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_block_of_many_megabytes_is_usable_to_its_last_byte,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_request_never_makes_another_thread_fail, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_account_is_even_after_many_threads, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}

/* The core with failing allocations and threads: each failure is a clean error, nothing leaks (the
 * suite runs under the address sanitizer too), and the account is even afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/options.h"
#include "core/pool.h"
#include "core/text.h"
#include "fault/fault.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

/* A little of everything that allocates. */
static kan_status do_everything(kan_run *run) {
    kan_status status = KAN_OK;
    kan_arena arena;
    kan_options options;
    kan_text text;
    int *numbers = NULL;
    size_t capacity = 0;
    kan_arena_init(&arena, run);
    kan_options_init(&options, &arena);
    kan_text_init(&text, run);
    for (size_t i = 1; i < 100; i++) {
        KAN_TRY_DONE(kan_reserve(run, i, sizeof *numbers, &capacity, &numbers));
        numbers[i - 1] = (int)i;
        KAN_TRY_DONE(kan_options_add(&options, "name", "value"));
        void *memory;
        KAN_TRY_DONE(kan_arena_alloc(&arena, i, 100, &memory));
        kan_text_print(&text, "%zu %700zu", i, i);
    }
    KAN_TRY_DONE(kan_text_status(&text));
done:
    kan_free(run, numbers);
    kan_text_destroy(&text);
    kan_options_destroy(&options);
    kan_arena_destroy(&arena);
    return status;
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    uint64_t n = 0;
    for (bool is_done = false; !is_done;) {
        kan_run *run = kan_run_create();
        assert_non_null(run);
        kan_run_set_memory(run, 1u << 30);
        fault_reset();
        fault_fail_allocation_at(++n);
        kan_status status = do_everything(run);
        is_done = !fault_happened();
        fault_reset();
        assert_int_equal(status, is_done ? KAN_OK : KAN_FAILED);
        if (!is_done)
            assert_non_null(strstr(kan_run_error(run), "out of memory"));
        assert_int_equal(kan_run_memory_left(run), 1u << 30);
        kan_run_destroy(run);
    }
    assert_true(n > 50);
}

static void a_run_without_memory_is_null(void **state) {
    (void)state;
    fault_fail_allocation_at(1);
    assert_null(kan_run_create());
    assert_true(fault_happened());
}

static kan_status count_task(void *context, size_t task, unsigned worker) {
    (void)task;
    (void)worker;
    atomic_fetch_add((atomic_int *)context, 1);
    return KAN_OK;
}

static void a_pool_without_memory_is_a_clean_error(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    atomic_int count = 0;
    kan_run_set_threads(run, 4);
    fault_fail_allocation_at(1);
    assert_int_equal(kan_parallel(run, 100, count_task, &count), KAN_FAILED);
    assert_int_equal(atomic_load(&count), 0);
    fault_reset();
    assert_int_equal(kan_parallel(run, 100, count_task, &count), KAN_OK);
    assert_int_equal(atomic_load(&count), 100);
    kan_run_destroy(run);
}

static void work_is_done_when_the_system_refuses_threads(void **state) {
    (void)state;
    for (uint64_t n = 1; n <= 4; n++) {
        kan_run *run = kan_run_create();
        atomic_int count = 0;
        kan_run_set_threads(run, 4);
        fault_reset();
        fault_fail_calls_from(FAULT_THREAD, n, EAGAIN);
        assert_int_equal(kan_parallel(run, 100, count_task, &count), KAN_OK);
        assert_int_equal(atomic_load(&count), 100);
        assert_int_equal(fault_happened(), n < 4);
        kan_run_destroy(run);
    }
}

/* ---- the harness itself --------------------------------------------------------------------- */

static void the_harness_fails_the_call_that_was_named_and_no_other(void **state) {
    (void)state;
    fault_fail_allocation_at(3);
    void *volatile blocks[5];
    for (int i = 0; i < 5; i++)
        blocks[i] = malloc(10);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(blocks[i] == NULL, i == 2);
        free(blocks[i]);
    }
    assert_int_equal(fault_allocations(), 5);
    fault_reset();
    fault_fail_allocations_from(2);
    blocks[0] = malloc(10);
    blocks[1] = calloc(1, 10);
    blocks[2] = realloc(NULL, 10);
    assert_non_null(blocks[0]);
    assert_null(blocks[1]);
    assert_null(blocks[2]);
    free(blocks[0]);
}

static void the_harness_reaches_jansson(void **state) {
    (void)state;
    fault_fail_allocation_at(1);
    assert_null(json_object());
    assert_true(fault_happened());
}

static void the_harness_fills_the_disk_after_some_bytes(void **state) {
    (void)state;
    char path[] = "/tmp/kanon-fault-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    fault_fail_write_after(10, ENOSPC);
    assert_int_equal(write(file, "12345678", 8), 8);
    assert_int_equal(write(file, "12345678", 8), 2);
    errno = 0;
    assert_int_equal(write(file, "345678", 6), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(pwrite(file, "x", 1, 0), -1);
    assert_int_equal(fault_bytes_written(), 10);
    assert_int_equal(lseek(file, 0, SEEK_END), 10);
    fault_reset();
    assert_int_equal(write(file, "345678", 6), 6);
    fault_fail_call_at(FAULT_SYNC, 1, EIO);
    assert_int_equal(fsync(file), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(fsync(file), 0);
    fault_fail_call_at(FAULT_OPEN, 1, EMFILE);
    assert_int_equal(open(path, O_RDONLY), -1);
    assert_int_equal(errno, EMFILE);
    fault_fail_call_at(FAULT_RENAME, 1, EXDEV);
    assert_int_equal(rename(path, "/tmp/kanon-fault-other"), -1);
    assert_int_equal(errno, EXDEV);
    close(file);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_harness_fails_the_call_that_was_named_and_no_other,
                                        reset, reset),
        cmocka_unit_test_setup_teardown(the_harness_reaches_jansson, reset, reset),
        cmocka_unit_test_setup_teardown(the_harness_fills_the_disk_after_some_bytes, reset, reset),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_a_clean_error, reset, reset),
        cmocka_unit_test_setup_teardown(a_run_without_memory_is_null, reset, reset),
        cmocka_unit_test_setup_teardown(a_pool_without_memory_is_a_clean_error, reset, reset),
        cmocka_unit_test_setup_teardown(work_is_done_when_the_system_refuses_threads, reset, reset),
    };
    return cmocka_run_group_tests_name("fault: core", tests, NULL, NULL);
}

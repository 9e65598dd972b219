/* core/pool.h: tasks over threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/pool.h"

enum { MOST_TASKS = 5000 };

typedef struct {
    kan_run *run;
    atomic_int runs[MOST_TASKS];
    atomic_int busy[256]; /* per worker index: never two at once */
    atomic_int n_overlaps, n_started;
    size_t fails_at, fails_too_at, cancels_at, interrupts_at;
    unsigned threads;
} stage;

static stage *stage_of(kan_run *run, unsigned threads) {
    static stage one; /* too large for the stack; one test runs at a time */
    memset(&one, 0, sizeof one);
    one.run = run;
    one.fails_at = one.fails_too_at = one.cancels_at = one.interrupts_at = SIZE_MAX;
    one.threads = threads;
    kan_run_set_threads(run, threads);
    return &one;
}

static kan_status do_task(void *context, size_t task, unsigned worker) {
    stage *here = context;
    atomic_fetch_add(&here->n_started, 1);
    if (worker >= here->threads || atomic_fetch_add(&here->busy[worker], 1) != 0)
        atomic_fetch_add(&here->n_overlaps, 1);
    atomic_fetch_add(&here->runs[task], 1);
    if (task % 64 == 0)
        sched_yield();
    kan_report_progress(here->run, task % 2 ? "odd" : "even", task, MOST_TASKS);
    kan_status status = KAN_OK;
    if (task == here->cancels_at)
        kan_run_cancel(here->run);
    if (task == here->interrupts_at)
        kan_run_interrupt(here->run);
    if (task == here->fails_at || task == here->fails_too_at)
        status = kan_fail(here->run, task % 2 ? KAN_BAD_INPUT : KAN_UNSATISFIED,
                          "task %zu went wrong", task);
    else if (task > here->fails_at)
        /* A fallback: tried, failed, and done in another way. Its text must not survive. */
        (void)kan_fail(here->run, KAN_FAILED, "task %zu had no room, and did without", task);
    atomic_fetch_sub(&here->busy[worker], 1);
    return status;
}

static void expect_all_once(stage *here, size_t n) {
    for (size_t i = 0; i < MOST_TASKS; i++)
        assert_int_equal(atomic_load(&here->runs[i]), i < n);
    assert_int_equal(atomic_load(&here->n_overlaps), 0);
}

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

static void every_task_runs_once_on_any_number_of_threads(void **state) {
    static const unsigned threads[] = {1, 2, 3, 8, 40, 2, 1};
    static const size_t sizes[] = {0, 1, 2, 3, 7, 100, MOST_TASKS};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            stage *here = stage_of(*state, threads[t]);
            assert_int_equal(kan_parallel(*state, sizes[s], do_task, here), KAN_OK);
            expect_all_once(here, sizes[s]);
        }
}

static void thousands_of_short_calls_do_not_lose_a_task(void **state) {
    for (size_t round = 0; round < 3000; round++) {
        stage *here = stage_of(*state, 3);
        assert_int_equal(kan_parallel(*state, 2 + round % 5, do_task, here), KAN_OK);
        assert_int_equal(atomic_load(&here->n_started), 2 + round % 5);
    }
}

/* Status and text are those of the lowest failing task, whoever fails first by the clock. */
static void the_lowest_failing_task_decides_status_and_text(void **state) {
    kan_run *run = *state;
    for (unsigned threads = 1; threads <= 8; threads++)
        for (size_t round = 0; round < 60; round++) {
            stage *here = stage_of(run, threads);
            here->fails_at = 1 + round * 13 % 400;
            here->fails_too_at = here->fails_at + 1;
            char text[64];
            snprintf(text, sizeof text, "task %zu went wrong", here->fails_at);
            kan_status status = kan_parallel(run, 500, do_task, here);
            assert_int_equal(status, here->fails_at % 2 ? KAN_BAD_INPUT : KAN_UNSATISFIED);
            assert_string_equal(kan_run_error(run), text);
            for (size_t i = 0; i < here->fails_at; i++)
                assert_int_equal(atomic_load(&here->runs[i]), 1);
        }
}

static void after_a_failure_no_new_task_starts(void **state) {
    stage *here = stage_of(*state, 4);
    here->fails_at = 10;
    assert_int_equal(kan_parallel(*state, MOST_TASKS, do_task, here), KAN_UNSATISFIED);
    assert_int_equal(atomic_load(&here->runs[MOST_TASKS - 1]), 0);
    /* The next call starts afresh. */
    here = stage_of(*state, 4);
    assert_int_equal(kan_parallel(*state, 100, do_task, here), KAN_OK);
    expect_all_once(here, 100);
}

static void a_failure_outside_a_parallel_call_still_sets_the_text(void **state) {
    kan_run *run = *state;
    stage *here = stage_of(run, 4);
    assert_int_equal(kan_parallel(run, 100, do_task, here), KAN_OK);
    assert_int_equal(kan_fail(run, KAN_FAILED, "after the call"), KAN_FAILED);
    assert_string_equal(kan_run_error(run), "after the call");
}

static void cancelling_ends_a_parallel_call(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        kan_run *own = kan_run_create();
        stage *here = stage_of(own, threads);
        here->cancels_at = 20;
        assert_int_equal(kan_parallel(own, MOST_TASKS, do_task, here), KAN_CANCELLED);
        assert_int_equal(atomic_load(&here->runs[MOST_TASKS - 1]), 0);
        assert_non_null(strstr(kan_run_error(own), "interrupted"));
        kan_run_destroy(own);
    }
}

/* Tasks of a search look for themselves whether to stop: what they have by then is the answer. */
static void an_interrupt_of_an_anytime_search_is_no_failure_of_its_tasks(void **state) {
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        stage *here = stage_of(*state, threads);
        here->interrupts_at = 20;
        kan_anytime_begin(*state);
        assert_int_equal(kan_parallel(*state, MOST_TASKS, do_task, here), KAN_OK);
        assert_true(kan_should_stop(*state));
        assert_true(kan_anytime_end(*state));
        expect_all_once(here, MOST_TASKS);
    }
}

typedef struct {
    pthread_t caller;
    int n_calls, n_foreign;
} listener;

static void listen_to_progress(void *user, const kan_progress *progress) {
    listener *self = user;
    (void)progress;
    self->n_calls++;
    self->n_foreign += !pthread_equal(self->caller, pthread_self());
}

static void *run_elsewhere(void *argument) {
    stage *here = argument;
    listener ears = {pthread_self(), 0, 0};
    kan_run_on_progress(here->run, listen_to_progress, &ears);
    if (kan_parallel(here->run, 3000, do_task, here) != KAN_OK)
        return NULL;
    kan_report_progress(here->run, "last", 1, 1);
    kan_run_on_progress(here->run, NULL, NULL);
    return ears.n_calls > 0 && ears.n_foreign == 0 ? argument : NULL;
}

/* A run may be made by one thread and used by another. */
static void progress_comes_only_from_the_thread_that_called(void **state) {
    stage *here = stage_of(*state, 4);
    assert_ptr_equal(run_elsewhere(here), here);
    here = stage_of(*state, 4);
    pthread_t thread;
    void *told = NULL;
    assert_int_equal(pthread_create(&thread, NULL, run_elsewhere, here), 0);
    pthread_join(thread, &told);
    assert_ptr_equal(told, here);
}

typedef struct {
    size_t n_calls, n_tasks;
    int depth;
} counted;

static kan_status run_backwards(void *context, size_t n_tasks, kan_task_fn task,
                                void *task_context) {
    counted *here = context;
    here->n_calls++;
    for (size_t i = n_tasks; i-- > 0; here->n_tasks++)
        if (task(task_context, i, 0) != KAN_OK)
            return KAN_FAILED;
    return KAN_OK;
}

static void count_queue(void *context, bool begins) {
    ((counted *)context)->depth += begins ? 1 : -1;
}

/* Whoever counts work runs all tasks himself, also where there is one thread or one task. */
static void a_stand_in_runs_the_tasks_instead_of_the_threads(void **state) {
    counted here = {0};
    const kan_stand_in stand_in = {&here, run_backwards, count_queue};
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        stage *tasks = stage_of(*state, threads);
        kan_parallel_queue(tasks->run, true); /* nobody counts: it does nothing */
        kan_parallel_replace(tasks->run, &stand_in);
        kan_parallel_queue(tasks->run, true);
        assert_int_equal(kan_parallel(tasks->run, 1, do_task, tasks), KAN_OK);
        assert_int_equal(kan_parallel(tasks->run, 100, do_task, tasks), KAN_OK);
        assert_int_equal(here.depth, 1);
        kan_parallel_queue(tasks->run, false);
        kan_parallel_replace(tasks->run, NULL);
        assert_int_equal(kan_parallel(tasks->run, 100, do_task, tasks), KAN_OK);
        assert_int_equal(atomic_load(&tasks->n_started), 201);
    }
    assert_int_equal(here.n_calls, 4);
    assert_int_equal(here.n_tasks, 202);
    assert_int_equal(here.depth, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_task_runs_once_on_any_number_of_threads, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(thousands_of_short_calls_do_not_lose_a_task, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_lowest_failing_task_decides_status_and_text, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(after_a_failure_no_new_task_starts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failure_outside_a_parallel_call_still_sets_the_text,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(cancelling_ends_a_parallel_call, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            an_interrupt_of_an_anytime_search_is_no_failure_of_its_tasks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stand_in_runs_the_tasks_instead_of_the_threads, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(progress_comes_only_from_the_thread_that_called, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}

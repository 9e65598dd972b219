/* core/run.h: error text, problems, notes, progress, cancel and limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/run.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

static void a_fresh_run_has_no_error_and_sensible_limits(void **state) {
    kan_run *run = *state;
    assert_string_equal(kan_run_error(run), "");
    assert_true(kan_run_threads(run) >= 1);
    assert_int_equal(kan_run_memory_budget(run), 0);
    assert_int_equal(kan_run_peak_memory(run), 0);
    assert_false(kan_run_is_cancelled(run));
    assert_int_equal(kan_check_cancel(run), KAN_OK);
    assert_string_equal(kan_version(), KANON_VERSION);
    kan_run_destroy(NULL);
}

static void a_failure_replaces_the_text_and_returns_its_status(void **state) {
    kan_run *run = *state;
    assert_int_equal(kan_fail(run, KAN_BAD_INPUT, "%s:%d: bad", "a.csv", 41), KAN_BAD_INPUT);
    assert_string_equal(kan_run_error(run), "a.csv:41: bad");
    assert_int_equal(kan_fail(run, KAN_FAILED, "short"), KAN_FAILED);
    assert_string_equal(kan_run_error(run), "short");
}

static void a_text_without_end_is_cut_not_overrun(void **state) {
    kan_run *run = *state;
    static char endless[20000];
    memset(endless, 'x', sizeof endless - 1);
    assert_int_equal(kan_fail(run, KAN_FAILED, "%s", endless), KAN_FAILED);
    assert_true(strlen(kan_run_error(run)) > 1000);
    assert_true(strlen(kan_run_error(run)) < 16384);
}

static void no_problem_is_no_failure(void **state) {
    kan_run *run = *state;
    kan_problems_begin(run);
    assert_int_equal(kan_problems_count(run), 0);
    assert_int_equal(kan_problems_end(run), KAN_OK);
}

static void problems_are_told_together_one_per_line(void **state) {
    kan_run *run = *state;
    assert_int_equal(kan_fail(run, KAN_FAILED, "an older failure, longer than what follows"),
                     KAN_FAILED);
    kan_problems_begin(run);
    kan_problem_add(run, "line %d", 3);
    kan_problem_add(run, "line %d", 9);
    assert_int_equal(kan_problems_count(run), 2);
    assert_int_equal(kan_problems_end(run), KAN_BAD_INPUT);
    assert_string_equal(kan_run_error(run), "line 3\nline 9");
    kan_problems_begin(run);
    kan_problem_add(run, "another");
    assert_int_equal(kan_problems_end(run), KAN_BAD_INPUT);
    assert_string_equal(kan_run_error(run), "another");
}

static size_t lines_of(const char *text) {
    size_t n = 1;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void the_first_twenty_problems_are_shown_and_the_rest_counted(void **state) {
    kan_run *run = *state;
    for (size_t n = 19; n <= 23; n++) {
        kan_problems_begin(run);
        for (size_t i = 1; i <= n; i++)
            kan_problem_add(run, "line %zu", i);
        assert_int_equal(kan_problems_count(run), n);
        assert_int_equal(kan_problems_end(run), KAN_BAD_INPUT);
        assert_int_equal(lines_of(kan_run_error(run)), n <= 20 ? n : 21);
        char want[64];
        snprintf(want, sizeof want, "\nand %zu more problem%s", n - 20, n == 21 ? " " : "s ");
        assert_int_equal(strstr(kan_run_error(run), want) != NULL, n > 20);
    }
}

/* Whatever was not shown must be counted, also when long lines used up the room. */
static void long_problems_are_never_dropped_without_a_word(void **state) {
    kan_run *run = *state;
    static char line[9000];
    for (size_t size = 100; size < sizeof line; size += 211) {
        memset(line, 'x', size);
        line[size] = '\0';
        kan_problems_begin(run);
        for (int i = 0; i < 30; i++)
            kan_problem_add(run, "%s", line);
        assert_int_equal(kan_problems_end(run), KAN_BAD_INPUT);
        const char *last = strrchr(kan_run_error(run), '\n');
        size_t more = 0;
        assert_non_null(last);
        assert_int_equal(sscanf(last, "\nand %zu more", &more), 1);
        assert_int_equal(lines_of(kan_run_error(run)) - 1 + more, 30);
        assert_non_null(strstr(last, "of this kind"));
    }
}

typedef struct {
    int n;
    char last[2000];
    kan_progress progress;
} listener;

static void on_note(void *user, const char *note) {
    listener *self = user;
    self->n++;
    snprintf(self->last, sizeof self->last, "%s", note);
}

static void notes_reach_the_listener_and_nobody_else(void **state) {
    kan_run *run = *state;
    listener ears = {0};
    kan_note(run, "nobody listens");
    kan_run_on_note(run, on_note, &ears);
    kan_note(run, "%d rows were empty", 3);
    assert_int_equal(ears.n, 1);
    assert_string_equal(ears.last, "3 rows were empty");
    kan_note(run, "%1500d", 1);
    assert_int_equal(ears.n, 2);
    kan_run_on_note(run, NULL, NULL);
    kan_note(run, "nobody listens");
    assert_int_equal(ears.n, 2);
    assert_string_equal(kan_run_error(run), "");
}

static void on_progress(void *user, const kan_progress *progress) {
    listener *self = user;
    self->n++;
    self->progress = *progress;
}

static void progress_tells_each_stage_and_its_end_but_does_not_flood(void **state) {
    kan_run *run = *state;
    listener ears = {0};
    kan_report_progress(run, "read", 0, 10);
    kan_run_on_progress(run, on_progress, &ears);
    for (uint64_t i = 0; i <= 100000; i++)
        kan_report_progress(run, "read", i, 100000);
    assert_true(ears.n >= 2 && ears.n < 1000);
    assert_int_equal(ears.progress.done, 100000);
    int before = ears.n;
    kan_report_progress(run, "fold", 1, 100000);
    assert_int_equal(ears.n, before + 1);
    assert_string_equal(ears.progress.stage, "fold");
}

static void *cancel_elsewhere(void *run) {
    kan_run_cancel(run);
    return NULL;
}

static void cancelling_works_from_another_thread_and_stays(void **state) {
    kan_run *run = *state;
    pthread_t thread;
    assert_false(kan_should_stop(run));
    assert_int_equal(pthread_create(&thread, NULL, cancel_elsewhere, run), 0);
    pthread_join(thread, NULL);
    assert_true(kan_run_is_cancelled(run));
    assert_true(kan_should_stop(run));
    assert_int_equal(kan_check_cancel(run), KAN_CANCELLED);
    assert_int_equal(kan_check_cancel(run), KAN_CANCELLED);
    assert_non_null(strstr(kan_run_error(run), "no result was written"));
}

static kan_run *signalled;

static void on_signal(int number) {
    (void)number;
    kan_run_cancel(signalled);
}

static void on_interrupt(int number) {
    (void)number;
    kan_run_interrupt(signalled);
}

static void cancelling_works_from_a_signal_handler(void **state) {
    signalled = *state;
    void (*before)(int) = signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    signal(SIGUSR1, before);
    assert_true(kan_run_is_cancelled(*state));
}

static void interrupting_works_from_a_signal_handler(void **state) {
    signalled = *state;
    void (*before)(int) = signal(SIGUSR1, on_interrupt);
    kan_anytime_begin(*state);
    raise(SIGUSR1);
    assert_false(kan_run_is_cancelled(*state));
    assert_true(kan_anytime_end(*state));
    raise(SIGUSR1);
    assert_true(kan_run_is_cancelled(*state));
    signal(SIGUSR1, before);
}

static void an_interrupt_cancels_where_no_anytime_search_runs(void **state) {
    kan_run *run = *state;
    assert_false(kan_anytime_end(run));
    kan_run_interrupt(run);
    assert_true(kan_run_is_cancelled(run));
    assert_true(kan_should_stop(run));
    assert_int_equal(kan_check_cancel(run), KAN_CANCELLED);
    assert_string_equal(kan_run_error(run), "interrupted; no result was written");
}

static void an_interrupt_stops_an_anytime_search_and_is_consumed_by_its_end(void **state) {
    kan_run *run = *state;
    kan_anytime_begin(run);
    assert_false(kan_should_stop(run));
    kan_run_interrupt(run);
    assert_true(kan_should_stop(run));
    assert_false(kan_run_is_cancelled(run));
    assert_int_equal(kan_check_cancel(run), KAN_CANCELLED);
    assert_non_null(strstr(kan_run_error(run), "before an answer was found"));
    assert_true(kan_anytime_end(run));
    assert_false(kan_anytime_end(run));
    assert_false(kan_should_stop(run));
    assert_int_equal(kan_check_cancel(run), KAN_OK);
    kan_anytime_begin(run);
    assert_false(kan_anytime_end(run));
    kan_run_interrupt(run);
    assert_true(kan_run_is_cancelled(run));
}

static void a_second_interrupt_cancels_an_anytime_search(void **state) {
    kan_run *run = *state;
    kan_anytime_begin(run);
    kan_run_interrupt(run);
    kan_run_interrupt(run);
    assert_true(kan_run_is_cancelled(run));
    assert_true(kan_anytime_end(run));
    assert_int_equal(kan_check_cancel(run), KAN_CANCELLED);
    assert_string_equal(kan_run_error(run), "interrupted; no result was written");
}

static void *interrupt_elsewhere(void *run) {
    kan_run_interrupt(run);
    return NULL;
}

/* Whichever is first, the interrupt or the end of the search: it is heeded, once. */
static void an_interrupt_at_the_end_of_a_search_is_never_lost(void **state) {
    (void)state;
    int n_stopped = 0;
    for (int round = 0; round < 300; round++) {
        kan_run *run = kan_run_create();
        pthread_t thread;
        kan_anytime_begin(run);
        assert_int_equal(pthread_create(&thread, NULL, interrupt_elsewhere, run), 0);
        for (volatile int pause = 0; pause < round * 2000; pause++)
            ;
        const bool is_stopped = kan_anytime_end(run);
        pthread_join(thread, NULL);
        assert_int_equal(is_stopped, !kan_run_is_cancelled(run));
        n_stopped += is_stopped;
        kan_run_destroy(run);
    }
    print_message("%d of 300 interrupts came before the end\n", n_stopped);
}

static void a_search_tells_its_best_and_its_bound_but_does_not_flood(void **state) {
    kan_run *run = *state;
    listener ears = {0};
    kan_report_search(run, "states", 1, 0, true, 2, 1); /* nobody listens */
    kan_run_on_progress(run, on_progress, &ears);
    kan_report_search(run, "states", 0, 0, false, 0, 0);
    assert_int_equal(ears.n, 1);
    assert_string_equal(ears.progress.stage, "search");
    assert_false(ears.progress.has_best);
    assert_false(ears.progress.has_bound);
    const double start = kan_now_ms();
    for (int i = 0; i < 100000; i++)
        kan_report_search(run, "states", 0, 0, false, 0, 0);
    /* at most twenty times a second, however long it took */
    assert_true(ears.n <= 2 + (kan_now_ms() - start) / 50);
    const struct timespec pause = {0, 60000000};
    nanosleep(&pause, NULL);
    kan_report_search(run, "states", 7, 0, true, 12.5, 3.25);
    assert_int_equal(ears.progress.done, 7);
    assert_int_equal(ears.progress.total, 0);
    assert_true(ears.progress.has_best && ears.progress.best == 12.5);
    assert_true(ears.progress.has_bound && ears.progress.bound == 3.25);
    kan_report_progress(run, "write", 1, 2);
    assert_false(ears.progress.has_best || ears.progress.has_bound);
}

static void the_time_limit_ends_long_work_and_names_the_remedy(void **state) {
    kan_run *run = *state;
    kan_run_set_time_limit(run, 3600);
    assert_false(kan_should_stop(run));
    assert_int_equal(kan_check_cancel(run), KAN_OK);
    kan_run_set_time_limit(run, 0.001);
    const struct timespec pause = {0, 5000000};
    nanosleep(&pause, NULL);
    assert_true(kan_should_stop(run));
    assert_false(kan_run_is_cancelled(run));
    assert_int_equal(kan_check_cancel(run), KAN_UNSATISFIED);
    assert_non_null(strstr(kan_run_error(run), "--time-limit"));
    kan_run_set_time_limit(run, 0);
    assert_int_equal(kan_check_cancel(run), KAN_OK);
}

static void settings_are_kept(void **state) {
    kan_run *run = *state;
    kan_run_set_threads(run, 3);
    assert_int_equal(kan_run_threads(run), 3);
    kan_run_set_threads(run, 0);
    assert_true(kan_run_threads(run) >= 1);
    kan_run_set_threads(run, 4000000000u);
    assert_true(kan_run_threads(run) >= 1 && kan_run_threads(run) <= 1024);
    kan_run_set_seed(run, 99);
    assert_int_equal(kan_run_seed(run), 99);
    kan_run_set_memory(run, 12345);
    assert_int_equal(kan_run_memory_budget(run), 12345);
}

static void the_clock_never_goes_back(void **state) {
    (void)state;
    double last = kan_now_ms();
    for (int i = 0; i < 1000; i++) {
        double now = kan_now_ms();
        assert_true(now >= last);
        last = now;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fresh_run_has_no_error_and_sensible_limits, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_failure_replaces_the_text_and_returns_its_status, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_text_without_end_is_cut_not_overrun, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_problem_is_no_failure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(problems_are_told_together_one_per_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_twenty_problems_are_shown_and_the_rest_counted,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_problems_are_never_dropped_without_a_word, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(notes_reach_the_listener_and_nobody_else, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(progress_tells_each_stage_and_its_end_but_does_not_flood,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(cancelling_works_from_another_thread_and_stays, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(cancelling_works_from_a_signal_handler, set_up, tear_down),
        cmocka_unit_test_setup_teardown(interrupting_works_from_a_signal_handler, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_interrupt_cancels_where_no_anytime_search_runs, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            an_interrupt_stops_an_anytime_search_and_is_consumed_by_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_second_interrupt_cancels_an_anytime_search, set_up,
                                        tear_down),
        cmocka_unit_test(an_interrupt_at_the_end_of_a_search_is_never_lost),
        cmocka_unit_test_setup_teardown(a_search_tells_its_best_and_its_bound_but_does_not_flood,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_time_limit_ends_long_work_and_names_the_remedy, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(settings_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_clock_never_goes_back, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}

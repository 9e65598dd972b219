/* Interrupts of whole jobs and of searches that return their best so far. Searches made for this
 * test interrupt themselves, so that every interrupt comes exactly when it is meant to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "job/solution/solution.h"

enum { N_COLUMNS = 4, N_ROWS = 2000 };

typedef struct {
    kan_run *run;
    kan_table *table;
    kan_job *job;
    unsigned n_notes;
    char note[1024];           /* the last */
    char interrupts_at[3][16]; /* stages that interrupt as they begin; "" ends the list */
    size_t n_interrupts;
} scene;

static void on_note(void *user, const char *note) {
    scene *here = user;
    here->n_notes++;
    snprintf(here->note, sizeof here->note, "%s", note);
}

static void on_progress(void *user, const kan_progress *progress) {
    scene *here = user;
    if (strcmp(here->interrupts_at[here->n_interrupts], progress->stage) == 0) {
        here->n_interrupts++;
        kan_run_interrupt(here->run);
    }
}

static void fill_table(scene *here) {
    static const char *const names[N_COLUMNS] = {"a", "b", "c", "d"};
    uint32_t x = 1;
    assert_int_equal(kan_table_create(here->run, N_COLUMNS, names, &here->table), KAN_OK);
    for (unsigned row = 0; row < N_ROWS; row++) {
        char text[N_COLUMNS][12];
        const char *values[N_COLUMNS];
        for (unsigned c = 0; c < N_COLUMNS; c++) {
            x = x * 1664525 + 1013904223;
            snprintf(text[c], sizeof text[c], "%u", x >> 27);
            values[c] = text[c];
        }
        assert_int_equal(kan_table_add_row(here->table, values), KAN_OK);
    }
}

static int set_up(void **state) {
    static scene here;
    memset(&here, 0, sizeof here);
    here.run = kan_run_create();
    assert_non_null(here.run);
    fill_table(&here);
    assert_int_equal(kan_job_create(here.run, &here.job), KAN_OK);
    assert_int_equal(kan_job_use_table(here.job, here.table), KAN_OK);
    assert_int_equal(kan_job_set(here.job, "k", "3"), KAN_OK);
    for (char column = 'a'; column < 'a' + N_COLUMNS; column++) {
        char quasi[32];
        snprintf(quasi, sizeof quasi, "%c=intervals:2,4,8,16", column);
        assert_int_equal(kan_job_set(here.job, "qi", quasi), KAN_OK);
    }
    kan_run_on_note(here.run, on_note, &here);
    kan_run_on_progress(here.run, on_progress, &here);
    *state = &here;
    return 0;
}

static int tear_down(void **state) {
    scene *here = *state;
    kan_job_destroy(here->job);
    kan_table_destroy(here->table);
    kan_run_destroy(here->run);
    return 0;
}

/* ---- searches of all manners ---------------------------------------------------------------- */

/* The most general node, which keeps any promise that can be kept. */
static void answer_top(const kan_question *question, kan_answer *out) {
    const kan_space *space = &question->problem->space;
    memset(out, 0, sizeof *out);
    out->is_found = true;
    out->recoding.n_attributes = space->n_attributes;
    for (unsigned a = 0; a < space->n_attributes; a++)
        out->recoding.levels[a] = (uint8_t)space->dimensions[a].height;
    out->score = kan_score_whole((kan_u128)N_ROWS * N_ROWS);
    out->bound = 0.6 * N_ROWS * N_ROWS;
}

static kan_status stops_with_its_best(kan_run *run, const kan_question *question, kan_answer *out) {
    assert_false(kan_should_stop(run));
    kan_run_interrupt(run);
    assert_true(kan_should_stop(run));
    assert_false(kan_run_is_cancelled(run));
    answer_top(question, out);
    return KAN_OK;
}

static kan_status knows_no_bound(kan_run *run, const kan_question *question, kan_answer *out) {
    KAN_TRY(stops_with_its_best(run, question, out));
    out->bound = 0;
    return KAN_OK;
}

static kan_status has_proven_it(kan_run *run, const kan_question *question, kan_answer *out) {
    KAN_TRY(stops_with_its_best(run, question, out));
    out->is_optimal = true;
    return KAN_OK;
}

static kan_status has_found_nothing(kan_run *run, const kan_question *question, kan_answer *out) {
    (void)question;
    kan_run_interrupt(run);
    memset(out, 0, sizeof *out);
    return KAN_OK;
}

static kan_status is_interrupted_twice(kan_run *run, const kan_question *question,
                                       kan_answer *out) {
    KAN_TRY(stops_with_its_best(run, question, out));
    kan_run_interrupt(run);
    assert_true(kan_run_is_cancelled(run));
    return KAN_OK;
}

static kan_status asks_whether_to_go_on(kan_run *run, const kan_question *question,
                                        kan_answer *out) {
    answer_top(question, out);
    kan_run_interrupt(run);
    return kan_check_cancel(run);
}

static kan_status takes_too_long(kan_run *run, const kan_question *question, kan_answer *out) {
    const struct timespec pause = {0, 2000000};
    (void)question;
    kan_run_set_time_limit(run, 0.001); /* from now on: what came before may take its time */
    while (!kan_should_stop(run))
        nanosleep(&pause, NULL);
    memset(out, 0, sizeof *out);
    return KAN_OK;
}

typedef kan_status (*manner)(kan_run *, const kan_question *, kan_answer *);

/* Makes the search of the given manner a part of the job; returns how it ended. */
static kan_status find(scene *here, manner search, bool is_anytime) {
    const kan_search_kind kind = {.kind = {.name = "strange", .summary = "a search for tests"},
                                  .is_anytime = is_anytime,
                                  .search = search};
    kan_setup setup;
    kan_solution solution = {.setup = &setup};
    assert_int_equal(kan_setup_make(here->job, &setup), KAN_OK);
    setup.search = &kind;
    here->n_notes = 0;
    const kan_status status =
        kan_solution_find(&setup, &(kan_solution_wants){.release = true}, &solution);
    kan_solution_destroy(&solution);
    kan_setup_destroy(&setup);
    return status;
}

static void an_interrupted_anytime_search_gives_its_best_and_a_note(void **state) {
    scene *here = *state;
    assert_int_equal(find(here, stops_with_its_best, true), KAN_OK);
    assert_int_equal(here->n_notes, 1);
    assert_non_null(strstr(here->note, "interrupted"));
    assert_non_null(strstr(here->note, "40.0 % less"));
    assert_false(kan_should_stop(here->run));
    assert_int_equal(kan_check_cancel(here->run), KAN_OK);
    assert_int_equal(find(here, knows_no_bound, true), KAN_OK);
    assert_int_equal(here->n_notes, 1);
    assert_non_null(strstr(here->note, "is not known"));
    assert_int_equal(find(here, has_proven_it, true), KAN_OK);
    assert_int_equal(here->n_notes, 0);
}

/* Whoever was stopped has not seen that nothing keeps the promise. */
static void interrupted_with_nothing_found_ends_with_130_and_says_so(void **state) {
    scene *here = *state;
    assert_int_equal(find(here, has_found_nothing, true), KAN_CANCELLED);
    assert_string_equal(kan_run_error(here->run),
                        "interrupted before an answer was found; no result was written");
    assert_int_equal(find(here, asks_whether_to_go_on, true), KAN_CANCELLED);
    assert_false(kan_run_is_cancelled(here->run));
    assert_int_equal(here->n_notes, 0);
}

static void out_of_time_with_nothing_found_ends_with_3_and_says_so(void **state) {
    scene *here = *state;
    assert_int_equal(find(here, takes_too_long, true), KAN_UNSATISFIED);
    assert_non_null(strstr(kan_run_error(here->run), "--time-limit"));
}

static void a_second_interrupt_of_an_anytime_search_cancels(void **state) {
    scene *here = *state;
    (void)find(here, is_interrupted_twice, true);
    assert_int_equal(kan_check_cancel(here->run), KAN_CANCELLED);
    assert_string_equal(kan_run_error(here->run), "interrupted; no result was written");
}

static void an_interrupt_of_any_other_search_cancels(void **state) {
    scene *here = *state;
    assert_int_equal(find(here, asks_whether_to_go_on, false), KAN_CANCELLED);
    assert_true(kan_run_is_cancelled(here->run));
    assert_string_equal(kan_run_error(here->run), "interrupted; no result was written");
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static kan_status anonymize(scene *here, const char *first, const char *second,
                            kan_result **result) {
    snprintf(here->interrupts_at[0], sizeof here->interrupts_at[0], "%s", first);
    snprintf(here->interrupts_at[1], sizeof here->interrupts_at[1], "%s", second);
    *result = NULL;
    return kan_job_run(here->job, "anonymize", result);
}

static void an_interrupted_job_releases_what_bisect_had_found(void **state) {
    scene *here = *state;
    kan_result *result;
    assert_int_equal(anonymize(here, "search", "", &result), KAN_OK);
    assert_int_equal(here->n_interrupts, 1);
    assert_true(kan_result_holds(result));
    assert_non_null(strstr(kan_result_json(result), "\"optimal\": false"));
    assert_non_null(strstr(kan_result_json(result), "\"verified\": true"));
    assert_non_null(strstr(kan_result_summary(result), "when it was interrupted: not proven"));
    assert_int_equal(kan_table_n_rows(kan_result_table(result)), N_ROWS);
    assert_non_null(strstr(here->note, "the search was interrupted"));
    kan_result_destroy(result);
}

static void after_the_search_a_further_interrupt_cancels(void **state) {
    scene *here = *state;
    kan_result *result;
    assert_int_equal(anonymize(here, "search", "apply", &result), KAN_CANCELLED);
    assert_int_equal(here->n_interrupts, 2);
    assert_null(result);
    assert_string_equal(kan_run_error(here->run), "interrupted; no result was written");
}

static void before_the_search_an_interrupt_cancels(void **state) {
    scene *here = *state;
    kan_result *result;
    kan_run_interrupt(here->run);
    assert_int_equal(anonymize(here, "", "", &result), KAN_CANCELLED);
    assert_null(result);
    assert_string_equal(kan_run_error(here->run), "interrupted; no result was written");
}

/* A certificate proves that nothing is better; the best so far has none. */
static void where_a_certificate_is_wanted_an_interrupt_cancels(void **state) {
    scene *here = *state;
    kan_result *result;
    char folder[] = "/tmp/kanon-anytime-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.json", folder);
    assert_int_equal(kan_job_set(here->job, "certificate", path), KAN_OK);
    assert_int_equal(anonymize(here, "search", "", &result), KAN_CANCELLED);
    assert_int_equal(here->n_interrupts, 1);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
}

typedef struct {
    kan_run *run;
    long after_us;
} waker;

static void *interrupt_later(void *context) {
    const waker *self = context;
    const struct timespec pause = {0, self->after_us * 1000};
    nanosleep(&pause, NULL);
    kan_run_interrupt(self->run);
    return NULL;
}

/* Whenever it comes: a release that holds, or nothing at all. */
static void an_interrupt_at_any_moment_on_several_threads_never_spoils_a_release(void **state) {
    unsigned n_stopped = 0, n_cancelled = 0;
    for (unsigned round = 0; round < 60; round++) {
        scene *here = *state;
        kan_result *result;
        pthread_t thread;
        waker self = {here->run, 100 * (long)(round % 30)};
        assert_int_equal(kan_job_set(here->job, "threads", "3"), KAN_OK);
        assert_int_equal(pthread_create(&thread, NULL, interrupt_later, &self), 0);
        const kan_status status = anonymize(here, "", "", &result);
        pthread_join(thread, NULL);
        if (status == KAN_OK) {
            assert_true(kan_result_holds(result));
            assert_int_equal(kan_table_n_rows(kan_result_table(result)), N_ROWS);
            n_stopped += strstr(kan_result_json(result), "\"optimal\": false") != NULL;
        } else {
            assert_int_equal(status, KAN_CANCELLED);
            assert_null(result);
            n_cancelled++;
        }
        kan_result_destroy(result);
        tear_down(state);
        set_up(state);
    }
    print_message("of 60 jobs %u were cancelled, %u gave their best so far\n", n_cancelled,
                  n_stopped);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_interrupted_anytime_search_gives_its_best_and_a_note,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(interrupted_with_nothing_found_ends_with_130_and_says_so,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(out_of_time_with_nothing_found_ends_with_3_and_says_so,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_second_interrupt_of_an_anytime_search_cancels, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_interrupt_of_any_other_search_cancels, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_interrupted_job_releases_what_bisect_had_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(after_the_search_a_further_interrupt_cancels, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(before_the_search_an_interrupt_cancels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            an_interrupt_at_any_moment_on_several_threads_never_spoils_a_release, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(where_a_certificate_is_wanted_an_interrupt_cancels, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("anytime", tests, NULL, NULL);
}

/* Searches by local recoding with failing allocations and with Ctrl-C: each failure is a clean
 * error, nothing leaks (the suite runs under the address sanitizer too), and the account is even
 * afterwards. */
#include <stdio.h>
#include <stdlib.h>

#include "fault/search_faults.h"
#include "support/plain_local.h"
#include "support/random_problem.h"

enum { N_SEARCHES = 5 };
static const kan_search_kind *const searches[N_SEARCHES] = {
    &kan_search_progressive, &kan_search_top_down, &kan_search_forest, &kan_search_cover,
    &kan_search_iterate};

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

/* What is asked: no models, trunks, rows that must be left out, classes that must be joined. */
typedef struct {
    const char *alpha, *refined, *l, *improve;
    bool is_named, has_person; /* the first of both columns says whose a row is */
    uint64_t k, limit;
} variant;

static const variant variants[] = {
    {.k = 3},
    {.k = 2, .alpha = "0.4", .is_named = true},
    {.k = 2, .alpha = "0.15", .is_named = true, .limit = 50},
    {.k = 3, .alpha = "0.5"},
    {.k = 2, .alpha = "0.25", .refined = "true"},
    {.k = 2, .l = "2", .limit = 3},
    {.k = 2, .alpha = "0.4", .is_named = true, .improve = "5"},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };
static const variant of_people = {.k = 3, .limit = 5, .has_person = true};

typedef struct {
    plain_table plain;
    test_problem made;
    test_asked asked;
} scene;

static void add_option(scene *s, const char *name, const char *value) {
    if (value)
        EXPECT_OK(s->made.run, kan_options_add(&s->asked.options, name, value));
}

static void add_model(scene *s, const kan_privacy_kind *kind) {
    EXPECT_OK(s->made.run, kan_promise_add(&s->asked.promise, s->made.run, &s->asked.arena, kind,
                                           &s->asked.options, &s->made.problem));
}

static size_t n_rows = 120;

/* Two sensitive columns of few values, repeated rows. */
static void scene_begin(kan_run *run, const variant *v, scene *s) {
    const random_spec spec = {.least_attributes = 3,
                              .most_attributes = 3,
                              .least_rows = n_rows,
                              .most_rows = n_rows,
                              .most_leaves = 12,
                              .most_height = 3,
                              .most_tails = 2};
    uint64_t random = 11;
    do {
        random_plain(&spec, &random, &s->plain);
        const plain_attribute *of = s->plain.attributes;
        if (s->plain.n_tails == 2 && s->plain.class_tail == KAN_NO_TAIL &&
            of[0].n_leaves * of[1].n_leaves * of[2].n_leaves > 300)
            break;
        plain_destroy(&s->plain);
    } while (true);
    for (size_t row = 0; row < s->plain.n_rows; row++) { /* a third is c0 */
        const uint64_t value = kan_random_below(&random, 6);
        snprintf(plain_cell(&s->plain, row, 3), PLAIN_LABEL, "c%d", (int)value / 2);
        snprintf(plain_cell(&s->plain, row, 4), PLAIN_LABEL, "d%d", (int)(value + row) % 4);
        if (v->has_person)
            snprintf(plain_cell(&s->plain, row, 3), PLAIN_LABEL, "p%d", (int)(row % 40));
    }
    test_problem_make(run, &s->plain, &s->made);
    s->made.problem.has_person = v->has_person;
    s->made.problem.n_people = v->has_person ? 40 : 0;
    const test_question question = {
        .cost = &kan_cost_ncp, .k = v->k, .limit = v->limit, .wants_best_alone = true};
    test_ask(&s->made, &question, &s->asked);
    add_option(s, "alpha", v->alpha);
    add_option(s, "refined", v->refined);
    add_option(s, "l", v->l);
    add_option(s, "improve", v->improve);
    if (v->is_named)
        add_option(s, "alpha-value", "c0");
    if (v->alpha)
        add_model(s, &kan_privacy_alpha);
    if (v->l)
        add_model(s, &kan_privacy_l_diversity);
}

static void scene_end(scene *s) {
    test_asked_destroy(&s->asked);
    test_problem_destroy(&s->made);
    plain_destroy(&s->plain);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    for (size_t i = 0; i < N_VARIANTS; i++) {
        kan_run *run = kan_run_create();
        scene s;
        scene_begin(run, &variants[i], &s);
        for (size_t j = 0; j < N_SEARCHES; j++)
            expect_failures_are_clean(run, searches[j], &s.asked.question,
                                      searches[j] == &kan_search_iterate ? 64 : UINT64_MAX);
        scene_end(&s);
        kan_run_destroy(run);
    }
}

static void so_is_every_one_where_people_are_counted(void **state) {
    (void)state;
    for (unsigned by_person = 0; by_person < 2; by_person++) {
        kan_run *run = kan_run_create();
        scene s;
        scene_begin(run, &of_people, &s);
        s.asked.promise.by_person = by_person;
        for (size_t j = 0; j < N_SEARCHES; j++)
            if (searches[j]->counts_people)
                expect_failures_are_clean(run, searches[j], &s.asked.question,
                                          searches[j] == &kan_search_iterate ? 64 : UINT64_MAX);
        scene_end(&s);
        kan_run_destroy(run);
    }
}

/* Sets of few rows, all of them. */
static void so_is_every_one_of_a_cover_by_all_sets(void **state) {
    kan_run *run = kan_run_create();
    const size_t before = n_rows;
    scene s;
    (void)state;
    n_rows = 14;
    scene_begin(run, &variants[0], &s);
    add_option(&s, "sets", "all");
    expect_every_failure_is_clean(run, &kan_search_cover, &s.asked.question);
    scene_end(&s);
    kan_run_destroy(run);
    n_rows = before;
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Enough tuples for tasks of several threads; of so many allocations not each one is tried. */
static void a_failure_on_any_thread_is_a_clean_error(void **state) {
    kan_run *run = kan_run_create();
    scene s;
    (void)state;
    n_rows = 1500;
    kan_run_set_threads(run, 2);
    kan_run_set_memory(run, UINT64_C(1) << 30);
    scene_begin(run, &variants[1], &s);
    assert_true(kan_problem_tuples(&s.made.problem) > 512);
    expect_failures_are_clean(run, &kan_search_top_down, &s.asked.question, 8);
    scene_end(&s);
    kan_run_destroy(run);
    n_rows = 120;
}

/* ---- Ctrl-C --------------------------------------------------------------------------------- */

/* A model that every group keeps, and that stops the run at one of the times when it is asked. */
static struct {
    kan_run *run;
    uint64_t n_asked, stops_at;
    void (*stop)(kan_run *run);
} stopper;

static kan_status create_nothing(kan_run *run, kan_arena *arena, const kan_options *options,
                                 const kan_problem *problem, void **state) {
    (void)run;
    (void)arena;
    (void)options;
    (void)problem;
    *state = NULL;
    return KAN_OK;
}

static uint64_t one_row(const void *state) {
    (void)state;
    return 1;
}

static bool limits_nothing(const void *state, unsigned tail, uint32_t value) {
    (void)state;
    (void)tail;
    (void)value;
    return false;
}

static void check_and_stop(const void *state, const kan_groups *groups, size_t first, size_t end,
                           uint8_t *ok) {
    (void)state;
    (void)groups;
    (void)first;
    (void)end;
    (void)ok;
    if (++stopper.n_asked == stopper.stops_at)
        stopper.stop(stopper.run);
}

static const kan_privacy_kind stopping = {.kind = {.name = "stopping", .summary = ""},
                                          .survives_merge = true,
                                          .absorbs_any = true,
                                          .create = create_nothing,
                                          .limits = limits_nothing,
                                          .least_size = one_row,
                                          .check = check_and_stop};

/* What the models of a variant are by their definition. */
static void name_models(const scene *s, const variant *v, plain_privacy *out) {
    plain_privacy_init(out, &s->plain);
    out->k = v->k;
    if (!v->alpha)
        return;
    out->alpha = (uint64_t)(atof(v->alpha) * 100 + 0.5);
    out->alpha_parts = 100;
    out->n_named = 1;
    strcpy(out->named[0], "c0");
}

typedef struct {
    unsigned n_found, n_stopped;
} outcomes;

/* Whoever cancels gets nothing; an interrupt leaves what was found by then, if it was: a release
 * that keeps the promise. */
static void stop_once(const variant *v, const kan_search_kind *search, outcomes *seen) {
    kan_run *run = kan_run_create();
    kan_answer answer;
    plain_privacy models;
    scene s;
    scene_begin(run, v, &s);
    add_model(&s, &stopping);
    name_models(&s, v, &models);
    stopper.run = run;
    stopper.n_asked = 0;
    const uint64_t left = kan_run_memory_left(run);
    if (stopper.stop == kan_run_interrupt)
        kan_anytime_begin(run);
    const kan_status status = search->search(run, &s.asked.question, &answer);
    if (status == KAN_OK && answer.is_found) {
        expect_local_is_right(&s.made, &models, v->limit, &answer);
        seen->n_found++;
    } else { /* not "there is none" */
        assert_int_equal(kan_check_cancel(run), KAN_CANCELLED);
        seen->n_stopped++;
    }
    if (status == KAN_OK)
        kan_answer_destroy(run, &answer);
    else
        assert_int_equal(status, KAN_CANCELLED);
    assert_int_equal(kan_run_memory_left(run), left);
    plain_privacy_destroy(&models, NULL);
    scene_end(&s);
    kan_run_destroy(run);
}

/* At one time after the other, until a run is over before. */
static void expect_every_stop_is_clean(const variant *v, const kan_search_kind *search,
                                       void (*stop)(kan_run *run)) {
    outcomes seen = {0, 0};
    stopper.stop = stop;
    stopper.stops_at = 0;
    do {
        stopper.stops_at += 1 + stopper.stops_at / 8;
        stop_once(v, search, &seen);
    } while (stopper.n_asked >= stopper.stops_at);
    assert_true(seen.n_found > 0 && seen.n_stopped > 0);
}

static void a_search_can_be_stopped_at_any_time(void **state) {
    static const size_t asked[] = {0, 2, N_VARIANTS - 1};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t s = 0; s < N_SEARCHES; s++) {
            expect_every_stop_is_clean(&variants[asked[i]], searches[s], kan_run_cancel);
            expect_every_stop_is_clean(&variants[asked[i]], searches[s], kan_run_interrupt);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, reset),
        cmocka_unit_test_teardown(so_is_every_one_where_people_are_counted, reset),
        cmocka_unit_test_teardown(so_is_every_one_of_a_cover_by_all_sets, reset),
        cmocka_unit_test_teardown(a_failure_on_any_thread_is_a_clean_error, reset),
        cmocka_unit_test_teardown(a_search_can_be_stopped_at_any_time, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

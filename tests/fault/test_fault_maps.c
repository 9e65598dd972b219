/* Searches by maps with failing allocations and with an interrupt: each failure is a clean error,
 * nothing leaks (the suite runs under the address sanitizer too), and the account is even
 * afterwards; whoever interrupts gets a release that keeps the promise. */
#include <stdio.h>
#include <stdlib.h>

#include "fault/search_faults.h"
#include "support/random_problem.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

static const kan_search_kind *const searches[] = {
    &kan_search_unrestricted, &kan_search_full_subgraph, &kan_search_unrestricted_multi};
enum { N_SEARCHES = sizeof searches / sizeof *searches };

typedef struct {
    const kan_cost_kind *cost;
    const char *l;
    uint64_t k, limit;
    bool has_person, histories; /* the tail says whose a row is */
} variant;

static const variant variants[] = {
    {.cost = &kan_cost_ncp, .k = 3},
    {.cost = &kan_cost_discernibility, .k = 2, .l = "2", .limit = 3},
    {.cost = &kan_cost_classification, .k = 3},
    {.cost = &kan_cost_ncp, .k = 2, .limit = 3, .has_person = true},
    {.cost = &kan_cost_discernibility, .k = 1, .has_person = true, .histories = true},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

typedef struct {
    plain_table plain;
    test_problem made;
    test_asked asked;
} scene;

static void scene_begin(kan_run *run, const variant *v, scene *s) {
    const random_spec spec = {.least_attributes = 3,
                              .most_attributes = 3,
                              .least_rows = 24,
                              .most_rows = 24,
                              .most_leaves = 6,
                              .most_height = 2,
                              .most_tails = 1};
    uint64_t random = 5;
    do {
        random_plain(&spec, &random, &s->plain);
        if (s->plain.n_tails == 1 && s->plain.class_tail == KAN_NO_TAIL)
            break;
        plain_destroy(&s->plain);
    } while (true);
    if (v->cost == &kan_cost_classification)
        s->plain.class_tail = 0;
    for (size_t row = 0; row < s->plain.n_rows; row++)
        snprintf(plain_cell(&s->plain, row, 3), PLAIN_LABEL, "c%d",
                 (int)kan_random_below(&random, 4));
    test_problem_make(run, &s->plain, &s->made);
    const test_question question = {
        .cost = v->cost, .k = v->k, .limit = v->limit, .wants_best_alone = true};
    s->made.problem.has_person = v->has_person;
    s->made.problem.n_people = s->made.table->columns[3].dictionary.n;
    test_ask(&s->made, &question, &s->asked);
    s->asked.promise.by_person = v->has_person;
    s->asked.promise.histories = v->histories;
    EXPECT_OK(run, kan_options_add(&s->asked.options, "prove", "40"));
    if (!v->l)
        return;
    EXPECT_OK(run, kan_options_add(&s->asked.options, "l", v->l));
    EXPECT_OK(run, kan_promise_add(&s->asked.promise, run, &s->asked.arena,
                                   &kan_privacy_l_diversity, &s->asked.options, &s->made.problem));
}

static void scene_end(scene *s) {
    test_asked_destroy(&s->asked);
    test_problem_destroy(&s->made);
    plain_destroy(&s->plain);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    for (size_t i = 0; i < N_VARIANTS; i++)
        for (size_t j = 0; j < N_SEARCHES; j++) {
            kan_run *run = kan_run_create();
            scene s;
            scene_begin(run, &variants[i], &s);
            expect_every_failure_is_clean(run, searches[j], &s.asked.question);
            scene_end(&s);
            kan_run_destroy(run);
        }
}

/* ---- an interrupt --------------------------------------------------------------------------- */

/* A model that every group keeps, and that stops the run at one of the times when it is asked. */
static struct {
    kan_run *run;
    uint64_t n_asked, stops_at;
} stopper;

static kan_status create_nothing(kan_run *run, kan_arena *arena, const kan_options *options,
                                 const kan_problem *problem, void **out) {
    (void)run;
    (void)arena;
    (void)options;
    (void)problem;
    *out = NULL;
    return KAN_OK;
}

static uint64_t one_row(const void *state) {
    (void)state;
    return 1;
}

static void check_and_stop(const void *state, const kan_groups *groups, size_t first, size_t end,
                           uint8_t *ok) {
    (void)state;
    (void)groups;
    (void)first;
    (void)end;
    (void)ok;
    if (++stopper.n_asked == stopper.stops_at)
        kan_run_interrupt(stopper.run);
}

static const kan_privacy_kind stopping = {.kind = {.name = "stopping", .summary = ""},
                                          .survives_merge = true,
                                          .absorbs_any = true,
                                          .create = create_nothing,
                                          .least_size = one_row,
                                          .check = check_and_stop};

/* Every region has k rows, and all rows are in one. */
static void expect_release(const scene *s, uint64_t k, const kan_answer *answer) {
    const kan_regions *regions = answer->recoding.regions;
    uint64_t n_rows = 0;
    for (size_t r = 0; r < regions->n_regions; r++) {
        assert_true(regions->n_rows[r] >= k);
        n_rows += regions->n_rows[r];
    }
    assert_false(regions->has_lost);
    assert_int_equal(n_rows, s->plain.n_rows);
}

static void an_interrupt_leaves_the_best_so_far(void **state) {
    (void)state;
    for (size_t j = 0; j < N_SEARCHES; j++) {
        stopper.stops_at = 0;
        do {
            kan_run *run = kan_run_create();
            kan_answer answer;
            scene s;
            stopper.stops_at += 1 + stopper.stops_at / 2;
            scene_begin(run, &variants[0], &s);
            EXPECT_OK(run, kan_promise_add(&s.asked.promise, run, &s.asked.arena, &stopping,
                                           &s.asked.options, &s.made.problem));
            stopper.run = run;
            stopper.n_asked = 0;
            kan_anytime_begin(run);
            EXPECT_OK(run, searches[j]->search(run, &s.asked.question, &answer));
            assert_true(answer.is_found);
            expect_release(&s, variants[0].k, &answer);
            kan_answer_destroy(run, &answer);
            scene_end(&s);
            kan_run_destroy(run);
        } while (stopper.n_asked >= stopper.stops_at);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, reset),
        cmocka_unit_test_teardown(an_interrupt_leaves_the_best_so_far, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The search that is good at every moment where people have several rows, at a pace so slow that nothing is
 * proven at once, against a look at every node: see test_ladder.c. Rows that leave, or people with all of
 * theirs; groups or histories. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"
#include "job/setup/setup.h"
#include "search/boxes/ladder.h"
#include "support/random_problem.h"
#include "support/searches.h"

enum { N_QUASI = 4, MOST_ROWS = 60 };

typedef struct {
    kan_run *run;
    uint64_t random;
    kan_table *table;
    kan_job *job;
    kan_setup setup;
    kan_ladder_pace pace;
} scene;

static struct { size_t n_answers, n_proven, n_open, n_by_person; } seen;

static unsigned below(scene *here, unsigned bound) {
    return (unsigned)kan_random_below(&here->random, bound);
}

static kan_table *make_table(scene *here) {
    static const char *const names[] = {"who", "a", "b", "c", "d"};
    const unsigned n_rows = 10 + below(here, MOST_ROWS - 10), n_people = 4 + below(here, 16);
    const unsigned n_values = 2 + below(here, 4);
    kan_table *table;
    EXPECT_OK(here->run, kan_table_create(here->run, N_QUASI + 1, names, &table));
    for (unsigned row = 0; row < n_rows; row++) {
        char cells[N_QUASI + 1][8];
        const char *values[N_QUASI + 1];
        snprintf(cells[0], sizeof cells[0], "p%u", below(here, n_people));
        for (unsigned i = 1; i <= N_QUASI; i++)
            snprintf(cells[i], sizeof cells[i], "%u%u", below(here, 2), below(here, n_values));
        for (unsigned i = 0; i <= N_QUASI; i++)
            values[i] = cells[i];
        EXPECT_OK(here->run, kan_table_add_row(table, values));
    }
    return table;
}

static void scene_make(kan_run *run, uint64_t seed, scene *out) {
    static const char *const quasi[N_QUASI] = {"a=digits:2", "b=digits:2", "c=digits:2",
                                               "d=digits:2"};
    static const char *const costs[] = {"ncp", "discernibility", "height", "average-class",
                                        "precision"};
    static const char *const limits[] = {"0", "5%", "20%", "40%", "all"};
    char k[8];
    *out = (scene){.run = run, .random = seed};
    out->table = make_table(out);
    snprintf(k, sizeof k, "%u", 2 + below(out, 2));
    EXPECT_OK(run, kan_job_create(run, &out->job));
    EXPECT_OK(run, kan_job_use_table(out->job, out->table));
    for (unsigned i = 0; i < N_QUASI; i++)
        EXPECT_OK(run, kan_job_set(out->job, "qi", quasi[i]));
    EXPECT_OK(run, kan_job_set(out->job, "person", "who"));
    const bool has_histories = below(out, 4) == 0, by_person = has_histories || below(out, 2);
    EXPECT_OK(run, kan_job_set(out->job, "suppress-by", by_person ? "person" : "row"));
    EXPECT_OK(run, kan_job_set(out->job, "person-promise", has_histories ? "histories" : "groups"));
    EXPECT_OK(run, kan_job_set(out->job, "k", k));
    EXPECT_OK(run, kan_job_set(out->job, "cost", costs[below(out, 5)]));
    EXPECT_OK(run, kan_job_set(out->job, "suppress", limits[below(out, 5)]));
    EXPECT_OK(run, kan_setup_make(out->job, &out->setup));
    out->pace = (kan_ladder_pace){.first_boxes = 1 + below(out, 5),
                                  .first_walks = 1 + below(out, 30),
                                  .walks_per_box = 1 + below(out, 5),
                                  .block_nodes = 1 + below(out, 20),
                                  .block_checked = 1 + below(out, 30),
                                  .most_steps = 100};
}

static void scene_destroy(scene *here) {
    kan_setup_destroy(&here->setup);
    kan_job_destroy(here->job);
    kan_table_destroy(here->table);
}

static kan_question ask(const scene *here, const kan_promise *promise) {
    return (kan_question){.problem = &here->setup.problem,
                          .promise = promise,
                          .objective = &here->setup.objective,
                          .options = &here->setup.job->options,
                          .wants_release = true};
}

static void search(const scene *here, const kan_promise *promise, uint64_t n, kan_answer *out) {
    kan_question question = ask(here, promise);
    question.most_steps = n;
    memset(out, 0, sizeof *out);
    EXPECT_OK(here->run, kan_ladder_search(&question, &here->pace, out));
}

static bool is_better(const kan_answer *a, const kan_answer *b) {
    return a->is_found && (!b->is_found || kan_score_compare(&a->score, &b->score) < 0);
}

static void expect_true(const kan_answer *answer, const kan_answer *best) {
    assert_int_equal(answer->is_found, best->is_found);
    seen.n_answers++;
    if (!answer->is_found)
        return;
    assert_true(!is_better(answer, best));
    assert_true(answer->bound <= best->score.real * (1 + 1e-12));
    seen.n_proven += answer->is_optimal;
    seen.n_open += !answer->is_optimal;
    if (answer->is_optimal)
        assert_memory_equal(answer->recoding.levels, best->recoding.levels,
                            sizeof best->recoding.levels);
}

static void more_and_more(scene *here) {
    const kan_promise *promise = &here->setup.promise;
    const kan_question question = ask(here, promise);
    kan_answer best = {.is_found = false}, before = {.is_found = false}, answer, again;
    EXPECT_OK(here->run, kan_search_exhaustive.search(here->run, &question, &best));
    for (uint64_t n = 1; n < 400; n += 1 + n / 3) {
        kan_run_set_threads(here->run, 1);
        search(here, promise, n, &answer);
        expect_true(&answer, &best);
        assert_true(!is_better(&before, &answer));
        kan_run_set_threads(here->run, 3);
        search(here, promise, n, &again);
        assert_memory_equal(answer.recoding.levels, again.recoding.levels,
                            sizeof answer.recoding.levels);
        assert_int_equal(answer.n_steps, again.n_steps);
        before = answer;
    }
    kan_answer_destroy(here->run, &best);
}

/* Limits of the ladder, of rows or of people. */
static void looser_and_looser(scene *here) {
    static const unsigned percents[] = {0, 1, 2, 5, 10, 20, 50, 100};
    const kan_problem *problem = &here->setup.problem;
    kan_promise promise = here->setup.promise;
    const uint64_t all = promise.by_person ? problem->n_people : problem->n_rows;
    for (uint64_t n = here->pace.first_boxes; n < 200; n += 1 + n) {
        kan_answer before = {.is_found = false}, answer;
        for (unsigned i = 0; i < sizeof percents / sizeof *percents; i++) {
            promise.limit = all * percents[i] / 100;
            search(here, &promise, n, &answer);
            assert_true(!is_better(&before, &answer));
            before = answer;
        }
    }
}

static void people_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    if (kan_promise_is_monotone(&here.setup.promise)) {
        seen.n_by_person += here.setup.promise.by_person;
        more_and_more(&here);
        looser_and_looser(&here);
    }
    scene_destroy(&here);
}

static void people_are_searched_rightly_by_any_effort(void **state) {
    (void)state;
    random_rounds(80, people_on_one_table);
    print_message("%zu answers, %zu proven, %zu not; %zu tables by person\n", seen.n_answers,
                  seen.n_proven, seen.n_open, seen.n_by_person);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(seen.n_proven > 50 && seen.n_open > 50 && seen.n_by_person > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(people_are_searched_rightly_by_any_effort, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

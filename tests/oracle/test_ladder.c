/* The search that is good at every moment, at a pace so slow that nothing is proven at once: against
 * brute force, after every number of steps. What it gives keeps the promise and costs what it says, no
 * bound is above the best, what is called proven is the best with its levels. More steps are never
 * worse, nor is a looser limit than one of the ladder; threads change nothing; and the steps that an
 * answer tells give the same answer again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"
#include "search/boxes/ladder.h"
#include "support/models.h"
#include "support/question.h"
#include "support/random_problem.h"

static const random_spec spec = {.least_attributes = 1,
                                 .most_attributes = 5,
                                 .least_rows = 1,
                                 .most_rows = 120,
                                 .most_leaves = 8,
                                 .most_height = 4,
                                 .most_tails = 3,
                                 .most_nodes = 400};

typedef struct {
    uint64_t random;
    plain_table plain;
    test_problem made;
    oracle truth;
    kan_ladder_pace pace;
} scene;

static struct { size_t n_answers, n_proven, n_open, n_nothing; } seen;

static void scene_make(kan_run *run, uint64_t seed, scene *out) {
    out->random = seed;
    random_plain(&spec, &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    oracle_open(&out->plain, &out->truth);
    out->pace = (kan_ladder_pace){.first_boxes = 1 + kan_random_below(&out->random, 6),
                                  .first_walks = 1 + kan_random_below(&out->random, 40),
                                  .walks_per_box = 1 + kan_random_below(&out->random, 6),
                                  .block_nodes = 1 + kan_random_below(&out->random, 40),
                                  .block_checked = 1 + kan_random_below(&out->random, 60),
                                  .most_steps = 1 + kan_random_below(&out->random, 400)};
}

static void scene_destroy(scene *here) {
    oracle_close(&here->truth);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

/* Promises that the ladder takes: see ladder.h. */
static bool can_ask(const kan_question *question) {
    return kan_promise_is_monotone(question->promise) ||
           question->objective->kind->grows_with_losses;
}

static void ask(const scene *here, const test_question *question, uint64_t n_steps,
                kan_answer *out) {
    test_asked asked;
    test_ask(&here->made, question, &asked);
    asked.question.most_steps = n_steps;
    memset(out, 0, sizeof *out);
    EXPECT_OK(here->made.run, kan_ladder_search(&asked.question, &here->pace, out));
    test_asked_destroy(&asked);
}

static const oracle_node *find_node(const scene *here, const kan_answer *answer) {
    for (size_t i = 0; i < here->truth.n_nodes; i++) {
        bool is_same = true;
        for (unsigned a = 0; a < here->plain.n_attributes; a++)
            is_same &= here->truth.nodes[i].levels[a] == answer->recoding.levels[a];
        if (is_same)
            return &here->truth.nodes[i];
    }
    fail_msg("there is no such node");
    return NULL;
}

/* The oracle was judged for the question; `best` is the proven answer, by brute force. */
static void expect_true(const scene *here, const kan_answer *answer, const kan_answer *best) {
    if (answer->is_found != best->is_found)
        fail_msg("after %llu steps %s is found, where there is %s",
                 (unsigned long long)answer->n_steps, answer->is_found ? "an answer" : "nothing",
                 best->is_found ? "one" : "none");
    seen.n_answers++;
    seen.n_nothing += !answer->is_found;
    if (!answer->is_found)
        return;
    assert_true(find_node(here, answer)->satisfies);
    assert_true(kan_score_compare(&answer->score, &best->score) >= 0);
    if (answer->bound > best->score.real * (1 + 1e-12) + 1e-300)
        fail_msg("the bound %.17g is above the best, %.17g", answer->bound, best->score.real);
    seen.n_proven += answer->is_optimal;
    seen.n_open += !answer->is_optimal;
    if (answer->is_optimal)
        assert_memory_equal(answer->recoding.levels, best->recoding.levels,
                            sizeof best->recoding.levels);
}

static void expect_same(const kan_answer *a, const kan_answer *b) {
    assert_int_equal(a->is_found, b->is_found);
    assert_int_equal(a->is_optimal, b->is_optimal);
    assert_int_equal(a->n_steps, b->n_steps);
    assert_true(a->bound == b->bound || !a->is_found);
    assert_memory_equal(a->recoding.levels, b->recoding.levels, sizeof a->recoding.levels);
}

static bool is_better(const kan_answer *a, const kan_answer *b) {
    return a->is_found && (!b->is_found || kan_score_compare(&a->score, &b->score) < 0);
}

/* ---- one question, by more and more steps --------------------------------------------------- */

static void more_and_more(kan_run *run, scene *here, const test_question *question) {
    kan_answer best, before = {.is_found = false};
    test_asked asked;
    test_ask(&here->made, question, &asked);
    const bool fits = can_ask(&asked.question);
    memset(&best, 0, sizeof best);
    if (fits)
        EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &best));
    test_asked_destroy(&asked);
    for (uint64_t n = 1; fits && n < 600; n += 1 + n / 4) {
        kan_answer answer, again;
        kan_run_set_threads(run, 1);
        ask(here, question, n, &answer);
        expect_true(here, &answer, &best);
        assert_true(!is_better(&before, &answer));
        kan_run_set_threads(run, 2 + (unsigned)(n % 3));
        ask(here, question, n, &again);
        expect_same(&answer, &again);
        if (answer.n_steps > 0) {
            ask(here, question, answer.n_steps, &again);
            assert_memory_equal(answer.recoding.levels, again.recoding.levels,
                                sizeof answer.recoding.levels);
        }
        before = answer;
    }
    kan_answer_destroy(run, &best);
}

static uint64_t random_limit(scene *here) {
    const uint64_t n = here->plain.n_rows;
    const uint64_t limits[] = {0, n / 100, n / 50, n / 10, n / 3, n, UINT64_MAX};
    return limits[kan_random_below(&here->random, 7)];
}

static const kan_cost_kind *random_cost(scene *here) {
    for (;;) {
        const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_at(
            KAN_FAMILY_COST,
            (size_t)kan_random_below(&here->random, kan_registry_count(KAN_FAMILY_COST)));
        if (!cost->needs_class || here->plain.class_tail != KAN_NO_TAIL)
            return cost;
    }
}

static void k_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    const test_question question = {
        .cost = random_cost(&here),
        .k = 1 + kan_random_below(&here.random, here.plain.n_rows < 6 ? here.plain.n_rows : 6),
        .limit = random_limit(&here),
        .wants_release = kan_random_below(&here.random, 2),
        .wants_best_alone = true};
    oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
    more_and_more(run, &here, &question);
    scene_destroy(&here);
}

static void expect_all_were_met(void) {
    print_message("%zu answers, %zu proven, %zu not, %zu times there was none\n", seen.n_answers,
                  seen.n_proven, seen.n_open, seen.n_nothing);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(seen.n_proven > 100 && seen.n_open > 100);
}

static void k_is_searched_rightly_by_any_effort(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(120, k_on_one_table);
    expect_all_were_met();
}

static void models_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    plain_privacy models;
    scene_make(run, seed, &here);
    if (!plain_is_sensitive(&here.plain)) {
        scene_destroy(&here);
        return;
    }
    random_privacy(&here.plain, &here.random, &here.made, &models);
    const test_question question = {.models = &models,
                                    .cost = random_cost(&here),
                                    .k = models.k,
                                    .limit = random_limit(&here),
                                    .wants_release = kan_random_below(&here.random, 2),
                                    .wants_best_alone = true};
    oracle_judge(&here.truth, plain_privacy_passes, &models, question.limit);
    more_and_more(run, &here, &question);
    plain_privacy_destroy(&models, &here.made);
    scene_destroy(&here);
}

static void models_are_searched_rightly_by_any_effort(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(120, models_on_one_table);
    expect_all_were_met();
}

/* ---- limits --------------------------------------------------------------------------------- */

/* From the first boxes on; before, each limit goes alone. */
static void limits_on_one_table(kan_run *run, uint64_t seed) {
    static const unsigned percents[] = {0, 1, 2, 5, 10, 20, 50, 100};
    scene here;
    scene_make(run, seed, &here);
    test_question question = {
        .cost = random_cost(&here),
        .k = 1 + kan_random_below(&here.random, here.plain.n_rows < 6 ? here.plain.n_rows : 6),
        .wants_release = true,
        .wants_best_alone = true};
    for (uint64_t n = here.pace.first_boxes; n < 300; n += 1 + n / 2) {
        kan_answer before = {.is_found = false};
        for (unsigned i = 0; i < sizeof percents / sizeof *percents; i++) {
            kan_answer answer;
            question.limit = here.plain.n_rows * percents[i] / 100;
            ask(&here, &question, n, &answer);
            if (is_better(&before, &answer))
                fail_msg("%s, %llu steps: %.17g at %u %%, %.17g at less", question.cost->kind.name,
                         (unsigned long long)n, answer.score.real, percents[i], before.score.real);
            before = answer;
        }
    }
    (void)run;
    scene_destroy(&here);
}

static void a_looser_limit_is_never_worse(void **state) {
    (void)state;
    random_rounds(100, limits_on_one_table);
}

/* ---- the default ---------------------------------------------------------------------------- */

static void default_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_answer answer;
    scene_make(run, seed, &here);
    const test_question question = {
        .cost = &kan_cost_ncp, .k = here.plain.n_rows < 2 ? 1 : 2, .wants_best_alone = true};
    here.pace = kan_ladder_default(&here.made.problem);
    assert_true(here.pace.first_boxes > 0 && here.pace.most_steps >= 10000);
    ask(&here, &question, 0, &answer);
    assert_true(answer.is_optimal == answer.is_found && !answer.is_out_of_steps);
    scene_destroy(&here);
}

static void what_is_small_is_proven_by_default(void **state) {
    (void)state;
    random_rounds(20, default_on_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(k_is_searched_rightly_by_any_effort, random_tear_down),
        cmocka_unit_test_teardown(models_are_searched_rightly_by_any_effort, random_tear_down),
        cmocka_unit_test_teardown(a_looser_limit_is_never_worse, random_tear_down),
        cmocka_unit_test_teardown(what_is_small_is_proven_by_default, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

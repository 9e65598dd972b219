/* Levels that the user bounds (`--level`): every full-domain search within a random box of levels
 * against the oracle, whose nodes are those of the box and no others. Best node, minimal nodes,
 * maximal failing ones and their number must be what brute force finds there. */
#include "support/models.h"
#include "support/question.h"
#include "support/random_problem.h"

#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"

static const kan_search_kind *const searches[] = {
    &kan_search_exhaustive,       &kan_search_screen,
    &kan_search_bisect,           &kan_search_bottom_up,
    &kan_search_bottom_up_rollup, &kan_search_hash_minimal,
    &kan_search_samarati,         &kan_search_datafly,
    &kan_search_incognito,        &kan_search_incognito_superroots,
    &kan_search_incognito_cube};
enum { N_SEARCHES = sizeof searches / sizeof *searches };

typedef struct {
    plain_table plain;
    test_problem made;
    oracle whole; /* every node of the lattice */
    oracle truth; /* those of the box; groups are the whole's */
    uint64_t random;
} scene;

static bool is_within(const scene *here, const oracle_node *node) {
    for (unsigned a = 0; a < here->plain.n_attributes; a++) {
        const kan_dimension *dimension = &here->made.problem.space.dimensions[a];
        if (node->levels[a] < dimension->lowest || node->levels[a] > dimension->highest)
            return false;
    }
    return true;
}

/* One column in three is free, one is fixed, one has a range. */
static void bound_levels(scene *here) {
    for (unsigned a = 0; a < here->plain.n_attributes; a++) {
        kan_dimension *dimension = &here->made.problem.space.dimensions[a];
        const unsigned kind = (unsigned)kan_random_below(&here->random, 3);
        dimension->lowest = 0;
        dimension->highest = dimension->height;
        if (kind == 0)
            continue;
        dimension->lowest = (unsigned)kan_random_below(&here->random, dimension->height + 1);
        dimension->highest =
            kind == 1 ? dimension->lowest
                      : (unsigned)between(&here->random, dimension->lowest, dimension->height);
    }
    here->truth.n_nodes = 0;
    for (size_t i = 0; i < here->whole.n_nodes; i++)
        if (is_within(here, &here->whole.nodes[i]))
            here->truth.nodes[here->truth.n_nodes++] = here->whole.nodes[i];
}

static void scene_make(kan_run *run, uint64_t seed, scene *out) {
    out->random = seed;
    random_plain(&random_small, &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    oracle_open(&out->plain, &out->whole);
    out->truth = out->whole;
    out->truth.nodes = calloc(out->whole.n_nodes, sizeof *out->truth.nodes);
    assert_non_null(out->truth.nodes);
}

static void scene_destroy(scene *here) {
    free(here->truth.nodes);
    oracle_close(&here->whole);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static test_question random_question(scene *here) {
    const uint64_t n_rows = here->plain.n_rows;
    const uint64_t ks[] = {1, 2, 3, 5, 1 + n_rows / 2};
    const uint64_t limits[] = {
        0, 0, 1, n_rows / 20, kan_random_below(&here->random, n_rows + 1), n_rows, UINT64_MAX};
    const uint64_t k = ks[kan_random_below(&here->random, 5)];
    test_question question = {.k = k < n_rows ? k : n_rows,
                              .limit = limits[kan_random_below(&here->random, 7)],
                              .wants_release = kan_random_below(&here->random, 2),
                              .wants_best_alone = kan_random_below(&here->random, 4) == 0};
    do
        question.cost = (const kan_cost_kind *)kan_registry_at(
            KAN_FAMILY_COST,
            (size_t)kan_random_below(&here->random, kan_registry_count(KAN_FAMILY_COST)));
    while (question.cost->needs_class && here->plain.class_tail == KAN_NO_TAIL);
    return question;
}

static void ask_all(const scene *here, const test_question *question) {
    test_asked asked;
    test_ask(&here->made, question, &asked);
    const bool is_monotone = kan_promise_is_monotone(&asked.promise);
    test_asked_destroy(&asked);
    for (unsigned i = 0; i < N_SEARCHES; i++)
        if (is_monotone || searches[i] == &kan_search_exhaustive ||
            searches[i] == &kan_search_screen)
            expect_search_is_right(searches[i], &here->made, &here->truth, question);
}

/* The cube at levels that were chosen by their use, which has its own way to count levels. */
static void ask_materialized(const scene *here, const test_question *question) {
    kan_run *run = here->made.run;
    test_asked asked;
    kan_answer plain = {0}, made = {0};
    test_ask(&here->made, question, &asked);
    EXPECT_OK(run, kan_search_incognito_cube.search(run, &asked.question, &plain));
    EXPECT_OK(run, kan_options_add(&asked.options, "materialize", "1M"));
    EXPECT_OK(run, kan_search_incognito_cube.search(run, &asked.question, &made));
    assert_int_equal(made.n_anonymous, plain.n_anonymous);
    assert_int_equal(made.n_minimal, plain.n_minimal);
    assert_memory_equal(made.recoding.levels, plain.recoding.levels, sizeof made.recoding.levels);
    kan_answer_destroy(run, &plain);
    kan_answer_destroy(run, &made);
    test_asked_destroy(&asked);
}

static void k_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 3; turn++) {
        test_question question = random_question(&here);
        bound_levels(&here);
        oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
        ask_all(&here, &question);
        ask_materialized(&here, &question);
    }
    scene_destroy(&here);
}

static void searches_within_bounds_equal_brute_force_there(void **state) {
    (void)state;
    random_rounds(80, k_on_one_table);
}

/* Promises that no merge spoils, and one that is monotone only where nothing is suppressed. */
static void models_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 3; turn++) {
        test_question question = random_question(&here);
        const bool has_values = here.plain.n_tails > 0 && here.plain.class_tail != 0;
        question.privacy = has_values && turn != 1 ? &model_values : &model_multiples;
        question.k = 1 + kan_random_below(&here.random, 4);
        bound_levels(&here);
        oracle_judge(&here.truth,
                     question.privacy == &model_values ? model_passes_values
                                                       : model_passes_multiples,
                     &question.k, question.limit);
        ask_all(&here, &question);
    }
    scene_destroy(&here);
}

static void other_models_within_bounds_equal_brute_force_there(void **state) {
    (void)state;
    random_rounds(60, models_on_one_table);
}

/* alpha, l and t, alone and together. */
static void sensitive_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 2 && plain_is_sensitive(&here.plain); turn++) {
        test_question question = random_question(&here);
        plain_privacy models;
        random_privacy(&here.plain, &here.random, &here.made, &models);
        models.k = question.k;
        question.models = &models;
        bound_levels(&here);
        oracle_judge(&here.truth, plain_privacy_passes, &models, question.limit);
        ask_all(&here, &question);
        plain_privacy_destroy(&models, &here.made);
    }
    scene_destroy(&here);
}

static void sensitive_values_within_bounds_equal_brute_force_there(void **state) {
    (void)state;
    random_rounds(40, sensitive_on_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(searches_within_bounds_equal_brute_force_there, random_tear_down),
        cmocka_unit_test_teardown(other_models_within_bounds_equal_brute_force_there,
                                  random_tear_down),
        cmocka_unit_test_teardown(sensitive_values_within_bounds_equal_brute_force_there,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* search/boxes/bisect.c and search/boxes/boxes.c against the oracle: on random tables the best
 * node and the whole space must be what brute force on rows and texts finds, whatever is pruned,
 * however the work is split among threads, with little memory; and what is told when the time is up
 * must be true. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/run.h"
#include "job/registry/registry.h"
#include "job/settings/job.h"
#include "job/solution/solution.h"
#include "search/boxes/boxes.h"
#include "support/models.h"
#include "support/question.h"
#include "support/random_problem.h"

/* Few rows and values: ties, and tables on which nothing or everything satisfies. */
static const random_spec tiny = {.least_attributes = 1,
                                 .most_attributes = 5,
                                 .least_rows = 1,
                                 .most_rows = 9,
                                 .most_leaves = 4,
                                 .most_height = 4,
                                 .most_tails = 2,
                                 .most_nodes = 240};

typedef struct {
    plain_table plain;
    test_problem made;
    oracle truth;
    uint64_t random;
} scene;

/* Eight columns of many values, so that keys have two words. Most rows differ in every column, the
 * others repeat some of their values. */
static void wide_plain(uint64_t *random, plain_table *out) {
    enum { N_COLUMNS = 8, N_LEAVES = 260, N_ROWS = 330 };
    static const unsigned strides[N_COLUMNS] = {1, 3, 7, 9, 11, 17, 19, 21}; /* all are reached */
    plain_init(out);
    for (unsigned a = 0; a < N_COLUMNS; a++) {
        plain_attribute *attribute = plain_add_attribute(out, N_LEAVES, 1);
        for (unsigned leaf = 0; leaf < N_LEAVES; leaf++) {
            snprintf(attribute->leaves[leaf].at[0], PLAIN_LABEL, a % 2 ? "v%u" : "%u", leaf);
            strcpy(attribute->leaves[leaf].at[1], "*");
        }
    }
    plain_add_rows(out, N_ROWS);
    for (unsigned row = 0; row < N_ROWS; row++)
        for (unsigned a = 0; a < N_COLUMNS; a++) {
            unsigned value = row < N_LEAVES ? (row * strides[a] + a) % N_LEAVES
                                            : (unsigned)kan_random_below(random, 1 + a * 3);
            strcpy(plain_cell(out, row, a), out->attributes[a].leaves[value].at[0]);
        }
}

/* Without a spec: wide. */
static void scene_make(kan_run *run, const random_spec *spec, uint64_t seed, scene *out) {
    out->random = seed;
    if (spec)
        random_plain(spec, &out->random, &out->plain);
    else
        wide_plain(&out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    oracle_open(&out->plain, &out->truth);
}

static void scene_make_any(kan_run *run, uint64_t seed, scene *out) {
    scene_make(run, seed % 64 == 5 ? NULL : seed % 4 == 1 ? &tiny : &random_small, seed, out);
}

static void scene_destroy(scene *here) {
    oracle_close(&here->truth);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static test_question random_question(scene *here) {
    const uint64_t n_rows = here->plain.n_rows;
    const uint64_t ks[] = {1, 2, 3, 5, 1 + n_rows / 2, n_rows};
    const uint64_t limits[] = {
        0, 0, 0, 1, n_rows / 20, kan_random_below(&here->random, n_rows + 1), n_rows, UINT64_MAX};
    const uint64_t k = ks[kan_random_below(&here->random, 6)];
    return (test_question){.k = k < n_rows ? k : n_rows,
                           .limit = limits[kan_random_below(&here->random, 8)],
                           .wants_release = kan_random_below(&here->random, 2),
                           .wants_best_alone = kan_random_below(&here->random, 2)};
}

static bool has_cost(const scene *here, const kan_cost_kind *cost) {
    return !cost->needs_class || here->plain.class_tail != KAN_NO_TAIL;
}

static const kan_cost_kind *random_cost(scene *here) {
    const kan_cost_kind *cost;
    do
        cost = (const kan_cost_kind *)kan_registry_at(
            KAN_FAMILY_COST,
            (size_t)kan_random_below(&here->random, kan_registry_count(KAN_FAMILY_COST)));
    while (!has_cost(here, cost));
    return cost;
}

/* ---- the answer ----------------------------------------------------------------------------- */

static void every_cost_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 4));
    scene_make_any(run, seed, &here);
    for (unsigned turn = 0; turn < 3; turn++) {
        test_question question = random_question(&here);
        oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
        for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
            question.cost = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
            if (has_cost(&here, question.cost))
                expect_search_is_right(&kan_search_bisect, &here.made, &here.truth, &question);
        }
    }
    scene_destroy(&here);
}

static void bisect_equals_brute_force_on_random_tables(void **state) {
    (void)state;
    random_rounds(130, every_cost_on_one_table);
}

static void values_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make_any(run, seed, &here);
    for (unsigned turn = 0; turn < 3 && here.plain.n_tails > 0; turn++) {
        test_question question = random_question(&here);
        question.privacy = &model_values;
        question.k = 1 + kan_random_below(&here.random, 5);
        question.cost = random_cost(&here);
        if (here.plain.class_tail == 0 && !question.cost->needs_class)
            continue; /* the class is there for the cost alone */
        oracle_judge(&here.truth, model_passes_values, &question.k, question.limit);
        expect_search_is_right(&kan_search_bisect, &here.made, &here.truth, &question);
    }
    scene_destroy(&here);
}

static void a_promise_on_sensitive_values_is_searched_rightly(void **state) {
    (void)state;
    random_rounds(70, values_on_one_table);
}

/* Without suppression passing groups that merge pass: nodes above a good one are good, although a
 * group may fail that passed before. Only how much must be suppressed is not known then. */
static void multiples_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make_any(run, seed, &here);
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = random_question(&here);
        question.privacy = &model_multiples;
        question.limit = 0;
        question.k = 1 + kan_random_below(&here.random, 4);
        question.cost = random_cost(&here);
        oracle_judge(&here.truth, model_passes_multiples, &question.k, 0);
        if (here.truth.n_anonymous > 0)
            expect_search_is_right(&kan_search_bisect, &here.made, &here.truth, &question);
    }
    scene_destroy(&here);
}

static void a_promise_that_only_passing_groups_respect_is_searched_rightly(void **state) {
    (void)state;
    random_rounds(70, multiples_on_one_table);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

/* What kan_boxes_search did. */
typedef struct {
    kan_status status;
    kan_boxes boxes;
    kan_judge judge;
    kan_lattice lattice;
    uint64_t *satisfies;
} outcome;

static void search_boxes(const scene *here, const test_asked *asked, const uint64_t *known,
                         unsigned task_cuts, outcome *out) {
    memset(out, 0, sizeof *out);
    kan_lattice_make(&here->made.problem.space, &out->lattice);
    kan_judge_init(&out->judge, &asked->question);
    out->satisfies = calloc(out->lattice.n_nodes / 64 + 1, sizeof *out->satisfies);
    assert_non_null(out->satisfies);
    out->boxes =
        (kan_boxes){.question = &asked->question,
                    .lattice = &out->lattice,
                    .known = known,
                    .satisfies = asked->question.wants_all && !known ? out->satisfies : NULL,
                    .task_cuts = task_cuts};
    out->status = kan_boxes_search(&out->boxes, &out->judge);
}

static void outcome_destroy(outcome *old) {
    kan_judge_destroy(&old->judge);
    free(old->satisfies);
}

static void expect_best(const scene *here, const test_question *question, const outcome *told) {
    const oracle_node *best =
        oracle_best(&here->truth, question->cost->kind.name, question->k, question->wants_release);
    assert_true(told->status == KAN_OK && told->boxes.is_proven);
    assert_int_equal(told->judge.best.is_found, best != NULL);
    for (unsigned a = 0; best && a < here->plain.n_attributes; a++)
        assert_int_equal(told->judge.best.levels[a], best->levels[a]);
    if (best)
        assert_int_equal(kan_score_compare(&told->boxes.bound, &told->judge.best.score), 0);
    for (size_t i = 0; told->boxes.satisfies && i < here->truth.n_nodes; i++)
        assert_int_equal(kan_bit(told->satisfies, i), here->truth.nodes[i].satisfies);
}

static void expect_same(const outcome *a, const outcome *b) {
    assert_int_equal(a->boxes.n_checked, b->boxes.n_checked);
    assert_int_equal(a->boxes.effort.n_scans, b->boxes.effort.n_scans);
    assert_int_equal(a->boxes.effort.n_rollups, b->boxes.effort.n_rollups);
    assert_int_equal(a->boxes.effort.n_tuples, b->boxes.effort.n_tuples);
    assert_int_equal(a->judge.least_suppressed, b->judge.least_suppressed);
    assert_int_equal(a->judge.best.is_found, b->judge.best.is_found);
    /* to the last bit, not nearly */
    assert_memory_equal(&a->judge.best.score.real, &b->judge.best.score.real, sizeof(double));
}

static void tasks_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make_any(run, seed, &here);
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = random_question(&here);
        test_asked asked;
        question.cost = random_cost(&here);
        oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
        test_ask(&here.made, &question, &asked);
        const unsigned cuts = 1 + (unsigned)kan_random_below(&here.random, 5);
        outcome alone;
        kan_run_set_threads(run, 1);
        search_boxes(&here, &asked, NULL, cuts, &alone);
        expect_best(&here, &question, &alone);
        for (unsigned threads = 2; threads <= 4; threads++) {
            outcome together;
            kan_run_set_threads(run, threads);
            search_boxes(&here, &asked, NULL, cuts, &together);
            expect_best(&here, &question, &together);
            expect_same(&alone, &together);
            outcome_destroy(&together);
        }
        outcome_destroy(&alone);
        test_asked_destroy(&asked);
    }
    scene_destroy(&here);
}

static void tasks_on_any_number_of_threads_give_the_same_answer(void **state) {
    (void)state;
    random_rounds(70, tasks_on_one_table);
}

/* ---- nodes that are known ------------------------------------------------------------------- */

static void known_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make_any(run, seed, &here);
    uint64_t *known = calloc(here.truth.n_nodes / 64 + 1, sizeof *known);
    assert_non_null(known);
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = random_question(&here);
        test_asked asked;
        kan_lattice lattice;
        kan_judge judge;
        kan_effort effort = {0};
        outcome told;
        question.cost = random_cost(&here);
        oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
        memset(known, 0, (here.truth.n_nodes / 64 + 1) * sizeof *known);
        for (size_t i = 0; i < here.truth.n_nodes; i++)
            if (here.truth.nodes[i].satisfies)
                kan_bit_set(known, i);
        test_ask(&here.made, &question, &asked);
        search_boxes(&here, &asked, known, turn, &told);
        expect_best(&here, &question, &told);
        kan_lattice_make(&here.made.problem.space, &lattice);
        kan_judge_init(&judge, &asked.question);
        EXPECT_OK(run, kan_judge_find_best(&judge, &lattice, known, &effort));
        assert_int_equal(judge.best.is_found, told.judge.best.is_found);
        assert_memory_equal(judge.best.levels, told.judge.best.levels, sizeof judge.best.levels);
        assert_true(effort.n_measured > 0);
        kan_judge_destroy(&judge);
        outcome_destroy(&told);
        test_asked_destroy(&asked);
    }
    free(known);
    scene_destroy(&here);
}

static void the_best_of_known_nodes_is_that_of_brute_force(void **state) {
    (void)state;
    random_rounds(70, known_on_one_table);
}

/* ---- limits --------------------------------------------------------------------------------- */

/* Next to nothing, then more and more: either an error or the same answer. */
static void memory_on_one_table(kan_run *run, uint64_t seed) {
    const uint64_t endless = UINT64_C(1) << 40;
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make_any(run, seed, &here);
    test_question question = random_question(&here);
    test_asked asked;
    kan_status status = KAN_FAILED;
    question.cost = random_cost(&here);
    oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
    test_ask(&here.made, &question, &asked);
    outcome warm; /* the threads of the run are there from now on */
    search_boxes(&here, &asked, NULL, (unsigned)(seed % 5), &warm);
    outcome_destroy(&warm);
    kan_run_set_memory(run, endless);
    const uint64_t used = endless - kan_run_memory_left(run);
    for (uint64_t more = 256; status != KAN_OK; more += more / 2) {
        outcome told;
        kan_run_set_memory(run, used + more);
        search_boxes(&here, &asked, NULL, (unsigned)(seed % 5), &told);
        status = told.status;
        if (status == KAN_OK)
            expect_best(&here, &question, &told);
        else
            assert_int_equal(status, KAN_FAILED);
        outcome_destroy(&told);
        kan_run_set_memory(run, endless);
        assert_int_equal(endless - kan_run_memory_left(run), used); /* all was given back */
    }
    kan_run_set_memory(run, 0);
    test_asked_destroy(&asked);
    scene_destroy(&here);
}

static void little_memory_gives_an_error_or_the_same_answer(void **state) {
    (void)state;
    random_rounds(70, memory_on_one_table);
}

/* What is told when the time is up: a node that satisfies, its cost, and a bound below which no
 * node is. */
static void expect_honest(const scene *here, const test_question *question, const outcome *told) {
    const char *cost = question->cost->kind.name;
    const oracle_node *best = oracle_best(&here->truth, cost, question->k, question->wants_release);
    const double bound = told->boxes.bound.real;
    if (told->status != KAN_OK) {
        assert_int_equal(told->status, KAN_UNSATISFIED);
        return;
    }
    if (told->boxes.is_proven) {
        expect_best(here, question, told);
        return;
    }
    assert_true(told->judge.best.is_found && best);
    for (size_t i = 0; i < here->truth.n_nodes; i++) {
        const oracle_node *node = &here->truth.nodes[i];
        bool is_told = true;
        for (unsigned a = 0; a < here->plain.n_attributes; a++)
            is_told &= node->levels[a] == told->judge.best.levels[a];
        if (!is_told)
            continue;
        assert_true(node->satisfies && (!question->wants_release || node->n_released_groups > 0));
        const double here_cost = oracle_cost(&here->truth, node, cost, question->k);
        assert_false(oracle_is_less(here_cost, bound));
        assert_false(oracle_is_less(here_cost, told->judge.best.score.real));
        assert_false(oracle_is_less(told->judge.best.score.real, here_cost));
    }
    const double least = oracle_cost(&here->truth, best, cost, question->k);
    if (oracle_is_less(least, bound))
        fail_msg("%s: the best costs %.17g, the bound says %.17g", cost, least, bound);
}

static unsigned n_stopped, n_finished;

static void time_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed % 16 ? &random_small : NULL, seed, &here);
    for (unsigned turn = 0; turn < 8; turn++) {
        test_question question = random_question(&here);
        test_asked asked;
        outcome told;
        question.cost = random_cost(&here);
        oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
        test_ask(&here.made, &question, &asked);
        /* a part of what the whole takes here and now, so that some are stopped on any machine */
        const double start = kan_now_ms();
        search_boxes(&here, &asked, NULL, turn % 4, &told);
        const double whole_s = (kan_now_ms() - start) / 1000;
        outcome_destroy(&told);
        kan_run_set_time_limit(run,
                               whole_s * (1 + (double)kan_random_below(&here.random, 64)) / 64);
        search_boxes(&here, &asked, NULL, turn % 4, &told);
        kan_run_set_time_limit(run, 0);
        expect_honest(&here, &question, &told);
        n_stopped += told.status == KAN_OK && !told.boxes.is_proven;
        n_finished += told.status == KAN_OK && told.boxes.is_proven;
        outcome_destroy(&told);
        test_asked_destroy(&asked);
    }
    scene_destroy(&here);
}

static void when_the_time_is_up_what_is_told_is_true(void **state) {
    (void)state;
    n_stopped = n_finished = 0;
    random_rounds(50, time_on_one_table);
    print_message("%u searches were stopped with an answer, %u had finished\n", n_stopped,
                  n_finished);
    if (!getenv("KANON_TEST_SEED"))
        assert_true(n_stopped > 0);
}

/* What is settled before the first look at the clock may still be an answer, but no other. */
static void a_cancelled_search_ends_without_a_wrong_answer(void **state) {
    (void)state;
    for (unsigned cuts = 0; cuts < 4; cuts++)
        for (unsigned threads = 1; threads <= 3; threads++) {
            kan_run *run = kan_run_create();
            scene here;
            test_asked asked;
            outcome told;
            kan_run_set_threads(run, threads);
            scene_make(run, &random_small, 3, &here);
            test_question question = {.cost = &kan_cost_discernibility, .k = 2};
            test_ask(&here.made, &question, &asked);
            kan_run_cancel(run);
            search_boxes(&here, &asked, NULL, cuts, &told);
            oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
            if (told.status == KAN_OK)
                expect_best(&here, &question, &told);
            else
                assert_int_equal(told.status, KAN_CANCELLED);
            assert_true(cuts > 0 || told.status == KAN_CANCELLED);
            outcome_destroy(&told);
            test_asked_destroy(&asked);
            scene_destroy(&here);
            kan_run_destroy(run);
        }
}

/* With as little time as it finds anything in on this machine. */
static void search_for_a_while(kan_run *run, const test_asked *asked, kan_answer *answer) {
    kan_status status = KAN_UNSATISFIED;
    for (double seconds = 0.05; status == KAN_UNSATISFIED && seconds < 1000; seconds *= 4) {
        kan_run_set_time_limit(run, seconds);
        status = kan_search_bisect.search(run, &asked->question, answer);
    }
    EXPECT_OK(run, status);
}

/* More nodes than can be counted: the best is looked for alone, and a bound is told. */
static void a_lattice_beyond_counting_is_searched(void **state) {
    (void)state;
    const random_spec many = {.least_attributes = 60,
                              .most_attributes = 60,
                              .least_rows = 40,
                              .most_rows = 40,
                              .most_leaves = 4,
                              .most_height = 4};
    kan_run *run = kan_run_create();
    plain_table plain;
    test_problem made;
    uint64_t random = 7;
    random_plain(&many, &random, &plain);
    test_problem_make(run, &plain, &made);
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = {.cost = turn % 2 ? &kan_cost_discernibility : &kan_cost_height,
                                  .k = 2,
                                  .limit = turn < 2 ? 0 : 5};
        test_asked asked;
        kan_answer answer;
        test_ask(&made, &question, &asked);
        /* where it begins to fail cannot be listed, and that is said before the search */
        assert_int_equal(kan_search_bisect.search(run, &asked.question, &answer), KAN_UNSATISFIED);
        asked.question.wants_failing = false;
        search_for_a_while(run, &asked, &answer);
        assert_true(answer.is_found && !answer.is_complete);
        assert_true(answer.bound <= answer.score.real && answer.bound >= 0);
        kan_run_set_time_limit(run, 0);
        assert_true(test_node_satisfies(&made, &asked, answer.recoding.levels));
        kan_answer_destroy(run, &answer);
        test_asked_destroy(&asked);
    }
    test_problem_destroy(&made);
    plain_destroy(&plain);
    kan_run_destroy(run);
}

/* ---- promises that it must not be given ----------------------------------------------------- */

/* Not even passing groups may merge. */
static kan_privacy_kind fragile(void) {
    kan_privacy_kind kind = model_multiples;
    kind.survives_merge = false;
    return kind;
}

static void expect_refusal(const kan_privacy_kind *privacy, uint64_t limit, const char *why) {
    kan_run *run = kan_run_create();
    kan_job *job;
    kan_setup setup;
    scene here;
    test_asked asked;
    scene_make(run, &random_small, 3, &here);
    test_question question = {.privacy = privacy, .cost = &kan_cost_height, .k = 2, .limit = limit};
    test_ask(&here.made, &question, &asked);
    EXPECT_OK(run, kan_job_create(run, &job));
    memset(&setup, 0, sizeof setup);
    setup.run = run;
    setup.job = job;
    setup.problem = here.made.problem;
    setup.promise = asked.promise;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        kan_solution solution;
        setup.search = (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (!setup.search->needs_monotone)
            continue;
        assert_int_equal(
            kan_solution_find(&setup, &(kan_solution_wants){.release = true}, &solution),
            KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(run), setup.search->kind.name));
        assert_non_null(strstr(kan_run_error(run), "--algorithm exhaustive"));
        assert_int_equal(strstr(kan_run_error(run), "when rows are suppressed") != NULL,
                         why != NULL);
        kan_solution_destroy(&solution);
    }
    kan_job_destroy(job);
    test_asked_destroy(&asked);
    scene_destroy(&here);
    kan_run_destroy(run);
}

static void promises_that_merging_breaks_are_refused(void **state) {
    (void)state;
    const kan_privacy_kind never = fragile();
    assert_true(kan_search_bisect.needs_monotone);
    expect_refusal(&never, 0, NULL);
    expect_refusal(&never, 1, NULL);
    expect_refusal(&model_multiples, 1, "when rows are suppressed");
}

/* At the top all four rows fail, at the bottom one does, which a search that prunes never sees: it
 * must not say that only suppressing every row would help. */
static void no_smallest_limit_is_told_where_it_is_not_known(void **state) {
    (void)state;
    static const unsigned columns[] = {0};
    static const char *const hierarchies[] = {"a;*\nb;*\n"};
    const kan_search_kind *const searches[] = {&kan_search_bisect, &kan_search_exhaustive};
    for (unsigned i = 0; i < 2; i++) {
        kan_run *run = kan_run_create();
        kan_job *job;
        plain_table plain;
        test_problem made;
        test_asked asked;
        kan_setup setup;
        kan_solution solution;
        plain_parse("a\na\na\nb\n", 1, columns, hierarchies, &plain);
        test_problem_make(run, &plain, &made);
        test_question question = {.privacy = &model_multiples, .cost = &kan_cost_height, .k = 3};
        test_ask(&made, &question, &asked);
        EXPECT_OK(run, kan_job_create(run, &job));
        memset(&setup, 0, sizeof setup);
        setup.run = run;
        setup.job = job;
        setup.problem = made.problem;
        setup.promise = asked.promise;
        setup.objective = asked.objective;
        setup.search = searches[i];
        assert_int_equal(
            kan_solution_find(&setup, &(kan_solution_wants){.release = false}, &solution),
            KAN_UNSATISFIED);
        assert_int_equal(strstr(kan_run_error(run), "--suppress 1 is the smallest") != NULL,
                         searches[i] == &kan_search_exhaustive);
        assert_null(strstr(kan_run_error(run), "every row"));
        kan_solution_destroy(&solution);
        kan_job_destroy(job);
        test_asked_destroy(&asked);
        test_problem_destroy(&made);
        plain_destroy(&plain);
        kan_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(bisect_equals_brute_force_on_random_tables, random_tear_down),
        cmocka_unit_test_teardown(a_promise_on_sensitive_values_is_searched_rightly,
                                  random_tear_down),
        cmocka_unit_test_teardown(a_promise_that_only_passing_groups_respect_is_searched_rightly,
                                  random_tear_down),
        cmocka_unit_test_teardown(tasks_on_any_number_of_threads_give_the_same_answer,
                                  random_tear_down),
        cmocka_unit_test_teardown(the_best_of_known_nodes_is_that_of_brute_force, random_tear_down),
        cmocka_unit_test_teardown(little_memory_gives_an_error_or_the_same_answer,
                                  random_tear_down),
        cmocka_unit_test_teardown(when_the_time_is_up_what_is_told_is_true, random_tear_down),
        cmocka_unit_test(a_cancelled_search_ends_without_a_wrong_answer),
        cmocka_unit_test(a_lattice_beyond_counting_is_searched),
        cmocka_unit_test(promises_that_merging_breaks_are_refused),
        cmocka_unit_test(no_smallest_limit_is_told_where_it_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The searches over the whole lattice against the oracle, on random tables: bottom-up,
 * bottom-up-rollup and hash-minimal find all that brute force finds; samarati and datafly return
 * what their definitions say, followed here step by step on rows and texts. What is checked is
 * counted as the papers count it, and neither threads nor a memory budget change an answer. */
#include "support/models.h"
#include "support/question.h"
#include "support/random_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const kan_cost_kind *const costs[] = {&kan_cost_height,
                                             &kan_cost_discernibility,
                                             &kan_cost_average_class,
                                             &kan_cost_classification,
                                             &kan_cost_precision,
                                             &kan_cost_distortion,
                                             &kan_cost_ncp};
enum { N_COSTS = sizeof costs / sizeof *costs };

static const kan_search_kind *const searches[] = {
    &kan_search_bottom_up, &kan_search_bottom_up_rollup, &kan_search_hash_minimal,
    &kan_search_samarati, &kan_search_datafly};
enum { N_COMPLETE = 3, N_SEARCHES = sizeof searches / sizeof *searches };

/* ---- scenes --------------------------------------------------------------------------------- */

typedef struct {
    plain_table plain;
    test_problem made;
    oracle oracle;
    uint64_t random;
} scene;

static void scene_make(kan_run *run, uint64_t seed, scene *out) {
    out->random = seed;
    random_plain(&random_small, &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    oracle_open(&out->plain, &out->oracle);
}

/* A larger table, and no oracle: for comparing answers with each other. */
static void scene_make_large(kan_run *run, uint64_t seed, size_t n_rows, scene *out) {
    const random_spec large = {.least_attributes = 5,
                               .most_attributes = 5,
                               .least_rows = n_rows,
                               .most_rows = n_rows,
                               .most_leaves = 12,
                               .most_height = 4,
                               .most_tails = 1,
                               .most_nodes = 200};
    memset(out, 0, sizeof *out);
    out->random = seed;
    random_plain(&large, &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
}

static void scene_destroy(scene *here) {
    if (here->oracle.plain)
        oracle_close(&here->oracle);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static test_question random_question(scene *here) {
    const uint64_t n_rows = here->plain.n_rows;
    const uint64_t ks[] = {1, 2, 3, 5, 1 + n_rows / 2, n_rows};
    const uint64_t limits[] = {
        0, 0, 1, n_rows / 20, kan_random_below(&here->random, n_rows + 1), n_rows, UINT64_MAX};
    const uint64_t k = ks[kan_random_below(&here->random, 6)];
    test_question question = {.k = k < n_rows ? k : n_rows,
                              .limit = limits[kan_random_below(&here->random, 7)],
                              .cost = costs[kan_random_below(&here->random, N_COSTS)],
                              .wants_release = kan_random_below(&here->random, 2)};
    if (question.cost->needs_class && here->plain.class_tail == KAN_NO_TAIL)
        question.cost = &kan_cost_discernibility;
    if (here->oracle.plain)
        oracle_judge(&here->oracle, oracle_has_k_rows, &question.k, question.limit);
    return question;
}

/* Asks with a rule of marking, or none. */
static void answer_of(const kan_search_kind *search, const scene *here,
                      const test_question *question, const char *marking, kan_answer *out) {
    test_asked asked;
    kan_run *run = here->made.run;
    test_ask(&here->made, question, &asked);
    if (marking)
        EXPECT_OK(run, kan_options_add(&asked.options, "marking", marking));
    EXPECT_OK(run, search->search(run, &asked.question, out));
    test_asked_destroy(&asked);
}

static void expect_same_vectors(const scene *here, const uint8_t *a, size_t n_a, const uint8_t *b,
                                size_t n_b) {
    assert_int_equal(n_a, n_b);
    if (n_a > 0)
        assert_memory_equal(a, b, n_a * here->plain.n_attributes);
}

/* To the last bit; what was checked, and with what effort, is compared by those who expect it. */
static void expect_same_answer(const scene *here, const kan_answer *a, const kan_answer *b) {
    assert_int_equal(a->is_found, b->is_found);
    assert_int_equal(a->is_optimal, b->is_optimal);
    assert_int_equal(a->is_complete, b->is_complete);
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_anonymous, b->n_anonymous);
    expect_same_vectors(here, a->minimal, a->n_minimal, b->minimal, b->n_minimal);
    expect_same_vectors(here, a->failing, a->n_failing, b->failing, b->n_failing);
    if (!a->is_found) {
        assert_int_equal(a->least_suppressed, b->least_suppressed);
        return;
    }
    assert_memory_equal(a->recoding.levels, b->recoding.levels,
                        here->plain.n_attributes * sizeof *a->recoding.levels);
    assert_int_equal(kan_score_compare(&a->score, &b->score), 0);
    assert_memory_equal(&a->bound, &b->bound, sizeof a->bound);
}

/* ---- equal to brute force ------------------------------------------------------------------- */

static void all_searches_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 3; turn++) {
        test_question question = random_question(&here);
        question.wants_best_alone = kan_random_below(&here.random, 4) == 0;
        for (unsigned i = 0; i < N_SEARCHES; i++)
            expect_search_is_right(searches[i], &here.made, &here.oracle, &question);
    }
    scene_destroy(&here);
}

static void searches_equal_brute_force_on_random_tables(void **state) {
    (void)state;
    random_rounds(60, all_searches_on_one_table);
}

/* Another promise: its groups are not settled by their sizes. */
static void values_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 3 && here.plain.n_tails > 0; turn++) {
        test_question question = random_question(&here);
        question.privacy = &model_values;
        question.k = 1 + kan_random_below(&here.random, 5);
        if (here.plain.class_tail == 0 && !question.cost->needs_class)
            continue; /* the class is not a sensitive value */
        oracle_judge(&here.oracle, model_passes_values, &question.k, question.limit);
        for (unsigned i = 0; i < N_SEARCHES; i++)
            expect_search_is_right(searches[i], &here.made, &here.oracle, &question);
    }
    scene_destroy(&here);
}

static void a_promise_on_sensitive_values_is_searched_rightly(void **state) {
    (void)state;
    random_rounds(40, values_on_one_table);
}

/* ---- which nodes are checked ---------------------------------------------------------------- */

/* Whether b is one level above a, in one attribute. */
static bool is_directly_above(const scene *here, const oracle_node *a, const oracle_node *b) {
    unsigned n_apart = 0;
    for (unsigned i = 0; i < here->plain.n_attributes; i++) {
        if (b->levels[i] < a->levels[i])
            return false;
        n_apart += b->levels[i] - a->levels[i];
    }
    return n_apart == 1;
}

/* Figure 8 on the lattice of all attributes, with a queue sorted by height. */
static uint64_t count_of_figure_8(const scene *here, bool is_literal) {
    enum { IN_QUEUE = 1, MARKED = 2 };
    const oracle *truth = &here->oracle;
    uint8_t *flags = calloc(truth->n_nodes, 1);
    uint64_t n_checked = 0;
    unsigned top = truth->nodes[truth->n_nodes - 1].height;
    assert_non_null(flags);
    flags[0] = IN_QUEUE;
    for (unsigned height = 0; height <= top; height++)
        for (size_t i = 0; i < truth->n_nodes; i++) {
            const oracle_node *node = &truth->nodes[i];
            bool is_checked = flags[i] == IN_QUEUE;
            if (node->height != height)
                continue;
            n_checked += is_checked;
            bool marks = is_checked ? node->satisfies : !is_literal && (flags[i] & MARKED);
            for (size_t j = i + 1; j < truth->n_nodes; j++)
                if (is_directly_above(here, node, &truth->nodes[j])) {
                    flags[j] |= marks ? MARKED : 0;
                    flags[j] |= is_checked && !node->satisfies ? IN_QUEUE : 0;
                }
        }
    free(flags);
    return n_checked;
}

/* Tuples that rolling up looks at, when every node above the bottom is made of the smallest set
 * directly below it; sets without tails. */
static uint64_t count_of_tuples(const scene *here) {
    const oracle *truth = &here->oracle;
    uint64_t n_tuples = truth->nodes[0].n_groups;
    for (size_t i = 1; i < truth->n_nodes; i++) {
        size_t least = SIZE_MAX;
        bool is_marked = false;
        for (size_t j = 0; j < i; j++)
            if (is_directly_above(here, &truth->nodes[j], &truth->nodes[i])) {
                least = truth->nodes[j].n_groups < least ? truth->nodes[j].n_groups : least;
                is_marked |= truth->nodes[j].satisfies;
            }
        n_tuples += is_marked ? 0 : least;
    }
    return n_tuples;
}

static void sources_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 2; turn++) {
        test_question question = random_question(&here);
        kan_answer scanned, rolled;
        question.cost = &kan_cost_discernibility;
        answer_of(&kan_search_bottom_up, &here, &question, NULL, &scanned);
        answer_of(&kan_search_bottom_up_rollup, &here, &question, NULL, &rolled);
        /* what is looked at to measure the others is the same for both */
        const uint64_t measured =
            scanned.effort.n_tuples - scanned.n_checked * here.oracle.nodes[0].n_groups;
        assert_int_equal(rolled.effort.n_tuples, measured + count_of_tuples(&here));
        kan_answer_destroy(run, &scanned);
        kan_answer_destroy(run, &rolled);
    }
    scene_destroy(&here);
}

static void bottom_up_rollup_takes_the_smallest_set_below(void **state) {
    (void)state;
    random_rounds(30, sources_on_one_table);
}

static void markings_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 2; turn++) {
        test_question question = random_question(&here);
        const uint64_t literal = count_of_figure_8(&here, true);
        const uint64_t transitive = count_of_figure_8(&here, false);
        assert_true(transitive <= literal);
        assert_int_equal(transitive,
                         here.oracle.n_nodes - here.oracle.n_anonymous + here.oracle.n_minimal);
        for (unsigned i = 0; i < 2; i++) {
            kan_answer plain, handed_on, to_the_letter;
            answer_of(searches[i], &here, &question, NULL, &plain);
            answer_of(searches[i], &here, &question, "transitive", &handed_on);
            answer_of(searches[i], &here, &question, "literal", &to_the_letter);
            assert_int_equal(plain.n_checked, transitive);
            assert_int_equal(handed_on.n_checked, transitive);
            assert_int_equal(to_the_letter.n_checked, literal);
            expect_same_answer(&here, &plain, &handed_on);
            expect_same_answer(&here, &plain, &to_the_letter);
            assert_true(i == 0 ? plain.effort.n_rollups == 0
                               : plain.effort.n_rollups == transitive - 1);
            kan_answer_destroy(run, &plain);
            kan_answer_destroy(run, &handed_on);
            kan_answer_destroy(run, &to_the_letter);
        }
    }
    scene_destroy(&here);
}

static void literal_and_transitive_marks_give_the_same_answer(void **state) {
    (void)state;
    random_rounds(40, markings_on_one_table);
}

/* Never more than all nodes, and no fewer than the border between failing and satisfying nodes has:
 * each minimal node and each maximal failing one must have been looked at. */
static void strategies_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = random_question(&here);
        kan_answer answer;
        answer_of(&kan_search_hash_minimal, &here, &question, NULL, &answer);
        assert_true(answer.n_checked <= here.oracle.n_nodes);
        assert_true(answer.n_checked >= answer.n_minimal + answer.n_failing);
        kan_answer_destroy(run, &answer);
    }
    scene_destroy(&here);
}

static void hash_minimal_checks_all_of_the_border_and_no_more_than_all_nodes(void **state) {
    (void)state;
    random_rounds(25, strategies_on_one_table);
}

/* What a search that compared few nodes says about the others must be true, too. */
static void expect_true_bound(const scene *here, const test_question *question,
                              const kan_answer *answer) {
    const char *cost = question->cost->kind.name;
    const oracle_node *best =
        oracle_best(&here->oracle, cost, question->k, question->wants_release);
    if (best)
        assert_false(
            oracle_is_less(oracle_cost(&here->oracle, best, cost, question->k), answer->bound));
    assert_true(answer->bound >= 0);
}

/* ---- samarati ------------------------------------------------------------------------------- */

static bool is_acceptable(const oracle_node *node, const test_question *question) {
    return node->satisfies && (!question->wants_release || node->n_released_groups > 0);
}

/* The best acceptable node of a height, NULL when it has none; and the nodes of that height. */
static const oracle_node *best_of_height(const scene *here, const test_question *question,
                                         unsigned height, uint64_t *n_nodes) {
    const oracle *truth = &here->oracle;
    const char *cost = question->cost->kind.name;
    const oracle_node *best = NULL;
    *n_nodes = 0;
    for (size_t i = 0; i < truth->n_nodes; i++) {
        const oracle_node *node = &truth->nodes[i];
        *n_nodes += node->height == height;
        if (node->height == height && is_acceptable(node, question) &&
            (!best || oracle_is_less(oracle_cost(truth, node, cost, question->k),
                                     oracle_cost(truth, best, cost, question->k))))
            best = node;
    }
    return best;
}

/* What the bisection checks: the heights it tries, all nodes of each. */
static uint64_t count_of_bisection(const scene *here, const test_question *question) {
    unsigned least = 0, end = here->oracle.nodes[here->oracle.n_nodes - 1].height + 1;
    uint64_t n_checked = 0, n_nodes;
    while (least < end) {
        unsigned middle = (least + end - 1) / 2;
        if (best_of_height(here, question, middle, &n_nodes))
            end = middle;
        else
            least = middle + 1;
        n_checked += n_nodes;
    }
    return n_checked;
}

static void samarati_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = random_question(&here);
        const unsigned top = here.oracle.nodes[here.oracle.n_nodes - 1].height;
        const oracle_node *expected = NULL;
        uint64_t n_nodes;
        kan_answer answer;
        for (unsigned height = 0; height <= top && !expected; height++)
            expected = best_of_height(&here, &question, height, &n_nodes);
        answer_of(&kan_search_samarati, &here, &question, NULL, &answer);
        expect_true_bound(&here, &question, &answer);
        assert_int_equal(answer.is_found, expected != NULL);
        assert_false(answer.is_complete);
        assert_null(answer.minimal);
        assert_int_equal(answer.n_checked, count_of_bisection(&here, &question));
        assert_int_equal(answer.effort.n_scans, answer.n_checked);
        assert_int_equal(answer.is_optimal,
                         expected && question.cost == &kan_cost_height && !here.plain.is_weighted);
        if (expected)
            assert_memory_equal(answer.recoding.levels, expected->levels,
                                here.plain.n_attributes * sizeof *expected->levels);
        kan_answer_destroy(run, &answer);
    }
    scene_destroy(&here);
}

static void samarati_returns_the_best_node_of_the_least_height(void **state) {
    (void)state;
    random_rounds(40, samarati_on_one_table);
}

/* ---- datafly -------------------------------------------------------------------------------- */

static const char *label_of(const scene *here, size_t row, unsigned attribute, unsigned level) {
    const plain_attribute *column = &here->plain.attributes[attribute];
    const char *value = plain_cell(&here->plain, row, attribute);
    for (size_t i = 0; i < column->n_leaves; i++)
        if (strcmp(column->leaves[i].at[0], value) == 0)
            return column->leaves[i].at[level];
    fail_msg("a row has a value that the hierarchy lacks");
    return NULL;
}

/* Different labels of a column: rows whose label no earlier row has. */
static size_t count_labels(const scene *here, unsigned attribute, unsigned level) {
    const char **labels = calloc(here->plain.n_rows, sizeof *labels);
    size_t n = 0;
    assert_non_null(labels);
    for (size_t row = 0; row < here->plain.n_rows; row++) {
        const char *label = label_of(here, row, attribute, level);
        size_t known = 0;
        while (known < n && strcmp(labels[known], label) != 0)
            known++;
        labels[known] = label;
        n += known == n;
    }
    free(labels);
    return n;
}

static const oracle_node *oracle_node_at(const scene *here, const unsigned *levels) {
    for (size_t i = 0; i < here->oracle.n_nodes; i++)
        if (memcmp(here->oracle.nodes[i].levels, levels,
                   here->plain.n_attributes * sizeof *levels) == 0)
            return &here->oracle.nodes[i];
    fail_msg("there is no such node");
    return NULL;
}

/* The walk by its definition: the node it ends at, NULL when it passes the top; nodes seen. */
static const oracle_node *walk_datafly(const scene *here, const test_question *question,
                                       uint64_t *n_seen) {
    unsigned levels[ORACLE_ATTRIBUTES] = {0};
    for (*n_seen = 1;; ++*n_seen) {
        const oracle_node *node = oracle_node_at(here, levels);
        unsigned chosen = here->plain.n_attributes;
        size_t most = 0;
        if (is_acceptable(node, question))
            return node;
        for (unsigned a = 0; a < here->plain.n_attributes; a++) {
            size_t n = count_labels(here, a, levels[a]);
            if (levels[a] == here->plain.attributes[a].height || n <= most)
                continue;
            most = n;
            chosen = a;
        }
        if (chosen == here->plain.n_attributes)
            return NULL;
        levels[chosen]++;
    }
}

static void datafly_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = random_question(&here);
        kan_answer answer;
        uint64_t n_seen;
        const oracle_node *expected = walk_datafly(&here, &question, &n_seen);
        answer_of(&kan_search_datafly, &here, &question, NULL, &answer);
        expect_true_bound(&here, &question, &answer);
        assert_int_equal(answer.is_found, expected != NULL);
        assert_false(answer.is_complete || answer.is_optimal);
        assert_null(answer.minimal);
        assert_int_equal(answer.n_checked, n_seen);
        assert_int_equal(answer.effort.n_scans, 1);
        assert_int_equal(answer.effort.n_rollups, n_seen - 1);
        if (expected)
            assert_memory_equal(answer.recoding.levels, expected->levels,
                                here.plain.n_attributes * sizeof *expected->levels);
        kan_answer_destroy(run, &answer);
    }
    scene_destroy(&here);
}

static void datafly_follows_its_definition_step_by_step(void **state) {
    (void)state;
    random_rounds(40, datafly_on_one_table);
}

/* ---- threads and memory --------------------------------------------------------------------- */

static void any_threads_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make_large(run, seed, 500, &here);
    test_question question = random_question(&here);
    for (unsigned i = 0; i < N_SEARCHES; i++) {
        kan_answer alone, together;
        kan_run_set_threads(run, 1);
        answer_of(searches[i], &here, &question, NULL, &alone);
        for (unsigned threads = 2; threads <= 4; threads++) {
            kan_run_set_threads(run, threads);
            answer_of(searches[i], &here, &question, NULL, &together);
            expect_same_answer(&here, &alone, &together);
            assert_int_equal(alone.n_checked, together.n_checked);
            assert_memory_equal(&alone.effort, &together.effort, sizeof alone.effort);
            kan_answer_destroy(run, &together);
        }
        kan_answer_destroy(run, &alone);
    }
    scene_destroy(&here);
}

static void any_number_of_threads_gives_the_same_answer_and_effort(void **state) {
    (void)state;
    random_rounds(25, any_threads_on_one_table);
}

/* From a budget that is far too small up to one that suffices: each failure is clean, and gives all
 * memory back. How many more sets were then made from the base than without a budget. */
static uint64_t expect_any_budget(const scene *here, const test_question *question,
                                  const kan_search_kind *search, uint64_t more) {
    kan_run *run = here->made.run;
    kan_answer without, within;
    test_asked asked;
    answer_of(search, here, question, NULL, &without);
    test_ask(&here->made, question, &asked);
    kan_run_set_memory(run, UINT64_MAX / 2);
    const uint64_t used = UINT64_MAX / 2 - kan_run_memory_left(run);
    kan_status status = KAN_FAILED;
    for (; status != KAN_OK; more += 1 + more / 8) {
        kan_run_set_memory(run, used + more);
        status = search->search(run, &asked.question, &within);
        assert_true(status == KAN_OK || status == KAN_FAILED);
        if (status != KAN_OK)
            assert_int_equal(kan_run_memory_left(run), more);
    }
    kan_run_set_memory(run, 0);
    expect_same_answer(here, &without, &within);
    assert_int_equal(without.n_checked, within.n_checked);
    assert_true(within.effort.n_scans >= without.effort.n_scans);
    const uint64_t n_more = within.effort.n_scans - without.effort.n_scans;
    kan_answer_destroy(run, &without);
    kan_answer_destroy(run, &within);
    test_asked_destroy(&asked);
    return n_more;
}

static void any_budget_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 2));
    scene_make_large(run, seed, 200, &here);
    test_question question = random_question(&here);
    for (unsigned i = 0; i < N_SEARCHES; i++)
        (void)expect_any_budget(&here, &question, searches[i], 64);
    scene_destroy(&here);
}

static void a_budget_gives_the_same_answer_or_a_clean_error(void **state) {
    (void)state;
    random_rounds(8, any_budget_on_one_table);
}

/* Five columns of twelve values, two of which make one at the next level: thousands of tuples in
 * most sets. */
static void scene_make_fine(kan_run *run, scene *out) {
    enum { N_ATTRIBUTES = 5, N_LEAVES = 12, N_ROWS = 10000 };
    memset(out, 0, sizeof *out);
    plain_init(&out->plain);
    for (unsigned a = 0; a < N_ATTRIBUTES; a++) {
        plain_attribute *attribute = plain_add_attribute(&out->plain, N_LEAVES, 2);
        for (unsigned i = 0; i < N_LEAVES; i++) {
            snprintf(attribute->leaves[i].at[0], PLAIN_LABEL, "v%u", i);
            snprintf(attribute->leaves[i].at[1], PLAIN_LABEL, "g%u", i / 2);
            snprintf(attribute->leaves[i].at[2], PLAIN_LABEL, "*");
        }
    }
    plain_add_rows(&out->plain, N_ROWS);
    for (size_t row = 0; row < N_ROWS; row++)
        for (unsigned a = 0; a < N_ATTRIBUTES; a++)
            snprintf(plain_cell(&out->plain, row, a), PLAIN_LABEL, "v%u",
                     (unsigned)kan_random_below(&out->random, N_LEAVES));
    test_problem_make(run, &out->plain, &out->made);
}

static void sets_without_room_are_made_from_the_base_again(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    scene here;
    kan_run_set_threads(run, 1);
    scene_make_fine(run, &here);
    test_question question = {.k = 100, .cost = &kan_cost_height};
    assert_true(expect_any_budget(&here, &question, &kan_search_bottom_up_rollup, 1 << 20) > 0);
    scene_destroy(&here);
    kan_run_destroy(run);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static void large_lattices_are_refused_and_bisect_is_named(void **state) {
    (void)state;
    const random_spec wide = {.least_attributes = 30,
                              .most_attributes = 30,
                              .least_rows = 5,
                              .most_rows = 5,
                              .most_leaves = 3,
                              .most_height = 4};
    kan_run *run = kan_run_create();
    plain_table plain;
    test_problem made;
    test_asked asked;
    uint64_t random = 1;
    random_plain(&wide, &random, &plain);
    test_problem_make(run, &plain, &made);
    test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = 5}, &asked);
    for (unsigned i = 0; i < N_SEARCHES; i++) {
        kan_answer answer = {.n_checked = 77};
        kan_status status = searches[i]->search(run, &asked.question, &answer);
        if (searches[i] == &kan_search_datafly) { /* a single way, however many there are */
            assert_int_equal(status, KAN_OK);
            assert_true(answer.is_found);
            continue;
        }
        assert_int_equal(status, KAN_UNSATISFIED);
        assert_non_null(strstr(kan_run_error(run), searches[i]->kind.name));
        assert_non_null(strstr(kan_run_error(run), "--algorithm bisect"));
        assert_int_equal(answer.n_checked, 77);
    }
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    plain_destroy(&plain);
    kan_run_destroy(run);
}

static void a_cancelled_search_ends_without_an_answer(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++)
        for (unsigned i = 0; i < N_SEARCHES; i++) {
            kan_run *run = kan_run_create();
            scene here;
            kan_run_set_threads(run, threads);
            scene_make(run, 3, &here);
            test_asked asked;
            kan_answer answer;
            test_ask(&here.made, &(test_question){.cost = &kan_cost_height, .k = 1}, &asked);
            kan_run_cancel(run);
            assert_int_equal(searches[i]->search(run, &asked.question, &answer), KAN_CANCELLED);
            test_asked_destroy(&asked);
            scene_destroy(&here);
            kan_run_destroy(run);
        }
}

static void each_search_claims_what_it_does(void **state) {
    (void)state;
    for (unsigned i = 0; i < N_SEARCHES; i++) {
        assert_int_equal(searches[i]->finds_all, i < N_COMPLETE);
        assert_int_equal(searches[i]->finds_best, i < N_COMPLETE);
        assert_int_equal(searches[i]->needs_monotone, searches[i] != &kan_search_datafly);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(searches_equal_brute_force_on_random_tables, random_tear_down),
        cmocka_unit_test_teardown(a_promise_on_sensitive_values_is_searched_rightly,
                                  random_tear_down),
        cmocka_unit_test_teardown(literal_and_transitive_marks_give_the_same_answer,
                                  random_tear_down),
        cmocka_unit_test_teardown(bottom_up_rollup_takes_the_smallest_set_below, random_tear_down),
        cmocka_unit_test_teardown(hash_minimal_checks_all_of_the_border_and_no_more_than_all_nodes,
                                  random_tear_down),
        cmocka_unit_test_teardown(samarati_returns_the_best_node_of_the_least_height,
                                  random_tear_down),
        cmocka_unit_test_teardown(datafly_follows_its_definition_step_by_step, random_tear_down),
        cmocka_unit_test_teardown(any_number_of_threads_gives_the_same_answer_and_effort,
                                  random_tear_down),
        cmocka_unit_test_teardown(a_budget_gives_the_same_answer_or_a_clean_error,
                                  random_tear_down),
        cmocka_unit_test(sets_without_room_are_made_from_the_base_again),
        cmocka_unit_test(large_lattices_are_refused_and_bisect_is_named),
        cmocka_unit_test(a_cancelled_search_ends_without_an_answer),
        cmocka_unit_test(each_search_claims_what_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

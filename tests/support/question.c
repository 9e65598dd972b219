/* Questions and the expected answers: see question.h. */
#include "support/question.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "search/leavers.h"

void test_ask(const test_problem *made, const test_question *question, test_asked *out) {
    kan_run *run = made->run;
    char k[32];
    memset(out, 0, sizeof *out);
    kan_arena_init(&out->arena, run);
    kan_options_init(&out->options, &out->arena);
    snprintf(k, sizeof k, "%" PRIu64, question->k);
    EXPECT_OK(run, kan_options_add(&out->options, "k", k));
    kan_promise_init(&out->promise, question->limit);
    if (question->subsets)
        kan_promise_take_subsets(&out->promise, question->subsets);
    else
        EXPECT_OK(run,
                  kan_promise_add(&out->promise, run, &out->arena,
                                  question->privacy ? question->privacy : &kan_privacy_k_anonymity,
                                  &out->options, &made->problem));
    if (question->models)
        plain_privacy_promise(question->models, made, &out->arena, &out->options, &out->promise);
    for (size_t i = 0; question->more_options && question->more_options[i]; i += 2)
        EXPECT_OK(run, kan_options_add(&out->options, question->more_options[i],
                                       question->more_options[i + 1]));
    for (size_t i = 0; question->more && question->more[i]; i++)
        EXPECT_OK(run, kan_promise_add(&out->promise, run, &out->arena, question->more[i],
                                       &out->options, &made->problem));
    EXPECT_OK(run, kan_objective_create(run, &out->arena, question->cost, &out->options,
                                        question->k, &made->problem, &out->objective));
    out->question = (kan_question){.problem = &made->problem,
                                   .promise = &out->promise,
                                   .objective = &out->objective,
                                   .options = &out->options,
                                   .wants_release = question->wants_release,
                                   .wants_all = !question->wants_best_alone,
                                   .wants_failing = !question->wants_best_alone};
}

void test_asked_destroy(test_asked *asked) {
    kan_options_destroy(&asked->options);
    kan_arena_destroy(&asked->arena);
}

void test_node_make(const test_problem *made, const test_asked *asked, const unsigned *levels,
                    test_node *out) {
    const kan_problem *problem = &made->problem;
    const kan_cost_kind *cost = asked->objective.kind;
    bool needs_tails = asked->promise.needs_tallies || cost->needs_class;
    unsigned dimensions[KAN_MAX_FIELDS];
    unsigned n = problem->space.n_attributes + (needs_tails ? problem->space.n_tails : 0);
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < n; i++)
        dimensions[i] = i;
    kan_viewer_init(&out->viewer, problem);
    EXPECT_OK(made->run, kan_workspace_create(made->run, &out->workspace));
    EXPECT_OK(made->run, kan_freqset_project(&problem->space, &problem->base, dimensions, n,
                                             out->workspace, &out->base));
    EXPECT_OK(made->run,
              kan_freqset_rollup(&problem->space, &out->base, levels, out->workspace, &out->set));
    kan_leavers leavers;
    kan_leavers_init(&leavers, problem);
    EXPECT_OK(made->run,
              kan_leavers_see(&leavers, &asked->promise, &out->set, &out->viewer, &out->groups));
    kan_leavers_destroy(&leavers);
    if (cost->needs_loss)
        kan_viewer_loss(&out->viewer, &out->set, &out->groups);
}

void test_node_destroy(const test_problem *made, test_node *node) {
    kan_freqset_destroy(made->run, &node->base);
    kan_freqset_destroy(made->run, &node->set);
    kan_viewer_destroy(&node->viewer);
    kan_workspace_destroy(node->workspace);
}

bool test_node_satisfies(const test_problem *made, const test_asked *asked,
                         const unsigned *levels) {
    test_node node;
    test_node_make(made, asked, levels, &node);
    bool satisfies = node.groups.n_suppressed <= asked->promise.limit;
    test_node_destroy(made, &node);
    return satisfies;
}

static const oracle_node *node_at(const oracle *truth, const unsigned *levels) {
    for (size_t i = 0; i < truth->n_nodes; i++)
        if (memcmp(truth->nodes[i].levels, levels, truth->plain->n_attributes * sizeof *levels) ==
            0)
            return &truth->nodes[i];
    fail_msg("the answer is not a node of the lattice");
    return NULL;
}

static void expect_best(const kan_answer *answer, const oracle *truth,
                        const test_question *question) {
    const char *cost = question->cost->kind.name;
    const oracle_node *best = oracle_best(truth, cost, question->k, question->wants_release);
    assert_int_equal(answer->is_found, best != NULL);
    if (!best)
        return;
    assert_int_equal(answer->recoding.type, KAN_RECODING_LEVELS);
    assert_int_equal(answer->recoding.n_attributes, truth->plain->n_attributes);
    const oracle_node *node = node_at(truth, answer->recoding.levels);
    assert_true(node->satisfies);
    assert_true(!question->wants_release || node->n_released_groups > 0);
    double told = answer->score.real, here = oracle_cost(truth, node, cost, question->k);
    if (oracle_is_less(told, here) || oracle_is_less(here, told))
        fail_msg("%s: the answer says %.17g, its node costs %.17g", cost, told, here);
    if (answer->score.is_whole)
        assert_true(answer->score.whole == (kan_u128)here);
    if (!answer->is_optimal)
        return;
    double least = oracle_cost(truth, best, cost, question->k);
    if (node != best)
        fail_msg("%s: node %zu of cost %.17g was found, node %zu of cost %.17g is the best", cost,
                 (size_t)(node - truth->nodes), here, (size_t)(best - truth->nodes), least);
    assert_false(oracle_is_less(least, answer->bound));
}

static bool is_minimal(const oracle *truth, const oracle_node *node) {
    (void)truth;
    return node->is_minimal;
}

static bool is_maximal_failing(const oracle *truth, const oracle_node *node) {
    if (node->satisfies)
        return false;
    for (size_t i = 0; i < truth->n_nodes; i++) {
        const oracle_node *other = &truth->nodes[i];
        bool is_above = other != node && !other->satisfies;
        for (unsigned a = 0; is_above && a < truth->plain->n_attributes; a++)
            is_above = other->levels[a] >= node->levels[a];
        if (is_above)
            return false;
    }
    return true;
}

static void expect_vectors(const oracle *truth,
                           bool (*is_wanted)(const oracle *, const oracle_node *),
                           const uint8_t *vectors, size_t n_vectors) {
    const unsigned n_attributes = truth->plain->n_attributes;
    size_t at = 0;
    for (size_t i = 0; i < truth->n_nodes; i++) {
        if (!is_wanted(truth, &truth->nodes[i]))
            continue;
        assert_true(at < n_vectors);
        for (unsigned a = 0; a < n_attributes; a++)
            assert_int_equal(vectors[at * n_attributes + a], truth->nodes[i].levels[a]);
        at++;
    }
    assert_int_equal(at, n_vectors);
}

static void expect_space(const kan_answer *answer, const oracle *truth, bool wants_failing) {
    assert_int_equal(answer->n_nodes, truth->n_nodes);
    if (!answer->is_complete)
        return;
    assert_int_equal(answer->n_anonymous, truth->n_anonymous);
    expect_vectors(truth, is_minimal, answer->minimal, answer->n_minimal);
    if (wants_failing)
        expect_vectors(truth, is_maximal_failing, answer->failing, answer->n_failing);
}

void expect_search_is_right(const kan_search_kind *search, const test_problem *made,
                            const oracle *truth, const test_question *question) {
    test_asked asked;
    kan_answer answer;
    test_ask(made, question, &asked);
    EXPECT_OK(made->run, search->search(made->run, &asked.question, &answer));
    expect_space(&answer, truth, asked.question.wants_failing);
    expect_best(&answer, truth, question);
    assert_true(answer.is_complete || !search->finds_all || question->wants_best_alone);
    assert_true(answer.is_optimal || !search->finds_best || !answer.is_found);
    /* Where a merge can spoil a group, who leaves nodes out has not seen the one that loses least;
     * the job does not tell then. */
    if (!answer.is_found &&
        (asked.promise.absorbs_any || (search->finds_all && !search->needs_monotone)))
        assert_int_equal(answer.least_suppressed, truth->least_suppressed);
    kan_answer_destroy(made->run, &answer);
    test_asked_destroy(&asked);
}

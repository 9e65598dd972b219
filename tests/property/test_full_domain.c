/* Full-domain recodings are special sets of cuts: every level of a hierarchy cuts its leaves, in
 * their order, into nodes. So the best node is never better than the best nodes of full-subtree,
 * and these are never better than the best cuts. And a node's cuts are a good solution to begin
 * with. */
#include <string.h>

#include "support/cut_problem.h"

typedef struct {
    cut_problem problem;
    cut_question question;
} scene;

static kan_answer ask(const scene *here, const kan_search_kind *search, bool is_subtree,
                      const kan_recoding *seed) {
    kan_run *run = here->problem.made.run;
    cut_question question = here->question;
    test_asked asked;
    kan_answer answer;
    question.is_subtree = is_subtree;
    cut_ask(&here->problem, &question, &asked);
    asked.question.seed = seed;
    EXPECT_OK(run, kan_options_add(&asked.options, "restarts", "1"));
    EXPECT_OK(run, search->search(run, &asked.question, &answer));
    test_asked_destroy(&asked);
    return answer;
}

/* What is found among few is found among more, and for no more. */
static void expect_no_better(const kan_answer *few, const kan_answer *more) {
    assert_true(!few->is_found || more->is_found);
    if (few->is_found)
        assert_true(kan_score_compare(&more->score, &few->score) <= 0);
}

/* ---- seeds ---------------------------------------------------------------------------------- */

static void fail_on_note(void *user, const char *note) {
    (void)user;
    fail_msg("%s", note);
}

/* The cuts of a node: between leaves that are in different groups. */
static void cuts_of_node(const cut_problem *problem, const unsigned *levels, kan_recoding *out,
                         uint32_t *room) {
    size_t n = 0;
    *out = (kan_recoding){
        .type = KAN_RECODING_CUTS, .n_attributes = problem->plain.n_attributes, .cuts = room};
    for (unsigned a = 0; a < out->n_attributes; a++) {
        const uint32_t *group = problem->made.hierarchies[a]->levels[levels[a]].from_leaf;
        for (uint32_t place = 1; place < problem->n_places[a]; place++)
            if (group[place - 1] != group[place])
                room[n++] = place;
        out->first_cut[a + 1] = n;
    }
}

/* Whether the answer had that cost at some time, or began with less. */
static bool has_moment(const kan_answer *answer, const kan_score *score) {
    for (size_t i = 0; i < answer->n_moments; i++)
        if (answer->moments[i].cost == (double)score->whole)
            return true;
    return answer->n_moments > 0 && answer->moments[0].cost < (double)score->whole;
}

/* The best node is known: it costs what it should as cuts, and the search goes on from there. */
static void expect_seeds_are_used(const scene *here, const kan_answer *node,
                                  const kan_answer *best) {
    static const kan_search_kind *const searches[] = {
        &kan_search_hill_climb, &kan_search_k_optimize_paper, &kan_search_k_optimize};
    kan_run *run = here->problem.made.run;
    uint32_t room[CUT_CHOICES];
    kan_recoding seed;
    cuts_of_node(&here->problem, node->recoding.levels, &seed, room);
    kan_run_on_note(run, fail_on_note, NULL);
    for (unsigned i = 0; i < 6; i++) {
        kan_answer answer = ask(here, searches[i / 2], i % 2, &seed);
        expect_no_better(node, &answer);
        assert_true(has_moment(&answer, &node->score));
        if (searches[i / 2] == &kan_search_k_optimize)
            assert_int_equal(kan_score_compare(&answer.score, &best[i % 2].score), 0);
        kan_answer_destroy(run, &answer);
    }
    kan_run_on_note(run, NULL, NULL);
}

/* ---- rounds --------------------------------------------------------------------------------- */

static void one_question(const scene *here, bool is_exhaustive) {
    kan_run *run = here->problem.made.run;
    kan_answer node =
        ask(here, is_exhaustive ? &kan_search_exhaustive : &kan_search_bisect, false, NULL);
    kan_answer best[] = {ask(here, &kan_search_k_optimize, false, NULL),
                         ask(here, &kan_search_k_optimize, true, NULL)};
    assert_int_equal(node.is_optimal, node.is_found);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(best[i].is_optimal, best[i].is_found);
    expect_no_better(&node, &best[1]);
    expect_no_better(&best[1], &best[0]);
    if (node.is_found)
        expect_seeds_are_used(here, &node, best);
    kan_answer_destroy(run, &node);
    kan_answer_destroy(run, &best[0]);
    kan_answer_destroy(run, &best[1]);
}

static void one_table(kan_run *run, uint64_t seed) {
    static const uint64_t limits[] = {0, 3, UINT64_MAX};
    uint64_t random = seed;
    scene here;
    random_cut_problem(run, &random, 20, false, &here.problem);
    const size_t n_rows = here.problem.plain.n_rows;
    for (unsigned i = 0; i < 6; i++) {
        if (i % 2 == 1 && !here.problem.classes)
            continue;
        here.question =
            (cut_question){.cost = i % 2 ? &kan_cost_classification : &kan_cost_discernibility,
                           .k = 1 + kan_random_below(&random, n_rows < 6 ? n_rows : 6),
                           .limit = limits[i / 2],
                           .wants_release = kan_random_below(&random, 2) != 0};
        one_question(&here, kan_random_below(&random, 2) != 0);
    }
    cut_problem_destroy(&here.problem);
}

static void the_best_node_is_never_better_than_the_best_cuts(void **state) {
    (void)state;
    random_rounds(120, one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_best_node_is_never_better_than_the_best_cuts,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

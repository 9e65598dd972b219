/* iterate follows the cost: by the cost that is asked for, its release is never worse than the best
 * levels, nor than that of progressive, whatever the table, the models and the limit. Releases are
 * measured by plain counting over their regions. */
#include <stdlib.h>
#include <string.h>

#include "search/levels/levels.h"
#include "search/local/local.h"
#include "support/plain_local.h"
#include "support/question.h"
#include "support/random_problem.h"

static const kan_cost_kind *const costs[] = {&kan_cost_ncp,           &kan_cost_precision,
                                             &kan_cost_distortion,    &kan_cost_discernibility,
                                             &kan_cost_average_class, &kan_cost_classification};
enum { N_COSTS = sizeof costs / sizeof *costs };

/* ---- what a release costs ------------------------------------------------------------------- */

typedef struct {
    kan_cell_loss loss[KAN_MAX_ATTRIBUTES];
    uint64_t *classes; /* [region * n_values + value]: rows of the class column */
    uint32_t n_values;
    size_t *start;
    uint32_t *value;
    uint64_t *count;
    kan_tally tallies[KAN_MAX_TAILS];
} measured;

static void sum_losses(const kan_problem *problem, const kan_regions *regions, measured *m) {
    memset(m->loss, 0, sizeof m->loss);
    for (size_t r = 0; r < kan_regions_released(regions); r++)
        for (unsigned a = 0; a < regions->n_attributes; a++) {
            const kan_cell cell =
                regions->cells[a].cells[regions->cell_of[r * regions->n_attributes + a]];
            m->loss[a].levels += (kan_u128)cell.a * regions->n_rows[r];
            m->loss[a].share += (kan_u128)problem->shares[a][cell.a][cell.b] * regions->n_rows[r];
        }
}

static void count_row(const kan_problem *problem, size_t tuple, uint32_t region, uint64_t n,
                      measured *m) {
    const unsigned dimension = problem->space.n_attributes + (unsigned)problem->class_tail;
    m->classes[(size_t)region * m->n_values + kan_problem_tuple_value(problem, tuple, dimension)] +=
        n;
}

/* The classes of each region, as a tally. */
static void tally_classes(const kan_problem *problem, const kan_regions *regions, measured *m) {
    const kan_dimension *d =
        &problem->space.dimensions[problem->space.n_attributes + (unsigned)problem->class_tail];
    m->n_values = (uint32_t)kan_dimension_groups(d, 0);
    const size_t n = (size_t)regions->n_regions * m->n_values;
    m->classes = calloc(n + 1, sizeof *m->classes);
    m->start = calloc(regions->n_regions + 1, sizeof *m->start);
    m->value = calloc(n + 1, sizeof *m->value);
    m->count = calloc(n + 1, sizeof *m->count);
    for (size_t t = 0; t < regions->n_tuples; t++) {
        const uint32_t of = regions->region_of[t];
        if (!(of & KAN_REGION_SPLIT)) {
            count_row(problem, t, of, kan_problem_tuple_rows(problem, t), m);
            continue;
        }
        const size_t split = of & ~(uint32_t)KAN_REGION_SPLIT;
        for (size_t i = regions->split_start[split]; i < regions->split_start[split + 1]; i++)
            count_row(problem, t, regions->portions[i].region, regions->portions[i].n_rows, m);
    }
    size_t at = 0;
    for (size_t r = 0; r < regions->n_regions; r++) {
        for (uint32_t v = 0; v < m->n_values; v++)
            if (m->classes[r * m->n_values + v] > 0) {
                m->value[at] = v;
                m->count[at++] = m->classes[r * m->n_values + v];
            }
        m->start[r + 1] = at;
    }
    m->tallies[problem->class_tail] = (kan_tally){m->start, m->value, m->count};
}

static kan_score measure(const kan_question *question, const kan_regions *regions) {
    const kan_problem *problem = question->problem;
    measured m = {.n_values = 0};
    const size_t n = kan_regions_released(regions);
    sum_losses(problem, regions, &m);
    if (question->objective->kind->needs_class)
        tally_classes(problem, regions, &m);
    const kan_groups groups = {.n_groups = n,
                               .n_rows = problem->n_rows,
                               .count = regions->n_rows,
                               .tallies = m.tallies,
                               .n_released_groups = n,
                               .n_suppressed = regions->has_lost ? regions->n_rows[n] : 0,
                               .loss = m.loss};
    const kan_score score = question->objective->kind->measure(question->objective->state, &groups);
    free(m.classes);
    free(m.start);
    free(m.value);
    free(m.count);
    return score;
}

/* ---- against the best levels ---------------------------------------------------------------- */

static size_t n_asked, n_better[N_COSTS], n_equal[N_COSTS];

static void expect_no_worse(const test_problem *made, const plain_privacy *models, uint64_t limit,
                            unsigned cost) {
    const test_question question = {.models = models,
                                    .cost = costs[cost],
                                    .k = models->k,
                                    .limit = limit,
                                    .wants_best_alone = true};
    kan_run *run = made->run;
    kan_answer local = {.n_nodes = 0}, levels = {.n_nodes = 0};
    test_asked asked;
    test_ask(made, &question, &asked);
    asked.question.wants_release = true;
    const uint64_t left = kan_run_memory_left(run);
    EXPECT_OK(run, kan_levels_best(run, &asked.question, &levels));
    EXPECT_OK(run, kan_search_iterate.search(run, &asked.question, &local));
    n_asked++;
    if (levels.is_found)
        assert_true(local.is_found);
    if (local.is_found)
        expect_local_is_right(made, models, limit, &local);
    if (levels.is_found) {
        const kan_score score = measure(&asked.question, local.recoding.regions);
        const int order = kan_score_compare(&score, &levels.score);
        if (order > 0)
            print_message("%s: %g, and the best levels have %g\n", costs[cost]->kind.name,
                          score.real, levels.score.real);
        assert_true(order <= 0);
        n_better[cost] += order < 0;
        n_equal[cost] += order == 0;
    }
    kan_answer_destroy(run, &levels);
    kan_answer_destroy(run, &local);
    assert_int_equal(kan_run_memory_left(run), left);
    test_asked_destroy(&asked);
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 86028121;
    random_spec spec = random_small;
    plain_table plain;
    plain_privacy models;
    test_problem made;
    spec.most_rows = seed % 3 == 0 ? 8 : seed % 3 == 1 ? 40 : 150;
    spec.most_attributes = 4;
    do {
        random_plain(&spec, &random, &plain);
        if (plain_is_sensitive(&plain))
            break;
        plain_destroy(&plain);
    } while (true);
    plain_confuse_labels(&plain, &random);
    test_problem_make(run, &plain, &made);
    random_privacy(&plain, &random, &made, &models);
    if (seed % 2)
        plain_promise_k_alone(&models);
    const uint64_t limit =
        kan_random_below(&random, 3) == 0 ? kan_random_below(&random, plain.n_rows + 1) : 0;
    for (unsigned cost = 0; cost < N_COSTS; cost++)
        if (costs[cost] != &kan_cost_classification || plain.class_tail != KAN_NO_TAIL)
            expect_no_worse(&made, &models, limit, cost);
    plain_privacy_destroy(&models, &made);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void by_no_cost_is_it_worse_than_the_best_levels(void **state) {
    (void)state;
    n_asked = 0;
    memset(n_better, 0, sizeof n_better);
    memset(n_equal, 0, sizeof n_equal);
    random_rounds(300, one_table);
    print_message("%zu questions\n", n_asked);
    for (unsigned cost = 0; cost < N_COSTS; cost++) {
        print_message("%s: %zu times better, %zu times as good\n", costs[cost]->kind.name,
                      n_better[cost], n_equal[cost]);
        if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
            assert_true(n_better[cost] > 10);
    }
}

/* ---- against progressive -------------------------------------------------------------------- */

/* By the cost that is asked for, or by the usual one: then progressive looks at no cost. */
static void expect_no_worse_than_progressive(const test_problem *made, const plain_privacy *models,
                                             uint64_t limit, unsigned cost, bool is_asked_for) {
    const char *const named[] = {"cost", costs[cost]->kind.name, NULL};
    const test_question question = {.models = models,
                                    .cost = costs[cost],
                                    .k = models->k,
                                    .limit = limit,
                                    .more_options = is_asked_for ? named : NULL,
                                    .wants_best_alone = true};
    kan_run *run = made->run;
    kan_answer iterate = {.n_nodes = 0}, progressive = {.n_nodes = 0};
    test_asked asked;
    test_ask(made, &question, &asked);
    asked.question.wants_release = true;
    EXPECT_OK(run, kan_search_progressive.search(run, &asked.question, &progressive));
    EXPECT_OK(run, kan_search_iterate.search(run, &asked.question, &iterate));
    n_asked++;
    if (progressive.is_found) {
        assert_true(iterate.is_found);
        expect_local_is_right(made, models, limit, &iterate);
        const kan_score ours = measure(&asked.question, iterate.recoding.regions);
        const kan_score theirs = measure(&asked.question, progressive.recoding.regions);
        const int order = kan_score_compare(&ours, &theirs);
        if (order > 0)
            print_message("%s%s: %.17g, and progressive has %.17g\n", costs[cost]->kind.name,
                          is_asked_for ? "" : " (not asked for)", ours.real, theirs.real);
        assert_true(order <= 0);
        n_better[cost] += order < 0;
        n_equal[cost] += order == 0;
    }
    kan_answer_destroy(run, &progressive);
    kan_answer_destroy(run, &iterate);
    test_asked_destroy(&asked);
}

static void one_rival_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 49979687;
    random_spec spec = random_small;
    plain_table plain;
    plain_privacy models;
    test_problem made;
    spec.most_rows = seed % 4 == 0 ? 12 : seed % 4 == 1 ? 60 : 250;
    spec.most_attributes = 4;
    do {
        random_plain(&spec, &random, &plain);
        if (plain_is_sensitive(&plain))
            break;
        plain_destroy(&plain);
    } while (true);
    test_problem_make(run, &plain, &made);
    random_privacy(&plain, &random, &made, &models);
    if (seed % 3)
        plain_promise_k_alone(&models);
    const uint64_t limit =
        kan_random_below(&random, 2) == 0 ? kan_random_below(&random, plain.n_rows + 1) : 0;
    for (unsigned cost = 0; cost < N_COSTS; cost++)
        if (costs[cost] != &kan_cost_classification || plain.class_tail != KAN_NO_TAIL)
            expect_no_worse_than_progressive(&made, &models, limit, cost,
                                             kan_random_below(&random, 4) != 0);
    plain_privacy_destroy(&models, &made);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void by_no_cost_is_it_worse_than_progressive(void **state) {
    (void)state;
    n_asked = 0;
    memset(n_better, 0, sizeof n_better);
    memset(n_equal, 0, sizeof n_equal);
    random_rounds(300, one_rival_table);
    print_message("%zu questions\n", n_asked);
    for (unsigned cost = 0; cost < N_COSTS; cost++) {
        print_message("%s: %zu times better, %zu times as good\n", costs[cost]->kind.name,
                      n_better[cost], n_equal[cost]);
        if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
            assert_true(n_better[cost] > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(by_no_cost_is_it_worse_than_progressive, random_tear_down),
        cmocka_unit_test_teardown(by_no_cost_is_it_worse_than_the_best_levels, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

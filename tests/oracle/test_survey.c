/* The figures of every node (--nodes) against brute force over rows and texts: under k and under
 * models of sensitive values, with a limit and without, within random boxes of levels, by every
 * cost, on one thread and on several. No node comes twice, and none costs less than what was said
 * before it came, by any cost. */
#include "support/models.h"
#include "support/question.h"
#include "support/random_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"
#include "search/levels/levels.h"

typedef struct {
    const oracle *truth;
    const kan_objective *objectives;
    size_t n_objectives, n_seen, order;
    uint64_t k, limit;
    bool *is_seen; /* by node */
    double *cost;  /* likewise, by the cost that is in order */
    kan_score floor;
    size_t most; /* nodes that are wanted below the floor */
} expected;

static size_t n_failing_seen, n_satisfying_seen, n_floors_seen, n_ended_early;

static void assert_shape(const oracle_node *node, const kan_node_figures *figures) {
    uint64_t n_failing = 0, n_rows = 0, n_ones = 0, n_twos = 0, smallest = 0, released = 0;
    uint64_t n_members = 0;
    for (size_t g = 0; g < node->n_groups; g++) {
        const uint64_t size = node->groups[g].n_rows;
        if (node->groups[g].is_released) {
            n_members += size;
            released = released == 0 || size < released ? size : released;
            continue;
        }
        n_failing++;
        n_rows += size;
        n_ones += size == 1;
        n_twos += size == 2;
        smallest = smallest == 0 || size < smallest ? size : smallest;
    }
    assert_int_equal(figures->n_failing, n_failing);
    assert_int_equal(figures->n_failing_rows, n_rows);
    assert_int_equal(figures->n_failing_ones, n_ones);
    assert_int_equal(figures->n_failing_twos, n_twos);
    assert_int_equal(figures->smallest_failing, smallest);
    assert_int_equal(figures->smallest_group, released);
    if (n_members == 0) {
        assert_true(isnan(figures->highest_risk) && isnan(figures->average_risk));
        return;
    }
    assert_true(figures->highest_risk == 1 / (double)released);
    assert_true(figures->average_risk == (double)node->n_released_groups / (double)n_members);
}

static kan_status take(void *context, const unsigned *levels, const kan_node_figures *figures,
                       const kan_score *scores) {
    expected *e = context;
    size_t at = 0;
    while (at < e->truth->n_nodes && memcmp(levels, e->truth->nodes[at].levels,
                                            e->truth->plain->n_attributes * sizeof *levels) != 0)
        at++;
    assert_true(at < e->truth->n_nodes && !e->is_seen[at]);
    const oracle_node *node = &e->truth->nodes[at];
    e->is_seen[at] = true;
    e->n_seen++;
    assert_false(kan_survey_is_below(&scores[e->order], &e->floor));
    assert_int_equal(figures->satisfies, node->satisfies);
    assert_int_equal(figures->n_suppressed, node->n_suppressed);
    assert_int_equal(figures->n_left_out, node->n_suppressed);
    assert_int_equal(figures->n_groups, node->n_released_groups);
    assert_shape(node, figures);
    for (size_t i = 0; i < e->n_objectives; i++) {
        const char *name = e->objectives[i].kind->kind.name;
        const double cost = oracle_cost(e->truth, node, name, e->k), found = scores[i].real;
        if (isfinite(cost) ? oracle_is_less(cost, found) || oracle_is_less(found, cost)
                           : isfinite(found))
            fail_msg("%s: %g in place of %g", name, found, cost);
    }
    n_failing_seen += !node->satisfies;
    n_satisfying_seen += node->satisfies;
    return KAN_OK;
}

/* Nodes that cost less than the floor, by brute force, have all been seen. */
static kan_status settle(void *context, const kan_score *floor, bool *is_enough) {
    expected *e = context;
    size_t n_below = 0;
    assert_true(kan_score_compare(floor, &e->floor) >= 0);
    e->floor = *floor;
    n_floors_seen += isfinite(floor->real) ? 1 : 0;
    for (size_t i = 0; i < e->truth->n_nodes; i++) {
        const bool is_below = isfinite(e->cost[i]) && oracle_is_less(e->cost[i], floor->real);
        assert_true(!is_below || e->is_seen[i]);
        n_below += is_below;
    }
    *is_enough = n_below >= e->most;
    return KAN_OK;
}

static void survey(const test_problem *made, const oracle *truth, const test_question *question,
                   size_t most) {
    kan_objective objectives[32];
    test_asked asked;
    bool is_complete, *is_seen = calloc(truth->n_nodes, sizeof *is_seen);
    double *cost = calloc(truth->n_nodes, sizeof *cost);
    test_ask(made, question, &asked);
    asked.question.wants_costs = true;
    expected e = {.truth = truth,
                  .objectives = objectives,
                  .k = question->k,
                  .limit = question->limit,
                  .is_seen = is_seen,
                  .cost = cost,
                  .floor = kan_score_real(-(double)INFINITY),
                  .most = most};
    for (size_t i = 0; i < truth->n_nodes; i++)
        cost[i] = oracle_cost(truth, &truth->nodes[i], question->cost->kind.name, question->k);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
        const kan_cost_kind *kind = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
        if (kind == question->cost)
            e.order = e.n_objectives;
        if (!kind->needs_class || truth->plain->class_tail != KAN_NO_TAIL)
            EXPECT_OK(made->run, kan_objective_create(made->run, &asked.arena, kind, &asked.options,
                                                      question->k, &made->problem,
                                                      &objectives[e.n_objectives++]));
    }
    const kan_survey all = {.question = &asked.question,
                            .objectives = objectives,
                            .n_objectives = e.n_objectives,
                            .take = take,
                            .settle = settle,
                            .context = &e,
                            .box_nodes = (unsigned)(most % 7),
                            .wave_boxes = (unsigned)(most % 3)};
    EXPECT_OK(made->run, kan_survey_run(made->run, &all, &is_complete));
    assert_int_equal(is_complete, e.n_seen == truth->n_nodes);
    assert_true(is_complete || most < SIZE_MAX);
    n_ended_early += !is_complete;
    test_asked_destroy(&asked);
    free(is_seen);
    free(cost);
}

/* One column in three is free, one is fixed, one has a range. */
static void bound_levels(test_problem *made, uint64_t *random, unsigned *low, unsigned *high) {
    for (unsigned a = 0; a < made->problem.space.n_attributes; a++) {
        kan_dimension *dimension = &made->problem.space.dimensions[a];
        const unsigned kind = (unsigned)kan_random_below(random, 3);
        low[a] = kind == 0 ? 0 : (unsigned)kan_random_below(random, dimension->height + 1);
        high[a] = kind == 0   ? dimension->height
                  : kind == 1 ? low[a]
                              : (unsigned)between(random, low[a], dimension->height);
        dimension->lowest = low[a];
        dimension->highest = high[a];
    }
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    unsigned low[ORACLE_ATTRIBUTES], high[ORACLE_ATTRIBUTES];
    plain_table plain;
    test_problem made;
    oracle truth;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    random_plain(&random_small, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    const uint64_t n_rows = plain.n_rows;
    for (unsigned turn = 0; turn < 3; turn++) {
        plain_privacy models;
        const bool has_models = turn > 0 && plain_is_sensitive(&plain);
        const uint64_t limits[] = {0, 1, n_rows / 10, kan_random_below(&random, n_rows + 1),
                                   UINT64_MAX};
        const kan_cost_kind *cost;
        do
            cost = (const kan_cost_kind *)kan_registry_at(
                KAN_FAMILY_COST,
                (size_t)kan_random_below(&random, kan_registry_count(KAN_FAMILY_COST)));
        while (cost->needs_class && plain.class_tail == KAN_NO_TAIL);
        test_question question = {.cost = cost,
                                  .k = 1 + kan_random_below(&random, 6),
                                  .limit = limits[kan_random_below(&random, 5)]};
        if (question.k > n_rows)
            question.k = n_rows;
        if (has_models) {
            random_privacy(&plain, &random, &made, &models);
            question.models = &models;
            question.k = models.k;
        }
        if (turn == 2) {
            bound_levels(&made, &random, low, high);
            oracle_bound(&truth, low, high);
        }
        oracle_judge(&truth, has_models ? plain_privacy_passes : oracle_has_k_rows,
                     has_models ? (const void *)&models : (const void *)&question.k,
                     question.limit);
        survey(&made, &truth, &question, SIZE_MAX);
        survey(&made, &truth, &question, 1 + (size_t)kan_random_below(&random, truth.n_nodes));
        if (has_models)
            plain_privacy_destroy(&models, &made);
    }
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void every_node_is_what_brute_force_says(void **state) {
    (void)state;
    random_rounds(150, one_table);
    assert_true(is_slow_here() || (n_failing_seen > 1000 && n_satisfying_seen > 1000 &&
                                   n_floors_seen > 100 && n_ended_early > 50));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_node_is_what_brute_force_says, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

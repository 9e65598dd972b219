/* The bounds of costs, over the registry: a search leaves out whatever a bound says is too dear, so
 * a bound that is too high loses the best release, and nobody would notice.
 *
 * On random tables each node and each of its generalizations that keep the promise are compared:
 * the bound at the node must not exceed the cost of the generalization, for any number of lost rows
 * up to those that the generalization really loses. So that a bound which says nothing is noticed
 * too, it must be the cost itself where the node is its own generalization. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"
#include "support/models.h"
#include "support/question.h"
#include "support/random_problem.h"

static const random_spec spec = {.least_attributes = 1,
                                 .most_attributes = 4,
                                 .least_rows = 1,
                                 .most_rows = 120,
                                 .most_leaves = 12,
                                 .most_height = 4,
                                 .most_tails = 2,
                                 .most_nodes = 48};

/* Fewer rows than some promises ask for. */
static const random_spec tiny = {.least_attributes = 1,
                                 .most_attributes = 4,
                                 .least_rows = 1,
                                 .most_rows = 4,
                                 .most_leaves = 4,
                                 .most_height = 3,
                                 .most_tails = 2,
                                 .most_nodes = 24};

/* Every node of a table, checked and measured for one question. */
typedef struct {
    const test_problem *made;
    test_asked asked;
    size_t n_nodes;
    test_node *nodes;
    kan_score *scores;
} lattice_of;

static void lattice_make(const test_problem *made, const oracle *truth,
                         const test_question *question, lattice_of *out) {
    *out = (lattice_of){.made = made, .n_nodes = truth->n_nodes};
    out->nodes = calloc(out->n_nodes, sizeof *out->nodes);
    out->scores = calloc(out->n_nodes, sizeof *out->scores);
    assert_non_null(out->nodes);
    assert_non_null(out->scores);
    test_ask(made, question, &out->asked);
    for (size_t i = 0; i < out->n_nodes; i++) {
        test_node_make(made, &out->asked, truth->nodes[i].levels, &out->nodes[i]);
        out->scores[i] = question->cost->measure(out->asked.objective.state, &out->nodes[i].groups);
    }
}

static void lattice_destroy(lattice_of *lattice) {
    for (size_t i = 0; i < lattice->n_nodes; i++)
        test_node_destroy(lattice->made, &lattice->nodes[i]);
    test_asked_destroy(&lattice->asked);
    free(lattice->nodes);
    free(lattice->scores);
}

static bool is_at_or_above(const lattice_of *lattice, size_t high, size_t low) {
    for (unsigned a = 0; a < lattice->made->problem.space.n_attributes; a++)
        if (lattice->nodes[high].groups.levels[a] < lattice->nodes[low].groups.levels[a])
            return false;
    return true;
}

/* As searches compare: exactly where scores are exact, else with a margin for rounding. */
static bool exceeds(const kan_score *bound, const kan_score *score) {
    if (bound->is_exact && score->is_exact)
        return bound->whole > score->whole;
    return bound->real > score->real + fabs(score->real) * 1e-9;
}

/* The bound at a node, from no more than it may look at. */
static kan_score bound_of(const lattice_of *lattice, size_t node, uint64_t n_lost) {
    const kan_cost_kind *cost = lattice->asked.objective.kind;
    const void *state = lattice->asked.objective.state;
    kan_groups low = lattice->nodes[node].groups;
    low.loss = NULL;
    const kan_score bound = cost->bound(state, &low, n_lost);
    assert_true(bound.real == bound.real); /* a number */
    /* Where size decides, searches count small groups and make no flags unless there are tallies.
     */
    if (!cost->needs_class && lattice->asked.promise.size_decides) {
        low.is_released = NULL;
        const kan_score again = cost->bound(state, &low, n_lost);
        assert_true(kan_score_compare(&bound, &again) == 0);
    }
    if (cost->bound_is_by_levels) {
        const kan_groups bare = {.n_rows = low.n_rows, .levels = low.levels};
        const kan_score again = cost->bound(state, &bare, n_lost);
        assert_true(kan_score_compare(&bound, &again) == 0);
    }
    return bound;
}

static void expect_not_above(const lattice_of *lattice, size_t low, size_t high, uint64_t n_lost) {
    const kan_score bound = bound_of(lattice, low, n_lost);
    if (exceeds(&bound, &lattice->scores[high]))
        fail_msg("%s: node %zu costs %.17g, the bound at node %zu with %llu lost rows says %.17g",
                 lattice->asked.objective.kind->kind.name, high, lattice->scores[high].real, low,
                 (unsigned long long)n_lost, bound.real);
}

/* Which rows will be lost ncp does not know, only how many: where some are it may say less. */
static bool is_attained(const lattice_of *lattice, size_t node) {
    return lattice->nodes[node].groups.n_suppressed == 0 ||
           (lattice->asked.promise.size_decides &&
            strcmp(lattice->asked.objective.kind->kind.name, "ncp") != 0);
}

static void try_pairs(const lattice_of *lattice, uint64_t *random) {
    const kan_promise *promise = &lattice->asked.promise;
    for (size_t high = 0; high < lattice->n_nodes; high++) {
        const uint64_t n_suppressed = lattice->nodes[high].groups.n_suppressed;
        if (n_suppressed > promise->limit)
            continue;
        const uint64_t n_lost = promise->size_decides ? n_suppressed : 0;
        for (size_t low = 0; low < lattice->n_nodes; low++) {
            if (!is_at_or_above(lattice, high, low))
                continue;
            expect_not_above(lattice, low, high, n_lost);
            expect_not_above(lattice, low, high, kan_random_below(random, n_lost + 1));
            expect_not_above(lattice, low, high, 0);
        }
        if (is_attained(lattice, high)) {
            const kan_score bound = bound_of(lattice, high, n_lost);
            if (exceeds(&lattice->scores[high], &bound))
                fail_msg("%s: node %zu costs %.17g, its own bound is only %.17g",
                         lattice->asked.objective.kind->kind.name, high, lattice->scores[high].real,
                         bound.real);
        }
    }
}

/* More rows that are known to be lost never lower a bound. */
static void try_lost(const lattice_of *lattice) {
    for (size_t node = 0; node < lattice->n_nodes && lattice->asked.promise.size_decides; node++) {
        kan_score before = bound_of(lattice, node, 0);
        for (uint64_t n = 1; n <= lattice->nodes[node].groups.n_suppressed; n++) {
            const kan_score bound = bound_of(lattice, node, n);
            assert_false(exceeds(&before, &bound));
            before = bound;
        }
    }
}

static uint64_t random_limit(const plain_table *plain, uint64_t *random) {
    const uint64_t choices[] = {0, 1 + plain->n_rows / 20, kan_random_below(random, plain->n_rows),
                                UINT64_MAX};
    return choices[kan_random_below(random, 4)];
}

static void try_model(const test_problem *made, const plain_table *plain, const oracle *truth,
                      const kan_privacy_kind *privacy, uint64_t *random) {
    const uint64_t most_k = privacy ? 5 : 8;
    test_question question = {.privacy = privacy,
                              .k = 1 + kan_random_below(random, most_k),
                              .limit = random_limit(plain, random)};
    if (!privacy && question.k > plain->n_rows)
        question.k = plain->n_rows; /* others may ask for more than there are rows */
    if (privacy && !privacy->absorbs_any)
        question.limit = 0;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
        lattice_of lattice;
        question.cost = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
        if (!question.cost->bound ||
            (question.cost->needs_class && plain->class_tail == KAN_NO_TAIL))
            continue;
        lattice_make(made, truth, &question, &lattice);
        try_pairs(&lattice, random);
        try_lost(&lattice);
        lattice_destroy(&lattice);
    }
}

static void bounds_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    oracle truth;
    random_plain(seed % 3 ? &spec : &tiny, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    try_model(&made, &plain, &truth, NULL, &random);
    if (plain.n_tails > 0 && plain.class_tail != 0)
        try_model(&made, &plain, &truth, &model_values, &random);
    try_model(&made, &plain, &truth, &model_multiples, &random);
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void no_generalization_costs_less_than_the_bound(void **state) {
    (void)state;
    random_rounds(60, bounds_on_one_table);
}

/* Searches are as quick as bounds are good: a new cost without one needs a reason. */
static void every_cost_has_a_bound(void **state) {
    (void)state;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++)
        assert_true(((const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i))->bound != NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_generalization_costs_less_than_the_bound, random_tear_down),
        cmocka_unit_test(every_cost_has_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

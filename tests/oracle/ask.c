/* Asking every search: see ask.h. */
#include "oracle/ask.h"

#include "job/registry/registry.h"
#include "support/random_problem.h"

static bool is_at_or_above(const plain_table *plain, const oracle_node *high,
                           const oracle_node *low) {
    for (unsigned a = 0; a < plain->n_attributes; a++)
        if (high->levels[a] < low->levels[a])
            return false;
    return true;
}

bool ask_has_hole(const oracle *truth) {
    for (size_t i = 0; i < truth->n_nodes; i++)
        for (size_t j = 0; j < truth->n_nodes && truth->nodes[i].satisfies; j++)
            if (!truth->nodes[j].satisfies &&
                is_at_or_above(truth->plain, &truth->nodes[j], &truth->nodes[i]))
                return true;
    return false;
}

/* What bisect stands on: on the way up no more rows leave, whatever the limit. */
static void expect_no_rise(const oracle *truth) {
    for (size_t i = 0; i < truth->n_nodes; i++)
        for (size_t j = 0; j < truth->n_nodes; j++)
            if (is_at_or_above(truth->plain, &truth->nodes[j], &truth->nodes[i]))
                assert_true(truth->nodes[j].n_suppressed <= truth->nodes[i].n_suppressed);
}

/* The library leaves out the same groups as the brute force does, at every node. */
static void expect_same_groups(const test_problem *made, const oracle *truth,
                               const test_question *question) {
    test_asked asked;
    test_ask(made, question, &asked);
    for (size_t i = 0; i < truth->n_nodes; i++) {
        test_node node;
        test_node_make(made, &asked, truth->nodes[i].levels, &node);
        assert_int_equal(node.groups.n_suppressed, truth->nodes[i].n_suppressed);
        assert_int_equal(node.groups.n_released_groups, truth->nodes[i].n_released_groups);
        test_node_destroy(made, &node);
    }
    test_asked_destroy(&asked);
}

void ask_every_search(const test_problem *made, const oracle *truth, const test_question *question,
                      ask_seen *seen) {
    test_asked asked;
    test_ask(made, question, &asked);
    const bool is_monotone = kan_promise_is_monotone(&asked.promise);
    if (asked.promise.absorbs_any)
        expect_no_rise(truth);
    test_asked_destroy(&asked);
    assert_false(is_monotone && ask_has_hole(truth));
    seen->n_questions++;
    seen->n_monotone += is_monotone;
    seen->n_satisfied += truth->n_anonymous > 0;
    for (size_t i = 0; i < truth->n_nodes; i++)
        seen->n_left += truth->nodes[i].n_suppressed > 0 && truth->nodes[i].n_released_groups > 0;
    expect_same_groups(made, truth, question);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (search->cuts || search->regions || (search->needs_monotone && !is_monotone) ||
            (!search->finds_all && !is_monotone))
            continue;
        expect_search_is_right(search, made, truth, question);
        seen->n_searches++;
    }
}

const kan_cost_kind *ask_random_cost(const plain_table *plain, uint64_t *random) {
    for (;;) {
        const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_at(
            KAN_FAMILY_COST, (size_t)kan_random_below(random, kan_registry_count(KAN_FAMILY_COST)));
        if (!cost->needs_class || plain->class_tail != KAN_NO_TAIL)
            return cost;
    }
}

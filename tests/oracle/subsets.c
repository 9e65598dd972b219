/* Sets of columns by brute force: see subsets.h. */
#include "oracle/subsets.h"

#include <stdlib.h>
#include <string.h>

#include "support/random_problem.h"

enum { TRIED = 10 }; /* groups of which every set is tried */

subsets_counts subsets_seen;

/* ---- by definition -------------------------------------------------------------------------- */

static const char *label(const oracle *truth, const oracle_node *node, size_t row, unsigned a) {
    const plain_table *plain = truth->plain;
    const size_t leaf = truth->leaf_of[row * plain->n_attributes + a];
    return plain->attributes[a].leaves[leaf].at[node->levels[a]];
}

static bool look_alike(const oracle *truth, const oracle_node *node, unsigned set, size_t g,
                       size_t h) {
    for (unsigned a = 0; a < truth->plain->n_attributes; a++)
        if (set >> a & 1 && strcmp(label(truth, node, node->groups[g].some_row, a),
                                   label(truth, node, node->groups[h].some_row, a)) != 0)
            return false;
    return true;
}

/* Rows of the groups that are there which show in the set of columns what group g does. */
static uint64_t count_alike(const oracle *truth, const oracle_node *node, unsigned set, size_t g,
                            const bool *is_there) {
    uint64_t rows = 0;
    for (size_t h = 0; h < node->n_groups; h++)
        rows += is_there[h] && look_alike(truth, node, set, g, h) ? node->groups[h].n_rows : 0;
    return rows;
}

static bool is_rare(const oracle *truth, const kan_column_sets *sets, const oracle_node *node,
                    size_t g, const bool *is_there) {
    for (unsigned set = 1; set < 1U << truth->plain->n_attributes; set++)
        for (unsigned i = 0; i < sets->n; i++)
            if (sets->sizes[i].m == (unsigned)__builtin_popcount(set) &&
                count_alike(truth, node, set, g, is_there) < sets->sizes[i].k)
                return true;
    return false;
}

static bool is_good(const oracle *truth, const kan_column_sets *sets, const oracle_node *node,
                    const bool *is_there) {
    for (size_t g = 0; g < node->n_groups; g++)
        if (is_there[g] && is_rare(truth, sets, node, g, is_there))
            return false;
    return true;
}

/* The union of all good sets, which is one. */
static void try_all(const oracle *truth, const kan_column_sets *sets, const oracle_node *node,
                    const bool *may_stay, bool *out) {
    bool is_there[TRIED];
    memset(out, 0, node->n_groups * sizeof *out);
    for (unsigned chosen = 0; chosen < 1U << node->n_groups; chosen++) {
        bool is_allowed = true;
        for (size_t g = 0; g < node->n_groups; g++) {
            is_there[g] = chosen >> g & 1;
            is_allowed &= !is_there[g] || may_stay[g];
        }
        if (!is_allowed || !is_good(truth, sets, node, is_there))
            continue;
        for (size_t g = 0; g < node->n_groups; g++)
            out[g] |= is_there[g];
    }
    assert_true(is_good(truth, sets, node, out));
    subsets_seen.n_tried++;
}

/* One after the other, as long as one has to. */
static void repeat(const oracle *truth, const kan_column_sets *sets, const oracle_node *node,
                   bool *is_there) {
    for (size_t g = 0, n_rounds = 0; g < node->n_groups; g++) {
        if (!is_there[g] || !is_rare(truth, sets, node, g, is_there))
            continue;
        is_there[g] = false;
        subsets_seen.n_chains += ++n_rounds == 3;
        g = SIZE_MAX; /* from the first again */
    }
}

void subsets_settle(const oracle *truth, const void *context, oracle_node *node) {
    const subsets_promise *promise = context;
    bool *is_there = calloc(node->n_groups + 1, sizeof *is_there), best[TRIED];
    bool *may_stay = calloc(node->n_groups + 1, sizeof *may_stay);
    assert_true(is_there && may_stay);
    for (size_t g = 0; g < node->n_groups; g++)
        is_there[g] = may_stay[g] = node->groups[g].is_released;
    repeat(truth, &promise->sets, node, is_there);
    if (node->n_groups <= TRIED) {
        try_all(truth, &promise->sets, node, may_stay, best);
        assert_memory_equal(best, is_there, node->n_groups * sizeof *best);
    }
    for (size_t g = 0; g < node->n_groups; g++) {
        subsets_seen.n_leaving += may_stay[g] && !is_there[g];
        node->groups[g].is_released = is_there[g];
    }
    free(is_there);
    free(may_stay);
}

void subsets_draw(uint64_t *random, unsigned n_columns, uint64_t most_k, kan_column_sets *out) {
    *out = (kan_column_sets){.n = 0};
    for (unsigned m = 1; m <= n_columns; m++)
        if (once_in(random, 3))
            out->sizes[out->n++] = (kan_column_set){.m = m, .k = between(random, 1, most_k)};
    if (out->n == 0)
        out->sizes[out->n++] =
            (kan_column_set){.m = between(random, 1, n_columns), .k = between(random, 1, most_k)};
}

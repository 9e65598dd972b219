/* Brute force: see brute.h. A node takes one look-up per different row of the table. */
#include "support/brute.h"

#include <stdlib.h>
#include <string.h>

static void *allocate(size_t n, size_t size) {
    void *memory = calloc(n + 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- labels --------------------------------------------------------------------------------- */

static uint64_t leaf_of(const plain_attribute *attribute, const char *value) {
    for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
        if (strcmp(attribute->leaves[leaf].at[0], value) == 0)
            return leaf;
    fail_msg("the hierarchy has no line for '%s'", value);
    return 0;
}

static void read_labels(const plain_table *plain, brute *out) {
    for (unsigned a = 0; a < plain->n_attributes; a++) {
        const plain_attribute *attribute = &plain->attributes[a];
        out->heights[a] = attribute->height;
        out->n_leaves[a] = attribute->n_leaves;
        assert_true(attribute->n_leaves <= UINT8_MAX);
        for (unsigned level = 0; level <= attribute->height; level++) {
            uint64_t *labels = allocate(attribute->n_leaves, sizeof *labels);
            for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
                while (strcmp(attribute->leaves[labels[leaf]].at[level],
                              attribute->leaves[leaf].at[level]) != 0)
                    labels[leaf]++;
            out->labels[a][level] = labels;
        }
    }
}

/* ---- groups --------------------------------------------------------------------------------- */

/* Groups by their keys: the labels of a tuple, as the digits of a number. */
typedef struct {
    uint64_t key;
    uint64_t n_rows; /* 0: free */
    size_t tuple;    /* one of the group */
} place;

typedef struct {
    size_t mask;
    place *places;
    size_t n_used, *used;
} group_table;

static void table_open(size_t most, group_table *out) {
    size_t n = 16;
    while (n < 2 * most)
        n *= 2;
    *out = (group_table){.mask = n - 1};
    out->places = allocate(n, sizeof *out->places);
    out->used = allocate(most, sizeof *out->used);
}

static void table_close(group_table *table) {
    free(table->places);
    free(table->used);
}

static void table_clear(group_table *table) {
    for (size_t i = 0; i < table->n_used; i++)
        table->places[table->used[i]].n_rows = 0;
    table->n_used = 0;
}

static void table_add(group_table *table, uint64_t key, uint64_t n_rows, size_t tuple) {
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & table->mask;
    while (table->places[at].n_rows && table->places[at].key != key)
        at = (at + 1) & table->mask;
    place *found = &table->places[at];
    if (!found->n_rows) {
        *found = (place){.key = key, .tuple = tuple};
        table->used[table->n_used++] = at;
    }
    found->n_rows += n_rows;
}

/* What a digit of each attribute counts. */
static void radices_of(const brute *truth, uint64_t *radices) {
    uint64_t radix = 1;
    for (unsigned a = 0; a < truth->n_attributes; a++) {
        radices[a] = radix;
        assert_false(__builtin_mul_overflow(radix, truth->n_leaves[a], &radix));
    }
}

/* Different rows, by their leaves. */
static void count_tuples(const plain_table *plain, brute *out) {
    const unsigned n = plain->n_attributes;
    uint64_t radices[BRUTE_ATTRIBUTES];
    group_table table;
    radices_of(out, radices);
    table_open(plain->n_rows, &table);
    for (size_t row = 0; row < plain->n_rows; row++) {
        uint64_t key = 0;
        for (unsigned a = 0; a < n; a++)
            key += radices[a] * leaf_of(&plain->attributes[a], plain_cell(plain, row, a));
        table_add(&table, key, 1, row);
    }
    out->n_tuples = table.n_used;
    out->leaves = allocate(table.n_used * n, sizeof *out->leaves);
    out->n_rows_of = allocate(table.n_used, sizeof *out->n_rows_of);
    for (size_t i = 0; i < table.n_used; i++) {
        const place *group = &table.places[table.used[i]];
        out->n_rows_of[i] = group->n_rows;
        for (unsigned a = 0; a < n; a++)
            out->leaves[i * n + a] = (uint8_t)(group->key / radices[a] % out->n_leaves[a]);
    }
    table_close(&table);
}

/* ---- shares --------------------------------------------------------------------------------- */

/* A column is of numbers when every value of its rows is one. */
static bool column_is_number(const plain_table *plain, unsigned column) {
    for (size_t row = 0; row < plain->n_rows; row++) {
        char *end, *value = plain_cell(plain, row, column);
        (void)strtol(value, &end, 10);
        if (end == value || *end)
            return false;
    }
    return true;
}

/* How much of the attribute the leaves cover that are labelled like this one, from its least to its
 * greatest number, or leaf by leaf after the first. */
static uint64_t extent_of(const plain_attribute *attribute, bool is_number, unsigned level,
                          size_t leaf) {
    long least = 0, most = 0;
    uint64_t n = 0;
    for (size_t other = 0; other < attribute->n_leaves; other++) {
        if (strcmp(attribute->leaves[other].at[level], attribute->leaves[leaf].at[level]) != 0)
            continue;
        long value = is_number ? strtol(attribute->leaves[other].at[0], NULL, 10) : (long)n;
        least = n == 0 || value < least ? value : least;
        most = n == 0 || value > most ? value : most;
        n++;
    }
    return (uint64_t)(most - least);
}

static uint64_t common_multiple(uint64_t a, uint64_t b) {
    uint64_t x = a, y = b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

static void measure_shares(const plain_table *plain, brute *out) {
    uint64_t domains[BRUTE_ATTRIBUTES];
    bool is_number[BRUTE_ATTRIBUTES];
    out->share_one = 1;
    for (unsigned a = 0; a < plain->n_attributes; a++) {
        const plain_attribute *attribute = &plain->attributes[a];
        is_number[a] = column_is_number(plain, a);
        domains[a] = extent_of(attribute, is_number[a], attribute->height, 0);
        assert_true(domains[a] > 0);
        out->share_one = common_multiple(out->share_one, domains[a]);
    }
    for (unsigned a = 0; a < plain->n_attributes; a++)
        for (unsigned level = 0; level <= out->heights[a]; level++) {
            uint64_t *shares = allocate(out->n_leaves[a], sizeof *shares);
            for (size_t leaf = 0; leaf < out->n_leaves[a]; leaf++)
                shares[leaf] = extent_of(&plain->attributes[a], is_number[a], level, leaf) *
                               (out->share_one / domains[a]);
            out->shares[a][level] = shares;
        }
}

/* What the rows have of each label. */
static void measure_levels(brute *out) {
    for (unsigned a = 0; a < out->n_attributes; a++)
        for (unsigned level = 0; level <= out->heights[a]; level++) {
            bool is_seen[UINT8_MAX] = {false};
            for (size_t i = 0; i < out->n_tuples; i++) {
                const uint8_t leaf = out->leaves[i * out->n_attributes + a];
                out->share_sums[a][level] += out->n_rows_of[i] * out->shares[a][level][leaf];
                is_seen[out->labels[a][level][leaf]] = true;
            }
            for (unsigned label = 0; label < UINT8_MAX; label++)
                out->n_values[a][level] += is_seen[label];
        }
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static void group_node(const brute *truth, size_t node, group_table *table) {
    const unsigned n = truth->n_attributes;
    uint64_t digits[BRUTE_ATTRIBUTES][UINT8_MAX], radices[BRUTE_ATTRIBUTES];
    radices_of(truth, radices);
    for (unsigned a = 0; a < n; a++) {
        const uint64_t *labels = truth->labels[a][brute_level(truth, node, a)];
        for (size_t leaf = 0; leaf < truth->n_leaves[a]; leaf++)
            digits[a][leaf] = labels[leaf] * radices[a];
    }
    table_clear(table);
    for (size_t i = 0; i < truth->n_tuples; i++) {
        uint64_t key = 0;
        for (unsigned a = 0; a < n; a++)
            key += digits[a][truth->leaves[i * n + a]];
        table_add(table, key, truth->n_rows_of[i], i);
    }
}

/* What a row of the tuple shows at the node, over all attributes. */
static uint64_t shown_by(const brute *truth, size_t node, size_t tuple) {
    uint64_t sum = 0;
    for (unsigned a = 0; a < truth->n_attributes; a++)
        sum += truth->shares[a][brute_level(truth, node, a)]
                            [truth->leaves[tuple * truth->n_attributes + a]];
    return sum;
}

static void tally_node(const brute *truth, size_t node, unsigned k, const group_table *table) {
    brute_tally tally = {0};
    for (size_t i = 0; i < table->n_used; i++) {
        const uint64_t n = table->places[table->used[i]].n_rows;
        const bool is_released = n >= truth->ks[k];
        tally.n_suppressed += is_released ? 0 : n;
        tally.n_released_groups += is_released;
        tally.n_squares += is_released ? n * n : 0;
    }
    /* Costs are asked of nodes within the limit only. */
    for (size_t i = 0; tally.n_suppressed <= truth->most_limit && i < table->n_used; i++) {
        const place *group = &table->places[table->used[i]];
        if (group->n_rows < truth->ks[k])
            tally.hidden += group->n_rows * shown_by(truth, node, group->tuple);
    }
    truth->tallies[node * truth->n_ks + k] = tally;
}

void brute_open(const plain_table *plain, const uint64_t *ks, unsigned n_ks, uint64_t most_limit,
                brute *out) {
    assert_true(plain->n_attributes <= BRUTE_ATTRIBUTES && n_ks <= BRUTE_KS);
    assert_true(plain->n_tails == 0 && !plain->is_weighted);
    *out = (brute){.n_attributes = plain->n_attributes,
                   .n_ks = n_ks,
                   .n_rows = plain->n_rows,
                   .most_limit = most_limit,
                   .n_nodes = 1};
    memcpy(out->ks, ks, n_ks * sizeof *ks);
    read_labels(plain, out);
    count_tuples(plain, out);
    measure_shares(plain, out);
    measure_levels(out);
    for (unsigned a = plain->n_attributes; a-- > 0;) {
        out->strides[a] = out->n_nodes;
        out->n_nodes *= out->heights[a] + 1;
    }
    out->tallies = allocate(out->n_nodes * n_ks, sizeof *out->tallies);
    group_table table;
    table_open(out->n_tuples, &table);
    for (size_t node = 0; node < out->n_nodes; node++) {
        group_node(out, node, &table);
        for (unsigned k = 0; k < n_ks; k++)
            tally_node(out, node, k, &table);
    }
    table_close(&table);
}

void brute_close(brute *truth) {
    for (unsigned a = 0; a < BRUTE_ATTRIBUTES; a++)
        for (unsigned level = 0; level < PLAIN_LEVELS; level++) {
            free(truth->labels[a][level]);
            free(truth->shares[a][level]);
        }
    free(truth->leaves);
    free(truth->n_rows_of);
    free(truth->tallies);
}

unsigned brute_height(const brute *truth, size_t node) {
    unsigned height = 0;
    for (unsigned a = 0; a < truth->n_attributes; a++)
        height += brute_level(truth, node, a);
    return height;
}

/* ---- judging -------------------------------------------------------------------------------- */

/* Whether a node strictly below satisfies: by its direct neighbours, which have been asked before.
 * Nothing is assumed of how nodes that satisfy lie. */
static bool any_below(const brute_space *space, size_t node, const bool *is_above) {
    const brute *truth = space->truth;
    for (unsigned a = 0; a < truth->n_attributes; a++) {
        const size_t lower = node - truth->strides[a];
        if (brute_level(truth, node, a) > 0 && (space->satisfies[lower] || is_above[lower]))
            return true;
    }
    return false;
}

static bool any_above_fails(const brute_space *space, size_t node, const bool *is_below) {
    const brute *truth = space->truth;
    for (unsigned a = 0; a < truth->n_attributes; a++) {
        const size_t upper = node + truth->strides[a];
        if (brute_level(truth, node, a) < truth->heights[a] &&
            (!space->satisfies[upper] || is_below[upper]))
            return true;
    }
    return false;
}

void brute_judge(const brute *truth, unsigned k, uint64_t limit, brute_space *out) {
    const size_t n = truth->n_nodes;
    assert_true(k < truth->n_ks && limit <= truth->most_limit);
    *out = (brute_space){.truth = truth, .k = k, .limit = limit};
    out->satisfies = allocate(n, sizeof(bool));
    out->is_minimal = allocate(n, sizeof(bool));
    out->is_failing = allocate(n, sizeof(bool));
    bool *has = allocate(n, sizeof *has);
    for (size_t node = 0; node < n; node++) {
        out->satisfies[node] = brute_tally_of(truth, node, k)->n_suppressed <= limit;
        out->n_anonymous += out->satisfies[node];
        has[node] = any_below(out, node, has);
        out->is_minimal[node] = out->satisfies[node] && !has[node];
        out->n_minimal += out->is_minimal[node];
    }
    for (size_t node = n; node-- > 0;) {
        has[node] = any_above_fails(out, node, has);
        out->is_failing[node] = !out->satisfies[node] && !has[node];
        out->n_failing += out->is_failing[node];
    }
    free(has);
}

void brute_space_destroy(brute_space *space) {
    free(space->satisfies);
    free(space->is_minimal);
    free(space->is_failing);
}

/* ---- costs ---------------------------------------------------------------------------------- */

/* Distortion: levels over the levels of full generalization. Precision: levels over the height of
 * their own hierarchy. A suppressed cell counts as one at the top. */
static brute_cost mean_of_levels(const brute_space *space, size_t node, bool is_distortion) {
    const brute *truth = space->truth;
    const uint64_t n_suppressed = brute_tally_of(truth, node, space->k)->n_suppressed;
    const uint64_t n_released = truth->n_rows - n_suppressed;
    brute_cost cost = {0, 0};
    uint64_t one = 1;
    for (unsigned a = 0; a < truth->n_attributes; a++)
        one = common_multiple(one, truth->heights[a]);
    for (unsigned a = 0; a < truth->n_attributes; a++) {
        const uint64_t step = is_distortion ? 1 : one / truth->heights[a];
        const uint64_t worst = step * truth->heights[a];
        cost.above += n_released * step * brute_level(truth, node, a) + n_suppressed * worst;
        cost.below += truth->n_rows * worst;
    }
    return cost;
}

static brute_cost mean_of_shares(const brute_space *space, size_t node) {
    const brute *truth = space->truth;
    const brute_tally *tally = brute_tally_of(truth, node, space->k);
    const uint64_t row = truth->share_one * truth->n_attributes;
    uint64_t sum = 0;
    for (unsigned a = 0; a < truth->n_attributes; a++)
        sum += truth->share_sums[a][brute_level(truth, node, a)];
    return (brute_cost){sum - tally->hidden + tally->n_suppressed * row, truth->n_rows * row};
}

brute_cost brute_cost_of(const brute_space *space, size_t node, const char *cost) {
    const brute *truth = space->truth;
    const brute_tally *tally = brute_tally_of(truth, node, space->k);
    assert_true(tally->n_suppressed <= truth->most_limit);
    if (strcmp(cost, "height") == 0)
        return (brute_cost){brute_height(truth, node), 1};
    if (strcmp(cost, "discernibility") == 0)
        return (brute_cost){tally->n_squares + tally->n_suppressed * truth->n_rows, 1};
    if (strcmp(cost, "average-class") == 0)
        return (brute_cost){truth->n_rows,
                            (tally->n_released_groups + (tally->n_suppressed > 0 ? 1 : 0)) *
                                truth->ks[space->k]};
    if (strcmp(cost, "precision") == 0)
        return mean_of_levels(space, node, false);
    if (strcmp(cost, "distortion") == 0)
        return mean_of_levels(space, node, true);
    if (strcmp(cost, "ncp") == 0)
        return mean_of_shares(space, node);
    fail_msg("brute force does not know the cost %s; teach it its definition", cost);
    return (brute_cost){0, 0};
}

__extension__ typedef unsigned __int128 product;

int brute_compare(brute_cost a, brute_cost b) {
    const product left = (product)a.above * b.below, right = (product)b.above * a.below;
    return left < right ? -1 : left > right;
}

size_t brute_best(const brute_space *space, const char *cost, int height) {
    const brute *truth = space->truth;
    size_t best = truth->n_nodes;
    brute_cost least = {0, 1};
    unsigned lowest = 0;
    for (size_t node = 0; node < truth->n_nodes; node++) {
        const unsigned here = brute_height(truth, node);
        if (!space->satisfies[node] || (height >= 0 && here != (unsigned)height))
            continue;
        const brute_cost dear = brute_cost_of(space, node, cost);
        const int order = best == truth->n_nodes ? -1 : brute_compare(dear, least);
        if (order < 0 || (order == 0 && here < lowest)) {
            best = node;
            least = dear;
            lowest = here;
        }
    }
    return best;
}

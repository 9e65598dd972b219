/* The recount of sensitive values against definitions that are followed row by row.
 *
 * The oracle is quadratic, knows nothing but texts, and takes nothing from the library: a row's
 * group are the rows whose texts are the same; the earth mover's distance is what the cheapest
 * transport costs, found by shortest paths in the network of all pairs of values. Bounds are set to
 * what a release reaches exactly, and to a hair less; then one row is changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/models/models.h"
#include "analyze/verify/verify.h"
#include "support/random_problem.h"

enum { ROWS = 48, QUASI = 2, SENSITIVE = 3, VALUES = 8, HEIGHT = 3, TEXT = 8 };

typedef char text[TEXT];

/* A model as the oracle sees it. */
typedef enum { ALPHA, DISTINCT, ENTROPY, RECURSIVE, CLOSE, DELTA, BETA, BETA_BASIC } plain_kind;

typedef struct {
    plain_kind kind;
    uint64_t numerator, denominator, l;
    bool is_refined, is_combined;
} plain_model;

typedef struct {
    size_t n_values;
    text values[VALUES];
    uint32_t rank[VALUES], n_ranks;
    unsigned height;
    uint32_t node[HEIGHT + 1][VALUES];
    bool has_named, is_named[VALUES];
    kan_claim_distance distance;
} sensitive;

typedef struct {
    uint64_t random;
    size_t n_rows, n_whole; /* released rows stand first; those after them were left out */
    size_t n_quasi, n_sensitive;
    text quasi[ROWS][QUASI];
    text value[ROWS][SENSITIVE];
    sensitive columns[SENSITIVE];
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- making random things ------------------------------------------------------------------- */

/* Ranks with ties now and then; a tree whose nodes join at random; numbers of nodes at random. */
static void make_column(world *w, sensitive *column) {
    column->n_values = 1 + below(w, VALUES);
    column->distance = (kan_claim_distance)below(w, 3);
    column->height = (unsigned)below(w, HEIGHT + 1);
    column->has_named = below(w, 2);
    if (column->height == 0 && column->n_values > 1)
        column->height = 1;
    for (size_t v = 0; v < column->n_values; v++) {
        snprintf(column->values[v], TEXT, "v%zu", v);
        column->is_named[v] = below(w, 3) == 0;
        column->rank[v] = v == 0 ? 0 : column->rank[v - 1] + (below(w, 5) != 0);
        column->node[0][v] = (uint32_t)((5 * v + 3) % VALUES); /* not in the order of the tree */
    }
    column->n_ranks = column->rank[column->n_values - 1] + 1;
    for (unsigned level = 1; level <= column->height; level++) {
        const uint32_t odd = 2 * (uint32_t)below(w, 100) + 1;
        uint32_t number = 0;
        for (size_t v = 0; v < column->n_values; v++) {
            const bool joined =
                v > 0 && column->node[level - 1][v] == column->node[level - 1][v - 1];
            number += v > 0 && !joined && level < column->height && below(w, 2);
            column->node[level][v] = number * odd;
        }
    }
}

static void make_world(world *w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->random = seed;
    w->n_rows = 1 + below(w, ROWS - 8);
    w->n_whole = w->n_rows + below(w, 8);
    w->n_quasi = 1 + below(w, QUASI);
    w->n_sensitive = 1 + below(w, SENSITIVE);
    const size_t n_shown = 1 + below(w, 4), skew = below(w, 3);
    for (size_t c = 0; c < w->n_sensitive; c++)
        make_column(w, &w->columns[c]);
    for (size_t r = 0; r < w->n_whole; r++) {
        const bool is_star = below(w, 6) == 0;
        for (size_t q = 0; q < w->n_quasi; q++)
            snprintf(w->quasi[r][q], TEXT, is_star || below(w, 8) == 0 ? "*" : "q%zu",
                     below(w, n_shown));
        for (size_t c = 0; c < w->n_sensitive; c++) {
            const size_t n = w->columns[c].n_values;
            memcpy(w->value[r][c],
                   w->columns[c].values[skew ? below(w, 1 + below(w, n)) : below(w, n)], TEXT);
        }
    }
}

/* ---- the oracle ----------------------------------------------------------------------------- */

static bool is_alike(const world *w, size_t a, size_t b) {
    for (size_t q = 0; q < w->n_quasi; q++)
        if (strcmp(w->quasi[a][q], w->quasi[b][q]) != 0)
            return false;
    return true;
}

static bool is_star(const world *w, size_t row) {
    for (size_t q = 0; q < w->n_quasi; q++)
        if (strcmp(w->quasi[row][q], "*") != 0)
            return false;
    return true;
}

static bool is_first(const world *w, size_t row) {
    for (size_t r = 0; r < row; r++)
        if (is_alike(w, r, row))
            return false;
    return true;
}

static int64_t group_size(const world *w, size_t row) {
    int64_t n = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        n += is_alike(w, r, row);
    return n;
}

/* Rows of the group with the v-th value of column c. */
static int64_t group_rows(const world *w, size_t row, size_t c, size_t v) {
    int64_t n = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        n += is_alike(w, r, row) && strcmp(w->value[r][c], w->columns[c].values[v]) == 0;
    return n;
}

static int64_t whole_rows(const world *w, size_t c, size_t v) {
    int64_t n = 0;
    for (size_t r = 0; r < w->n_whole; r++)
        n += strcmp(w->value[r][c], w->columns[c].values[v]) == 0;
    return n;
}

/* How far two values are apart, in units of which `*unit` are 1. */
static int64_t apart(const sensitive *column, size_t a, size_t b, int64_t *unit) {
    unsigned level = 0;
    switch (column->distance) {
    case KAN_DISTANCE_ORDERED:
        *unit = column->n_ranks > 1 ? (int64_t)column->n_ranks - 1 : 1;
        return llabs((long long)column->rank[a] - (long long)column->rank[b]);
    case KAN_DISTANCE_HIERARCHICAL:
        *unit = column->height > 0 ? column->height : 1;
        while (column->node[level][a] != column->node[level][b])
            level++;
        return level;
    default:
        *unit = 1;
        return a != b;
    }
}

/* The cheapest way to carry `have` to `want`, whose sums are the same: again and again the cheapest
 * path from a surplus to a lack, backwards over what was carried before (Bellman and Ford). */
static int64_t transport(const sensitive *column, int64_t *have, int64_t *want) {
    enum { NODES = 2 * VALUES };
    const size_t n = column->n_values;
    int64_t carried[VALUES][VALUES] = {{0}}, total = 0, unit;
    for (;;) {
        int64_t cost[NODES], most = INT64_MAX;
        size_t from[NODES], end = SIZE_MAX;
        for (size_t i = 0; i < 2 * n; i++)
            cost[i] = i < n && have[i] > 0 ? 0 : INT64_MAX / 4, from[i] = SIZE_MAX;
        for (size_t round = 0; round < 2 * n; round++)
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b < n; b++) {
                    const int64_t d = apart(column, a, b, &unit);
                    if (cost[a] < INT64_MAX / 4 && cost[a] + d < cost[n + b])
                        cost[n + b] = cost[a] + d, from[n + b] = a;
                    if (carried[a][b] > 0 && cost[n + b] < INT64_MAX / 4 &&
                        cost[n + b] - d < cost[a])
                        cost[a] = cost[n + b] - d, from[a] = n + b;
                }
        for (size_t b = 0; b < n; b++)
            if (want[b] > 0 && cost[n + b] < INT64_MAX / 4 &&
                (end == SIZE_MAX || cost[n + b] < cost[end]))
                end = n + b;
        if (end == SIZE_MAX)
            return total;
        size_t start = end;
        for (; from[start] != SIZE_MAX; start = from[start])
            if (start < n && carried[start][from[start] - n] < most)
                most = carried[start][from[start] - n];
        most = have[start] < most ? have[start] : most;
        most = want[end - n] < most ? want[end - n] : most;
        for (size_t at = end; from[at] != SIZE_MAX; at = from[at]) {
            if (at >= n)
                carried[from[at]][at - n] += most;
            else
                carried[at][from[at] - n] -= most;
        }
        have[start] -= most;
        want[end - n] -= most;
        total += most * cost[end];
    }
}

typedef struct {
    int64_t part, whole;
} ratio;

static ratio distance_of(const world *w, size_t row, size_t c) {
    const sensitive *column = &w->columns[c];
    const int64_t size = group_size(w, row), whole = (int64_t)w->n_whole;
    int64_t have[VALUES], want[VALUES], unit;
    (void)apart(column, 0, 0, &unit);
    for (size_t v = 0; v < column->n_values; v++) {
        have[v] = group_rows(w, row, c, v) * whole;
        want[v] = whole_rows(w, c, v) * size;
    }
    return (ratio){transport(column, have, want), unit * size * whole};
}

static ratio share_of(const world *w, size_t row, size_t c, bool is_combined) {
    const sensitive *column = &w->columns[c];
    int64_t most = 0, sum = 0;
    for (size_t v = 0; v < column->n_values; v++) {
        const int64_t n = group_rows(w, row, c, v);
        if (column->has_named && !column->is_named[v])
            continue;
        sum += n;
        most = n > most ? n : most;
    }
    return (ratio){is_combined ? sum : most, group_size(w, row)};
}

static double entropy_of(const world *w, size_t row, size_t c) {
    const double size = (double)group_size(w, row);
    double sum = 0;
    for (size_t v = 0; v < w->columns[c].n_values; v++) {
        const double n = (double)group_rows(w, row, c, v);
        sum += n > 0 ? n * log(n) : 0;
    }
    return log(size) - sum / size;
}

static uint64_t distinct_of(const world *w, size_t row, size_t c) {
    uint64_t n = 0;
    for (size_t v = 0; v < w->columns[c].n_values; v++)
        n += group_rows(w, row, c, v) > 0;
    return n;
}

/* r_1 < c (r_l + ... + r_m), by taking the most frequent value away l-1 times. */
static bool is_recursive(const world *w, size_t row, size_t c, const plain_model *model,
                         uint64_t l) {
    int64_t counts[VALUES], first = 0, rest = group_size(w, row);
    const size_t n = w->columns[c].n_values;
    for (size_t v = 0; v < n; v++) {
        counts[v] = group_rows(w, row, c, v);
        first = counts[v] > first ? counts[v] : first;
    }
    for (uint64_t i = 1; i < l; i++) {
        size_t most = 0;
        for (size_t v = 1; v < n; v++)
            most = counts[v] > counts[most] ? v : most;
        rest -= counts[most];
        counts[most] = 0;
    }
    return (double)first * (double)model->denominator < (double)model->numerator * (double)rest;
}

/* Ratios of shares, as plain as they are written. */
static bool is_disclosing(const world *w, size_t row, size_t c, double d) {
    for (size_t v = 0; v < w->columns[c].n_values; v++) {
        const double here = (double)group_rows(w, row, c, v) / (double)group_size(w, row);
        const double whole = (double)whole_rows(w, c, v) / (double)w->n_whole;
        if (here > 0 && whole == 0)
            return true;
        if (whole > 0 && !(here > 0 && fabs(log2(here / whole)) < d - 1e-13))
            return true;
    }
    return false;
}

static bool gains_too_much(const world *w, size_t row, size_t c, const plain_model *model) {
    const int64_t up = (int64_t)model->numerator, down = (int64_t)model->denominator;
    for (size_t v = 0; v < w->columns[c].n_values; v++) {
        const int64_t unit = whole_rows(w, c, v) * group_size(w, row);
        const int64_t gain = group_rows(w, row, c, v) * (int64_t)w->n_whole - unit;
        if (gain > 0 && gain * down > up * unit)
            return true;
        if (gain > 0 && model->kind == BETA &&
            (double)gain / (double)unit > log((double)w->n_whole / (double)whole_rows(w, c, v)))
            return true;
    }
    return false;
}

static bool group_keeps(const world *w, size_t row, size_t c, const plain_model *model) {
    const int64_t up = (int64_t)model->numerator, down = (int64_t)model->denominator;
    ratio found;
    int64_t allowed = 0;
    switch (model->kind) {
    case ALPHA:
        found = share_of(w, row, c, model->is_combined);
        if (!model->is_refined)
            return found.part * down <= up * found.whole;
        while (allowed * down < up * found.whole)
            allowed++; /* the least whole number that is not below alpha |E| */
        return found.part <= allowed;
    case DISTINCT:
        return distinct_of(w, row, c) >= model->l;
    case ENTROPY:
        return distinct_of(w, row, c) * model->denominator >= model->numerator &&
               entropy_of(w, row, c) >= log((double)up / (double)down) - 1e-9;
    case RECURSIVE:
        return is_recursive(w, row, c, model, model->l);
    case DELTA:
        return !is_disclosing(w, row, c, (double)up / (double)down);
    case BETA:
    case BETA_BASIC:
        return !gains_too_much(w, row, c, model);
    default:
        found = distance_of(w, row, c);
        return found.part * down <= up * found.whole;
    }
}

/* What the recount must say of a model, groups that fail and where, row by row. */
static kan_model_recount expect_model(const world *w, const plain_model *model) {
    kan_model_recount out = {.holds = true};
    for (size_t r = 0; r < w->n_rows; r++) {
        bool keeps = true;
        out.is_reached = true;
        for (size_t c = 0; c < w->n_sensitive; c++)
            keeps = group_keeps(w, r, c, model) && keeps;
        if (keeps)
            continue;
        out.holds = false;
        out.n_failing_rows++;
        out.star_fails |= is_star(w, r);
        if (!is_first(w, r))
            continue;
        out.n_failing_groups++;
        if (out.n_examples < KAN_RECOUNT_EXAMPLES)
            out.examples[out.n_examples++] = r;
    }
    return out;
}

/* ---- asking the library --------------------------------------------------------------------- */

typedef struct {
    kan_slice values[VALUES];
    uint64_t rows[VALUES];
    bool is_named[VALUES];
    uint32_t rank[VALUES], node[HEIGHT + 1][VALUES];
    const uint32_t *nodes[HEIGHT + 1];
} column_room;

static void describe(const world *w, size_t c, uint64_t *random, column_room *room,
                     kan_claim_column *out) {
    const sensitive *column = &w->columns[c];
    size_t order[VALUES], n = 0;
    static const char *const names[] = {"s0", "s1", "s2"};
    for (size_t v = 0; v < column->n_values; v++) { /* the order of values must not matter */
        size_t at = (size_t)kan_random_below(random, v + 1);
        order[v] = at < v ? order[at] : v;
        order[at] = v;
    }
    for (size_t i = 0; i < column->n_values; i++) {
        const size_t v = order[i];
        if (whole_rows(w, c, v) == 0 && kan_random_below(random, 2))
            continue;
        room->values[n] = kan_slice_of(column->values[v]);
        room->rows[n] = (uint64_t)whole_rows(w, c, v);
        room->is_named[n] = column->is_named[v];
        room->rank[n] = column->rank[v];
        for (unsigned level = 0; level <= column->height; level++)
            room->node[level][n] = column->node[level][v];
        n++;
    }
    for (unsigned level = 0; level <= column->height; level++)
        room->nodes[level] = room->node[level];
    *out = (kan_claim_column){.name = names[c],
                              .n_rows = w->n_whole,
                              .n_values = n,
                              .values = room->values,
                              .rows = room->rows,
                              .distance_of_numbers = column->distance,
                              .distance_of_text = column->distance,
                              .n_ranks = column->n_ranks,
                              .rank = room->rank,
                              .height = column->height,
                              .node = room->nodes};
}

/* The model as its own recount reads it; then with a fraction that no decimal need be. */
static kan_claim_model read_model(kan_run *run, const plain_model *from) {
    static const char *const names[] = {"alpha",         "l-diversity",  "l-diversity",
                                        "l-diversity",   "t-closeness",  "delta-disclosure",
                                        "beta-likeness", "beta-likeness"};
    static const char *const forms[] = {"distinct", "distinct", "entropy",  "recursive",
                                        "distinct", "distinct", "distinct", "distinct"};
    const char *const settings[][2] = {{"alpha", "0.5"},
                                       {"alpha-value", "v0"},
                                       {"alpha-combined", from->is_combined ? "true" : "false"},
                                       {"refined", from->is_refined ? "true" : "false"},
                                       {"l", "1"},
                                       {"l-kind", forms[from->kind]},
                                       {"c", "1"},
                                       {"t", "0.5"},
                                       {"delta-disclosure", "0.5"},
                                       {"beta", "0.5"},
                                       {"beta-kind", from->kind == BETA ? "enhanced" : "basic"}};
    kan_claim_model model = {.kind = kan_recount_find(names[from->kind])};
    kan_arena arena;
    kan_options options;
    kan_arena_init(&arena, run);
    kan_options_init(&options, &arena);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(kan_options_add(&options, settings[i][0], settings[i][1]), KAN_OK);
    assert_int_equal(model.kind->read(run, &options, &model), KAN_OK);
    kan_options_destroy(&options);
    kan_arena_destroy(&arena);
    model.numerator = from->numerator;
    model.denominator = from->denominator;
    model.whole = from->l;
    return model;
}

static kan_models_recount recount(kan_run *run, const world *w, uint64_t k,
                                  const plain_model *models, size_t n_models) {
    static const char *const names[] = {"q0", "q1", "s0", "s1", "s2"};
    const char *used[QUASI + SENSITIVE];
    uint64_t random = w->random;
    column_room rooms[SENSITIVE];
    kan_claim_column columns[SENSITIVE];
    const bool *is_named[SENSITIVE];
    const kan_column *sensitive_columns[SENSITIVE];
    const size_t quasi[QUASI] = {0, 1};
    kan_claim claim = {
        .k = k, .n_models = n_models, .n_columns = w->n_sensitive, .columns = columns};
    kan_models_recount out;
    kan_table *table;
    for (size_t m = 0; m < n_models; m++)
        claim.models[m] = read_model(run, &models[m]);
    for (size_t i = 0; i < w->n_quasi + w->n_sensitive; i++)
        used[i] = names[i < w->n_quasi ? i : QUASI + i - w->n_quasi];
    assert_int_equal(kan_table_create(run, w->n_quasi + w->n_sensitive, used, &table), KAN_OK);
    for (size_t r = 0; r < w->n_rows; r++) {
        const char *cells[QUASI + SENSITIVE];
        for (size_t i = 0; i < w->n_quasi + w->n_sensitive; i++)
            cells[i] = i < w->n_quasi ? w->quasi[r][i] : w->value[r][i - w->n_quasi];
        assert_int_equal(kan_table_add_row(table, cells), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    for (size_t c = 0; c < w->n_sensitive; c++) {
        describe(w, c, &random, &rooms[c], &columns[c]);
        is_named[c] = w->columns[c].has_named ? rooms[c].is_named : NULL;
        sensitive_columns[c] = &table->columns[w->n_quasi + c];
    }
    for (size_t m = 0; m < n_models; m++)
        claim.models[m].is_named = models[m].kind == ALPHA ? is_named : NULL;
    const kan_models_question question = {.release = table,
                                          .quasi = quasi,
                                          .n_quasi = w->n_quasi,
                                          .claim = &claim,
                                          .sensitive = sensitive_columns};
    if (kan_verify_recount_models(run, &question, &out) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    kan_table_destroy(table);
    return out;
}

static void expect_same(const kan_model_recount *got, const kan_model_recount *want) {
    assert_int_equal(got->holds, want->holds);
    assert_int_equal(got->n_failing_groups, want->n_failing_groups);
    assert_int_equal(got->n_failing_rows, want->n_failing_rows);
    assert_int_equal(got->star_fails, want->star_fails);
    assert_int_equal(got->is_reached, want->is_reached);
    assert_int_equal(got->n_examples, want->n_examples);
    for (size_t i = 0; i < want->n_examples; i++)
        assert_int_equal(got->examples[i], want->examples[i]);
}

/* ---- claims --------------------------------------------------------------------------------- */

static plain_model random_model(world *w, plain_kind kind) {
    static const uint64_t denominators[] = {1, 10, 100, 1000};
    plain_model model = {.kind = kind};
    model.denominator = denominators[below(w, 4)];
    model.numerator = below(w, (size_t)model.denominator + 1);
    model.l = 1 + below(w, 5);
    if (kind == RECURSIVE)
        model.numerator = 1 + below(w, 4 * (size_t)model.denominator);
    if (kind == ENTROPY)
        model.numerator = model.denominator + below(w, 4 * (size_t)model.denominator);
    if (kind >= DELTA)
        model.numerator = 1 + below(w, 4 * (size_t)model.denominator);
    if (kind == ALPHA) {
        model.is_refined = below(w, 2);
        model.is_combined = below(w, 3) == 0;
        model.numerator += model.numerator == 0;
    }
    return model;
}

/* Five models at once, of all kinds. */
static void check_all(kan_run *run, uint64_t seed) {
    static world w;
    make_world(&w, seed);
    const plain_kind diversity = (plain_kind)(DISTINCT + seed % 3);
    const plain_model models[] = {random_model(&w, CLOSE), random_model(&w, diversity),
                                  random_model(&w, ALPHA), random_model(&w, DELTA),
                                  random_model(&w, seed % 2 ? BETA : BETA_BASIC)};
    const size_t n_models = sizeof models / sizeof *models;
    const uint64_t k = 1 + below(&w, 5);
    const kan_models_recount got = recount(run, &w, k, models, n_models);
    bool all_hold = true, k_holds = true;
    for (size_t m = 0; m < n_models; m++) {
        const kan_model_recount want = expect_model(&w, &models[m]);
        expect_same(&got.models[m], &want);
        all_hold &= want.holds;
    }
    for (size_t r = 0; r < w.n_rows; r++)
        k_holds &= group_size(&w, r) >= (int64_t)k;
    assert_int_equal(kan_recount_holds(&got.groups), k_holds);
    assert_int_equal(kan_models_recount_holds(&got), all_hold && k_holds);
}

static void the_recount_agrees_with_the_definitions_row_by_row(void **state) {
    (void)state;
    random_rounds(600, check_all);
}

/* The worst fraction of any group and column. */
static bool worst_ratio(const world *w, plain_kind kind, bool is_combined, ratio *out) {
    bool has_any = false;
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < w->n_sensitive && is_first(w, r); c++) {
            const ratio here =
                kind == ALPHA ? share_of(w, r, c, is_combined) : distance_of(w, r, c);
            if (!has_any || here.part * out->whole > out->part * here.whole)
                *out = here;
            has_any = true;
        }
    return has_any;
}

/* Flips after which a model did not hold any more: that there are some is part of the claim. */
static unsigned n_spoiled;

static void expect_spoiled(unsigned least) {
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_spoiled >= least);
}

static void flip_a_row(world *w) {
    const size_t row = below(w, w->n_rows), c = below(w, w->n_sensitive);
    const sensitive *column = &w->columns[c];
    /* Exchanged with a row of the whole table, so that its shares stay as they are. */
    for (size_t tries = 0; tries < 20; tries++) {
        const size_t other = below(w, w->n_whole);
        text kept;
        if (strcmp(w->value[row][c], w->value[other][c]) == 0)
            continue;
        memcpy(kept, w->value[row][c], TEXT);
        memcpy(w->value[row][c], w->value[other][c], TEXT);
        memcpy(w->value[other][c], kept, TEXT);
        return;
    }
    memcpy(w->value[row][c], column->values[below(w, column->n_values)], TEXT);
}

/* alpha and t: set to what is reached they hold, a hair below they do not; then a row is flipped.
 */
static void check_bounds(kan_run *run, uint64_t seed) {
    static world w;
    ratio worst;
    make_world(&w, seed);
    const bool is_alpha = seed % 2, is_combined = is_alpha && seed % 3 == 0;
    const plain_kind kind = is_alpha ? ALPHA : CLOSE;
    if (!worst_ratio(&w, kind, is_combined, &worst))
        return;
    plain_model model = {.kind = kind,
                         .numerator = (uint64_t)worst.part,
                         .denominator = (uint64_t)worst.whole,
                         .is_combined = is_combined};
    kan_models_recount got = recount(run, &w, 1, &model, 1);
    assert_true(got.models[0].holds);
    const kan_u128 part = (kan_u128)worst.part, whole = (kan_u128)worst.whole;
    assert_true(got.models[0].part * whole == part * got.models[0].whole);
    assert_true(fabs(got.models[0].reached - (double)worst.part / (double)worst.whole) < 1e-12);
    if (worst.part > 0) {
        enum { HAIR = 1000003 };
        plain_model less = model;
        less.numerator = model.numerator * HAIR - 1;
        less.denominator = model.denominator * HAIR;
        got = recount(run, &w, 1, &less, 1);
        assert_false(got.models[0].holds);
        assert_true(got.models[0].n_failing_groups > 0);
    }
    flip_a_row(&w);
    const kan_model_recount want = expect_model(&w, &model);
    got = recount(run, &w, 1, &model, 1);
    expect_same(&got.models[0], &want);
    n_spoiled += !want.holds;
}

static void bounds_hold_at_what_is_reached_and_fail_below(void **state) {
    (void)state;
    n_spoiled = 0;
    random_rounds(500, check_bounds);
    expect_spoiled(25);
}

/* A whole l, of any kind. */
static void ask_for(plain_model *model, uint64_t l) {
    model->l = l;
    if (model->kind == ENTROPY)
        model->numerator = l * model->denominator;
}

/* The largest l that the oracle grants every group; 0: none. */
static uint64_t largest_l(const world *w, plain_model model, bool *has_any) {
    for (uint64_t l = VALUES + 1; l > 0; l--) {
        ask_for(&model, l);
        const kan_model_recount want = expect_model(w, &model);
        *has_any = want.is_reached;
        if (want.holds)
            return l;
    }
    return 0;
}

static void check_diversity(kan_run *run, uint64_t seed) {
    static world w;
    make_world(&w, seed);
    plain_model model = random_model(&w, (plain_kind)(DISTINCT + seed % 3));
    bool has_any;
    const uint64_t l = largest_l(&w, model, &has_any);
    ask_for(&model, l > 0 ? l : 1);
    kan_models_recount got = recount(run, &w, 1, &model, 1);
    if (!has_any) {
        assert_true(got.models[0].holds && !got.models[0].is_reached);
        return;
    }
    assert_int_equal(got.models[0].holds, l > 0);
    if (model.kind == ENTROPY)
        assert_true(got.models[0].reached > (double)l - 1e-7 &&
                    got.models[0].reached < (double)l + 1);
    else
        assert_int_equal(got.models[0].count, l);
    ask_for(&model, l + 1);
    got = recount(run, &w, 1, &model, 1);
    assert_false(got.models[0].holds);
    ask_for(&model, l > 0 ? l : 1);
    for (size_t flips = 0; flips < 4; flips++) {
        flip_a_row(&w);
        const kan_model_recount want = expect_model(&w, &model);
        got = recount(run, &w, 1, &model, 1);
        expect_same(&got.models[0], &want);
        n_spoiled += l > 0 && !want.holds;
    }
}

static void diversity_holds_at_what_is_reached_and_fails_above(void **state) {
    (void)state;
    n_spoiled = 0;
    random_rounds(500, check_diversity);
    expect_spoiled(25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_recount_agrees_with_the_definitions_row_by_row,
                                  random_tear_down),
        cmocka_unit_test_teardown(bounds_hold_at_what_is_reached_and_fail_below, random_tear_down),
        cmocka_unit_test_teardown(diversity_holds_at_what_is_reached_and_fails_above,
                                  random_tear_down),
    };
    return cmocka_run_group_tests_name("verify models", tests, NULL, NULL);
}

/* Levels for tables that belong together, against brute force: every node is tried, and every set of people.
 * Trees are texts there, written out row by row. The search must have the best node, whether its rows
 * were folded or not; one that is broken off says what nothing costs less than; and the recount of a
 * release, which shares nothing with the search, counts the same trees. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/forest/forest.h"
#include "search/trees/trees.h"
#include "support/random_problem.h"

enum {
    TABLES = 4,
    ATTRIBUTES = 3,
    LEAVES = 5,
    HEIGHT = 3,
    PEOPLE = 9,
    ROWS = 16,
    NODES = 64,
    TEXT = 4096
};

typedef struct {
    unsigned n_attributes, heights[ATTRIBUTES], n_leaves[ATTRIBUTES];
    uint32_t group[ATTRIBUTES][HEIGHT + 1][LEAVES];
    size_t n_tables, parent[TABLES], n_columns[TABLES];
    unsigned column[TABLES][ATTRIBUTES]; /* its attribute */
    uint64_t price[TABLES][ATTRIBUTES][HEIGHT + 1][LEAVES], suppressed[TABLES][ATTRIBUTES];
    uint32_t n_rows[TABLES], above[TABLES][ROWS], value[TABLES][ATTRIBUTES][ROWS];
    uint64_t k, limit;
    unsigned low[ATTRIBUTES], high[ATTRIBUTES];
} family;

typedef struct {
    unsigned levels[ATTRIBUTES];
    bool is_left[PEOPLE];
    uint64_t n_left, n_trees, fewest, n_rare;
    uint64_t cost;
} node;

static size_t n_searched, n_found, n_broken, n_nodes_tried, n_leaving;

/* ---- random families ------------------------------------------------------------------------ */

static uint64_t below(uint64_t *random, uint64_t bound) {
    return kan_random_below(random, bound);
}

static void draw_hierarchy(family *f, unsigned a, uint64_t *random) {
    f->heights[a] = 1 + (unsigned)below(random, HEIGHT);
    f->n_leaves[a] = 1 + (unsigned)below(random, LEAVES);
    for (uint32_t leaf = 0; leaf < f->n_leaves[a]; leaf++)
        f->group[a][0][leaf] = leaf;
    for (unsigned level = 1; level <= f->heights[a]; level++) {
        uint32_t up[LEAVES];
        for (unsigned i = 0; i < LEAVES; i++)
            up[i] = level == f->heights[a] ? 0 : (uint32_t)below(random, i + 1);
        for (uint32_t leaf = 0; leaf < f->n_leaves[a]; leaf++)
            f->group[a][level][leaf] = up[f->group[a][level - 1][leaf]];
    }
}

static void draw_prices(family *f, size_t t, size_t c, uint64_t *random) {
    const unsigned a = f->column[t][c];
    const uint64_t step = 1 + below(random, 4); /* few different prices make ties */
    uint64_t most = 0;
    for (unsigned level = 0; level <= f->heights[a]; level++) {
        uint64_t dearest[LEAVES] = {0}; /* by group: no group is cheaper than one below it */
        for (uint32_t leaf = 0; level > 0 && leaf < f->n_leaves[a]; leaf++) {
            uint64_t *of = &dearest[f->group[a][level][leaf]];
            *of = f->price[t][c][level - 1][leaf] > *of ? f->price[t][c][level - 1][leaf] : *of;
        }
        for (uint32_t group = 0; group < LEAVES; group++)
            dearest[group] += below(random, 3) * step;
        for (uint32_t leaf = 0; leaf < f->n_leaves[a]; leaf++) {
            f->price[t][c][level][leaf] = dearest[f->group[a][level][leaf]];
            most = f->price[t][c][level][leaf] > most ? f->price[t][c][level][leaf] : most;
        }
    }
    f->suppressed[t][c] = most + below(random, 2) * step;
}

/* Some rows copy another's values, so that people are alike. */
static void draw_rows(family *f, size_t t, uint64_t *random) {
    f->n_rows[t] = t == 0 ? 1 + (uint32_t)below(random, PEOPLE) : (uint32_t)below(random, ROWS);
    for (uint32_t row = 0; row < f->n_rows[t]; row++) {
        const uint32_t like = row > 0 && below(random, 2) ? (uint32_t)below(random, row) : row;
        if (t > 0 && f->n_rows[f->parent[t]] == 0) {
            f->n_rows[t] = 0;
            return;
        }
        f->above[t][row] = t > 0 ? (uint32_t)below(random, f->n_rows[f->parent[t]]) : 0;
        for (size_t c = 0; c < f->n_columns[t]; c++)
            f->value[t][c][row] = like < row
                                      ? f->value[t][c][like]
                                      : (uint32_t)below(random, f->n_leaves[f->column[t][c]]);
    }
}

static void draw(family *f, uint64_t *random) {
    memset(f, 0, sizeof *f);
    f->n_attributes = 1 + (unsigned)below(random, ATTRIBUTES);
    for (unsigned a = 0; a < f->n_attributes; a++)
        draw_hierarchy(f, a, random);
    f->n_tables = 1 + (size_t)below(random, TABLES);
    for (size_t t = 0; t < f->n_tables; t++) {
        f->parent[t] = t > 0 ? (size_t)below(random, t) : 0;
        for (unsigned a = 0; a < f->n_attributes; a++)
            if (below(random, 2)) {
                f->column[t][f->n_columns[t]] = a;
                draw_prices(f, t, f->n_columns[t]++, random);
            }
        draw_rows(f, t, random);
    }
    f->k = 1 + below(random, 4);
    f->limit = below(random, 2) ? 0 : below(random, f->n_rows[0] + 1);
    for (unsigned a = 0; a < f->n_attributes; a++) {
        f->high[a] = below(random, 4) ? f->heights[a] : (unsigned)below(random, f->heights[a] + 1);
        f->low[a] = below(random, 4) ? 0 : (unsigned)below(random, f->high[a] + 1);
    }
}

/* ---- brute force ---------------------------------------------------------------------------- */

static int compare_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *write_tree(const family *f, const unsigned *levels, size_t t, uint32_t row) {
    char *text = malloc(TEXT);
    size_t size = 0;
    assert_non_null(text);
    size += (size_t)sprintf(text, "(");
    for (size_t c = 0; c < f->n_columns[t]; c++) {
        const unsigned a = f->column[t][c];
        size += (size_t)sprintf(text + size, "%u,", f->group[a][levels[a]][f->value[t][c][row]]);
    }
    for (size_t below_t = t + 1; below_t < f->n_tables; below_t++) {
        char *children[ROWS];
        size_t n = 0;
        if (f->parent[below_t] != t)
            continue;
        for (uint32_t i = 0; i < f->n_rows[below_t]; i++)
            if (f->above[below_t][i] == row)
                children[n++] = write_tree(f, levels, below_t, i);
        qsort(children, n, sizeof *children, compare_text);
        size += (size_t)sprintf(text + size, "[");
        for (size_t i = 0; i < n; i++) {
            assert_true(size + strlen(children[i]) + 8 < TEXT);
            size += (size_t)sprintf(text + size, "%s", children[i]);
            free(children[i]);
        }
        size += (size_t)sprintf(text + size, "]");
    }
    (void)sprintf(text + size, ")");
    return text;
}

static uint32_t person_of(const family *f, size_t t, uint32_t row) {
    return t == 0 ? row : person_of(f, f->parent[t], f->above[t][row]);
}

/* The largest set of people in which each shares her tree with k; the first of its size. */
static void choose_people(const family *f, char *const *trees, node *out) {
    const uint32_t n = f->n_rows[0];
    unsigned best = 0, n_best = 0;
    for (unsigned set = 1; set < 1U << n; set++) {
        bool is_good = true;
        unsigned size = 0;
        for (uint32_t p = 0; p < n && is_good; p++) {
            uint64_t alike = 0;
            if (!(set >> p & 1))
                continue;
            size++;
            for (uint32_t q = 0; q < n; q++)
                alike += (set >> q & 1) && strcmp(trees[p], trees[q]) == 0;
            is_good = alike >= f->k;
        }
        if (is_good && size > n_best) {
            best = set;
            n_best = size;
        }
    }
    out->n_left = n - n_best;
    for (uint32_t p = 0; p < n; p++)
        out->is_left[p] = !(best >> p & 1);
}

static void count_trees(const family *f, char *const *trees, node *out) {
    const uint32_t n = f->n_rows[0];
    for (uint32_t p = 0; p < n; p++) {
        uint64_t alike = 0;
        bool is_first = true;
        for (uint32_t q = 0; q < n; q++) {
            const bool is_same = strcmp(trees[p], trees[q]) == 0;
            alike += is_same;
            is_first = is_first && !(is_same && q < p);
        }
        out->n_trees += is_first;
        out->n_rare += alike < f->k;
        out->fewest = out->fewest == 0 || alike < out->fewest ? alike : out->fewest;
    }
}

static void try_node(const family *f, node *out) {
    char *trees[PEOPLE];
    for (uint32_t p = 0; p < f->n_rows[0]; p++)
        trees[p] = write_tree(f, out->levels, 0, p);
    choose_people(f, trees, out);
    count_trees(f, trees, out);
    for (uint32_t p = 0; p < f->n_rows[0]; p++)
        free(trees[p]);
    for (size_t t = 0; t < f->n_tables; t++)
        for (uint32_t row = 0; row < f->n_rows[t]; row++)
            for (size_t c = 0; c < f->n_columns[t]; c++)
                out->cost +=
                    out->is_left[person_of(f, t, row)]
                        ? f->suppressed[t][c]
                        : f->price[t][c][out->levels[f->column[t][c]]][f->value[t][c][row]];
    n_nodes_tried++;
    n_leaving += out->n_left > 0 && out->n_left < f->n_rows[0];
}

static size_t try_all(const family *f, node *nodes) {
    size_t n = 0;
    unsigned levels[ATTRIBUTES] = {0};
    for (;;) {
        nodes[n] = (node){.n_left = 0};
        memcpy(nodes[n].levels, levels, sizeof levels);
        try_node(f, &nodes[n++]);
        unsigned a = f->n_attributes;
        while (a > 0 && levels[a - 1] == f->heights[a - 1])
            levels[--a] = 0;
        if (a == 0)
            return n;
        levels[a - 1]++;
    }
}

static unsigned sum_of(const family *f, const node *v) {
    unsigned sum = 0;
    for (unsigned a = 0; a < f->n_attributes; a++)
        sum += v->levels[a];
    return sum;
}

/* Whether each table that has rows has one of somebody who stays. */
static bool keeps_all_tables(const family *f, const node *v) {
    for (size_t t = 0; t < f->n_tables; t++) {
        bool keeps = f->n_rows[t] == 0;
        for (uint32_t row = 0; row < f->n_rows[t] && !keeps; row++)
            keeps = !v->is_left[person_of(f, t, row)];
        if (!keeps)
            return false;
    }
    return true;
}

/* Nodes come in the lexicographic order of their levels. */
static const node *find_best(const family *f, const node *nodes, size_t n) {
    const node *best = NULL;
    for (size_t i = 0; i < n; i++) {
        bool is_within = nodes[i].n_left <= f->limit && keeps_all_tables(f, &nodes[i]);
        for (unsigned a = 0; a < f->n_attributes; a++)
            is_within =
                is_within && nodes[i].levels[a] >= f->low[a] && nodes[i].levels[a] <= f->high[a];
        if (is_within && (!best || nodes[i].cost < best->cost ||
                          (nodes[i].cost == best->cost && sum_of(f, &nodes[i]) < sum_of(f, best))))
            best = &nodes[i];
    }
    return best;
}

/* What the papers page proves: who stays, stays above. */
static void expect_monotone(const family *f, const node *nodes, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            bool is_above = true;
            for (unsigned a = 0; a < f->n_attributes; a++)
                is_above = is_above && nodes[j].levels[a] >= nodes[i].levels[a];
            for (uint32_t p = 0; is_above && p < f->n_rows[0]; p++)
                assert_true(nodes[i].is_left[p] || !nodes[j].is_left[p]);
        }
}

/* ---- the library ---------------------------------------------------------------------------- */

/* A family as the library sees it. */
typedef struct {
    kan_kin kin;
    kan_kin_column columns[TABLES][ATTRIBUTES];
    kan_kin_children children[TABLES][TABLES];
    const uint32_t *groups[TABLES][ATTRIBUTES][HEIGHT + 1];
    const uint64_t *prices[TABLES][ATTRIBUTES][HEIGHT + 1];
    uint64_t start[TABLES][ROWS + 1];
    uint32_t members[TABLES][ROWS];
} seen;

static void show_children(const family *f, size_t t, seen *out) {
    kan_kin_table *table = &out->kin.tables[t];
    for (size_t b = t + 1; b < f->n_tables; b++) {
        uint64_t at = 0;
        if (f->parent[b] != t)
            continue;
        for (uint32_t row = 0; row < f->n_rows[t]; row++) {
            out->start[b][row] = at;
            for (uint32_t i = 0; i < f->n_rows[b]; i++)
                if (f->above[b][i] == row)
                    out->members[b][at++] = i;
        }
        out->start[b][f->n_rows[t]] = at;
        out->children[t][table->n_children++] =
            (kan_kin_children){b, out->start[b], out->members[b]};
    }
    table->children = out->children[t];
}

static void show(const family *f, seen *out) {
    memset(out, 0, sizeof *out);
    out->kin = (kan_kin){.n_tables = f->n_tables,
                         .n_attributes = f->n_attributes,
                         .heights = f->heights,
                         .n_levels = HEIGHT + 1};
    for (size_t t = 0; t < f->n_tables; t++) {
        out->kin.tables[t] = (kan_kin_table){
            .n = f->n_rows[t], .n_columns = f->n_columns[t], .columns = out->columns[t]};
        for (size_t c = 0; c < f->n_columns[t]; c++) {
            const unsigned a = f->column[t][c];
            for (unsigned level = 0; level <= f->heights[a]; level++) {
                out->groups[t][c][level] = f->group[a][level];
                out->prices[t][c][level] = f->price[t][c][level];
            }
            out->columns[t][c] = (kan_kin_column){.attribute = a,
                                                  .codes = f->value[t][c],
                                                  .n_codes = f->n_leaves[a],
                                                  .groups = out->groups[t][c],
                                                  .prices = out->prices[t][c],
                                                  .suppressed = f->suppressed[t][c]};
        }
        show_children(f, t, out);
    }
}

static void expect_node(kan_run *run, const kan_kin *kin, const uint32_t *item_of, const family *f,
                        const node *truth) {
    kan_kin_space *space;
    uint8_t is_left[PEOPLE];
    kan_u128 sums[ATTRIBUTES * (HEIGHT + 1)], cost;
    assert_int_equal(kan_kin_space_create(run, kin, &space), KAN_OK);
    assert_int_equal(kan_kin_number(space, truth->levels), KAN_OK);
    assert_int_equal(kan_kin_leave(space, f->k, is_left), truth->n_left);
    for (uint32_t p = 0; p < f->n_rows[0]; p++)
        assert_int_equal(is_left[item_of ? item_of[p] : p], truth->is_left[p]);
    cost = kan_kin_price(space, is_left, sums);
    for (unsigned a = 0; a < f->n_attributes; a++)
        cost += sums[a * (HEIGHT + 1) + truth->levels[a]];
    assert_true(cost == truth->cost);
    kan_kin_space_destroy(space);
}

static void expect_answer(const family *f, const kan_trees_answer *answer, const node *best,
                          uint64_t most_steps) {
    n_searched++;
    assert_int_equal(answer->is_found, best != NULL);
    if (!best)
        return;
    n_found++;
    assert_true(answer->bound <= best->cost && answer->cost >= best->cost);
    assert_true(answer->n_left <= f->limit);
    if (!answer->is_proven) {
        n_broken++;
        assert_true(answer->n_checked >= most_steps);
        return;
    }
    assert_true(answer->cost == best->cost && answer->bound == best->cost);
    assert_int_equal(answer->n_left, best->n_left);
    assert_memory_equal(answer->levels, best->levels, f->n_attributes * sizeof(unsigned));
}

static void ask(kan_run *run, const family *f, const kan_kin *kin, uint64_t most_steps,
                const node *best) {
    kan_trees_question q = {.kin = kin, .k = f->k, .limit = f->limit, .most_steps = most_steps};
    kan_trees_answer answer;
    memcpy(q.lowest, f->low, sizeof f->low);
    memcpy(q.highest, f->high, sizeof f->high);
    assert_int_equal(kan_trees_search(run, &q, &answer), KAN_OK);
    expect_answer(f, &answer, best, most_steps);
}

/* ---- the recount ---------------------------------------------------------------------------- */

static void add_row(kan_table *table, const family *f, const unsigned *levels, size_t t,
                    uint32_t row) {
    char texts[2 + ATTRIBUTES][32];
    const char *values[2 + ATTRIBUTES];
    sprintf(texts[0], "k%u", row * 7 % 31);
    sprintf(texts[1], "k%u", f->above[t][row] * 7 % 31);
    for (size_t c = 0; c < f->n_columns[t]; c++) {
        const unsigned a = f->column[t][c];
        sprintf(texts[2 + c], "%u", f->group[a][levels[a]][f->value[t][c][row]]);
    }
    for (size_t i = 0; i < 2 + f->n_columns[t]; i++)
        values[i] = texts[i];
    assert_int_equal(kan_table_add_row(table, values), KAN_OK);
}

static void expect_recount(kan_run *run, const family *f, const node *truth) {
    static const char *const names[] = {"key", "of", "a", "b", "c"};
    static const size_t quasi[] = {2, 3, 4};
    kan_forest_table tables[TABLES];
    kan_table *made[TABLES];
    kan_forest forest;
    kan_forest_finding finding;
    kan_forest_recount found;
    for (size_t t = 0; t < f->n_tables; t++) {
        assert_int_equal(kan_table_create(run, 2 + f->n_columns[t], names, &made[t]), KAN_OK);
        for (uint32_t row = 0; row < f->n_rows[t]; row++)
            add_row(made[t], f, truth->levels, t, row);
        assert_int_equal(kan_table_seal(made[t]), KAN_OK);
        tables[t] = (kan_forest_table){.table = made[t],
                                       .key = 0,
                                       .parent = f->parent[t],
                                       .link = t > 0 ? 1 : KAN_FOREST_NONE,
                                       .quasi = quasi,
                                       .n_quasi = f->n_columns[t]};
    }
    assert_int_equal(kan_forest_make(run, tables, f->n_tables, &forest, &finding), KAN_OK);
    assert_int_equal(finding.fault, KAN_FOREST_SOUND);
    assert_int_equal(kan_forest_count(&forest, f->k, &found), KAN_OK);
    assert_int_equal(found.n_people, f->n_rows[0]);
    assert_int_equal(found.n_trees, truth->n_trees);
    assert_int_equal(found.fewest, truth->fewest);
    assert_int_equal(found.n_rare, truth->n_rare);
    kan_forest_destroy(&forest);
    for (size_t t = 0; t < f->n_tables; t++)
        kan_table_destroy(made[t]);
}

/* ---- the tests ------------------------------------------------------------------------------ */

static void one_family(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7919 + 3;
    static node nodes[NODES];
    static seen shown;
    family f;
    kan_kin_folded folded;
    draw(&f, &random);
    const size_t n = try_all(&f, nodes);
    const node *best = find_best(&f, nodes, n);
    expect_monotone(&f, nodes, n);
    show(&f, &shown);
    assert_int_equal(kan_kin_fold(run, &shown.kin, f.low, &folded), KAN_OK);
    for (size_t i = 0; i < n; i++) {
        bool is_above = true;
        for (unsigned a = 0; a < f.n_attributes; a++)
            is_above = is_above && nodes[i].levels[a] >= f.low[a];
        expect_node(run, &shown.kin, NULL, &f, &nodes[i]);
        if (is_above)
            expect_node(run, &folded.kin, folded.item_of, &f, &nodes[i]);
    }
    ask(run, &f, &shown.kin, UINT64_MAX, best);
    ask(run, &f, &folded.kin, UINT64_MAX, best);
    ask(run, &f, &folded.kin, 1 + below(&random, 6), best);
    expect_recount(run, &f, &nodes[below(&random, n)]);
    kan_kin_folded_destroy(&folded);
}

static void nobody_beats_the_best_of_all_nodes_and_sets_of_people(void **state) {
    (void)state;
    n_searched = n_found = n_broken = n_nodes_tried = n_leaving = 0;
    random_rounds(3000, one_family);
    print_message("%zu searches, %zu with an answer, %zu of these broken off; %zu nodes, %zu of "
                  "which leave some out\n",
                  n_searched, n_found, n_broken, n_nodes_tried, n_leaving);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_broken > 100 && n_leaving > 1000 && n_searched - n_found > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nobody_beats_the_best_of_all_nodes_and_sets_of_people,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

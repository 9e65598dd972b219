/* The rules of recoding models against their definitions, on random tables and random recodings of
 * them, right ones and ones that were tampered with. The oracles know texts, trees as arrays, and
 * which row is which; they try all maps, levels, values and combinations there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "analyze/recodings/recodings.h"
#include "core/hash.h"

enum { MOST_ROWS = 16, MOST_COLUMNS = 3, MOST_LEVELS = 4, N_VALUES = 5, TEXT = 24, N_MAPS = 6 };

typedef char text[TEXT];

typedef struct {
    uint64_t seed;
    size_t n_columns, n_rows;
    unsigned n_levels[MOST_COLUMNS];
    text labels[MOST_COLUMNS][N_VALUES][MOST_LEVELS];
    size_t value[MOST_ROWS][MOST_COLUMNS];
    text shown[MOST_ROWS][MOST_COLUMNS];
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->seed, bound);
}

/* ---- random things -------------------------------------------------------------------------- */

/* Each level joins neighbours of the one below; what stays alone keeps its label. */
static void grow_tree(world *w, size_t c) {
    size_t group[N_VALUES];
    w->n_levels[c] = 2 + (unsigned)below(w, MOST_LEVELS - 1);
    const bool has_star = below(w, 3) != 0;
    for (size_t v = 0; v < N_VALUES; v++) {
        group[v] = v;
        snprintf(w->labels[c][v][0], TEXT, "v%zu", v);
    }
    for (unsigned level = 1; level < w->n_levels[c]; level++) {
        const bool is_top = level + 1 == w->n_levels[c];
        size_t next[N_VALUES] = {0}, size[N_VALUES] = {0};
        for (size_t v = 1; v < N_VALUES; v++) {
            const bool joins = group[v] == group[v - 1] || is_top || below(w, 2) == 0;
            next[v] = joins ? next[v - 1] : next[v - 1] + 1;
        }
        for (size_t v = 0; v < N_VALUES; v++)
            size[next[v]]++;
        for (size_t v = 0; v < N_VALUES; v++) {
            if (is_top && has_star)
                snprintf(w->labels[c][v][level], TEXT, "*");
            else if (size[next[v]] == 1)
                memcpy(w->labels[c][v][level], w->labels[c][v][level - 1], TEXT);
            else
                snprintf(w->labels[c][v][level], TEXT, "l%u.%zu", level, next[v]);
        }
        memcpy(group, next, sizeof next);
    }
}

/* One way to recode each: by column, by value, whole subtrees, by combination, or cell by cell. */
static void recode(world *w) {
    const size_t way = below(w, 5);
    unsigned of_column[MOST_COLUMNS], of_value[MOST_COLUMNS][N_VALUES];
    unsigned of_tuple[N_MAPS][MOST_COLUMNS];
    for (size_t c = 0; c < w->n_columns; c++) {
        of_column[c] = (unsigned)below(w, w->n_levels[c]);
        for (size_t v = 0; v < N_VALUES; v++)
            of_value[c][v] = (unsigned)below(w, w->n_levels[c]);
        for (size_t i = 0; i < N_MAPS; i++)
            of_tuple[i][c] = (unsigned)below(w, w->n_levels[c]);
        if (way != 2)
            continue;
        /* the first value of a subtree decides for all of it */
        for (size_t v = 1; v < N_VALUES; v++)
            for (size_t u = v; u-- > 0;)
                if (strcmp(w->labels[c][u][of_value[c][u]], w->labels[c][v][of_value[c][u]]) == 0)
                    of_value[c][v] = of_value[c][u];
    }
    for (size_t r = 0; r < w->n_rows; r++) {
        size_t hash = 0;
        for (size_t c = 0; c < w->n_columns; c++)
            hash = hash * N_VALUES + w->value[r][c];
        for (size_t c = 0; c < w->n_columns; c++) {
            const size_t v = w->value[r][c];
            const unsigned level = way == 0   ? of_column[c]
                                   : way <= 2 ? of_value[c][v]
                                   : way == 3 ? of_tuple[hash % N_MAPS][c]
                                              : (unsigned)below(w, w->n_levels[c]);
            memcpy(w->shown[r][c], w->labels[c][v][level], TEXT);
        }
    }
}

static void make_world(world *w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->n_columns = 1 + below(w, MOST_COLUMNS);
    w->n_rows = 1 + below(w, MOST_ROWS);
    for (size_t c = 0; c < w->n_columns; c++)
        grow_tree(w, c);
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < w->n_columns; c++)
            w->value[r][c] = below(w, N_VALUES);
    recode(w);
    for (size_t n = below(w, 3); n > 0; n--) { /* tamper: another label of the same value */
        const size_t r = below(w, w->n_rows), c = below(w, w->n_columns);
        const bool is_star = below(w, 3) == 0;
        memcpy(w->shown[r][c], w->labels[c][w->value[r][c]][below(w, w->n_levels[c])], TEXT);
        if (is_star)
            snprintf(w->shown[r][c], TEXT, "*");
    }
}

/* ---- definitions ---------------------------------------------------------------------------- */

static bool is_star(const char *label) {
    return strcmp(label, "*") == 0;
}

static bool is_left_out(const world *w, size_t r) {
    for (size_t c = 0; c < w->n_columns; c++)
        if (!is_star(w->shown[r][c]))
            return false;
    return true;
}

/* Whether a label is that of the value at the level; * is that of the top. */
static bool is_at(const world *w, size_t c, size_t v, unsigned level, const char *label) {
    return strcmp(w->labels[c][v][level], label) == 0 ||
           (level + 1 == w->n_levels[c] && is_star(label));
}

static bool covers(const world *w, size_t c, const char *label, size_t v) {
    for (unsigned level = 0; level < w->n_levels[c]; level++)
        if (is_at(w, c, v, level, label))
            return true;
    return false;
}

static bool all_at_level(const world *w, size_t c, unsigned level) {
    for (size_t r = 0; r < w->n_rows; r++)
        if (!is_left_out(w, r) && !is_at(w, c, w->value[r][c], level, w->shown[r][c]))
            return false;
    return true;
}

static bool is_full_domain(const world *w) {
    for (size_t c = 0; c < w->n_columns; c++) {
        bool has_level = false;
        for (unsigned level = 0; level < w->n_levels[c]; level++)
            has_level = has_level || all_at_level(w, c, level);
        if (!has_level)
            return false;
    }
    return true;
}

static bool is_cell_suppression(const world *w) {
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < w->n_columns; c++)
            if (!is_left_out(w, r) && !is_star(w->shown[r][c]) &&
                strcmp(w->shown[r][c], w->labels[c][w->value[r][c]][0]) != 0)
                return false;
    return true;
}

static bool is_attribute_suppression(const world *w) {
    for (size_t c = 0; c < w->n_columns; c++)
        for (size_t r = 0; r < w->n_rows; r++)
            for (size_t s = 0; s < w->n_rows; s++)
                if (!is_left_out(w, r) && !is_left_out(w, s) &&
                    is_star(w->shown[r][c]) != is_star(w->shown[s][c]))
                    return false;
    return is_cell_suppression(w);
}

static bool is_unrestricted(const world *w) {
    for (size_t c = 0; c < w->n_columns; c++)
        for (size_t r = 0; r < w->n_rows; r++)
            for (size_t s = 0; s < w->n_rows; s++)
                if (!is_left_out(w, r) && !is_left_out(w, s) && w->value[r][c] == w->value[s][c] &&
                    strcmp(w->shown[r][c], w->shown[s][c]) != 0)
                    return false;
    return true;
}

/* A row is at a level of its value such that all rows with values of that subtree show the same. */
static bool is_full_subtree(const world *w) {
    for (size_t c = 0; c < w->n_columns; c++)
        for (size_t r = 0; r < w->n_rows; r++) {
            bool has_level = is_left_out(w, r);
            for (unsigned level = 0; level < w->n_levels[c] && !has_level; level++) {
                has_level = is_at(w, c, w->value[r][c], level, w->shown[r][c]);
                for (size_t s = 0; s < w->n_rows; s++)
                    if (!is_left_out(w, s) && strcmp(w->labels[c][w->value[r][c]][level],
                                                     w->labels[c][w->value[s][c]][level]) == 0)
                        has_level = has_level && strcmp(w->shown[r][c], w->shown[s][c]) == 0;
            }
            if (!has_level)
                return false;
        }
    return true;
}

static bool same_row(const world *w, size_t r, size_t s) {
    for (size_t c = 0; c < w->n_columns; c++)
        if (strcmp(w->shown[r][c], w->shown[s][c]) != 0)
            return false;
    return true;
}

static bool is_unrestricted_multi(const world *w) {
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t s = 0; s < w->n_rows; s++)
            if (!is_left_out(w, r) && !is_left_out(w, s) &&
                memcmp(w->value[r], w->value[s], sizeof w->value[r]) == 0 && !same_row(w, r, s))
                return false;
    return true;
}

static bool holds(const world *w, size_t r, const size_t *tuple) {
    for (size_t c = 0; c < w->n_columns; c++)
        if (!covers(w, c, w->shown[r][c], tuple[c]))
            return false;
    return true;
}

/* Every combination of the domain lies below one shown row of labels at most. */
static bool is_full_subgraph(const world *w) {
    size_t tuple[MOST_COLUMNS] = {0}, n = 1;
    for (size_t c = 0; c < w->n_columns; c++)
        n *= N_VALUES;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0, rest = i; c < w->n_columns; c++, rest /= N_VALUES)
            tuple[c] = rest % N_VALUES;
        for (size_t r = 0; r < w->n_rows; r++)
            for (size_t s = 0; s < r; s++)
                if (!is_left_out(w, r) && !is_left_out(w, s) && holds(w, r, tuple) &&
                    holds(w, s, tuple) && !same_row(w, r, s))
                    return false;
    }
    return true;
}

/* No value lies below two labels: of those that some row has, or of all. */
static bool is_ordered_set(const world *w, bool of_all) {
    for (size_t c = 0; c < w->n_columns; c++)
        for (size_t v = 0; v < N_VALUES; v++) {
            bool is_met = of_all;
            for (size_t r = 0; r < w->n_rows; r++)
                is_met = is_met || w->value[r][c] == v;
            for (size_t r = 0; r < w->n_rows && is_met; r++)
                for (size_t s = 0; s < r; s++)
                    if (!is_left_out(w, r) && !is_left_out(w, s) &&
                        strcmp(w->shown[r][c], w->shown[s][c]) != 0 &&
                        covers(w, c, w->shown[r][c], v) && covers(w, c, w->shown[s][c], v))
                        return false;
        }
    return true;
}

/* Whether each shown label can have a value of its own: all ways to choose them. */
static bool can_choose(const world *w, size_t c, size_t row, unsigned taken) {
    if (row == w->n_rows)
        return true;
    bool is_new = !is_left_out(w, row);
    for (size_t r = 0; r < row; r++)
        is_new = is_new && (is_left_out(w, r) || strcmp(w->shown[r][c], w->shown[row][c]) != 0);
    if (!is_new)
        return can_choose(w, c, row + 1, taken);
    for (size_t v = 0; v < N_VALUES; v++)
        if (!(taken >> v & 1) && covers(w, c, w->shown[row][c], v) &&
            can_choose(w, c, row + 1, taken | 1u << v))
            return true;
    return false;
}

static bool may_be_unrestricted(const world *w) {
    for (size_t c = 0; c < w->n_columns; c++)
        if (!can_choose(w, c, 0, 0))
            return false;
    return true;
}

/* ---- asking the library --------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    kan_table *release, *original, *domain;
    kan_hierarchy *hierarchies[2][MOST_COLUMNS]; /* bound to the original, and to all values */
    kan_shape_column columns[2][MOST_COLUMNS];
    uint64_t row_of[MOST_ROWS];
} asked;

static kan_hierarchy *bind(asked *q, const world *w, size_t c, const kan_table *table) {
    kan_hierarchy_lines *lines;
    kan_hierarchy *hierarchy = NULL;
    assert_int_equal(kan_hierarchy_lines_create(q->run, "tree.csv", &lines), KAN_OK);
    for (size_t v = 0; v < N_VALUES; v++) {
        kan_slice fields[MOST_LEVELS];
        for (unsigned level = 0; level < w->n_levels[c]; level++)
            fields[level] = kan_slice_of(w->labels[c][v][level]);
        assert_int_equal(kan_hierarchy_lines_add(lines, v + 1, fields, w->n_levels[c]), KAN_OK);
    }
    kan_problems_begin(q->run);
    assert_int_equal(kan_hierarchy_bind(lines, &table->columns[c], &hierarchy), KAN_OK);
    kan_hierarchy_lines_destroy(lines);
    return hierarchy;
}

static void open_question(asked *q, const world *w) {
    static const char *const names[] = {"a", "b", "c"};
    kan_table **tables[] = {&q->release, &q->original, &q->domain};
    memset(q, 0, sizeof *q);
    q->run = kan_run_create();
    for (size_t t = 0; t < 3; t++) {
        assert_int_equal(kan_table_create(q->run, w->n_columns, names, tables[t]), KAN_OK);
        for (size_t r = 0; r < (t == 2 ? N_VALUES : w->n_rows); r++) {
            const char *cells[MOST_COLUMNS];
            for (size_t c = 0; c < w->n_columns; c++)
                cells[c] = t == 0 ? w->shown[r][c] : w->labels[c][t == 1 ? w->value[r][c] : r][0];
            assert_int_equal(kan_table_add_row(*tables[t], cells), KAN_OK);
        }
        assert_int_equal(kan_table_seal(*tables[t]), KAN_OK);
    }
    for (size_t c = 0; c < w->n_columns; c++)
        for (size_t t = 0; t < 2; t++) {
            kan_table *values = t == 0 ? q->original : q->domain;
            q->hierarchies[t][c] = bind(q, w, c, values);
            q->columns[t][c] = (kan_shape_column){.released = c,
                                                  .values = values,
                                                  .value_column = c,
                                                  .hierarchy = q->hierarchies[t][c]};
        }
    for (uint64_t r = 0; r < w->n_rows; r++)
        q->row_of[r] = r;
}

static void close_question(asked *q, const world *w) {
    for (size_t c = 0; c < w->n_columns; c++)
        for (size_t t = 0; t < 2; t++)
            kan_hierarchy_destroy(q->hierarchies[t][c]);
    kan_table_destroy(q->release);
    kan_table_destroy(q->original);
    kan_table_destroy(q->domain);
    kan_run_destroy(q->run);
}

static kan_shape_verdict ask(asked *q, const world *w, const char *model, bool has_original) {
    const kan_shape_question question = {.release = q->release,
                                         .columns = q->columns[has_original ? 0 : 1],
                                         .n_columns = w->n_columns,
                                         .has_original = has_original,
                                         .row_of = has_original ? q->row_of : NULL,
                                         .knows_all = has_original};
    kan_shape_verdict verdict;
    assert_int_equal(kan_shape_check(q->run, model, &question, &verdict), KAN_OK);
    if (!verdict.holds) { /* who breaks the rule is somebody */
        assert_non_null(verdict.fault);
        assert_true(verdict.row >= 1 && verdict.row <= w->n_rows);
        assert_true(verdict.other_row <= w->n_rows);
    }
    return verdict;
}

/* ---- claims --------------------------------------------------------------------------------- */

enum { N_ROUNDS = 4000 };

static void every_rule_is_its_definition(void **state) {
    (void)state;
    static const struct {
        const char *model;
        bool (*is_so)(const world *w);
        bool alone; /* the release alone tells */
    } rules[] = {
        {"full-domain", is_full_domain, true},
        {"attribute-suppression", is_attribute_suppression, true},
        {"full-subtree", is_full_subtree, true},
        {"unrestricted", is_unrestricted, false},
        {"full-subgraph", is_full_subgraph, true},
        {"ordered-regions", is_full_subgraph, true}, /* of texts that are nodes it is the same */
        {"unrestricted-multi", is_unrestricted_multi, false},
        {"cell-suppression", is_cell_suppression, true},
    };
    enum { N_RULES = sizeof rules / sizeof *rules };
    size_t n_true[N_RULES] = {0};
    static world w;
    for (uint64_t seed = 1; seed <= N_ROUNDS; seed++) {
        asked q;
        make_world(&w, seed);
        open_question(&q, &w);
        for (size_t i = 0; i < N_RULES; i++) {
            const bool is_so = rules[i].is_so(&w);
            const kan_shape_verdict told = ask(&q, &w, rules[i].model, true);
            const kan_shape_verdict alone = ask(&q, &w, rules[i].model, false);
            if (told.holds != is_so || told.unchecked)
                fail_msg("seed %llu: %s", (unsigned long long)seed, rules[i].model);
            if (rules[i].alone && (alone.holds != is_so || alone.unchecked))
                fail_msg("seed %llu: %s, alone", (unsigned long long)seed, rules[i].model);
            if (!rules[i].alone && !alone.unchecked)
                fail_msg("seed %llu: %s cannot be whole", (unsigned long long)seed, rules[i].model);
            assert_true(!is_so || alone.holds);
            n_true[i] += is_so;
        }
        assert_true(ask(&q, &w, "cell-generalization", true).holds);
        assert_int_equal(ask(&q, &w, "ordered-set", true).holds, is_ordered_set(&w, false));
        assert_int_equal(ask(&q, &w, "ordered-set", false).holds, is_ordered_set(&w, true));
        assert_int_equal(ask(&q, &w, "unrestricted", false).holds, may_be_unrestricted(&w));
        close_question(&q, &w);
    }
    for (size_t i = 0; i < N_RULES; i++) /* both answers were tried often */
        assert_true(n_true[i] > N_ROUNDS / 40 && n_true[i] < N_ROUNDS - N_ROUNDS / 40);
}

/* By the definition: rows with a value below the label, and none of these rows shows it. */
static uint64_t plain_narrow(const world *w) {
    uint64_t n = 0;
    for (size_t c = 0; c < w->n_columns; c++)
        for (size_t r = 0; r < w->n_rows; r++) {
            bool is_narrow = false;
            for (size_t s = 0; s < w->n_rows; s++) {
                bool is_shown = false;
                for (size_t t = 0; t < w->n_rows; t++)
                    is_shown = is_shown || (w->value[t][c] == w->value[s][c] &&
                                            strcmp(w->shown[t][c], w->shown[r][c]) == 0);
                is_narrow =
                    is_narrow || (covers(w, c, w->shown[r][c], w->value[s][c]) && !is_shown);
            }
            n += is_narrow;
        }
    return n;
}

static void narrow_cells_are_counted_as_they_are_defined(void **state) {
    (void)state;
    static world w;
    size_t n_some = 0;
    for (uint64_t seed = 1; seed <= N_ROUNDS / 4; seed++) {
        uint64_t counts[MOST_COLUMNS], n = 0;
        asked q;
        make_world(&w, seed * 7919);
        open_question(&q, &w);
        const kan_shape_question question = {.release = q.release,
                                             .columns = q.columns[0],
                                             .n_columns = w.n_columns,
                                             .has_original = true,
                                             .row_of = q.row_of,
                                             .knows_all = true};
        assert_int_equal(kan_shape_count_narrow(q.run, &question, counts), KAN_OK);
        for (size_t c = 0; c < w.n_columns; c++)
            n += counts[c];
        assert_int_equal(n, plain_narrow(&w));
        n_some += n > 0;
        bool has_all = true; /* rows of * alone count here */
        for (size_t r = 0; r < w.n_rows; r++)
            has_all = has_all && !is_left_out(&w, r);
        if (has_all && is_full_subtree(&w))
            assert_int_equal(n, 0);
        close_question(&q, &w);
    }
    assert_true(n_some > N_ROUNDS / 40);
}

/* ---- groups that are called like one of their values ---------------------------------------- */

/* Which node each row's label is: of which value, at which level. All rows of a label share it. */
typedef struct {
    unsigned level[MOST_ROWS][MOST_COLUMNS];
    size_t first[MOST_ROWS][MOST_COLUMNS]; /* the first row that shows the label */
} nodes;

typedef bool (*node_rule)(const world *w, const nodes *n);

static bool is_below(const world *w, const nodes *n, size_t r, size_t c, size_t v) {
    return is_at(w, c, v, n->level[n->first[r][c]][c], w->shown[r][c]);
}

static bool nodes_meet(const world *w, const nodes *n, size_t c, size_t r, size_t s) {
    for (size_t v = 0; v < N_VALUES; v++)
        if (is_below(w, n, r, c, v) && is_below(w, n, s, c, v))
            return true;
    return false;
}

static bool subtrees_are_apart(const world *w, const nodes *n) {
    for (size_t c = 0; c < w->n_columns; c++)
        for (size_t r = 0; r < w->n_rows; r++)
            for (size_t s = 0; s < r; s++)
                if (!is_left_out(w, r) && !is_left_out(w, s) &&
                    strcmp(w->shown[r][c], w->shown[s][c]) != 0 && nodes_meet(w, n, c, r, s))
                    return false;
    return true;
}

static bool boxes_are_apart(const world *w, const nodes *n) {
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t s = 0; s < r; s++) {
            bool meet = !is_left_out(w, r) && !is_left_out(w, s) && !same_row(w, r, s);
            for (size_t c = 0; c < w->n_columns && meet; c++)
                meet = nodes_meet(w, n, c, r, s);
            if (meet)
                return false;
        }
    return true;
}

static bool nodes_are_values(const world *w, const nodes *n) {
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < w->n_columns; c++) {
            size_t size = 0;
            for (size_t v = 0; v < N_VALUES; v++)
                size += is_below(w, n, r, c, v);
            if (!is_left_out(w, r) && !is_star(w->shown[r][c]) && n->level[n->first[r][c]][c] > 0 &&
                size > 1)
                return false;
        }
    return true;
}

/* Whether the rule holds for some choice of nodes, and whether for all of them; `knows`: those alone
 * that stand above their rows. */
static void try_nodes(const world *w, nodes *n, size_t at, bool knows, node_rule rule, bool *some,
                      bool *all) {
    const size_t r = at / w->n_columns, c = at % w->n_columns;
    if (r == w->n_rows) {
        const bool is_so = rule(w, n);
        *some |= is_so;
        *all &= is_so;
        return;
    }
    if (n->first[r][c] != r) {
        try_nodes(w, n, at + 1, knows, rule, some, all);
        return;
    }
    for (unsigned level = 0; level < w->n_levels[c]; level++) {
        bool is_right = false, is_above = true;
        n->level[r][c] = level;
        for (size_t v = 0; v < N_VALUES; v++)
            is_right = is_right || is_at(w, c, v, level, w->shown[r][c]);
        for (size_t s = r; s < w->n_rows; s++)
            if (n->first[s][c] == r)
                is_above = is_above && is_at(w, c, w->value[s][c], level, w->shown[r][c]);
        if (is_right && (is_above || !knows))
            try_nodes(w, n, at + 1, knows, rule, some, all);
    }
}

/* Ages rounded down: what is not alone is called like the first of its values. */
static void make_rounded_world(world *w, uint64_t seed) {
    make_world(w, seed);
    w->n_columns = w->n_columns > 2 ? 2 : w->n_columns;
    w->n_rows = w->n_rows > 6 ? 6 : w->n_rows;
    for (size_t c = 0; c < w->n_columns; c++)
        for (unsigned level = 1; level < w->n_levels[c]; level++)
            for (size_t v = N_VALUES; v-- > 0;) {
                size_t first = v;
                for (size_t u = 0; u < v; u++)
                    if (first == v && strcmp(w->labels[c][u][level], w->labels[c][v][level]) == 0)
                        first = u;
                if (!is_star(w->labels[c][v][level]))
                    memcpy(w->labels[c][v][level], w->labels[c][first][0], TEXT);
            }
    recode(w);
}

static void a_label_of_several_nodes_is_one_that_its_rows_allow(void **state) {
    (void)state;
    static const struct {
        const char *model;
        node_rule rule;
    } rules[] = {{"full-subtree", subtrees_are_apart},
                 {"full-subgraph", boxes_are_apart},
                 {"cell-suppression", nodes_are_values}};
    enum { N_RULES = sizeof rules / sizeof *rules };
    size_t n_true[N_RULES] = {0}, n_open[N_RULES] = {0};
    static world w;
    for (uint64_t seed = 1; seed <= N_ROUNDS / 2; seed++) {
        asked q;
        nodes n = {0};
        make_rounded_world(&w, seed * 31);
        for (size_t r = 0; r < w.n_rows; r++)
            for (size_t c = 0; c < w.n_columns; c++)
                while (strcmp(w.shown[n.first[r][c]][c], w.shown[r][c]) != 0)
                    n.first[r][c]++;
        open_question(&q, &w);
        for (size_t i = 0; i < N_RULES; i++) {
            bool some = false, all = true, some_alone = false, all_alone = true;
            try_nodes(&w, &n, 0, true, rules[i].rule, &some, &all);
            try_nodes(&w, &n, 0, false, rules[i].rule, &some_alone, &all_alone);
            const kan_shape_verdict told = ask(&q, &w, rules[i].model, true);
            const kan_shape_verdict alone = ask(&q, &w, rules[i].model, false);
            bool is_one = false, is_any = true; /* a label may be shown for rows of no one node */
            try_nodes(&w, &n, 0, true, subtrees_are_apart, &is_one, &is_any);
            if ((is_one || !is_any) && (told.holds != some || told.unchecked))
                fail_msg("seed %llu: %s", (unsigned long long)seed, rules[i].model);
            if (!alone.unchecked && (alone.holds ? !all_alone : some_alone))
                fail_msg("seed %llu: %s, alone", (unsigned long long)seed, rules[i].model);
            if (alone.unchecked && all_alone == some_alone)
                fail_msg("seed %llu: %s is certain", (unsigned long long)seed, rules[i].model);
            n_true[i] += some;
            n_open[i] += alone.unchecked != NULL;
        }
        close_question(&q, &w);
    }
    for (size_t i = 0; i < N_RULES; i++) {
        assert_true(n_true[i] > N_ROUNDS / 80 && n_true[i] < N_ROUNDS / 2 - N_ROUNDS / 80);
        assert_true(n_open[i] > N_ROUNDS / 80);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_its_definition),
        cmocka_unit_test(a_label_of_several_nodes_is_one_that_its_rows_allow),
        cmocka_unit_test(narrow_cells_are_counted_as_they_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

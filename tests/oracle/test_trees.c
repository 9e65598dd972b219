/* Levels for tables that belong together, against brute force: every node is tried, and every set of people.
 * Trees are texts there, written out row by row, and so are the chains of trees above a row, by which
 * models of sensitive values know its part. The search must have the best node, whether its rows
 * were folded or not; one that is broken off says what nothing costs less than; and the recount of a
 * release, which shares nothing with the search, counts the same trees, and risk is what it is person by
 * person. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/forest/forest.h"
#include "job/risk/risk.h"
#include "oracle/people.h"
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
    TEXT = 4096,
    SECRETS = 2
};

typedef struct {
    unsigned n_attributes, heights[ATTRIBUTES], n_leaves[ATTRIBUTES];
    uint32_t group[ATTRIBUTES][HEIGHT + 1][LEAVES];
    size_t n_tables, parent[TABLES], n_columns[TABLES];
    unsigned column[TABLES][ATTRIBUTES]; /* its attribute */
    uint64_t price[TABLES][ATTRIBUTES][HEIGHT + 1][LEAVES], suppressed[TABLES][ATTRIBUTES];
    uint32_t n_rows[TABLES], above[TABLES][ROWS], value[TABLES][ATTRIBUTES][ROWS];
    /* What the rows of a table have in its sensitive columns, each as a question of its own, which says
     * what is promised of it. */
    size_t n_secrets[TABLES];
    people_question secret[TABLES][SECRETS];
    bool by_groups; /* k people in each group of every table, and no trees */
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
static size_t n_measured, n_between;
static size_t n_with_models, n_failing_models, n_coming_back, n_by_groups;

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

static void draw_promise(people_question *q, uint64_t *random) {
    q->k = 1;
    q->l_kind = "ddder"[below(random, 5)];
    q->l = below(random, 2) ? 1 + (unsigned)below(random, 3) : 0;
    if (below(random, 2))
        return;
    q->alpha = below(random, 2) ? 3 + (unsigned)below(random, 8) : 0;
    q->t = below(random, 3) ? 0 : 1 + (unsigned)below(random, 9);
    q->beta = below(random, 3) ? 0 : 1 + (unsigned)below(random, 20);
    q->delta = below(random, 4) ? 0 : 1 + (unsigned)below(random, 3);
}

static uint32_t person_of(const family *f, size_t t, uint32_t row) {
    return t == 0 ? row : person_of(f, f->parent[t], f->above[t][row]);
}

static void draw_secrets(family *f, size_t t, uint64_t *random) {
    _Static_assert((int)ROWS <= (int)PEOPLE_ROWS, "a table is a question");
    f->n_secrets[t] = f->n_rows[t] > 0 ? (size_t)below(random, SECRETS + 1) : 0;
    for (size_t i = 0; i < f->n_secrets[t]; i++) {
        people_question *q = &f->secret[t][i];
        const unsigned n_values = 1 + (unsigned)below(random, PEOPLE_VALUES);
        draw_promise(q, random);
        q->n_rows = f->n_rows[t];
        q->n_people = f->n_rows[0];
        for (uint32_t row = 0; row < f->n_rows[t]; row++) {
            q->rows[row].person = person_of(f, t, row);
            q->rows[row].value = (unsigned)below(random, n_values);
        }
    }
}

static bool has_models(const family *f) {
    for (size_t t = 0; t < f->n_tables; t++)
        if (f->n_secrets[t] > 0)
            return true;
    return false;
}

/* Whether who stays at a node stays above it. */
static bool absorbs(const family *f) {
    for (size_t t = 0; t < f->n_tables; t++)
        for (size_t i = 0; i < f->n_secrets[t]; i++)
            if (!people_absorb(&f->secret[t][i]))
                return false;
    return true;
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
    f->by_groups = below(random, 4) == 0;
    for (size_t t = 0, has_any = !f->by_groups && below(random, 2); t < f->n_tables && has_any; t++)
        draw_secrets(f, t, random);
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

/* What is known of a row by where it is: the tree of its person, of the row below that, and so on. */
static void write_chain(const family *f, const unsigned *levels, size_t t, uint32_t row,
                        char *out) {
    char *tree = write_tree(f, levels, t, row);
    out[0] = '\0';
    if (t > 0)
        write_chain(f, levels, f->parent[t], f->above[t][row], out);
    assert_true(strlen(out) + strlen(tree) + 2 < (size_t)TABLES * TEXT);
    strcat(strcat(out, "/"), tree);
    free(tree);
}

/* Numbers of parts: of two rows the same where their chains are. */
typedef struct {
    uint32_t of[TABLES][ROWS];
} part_numbers;

static void number_parts(const family *f, const unsigned *levels, bool all, part_numbers *out) {
    static char chains[ROWS][TABLES * TEXT];
    for (size_t t = 0; t < f->n_tables; t++)
        for (uint32_t row = 0; row < f->n_rows[t] && (all || f->n_secrets[t] > 0); row++) {
            write_chain(f, levels, t, row, chains[row]);
            out->of[t][row] = row;
            for (uint32_t other = 0; other < row; other++)
                if (strcmp(chains[other], chains[row]) == 0) {
                    out->of[t][row] = other;
                    break;
                }
        }
}

/* Whether all parts of a person pass, of the people in the set: those of other classes are in none of them. */
static bool parts_pass(const family *f, const part_numbers *parts, unsigned set, uint32_t person) {
    for (size_t t = 0; t < f->n_tables; t++)
        for (size_t i = 0; i < f->n_secrets[t]; i++)
            for (uint32_t row = 0; row < f->n_rows[t]; row++) {
                const people_question *q = &f->secret[t][i];
                bool is_in[PEOPLE_ROWS];
                if (q->rows[row].person != person)
                    continue;
                for (uint32_t other = 0; other < f->n_rows[t]; other++)
                    is_in[other] = parts->of[t][other] == parts->of[t][row] &&
                                   (set >> q->rows[other].person & 1);
                const people_group group = people_find_group(q, NULL, is_in, row);
                if (!people_pass(q, &group))
                    return false;
            }
    return true;
}

/* Classes fail as a whole. */
static void choose_classes(const family *f, char *const *trees, const part_numbers *parts,
                           node *out) {
    const uint32_t n = f->n_rows[0];
    for (uint32_t p = 0; p < n; p++) {
        unsigned alike = 0;
        for (uint32_t q = 0; q < n; q++)
            alike |= strcmp(trees[p], trees[q]) == 0 ? 1U << q : 0;
        bool passes = people_count(alike) >= f->k;
        for (uint32_t q = 0; q < n && passes; q++)
            if (alike >> q & 1) {
                passes = parts_pass(f, parts, alike, q);
                n_failing_models += !passes;
            }
        out->is_left[p] = !passes;
        out->n_left += !passes;
    }
}

/* With k and distinct l no set of people in which all is well has anybody else. */
static void expect_greatest(const family *f, char *const *trees, const part_numbers *parts,
                            const node *found) {
    const uint32_t n = f->n_rows[0];
    for (unsigned set = 1; set < 1U << n; set++) {
        bool is_good = true, has_left = false;
        for (uint32_t p = 0; p < n && is_good; p++) {
            uint64_t alike = 0;
            if (!(set >> p & 1))
                continue;
            has_left |= found->is_left[p];
            for (uint32_t q = 0; q < n; q++)
                alike += (set >> q & 1) && strcmp(trees[p], trees[q]) == 0;
            is_good = alike >= f->k && parts_pass(f, parts, set, p);
        }
        assert_false(is_good && has_left);
    }
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

static bool show_alike(const family *f, const unsigned *levels, size_t t, uint32_t a, uint32_t b) {
    for (size_t c = 0; c < f->n_columns[t]; c++) {
        const uint32_t *group = f->group[f->column[t][c]][levels[f->column[t][c]]];
        if (group[f->value[t][c][a]] != group[f->value[t][c][b]])
            return false;
    }
    return true;
}

/* Whether the groups of these people's rows have k of them each. */
static bool groups_pass(const family *f, const unsigned *levels, unsigned set) {
    for (size_t t = 0; t < f->n_tables; t++)
        for (uint32_t row = 0; row < f->n_rows[t]; row++) {
            unsigned people = 0;
            if (!(set >> person_of(f, t, row) & 1))
                continue;
            for (uint32_t other = 0; other < f->n_rows[t]; other++)
                if (show_alike(f, levels, t, row, other))
                    people |= 1U << person_of(f, t, other);
            if (people_count(people & set) < f->k)
                return false;
        }
    return true;
}

/* The largest set of people with which no group fails. */
static void choose_by_groups(const family *f, node *out) {
    const uint32_t n = f->n_rows[0];
    unsigned best = 0;
    for (unsigned set = 1; set < 1U << n; set++)
        if (people_count(set) > people_count(best) && groups_pass(f, out->levels, set))
            best = set;
    out->n_left = n - people_count(best);
    for (uint32_t p = 0; p < n; p++)
        out->is_left[p] = !(best >> p & 1);
    n_by_groups++;
}

/* Every set of people is tried at the first node alone where models look at values: it takes long. */
static void choose(const family *f, char *const *trees, bool is_first, node *out) {
    part_numbers parts;
    if (f->by_groups) {
        choose_by_groups(f, out);
        return;
    }
    if (!has_models(f)) {
        choose_people(f, trees, out);
        return;
    }
    number_parts(f, out->levels, false, &parts);
    choose_classes(f, trees, &parts, out);
    if (is_first && absorbs(f))
        expect_greatest(f, trees, &parts, out);
}

static void try_node(const family *f, bool is_first, node *out) {
    char *trees[PEOPLE];
    for (uint32_t p = 0; p < f->n_rows[0]; p++)
        trees[p] = write_tree(f, out->levels, 0, p);
    choose(f, trees, is_first, out);
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
        try_node(f, n == 0, &nodes[n]);
        n++;
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

/* What the papers page proves: who stays, stays above; of other models than k and distinct l it is not so. */
static void expect_monotone(const family *f, const node *nodes, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            bool is_above = true;
            for (unsigned a = 0; a < f->n_attributes; a++)
                is_above = is_above && nodes[j].levels[a] >= nodes[i].levels[a];
            for (uint32_t p = 0; is_above && p < f->n_rows[0]; p++) {
                n_coming_back += !nodes[i].is_left[p] && nodes[j].is_left[p];
                assert_true(nodes[i].is_left[p] || !nodes[j].is_left[p] || !absorbs(f));
            }
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

/* What models are given: a table for each table, of people and values. */
typedef struct {
    kan_arena arena;
    kan_problem problem[TABLES];
    kan_table *table[TABLES];
    kan_promise promise[TABLES];
    const uint32_t *values[TABLES][1 + SECRETS];
    uint32_t codes[TABLES][SECRETS][ROWS];
    kan_kin_secrets secrets[TABLES];
} modelled;

static void add_model(kan_run *run, modelled *m, size_t t, const kan_privacy_kind *kind,
                      unsigned tail, const char *name, const char *value, const char *more,
                      const char *what) {
    kan_options options;
    m->problem[t].passed_over = ~(1U << tail);
    kan_options_init(&options, &m->arena);
    EXPECT_OK(run, kan_options_add(&options, name, value));
    if (more)
        EXPECT_OK(run, kan_options_add(&options, more, what));
    if (more && strcmp(what, "recursive") == 0)
        EXPECT_OK(run, kan_options_add(&options, "c", "2"));
    EXPECT_OK(run, kan_promise_add(&m->promise[t], run, &m->arena, kind, &options, &m->problem[t]));
    kan_options_destroy(&options);
}

static void add_models(kan_run *run, modelled *m, size_t t, unsigned tail,
                       const people_question *q) {
    char text[32];
    if (q->l) {
        sprintf(text, "%u", q->l);
        add_model(run, m, t, &kan_privacy_l_diversity, tail, "l", text, "l-kind",
                  q->l_kind == 'd'   ? "distinct"
                  : q->l_kind == 'e' ? "entropy"
                                     : "recursive");
    }
    if (q->alpha) {
        sprintf(text, "%u.%u", q->alpha / 10, q->alpha % 10);
        add_model(run, m, t, &kan_privacy_alpha, tail, "alpha", text, NULL, NULL);
    }
    if (q->t) {
        sprintf(text, "0.%u", q->t);
        add_model(run, m, t, &kan_privacy_t_closeness, tail, "t", text, "t-distance", "equal");
    }
    if (q->beta) {
        sprintf(text, "%u.%u", q->beta / 10, q->beta % 10);
        add_model(run, m, t, &kan_privacy_beta_likeness, tail, "beta", text, "beta-kind", "basic");
    }
    if (q->delta) {
        sprintf(text, "%u", q->delta);
        add_model(run, m, t, &kan_privacy_delta_disclosure, tail, "delta-disclosure", text, NULL,
                  NULL);
    }
}

static void model_table(kan_run *run, const family *f, modelled *m, size_t t) {
    static const char *const names[] = {"person", "one", "two"};
    kan_problem *problem = &m->problem[t];
    const size_t n = f->n_secrets[t];
    EXPECT_OK(run, kan_table_create(run, 1 + n, names, &m->table[t]));
    for (uint32_t row = 0; row < f->n_rows[t]; row++) {
        char texts[1 + SECRETS][16];
        const char *cells[1 + SECRETS];
        sprintf(texts[0], "%u", person_of(f, t, row));
        for (size_t i = 0; i < n; i++)
            sprintf(texts[1 + i], "v%u", f->secret[t][i].rows[row].value);
        for (size_t i = 0; i <= n; i++)
            cells[i] = texts[i];
        EXPECT_OK(run, kan_table_add_row(m->table[t], cells));
    }
    EXPECT_OK(run, kan_table_seal(m->table[t]));
    problem->run = run;
    problem->class_tail = KAN_NO_TAIL;
    problem->n_rows = f->n_rows[t];
    problem->has_person = true;
    problem->n_people = f->n_rows[0];
    kan_space_init(&problem->space, run);
    for (size_t i = 0; i <= n; i++)
        EXPECT_OK(run, kan_space_add_tail(&problem->space, &m->table[t]->columns[i]));
    EXPECT_OK(run, kan_problem_count_tails(problem, f->n_rows[t]));
    kan_promise_init(&m->promise[t], 0);
    for (size_t i = 0; i < n; i++) {
        add_models(run, m, t, 1 + (unsigned)i, &f->secret[t][i]);
        for (uint32_t row = 0; row < f->n_rows[t]; row++)
            m->codes[t][i][row] = kan_column_code(&m->table[t]->columns[1 + i], row);
        m->values[t][1 + i] = m->codes[t][i];
    }
    m->secrets[t] = (kan_kin_secrets){1 + n, m->values[t]};
}

static void model(kan_run *run, const family *f, modelled *m) {
    memset(m, 0, sizeof *m);
    kan_arena_init(&m->arena, run);
    for (size_t t = 0; t < f->n_tables; t++)
        if (f->n_secrets[t] > 0)
            model_table(run, f, m, t);
}

static void forget(const family *f, modelled *m) {
    for (size_t t = 0; t < f->n_tables; t++)
        if (f->n_secrets[t] > 0) {
            kan_problem_destroy(&m->problem[t]);
            kan_table_destroy(m->table[t]);
        }
    kan_arena_destroy(&m->arena);
}

/* The question about these items. */
static kan_trees_question pose(kan_run *run, const family *f, const modelled *m,
                               const kan_kin *rows, const kan_kin_folded *folded) {
    static const unsigned nothing[ATTRIBUTES] = {0};
    kan_trees_question q = {.kin = folded ? &folded->kin : rows,
                            .k = f->k,
                            .limit = f->limit,
                            .most_steps = UINT64_MAX};
    memcpy(q.lowest, f->low, sizeof f->low);
    memcpy(q.highest, f->high, sizeof f->high);
    if (f->by_groups)
        EXPECT_OK(run, kan_kin_heads_create(run, rows, q.kin, folded ? folded->item_of[0] : NULL,
                                            folded ? f->low : nothing, &q.heads));
    if (!has_models(f))
        return q;
    EXPECT_OK(run, kan_kin_parts_create(run, rows, folded ? folded->item_of : NULL, m->secrets,
                                        &q.parts));
    for (size_t t = 0; t < f->n_tables; t++)
        q.promises[t] = f->n_secrets[t] > 0 ? &m->promise[t] : NULL;
    return q;
}

static void expect_node(kan_run *run, const kan_trees_question *q, const uint32_t *item_of,
                        const family *f, const node *truth) {
    kan_kin_space *space;
    uint8_t is_left[PEOPLE];
    uint64_t n_left;
    kan_u128 sums[ATTRIBUTES * (HEIGHT + 1)], cost;
    assert_int_equal(kan_kin_space_create(run, q->kin, &space), KAN_OK);
    assert_int_equal(kan_trees_leave(run, q, truth->levels, is_left, &n_left), KAN_OK);
    assert_int_equal(n_left, truth->n_left);
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
    assert_true(best || !answer->is_found);
    assert_true(!answer->is_proven || answer->is_found == (best != NULL));
    if (!answer->is_proven)
        assert_true(answer->n_checked >= most_steps);
    if (!best)
        return;
    n_found++;
    assert_true(answer->bound <= best->cost);
    n_broken += !answer->is_proven;
    if (!answer->is_found)
        return;
    assert_true(answer->cost >= best->cost);
    assert_true(answer->n_left <= f->limit);
    if (!answer->is_proven)
        return;
    assert_true(answer->cost == best->cost && answer->bound == best->cost);
    assert_int_equal(answer->n_left, best->n_left);
    assert_memory_equal(answer->levels, best->levels, f->n_attributes * sizeof(unsigned));
}

static void ask(kan_run *run, const family *f, kan_trees_question q, uint64_t most_steps,
                const node *best) {
    kan_trees_answer answer;
    q.most_steps = most_steps;
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

/* Two rows are in one part, recounted, where their chains are the same. */
static void expect_parts(kan_run *run, const family *f, const node *truth,
                         const kan_forest *forest) {
    part_numbers truly;
    uint64_t *part_of[TABLES], room[TABLES][ROWS];
    number_parts(f, truth->levels, true, &truly);
    for (size_t t = 0; t < f->n_tables; t++)
        part_of[t] = room[t];
    EXPECT_OK(run, kan_forest_find_parts(forest, part_of));
    for (size_t t = 0; t < f->n_tables; t++)
        for (uint32_t a = 0; a < f->n_rows[t]; a++)
            for (uint32_t b = 0; b < a; b++)
                assert_int_equal(room[t][a] == room[t][b], truly.of[t][a] == truly.of[t][b]);
}

/* Groups of all tables, of people who stay. */
static void expect_groups(const family *f, const node *truth, const kan_forest *forest,
                          uint32_t row_of[TABLES][ROWS], const uint32_t *n_rows) {
    kan_forest_groups found;
    uint64_t n_groups = 0, fewest = 0, n_small = 0;
    for (size_t t = 0; t < f->n_tables; t++)
        for (uint32_t i = 0; i < n_rows[t]; i++) {
            unsigned people = 0;
            bool is_first = true;
            for (uint32_t j = 0; j < n_rows[t]; j++)
                if (show_alike(f, truth->levels, t, row_of[t][i], row_of[t][j])) {
                    people |= 1U << person_of(f, t, row_of[t][j]);
                    is_first = is_first && j >= i;
                }
            n_groups += is_first;
            n_small += is_first && people_count(people) < f->k;
            fewest = fewest == 0 || people_count(people) < fewest ? people_count(people) : fewest;
        }
    assert_int_equal(kan_forest_count_groups(forest, f->k, &found), KAN_OK);
    assert_int_equal(found.n_groups, n_groups);
    assert_int_equal(found.n_small, n_small);
    assert_int_equal(found.fewest, fewest);
    assert_true(!f->by_groups || n_small == 0);
}

/* A table without keys; columns are hierarchies' codes, so that leaves stand for themselves. */
static kan_table *make_bare(kan_run *run, const family *f, const unsigned *levels, size_t t,
                            const uint32_t *rows, uint32_t n) {
    static const char *const names[] = {"none", "a", "b", "c"};
    kan_table *made;
    EXPECT_OK(run, kan_table_create(run, 1 + f->n_columns[t], names, &made));
    for (uint32_t i = 0; i < n; i++) {
        char texts[1 + ATTRIBUTES][32] = {""};
        const char *values[1 + ATTRIBUTES] = {"-"};
        for (size_t c = 0; c < f->n_columns[t]; c++) {
            const unsigned a = f->column[t][c];
            sprintf(texts[c], "%u", f->group[a][levels[a]][f->value[t][c][rows[i]]]);
            values[1 + c] = texts[c];
        }
        EXPECT_OK(run, kan_table_add_row(made, values));
    }
    EXPECT_OK(run, kan_table_seal(made));
    return made;
}

/* The original as a forest, tied as the family is. */
static void grow(kan_run *run, const family *f, const node *truth, kan_forest_table *tables,
                 kan_table **made, kan_forest *out) {
    static const size_t quasi[] = {1, 2, 3};
    *out = (kan_forest){.run = run, .n = f->n_tables, .tables = tables};
    for (size_t t = 0; t < f->n_tables; t++) {
        uint32_t rows[ROWS];
        for (uint32_t row = 0; row < f->n_rows[t]; row++)
            rows[row] = row;
        made[t] = make_bare(run, f, truth->levels, t, rows, f->n_rows[t]);
        tables[t] = (kan_forest_table){.table = made[t],
                                       .key = KAN_FOREST_NONE,
                                       .parent = f->parent[t],
                                       .link = KAN_FOREST_NONE,
                                       .others = quasi,
                                       .n_others = f->n_columns[t]};
        EXPECT_OK(run, kan_alloc(run, f->n_rows[t], sizeof(uint64_t), &out->parent_row[t]));
        EXPECT_OK(run, kan_alloc(run, f->n_rows[t], sizeof(uint64_t), &out->person_of[t]));
        EXPECT_OK(run, kan_alloc_zero(run, (size_t)f->n_rows[0] + 1, sizeof(uint64_t),
                                      &out->of_person[t].start));
        for (uint32_t row = 0; row < f->n_rows[t]; row++) {
            out->parent_row[t][row] = f->above[t][row];
            out->person_of[t][row] = person_of(f, t, row);
            for (uint32_t p = person_of(f, t, row) + 1; p <= f->n_rows[0]; p++)
                out->of_person[t].start[p]++;
        }
    }
}

/* A release without keys, of those who stay, in another order: tied by what it was made from; and not
 * where somebody lacks a row, or two rows are said to be one. */
static void expect_tied(kan_run *run, const family *f, const node *truth) {
    static const size_t quasi[] = {1, 2, 3};
    kan_forest_table original[TABLES], tables[TABLES];
    kan_table *made[TABLES], *bare[TABLES];
    kan_forest origin, release;
    uint32_t rows[TABLES][ROWS], n_rows[TABLES] = {0};
    uint64_t room[TABLES][ROWS], *row_of[TABLES];
    bool holds;
    grow(run, f, truth, original, made, &origin);
    for (size_t t = 0; t < f->n_tables; t++) {
        for (uint32_t row = f->n_rows[t]; row-- > 0;)
            if (!truth->is_left[person_of(f, t, row)]) {
                room[t][n_rows[t]] = row;
                rows[t][n_rows[t]++] = row;
            }
        row_of[t] = room[t];
        bare[t] = make_bare(run, f, truth->levels, t, rows[t], n_rows[t]);
        tables[t] = original[t];
        tables[t].table = bare[t];
        tables[t].quasi = quasi;
        tables[t].n_quasi = f->n_columns[t];
    }
    EXPECT_OK(run, kan_forest_tie(run, tables, f->n_tables, &origin, row_of, &release, &holds));
    assert_true(holds);
    expect_groups(f, truth, &release, rows, n_rows);
    for (size_t t = 1; t < f->n_tables; t++)
        for (uint32_t i = 0; i < n_rows[t]; i++)
            assert_int_equal(room[f->parent[t]][release.parent_row[t][i]], f->above[t][rows[t][i]]);
    kan_forest_destroy(&release);
    for (size_t t = 0; t < f->n_tables; t++)
        if (n_rows[t] > 1) {
            const uint64_t before = room[t][0];
            room[t][0] = room[t][1];
            EXPECT_OK(run,
                      kan_forest_tie(run, tables, f->n_tables, &origin, row_of, &release, &holds));
            assert_false(holds);
            kan_forest_destroy(&release);
            room[t][0] = before;
        }
    kan_forest_destroy(&origin);
    for (size_t t = 0; t < f->n_tables; t++) {
        kan_table_destroy(made[t]);
        kan_table_destroy(bare[t]);
    }
}

/* The people of the smallest group that any row of a person is in. */
static uint64_t find_nearest(const family *f, const unsigned *levels, uint32_t person) {
    uint64_t fewest = UINT64_MAX;
    for (size_t t = 0; t < f->n_tables; t++)
        for (uint32_t row = 0; row < f->n_rows[t]; row++) {
            unsigned people = 0;
            if (person_of(f, t, row) != person)
                continue;
            for (uint32_t other = 0; other < f->n_rows[t]; other++)
                if (show_alike(f, levels, t, row, other))
                    people |= 1U << person_of(f, t, other);
            fewest = people_count(people) < fewest ? people_count(people) : fewest;
        }
    return fewest;
}

/* What `risk` tells, person by person. */
static void expect_risk(const family *f, const node *truth, const kan_forest *forest) {
    const uint32_t n = f->n_rows[0];
    uint64_t n_alone = 0, n_at_risk = 0, n_near_alone = 0, n_near_at_risk = 0, most = 0;
    double sum = 0, near_sum = 0;
    char *trees[PEOPLE];
    kan_risk_trees found;
    for (uint32_t p = 0; p < n; p++)
        trees[p] = write_tree(f, truth->levels, 0, p);
    for (uint32_t p = 0; p < n; p++) {
        const uint64_t near = find_nearest(f, truth->levels, p);
        uint64_t alike = 0;
        for (uint32_t q = 0; q < n; q++)
            alike += strcmp(trees[p], trees[q]) == 0;
        assert_true(near >= alike); /* whoever knows less finds more people */
        most = alike > most ? alike : most;
        n_alone += alike == 1;
        n_at_risk += alike < f->k;
        sum += 1.0 / (double)alike;
        n_near_alone += near == 1;
        n_near_at_risk += near < f->k;
        near_sum += 1.0 / (double)near;
    }
    assert_int_equal(kan_risk_trees_measure(forest, f->k, &found), KAN_OK);
    assert_int_equal(found.risk.n_rows, n);
    assert_int_equal(found.risk.n_groups, truth->n_trees);
    assert_int_equal(found.risk.smallest, truth->fewest);
    assert_int_equal(found.risk.largest, most);
    assert_int_equal(found.risk.n_unique, n_alone);
    assert_int_equal(found.risk.n_rows_at_risk, n_at_risk);
    assert_true(fabs(found.risk.average * n - sum) < 1e-9);
    assert_true(fabs((double)found.risk.n_groups - sum) < 1e-9);
    assert_int_equal(found.near_risk.n_rows, n);
    assert_int_equal(found.near_risk.n_unique, n_near_alone);
    assert_int_equal(found.near_risk.n_rows_at_risk, n_near_at_risk);
    assert_true(fabs(found.near_risk.average * n - near_sum) < 1e-9);
    n_measured++;
    n_between += n_alone > 0 && n_near_alone == 0;
    kan_risk_trees_destroy(&found);
    for (uint32_t p = 0; p < n; p++)
        free(trees[p]);
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
    expect_parts(run, f, truth, &forest);
    expect_risk(f, truth, &forest);
    kan_forest_destroy(&forest);
    for (size_t t = 0; t < f->n_tables; t++)
        kan_table_destroy(made[t]);
}

/* ---- the tests ------------------------------------------------------------------------------ */

static void one_family(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7919 + 3;
    static node nodes[NODES];
    static seen shown;
    static modelled models;
    static family f;
    kan_kin_folded folded;
    draw(&f, &random);
    const size_t n = try_all(&f, nodes);
    const node *best = find_best(&f, nodes, n);
    n_with_models += has_models(&f);
    expect_monotone(&f, nodes, n);
    show(&f, &shown);
    model(run, &f, &models);
    assert_int_equal(kan_kin_fold(run, &shown.kin, f.low, &folded), KAN_OK);
    const kan_trees_question plain = pose(run, &f, &models, &shown.kin, NULL);
    const kan_trees_question at_items = pose(run, &f, &models, &shown.kin, &folded);
    for (size_t i = 0; i < n; i++) {
        bool is_above = true;
        for (unsigned a = 0; a < f.n_attributes; a++)
            is_above = is_above && nodes[i].levels[a] >= f.low[a];
        expect_node(run, &plain, NULL, &f, &nodes[i]);
        if (is_above)
            expect_node(run, &at_items, folded.item_of[0], &f, &nodes[i]);
    }
    ask(run, &f, plain, UINT64_MAX, best);
    ask(run, &f, at_items, UINT64_MAX, best);
    ask(run, &f, at_items, 1 + below(&random, 6), best);
    expect_recount(run, &f, &nodes[below(&random, n)]);
    expect_tied(run, &f, &nodes[below(&random, n)]);
    kan_kin_parts_destroy(plain.parts);
    kan_kin_parts_destroy(at_items.parts);
    kan_kin_heads_destroy(plain.heads);
    kan_kin_heads_destroy(at_items.heads);
    kan_kin_folded_destroy(&folded);
    forget(&f, &models);
}

static void nobody_beats_the_best_of_all_nodes_and_sets_of_people(void **state) {
    (void)state;
    n_searched = n_found = n_broken = n_nodes_tried = n_leaving = 0;
    n_with_models = n_failing_models = n_coming_back = n_by_groups = 0;
    n_measured = n_between = 0;
    random_rounds(3000, one_family);
    print_message("%zu searches, %zu with an answer, %zu of these broken off; %zu nodes, %zu of "
                  "which leave some out\n",
                  n_searched, n_found, n_broken, n_nodes_tried, n_leaving);
    print_message("%zu families with models; %zu failed alone, %zu who stayed leave above; "
                  "%zu nodes by groups\n",
                  n_with_models, n_failing_models, n_coming_back, n_by_groups);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_broken > 100 && n_leaving > 1000 && n_searched - n_found > 1000);
    print_message("%zu risks, %zu in which somebody is alone by her tree and nobody by a row\n",
                  n_measured, n_between);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_measured == 3000 && n_between > 100);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_with_models > 500 && n_failing_models > 1000 && n_coming_back > 50 &&
                    n_by_groups > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nobody_beats_the_best_of_all_nodes_and_sets_of_people,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every node, and every set of people. See families.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/families.h"
#include "support/random_problem.h"

family_counts family_tried;

static int compare_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *family_write_tree(const family *f, const unsigned *levels, size_t t, uint32_t row) {
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
                children[n++] = family_write_tree(f, levels, below_t, i);
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
    char *tree = family_write_tree(f, levels, t, row);
    out[0] = '\0';
    if (t > 0)
        write_chain(f, levels, f->parent[t], f->above[t][row], out);
    assert_true(strlen(out) + strlen(tree) + 2 < (size_t)TABLES * TEXT);
    strcat(strcat(out, "/"), tree);
    free(tree);
}

/* Numbers of parts: of two rows the same where their chains are. */

void family_number_parts(const family *f, const unsigned *levels, bool all, family_parts *out) {
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
static bool parts_pass(const family *f, const family_parts *parts, unsigned set, uint32_t person) {
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
static void choose_classes(const family *f, char *const *trees, const family_parts *parts,
                           family_node *out) {
    const uint32_t n = f->n_rows[0];
    for (uint32_t p = 0; p < n; p++) {
        unsigned alike = 0;
        for (uint32_t q = 0; q < n; q++)
            alike |= strcmp(trees[p], trees[q]) == 0 ? 1U << q : 0;
        bool passes = people_count(alike) >= f->k;
        for (uint32_t q = 0; q < n && passes; q++)
            if (alike >> q & 1) {
                passes = parts_pass(f, parts, alike, q);
                family_tried.failing_models += !passes;
            }
        out->is_left[p] = !passes;
        out->n_left += !passes;
    }
}

/* With k and distinct l no set of people in which all is well has anybody else. */
static void expect_greatest(const family *f, char *const *trees, const family_parts *parts,
                            const family_node *found) {
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
static void choose_people(const family *f, char *const *trees, family_node *out) {
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

static void count_trees(const family *f, char *const *trees, family_node *out) {
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

bool family_show_alike(const family *f, const unsigned *levels, size_t t, uint32_t a, uint32_t b) {
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
            if (!(set >> family_person(f, t, row) & 1))
                continue;
            for (uint32_t other = 0; other < f->n_rows[t]; other++)
                if (family_show_alike(f, levels, t, row, other))
                    people |= 1U << family_person(f, t, other);
            if (people_count(people & set) < f->k)
                return false;
        }
    return true;
}

/* The largest set of people with which no group fails. */
static void choose_by_groups(const family *f, family_node *out) {
    const uint32_t n = f->n_rows[0];
    unsigned best = 0;
    for (unsigned set = 1; set < 1U << n; set++)
        if (people_count(set) > people_count(best) && groups_pass(f, out->levels, set))
            best = set;
    out->n_left = n - people_count(best);
    for (uint32_t p = 0; p < n; p++)
        out->is_left[p] = !(best >> p & 1);
    family_tried.by_groups++;
}

/* Every set of people is tried at the first family_node alone where models look at values: it takes long. */
static void choose(const family *f, char *const *trees, bool is_first, family_node *out) {
    family_parts parts;
    if (f->by_groups) {
        choose_by_groups(f, out);
        return;
    }
    if (!family_has_models(f)) {
        choose_people(f, trees, out);
        return;
    }
    family_number_parts(f, out->levels, false, &parts);
    choose_classes(f, trees, &parts, out);
    if (is_first && family_absorbs(f))
        expect_greatest(f, trees, &parts, out);
}

static void try_node(const family *f, bool is_first, family_node *out) {
    char *trees[PEOPLE];
    for (uint32_t p = 0; p < f->n_rows[0]; p++)
        trees[p] = family_write_tree(f, out->levels, 0, p);
    choose(f, trees, is_first, out);
    count_trees(f, trees, out);
    for (uint32_t p = 0; p < f->n_rows[0]; p++)
        free(trees[p]);
    for (size_t t = 0; t < f->n_tables; t++)
        for (uint32_t row = 0; row < f->n_rows[t]; row++)
            for (size_t c = 0; c < f->n_columns[t]; c++)
                out->cost +=
                    out->is_left[family_person(f, t, row)]
                        ? f->suppressed[t][c]
                        : f->price[t][c][out->levels[f->column[t][c]]][f->value[t][c][row]];
    family_tried.nodes++;
    family_tried.leaving += out->n_left > 0 && out->n_left < f->n_rows[0];
}

size_t family_try_all(const family *f, family_node *nodes) {
    size_t n = 0;
    unsigned levels[ATTRIBUTES] = {0};
    for (;;) {
        nodes[n] = (family_node){.n_left = 0};
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

static unsigned sum_of(const family *f, const family_node *v) {
    unsigned sum = 0;
    for (unsigned a = 0; a < f->n_attributes; a++)
        sum += v->levels[a];
    return sum;
}

/* Whether each table that has rows has one of somebody who stays. */
static bool keeps_all_tables(const family *f, const family_node *v) {
    for (size_t t = 0; t < f->n_tables; t++) {
        bool keeps = f->n_rows[t] == 0;
        for (uint32_t row = 0; row < f->n_rows[t] && !keeps; row++)
            keeps = !v->is_left[family_person(f, t, row)];
        if (!keeps)
            return false;
    }
    return true;
}

/* Nodes come in the lexicographic order of their levels. */
const family_node *family_find_best(const family *f, const family_node *nodes, size_t n) {
    const family_node *best = NULL;
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
void family_expect_monotone(const family *f, const family_node *nodes, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            bool is_above = true;
            for (unsigned a = 0; a < f->n_attributes; a++)
                is_above = is_above && nodes[j].levels[a] >= nodes[i].levels[a];
            for (uint32_t p = 0; is_above && p < f->n_rows[0]; p++) {
                family_tried.coming_back += !nodes[i].is_left[p] && nodes[j].is_left[p];
                assert_true(nodes[i].is_left[p] || !nodes[j].is_left[p] || !family_absorbs(f));
            }
        }
}

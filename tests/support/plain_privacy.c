/* Definitions to the letter: see plain_privacy.h. */
#include "support/plain_privacy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

enum { MOST_VALUES = 256 };

static void *allocate(size_t n, size_t size) {
    void *memory = calloc(n ? n : 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The values of a tail, in the order of numbers or of texts, with their rows in the table and in a
 * group. */
typedef struct plain_values {
    size_t n;
    bool is_number;
    const char *text[MOST_VALUES];
    long long whole[MOST_VALUES], here[MOST_VALUES];
    long long n_whole, n_here;
} values;

static bool is_number(const char *text) {
    char *end;
    (void)strtod(text, &end);
    return end != text && !*end;
}

static bool is_before(const values *v, const char *a, const char *b) {
    double x = strtod(a, NULL), y = strtod(b, NULL);
    if (v->is_number && (x < y || y < x))
        return x < y;
    return strcmp(a, b) < 0;
}

static size_t find_value(const values *v, const char *text) {
    size_t i = 0;
    while (i < v->n && strcmp(v->text[i], text) != 0)
        i++;
    return i;
}

static void collect(const plain_table *plain, unsigned tail, values *out) {
    const unsigned column = plain->n_attributes + tail;
    memset(out, 0, sizeof *out);
    out->is_number = true;
    out->n_whole = (long long)plain->n_rows;
    for (size_t row = 0; row < plain->n_rows; row++)
        out->is_number &= is_number(plain_cell(plain, row, column));
    for (size_t row = 0; row < plain->n_rows; row++) {
        const char *text = plain_cell(plain, row, column);
        size_t at = find_value(out, text);
        if (at == out->n) {
            assert_true(out->n < MOST_VALUES);
            out->n++;
            for (; at > 0 && is_before(out, text, out->text[at - 1]); at--) {
                out->text[at] = out->text[at - 1];
                out->whole[at] = out->whole[at - 1];
            }
            out->text[at] = text;
            out->whole[at] = 0;
        }
        out->whole[at]++;
    }
}

static void count_group(const plain_table *plain, unsigned tail, const oracle_group *group,
                        values *v) {
    memset(v->here, 0, sizeof v->here);
    v->n_here = (long long)group->n_rows;
    for (size_t i = 0; i < group->n_rows; i++)
        v->here[find_value(v, plain_cell(plain, group->rows[i], plain->n_attributes + tail))]++;
}

/* ---- alpha ---------------------------------------------------------------------------------- */

static bool is_rare(const plain_privacy *p, long long rows, long long all) {
    const long long a = (long long)p->alpha, parts = (long long)p->alpha_parts;
    long long most = a * all / parts;
    if (p->is_refined && a * all % parts != 0)
        most++;
    return rows <= most;
}

static bool is_named(const plain_privacy *p, const char *text) {
    for (size_t i = 0; i < p->n_named; i++)
        if (strcmp(p->named[i], text) == 0)
            return true;
    return p->n_named == 0;
}

static bool alpha_passes(const plain_privacy *p, const values *v) {
    long long together = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (!is_named(p, v->text[i]))
            continue;
        together += v->here[i];
        if (!p->is_combined && !is_rare(p, v->here[i], v->n_here))
            return false;
    }
    return !p->is_combined || is_rare(p, together, v->n_here);
}

/* ---- l -------------------------------------------------------------------------------------- */

static int compare_down(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return x > y ? -1 : x < y;
}

static bool l_passes(const plain_privacy *p, const values *v) {
    long long rows[MOST_VALUES];
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        if (v->here[i] > 0)
            rows[n++] = v->here[i];
    if (n * p->l_parts < p->l)
        return false;
    if (strcmp(p->l_kind, "entropy") == 0) {
        double entropy = 0;
        for (size_t i = 0; i < n; i++) {
            double share = (double)rows[i] / (double)v->n_here;
            entropy -= share * log(share);
        }
        return entropy >= log((double)p->l / (double)p->l_parts) - 1e-9;
    }
    if (strcmp(p->l_kind, "recursive") == 0) {
        long long rest = 0;
        qsort(rows, n, sizeof *rows, compare_down);
        for (size_t i = p->l - 1; i < n; i++)
            rest += rows[i];
        return rows[0] * (long long)p->c_parts < (long long)p->c * rest;
    }
    return true;
}

/* ---- t -------------------------------------------------------------------------------------- */

static const char *label_at(const plain_attribute *tree, const char *value, unsigned level) {
    for (size_t leaf = 0; leaf < tree->n_leaves; leaf++)
        if (strcmp(tree->leaves[leaf].at[0], value) == 0)
            return tree->leaves[leaf].at[level];
    fail_msg("the hierarchy lacks a value");
    return "";
}

/* Li, Li and Venkatasubramanian 5.2: what a node's children have too much and too little, matched
 * at the node; both in units of 1 / (rows of the group * rows of the table). */
static long long node_cost(const plain_attribute *tree, const values *v, unsigned level,
                           const char *label) {
    long long above = 0, below = 0;
    for (size_t i = 0; i < v->n; i++) {
        const char *child = label_at(tree, v->text[i], level - 1);
        bool is_first = strcmp(label_at(tree, v->text[i], level), label) == 0;
        for (size_t before = 0; before < i && is_first; before++)
            is_first = strcmp(label_at(tree, v->text[before], level - 1), child) != 0;
        if (!is_first)
            continue;
        long long extra = 0;
        for (size_t j = 0; j < v->n; j++)
            if (strcmp(label_at(tree, v->text[j], level - 1), child) == 0)
                extra += v->here[j] * v->n_whole - v->whole[j] * v->n_here;
        above += extra > 0 ? extra : 0;
        below += extra < 0 ? -extra : 0;
    }
    return level * (above < below ? above : below);
}

static long long tree_cost(const plain_attribute *tree, const values *v) {
    long long cost = 0;
    for (unsigned level = 1; level <= tree->height; level++)
        for (size_t i = 0; i < v->n; i++) {
            const char *label = label_at(tree, v->text[i], level);
            bool is_first = true;
            for (size_t before = 0; before < i; before++)
                is_first &= strcmp(label_at(tree, v->text[before], level), label) != 0;
            cost += is_first ? node_cost(tree, v, level, label) : 0;
        }
    return cost;
}

static plain_distance distance_of(const plain_privacy *p, unsigned tail, const values *v) {
    if (strcmp(p->t_distance, "auto") != 0)
        return p->t_distance[0] == 'e'   ? PLAIN_EQUAL
               : p->t_distance[0] == 'o' ? PLAIN_ORDERED
                                         : PLAIN_HIERARCHICAL;
    return p->trees[tail].n_leaves > 0 ? PLAIN_HIERARCHICAL
           : v->is_number              ? PLAIN_ORDERED
                                       : PLAIN_EQUAL;
}

static bool t_passes(const plain_privacy *p, unsigned tail, const values *v) {
    long long sum = 0, parts = 2, so_far = 0;
    switch (distance_of(p, tail, v)) {
    case PLAIN_EQUAL:
        for (size_t i = 0; i < v->n; i++)
            sum += llabs(v->here[i] * v->n_whole - v->whole[i] * v->n_here);
        break;
    case PLAIN_ORDERED:
        parts = 0;
        for (size_t i = 0; i < v->n; i++) {
            so_far += v->here[i] * v->n_whole - v->whole[i] * v->n_here;
            const bool is_last =
                i + 1 == v->n || strtod(v->text[i], NULL) < strtod(v->text[i + 1], NULL);
            sum += is_last ? llabs(so_far) : 0;
            parts += is_last;
        }
        parts = parts > 1 ? parts - 1 : 1;
        break;
    case PLAIN_HIERARCHICAL:
        sum = tree_cost(&p->trees[tail], v);
        parts = p->trees[tail].height;
        break;
    }
    return sum * (long long)p->t_parts <= (long long)p->t * parts * v->n_here * v->n_whole;
}

/* ---- delta and beta ------------------------------------------------------------------------- */

static bool delta_passes(const plain_privacy *p, const values *v) {
    for (size_t i = 0; i < v->n; i++) {
        const long double here = (long double)v->here[i] / (long double)v->n_here;
        const long double whole = (long double)v->whole[i] / (long double)v->n_whole;
        if (v->here[i] == 0 || !(fabsl(log2l(here / whole)) * (long double)p->delta_parts <
                                 (long double)p->delta - 1e-12L))
            return false;
    }
    return true;
}

static bool beta_passes(const plain_privacy *p, const values *v) {
    for (size_t i = 0; i < v->n; i++) {
        const long long gain = v->here[i] * v->n_whole - v->whole[i] * v->n_here;
        const long long unit = v->whole[i] * v->n_here;
        if (gain > 0 && gain * (long long)p->beta_parts > (long long)p->beta * unit)
            return false;
        if (gain > 0 && !p->is_basic &&
            (long double)gain / (long double)unit >
                -logl((long double)v->whole[i] / (long double)v->n_whole))
            return false;
    }
    return true;
}

/* ---- all of them ---------------------------------------------------------------------------- */

bool plain_is_sensitive(const plain_table *plain) {
    return plain->n_tails > (plain->class_tail == KAN_NO_TAIL ? 0 : 1);
}

/* The numbers of a column; all else is said once. */
static plain_privacy for_tail(const plain_privacy *all, unsigned tail) {
    plain_privacy out = *all;
    const plain_privacy *own = all->of_tail[tail] ? all->of_tail[tail] : all;
    out.alpha = own->alpha;
    out.alpha_parts = own->alpha_parts;
    out.l = own->l;
    out.l_parts = own->l_parts;
    out.l_kind = own->l_kind;
    out.c = own->c;
    out.c_parts = own->c_parts;
    out.t = own->t;
    out.t_parts = own->t_parts;
    out.delta = own->delta;
    out.delta_parts = own->delta_parts;
    out.beta = own->beta;
    out.beta_parts = own->beta_parts;
    out.is_basic = own->is_basic;
    return out;
}

bool plain_privacy_passes(const void *context, const oracle_group *group) {
    const plain_privacy *all = context;
    bool passes = group->n_rows >= all->k;
    for (unsigned t = 0; t < all->plain->n_tails && passes; t++) {
        const plain_privacy own = for_tail(all, t), *p = &own;
        values *v = &all->values[t];
        if ((int)t == all->plain->class_tail)
            continue;
        count_group(all->plain, t, group, v);
        passes = (p->alpha_parts == 0 || alpha_passes(p, v)) && (p->l == 0 || l_passes(p, v)) &&
                 (p->t_parts == 0 || t_passes(p, t, v)) &&
                 (p->delta_parts == 0 || delta_passes(p, v)) &&
                 (p->beta_parts == 0 || beta_passes(p, v));
    }
    return passes;
}

void plain_privacy_init(plain_privacy *privacy, const plain_table *plain) {
    memset(privacy, 0, sizeof *privacy);
    privacy->plain = plain;
    privacy->k = 1;
    privacy->l_kind = "distinct";
    privacy->l_parts = 1;
    privacy->t_distance = "auto";
    privacy->values = allocate(plain->n_tails, sizeof *privacy->values);
    for (unsigned t = 0; t < plain->n_tails; t++)
        collect(plain, t, &privacy->values[t]);
}

void plain_promise_k_alone(plain_privacy *privacy) {
    for (unsigned t = 0; t < ORACLE_TAILS; t++) {
        free(privacy->of_tail[t]);
        privacy->of_tail[t] = NULL;
    }
    privacy->alpha_parts = privacy->l = privacy->t_parts = 0;
    privacy->delta_parts = privacy->beta_parts = 0;
}

void plain_privacy_destroy(plain_privacy *privacy, test_problem *made) {
    for (unsigned t = 0; t < ORACLE_TAILS; t++) {
        free(privacy->trees[t].leaves);
        kan_hierarchy_destroy(privacy->bound[t]);
        if (made)
            made->problem.tail_trees[t] = NULL;
    }
    for (unsigned t = 0; t < ORACLE_TAILS; t++)
        free(privacy->of_tail[t]);
    free(privacy->values);
}

/* ---- at random ------------------------------------------------------------------------------ */

static void random_alpha(const plain_table *plain, uint64_t *random, plain_privacy *p) {
    p->alpha_parts = 20;
    p->alpha = 1 + kan_random_below(random, 20);
    p->is_refined = kan_random_below(random, 2);
    if (kan_random_below(random, 2))
        return;
    for (size_t n = 1 + (size_t)kan_random_below(random, PLAIN_NAMED); n-- > 0;) {
        const unsigned t = (unsigned)kan_random_below(random, plain->n_tails);
        const size_t row = (size_t)kan_random_below(random, plain->n_rows);
        const char *value = plain_cell(plain, row, plain->n_attributes + t);
        if ((int)t != plain->class_tail && (p->n_named == 0 || !is_named(p, value)))
            strcpy(p->named[p->n_named++], value);
    }
    p->is_combined = p->n_named > 0 && kan_random_below(random, 2);
}

/* A tree over the values of a tail, in a shuffled order, so that nodes are torn over the order of
 * values. */
static void random_tree(uint64_t *random, const values *v, plain_attribute *out) {
    *out = (plain_attribute){.height = 1 + (unsigned)kan_random_below(random, 3), .n_leaves = v->n};
    out->leaves = allocate(v->n, sizeof *out->leaves);
    for (size_t i = 0; i < v->n; i++) {
        size_t j = (size_t)kan_random_below(random, i + 1);
        if (j != i)
            strcpy(out->leaves[i].at[0], out->leaves[j].at[0]);
        strcpy(out->leaves[j].at[0], v->text[i]);
    }
    for (size_t i = 0; i < v->n; i++) {
        size_t node = i;
        for (unsigned level = 1; level <= out->height; level++) {
            node /= 2 + level % 2;
            if (level == out->height)
                strcpy(out->leaves[i].at[level], "*");
            else
                snprintf(out->leaves[i].at[level], PLAIN_LABEL, "node %u-%zu", level, node);
        }
    }
}

static void bind_tree(kan_run *run, const plain_attribute *tree, const kan_column *column,
                      kan_hierarchy **out) {
    kan_hierarchy_lines *lines;
    EXPECT_OK(run, kan_hierarchy_lines_create(run, "tree", &lines));
    for (size_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        kan_slice fields[PLAIN_LEVELS];
        for (unsigned level = 0; level <= tree->height; level++)
            fields[level] = kan_slice_of(tree->leaves[leaf].at[level]);
        EXPECT_OK(run, kan_hierarchy_lines_add(lines, leaf + 1, fields, tree->height + 1));
    }
    kan_problems_begin(run);
    kan_status status = kan_hierarchy_bind(lines, column, out);
    EXPECT_OK(run, kan_problems_end(run));
    EXPECT_OK(run, status);
    kan_hierarchy_lines_destroy(lines);
}

static void random_t(uint64_t *random, test_problem *made, plain_privacy *p) {
    const kan_space *space = &made->problem.space;
    p->t_parts = 20;
    p->t = kan_random_below(random, 21);
    p->t_distance = kan_random_below(random, 4) ? "auto" : "equal";
    for (unsigned t = 0; t < p->plain->n_tails; t++) {
        if ((int)t == p->plain->class_tail || kan_random_below(random, 2))
            continue;
        random_tree(random, &p->values[t], &p->trees[t]);
        bind_tree(made->run, &p->trees[t], space->dimensions[space->n_attributes + t].column,
                  &p->bound[t]);
        made->problem.tail_trees[t] = p->bound[t];
    }
}

/* Other numbers for each column; some columns lack some models, and one has all of them. */
static void random_columns(uint64_t *random, plain_privacy *p) {
    const plain_table *plain = p->plain;
    unsigned whole = (unsigned)kan_random_below(random, plain->n_tails);
    whole = (int)whole == plain->class_tail ? (whole + 1) % plain->n_tails : whole;
    for (unsigned t = 0; t < plain->n_tails; t++) {
        if ((int)t == plain->class_tail)
            continue;
        plain_privacy *own = p->of_tail[t] = allocate(1, sizeof *own);
        *own = *p;
        memset(own->of_tail, 0, sizeof own->of_tail);
        unsigned lacks = t == whole ? 0 : (unsigned)kan_random_below(random, 32);
        lacks &= p->n_named > 0 ? ~1U : ~0U; /* a value must be one of a column with alpha */
        own->alpha_parts = lacks & 1 ? 0 : own->alpha_parts;
        own->l = lacks & 2 ? 0 : own->l;
        own->t_parts = lacks & 4 ? 0 : own->t_parts;
        own->delta_parts = lacks & 8 ? 0 : own->delta_parts;
        own->beta_parts = lacks & 16 ? 0 : own->beta_parts;
        if (own->alpha_parts > 0 && kan_random_below(random, 2))
            own->alpha = 1 + kan_random_below(random, own->alpha_parts);
        if (own->l > 0 && kan_random_below(random, 2)) {
            own->l_kind = "distinct";
            own->l_parts = 1;
            own->l = 1 + kan_random_below(random, 3);
        }
        if (own->t_parts > 0 && kan_random_below(random, 2))
            own->t = kan_random_below(random, own->t_parts + 1);
        if (own->delta_parts > 0 && kan_random_below(random, 2))
            own->delta = 1 + kan_random_below(random, 16);
        if (own->beta_parts > 0 && kan_random_below(random, 2)) {
            own->beta = kan_random_below(random, 16);
            own->is_basic = !own->is_basic;
        }
    }
}

void random_privacy(const plain_table *plain, uint64_t *random, test_problem *made,
                    plain_privacy *out) {
    static const char *const kinds[] = {"distinct", "entropy", "recursive"};
    /* of five models; alone half of the time, for another one hides what one gets wrong */
    const unsigned which = kan_random_below(random, 2) ? 1 + (unsigned)kan_random_below(random, 31)
                                                       : 1u << kan_random_below(random, 5);
    plain_privacy_init(out, plain);
    if (kan_random_below(random, 2))
        out->k = 1 + kan_random_below(random, plain->n_rows < 4 ? plain->n_rows : 4);
    if (which & 1)
        random_alpha(plain, random, out);
    if (which & 2) {
        out->l = 1 + kan_random_below(random, 3);
        out->l_kind = kinds[kan_random_below(random, 3)];
        if (strcmp(out->l_kind, "entropy") == 0 && kan_random_below(random, 2)) {
            out->l_parts = 20;
            out->l = out->l_parts + kan_random_below(random, 2 * out->l_parts);
        }
        out->c = 1 + kan_random_below(random, 8);
        out->c_parts = 2;
    }
    if (which & 4)
        random_t(random, made, out);
    if (which & 8) {
        out->delta_parts = 4; /* a quarter of them whole numbers */
        out->delta = 1 + kan_random_below(random, 16);
    }
    if (which & 16) {
        out->beta_parts = 4;
        out->beta = kan_random_below(random, 16);
        out->is_basic = kan_random_below(random, 2);
    }
    if (kan_random_below(random, 4) == 0)
        random_columns(random, out);
}

void plain_privacy_one(const plain_table *plain, unsigned which, uint64_t *random,
                       test_problem *made, plain_privacy *out) {
    if (which == PLAIN_MODELS - 1) {
        random_privacy(plain, random, made, out);
        return;
    }
    plain_privacy_init(out, plain);
    out->k = 1 + kan_random_below(random, 3);
    out->k = out->k < plain->n_rows ? out->k : plain->n_rows;
    switch (which) {
    case 0: /* k alone */
        return;
    case 1: /* alpha, strict and refined */
    case 2:
        out->alpha = 6 + kan_random_below(random, 13);
        out->alpha_parts = 20;
        out->is_refined = which == 2;
        return;
    case 3:
    case 4:
    case 5: /* l */
        out->l = 2 + kan_random_below(random, 2);
        out->l_kind = which == 3 ? "distinct" : which == 4 ? "entropy" : "recursive";
        out->c = 1 + kan_random_below(random, 8);
        out->c_parts = 2;
        return;
    case 6: /* entropy of a decimal number */
        out->l = 11 + kan_random_below(random, 15);
        out->l_parts = 10;
        out->l_kind = "entropy";
        return;
    case 7:
        out->t = 1 + kan_random_below(random, 12);
        out->t_parts = 20;
        return;
    case 8:
        out->delta = 1 + kan_random_below(random, 30);
        out->delta_parts = 10;
        return;
    default: /* beta-likeness, both kinds */
        out->beta = 1 + kan_random_below(random, 30);
        out->beta_parts = 10;
        out->is_basic = which == 9;
    }
}

/* ---- as settings ---------------------------------------------------------------------------- */

static void add(kan_run *run, kan_options *options, const char *name, const char *value) {
    EXPECT_OK(run, kan_options_add(options, name, value));
}

static const char *decimal(uint64_t number, uint64_t parts, char *room) {
    assert_true(1000 % parts == 0);
    const unsigned long long units = (unsigned long long)(number * (1000 / parts));
    snprintf(room, 32, "%llu.%03llu", units / 1000, units % 1000);
    return room;
}

/* Where numbers are said: for one column, "column=value". */
typedef struct {
    kan_run *run;
    kan_options *options;
    const char *column; /* NULL: all */
} speech;

static void say(const speech *to, const char *name, const char *value) {
    char text[128];
    snprintf(text, sizeof text, "%s%s%s", to->column ? to->column : "", to->column ? "=" : "",
             value);
    add(to->run, to->options, name, text);
}

/* The numbers of one column, or of all. */
static void say_numbers(const plain_privacy *p, const speech *to) {
    char room[32];
    if (p->alpha_parts > 0)
        say(to, "alpha", decimal(p->alpha, p->alpha_parts, room));
    if (p->l > 0) {
        snprintf(room, sizeof room, "%llu", (unsigned long long)p->l);
        say(to, "l", p->l_parts > 1 ? decimal(p->l, p->l_parts, room) : room);
        say(to, "l-kind", p->l_kind);
        if (strcmp(p->l_kind, "recursive") == 0)
            say(to, "c", decimal(p->c, p->c_parts, room));
    }
    if (p->t_parts > 0) {
        say(to, "t", decimal(p->t, p->t_parts, room));
        say(to, "t-distance", p->t_distance);
    }
    if (p->delta_parts > 0)
        say(to, "delta-disclosure", decimal(p->delta, p->delta_parts, room));
    if (p->beta_parts > 0) {
        say(to, "beta", decimal(p->beta, p->beta_parts, room));
        if (p->is_basic)
            say(to, "beta-kind", "basic");
    }
}

/* What holds for all columns that have an alpha. */
static void say_values(const plain_privacy *p, kan_run *run, kan_options *options) {
    if (p->alpha_parts == 0)
        return;
    for (size_t i = 0; i < p->n_named; i++)
        add(run, options, "alpha-value", p->named[i]);
    if (p->is_combined)
        add(run, options, "alpha-combined", "true");
    if (p->is_refined)
        add(run, options, "refined", "true");
}

static bool has_columns(const plain_privacy *privacy) {
    for (unsigned t = 0; t < ORACLE_TAILS; t++)
        if (privacy->of_tail[t])
            return true;
    return false;
}

void plain_privacy_options(const plain_privacy *privacy, kan_run *run, const char *const *tails,
                           kan_options *options) {
    if (!has_columns(privacy))
        say_numbers(privacy, &(speech){run, options, NULL});
    for (unsigned t = 0; t < ORACLE_TAILS; t++)
        if (privacy->of_tail[t])
            say_numbers(privacy->of_tail[t], &(speech){run, options, tails[t]});
    say_values(privacy, run, options);
}

static void add_models(const plain_privacy *p, const test_problem *made, const kan_problem *problem,
                       kan_arena *arena, kan_options *options, kan_promise *promise) {
    const struct {
        const kan_privacy_kind *kind;
        uint64_t is_wanted;
    } models[] = {{&kan_privacy_alpha, p->alpha_parts},
                  {&kan_privacy_l_diversity, p->l},
                  {&kan_privacy_t_closeness, p->t_parts},
                  {&kan_privacy_delta_disclosure, p->delta_parts},
                  {&kan_privacy_beta_likeness, p->beta_parts}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (models[i].is_wanted > 0)
            EXPECT_OK(made->run,
                      kan_promise_add(promise, made->run, arena, models[i].kind, options, problem));
}

/* Each column by itself, where they have other numbers. */
void plain_privacy_promise(const plain_privacy *privacy, const test_problem *made, kan_arena *arena,
                           kan_options *options, kan_promise *promise) {
    if (!has_columns(privacy)) {
        plain_privacy_options(privacy, made->run, NULL, options);
        add_models(privacy, made, &made->problem, arena, options, promise);
    }
    for (unsigned t = 0; t < ORACLE_TAILS; t++) {
        kan_options own;
        kan_problem problem = made->problem;
        if (!privacy->of_tail[t])
            continue;
        problem.passed_over = ~(1U << t);
        kan_options_init(&own, arena);
        say_numbers(privacy->of_tail[t], &(speech){made->run, &own, NULL});
        say_values(privacy, made->run, &own);
        add_models(privacy->of_tail[t], made, &problem, arena, &own, promise);
        kan_options_destroy(&own);
    }
}

void plain_privacy_print(const plain_privacy *p) {
    print_message(
        "k %llu, alpha %llu/%llu%s%s with %zu named values, l %llu/%llu %s c %llu/%llu, t "
        "%llu/%llu %s, delta %llu/%llu, beta %llu/%llu %s\n",
        (unsigned long long)p->k, (unsigned long long)p->alpha, (unsigned long long)p->alpha_parts,
        p->is_refined ? " refined" : "", p->is_combined ? " combined" : "", p->n_named,
        (unsigned long long)p->l, (unsigned long long)p->l_parts, p->l_kind,
        (unsigned long long)p->c, (unsigned long long)p->c_parts, (unsigned long long)p->t,
        (unsigned long long)p->t_parts, p->t_distance, (unsigned long long)p->delta,
        (unsigned long long)p->delta_parts, (unsigned long long)p->beta,
        (unsigned long long)p->beta_parts, p->is_basic ? "basic" : "enhanced");
}

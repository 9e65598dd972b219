/* Labels of intervals on random columns: whoever reads them without knowing how they were written
 * finds exactly the values of the interval. Values are chosen to look like labels. Some are those
 * of suppressed rows: no label is made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "analyze/cover/relation.h"
#include "core/hash.h"
#include "recode/apply.h"
#include "support/random_problem.h"

enum { MOST_VALUES = 14, TEXT = 48 };

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_values;
    char values[MOST_VALUES][TEXT];
    kan_table *table;
    kan_hierarchy *hierarchy;
    kan_domain *domain;
    kan_shown shown;
    uint32_t cuts[MOST_VALUES];
    kan_recoding recoding;
    uint8_t is_released[MOST_VALUES];   /* by level-0 group */
    uint8_t is_suppressed[MOST_VALUES]; /* by row */
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- making --------------------------------------------------------------------------------- */

static void write_number(world *w, char *out) {
    static const char *const forms[] = {"%ld", "%ld", "%ld.5", "%ld.", "0%ld", "%lde1", "%lde-1"};
    const long number = (long)below(w, 40) - 15;
    if (below(w, 8) == 0)
        strcpy(out, below(w, 2) ? "?" : "");
    else if (below(w, 12) == 0)
        snprintf(out, TEXT, ".%zu", below(w, 10));
    else
        snprintf(out, TEXT, number < 0 ? "%ld" : forms[below(w, 7)], number);
}

static void write_date(world *w, char *out) {
    if (below(w, 8) == 0)
        strcpy(out, below(w, 2) ? "?" : "");
    else
        snprintf(out, TEXT, "20%02zu-%02zu-%02zu", below(w, 3), 1 + below(w, 12), 1 + below(w, 28));
}

static void write_text(world *w, char *out) {
    static const char *const pieces[] = {"a", "b", ",",   ", ",  "\"",     "{",
                                         "}", "[", "]",   "1-2", " ",      "..",
                                         "*", "?", "c\n", "n",   "{a, b}", "\"\""};
    /* lists of each other */
    static const char *const mirrors[] = {"a",      "b",      "{a, b}",         "{b, a}",
                                          "{a, c}", "{c, a}", "{\"a\", \"b\"}", "c"};
    size_t n = below(w, 4);
    out[0] = '\0';
    if (below(w, 2)) {
        strcpy(out, mirrors[below(w, 8)]);
        return;
    }
    for (size_t i = 0; i < n; i++)
        strcat(out, pieces[below(w, sizeof pieces / sizeof *pieces)]);
}

static bool is_new(const world *w, const char *value) {
    for (size_t i = 0; i < w->n_values; i++)
        if (strcmp(w->values[i], value) == 0)
            return false;
    return true;
}

static void make_table(world *w) {
    static const char *const names[] = {"place"};
    void (*const writers[])(world *, char *) = {write_number, write_date, write_text};
    void (*write)(world *, char *) = writers[below(w, 3)];
    const size_t n = 1 + below(w, MOST_VALUES);
    for (size_t i = 0; i < n; i++) {
        write(w, w->values[w->n_values]);
        w->n_values += is_new(w, w->values[w->n_values]);
    }
    EXPECT_OK(w->run, kan_table_create(w->run, 1, names, &w->table));
    for (size_t i = 0; i < w->n_values; i++) {
        const char *cell = w->values[i];
        EXPECT_OK(w->run, kan_table_add_row(w->table, &cell));
    }
    EXPECT_OK(w->run, kan_table_seal(w->table));
}

/* A tree over the values in a random order; neighbours share labels, some of which look like what
 * the labels of intervals look like. */
static void make_tree(world *w, const uint32_t *order) {
    const kan_dictionary *dictionary = &w->table->columns[0].dictionary;
    kan_hierarchy_lines *lines;
    size_t number = 0;
    char label[TEXT] = "";
    EXPECT_OK(w->run, kan_hierarchy_lines_create(w->run, "tree", &lines));
    for (uint32_t i = 0; i < dictionary->n; i++) {
        if (i == 0 || below(w, 2)) {
            number++;
            if (below(w, 6) == 0)
                snprintf(label, sizeof label, below(w, 2) ? "[%zu-%zu]" : "{a, b}%.0zu%.0zu",
                         number, number + 2);
            else
                snprintf(label, sizeof label, "node %zu", number);
            /* two nodes of one level would be one */
            snprintf(label + strlen(label), sizeof label - strlen(label), "%.*s",
                     (int)(number % 3 ? number : 0), "''''''''''''''");
        }
        kan_slice fields[] = {kan_dictionary_value(dictionary, order[i]), kan_slice_of(label),
                              kan_slice_of("*")};
        EXPECT_OK(w->run, kan_hierarchy_lines_add(lines, i + 1, fields, 3));
    }
    EXPECT_OK(w->run, kan_hierarchy_bind(lines, &w->table->columns[0], &w->hierarchy));
    kan_hierarchy_lines_destroy(lines);
}

static void make_domain(world *w) {
    static const char *const widths[] = {"1", "2", "5@0", "2.5@0", "0.5@1", "10@-3"};
    const kan_column *column = &w->table->columns[0];
    const bool is_number = column->dictionary.type == KAN_TYPE_NUMBER;
    const char *bins = is_number && below(w, 2) ? widths[below(w, 6)] : NULL;
    const bool has_tree = !bins && below(w, 2);
    uint32_t order[MOST_VALUES];
    bool agrees = true;
    for (uint32_t i = 0; i < column->dictionary.n; i++)
        order[i] = i;
    if (!bins && (column->dictionary.type == KAN_TYPE_TEXT || below(w, 3) == 0))
        for (uint32_t i = 0; i < column->dictionary.n; i++) {
            uint32_t j = (uint32_t)below(w, i + 1), kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
    if (has_tree)
        make_tree(w, order);
    else
        EXPECT_OK(w->run, kan_hierarchy_build(w->run, "suppress", column, &w->hierarchy));
    EXPECT_OK(w->run, kan_hierarchy_reorder(w->hierarchy, order, &agrees));
    assert_true(agrees || has_tree); /* a label that came twice may tear its node apart */
    EXPECT_OK(w->run, kan_domain_make(w->run, column, w->hierarchy, has_tree, bins, &w->domain));
}

static void make_cuts(world *w) {
    const size_t odds = 1 + below(w, 4);
    w->recoding = (kan_recoding){.type = KAN_RECODING_CUTS, .n_attributes = 1, .cuts = w->cuts};
    for (uint32_t place = 1; place < w->domain->n_places; place++)
        if (below(w, odds) == 0)
            w->cuts[w->recoding.first_cut[1]++] = place;
    EXPECT_OK(w->run, kan_shown_make(w->run, &w->recoding, 0, w->hierarchy, w->domain, &w->shown));
}

/* Rows have a value each: some of them are suppressed, in half of the columns. */
static void name_intervals(world *w) {
    const kan_column *column = &w->table->columns[0];
    const size_t odds = below(w, 2) ? 2 + below(w, 4) : 0;
    for (uint64_t row = 0; row < w->table->n_rows; row++) {
        w->is_suppressed[row] = odds && below(w, odds) == 0;
        w->is_released[w->hierarchy->leaf_of[kan_column_code(column, row)]] =
            !w->is_suppressed[row];
    }
    EXPECT_OK(w->run, kan_shown_name(&w->shown, w->domain, w->is_released));
}

/* ---- what must hold ------------------------------------------------------------------------- */

static bool is_label_of(const kan_hierarchy *h, uint32_t code, kan_slice label) {
    for (unsigned level = 0; level <= h->height; level++)
        if (kan_slice_equal(h->levels[level].label[h->levels[level].from_leaf[h->leaf_of[code]]],
                            label))
            return true;
    return false;
}

/* Two texts of one number: no range tells them apart. */
static bool has_twin(const world *w, uint32_t code, uint32_t interval) {
    const kan_dictionary *dictionary = &w->table->columns[0].dictionary;
    const kan_hierarchy *h = w->shown.hierarchy;
    double here, there;
    if (!kan_value_number(dictionary->type, kan_dictionary_value(dictionary, code), &here))
        return false;
    for (uint32_t other = 0; other < dictionary->n; other++)
        if (h->levels[1].from_leaf[h->leaf_of[other]] == interval &&
            kan_value_number(dictionary->type, kan_dictionary_value(dictionary, other), &there) &&
            here == there)
            return true;
    return false;
}

static bool has_released(const world *w, uint32_t interval) {
    for (uint32_t leaf = 0; leaf < w->hierarchy->n_codes; leaf++)
        if (w->is_released[leaf] && w->shown.hierarchy->levels[1].from_leaf[leaf] == interval)
            return true;
    return false;
}

/* ---- no value of suppressed rows ------------------------------------------------------------ */

/* Takes the next item of what stands between the braces of a list, quotes resolved; ranges are
 * items of their own. */
static size_t next_item(const char *text, size_t size, bool has_ranges, char *item) {
    size_t at = 0, n = 0;
    if (text[0] == '"') {
        for (at = 1; text[at] != '"' || (at + 1 < size && text[at + 1] == '"'); at++) {
            at += text[at] == '"';
            item[n++] = text[at];
        }
        at++;
    } else {
        const bool is_range = has_ranges && text[0] == '[';
        while (at < size &&
               (text[at] != ',' || (is_range && !memchr(text, ')', at) && !memchr(text, ']', at))))
            item[n++] = text[at++];
    }
    item[n] = '\0';
    while (at < size && (text[at] == ',' || text[at] == ' '))
        at++;
    return at;
}

/* Whether it is the range between two places of the interval that hold a released value. */
static bool is_released_range(const world *w, uint32_t interval, const char *text) {
    const kan_domain *d = w->domain;
    const uint32_t *interval_of = w->shown.hierarchy->levels[1].from_leaf;
    static const char *const forms[] = {"[%.*s-%.*s]", "[%.*s..%.*s]", "[%.*s, %.*s]",
                                        "[%.*s, %.*s)"};
    char range[2 * TEXT];
    for (uint32_t i = 0; i < w->hierarchy->n_codes; i++)
        for (uint32_t j = i; j < w->hierarchy->n_codes; j++) {
            if (!w->is_released[i] || !w->is_released[j] || interval_of[i] != interval ||
                interval_of[j] != interval)
                continue;
            const kan_slice lo = d->least[d->place_of[i]], hi = d->greatest[d->place_of[j]];
            for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
                snprintf(range, sizeof range, forms[f], (int)lo.size, lo.bytes, (int)hi.size,
                         hi.bytes);
                if (strcmp(range, text) == 0)
                    return true;
            }
        }
    return false;
}

static bool is_released_value(const world *w, uint32_t interval, const char *text) {
    uint32_t code;
    if (!kan_dictionary_find(&w->table->columns[0].dictionary, kan_slice_of(text), &code))
        return false;
    const uint32_t leaf = w->hierarchy->leaf_of[code];
    return w->is_released[leaf] && w->shown.hierarchy->levels[1].from_leaf[leaf] == interval;
}

/* A name of the tree above each released value of the interval. */
static bool is_node(const world *w, uint32_t interval, kan_slice label) {
    for (uint32_t leaf = 0; leaf < w->hierarchy->n_codes; leaf++)
        if (w->is_released[leaf] && w->shown.hierarchy->levels[1].from_leaf[leaf] == interval &&
            !is_label_of(w->hierarchy, w->hierarchy->code_of[leaf], label))
            return false;
    return w->domain->has_tree;
}

static void expect_nothing_hidden(const world *w) {
    const kan_level *level = &w->shown.hierarchy->levels[1];
    const bool has_ranges = w->table->columns[0].dictionary.type != KAN_TYPE_TEXT;
    for (uint32_t i = 0; i < level->n_groups; i++) {
        char text[2 * MOST_VALUES * TEXT], item[2 * MOST_VALUES * TEXT];
        snprintf(text, sizeof text, "%.*s", (int)level->label[i].size, level->label[i].bytes);
        if (strcmp(text, "*") == 0 || is_released_value(w, i, text) ||
            is_released_range(w, i, text) || is_node(w, i, level->label[i]))
            continue;
        size_t size = strlen(text), at = 1;
        if (size < 3 || text[0] != '{' || text[size - 1] != '}')
            fail_msg("<%s> is made of what no released row has", text);
        for (size--; size > 1 && text[size - 1] == ' ' && text[size - 2] == ' ';)
            size--;
        while (at < size) {
            at += next_item(text + at, size - at, has_ranges, item);
            if (!is_released_value(w, i, item) && !(has_ranges && is_released_range(w, i, item)))
                fail_msg("<%s> in <%s> is of no released row", item, text);
        }
    }
}

static void expect_exact(const world *w, const kan_relation *relation) {
    const kan_level *level = &w->shown.hierarchy->levels[1];
    const uint32_t *leaf_of = w->shown.hierarchy->leaf_of;
    for (uint32_t i = 0; i < level->n_groups; i++) {
        uint32_t released;
        if (!has_released(w, i)) {
            assert_true(kan_slice_is(level->label[i], "*"));
            continue;
        }
        assert_true(
            kan_dictionary_find(&relation->released->dictionary, level->label[i], &released));
        for (uint32_t code = 0; code < relation->original->dictionary.n; code++) {
            const bool is_held = level->from_leaf[leaf_of[code]] == i;
            if (!w->is_released[leaf_of[code]])
                continue; /* a range or a node may hold it, or not */
            if (kan_relation_covers(relation, released, code) == is_held)
                continue;
            /* a value that was kept may be the name of a node, and * may be a value */
            if (!is_held &&
                (kan_slice_is(level->label[i], "*") ||
                 is_label_of(w->hierarchy, code, level->label[i]) || has_twin(w, code, i)))
                continue;
            kan_slice value = kan_dictionary_value(&relation->original->dictionary, code);
            fail_msg("<%.*s> %s <%.*s>", (int)level->label[i].size, level->label[i].bytes,
                     is_held ? "does not hold" : "holds", (int)value.size, value.bytes);
        }
    }
}

static void expect_all_different(const world *w) {
    const kan_level *level = &w->shown.hierarchy->levels[1];
    for (uint32_t i = 0; i < level->n_groups; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_false(has_released(w, i) && has_released(w, j) &&
                         kan_slice_equal(level->label[i], level->label[j]));
}

static void one_column(kan_run *run, uint64_t seed) {
    static const size_t columns[] = {0};
    world w = {.run = run, .random = seed};
    kan_table *release;
    kan_relation relation;
    kan_problems_begin(run);
    make_table(&w);
    make_domain(&w);
    make_cuts(&w);
    name_intervals(&w);
    const kan_apply_source source = {w.table, columns, &w.shown, 1, w.is_suppressed};
    EXPECT_OK(run, kan_apply_shown(run, &source, &release));
    expect_all_different(&w);
    const kan_cover_pair pair = {0, 0, w.hierarchy};
    const kan_cover_question question = {.release = release,
                                         .original = w.table,
                                         .quasi = &pair,
                                         .n_quasi = 1,
                                         .reads_intervals = true,
                                         .needs_order = true};
    EXPECT_OK(run, kan_relation_init(&relation, run, &question, &pair, true));
    expect_exact(&w, &relation);
    expect_nothing_hidden(&w);
    kan_relation_destroy(&relation, run);
    kan_table_destroy(release);
    kan_shown_destroy(&w.shown);
    kan_domain_destroy(w.domain);
    kan_hierarchy_destroy(w.hierarchy);
    kan_table_destroy(w.table);
}

/* ---- cells ---------------------------------------------------------------------------------- */

enum { MOST_CELLS = 40 };

typedef struct {
    kan_cells cells;
    kan_cell list[MOST_CELLS];
    uint32_t set[MOST_CELLS * MOST_VALUES];
} random_cells;

/* Cells of one type that overlap as they like. */
static void make_cells(world *w, random_cells *r) {
    const uint32_t n_leaves = w->hierarchy->n_codes;
    uint32_t n_set = 0;
    r->cells = (kan_cells){(kan_cell_type)below(w, 3), 1 + (uint32_t)below(w, MOST_CELLS), r->list,
                           r->set, NULL};
    for (uint32_t i = 0; i < r->cells.n; i++) {
        const unsigned level = (unsigned)below(w, w->hierarchy->height + 1);
        uint32_t a = (uint32_t)below(w, n_leaves), b = (uint32_t)below(w, n_leaves);
        r->list[i] = a < b ? (kan_cell){a, b} : (kan_cell){b, a};
        if (r->cells.type == KAN_CELL_NODE)
            r->list[i] =
                (kan_cell){level, (uint32_t)below(w, w->hierarchy->levels[level].n_groups)};
        if (r->cells.type != KAN_CELL_SET)
            continue;
        r->list[i].a = n_set;
        for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
            if (below(w, 3) == 0)
                r->set[n_set++] = leaf;
        if (n_set == r->list[i].a)
            r->set[n_set++] = a;
        r->list[i].b = n_set;
    }
}

/* Whether the cell holds the code: with bins, whether it holds one of the same bin. */
static bool cell_holds(const world *w, const random_cells *r, uint32_t cell, uint32_t code) {
    const uint32_t leaf = w->hierarchy->leaf_of[code];
    const uint32_t *place_of = w->domain->place_of;
    bool holds = kan_cell_holds(&r->cells, cell, w->hierarchy, leaf), is_interval = true;
    if (!w->domain->has_bins || holds)
        return holds;
    /* a set with gaps is a list of values, and knows no bins */
    for (uint32_t i = r->list[cell].a; r->cells.type == KAN_CELL_SET && i + 1 < r->list[cell].b;
         i++)
        is_interval &= r->set[i] + 1 == r->set[i + 1];
    for (uint32_t other = 0; is_interval && other < w->hierarchy->n_codes; other++)
        holds |= place_of[other] == place_of[leaf] &&
                 kan_cell_holds(&r->cells, cell, w->hierarchy, other);
    return holds;
}

static bool is_twin(const world *w, const random_cells *r, uint32_t cell, uint32_t code) {
    const kan_dictionary *dictionary = &w->table->columns[0].dictionary;
    double here, there;
    if (!kan_value_number(dictionary->type, kan_dictionary_value(dictionary, code), &here))
        return false;
    for (uint32_t other = 0; other < dictionary->n; other++)
        if (cell_holds(w, r, cell, other) &&
            kan_value_number(dictionary->type, kan_dictionary_value(dictionary, other), &there) &&
            here == there)
            return true;
    return false;
}

static uint32_t count_held(const world *w, const random_cells *r, uint32_t cell) {
    uint32_t n = 0;
    for (uint32_t code = 0; code < w->hierarchy->n_codes; code++)
        n += cell_holds(w, r, cell, code);
    return n;
}

/* Numbers in an order of their own are listed; a list is not a range, and holds nothing else. */
static void expect_cells(const world *w, const random_cells *r, const kan_cell_names *names,
                         const kan_relation *relation) {
    for (uint32_t i = 0; i < r->cells.n; i++) {
        uint32_t released;
        const kan_slice label = names->label[i];
        assert_true(kan_dictionary_find(&relation->released->dictionary, label, &released));
        for (uint32_t code = 0; code < w->hierarchy->n_codes; code++) {
            const bool is_held = cell_holds(w, r, i, code);
            if (kan_relation_covers(relation, released, code) == is_held)
                continue;
            /* a value that was kept may be the name of a node, and * may be a value */
            if (!is_held && ((kan_slice_is(label, "*") && count_held(w, r, i) == 1) ||
                             (is_label_of(w->hierarchy, code, label) && count_held(w, r, i) == 1) ||
                             is_twin(w, r, i, code)))
                continue;
            kan_slice value = kan_dictionary_value(&relation->original->dictionary, code);
            fail_msg("<%.*s> %s <%.*s>", (int)label.size, label.bytes,
                     is_held ? "does not hold" : "holds", (int)value.size, value.bytes);
        }
        /* who is shown alike holds the same, and is told to be so */
        for (uint32_t other = 0; other < i; other++) {
            const bool is_same = kan_slice_equal(names->label[other], label);
            assert_int_equal(names->shown[i] == names->shown[other], is_same);
            for (uint32_t code = 0; is_same && code < w->hierarchy->n_codes; code++)
                assert_int_equal(cell_holds(w, r, i, code), cell_holds(w, r, other, code));
        }
        assert_true(names->share[i] >= 0 && names->share[i] <= 1);
        assert_true(names->node_level[i] <= w->hierarchy->height);
    }
}

static void one_column_of_cells(kan_run *run, uint64_t seed) {
    world w = {.run = run, .random = seed};
    random_cells r;
    kan_cell_names names;
    kan_table *release;
    kan_relation relation;
    uint32_t codes[MOST_CELLS];
    kan_problems_begin(run);
    make_table(&w);
    make_domain(&w);
    make_cells(&w, &r);
    EXPECT_OK(run, kan_cell_names_make(run, &r.cells, w.domain, &names));
    for (uint32_t i = 0; i < r.cells.n; i++)
        codes[i] = i;
    const kan_group_column column = {"place", names.label, r.cells.n, codes};
    EXPECT_OK(run, kan_apply_groups(run, &column, 1, codes, NULL, r.cells.n, &release));
    const kan_cover_pair pair = {0, 0, w.hierarchy};
    const kan_cover_question question = {.release = release,
                                         .original = w.table,
                                         .quasi = &pair,
                                         .n_quasi = 1,
                                         .reads_intervals = true};
    EXPECT_OK(run, kan_relation_init(&relation, run, &question, &pair, true));
    expect_cells(&w, &r, &names, &relation);
    kan_relation_destroy(&relation, run);
    kan_table_destroy(release);
    kan_cell_names_destroy(&names);
    kan_domain_destroy(w.domain);
    kan_hierarchy_destroy(w.hierarchy);
    kan_table_destroy(w.table);
}

static void labels_of_cells_hold_exactly_their_values(void **state) {
    (void)state;
    random_rounds(4000, one_column_of_cells);
}

static void labels_hold_exactly_the_values_of_their_interval(void **state) {
    (void)state;
    random_rounds(4000, one_column);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(labels_hold_exactly_the_values_of_their_interval,
                                  random_tear_down),
        cmocka_unit_test_teardown(labels_of_cells_hold_exactly_their_values, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

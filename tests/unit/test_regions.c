/* recode/regions.h: what cells hold, what they are called, and how much they cover. */
#include <math.h>

#include "hierarchy_column.h"
#include "recode/regions.h"

typedef struct {
    kan_type type;
    const char *const *values;
    const char *tree; /* lines with semicolons between fields; NULL: none */
    const char *bins;
    kan_cell_type cell_type;
    uint32_t n;
    const kan_cell *cells;
    const uint32_t *set, *unknown;
} example;

typedef struct {
    kan_run *run;
    kan_column column;
    kan_hierarchy *hierarchy;
    kan_domain *domain;
    kan_cells cells;
} scene;

static void scene_begin(scene *s, const example *e) {
    *s = (scene){.run = kan_run_create(), .column = column_of(e->type, e->values)};
    kan_problems_begin(s->run);
    if (e->tree)
        bind_tree(s->run, &s->column, e->tree, &s->hierarchy);
    else
        assert_int_equal(kan_hierarchy_build(s->run, "suppress", &s->column, &s->hierarchy),
                         KAN_OK);
    if (kan_domain_make(s->run, &s->column, s->hierarchy, e->tree != NULL, e->bins, &s->domain) !=
        KAN_OK)
        fail_msg("%s", kan_run_error(s->run));
    s->cells = (kan_cells){e->cell_type, e->n, (kan_cell *)(uintptr_t)e->cells,
                           (uint32_t *)(uintptr_t)e->set, (uint32_t *)(uintptr_t)e->unknown};
}

static void scene_end(scene *s) {
    kan_domain_destroy(s->domain);
    kan_hierarchy_destroy(s->hierarchy);
    column_destroy(&s->column);
    kan_run_destroy(s->run);
}

/* The labels of all cells, a bar between them; shares as percent, and levels. */
static void expect(example e, const char *labels, const char *numbers) {
    scene s;
    kan_cell_names names;
    char text[4096] = "", measured[1024] = "";
    scene_begin(&s, &e);
    if (kan_cell_names_make(s.run, &s.cells, s.domain, &names) != KAN_OK)
        fail_msg("%s", kan_run_error(s.run));
    for (uint32_t i = 0; i < e.n; i++) {
        size_t used = strlen(text), also = strlen(measured);
        snprintf(text + used, sizeof text - used, "%s%.*s", i ? "|" : "", (int)names.label[i].size,
                 names.label[i].bytes);
        snprintf(measured + also, sizeof measured - also, "%s%.0f:%u", i ? " " : "",
                 100 * names.share[i], names.node_level[i]);
    }
    assert_string_equal(text, labels);
    if (numbers)
        assert_string_equal(measured, numbers);
    kan_cell_names_destroy(&names);
    scene_end(&s);
}

#define NUMBERS(...) .type = KAN_TYPE_NUMBER, .values = VALUES(__VA_ARGS__)
#define TEXTS(...)   .type = KAN_TYPE_TEXT, .values = VALUES(__VA_ARGS__)
#define CELLS(...)                                                                                 \
    .n = sizeof((kan_cell[]){__VA_ARGS__}) / sizeof(kan_cell), .cells = (kan_cell[]) {             \
        __VA_ARGS__                                                                                \
    }
#define RANGES(...) .cell_type = KAN_CELL_RANGE, CELLS(__VA_ARGS__)
#define NODES(...)  .cell_type = KAN_CELL_NODE, CELLS(__VA_ARGS__)
#define SETS(...)   .cell_type = KAN_CELL_SET, CELLS(__VA_ARGS__)
#define OF(...)                                                                                    \
    .set = (uint32_t[]) {                                                                          \
        __VA_ARGS__                                                                                \
    }

static void ranges_of_numbers_show_their_bounds(void **state) {
    (void)state;
    expect((example){NUMBERS("17", "18", "24", "27"), RANGES({0, 2}, {1, 2}, {1, 1}, {0, 3})},
           "[17-24]|[18-24]|18|*", "70:1 60:1 0:0 100:1");
    expect((example){NUMBERS("-5", "0", "15"), RANGES({0, 1}, {1, 2})}, "[-5..0]|[0-15]",
           "25:1 75:1");
}

static void unknown_values_stand_before_the_range_of_the_others(void **state) {
    (void)state;
    expect((example){NUMBERS("", "?", "17", "24", "30"), RANGES({1, 3}, {0, 1}, {1, 1}, {1, 2})},
           "{?, [17-24]}|{\"\", ?}|?|{?, 17}", NULL);
}

static void sets_are_lists_unless_they_are_all(void **state) {
    (void)state;
    expect((example){TEXTS("a", "b", "c, d", "e", "f"), SETS({0, 2}, {2, 4}, {4, 5}, {5, 10}),
                     OF(0, 2, 1, 2, 3, 0, 1, 2, 3, 4)},
           "{a, \"c, d\"}|{b, \"c, d\"}|e|*", "25:1 25:1 0:0 100:1");
}

static const char tree[] = "a;one;*\nb;one;*\nc;two;*\nd;two;*\ne;two;*\nf;three;*\n";

static void a_set_of_all_values_of_a_node_has_its_name(void **state) {
    (void)state;
    /* the data lacks d */
    expect((example){TEXTS("a", "b", "c", "e", "f"), .tree = tree,
                     SETS({0, 2}, {2, 4}, {4, 6}, {6, 7}, {7, 12}),
                     OF(0, 1, 2, 3, 1, 2, 4, 0, 1, 2, 3, 4)},
           "one|two|{b, c}|f|*", "20:1 40:1 20:2 0:0 100:2");
    expect((example){TEXTS("a", "b", "c", "e", "f"), .tree = tree, RANGES({0, 1}, {1, 2}, {0, 4})},
           "one|{b, c}|*", "20:1 20:2 100:2");
}

static void nodes_have_their_label(void **state) {
    (void)state;
    expect((example){TEXTS("a", "b", "c", "e", "f"), .tree = tree,
                     NODES({0, 1}, {1, 0}, {1, 1}, {1, 2}, {2, 0})},
           "b|one|two|three|*", "0:0 20:1 40:1 0:1 100:2");
}

/* A star that is not all would be taken for all. */
static void a_node_that_is_called_star_and_is_not_all_is_a_list(void **state) {
    (void)state;
    static const char odd[] = "a;*;all\nb;*;all\nc;x;all\nd;x;all\n";
    expect((example){TEXTS("a", "b", "c", "d"), .tree = odd, NODES({1, 0}, {1, 1}, {2, 0})},
           "{a, b}|x|all", "33:1 33:1 100:2");
}

static void a_name_that_means_two_things_is_not_used(void **state) {
    (void)state;
    /* `x` is c alone as a value, and both c and d as a node; `y` is one node at two levels */
    static const char twice[] = "a;y;y;*\nb;y;y;*\nx;x;q;*\nz;x;q;*\n";
    expect((example){TEXTS("a", "b", "x", "z"), .tree = twice,
                     NODES({0, 2}, {1, 1}, {1, 0}, {2, 0}, {2, 1})},
           "x|q|y|y|q", "0:0 33:1 33:1 33:1 33:2");
}

/* Where rows are left out: has_leaf and is_used as texts of 0 and 1. */
static void expect_released(example e, const char *has_leaf, const char *is_used,
                            const char *labels, const char *numbers) {
    scene s;
    kan_cell_names names;
    char text[1024] = "", measured[256] = "";
    uint8_t leaves[16] = {0}, cells[16] = {0};
    for (size_t i = 0; has_leaf[i]; i++)
        leaves[i] = has_leaf[i] == '1';
    for (size_t i = 0; is_used[i]; i++)
        cells[i] = is_used[i] == '1';
    scene_begin(&s, &e);
    if (kan_cell_names_make_released(s.run, &s.cells, s.domain, leaves, cells, &names) != KAN_OK)
        fail_msg("%s", kan_run_error(s.run));
    for (uint32_t i = 0; i < e.n; i++) {
        size_t used = strlen(text), also = strlen(measured);
        snprintf(text + used, sizeof text - used, "%s%.*s", i ? "|" : "", (int)names.label[i].size,
                 names.label[i].bytes);
        snprintf(measured + also, sizeof measured - also, "%s%u:%u", i ? " " : "", names.shown[i],
                 names.node_level[i]);
    }
    assert_string_equal(text, labels);
    assert_string_equal(measured, numbers);
    kan_cell_names_destroy(&names);
    scene_end(&s);
}

static void values_that_only_rows_left_out_have_are_in_no_name(void **state) {
    (void)state;
    static const char odd[] = "a;*;all\nb;*;all\nc;*;all\nd;x;all\ne;x;all\n";
    /* all of them: the list has every value */
    expect_released((example){TEXTS("a", "b", "c", "d", "e"), .tree = odd, NODES({1, 0}, {1, 1})},
                    "11111", "11", "{a, b, c}|x", "0:1 1:1");
    /* nobody who is released has b */
    expect_released((example){TEXTS("a", "b", "c", "d", "e"), .tree = odd, NODES({1, 0}, {1, 1})},
                    "10111", "11", "{a, c}|x", "0:1 1:1");
    /* ranges end where released values do */
    static const char by_ten[] = "1;*;all\n5;*;all\n9;*;all\n12;x;all\n17;x;all\n";
    expect_released(
        (example){NUMBERS("1", "5", "9", "12", "17"), .tree = by_ten, NODES({1, 0}, {1, 1})},
        "11011", "11", "[1-5]|x", "0:1 1:1");
    /* what is left of a node without a name may be one value: all its rows have it */
    expect_released(
        (example){TEXTS("a", "b", "c", "d", "e"), .tree = odd, NODES({1, 0}, {0, 0}, {1, 1})},
        "10011", "111", "a|a|x", "0:0 0:0 2:1");
    /* a node has its label whoever is left out */
    expect_released((example){TEXTS("a", "b", "c", "d", "e"), .tree = odd, NODES({2, 0}, {1, 1})},
                    "10010", "11", "all|x", "0:2 1:1");
}

static void cells_of_rows_left_out_alone_have_no_name(void **state) {
    (void)state;
    expect_released((example){TEXTS("a", "b", "c", "e", "f"), .tree = tree,
                              NODES({0, 1}, {1, 1}, {1, 0}, {2, 0}, {0, 4})},
                    "10111", "01010", "*|two|*|*|*", "0:2 1:1 2:2 3:2 4:2");
}

static void ranges_and_lists_end_where_released_rows_do(void **state) {
    (void)state;
    /* nobody who is released has 3, or b */
    expect_released((example){NUMBERS("1", "2", "3", "4"), RANGES({0, 2}, {0, 3}, {3, 3})}, "1101",
                    "111", "[1-2]|*|4", "0:1 1:1 2:0");
    expect_released((example){TEXTS("a", "b", "c", "e", "f"), .tree = tree,
                              SETS({0, 1}, {1, 3}, {3, 5}), OF(0, 2, 3, 0, 2)},
                    "10111", "111", "a|two|{a, c}", "0:0 1:1 2:2");
    /* unknown values: what only others have divides nothing */
    expect_released((example){NUMBERS("", "?", "17", "24", "30"), RANGES({2, 3}, {2, 4}, {3, 4}),
                              .unknown = (uint32_t[]){2, 2, 2}},
                    "01111", "111", "{?, [17-24]}|*|{?, [24-30]}", "0:1 1:1 2:1");
    expect_released(
        (example){NUMBERS("", "?", "17", "24", "30"), RANGES({2, 4}), .unknown = (uint32_t[]){2}},
        "11111", "1", "{?, [17-30]}", "0:1");
}

static void what_is_shown_alike_is_one(void **state) {
    (void)state;
    scene s;
    kan_cell_names names;
    example e = {NUMBERS("1", "2", "3", "4", "5", "6"), .bins = "2@1",
                 RANGES({0, 2}, {1, 3}, {2, 4}, {0, 3})};
    scene_begin(&s, &e);
    assert_int_equal(kan_cell_names_make(s.run, &s.cells, s.domain, &names), KAN_OK);
    assert_true(kan_slice_is(names.label[1], "[1-4]"));
    assert_int_equal(names.shown[0], 0);
    assert_int_equal(names.shown[1], 0);
    assert_int_equal(names.shown[2], 2);
    assert_int_equal(names.shown[3], 0);
    kan_cell_names_destroy(&names);
    scene_end(&s);
}

/* Somebody's value is *: it is shown, so that all the others cannot be. */
static void a_star_among_the_values_is_a_value(void **state) {
    (void)state;
    expect((example){TEXTS("*", "a", "b"), RANGES({0, 0}, {0, 2}, {1, 2})}, "*|{*, a, b}|{a, b}",
           NULL);
}

static void values_that_look_like_labels_are_not_mistaken(void **state) {
    (void)state;
    expect((example){TEXTS("a", "b", "c", "{a, c}"), SETS({0, 2}, {2, 3}), OF(0, 2, 3)},
           "{\"a\", \"c\"}|{a, c}", NULL);
}

static void what_is_no_cell_is_refused(void **state) {
    (void)state;
    const example wrong[] = {
        {NUMBERS("1", "2"), RANGES({0, 2})},       {NUMBERS("1", "2"), RANGES({1, 0})},
        {TEXTS("a", "b"), SETS({0, 2}), OF(1, 0)}, {TEXTS("a", "b"), SETS({0, 0}), OF(0)},
        {TEXTS("a", "b"), SETS({0, 1}), OF(2)},    {TEXTS("a", "b"), NODES({2, 0})},
        {TEXTS("a", "b"), NODES({0, 2})},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        scene s;
        kan_cell_names names;
        scene_begin(&s, &wrong[i]);
        assert_int_equal(kan_cell_names_make(s.run, &s.cells, s.domain, &names), KAN_FAILED);
        assert_error_has(s.run, "not a cell");
        scene_end(&s);
    }
}

static void cells_hold_their_values(void **state) {
    (void)state;
    scene s;
    const kan_cell range[] = {{1, 2}}, node[] = {{1, 1}}, set[] = {{1, 4}};
    const uint32_t leaves[] = {4, 0, 2, 3};
    example e = {TEXTS("a", "b", "c", "e", "f"), .tree = tree, RANGES({0, 1})};
    scene_begin(&s, &e);
    const kan_cells kinds[] = {
        {KAN_CELL_RANGE, 1, (kan_cell *)(uintptr_t)range, NULL, NULL},
        {KAN_CELL_NODE, 1, (kan_cell *)(uintptr_t)node, NULL, NULL},
        {KAN_CELL_SET, 1, (kan_cell *)(uintptr_t)set, (uint32_t *)(uintptr_t)leaves, NULL}};
    const char *const expected[] = {".xx..", "..xx.", "x.xx."};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t leaf = 0; leaf < 5; leaf++)
            assert_int_equal(kan_cell_holds(&kinds[i], 0, s.hierarchy, leaf),
                             expected[i][leaf] == 'x');
    scene_end(&s);
}

/* As many cells as there are regions, all of them different. */
static void many_cells_are_named_in_no_time(void **state) {
    (void)state;
    enum { N_VALUES = 600, N_CELLS = 150000 };
    static char texts[N_VALUES][8];
    static const char *values[N_VALUES + 1];
    static kan_cell cells[N_CELLS];
    uint32_t n = 0;
    scene s;
    kan_cell_names names;
    for (int i = 0; i < N_VALUES; i++) {
        snprintf(texts[i], sizeof texts[i], "%d", i);
        values[i] = texts[i];
    }
    for (uint32_t a = 0; a < N_VALUES; a++)
        for (uint32_t b = a; b < N_VALUES && n < N_CELLS; b++)
            cells[n++] = (kan_cell){a, b};
    example e = {.type = KAN_TYPE_NUMBER, .values = values, .n = n, .cells = cells};
    scene_begin(&s, &e);
    assert_int_equal(kan_cell_names_make(s.run, &s.cells, s.domain, &names), KAN_OK);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(names.shown[i], i);
    assert_true(kan_slice_is(names.label[1], "[0-1]"));
    kan_cell_names_destroy(&names);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_numbers_show_their_bounds),
        cmocka_unit_test(unknown_values_stand_before_the_range_of_the_others),
        cmocka_unit_test(sets_are_lists_unless_they_are_all),
        cmocka_unit_test(a_set_of_all_values_of_a_node_has_its_name),
        cmocka_unit_test(nodes_have_their_label),
        cmocka_unit_test(a_node_that_is_called_star_and_is_not_all_is_a_list),
        cmocka_unit_test(a_name_that_means_two_things_is_not_used),
        cmocka_unit_test(values_that_only_rows_left_out_have_are_in_no_name),
        cmocka_unit_test(cells_of_rows_left_out_alone_have_no_name),
        cmocka_unit_test(ranges_and_lists_end_where_released_rows_do),
        cmocka_unit_test(what_is_shown_alike_is_one),
        cmocka_unit_test(a_star_among_the_values_is_a_value),
        cmocka_unit_test(values_that_look_like_labels_are_not_mistaken),
        cmocka_unit_test(what_is_no_cell_is_refused),
        cmocka_unit_test(cells_hold_their_values),
        cmocka_unit_test(many_cells_are_named_in_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* report/partition_picture.h and what it is made of: rectangles of what groups show, and nothing in
 * the picture that the release does not say. */
#include <math.h>

#include "hierarchy_column.h"
#include "report/axis_ticks.h"
#include "report/partition_picture.h"
#include "report/svg.h"

/* A column with its cells. */
typedef struct {
    kan_column column;
    kan_hierarchy *hierarchy;
    kan_domain *domain;
    kan_cells cells;
    kan_cell_names names;
} part;

typedef struct {
    kan_type type;
    const char *const *values;
    const char *tree; /* lines with semicolons between fields; NULL: none */
    const char *bins;
    kan_cell_type cell_type;
    uint32_t n_cells;
    kan_cell cells[8];
    uint32_t set[16];
} sample;

/* The sample is borrowed. */
static void part_begin(kan_run *run, part *p, sample *from) {
    *p = (part){.column = column_of(from->type, from->values)};
    kan_problems_begin(run);
    if (from->tree)
        bind_tree(run, &p->column, from->tree, &p->hierarchy);
    else
        assert_int_equal(kan_hierarchy_build(run, "suppress", &p->column, &p->hierarchy), KAN_OK);
    if (kan_domain_make(run, &p->column, p->hierarchy, from->tree != NULL, from->bins,
                        &p->domain) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    p->cells = (kan_cells){from->cell_type, from->n_cells, from->cells, from->set, NULL};
    if (kan_cell_names_make(run, &p->cells, p->domain, &p->names) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
}

static void part_end(part *p) {
    kan_cell_names_destroy(&p->names);
    kan_domain_destroy(p->domain);
    kan_hierarchy_destroy(p->hierarchy);
    column_destroy(&p->column);
}

/* ---- axes ----------------------------------------------------------------------------------- */

static void expect_spans(const kan_partition_axis *axis, uint32_t cell, size_t n,
                         const double *bounds) {
    assert_int_equal(axis->first_span[cell + 1] - axis->first_span[cell], n);
    for (size_t i = 0; i < n; i++) {
        const kan_axis_span *span = &axis->spans[axis->first_span[cell] + i];
        if (fabs(span->from - bounds[2 * i]) > 1e-9 || fabs(span->to - bounds[2 * i + 1]) > 1e-9)
            fail_msg("cell %u, span %zu: %g to %g, not %g to %g", cell, i, span->from, span->to,
                     bounds[2 * i], bounds[2 * i + 1]);
    }
}

#define EXPECT_SPANS(axis, cell, n, ...) expect_spans(axis, cell, n, (double[]){__VA_ARGS__})

static bool has_tick(const kan_partition_axis *axis, const char *label) {
    for (size_t i = 0; i < axis->n_ticks; i++)
        if (kan_slice_is(axis->ticks[i].label, label))
            return true;
    return false;
}

static void numbers_lie_to_scale_and_a_value_is_as_wide_as_a_unit(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    part p;
    kan_partition_axis axis;
    sample ages = {.type = KAN_TYPE_NUMBER,
                   .values = VALUES("20", "22", "29", "39"),
                   .n_cells = 3,
                   .cells = {{0, 1}, {2, 2}, {3, 3}}};
    part_begin(run, &p, &ages);
    assert_int_equal(kan_partition_axis_make(run, p.domain, &p.cells, &p.names, &axis), KAN_OK);
    assert_true(axis.is_scale);
    EXPECT_SPANS(&axis, 0, 1, 0, 3.0 / 20);
    EXPECT_SPANS(&axis, 1, 1, 9.0 / 20, 10.0 / 20);
    EXPECT_SPANS(&axis, 2, 1, 19.0 / 20, 1);
    assert_true(has_tick(&axis, "25") && !has_tick(&axis, "40"));
    kan_partition_axis_destroy(&axis);
    part_end(&p);
    kan_run_destroy(run);
}

static void numbers_of_any_size_have_a_place_on_the_axis(void **state) {
    static const char *const columns[][5] = {{"99999999999999999999"},
                                             {"-1.7e308", "-5", "1.7e308"},
                                             {"?", "1e300"},
                                             {"?", "-1.7e308", "0", "1.7e308"},
                                             {"1700000000000000", "1700000000000001"}};
    (void)state;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        kan_run *run = kan_run_create();
        part p;
        kan_partition_axis axis;
        uint32_t n = 0;
        sample numbers = {.type = KAN_TYPE_NUMBER, .values = columns[i]};
        while (columns[i][n])
            n++;
        for (uint32_t cell = 0; cell < n; cell++) /* from the first, and each alone */
            numbers.cells[cell] = cell % 2 == 0 ? (kan_cell){0, cell} : (kan_cell){cell, cell};
        numbers.n_cells = n;
        part_begin(run, &p, &numbers);
        assert_int_equal(kan_partition_axis_make(run, p.domain, &p.cells, &p.names, &axis), KAN_OK);
        for (size_t s = 0; s < axis.first_span[n]; s++)
            if (!(axis.spans[s].from >= 0 && axis.spans[s].from < axis.spans[s].to &&
                  axis.spans[s].to <= 1))
                fail_msg("column %zu, span %zu: %g to %g", i, s, axis.spans[s].from,
                         axis.spans[s].to);
        for (size_t t = 0; t < axis.n_ticks; t++)
            assert_true(axis.ticks[t].at >= 0 && axis.ticks[t].at <= 1);
        kan_partition_axis_destroy(&axis);
        part_end(&p);
        kan_run_destroy(run);
    }
}

/* The release says `young`, and not that the youngest is 20. */
static void a_bound_that_no_label_names_has_no_place_on_the_scale(void **state) {
    (void)state;
    static const char tree[] = "20;young;*\n22;young;*\n60;old;*\n61;old;*\n95;old;*\n";
    kan_run *run = kan_run_create();
    part p;
    kan_partition_axis axis[2];
    sample ages[2] = {{.type = KAN_TYPE_NUMBER,
                       .values = VALUES("20", "22", "60", "61", "95"),
                       .tree = tree,
                       .n_cells = 2,
                       .cells = {{0, 1}, {2, 4}}},
                      {.type = KAN_TYPE_NUMBER,
                       .values = VALUES("21", "22", "60", "61", "99"),
                       .tree = "21;young;*\n22;young;*\n60;old;*\n61;old;*\n99;old;*\n",
                       .n_cells = 2,
                       .cells = {{0, 1}, {2, 4}}}};
    for (int i = 0; i < 2; i++) {
        part_begin(run, &p, &ages[i]);
        assert_true(kan_slice_is(p.names.label[1], "old"));
        assert_int_equal(kan_partition_axis_make(run, p.domain, &p.cells, &p.names, &axis[i]),
                         KAN_OK);
        assert_int_equal(axis[i].n_ticks, 0);
        part_end(&p);
    }
    for (uint32_t cell = 0; cell < 2; cell++) /* other numbers, the same picture */
        EXPECT_SPANS(&axis[1], cell, 1, axis[0].spans[cell].from, axis[0].spans[cell].to);
    EXPECT_SPANS(&axis[0], 0, 1, 0, 0.5);
    for (int i = 0; i < 2; i++)
        kan_partition_axis_destroy(&axis[i]);
    /* Beside a range it begins where that ends, and ends somewhere behind. */
    ages[0].cells[0] = (kan_cell){0, 2};
    ages[0].cells[1] = (kan_cell){2, 4};
    part_begin(run, &p, &ages[0]);
    assert_true(kan_slice_is(p.names.label[0], "[20-60]"));
    assert_int_equal(kan_partition_axis_make(run, p.domain, &p.cells, &p.names, &axis[0]), KAN_OK);
    assert_true(axis[0].spans[1].from < axis[0].spans[0].to && axis[0].spans[1].to == 1);
    assert_true(!has_tick(&axis[0], "95") && !has_tick(&axis[0], "80"));
    kan_partition_axis_destroy(&axis[0]);
    part_end(&p);
    kan_run_destroy(run);
}

static void unknown_numbers_stand_beside_the_scale(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    part p;
    kan_partition_axis axis;
    sample ages = {.type = KAN_TYPE_NUMBER,
                   .values = VALUES("?", "20", "22", "29"),
                   .n_cells = 2,
                   .cells = {{0, 1}, {2, 3}}};
    part_begin(run, &p, &ages);
    assert_int_equal(kan_partition_axis_make(run, p.domain, &p.cells, &p.names, &axis), KAN_OK);
    assert_int_equal(axis.first_span[1], 2);
    assert_true(axis.spans[0].to < axis.spans[1].from);
    assert_true(axis.spans[1].to < axis.spans[2].from);
    assert_true(has_tick(&axis, "unknown"));
    kan_partition_axis_destroy(&axis);
    part_end(&p);
    kan_run_destroy(run);
}

static void bins_touch_at_their_bounds(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    part p;
    kan_partition_axis axis;
    sample prices = {.type = KAN_TYPE_NUMBER,
                     .values = VALUES("1.5", "2", "3.5", "5"),
                     .bins = "2.5@0",
                     .n_cells = 2,
                     .cells = {{0, 1}, {2, 3}}};
    part_begin(run, &p, &prices);
    assert_true(kan_slice_is(p.names.label[0], "[0, 2.5)"));
    assert_int_equal(kan_partition_axis_make(run, p.domain, &p.cells, &p.names, &axis), KAN_OK);
    EXPECT_SPANS(&axis, 0, 1, 0, 1.0 / 3);
    EXPECT_SPANS(&axis, 1, 1, 1.0 / 3, 1);
    kan_partition_axis_destroy(&axis);
    part_end(&p);
    kan_run_destroy(run);
}

static void values_that_are_no_neighbours_are_several_spans(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    part p;
    kan_partition_axis axis;
    sample jobs = {.values = VALUES("a", "b", "c", "d"),
                   .cell_type = KAN_CELL_SET,
                   .n_cells = 2,
                   .cells = {{0, 3}, {3, 4}},
                   .set = {0, 1, 3, 2}};
    part_begin(run, &p, &jobs);
    assert_int_equal(kan_partition_axis_make(run, p.domain, &p.cells, &p.names, &axis), KAN_OK);
    assert_false(axis.is_scale);
    EXPECT_SPANS(&axis, 0, 2, 0, 0.5, 0.75, 1);
    EXPECT_SPANS(&axis, 1, 1, 0.5, 0.75);
    assert_int_equal(axis.n_ticks, 4);
    kan_partition_axis_destroy(&axis);
    part_end(&p);
    kan_run_destroy(run);
}

/* Nobody learns from the picture which countries of the north the data has, nor how many. */
static void values_that_only_a_node_stands_for_are_one_step_without_their_names(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    part p;
    kan_partition_axis axis;
    sample places = {.values = VALUES("bonn", "kiel", "oslo", "ulm"),
                     .tree = "kiel;north;*\noslo;north;*\nbonn;south;*\nulm;south;*\n",
                     .cell_type = KAN_CELL_NODE,
                     .n_cells = 3,
                     .cells = {{1, 0}, {0, 2}, {1, 1}}};
    part_begin(run, &p, &places);
    assert_int_equal(kan_partition_axis_make(run, p.domain, &p.cells, &p.names, &axis), KAN_OK);
    assert_int_equal(axis.n_steps, 3); /* north, bonn, the rest of the south */
    EXPECT_SPANS(&axis, 0, 1, 0, 1.0 / 3);
    EXPECT_SPANS(&axis, 1, 1, 1.0 / 3, 2.0 / 3);
    EXPECT_SPANS(&axis, 2, 1, 1.0 / 3, 1);
    assert_true(has_tick(&axis, "north") && has_tick(&axis, "bonn"));
    assert_false(has_tick(&axis, "kiel") || has_tick(&axis, "oslo") || has_tick(&axis, "ulm"));
    assert_int_equal(axis.n_ticks, 2);
    kan_partition_axis_destroy(&axis);
    part_end(&p);
    kan_run_destroy(run);
}

static void dates_have_ticks_at_years_and_months(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_arena arena;
    kan_axis_tick ticks[KAN_AXIS_MOST_TICKS];
    kan_arena_init(&arena, run);
    static const struct {
        kan_date from, to;
        const char *first;
    } cases[] = {{{1990, 3, 1}, {2010, 3, 1}, "1995"},
                 {{2003, 1, 5}, {2003, 6, 30}, "2003-02"},
                 {{2003, 1, 5}, {2003, 1, 9}, "2003-01-05"},
                 {{1960, 5, 5}, {1969, 1, 9}, "1962"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = 0;
        const double lo = kan_date_days(cases[i].from), hi = kan_date_days(cases[i].to);
        const kan_axis_scale scale = {lo - 0.5, hi + 0.5, lo, hi, 1, true};
        assert_int_equal(kan_axis_ticks(&arena, &scale, ticks, &n), KAN_OK);
        assert_in_range(n, 2, KAN_AXIS_MOST_TICKS);
        if (!kan_slice_is(ticks[0].label, cases[i].first))
            fail_msg("%.*s is the first tick, not %s", (int)ticks[0].label.size,
                     ticks[0].label.bytes, cases[i].first);
        for (size_t t = 0; t < n; t++)
            assert_true(ticks[t].at > (t ? ticks[t - 1].at : 0) && ticks[t].at < 1);
    }
    kan_arena_destroy(&arena);
    kan_run_destroy(run);
}

/* ---- pictures ------------------------------------------------------------------------------- */

static char *draw(kan_run *run, const part *parts, uint32_t cells[2][8], size_t n_groups,
                  unsigned n_quasi) {
    const uint64_t n_rows[8] = {2, 3, 4, 5, 6, 7, 8, 9};
    kan_partition_picture picture = {.n_quasi = n_quasi, .n_groups = n_groups, .n_rows = n_rows};
    kan_text text;
    kan_text_init(&text, run);
    for (int i = 0; i < 2; i++)
        picture.columns[i] = (kan_picture_column){.name = i ? "<job> & rank" : "age",
                                                  .domain = parts[i].domain,
                                                  .cells = &parts[i].cells,
                                                  .names = &parts[i].names,
                                                  .cell_of = cells[i]};
    assert_int_equal(kan_partition_picture_print(run, &picture, &text), KAN_OK);
    char *copy = strdup(text.bytes);
    assert_non_null(copy);
    kan_text_destroy(&text);
    return copy;
}

static size_t count(const char *text, const char *of) {
    size_t n = 0;
    for (const char *at = strstr(text, of); at; at = strstr(at + strlen(of), of))
        n++;
    return n;
}

static void groups_that_look_the_same_are_one_figure_and_large_ones_come_first(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    part parts[2];
    sample ages = {.type = KAN_TYPE_NUMBER,
                   .values = VALUES("20", "22", "29", "39"),
                   .n_cells = 2,
                   .cells = {{2, 3}, {0, 3}}},
           jobs = {.values = VALUES("a", "b", "secret", "z"),
                   .tree = "a;1;*\nb;1;*\nsecret;2;*\nz;2;*\n",
                   .cell_type = KAN_CELL_NODE,
                   .n_cells = 2,
                   .cells = {{1, 0}, {1, 1}}};
    uint32_t cells[2][8] = {{0, 1, 0, 0}, {0, 0, 0, 1}};
    part_begin(run, &parts[0], &ages);
    part_begin(run, &parts[1], &jobs);
    char *text = draw(run, parts, cells, 4, 3);
    assert_int_equal(count(text, "<path class=\"g s0 d0"), 3);
    assert_non_null(strstr(text, "14 rows in 4 groups of at least 2 rows; 3 different figures"));
    assert_non_null(strstr(text, "Groups differ in 1 more column"));
    assert_non_null(strstr(text, "&lt;job&gt; &amp; rank"));
    assert_null(strstr(text, "secret")); /* the release says 2 */
    /* The whole width is drawn before its right half. */
    const char *first = strstr(text, "<path class=\"g "), *second = strstr(first + 1, "<path");
    const char *wide = strchr(strstr(first, " d="), 'h'),
               *narrow = strchr(strstr(second, " d="), 'h');
    assert_true(strtod(wide + 1, NULL) > strtod(narrow + 1, NULL));
    free(text);
    for (int i = 0; i < 2; i++)
        part_end(&parts[i]);
    kan_run_destroy(run);
}

static void a_group_of_several_rectangles_has_a_look_of_its_own(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    part parts[2];
    sample ages = {.type = KAN_TYPE_NUMBER,
                   .values = VALUES("20", "22"),
                   .n_cells = 1,
                   .cells = {{0, 1}}},
           jobs = {.values = VALUES("a", "b", "c", "d", "e"),
                   .cell_type = KAN_CELL_SET,
                   .n_cells = 2,
                   .cells = {{0, 3}, {3, 5}},
                   .set = {0, 2, 4, 1, 3}};
    uint32_t cells[2][8] = {{0, 0}, {0, 1}};
    part_begin(run, &parts[0], &ages);
    part_begin(run, &parts[1], &jobs);
    char *text = draw(run, parts, cells, 2, 2);
    assert_int_equal(count(text, "<path class=\"g s1 d1"), 1);
    assert_int_equal(count(text, "<path class=\"g s2 d2"), 1);
    const char *figure = strstr(text, "<path class=\"g s1 d1");
    size_t n_pieces = 0;
    for (const char *at = figure; *at != '>'; at++)
        n_pieces += *at == 'M';
    assert_int_equal(n_pieces, 3);
    free(text);
    for (int i = 0; i < 2; i++)
        part_end(&parts[i]);
    kan_run_destroy(run);
}

/* Thousands of values on a few hundred pixels. */
static void what_is_finer_than_half_a_pixel_is_merged(void **state) {
    (void)state;
    enum { N = 4000 };
    kan_run *run = kan_run_create();
    part p;
    static char names[N][8];
    static const char *values[N + 1];
    static kan_cell cells[N];
    static uint32_t cell_of[N];
    static uint64_t n_rows[N];
    for (uint32_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%u", 10000 + i);
        values[i] = names[i];
        cells[i] = (kan_cell){i, i};
        cell_of[i] = i;
        n_rows[i] = 2;
    }
    sample numbers = {.type = KAN_TYPE_NUMBER, .values = values, .n_cells = 1, .cells = {{0, 0}}};
    part_begin(run, &p, &numbers);
    kan_cell_names_destroy(&p.names);
    p.cells = (kan_cells){KAN_CELL_RANGE, N, cells, NULL, NULL};
    assert_int_equal(kan_cell_names_make(run, &p.cells, p.domain, &p.names), KAN_OK);
    const kan_picture_column column = {"n", p.domain, &p.cells, &p.names, cell_of};
    const kan_partition_picture picture = {{column, column}, 2, N, n_rows};
    kan_text text;
    kan_text_init(&text, run);
    assert_int_equal(kan_partition_picture_print(run, &picture, &text), KAN_OK);
    const size_t n_drawn = count(text.bytes, "<path class=\"g ");
    assert_true(n_drawn >= 500 && n_drawn < N);
    assert_non_null(strstr(text.bytes, "8,000 rows in 4,000 groups"));
    kan_text_destroy(&text);
    part_end(&p);
    kan_run_destroy(run);
}

/* ---- text ----------------------------------------------------------------------------------- */

static void text_becomes_xml_whatever_its_bytes(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    static const struct {
        const char *bytes, *expected;
    } cases[] = {{"a<b>&\"c", "a&lt;b&gt;&amp;&quot;c"},
                 {"\xff\x01z", "??z"},
                 {"K\xc3\xb6ln", "K\xc3\xb6ln"},
                 {"\xef\xbf\xbf", "?"},
                 {"\xed\xa0\x80", "???"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kan_text text;
        kan_text_init(&text, run);
        kan_svg_escape(&text, cases[i].bytes, strlen(cases[i].bytes));
        assert_string_equal(text.bytes, cases[i].expected);
        kan_text_destroy(&text);
    }
    kan_text text;
    kan_text_init(&text, run);
    kan_svg_cut_element(&text, "[", kan_slice_of("K\xc3\xb6lner Dom"), 6, "]");
    kan_svg_cut_element(&text, "[", kan_slice_of("K\xc3\xb6ln"), 4, "]");
    assert_string_equal(text.bytes, "[K\xc3\xb6lne\xe2\x80\xa6][K\xc3\xb6ln]");
    kan_text_destroy(&text);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_lie_to_scale_and_a_value_is_as_wide_as_a_unit),
        cmocka_unit_test(numbers_of_any_size_have_a_place_on_the_axis),
        cmocka_unit_test(a_bound_that_no_label_names_has_no_place_on_the_scale),
        cmocka_unit_test(unknown_numbers_stand_beside_the_scale),
        cmocka_unit_test(bins_touch_at_their_bounds),
        cmocka_unit_test(values_that_are_no_neighbours_are_several_spans),
        cmocka_unit_test(values_that_only_a_node_stands_for_are_one_step_without_their_names),
        cmocka_unit_test(dates_have_ticks_at_years_and_months),
        cmocka_unit_test(groups_that_look_the_same_are_one_figure_and_large_ones_come_first),
        cmocka_unit_test(a_group_of_several_rectangles_has_a_look_of_its_own),
        cmocka_unit_test(what_is_finer_than_half_a_pixel_is_merged),
        cmocka_unit_test(text_becomes_xml_whatever_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* recode/recoding.h: what a recoding by cuts shows, and how much of the domain that covers. */
#include <math.h>

#include "hierarchy_column.h"
#include "recode/apply.h"

typedef struct {
    kan_type type;
    const char *const *values;
    const char *tree; /* lines with semicolons between fields; NULL: none */
    const char *bins;
    uint32_t cuts[8];          /* 0 behind the last */
    const char *const *hidden; /* values that only suppressed rows have; NULL: none */
} example;

typedef struct {
    kan_run *run;
    kan_column column;
    kan_hierarchy *hierarchy;
    kan_domain *domain;
    kan_shown shown;
} scene;

/* All but the hidden values are released. */
static void name_intervals(scene *s, const char *const *hidden) {
    uint8_t is_released[64];
    uint32_t code;
    assert_in_range(s->hierarchy->n_codes, 1, sizeof is_released);
    memset(is_released, 1, sizeof is_released);
    for (; hidden && *hidden; hidden++) {
        assert_true(kan_dictionary_find(&s->column.dictionary, kan_slice_of(*hidden), &code));
        is_released[s->hierarchy->leaf_of[code]] = 0;
    }
    if (kan_shown_name(&s->shown, s->domain, is_released) != KAN_OK)
        fail_msg("%s", kan_run_error(s->run));
}

static void scene_begin(scene *s, const example *e) {
    kan_recoding recoding = {.type = KAN_RECODING_CUTS, .n_attributes = 1};
    uint32_t cuts[8];
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
    memcpy(cuts, e->cuts, sizeof cuts);
    while (cuts[recoding.first_cut[1]])
        recoding.first_cut[1]++;
    recoding.cuts = cuts;
    if (kan_shown_make(s->run, &recoding, 0, s->hierarchy, s->domain, &s->shown) != KAN_OK)
        fail_msg("%s", kan_run_error(s->run));
    name_intervals(s, e->hidden);
    assert_int_equal(s->shown.level, 1);
    assert_int_equal(s->shown.hierarchy->levels[1].n_groups, recoding.first_cut[1] + 1);
}

static void scene_end(scene *s) {
    kan_shown_destroy(&s->shown);
    kan_domain_destroy(s->domain);
    kan_hierarchy_destroy(s->hierarchy);
    column_destroy(&s->column);
    kan_run_destroy(s->run);
}

/* The labels of all intervals, a bar between them. */
static void expect_labels(example e, const char *expected) {
    scene s;
    char text[4096] = "";
    scene_begin(&s, &e);
    const kan_level *level = &s.shown.hierarchy->levels[1];
    for (uint32_t i = 0; i < level->n_groups; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%.*s", i ? "|" : "", (int)level->label[i].size,
                 level->label[i].bytes);
    }
    assert_string_equal(text, expected);
    scene_end(&s);
}

#define NUMBERS(...) .type = KAN_TYPE_NUMBER, .values = VALUES(__VA_ARGS__)
#define TEXTS(...)   .type = KAN_TYPE_TEXT, .values = VALUES(__VA_ARGS__)
#define DATES(...)   .type = KAN_TYPE_DATE, .values = VALUES(__VA_ARGS__)

static void numbers_are_shown_as_ranges(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("17", "18", "24", "25"), .cuts = {3}}, "[17-24]|25");
    expect_labels((example){NUMBERS("0.5", "1.25", "3", "1e2"), .cuts = {2}}, "[0.5-1.25]|[3-1e2]");
}

static void bounds_with_a_hyphen_have_points_between_them(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("-10", "-3", "-1", "0", "4"), .cuts = {3}}, "[-10..-1]|[0-4]");
    expect_labels((example){NUMBERS("-1", "0", "7", "8"), .cuts = {2}}, "[-1..0]|[7-8]");
    expect_labels((example){NUMBERS("1e-5", "2", "7", "8"), .cuts = {2}}, "[1e-5..2]|[7-8]");
    expect_labels((example){DATES("2003-01-09", "2003-02-01", "2004-01-01"), .cuts = {2}},
                  "[2003-01-09..2003-02-01]|2004-01-01");
}

static void bounds_that_points_would_run_into_have_a_comma_between_them(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("-1.", ".5", "2", "3"), .cuts = {2}}, "[-1., .5]|[2-3]");
    expect_labels((example){NUMBERS("-.5", "0", ".25", "2", "3"), .cuts = {3}}, "[-.5, .25]|[2-3]");
    expect_labels((example){NUMBERS("?", "-1.", "0", "2"), .cuts = {3}}, "{?, [-1., 0]}|2");
}

/* A list would name values that need not be named. */
static void a_point_at_an_end_of_a_bound_is_no_reason_to_list_what_lies_between(void **state) {
    (void)state;
    expect_labels((example){NUMBERS(".5", "1", "2.", "3", "9"), .cuts = {3}}, "[.5-2.]|[3-9]");
    expect_labels((example){NUMBERS("-.5", "1", "2.", "3", "9"), .cuts = {3}}, "[-.5..2.]|[3-9]");
}

static void a_value_alone_is_shown_as_it_is(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("07", "7", "9"), .cuts = {1, 2}}, "07|7|9");
    expect_labels((example){TEXTS("", "*", "[1-2]", "{a, b}"), .cuts = {1, 2, 3}},
                  "|*|[1-2]|{a, b}");
}

static void the_whole_domain_is_a_star(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("1", "2", "3"), .cuts = {0}}, "*");
    expect_labels((example){TEXTS("a", "b"), .cuts = {0}}, "*");
    expect_labels((example){NUMBERS("1", "2", "9"), .bins = "5"}, "*");
}

static void a_domain_of_one_value_keeps_it(void **state) {
    (void)state;
    expect_labels((example){TEXTS("a"), .cuts = {0}}, "a");
}

static void unknown_values_are_listed_with_the_range(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("", "?", "3", "4", "9"), .cuts = {4}}, "{\"\", ?, [3-4]}|9");
    expect_labels((example){NUMBERS("", "?", "3", "4", "9"), .cuts = {2}}, "{\"\", ?}|[3-9]");
    expect_labels((example){NUMBERS("?", "3", "4", "9"), .cuts = {2}}, "{?, 3}|[4-9]");
    expect_labels((example){NUMBERS("?", "3", "4", "9"), .cuts = {1}}, "?|[3-9]");
    expect_labels((example){DATES("?", "2003-01-09", "2003-02-01", "2004-01-01"), .cuts = {3}},
                  "{?, [2003-01-09..2003-02-01]}|2004-01-01");
}

static void text_is_listed(void **state) {
    (void)state;
    expect_labels((example){TEXTS("a", "b", "c", "d"), .cuts = {3}}, "{a, b, c}|d");
}

static void what_a_list_could_be_mistaken_for_stands_in_quotes(void **state) {
    (void)state;
    expect_labels((example){TEXTS("", " a", "b ", "c, d", "e"), .cuts = {4}},
                  "{\"\", \" a\", \"b \", \"c, d\"}|e");
    expect_labels((example){TEXTS("5\" pipe", "[1-2]", "a}", "x", "y"), .cuts = {3}},
                  "{\"5\"\" pipe\", \"[1-2]\", \"a}\"}|{x, y}");
}

static void a_label_that_is_a_value_of_the_data_is_not_used(void **state) {
    (void)state;
    expect_labels((example){TEXTS("a", "b", "{a, b}"), .cuts = {2}}, "{\"a\", \"b\"}|{a, b}");
    expect_labels((example){TEXTS("a", "b", "{\"a\", \"b\"}", "{a, b}"), .cuts = {2}},
                  "{\"a\", \"b\" }|{\"{\"\"a\"\", \"\"b\"\"}\", \"{a, b}\"}");
}

/* ---- trees ---------------------------------------------------------------------------------- */

static const char cities[] = "Bonn;Germany;Europe;*\nKiel;Germany;Europe;*\nLyon;France;Europe;*\n"
                             "Nice;France;Europe;*\nLima;Peru;America;*\nCusco;Peru;America;*\n";

#define CITIES                                                                                     \
    .type = KAN_TYPE_TEXT, .values = VALUES("Bonn", "Kiel", "Lima", "Lyon", "Nice"), .tree = cities

static void an_interval_that_is_a_node_has_its_name(void **state) {
    (void)state;
    expect_labels((example){CITIES, .cuts = {2, 4}}, "Germany|France|Lima");
    expect_labels((example){CITIES, .cuts = {4}}, "Europe|Lima");
    expect_labels((example){CITIES, .cuts = {0}}, "*");
}

static void an_interval_that_is_no_node_is_listed(void **state) {
    (void)state;
    expect_labels((example){CITIES, .cuts = {3}}, "{Bonn, Kiel, Lyon}|{Nice, Lima}");
    expect_labels((example){CITIES, .cuts = {1}}, "Bonn|{Kiel, Lyon, Nice, Lima}");
}

static void a_node_whose_name_means_something_else_too_is_listed(void **state) {
    (void)state;
    /* `other` is a value, and the name of a node without it */
    expect_labels((example){TEXTS("a", "b", "other"),
                            .tree = "a;other;*\nb;other;*\nother;rest;*\n", .cuts = {2}},
                  "{a, b}|other");
    /* one name for two nodes */
    expect_labels((example){TEXTS("a", "b", "c", "d", "e"),
                            .tree = "a;x;p;*\nb;x;p;*\nc;y;x;*\nd;y;x;*\ne;z;x;*\n", .cuts = {2}},
                  "p|{c, d, e}");
    /* a star that is not all */
    expect_labels(
        (example){TEXTS("a", "b", "c"), .tree = "a;*;all\nb;*;all\nc;c;all\n", .cuts = {2}},
        "{a, b}|c");
}

static void a_range_that_names_another_node_is_listed(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("1", "2", "3", "4", "5"),
                            .tree = "1;x;*\n2;x;*\n3;[2-3];*\n4;x4;*\n5;x4;*\n", .cuts = {1, 3}},
                  "1|{2, 3}|x4");
}

/* ---- bins ----------------------------------------------------------------------------------- */

static void bins_are_shown_by_their_bounds(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("17", "19", "24", "90"), .bins = "5@17", .cuts = {1, 2}},
                  "[17-21]|[22-26]|[87-91]");
    expect_labels((example){NUMBERS("17", "19", "24", "90"), .bins = "5@17", .cuts = {2}},
                  "[17-26]|[87-91]");
    expect_labels((example){NUMBERS("-7", "-1", "3"), .bins = "5@0", .cuts = {2}},
                  "[-10..-1]|[0-4]");
}

static void bins_of_fractions_leave_out_their_end(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("0.5", "2.5", "9"), .bins = "2.5@0", .cuts = {2}},
                  "[0, 5)|[7.5, 10)");
}

static void a_bin_of_one_number_is_that_number(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("17", "18", "019", "19"), .bins = "1", .cuts = {1, 2}},
                  "17|18|[19-19]");
    expect_labels((example){NUMBERS("17", "18.0"), .bins = "1", .cuts = {1}}, "17|[18-18]");
}

static void unknown_values_stand_before_bins(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("", "?", "3", "12"), .bins = "10@0", .cuts = {1}},
                  "{\"\", ?}|[0-19]");
    expect_labels((example){NUMBERS("?", "3", "12"), .bins = "10@0", .cuts = {1}}, "?|[0-19]");
    expect_labels((example){NUMBERS("?", "3", "12"), .bins = "10@0", .cuts = {2}},
                  "{?, [0-9]}|[10-19]");
}

/* ---- suppressed rows ------------------------------------------------------------------------ */

#define HIDDEN(...) .hidden = VALUES(__VA_ARGS__)

static void a_value_of_suppressed_rows_alone_is_in_no_list(void **state) {
    (void)state;
    expect_labels((example){TEXTS("a", "x", "y", "z"), .cuts = {1}, HIDDEN("y")}, "a|{x, z}");
    expect_labels((example){TEXTS("a", "x", "y", "z"), .cuts = {1}, HIDDEN("x", "z")}, "a|y");
    expect_labels((example){NUMBERS("", "?", "3", "4", "9"), .cuts = {4}, HIDDEN("?")},
                  "{\"\", [3-4]}|9");
    expect_labels((example){NUMBERS("", "?", "3", "4", "9"), .cuts = {4}, HIDDEN("3", "4")},
                  "{\"\", ?}|9");
    expect_labels((example){NUMBERS("", "?", "3", "4", "9"), .cuts = {4}, HIDDEN("", "3")},
                  "{?, 4}|9");
}

static void a_value_of_suppressed_rows_alone_is_no_bound(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("5", "17", "18", "24", "90"), .cuts = {1}, HIDDEN("90")},
                  "5|[17-24]");
    expect_labels((example){NUMBERS("5", "17", "18", "24", "90"), .cuts = {1}, HIDDEN("17", "90")},
                  "5|[18-24]");
    expect_labels((example){NUMBERS("-4", "17", "18", "24"), .cuts = {3}, HIDDEN("-4")},
                  "[17-18]|24");
    expect_labels((example){NUMBERS("?", "17", "18", "24"), .cuts = {3}, HIDDEN("?")},
                  "[17-18]|24");
    expect_labels((example){DATES("2003-01-09", "2003-02-01", "2004-01-01", "2005-01-01"),
                            .cuts = {3}, HIDDEN("2003-01-09")},
                  "[2003-02-01..2004-01-01]|2005-01-01");
}

static void an_interval_of_suppressed_rows_alone_has_no_name(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("5", "17", "18", "24"), .cuts = {1, 3}, HIDDEN("17", "18")},
                  "5|*|24");
    expect_labels((example){TEXTS("a", "b", "c"), .cuts = {1, 2}, HIDDEN("a", "b")}, "*|*|c");
}

static void a_column_that_is_not_cut_shows_its_one_released_value_or_a_star(void **state) {
    (void)state;
    expect_labels((example){NUMBERS("1", "2", "3"), .cuts = {0}, HIDDEN("3")}, "*");
    expect_labels((example){NUMBERS("1", "2", "3"), .cuts = {0}, HIDDEN("1", "3")}, "2");
}

static void a_node_is_named_when_no_other_interval_has_released_values_of_it(void **state) {
    (void)state;
    /* what is left of an interval that was no node, or a larger one */
    expect_labels((example){CITIES, .cuts = {3}, HIDDEN("Lyon")}, "Germany|{Nice, Lima}");
    expect_labels((example){CITIES, .cuts = {4}, HIDDEN("Lyon", "Nice")}, "Germany|Lima");
    /* the rest of the node stands in an interval that shows nothing of it */
    expect_labels((example){CITIES, .cuts = {3}, HIDDEN("Nice")}, "Europe|Lima");
    expect_labels((example){CITIES, .cuts = {1}, HIDDEN("Bonn", "Lima")}, "*|Europe");
    expect_labels((example){CITIES, .cuts = {0}, HIDDEN("Lima")}, "Europe");
    /* a star is the column that is not cut */
    expect_labels((example){CITIES, .cuts = {1}, HIDDEN("Bonn")}, "*|{Kiel, Lyon, Nice, Lima}");
}

static void a_text_of_suppressed_rows_is_taken_all_the_same(void **state) {
    (void)state;
    expect_labels((example){TEXTS("a", "b", "{a, b}"), .cuts = {2}, HIDDEN("{a, b}")},
                  "{\"a\", \"b\"}|*");
}

static void bins_without_released_rows_are_no_bounds(void **state) {
    (void)state;
    expect_labels(
        (example){NUMBERS("1", "17", "19", "24", "90"), .bins = "5@0", .cuts = {1}, HIDDEN("90")},
        "[0-4]|[15-24]");
    expect_labels((example){NUMBERS("1", "17", "19", "24", "90"), .bins = "5@0", .cuts = {1},
                            HIDDEN("19", "24", "90")},
                  "[0-4]|[15-19]");
    expect_labels(
        (example){NUMBERS("17", "18", "019", "19"), .bins = "1", .cuts = {1, 2}, HIDDEN("019")},
        "17|18|19");
    expect_labels((example){NUMBERS("", "?", "3", "12"), .bins = "10@0", .cuts = {1}, HIDDEN("?")},
                  "|[0-19]");
    expect_labels((example){NUMBERS("", "?", "3", "12", "33"), .bins = "10@0", .cuts = {2},
                            HIDDEN("?", "33")},
                  "{\"\", [0-9]}|[10-19]");
}

static void intervals_say_nothing_before_they_are_named(void **state) {
    (void)state;
    scene s;
    uint32_t cuts[] = {2};
    kan_recoding recoding = {
        .type = KAN_RECODING_CUTS, .n_attributes = 1, .first_cut = {0, 1}, .cuts = cuts};
    kan_shown shown;
    scene_begin(&s, &(example){TEXTS("a", "b", "c", "d"), .cuts = {1}});
    assert_int_equal(kan_shown_make(s.run, &recoding, 0, s.hierarchy, s.domain, &shown), KAN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kan_slice_is(shown.hierarchy->levels[1].label[i], "*"));
        assert_true(shown.hierarchy->levels[1].share[i] == 1);
    }
    kan_shown_destroy(&shown);
    scene_end(&s);
}

/* ---- shares and levels ---------------------------------------------------------------------- */

static void expect_loss(example e, const double *shares, const unsigned *levels) {
    scene s;
    scene_begin(&s, &e);
    const kan_level *level = &s.shown.hierarchy->levels[1];
    for (uint32_t i = 0; i < level->n_groups; i++) {
        if (fabs(level->share[i] - shares[i]) > 1e-12)
            fail_msg("interval %u covers %g instead of %g", i, level->share[i], shares[i]);
        assert_int_equal(s.shown.node_level[i], levels[i]);
    }
    scene_end(&s);
}

static void shares_are_lengths_for_numbers_and_counts_for_text(void **state) {
    (void)state;
    expect_loss((example){NUMBERS("10", "12", "20", "30"), .cuts = {2, 3}},
                (const double[]){0.1, 0, 0}, (const unsigned[]){1, 0, 0});
    expect_loss((example){NUMBERS("10", "30"), .cuts = {0}}, (const double[]){1},
                (const unsigned[]){1});
    expect_loss((example){TEXTS("a", "b", "c", "d", "e"), .cuts = {3}}, (const double[]){0.5, 0.25},
                (const unsigned[]){1, 1});
    expect_loss((example){DATES("2003-01-01", "2003-01-02", "2003-01-05"), .cuts = {2}},
                (const double[]){0.25, 0}, (const unsigned[]){1, 0});
    /* unknown values: the larger of both */
    expect_loss((example){NUMBERS("?", "1", "2", "100"), .cuts = {3}}, (const double[]){2.0 / 3, 0},
                (const unsigned[]){1, 0});
}

static void shares_of_nodes_are_the_nodes_own(void **state) {
    (void)state;
    /* Cusco is a leaf that the data lacks */
    expect_loss((example){CITIES, .cuts = {2, 4}}, (const double[]){0.2, 0.2, 0},
                (const unsigned[]){1, 1, 0});
    expect_loss((example){CITIES, .cuts = {3}}, (const double[]){0.4, 0.2},
                (const unsigned[]){2, 3});
    expect_loss((example){CITIES, .cuts = {0}}, (const double[]){1}, (const unsigned[]){3});
}

static void shares_of_bins_are_those_of_their_bounds(void **state) {
    (void)state;
    expect_loss((example){NUMBERS("0", "5", "17"), .bins = "5@0", .cuts = {1, 2}},
                (const double[]){4.0 / 19, 4.0 / 19, 4.0 / 19}, (const unsigned[]){1, 1, 1});
    expect_loss((example){NUMBERS("0", "5", "17"), .bins = "5@0", .cuts = {2}},
                (const double[]){9.0 / 19, 4.0 / 19}, (const unsigned[]){1, 1});
    expect_loss((example){NUMBERS("0.5", "5", "17"), .bins = "5@0", .cuts = {2}},
                (const double[]){0.5, 0.25}, (const unsigned[]){1, 1});
}

static void shares_are_those_of_what_is_shown(void **state) {
    (void)state;
    expect_loss((example){NUMBERS("10", "12", "20", "30"), .cuts = {1}, HIDDEN("30")},
                (const double[]){0, 0.4}, (const unsigned[]){0, 1});
    expect_loss((example){NUMBERS("10", "12", "20", "30"), .cuts = {1}, HIDDEN("12", "30")},
                (const double[]){0, 0}, (const unsigned[]){0, 0});
    expect_loss((example){TEXTS("a", "b", "c", "d", "e"), .cuts = {3}, HIDDEN("b")},
                (const double[]){0.25, 0.25}, (const unsigned[]){1, 1});
    expect_loss((example){CITIES, .cuts = {4}, HIDDEN("Lyon", "Nice")}, (const double[]){0.2, 0},
                (const unsigned[]){1, 0});
    expect_loss((example){CITIES, .cuts = {1}, HIDDEN("Bonn")}, (const double[]){1, 0.6},
                (const unsigned[]){3, 3});
    expect_loss((example){NUMBERS("0", "5", "17"), .bins = "5@0", .cuts = {1}, HIDDEN("17")},
                (const double[]){4.0 / 19, 4.0 / 19}, (const unsigned[]){1, 1});
    expect_loss((example){NUMBERS("0", "5", "17"), .bins = "1", .cuts = {0}, HIDDEN("5", "17")},
                (const double[]){0}, (const unsigned[]){0});
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void rows_show_the_label_of_their_interval(void **state) {
    (void)state;
    static const char *const names[] = {"age"};
    static const char *const ages[] = {"30", "4", "31", "9"};
    static const char *const shown_as[] = {"[30-31]", "[4-9]", "[30-31]", "[4-9]"};
    static const size_t columns[] = {0};
    kan_run *run = kan_run_create();
    kan_table *table, *made;
    kan_hierarchy *hierarchy;
    kan_domain *domain;
    kan_shown shown;
    uint32_t cuts[] = {2};
    kan_recoding recoding = {
        .type = KAN_RECODING_CUTS, .n_attributes = 1, .first_cut = {0, 1}, .cuts = cuts};
    assert_int_equal(kan_table_create(run, 1, names, &table), KAN_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(kan_table_add_row(table, &ages[i]), KAN_OK);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_int_equal(kan_hierarchy_build(run, "suppress", &table->columns[0], &hierarchy), KAN_OK);
    assert_int_equal(kan_domain_make(run, &table->columns[0], hierarchy, false, NULL, &domain),
                     KAN_OK);
    assert_int_equal(kan_shown_make(run, &recoding, 0, hierarchy, domain, &shown), KAN_OK);
    assert_int_equal(kan_shown_name(&shown, domain, (const uint8_t[]){1, 1, 1, 1}), KAN_OK);
    kan_apply_source source = {table, columns, &shown, 1, NULL};
    assert_int_equal(kan_apply_shown(run, &source, &made), KAN_OK);
    for (uint64_t row = 0; row < 4; row++)
        assert_true(kan_slice_is(kan_column_value(&made->columns[0], row), shown_as[row]));
    kan_table_destroy(made);
    kan_shown_destroy(&shown);
    kan_domain_destroy(domain);
    kan_hierarchy_destroy(hierarchy);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void cuts_that_are_none_are_refused(void **state) {
    (void)state;
    static const uint32_t wrong[][2] = {{0, 1}, {2, 1}, {1, 1}, {1, 3}};
    scene s;
    scene_begin(&s, &(example){NUMBERS("1", "2", "3"), .cuts = {1}});
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kan_shown shown = {.made = NULL};
        uint32_t cuts[2] = {wrong[i][0], wrong[i][1]};
        kan_recoding recoding = {
            .type = KAN_RECODING_CUTS, .n_attributes = 1, .first_cut = {0, 2}, .cuts = cuts};
        assert_int_equal(kan_shown_make(s.run, &recoding, 0, s.hierarchy, s.domain, &shown),
                         KAN_FAILED);
        assert_null(shown.made);
    }
    scene_end(&s);
}

static void what_is_shown_and_finds_no_room_is_an_error_and_leaves_nothing(void **state) {
    (void)state;
    scene s;
    uint32_t cuts[] = {2, 4};
    kan_recoding recoding = {
        .type = KAN_RECODING_CUTS, .n_attributes = 1, .first_cut = {0, 2}, .cuts = cuts};
    scene_begin(&s, &(example){TEXTS("a", "b", "c", "d", "e", "{a, b}"), .cuts = {1}});
    kan_status status = KAN_FAILED;
    size_t n_refused = 0;
    kan_run_set_memory(s.run, UINT64_C(1) << 40);
    const uint64_t used = (UINT64_C(1) << 40) - kan_run_memory_left(s.run);
    for (uint64_t more = 0; status != KAN_OK; more += 8) {
        kan_shown shown = {.made = NULL};
        kan_run_set_memory(s.run, used + more);
        status = kan_shown_make(s.run, &recoding, 0, s.hierarchy, s.domain, &shown);
        assert_true(status == KAN_OK || !shown.made);
        if (status == KAN_OK)
            status = kan_shown_name(&shown, s.domain, (const uint8_t[]){1, 1, 0, 1, 1, 1});
        n_refused += status != KAN_OK;
        kan_shown_destroy(&shown);
        assert_int_equal(kan_run_memory_left(s.run), more);
    }
    assert_true(n_refused > 5);
    kan_run_set_memory(s.run, 0);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_shown_as_ranges),
        cmocka_unit_test(bounds_with_a_hyphen_have_points_between_them),
        cmocka_unit_test(bounds_that_points_would_run_into_have_a_comma_between_them),
        cmocka_unit_test(a_point_at_an_end_of_a_bound_is_no_reason_to_list_what_lies_between),
        cmocka_unit_test(a_value_alone_is_shown_as_it_is),
        cmocka_unit_test(the_whole_domain_is_a_star),
        cmocka_unit_test(a_domain_of_one_value_keeps_it),
        cmocka_unit_test(unknown_values_are_listed_with_the_range),
        cmocka_unit_test(text_is_listed),
        cmocka_unit_test(what_a_list_could_be_mistaken_for_stands_in_quotes),
        cmocka_unit_test(a_label_that_is_a_value_of_the_data_is_not_used),
        cmocka_unit_test(an_interval_that_is_a_node_has_its_name),
        cmocka_unit_test(an_interval_that_is_no_node_is_listed),
        cmocka_unit_test(a_node_whose_name_means_something_else_too_is_listed),
        cmocka_unit_test(a_range_that_names_another_node_is_listed),
        cmocka_unit_test(bins_are_shown_by_their_bounds),
        cmocka_unit_test(bins_of_fractions_leave_out_their_end),
        cmocka_unit_test(a_bin_of_one_number_is_that_number),
        cmocka_unit_test(unknown_values_stand_before_bins),
        cmocka_unit_test(a_value_of_suppressed_rows_alone_is_in_no_list),
        cmocka_unit_test(a_value_of_suppressed_rows_alone_is_no_bound),
        cmocka_unit_test(an_interval_of_suppressed_rows_alone_has_no_name),
        cmocka_unit_test(a_column_that_is_not_cut_shows_its_one_released_value_or_a_star),
        cmocka_unit_test(a_node_is_named_when_no_other_interval_has_released_values_of_it),
        cmocka_unit_test(a_text_of_suppressed_rows_is_taken_all_the_same),
        cmocka_unit_test(bins_without_released_rows_are_no_bounds),
        cmocka_unit_test(intervals_say_nothing_before_they_are_named),
        cmocka_unit_test(shares_are_lengths_for_numbers_and_counts_for_text),
        cmocka_unit_test(shares_of_nodes_are_the_nodes_own),
        cmocka_unit_test(shares_of_bins_are_those_of_their_bounds),
        cmocka_unit_test(shares_are_those_of_what_is_shown),
        cmocka_unit_test(rows_show_the_label_of_their_interval),
        cmocka_unit_test(cuts_that_are_none_are_refused),
        cmocka_unit_test(what_is_shown_and_finds_no_room_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The chart of a comparison: every figure has its mark, a missing one breaks the line, lines are
 * told apart without colour, and the description says what is drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/k_chart.h"

static const double ks[] = {2, 5, 10};
static const double full[] = {100, 250, 4000}, gap[] = {90, NAN, 3000}, none[] = {NAN, NAN, NAN};
static const double risks[] = {0.2, 0.1, 0.05}, gap_risks[] = {0.3, NAN, 0.1};

static size_t count(const char *text, const char *part) {
    size_t n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + strlen(part), part))
        n++;
    return n;
}

static void draw(const kan_curve_line *lines, size_t n_lines, size_t n_ks, kan_text *text) {
    const kan_curve curve = {.title = "Price",
                             .cost = "ncp <&>",
                             .n_ks = n_ks,
                             .n_lines = n_lines,
                             .ks = ks,
                             .lines = lines};
    assert_int_equal(kan_curve_print(&curve, text), KAN_OK);
}

static void every_figure_has_a_mark_in_both_panels(void **state) {
    const kan_curve_line lines[] = {{"auto", full, risks}, {"mondrian", gap, gap_risks}};
    kan_run *run = kan_run_create();
    kan_text text;
    (void)state;
    kan_text_init(&text, run);
    draw(lines, 2, 3, &text);
    /* Five figures in each panel, and a mark for each line in the legend. */
    assert_int_equal(count(text.bytes, "class=\"mark"), 2 * 5 + 2);
    assert_int_equal(count(text.bytes, "class=\"line s1 d1\""), 2 + 1);
    assert_non_null(strstr(text.bytes, "auto: at k 2 100 and 20%, at k 5 250 and 10%, at k 10 "
                                       "4,000 and 5%."));
    assert_non_null(strstr(text.bytes, "mondrian: at k 2 90 and 30%, at k 5 nothing, at k 10"));
    assert_non_null(strstr(text.bytes, "ncp &lt;&amp;&gt;"));
    assert_null(strstr(text.bytes, "<&"));
    assert_null(strstr(text.bytes, "nan"));
    kan_text_destroy(&text);
    kan_run_destroy(run);
}

/* A line that is broken begins again: two M and no L. */
static void a_missing_cell_breaks_the_line(void **state) {
    const kan_curve_line lines[] = {{"mondrian", gap, gap_risks}};
    kan_run *run = kan_run_create();
    kan_text text;
    (void)state;
    kan_text_init(&text, run);
    draw(lines, 1, 3, &text);
    const char *legend = strstr(text.bytes, "class=\"line s0");
    const char *line = legend ? strstr(legend + 1, "class=\"line s0") : NULL;
    assert_non_null(line);
    char path[128];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(line, ">"), line);
    assert_int_equal(count(path, "M"), 2);
    assert_int_equal(count(path, "L"), 0);
    kan_text_destroy(&text);
    kan_run_destroy(run);
}

static void who_has_no_figure_has_no_line_in_the_legend(void **state) {
    const kan_curve_line lines[] = {{"auto", full, risks}, {"datafly", none, none}};
    kan_run *run = kan_run_create();
    kan_text text;
    (void)state;
    kan_text_init(&text, run);
    draw(lines, 2, 3, &text);
    assert_int_equal(count(text.bytes, "class=\"line s0"), 2 + 1);
    assert_int_equal(count(text.bytes, "class=\"line s1"), 0);
    assert_int_equal(count(text.bytes, "class=\"mark s1"), 0);
    assert_non_null(strstr(text.bytes, ">datafly: no release</text>"));
    kan_text_destroy(&text);
    kan_run_destroy(run);
}

static void twelve_lines_have_twelve_dashes(void **state) {
    kan_curve_line lines[KAN_CURVE_MOST_LINES];
    kan_run *run = kan_run_create();
    kan_text text;
    (void)state;
    for (size_t l = 0; l < KAN_CURVE_MOST_LINES; l++) {
        lines[l] = (kan_curve_line){"method", full, risks};
        for (size_t other = 0; other < l; other++)
            assert_string_not_equal(kan_svg_dashes[l], kan_svg_dashes[other]);
    }
    kan_text_init(&text, run);
    draw(lines, KAN_CURVE_MOST_LINES, 3, &text);
    for (size_t l = 0; l < KAN_CURVE_MOST_LINES; l++) {
        char part[64];
        snprintf(part, sizeof part, "class=\"line s%zu d%zu\"", l, l);
        assert_int_equal(count(text.bytes, part), 3);
    }
    kan_text_destroy(&text);
    kan_run_destroy(run);
}

static void one_k_and_no_figure_can_be_drawn(void **state) {
    const kan_curve_line alone[] = {{"auto", full, risks}}, nothing[] = {{"auto", none, none}};
    kan_run *run = kan_run_create();
    kan_text text;
    (void)state;
    kan_text_init(&text, run);
    draw(alone, 1, 1, &text);
    assert_int_equal(count(text.bytes, "class=\"mark"), 2 + 1);
    kan_text_destroy(&text);
    kan_text_init(&text, run);
    draw(nothing, 1, 3, &text);
    assert_int_equal(count(text.bytes, "class=\"mark"), 0);
    assert_null(strstr(text.bytes, "nan"));
    assert_null(strstr(text.bytes, "inf"));
    kan_text_destroy(&text);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_has_a_mark_in_both_panels),
        cmocka_unit_test(a_missing_cell_breaks_the_line),
        cmocka_unit_test(who_has_no_figure_has_no_line_in_the_legend),
        cmocka_unit_test(twelve_lines_have_twelve_dashes),
        cmocka_unit_test(one_k_and_no_figure_can_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

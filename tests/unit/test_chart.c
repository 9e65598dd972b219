/* Charts as SVG: well-formed whatever the data, every series told apart without colour, text
 * escaped. The writer is part of the bench program, so its source is taken in here. */
#include "../../bench/chart.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* All that was written to the stream, which is closed. */
static char *take_text(FILE *from) {
    long size = ftell(from);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    rewind(from);
    assert_int_equal(fread(text, 1, (size_t)size, from), size);
    fclose(from);
    return text;
}

static char *draw(const line_chart *chart, bool *is_written) {
    FILE *to = tmpfile();
    assert_non_null(to);
    *is_written = chart_write(chart, to);
    return take_text(to);
}

static size_t count(const char *text, const char *part) {
    size_t n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + strlen(part), part))
        n++;
    return n;
}

/* Every element is closed in the right order, every attribute has its quotes, no stray < or &. */
static void expect_well_formed(const char *text) {
    char open[16][16];
    size_t depth = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '&')
            assert_true(!strncmp(at, "&amp;", 5) || !strncmp(at, "&lt;", 4) ||
                        !strncmp(at, "&gt;", 4) || !strncmp(at, "&quot;", 6));
        if (*at != '<')
            continue;
        const bool closes = at[1] == '/';
        const char *name = at + 1 + closes, *end = strchr(at, '>');
        const size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz");
        assert_non_null(end);
        assert_true(size > 0 && size < 16);
        size_t n_quotes = 0;
        for (const char *c = at; c < end; c++) {
            n_quotes += *c == '"';
            assert_true(c == at || *c != '<');
        }
        assert_int_equal(n_quotes % 2, 0);
        if (closes) {
            assert_true(depth > 0);
            depth--;
            assert_true(strlen(open[depth]) == size && !strncmp(open[depth], name, size));
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            snprintf(open[depth++], 16, "%.*s", (int)size, name);
        }
        at = end;
    }
    assert_int_equal(depth, 0);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
}

static const double sizes[] = {3, 4, 5, 6};

static line_chart two_series(const double *first, const double *second, chart_series *series) {
    series[0] = (chart_series){.name = "first", .look = 0, .n = 4, .x = sizes, .y = first};
    series[1] = (chart_series){.name = "second", .look = 1, .n = 4, .x = sizes, .y = second};
    return (line_chart){.title = "Times",
                        .description = "The times of two.",
                        .caption = "Measured.",
                        .x = {.label = "columns"},
                        .y = {.label = "ms", .is_log = true},
                        .n_series = 2,
                        .series = series};
}

static void a_chart_is_well_formed_and_names_what_it_shows(void **state) {
    (void)state;
    chart_series series[2];
    line_chart made = two_series((double[]){1, 10, 100, 1000}, (double[]){2, 3, 4, 5}, series);
    bool is_written;
    char *text = draw(&made, &is_written);
    assert_true(is_written);
    expect_well_formed(text);
    assert_non_null(strstr(text, "<title id=\"title\">Times</title>"));
    assert_non_null(strstr(text, "<desc id=\"description\">The times of two.</desc>"));
    assert_non_null(strstr(text, "prefers-color-scheme:dark"));
    assert_non_null(strstr(text, ">first</text>"));
    assert_non_null(strstr(text, ">1,000</text>"));
    /* Four points and one in the legend each. */
    assert_int_equal(count(text, "class=\"mark s0"), 5);
    assert_int_equal(count(text, "class=\"mark s1"), 5);
    free(text);
}

static void text_is_escaped(void **state) {
    (void)state;
    chart_series series[2];
    line_chart made = two_series((double[]){1, 2, 3, 4}, (double[]){1, 2, 3, 4}, series);
    bool is_written;
    made.title = "<script>\"a\" & b</script>\x01";
    made.description = "]]> & <";
    series[0].name = "a<b";
    made.caption = "x < y & \"z\"";
    made.x.label = made.y.label = "<&>";
    char *text = draw(&made, &is_written);
    expect_well_formed(text);
    assert_null(strstr(text, "<script"));
    assert_non_null(strstr(text, "&lt;script&gt;&quot;a&quot; &amp; b&lt;/script&gt;?"));
    assert_non_null(strstr(text, ">a&lt;b</text>"));
    free(text);
}

static void what_has_no_place_is_a_gap(void **state) {
    (void)state;
    chart_series series[2];
    double with_gap[] = {1, NAN, 100, 1000}, without_logarithm[] = {0, -3, INFINITY, 7};
    line_chart made = two_series(with_gap, without_logarithm, series);
    bool is_written;
    char *text = draw(&made, &is_written);
    assert_true(is_written);
    expect_well_formed(text);
    assert_int_equal(count(text, "class=\"mark s0"), 4);
    assert_int_equal(count(text, "class=\"mark s1"), 2);
    free(text);
}

static void what_cannot_be_drawn_is_said(void **state) {
    (void)state;
    chart_series series[2];
    double nothing[] = {NAN, NAN, 0, -1};
    line_chart made = two_series(nothing, nothing, series);
    bool is_written;
    char *text = draw(&made, &is_written);
    assert_false(is_written);
    assert_string_equal(text, "");
    free(text);
    made = two_series(sizes, sizes, series);
    series[1].look = CHART_MOST_SERIES;
    text = draw(&made, &is_written);
    assert_false(is_written);
    assert_string_equal(text, "");
    free(text);
}

static void every_series_has_a_line_and_a_mark_of_its_own(void **state) {
    (void)state;
    for (size_t a = 0; a < CHART_MOST_SERIES; a++)
        for (size_t b = 0; b < a; b++)
            assert_string_not_equal(kan_svg_dashes[a], kan_svg_dashes[b]);
    char *marks[CHART_MOST_SERIES];
    kan_run *run = kan_run_create();
    assert_non_null(run);
    for (size_t s = 0; s < CHART_MOST_SERIES; s++) {
        kan_text text;
        kan_text_init(&text, run);
        put_mark(s, 0, 0, &text);
        assert_int_equal(kan_text_status(&text), KAN_OK);
        marks[s] = strdup(text.bytes);
        assert_non_null(marks[s]);
        kan_text_destroy(&text);
        /* From the fill on: the number of the series differs anyway. */
        memmove(marks[s], strstr(marks[s], s < 6 ? "full" : "hollow"),
                strlen(strstr(marks[s], s < 6 ? "full" : "hollow")) + 1);
        for (size_t other = 0; other < s; other++)
            assert_string_not_equal(marks[s], marks[other]);
    }
    for (size_t s = 0; s < CHART_MOST_SERIES; s++)
        free(marks[s]);
    kan_run_destroy(run);
}

/* One value, equal values, tiny, huge and negative ones: always at least two ticks, in order, all
 * inside the picture. */
static void ticks_are_in_order_and_inside(void **state) {
    (void)state;
    static const double samples[][4] = {
        {5, 5, 5, 5},    {1e-7, 2e-7, 3e-7, 1e-6}, {1, 1e12, 5, 9}, {0.3, 0.31, 0.32, 0.33},
        {-5, -2, 0, 12}, {-1e6, -1e6, -1e6, -1e6}, {0, 0, 0, 0},    {1e-300, 1e300, 1, 1}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (int kind = 0; kind < 4; kind++) {
            const bool is_log = kind % 2 == 1;
            chart_series series[2];
            line_chart made = two_series(samples[i], samples[i], series);
            axis_scale y;
            made.y.is_log = is_log;
            made.y.is_tight = kind >= 2;
            if (!make_scale(&made, false, &y)) {
                assert_true(is_log && samples[i][3] <= 0);
                continue;
            }
            assert_true(y.n_ticks >= 2 && y.n_ticks <= MOST_TICKS);
            for (size_t t = 0; t < y.n_ticks; t++) {
                assert_true(t == 0 || y.ticks[t] > y.ticks[t - 1]);
                assert_true(place(&y, y.ticks[t]) <= BOTTOM + 0.1);
                assert_true(place(&y, y.ticks[t]) >= TOP - 0.1);
            }
            bool is_written;
            char *text = draw(&made, &is_written);
            expect_well_formed(text);
            free(text);
        }
}

static void ticks_can_be_chosen(void **state) {
    (void)state;
    chart_series series[2];
    line_chart made = two_series((double[]){1, 2, 3, 4}, (double[]){1, 2, 3, 4}, series);
    bool is_written;
    made.x.is_log = true;
    made.x.n_ticks = 3;
    made.x.ticks = (double[]){3, 5, 77};
    char *text = draw(&made, &is_written);
    assert_non_null(strstr(text, "text-anchor=\"middle\">5</text>"));
    assert_null(strstr(text, ">77</text>")); /* outside the range */
    free(text);
}

static void a_ring_is_drawn_where_it_is_said_and_explained(void **state) {
    (void)state;
    chart_series series[2];
    line_chart made = two_series((double[]){1, 10, 100, 1000}, (double[]){2, 3, 4, 5}, series);
    bool is_written;
    series[0].marks = (uint8_t[]){CHART_MARK, CHART_RING, CHART_BARE, CHART_RING};
    made.ring = "not proven";
    char *text = draw(&made, &is_written);
    assert_true(is_written);
    expect_well_formed(text);
    assert_int_equal(count(text, "class=\"mark s0"), 4); /* one of them in the legend */
    assert_int_equal(count(text, "class=\"ring s0"), 2);
    assert_int_equal(count(text, "class=\"ring s1"), 0);
    assert_int_equal(count(text, "class=\"ring axis"), 1);
    assert_non_null(strstr(text, ">not proven</text>"));
    free(text);
}

static void a_tight_axis_goes_no_further_than_the_next_ticks(void **state) {
    (void)state;
    static const double values[] = {4861222, 6989264, 23123000, 5000000};
    chart_series series[2];
    line_chart made = two_series(values, values, series);
    axis_scale y;
    made.y.is_tight = true;
    assert_true(make_scale(&made, false, &y));
    assert_true(fabs(pow(10, y.low) - 2e6) < 1 && fabs(pow(10, y.high) - 5e7) < 10);
    static const double near[] = {5018, 5074, 5324, 5429};
    made = two_series(near, near, series);
    made.y = (chart_axis){.label = "rows", .is_tight = true};
    assert_true(make_scale(&made, false, &y));
    assert_true(y.low == 5000 && y.high == 5500);
    made.y.is_tight = false; /* else it begins at nothing */
    assert_true(make_scale(&made, false, &y));
    assert_true(y.low == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chart_is_well_formed_and_names_what_it_shows),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(what_has_no_place_is_a_gap),
        cmocka_unit_test(what_cannot_be_drawn_is_said),
        cmocka_unit_test(every_series_has_a_line_and_a_mark_of_its_own),
        cmocka_unit_test(ticks_are_in_order_and_inside),
        cmocka_unit_test(ticks_can_be_chosen),
        cmocka_unit_test(a_ring_is_drawn_where_it_is_said_and_explained),
        cmocka_unit_test(a_tight_axis_goes_no_further_than_the_next_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

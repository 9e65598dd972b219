/* analyze/cover/read_interval.h: what a label of an interval or a list holds, and verification by
 * it. */
#include "analyze/cover/read_interval.h"

#include "analyze/verify/verify.h"
#include "hierarchy_column.h"

static kan_status mark(void *context, uint32_t first, uint32_t end) {
    char *marks = context;
    for (uint32_t code = first; code < end; code++)
        marks[code] = '1';
    return KAN_OK;
}

/* "0110": which values the label holds. */
static void expect_held(kan_type type, const char *const *values, const char *label,
                        const char *expected) {
    kan_run *run = kan_run_create();
    kan_column column = column_of(type, values);
    kan_label_reader reader;
    char marks[64] = "";
    memset(marks, '0', column.dictionary.n);
    assert_int_equal(kan_label_reader_init(&reader, run, &column), KAN_OK);
    assert_int_equal(kan_label_read(&reader, kan_slice_of(label), mark, marks), KAN_OK);
    if (strcmp(marks, expected) != 0)
        fail_msg("%s holds %s, not %s", label, marks, expected);
    kan_label_reader_destroy(&reader);
    column_destroy(&column);
    kan_run_destroy(run);
}

static void ranges_of_numbers_hold_both_bounds(void **state) {
    (void)state;
    const char *const *values = VALUES("", "?", "-10", "-1", "0", "17", "24.5", "1e3");
    expect_held(KAN_TYPE_NUMBER, values, "[0-17]", "00001100");
    expect_held(KAN_TYPE_NUMBER, values, "[0-16.99]", "00001000");
    expect_held(KAN_TYPE_NUMBER, values, "[-10..-1]", "00110000");
    expect_held(KAN_TYPE_NUMBER, values, "[-10--1]", "00110000");
    expect_held(KAN_TYPE_NUMBER, values, "[-10..24.5]", "00111110");
    expect_held(KAN_TYPE_NUMBER, values, "[1e-2-1e3]", "00000111");
    expect_held(KAN_TYPE_NUMBER, values, "[18-20]", "00000000");
}

static void a_comma_stands_between_bounds_that_points_would_run_into(void **state) {
    (void)state;
    const char *const *values = VALUES("?", "-1.", "-.5", "0", ".5", "2");
    expect_held(KAN_TYPE_NUMBER, values, "[-1., .5]", "011110");
    expect_held(KAN_TYPE_NUMBER, values, "[-.5, .5]", "001110");
    expect_held(KAN_TYPE_NUMBER, values, "{?, [-1., 0]}", "111100");
    expect_held(KAN_TYPE_NUMBER, values, "[.5, -1.]", "000000");
    expect_held(KAN_TYPE_NUMBER, values, "[0, 0, 2]", "000000");
}

static void half_open_ranges_leave_out_their_end(void **state) {
    (void)state;
    const char *const *values = VALUES("0", "2.5", "5", "7.5");
    expect_held(KAN_TYPE_NUMBER, values, "[0, 5)", "1100");
    expect_held(KAN_TYPE_NUMBER, values, "[2.5, 7.5)", "0110");
    expect_held(KAN_TYPE_NUMBER, values, "[-5, 2.4)", "1000");
}

static void round_brackets_leave_their_bound_out(void **state) {
    (void)state;
    const char *const *values = VALUES("", "-40", "-30", "30", "35.5", "40");
    expect_held(KAN_TYPE_NUMBER, values, "(30, 40]", "000011");
    expect_held(KAN_TYPE_NUMBER, values, "(30.0, 40.0)", "000010");
    expect_held(KAN_TYPE_NUMBER, values, "[30, 40)", "000110");
    expect_held(KAN_TYPE_NUMBER, values, "[30, 40]", "000111");
    expect_held(KAN_TYPE_NUMBER, values, "(30,40]", "000011");
    expect_held(KAN_TYPE_NUMBER, values, "[30,40]", "000111");
    expect_held(KAN_TYPE_NUMBER, values, "(-40, -30]", "001000");
    expect_held(KAN_TYPE_NUMBER, values, "(-40.0, 35.5)", "001100");
    expect_held(KAN_TYPE_NUMBER, values, "(2.9e1, 3.6e+1]", "000110");
    expect_held(KAN_TYPE_NUMBER, values, "(30, 30]", "000000");
    expect_held(KAN_TYPE_NUMBER, values, "[30, 30]", "000100");
    expect_held(KAN_TYPE_NUMBER, values, "{\"\", (30, 40]}", "100011");
}

static void a_range_need_not_have_both_bounds(void **state) {
    (void)state;
    const char *const *values = VALUES("", "-40", "-30", "30", "35.5", "40");
    expect_held(KAN_TYPE_NUMBER, values, "(-inf, 30]", "011100");
    expect_held(KAN_TYPE_NUMBER, values, "(30.0, inf]", "000011");
    expect_held(KAN_TYPE_NUMBER, values, "[30, Inf)", "000111");
    expect_held(KAN_TYPE_NUMBER, values, "(-Inf, +Inf)", "011111");
    expect_held(KAN_TYPE_NUMBER, values, "(-\u221e,-30)", "010000");
    expect_held(KAN_TYPE_NUMBER, VALUES("<20", "20", "80", ">=90"), "(-inf, 80]", "1110");
    expect_held(KAN_TYPE_NUMBER, VALUES("<20", "20", "80", ">=90"), "(20, inf)", "0011");
    expect_held(KAN_TYPE_NUMBER, VALUES("<20", "20", "80", ">=90"), "(10, 100]", "0110");
}

/* "0110" of a column that is written with decimal commas, or dates of a form. */
static void expect_spelled(kan_type type, char decimal, const char *date, const char *const *values,
                           const char *label, const char *expected) {
    kan_run *run = kan_run_create();
    kan_column column = column_of(type, values);
    kan_spelling spelling = {.decimal = decimal, .date = {date, -1}, .is_settled = true};
    kan_label_reader reader;
    char marks[64] = "";
    column.spelling = &spelling;
    memset(marks, '0', column.dictionary.n);
    assert_int_equal(kan_label_reader_init(&reader, run, &column), KAN_OK);
    assert_int_equal(kan_label_read(&reader, kan_slice_of(label), mark, marks), KAN_OK);
    if (strcmp(marks, expected) != 0)
        fail_msg("%s holds %s, not %s", label, marks, expected);
    kan_label_reader_destroy(&reader);
    column_destroy(&column);
    kan_run_destroy(run);
}

static void bounds_may_be_written_as_the_table_writes_values(void **state) {
    (void)state;
    const char *const *values = VALUES("1", "1.5", "2", "2.5", "5");
    expect_spelled(KAN_TYPE_NUMBER, ',', NULL, values, "(1,5, 2,5]", "00110");
    expect_spelled(KAN_TYPE_NUMBER, ',', NULL, values, "(1,5,2,5]", "00110");
    expect_spelled(KAN_TYPE_NUMBER, ',', NULL, values, "(1.5, 2.5]", "00110");
    expect_spelled(KAN_TYPE_NUMBER, ',', NULL, values, "[1,5-2,5]", "01110");
    expect_spelled(KAN_TYPE_NUMBER, ',', NULL, values, "(1,5]", "01111");
    /* from 1 to 5.2, or from 1.5 to 2: nobody knows */
    expect_spelled(KAN_TYPE_NUMBER, ',', NULL, values, "(1,5,2]", "00000");
    expect_held(KAN_TYPE_NUMBER, values, "(1,5, 2,5]", "00000");
    expect_spelled(KAN_TYPE_DATE, 0, "%d.%m.%Y", VALUES("2020-01-01", "2020-01-15", "2020-02-01"),
                   "(01.01.2020, 01.02.2020]", "011");
}

static void ranges_of_dates_are_days(void **state) {
    (void)state;
    const char *const *values = VALUES("?", "2003-01-31", "2003-02-01", "2004-01-01");
    expect_held(KAN_TYPE_DATE, values, "[2003-01-31..2003-02-28]", "0110");
    expect_held(KAN_TYPE_DATE, values, "[2003-01-31-2003-02-28]", "0110");
    expect_held(KAN_TYPE_DATE, values, "[2003-01..2003-02]", "0000");
    expect_held(KAN_TYPE_DATE, values, "(2003-01-31, 2004-01-01]", "0011");
    expect_held(KAN_TYPE_DATE, values, "[2003-01-31, 2004-01-01)", "0110");
    expect_held(KAN_TYPE_DATE, values, "(2003-01-31 00:00:00, 2004-01-01 00:00:00]", "0011");
    expect_held(KAN_TYPE_DATE, values, "(2003-01-30 12:00:00, 2003-02-01]", "0110");
}

static void what_is_no_range_holds_nothing(void **state) {
    (void)state;
    const char *const *values = VALUES("1", "2", "3");
    static const char *const labels[] = {
        "",       "[",       "[]",       "[1]",       "[1-]",    "[-3]",   "[3-1]",
        "1-3",    "[1-3",    "1-3]",     "(1-3)",     "[a-b]",   "(1-3]",  "[1-3)",
        "(1..3]", "[1-2-3]", "[1--3]",   "(1, 3",     "1, 3]",   "(3, 1]", "(1; 3]",
        "(a, b]", "(, 3]",   "(inf, 3]", "(1, -inf)", "(1,2,3]", "[1 - 3]"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        expect_held(KAN_TYPE_NUMBER, values, labels[i], "000");
    /* 1 .. .3 or 1. .. 3: nobody knows */
    expect_held(KAN_TYPE_NUMBER, VALUES("1", "2", "3"), "[-1...3]", "000");
}

static void ranges_of_text_have_no_meaning(void **state) {
    (void)state;
    expect_held(KAN_TYPE_TEXT, VALUES("1", "2", "a"), "[1-2]", "000");
    expect_held(KAN_TYPE_TEXT, VALUES("1", "2", "a"), "{[1-2], a}", "001");
}

static void lists_hold_their_values(void **state) {
    (void)state;
    const char *const *values = VALUES("", " b", "a", "c, d", "e\"f", "{g}");
    expect_held(KAN_TYPE_TEXT, values, "{a}", "001000");
    expect_held(KAN_TYPE_TEXT, values, "{a, x}", "001000");
    expect_held(KAN_TYPE_TEXT, values, "{\"\", a}", "101000");
    expect_held(KAN_TYPE_TEXT, values, "{a, \" b\"}", "011000");
    expect_held(KAN_TYPE_TEXT, values, "{\"c, d\", \"e\"\"f\"}", "000110");
    expect_held(KAN_TYPE_TEXT, values, "{\"{g}\", \"a\"   }", "001001");
    expect_held(KAN_TYPE_TEXT, values, "{c, d}", "000000");
}

static void lists_hold_unknown_values_and_a_range(void **state) {
    (void)state;
    const char *const *values = VALUES("", "?", "3", "4", "9");
    expect_held(KAN_TYPE_NUMBER, values, "{\"\", ?, [3-4]}", "11110");
    expect_held(KAN_TYPE_NUMBER, values, "{?, [3, 9)}", "01110");
    expect_held(KAN_TYPE_NUMBER, values, "{?, 9}", "01001");
    expect_held(KAN_TYPE_NUMBER, values, "{?, \"[3-4]\"}", "01000");
}

static void what_is_no_list_holds_nothing(void **state) {
    (void)state;
    static const char *const labels[] = {"{",      "{}",    "{ }",      "{a",
                                         "a}",     "{,a}",  "{a,}",     "{a, }",
                                         "{a,,b}", "{\"a}", "{\"a\"b}", "{\"a\" b}"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        expect_held(KAN_TYPE_TEXT, VALUES("a", "b"), labels[i], "00");
}

/* ---- verification --------------------------------------------------------------------------- */

static kan_table *table_of(kan_run *run, const char *const *values) {
    static const char *const names[] = {"place"};
    kan_table *table;
    assert_int_equal(kan_table_create(run, 1, names, &table), KAN_OK);
    for (size_t i = 0; values[i]; i++)
        assert_int_equal(kan_table_add_row(table, &values[i]), KAN_OK);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static bool covers(const char *const *original, const char *const *release, const char *spec,
                   bool reads_intervals, bool needs_order) {
    kan_run *run = kan_run_create();
    kan_table *before = table_of(run, original), *after = table_of(run, release);
    kan_hierarchy *hierarchy = NULL;
    kan_cover cover;
    if (spec)
        assert_int_equal(kan_hierarchy_build(run, spec, &before->columns[0], &hierarchy), KAN_OK);
    const kan_cover_pair pair = {0, 0, hierarchy};
    const kan_cover_question question = {.release = after,
                                         .original = before,
                                         .quasi = &pair,
                                         .n_quasi = 1,
                                         .reads_intervals = reads_intervals,
                                         .needs_order = needs_order};
    assert_int_equal(kan_verify_cover(run, &question, &cover), KAN_OK);
    kan_hierarchy_destroy(hierarchy);
    kan_table_destroy(before);
    kan_table_destroy(after);
    kan_run_destroy(run);
    return cover.holds;
}

static void an_interval_covers_what_it_holds_and_nothing_else(void **state) {
    (void)state;
    const char *const *original = VALUES("17", "24", "25", "30");
    const char *const *right = VALUES("[17-24]", "[17-24]", "[25-30]", "[25-30]");
    const char *const *wrong = VALUES("[17-24]", "[17-24]", "[17-24]", "[25-30]");
    for (int in_order = 0; in_order < 2; in_order++) {
        assert_true(covers(original, right, NULL, true, in_order));
        assert_true(covers(original, right, "intervals:10", true, in_order));
        assert_false(covers(original, wrong, NULL, true, in_order));
        assert_false(covers(original, right, NULL, false, in_order));
    }
    assert_true(covers(original, VALUES("[25-30]", "[17-24]"), NULL, true, false));
    assert_false(covers(original, VALUES("[25-30]", "[17-24]"), NULL, true, true));
}

static void intervals_may_overlap(void **state) {
    (void)state;
    const char *const *original = VALUES("1", "2", "3", "4");
    assert_true(covers(original, VALUES("[2-4]", "[1-3]", "[1-2]", "[3-4]"), NULL, true, false));
    assert_true(covers(original, VALUES("[1-3]", "[1-2]", "[2-3]", "4"), NULL, true, true));
    assert_false(covers(original, VALUES("[1-2]", "[1-2]", "[1-2]"), NULL, true, false));
}

static void what_is_a_value_or_a_label_is_nothing_else(void **state) {
    (void)state;
    assert_true(covers(VALUES("a", "b", "{a, b}"), VALUES("{a, b}"), NULL, true, true));
    assert_false(covers(VALUES("a", "b", "{a, b}"), VALUES("{a, b}", "{a, b}"), NULL, true, true));
    assert_true(covers(VALUES("a", "b"), VALUES("{a, b}", "{a, b}"), NULL, true, true));
}

static void a_relation_that_finds_no_room_is_an_error_and_leaves_nothing(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_table *before = table_of(run, VALUES("1", "2", "3", "?"));
    kan_table *after = table_of(run, VALUES("[1-2]", "[1-3]", "{?, [2-3]}", "{\"?\", 3}"));
    const kan_cover_pair pair = {0, 0, NULL};
    const kan_cover_question question = {.release = after,
                                         .original = before,
                                         .quasi = &pair,
                                         .n_quasi = 1,
                                         .reads_intervals = true};
    kan_cover cover = {.holds = false};
    kan_status status = KAN_FAILED;
    size_t n_refused = 0;
    kan_run_set_memory(run, UINT64_C(1) << 40);
    const uint64_t used = (UINT64_C(1) << 40) - kan_run_memory_left(run);
    for (uint64_t more = 0; status != KAN_OK; more += 8) {
        kan_run_set_memory(run, used + more);
        status = kan_verify_cover(run, &question, &cover);
        n_refused += status != KAN_OK;
        assert_int_equal(kan_run_memory_left(run), more);
    }
    assert_true(n_refused > 5);
    assert_true(cover.holds);
    kan_table_destroy(before);
    kan_table_destroy(after);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_numbers_hold_both_bounds),
        cmocka_unit_test(a_comma_stands_between_bounds_that_points_would_run_into),
        cmocka_unit_test(half_open_ranges_leave_out_their_end),
        cmocka_unit_test(round_brackets_leave_their_bound_out),
        cmocka_unit_test(a_range_need_not_have_both_bounds),
        cmocka_unit_test(bounds_may_be_written_as_the_table_writes_values),
        cmocka_unit_test(ranges_of_dates_are_days),
        cmocka_unit_test(what_is_no_range_holds_nothing),
        cmocka_unit_test(ranges_of_text_have_no_meaning),
        cmocka_unit_test(lists_hold_their_values),
        cmocka_unit_test(lists_hold_unknown_values_and_a_range),
        cmocka_unit_test(what_is_no_list_holds_nothing),
        cmocka_unit_test(an_interval_covers_what_it_holds_and_nothing_else),
        cmocka_unit_test(intervals_may_overlap),
        cmocka_unit_test(what_is_a_value_or_a_label_is_nothing_else),
        cmocka_unit_test(a_relation_that_finds_no_room_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

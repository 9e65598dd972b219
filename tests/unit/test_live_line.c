/* cli/live_line.c: the words of the live line. The program's files are in no library, so the file
 * itself is part of this test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../cli/live_line.c"

static const kan_progress searching = {.stage = "search",
                                       .done = 1234567,
                                       .has_best = true,
                                       .best = 12345678,
                                       .has_bound = true,
                                       .bound = 11900000};

static const char *line_of(kan_progress progress, double seconds, unsigned width) {
    static char room[CLI_LINE_BYTES];
    cli_live_line(&progress, seconds, width, room);
    return room;
}

static void a_search_shows_states_rate_best_bound_gap_and_time(void **state) {
    (void)state;
    assert_string_equal(line_of(searching, 12.7, 120),
                        "search   1,234,567 states  97,210/s  best 12,345,678  bound 11,900,000  "
                        "gap 3.6 %  12 s");
    assert_string_equal(
        line_of(searching, 0.4, 120),
        "search   1,234,567 states  best 12,345,678  bound 11,900,000  gap 3.6 %  0 s");
}

static void what_is_not_known_is_not_shown(void **state) {
    (void)state;
    kan_progress progress = searching;
    progress.has_bound = false;
    assert_string_equal(line_of(progress, 0, 120),
                        "search   1,234,567 states  best 12,345,678  0 s");
    progress = searching;
    progress.has_best = false;
    assert_string_equal(line_of(progress, 0, 120),
                        "search   1,234,567 states  bound 11,900,000  0 s");
}

static void a_line_is_never_wider_than_the_terminal(void **state) {
    (void)state;
    kan_progress longest = searching;
    longest.done = longest.total = UINT64_MAX;
    longest.best = longest.bound = 999999999999999;
    for (unsigned width = 0; width < 300; width++) {
        const kan_progress stages[] = {{.stage = "generate", .done = UINT64_MAX},
                                       {.stage = "read", .done = UINT64_MAX, .total = UINT64_MAX},
                                       searching,
                                       longest};
        for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
            assert_true(strlen(line_of(stages[i], 4000, width)) <= width);
    }
}

/* No part is cut in two while another can be left out, and the best cost stays to the end. */
static void what_matters_least_is_left_out_first(void **state) {
    (void)state;
    assert_string_equal(line_of(searching, 12, 85),
                        "search   1,234,567 states  best 12,345,678  bound 11,900,000  gap 3.6 %  "
                        "12 s");
    assert_string_equal(line_of(searching, 12, 77),
                        "search   1,234,567 states  best 12,345,678  bound 11,900,000  gap 3.6 %  "
                        "12 s");
    assert_string_equal(line_of(searching, 12, 76),
                        "search   1,234,567 states  best 12,345,678  gap 3.6 %  12 s");
    assert_string_equal(line_of(searching, 12, 58), "search   best 12,345,678  gap 3.6 %  12 s");
    assert_string_equal(line_of(searching, 12, 36), "search   best 12,345,678  gap 3.6 %");
    assert_string_equal(line_of(searching, 12, 30), "search   best 12,345,678");
    assert_string_equal(line_of(searching, 12, 12), "search   bes");
}

static void numbers_are_for_people(void **state) {
    (void)state;
    kan_progress progress = {.stage = "search", .done = 1, .has_best = true, .best = 0.123456};
    assert_string_equal(line_of(progress, 61, 120),
                        "search   1 states  0/s  best 0.1235  1 min 01 s");
    progress.best = 12345.678;
    assert_string_equal(line_of(progress, 3725, 120),
                        "search   1 states  0/s  best 12,346  1 h 02 min");
    progress.best = 6e20;
    assert_string_equal(line_of(progress, 0, 120), "search   1 states  best 6e+20  0 s");
}

static void a_gap_that_is_left_never_looks_closed(void **state) {
    (void)state;
    kan_progress progress = searching;
    progress.bound = progress.best - 1;
    assert_non_null(strstr(line_of(progress, 0, 120), "gap < 0.1 %"));
    progress.bound = progress.best;
    assert_non_null(strstr(line_of(progress, 0, 120), "gap 0.0 %"));
    progress.best = progress.bound = 0;
    assert_non_null(strstr(line_of(progress, 0, 120), "gap 0.0 %"));
}

static void other_stages_show_their_share(void **state) {
    (void)state;
    const kan_progress half = {.stage = "read", .done = 1500, .total = 3000};
    const kan_progress some = {.stage = "fold", .done = 1500};
    const kan_progress none = {.stage = "apply", .done = 0};
    assert_string_equal(line_of(half, 5, 79), "read      50%  1,500 of 3,000");
    assert_string_equal(line_of(half, 5, 20), "read      50%");
    assert_string_equal(line_of(some, 5, 79), "fold     1,500");
    assert_string_equal(line_of(none, 5, 79), "apply    ...");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_shows_states_rate_best_bound_gap_and_time),
        cmocka_unit_test(what_is_not_known_is_not_shown),
        cmocka_unit_test(a_line_is_never_wider_than_the_terminal),
        cmocka_unit_test(what_matters_least_is_left_out_first),
        cmocka_unit_test(numbers_are_for_people),
        cmocka_unit_test(a_gap_that_is_left_never_looks_closed),
        cmocka_unit_test(other_stages_show_their_share),
    };
    return cmocka_run_group_tests_name("live_line", tests, NULL, NULL);
}

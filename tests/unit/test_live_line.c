/* cli/live_line.c and cli/progress_json.c: the words of the live line, and the same for programs.
 * The program's files are in no library, so the files themselves are part of this test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../cli/live_line.c"
#include "../cli/progress_json.c"

static const kan_progress searching = {.stage = "search",
                                       .done = 1234567,
                                       .unit = "states",
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
    kan_progress progress = {
        .stage = "search", .done = 1, .unit = "nodes", .has_best = true, .best = 0.123456};
    assert_string_equal(line_of(progress, 61, 120), "search   1 node  best 0.1235  1 min 01 s");
    progress.best = 12345.678;
    assert_string_equal(line_of(progress, 3725, 120), "search   1 node  best 12,346  1 h 02 min");
    progress.best = 6e20;
    assert_string_equal(line_of(progress, 0, 120), "search   1 node  best 6e+20  0 s");
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
    const kan_progress half = {.stage = "fold", .done = 1500, .total = 3000, .unit = "rows"};
    const kan_progress parts = {.stage = "write", .done = 3, .total = 4};
    const kan_progress some = {.stage = "search", .done = 1500, .unit = "nodes"};
    const kan_progress none = {.stage = "apply", .done = 0};
    assert_string_equal(line_of(half, 0.5, 79), "fold      50%  1,500 of 3,000 rows");
    assert_string_equal(line_of(half, 5, 79),
                        "fold      50%  1,500 of 3,000 rows  300/s  5 s, 5 s left");
    assert_string_equal(line_of(half, 5, 30), "fold      50%  5 s, 5 s left");
    assert_string_equal(line_of(half, 5, 20), "fold      50%");
    assert_string_equal(line_of(parts, 9, 79), "write     75%  3 of 4  9 s, 3 s left");
    assert_string_equal(line_of(some, 5, 79), "search   1,500 nodes  300/s  5 s");
    assert_string_equal(line_of(none, 0.5, 79), "apply    ...");
    assert_string_equal(line_of(none, 5, 79), "apply    ...  5 s");
}

static void bytes_are_sizes_and_memory_is_told_where_there_is_room(void **state) {
    (void)state;
    const kan_progress progress = {.stage = "read",
                                   .done = UINT64_C(150) << 20,
                                   .total = UINT64_C(3) << 30,
                                   .unit = "bytes",
                                   .memory_bytes = 1536};
    assert_string_equal(
        line_of(progress, 2, 120),
        "read       5%  150 MiB of 3.0 GiB  75 MiB/s  2 s, 39 s left  memory 1.5 KiB");
    assert_string_equal(line_of(progress, 2, 67),
                        "read       5%  150 MiB of 3.0 GiB  75 MiB/s  2 s, 39 s left");
}

/* A time limit ends a search however little of it is done. */
static void time_left_is_known_by_the_share_or_by_the_limit(void **state) {
    (void)state;
    kan_progress progress = searching;
    assert_true(cli_seconds_left(&progress, 10) < 0);
    progress.has_limit = true;
    progress.limit_ms = 50000;
    assert_non_null(strstr(line_of(progress, 10, 120), "10 s, 50 s left"));
    const kan_progress share = {
        .stage = "search", .done = 1, .total = 100, .has_limit = true, .limit_ms = 5000};
    assert_true(cli_seconds_left(&share, 10) == 5);
    kan_progress late = share;
    late.done = 99;
    assert_true(cli_seconds_left(&late, 99) == 1);
    late.has_limit = false;
    assert_true(cli_seconds_left(&late, 0.5) < 0); /* too early to say */
}

/* ---- as JSON -------------------------------------------------------------------------------- */

static const char *json_of(kan_progress progress, double stage_seconds, double seconds) {
    static char room[CLI_JSON_BYTES];
    cli_progress_json(&progress, stage_seconds, seconds, room);
    return room;
}

static void every_object_has_the_same_keys(void **state) {
    (void)state;
    kan_progress progress = searching;
    progress.memory_bytes = 4096;
    progress.best = 200;
    progress.bound = 150;
    assert_string_equal(
        json_of(progress, 2, 3.5),
        "{\"stage\":\"search\",\"unit\":\"states\",\"done\":1234567,\"total\":null,\"share\":null,"
        "\"per_second\":617283.5,\"best\":200,\"bound\":150,\"gap\":0.25,\"memory_bytes\":4096,"
        "\"stage_ms\":2000,\"elapsed_ms\":3500,\"eta_ms\":null}");
    const kan_progress half = {.stage = "write", .done = 2, .total = 4};
    assert_string_equal(json_of(half, 2, 3),
                        "{\"stage\":\"write\",\"unit\":null,\"done\":2,\"total\":4,\"share\":0.5,"
                        "\"per_second\":1,\"best\":null,\"bound\":null,\"gap\":null,"
                        "\"memory_bytes\":0,\"stage_ms\":2000,\"elapsed_ms\":3000,"
                        "\"eta_ms\":2000}");
}

static void the_longest_object_is_whole(void **state) {
    (void)state;
    const kan_progress longest = {.stage = "generate",
                                  .unit = "queries",
                                  .done = UINT64_MAX - 1,
                                  .total = UINT64_MAX,
                                  .has_best = true,
                                  .best = -1.23456789012e-300,
                                  .has_bound = true,
                                  .bound = -1.23456789012e-300,
                                  .memory_bytes = UINT64_MAX};
    const char *json = json_of(longest, 1e12, 1e12);
    assert_int_equal(json[strlen(json) - 1], '}');
    kan_progress strange = longest;
    strange.best = INFINITY;
    strange.bound = NAN;
    assert_non_null(strstr(json_of(strange, 1, 1), "\"best\":null,\"bound\":null,\"gap\":"));
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
        cmocka_unit_test(bytes_are_sizes_and_memory_is_told_where_there_is_room),
        cmocka_unit_test(time_left_is_known_by_the_share_or_by_the_limit),
        cmocka_unit_test(every_object_has_the_same_keys),
        cmocka_unit_test(the_longest_object_is_whole),
    };
    return cmocka_run_group_tests_name("live_line", tests, NULL, NULL);
}

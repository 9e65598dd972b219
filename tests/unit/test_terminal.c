/* cli/terminal.c: when progress is told. The program's files are in no library, so the files
 * themselves are part of this test. Time is handed in, not waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../cli/terminal.c"

#include "../cli/live_line.c"
#include "../cli/progress_json.c"

/* How many lines a log would get of a stage that reports twenty times a second. */
static unsigned lines_of_stage(cli_terminal *terminal, double begin, double seconds) {
    unsigned n = 0;
    terminal->stage_began = begin;
    terminal->is_told = false;
    for (int i = 0; i <= (int)(seconds * 20); i++) {
        const double now = begin + i / 20.0;
        if (plain_is_due(terminal, now)) {
            terminal->is_told = true;
            terminal->last_told = now;
            n++;
        }
    }
    return n;
}

static void a_log_gets_no_line_of_short_work(void **state) {
    (void)state;
    cli_terminal terminal = {.stage = "read"};
    unsigned n = 0;
    for (int stage = 0; stage < 6; stage++)
        n += lines_of_stage(&terminal, stage * 0.3, 0.3);
    assert_int_equal(n, 0);
}

static void a_log_gets_a_line_of_a_long_stage_and_one_every_ten_seconds(void **state) {
    (void)state;
    cli_terminal terminal = {.stage = "search"};
    assert_int_equal(lines_of_stage(&terminal, 0, 3), 1);
    assert_int_equal(lines_of_stage(&terminal, 3, 3), 1);
    assert_int_equal(lines_of_stage(&terminal, 6, 33), 4); /* 8, 18, 28, 38 */
}

static void many_short_stages_give_a_line_every_ten_seconds(void **state) {
    (void)state;
    cli_terminal terminal = {.stage = "search"};
    unsigned n = 0;
    for (int stage = 0; stage < 100; stage++)
        n += lines_of_stage(&terminal, stage * 0.5, 0.5);
    assert_in_range(n, 4, 5);
}

static void a_stage_that_begins_again_is_a_new_one(void **state) {
    (void)state;
    const cli_terminal terminal = {.stage = "read", .last_done = 100};
    assert_false(is_new_stage(&terminal, &(kan_progress){.stage = "read", .done = 100}));
    assert_true(is_new_stage(&terminal, &(kan_progress){.stage = "read", .done = 5}));
    assert_true(is_new_stage(&terminal, &(kan_progress){.stage = "fold", .done = 200}));
    assert_true(is_new_stage(&(cli_terminal){0}, &(kan_progress){.stage = "fold"}));
}

static void a_program_is_told_begin_and_end_once_and_four_times_a_second_between(void **state) {
    (void)state;
    cli_terminal terminal = {.stage = "read"};
    kan_progress progress = {.stage = "read", .done = 0, .total = 10};
    assert_true(json_is_due(&terminal, &progress, 0));
    terminal.is_told = true;
    progress.done = 1;
    assert_false(json_is_due(&terminal, &progress, 0.2));
    assert_true(json_is_due(&terminal, &progress, 0.3));
    progress.done = 10;
    assert_true(json_is_due(&terminal, &progress, 0.1));
    terminal.last_done = 10;
    assert_false(json_is_due(&terminal, &progress, 0.1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_gets_no_line_of_short_work),
        cmocka_unit_test(a_log_gets_a_line_of_a_long_stage_and_one_every_ten_seconds),
        cmocka_unit_test(many_short_stages_give_a_line_every_ten_seconds),
        cmocka_unit_test(a_stage_that_begins_again_is_a_new_one),
        cmocka_unit_test(a_program_is_told_begin_and_end_once_and_four_times_a_second_between),
    };
    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}

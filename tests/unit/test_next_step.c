/* The line "next: kanon ...": what a shell makes of it is what was meant, or there is no line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "job/tell/next_step.h"
#include "kanon.h"

typedef struct {
    kan_run *run;
    kan_text text;
} page;

static int set_up(void **state) {
    static page p;
    p.run = kan_run_create();
    assert_non_null(p.run);
    kan_text_init(&p.text, p.run);
    kan_text_print(&p.text, "before\n");
    *state = &p;
    return 0;
}

static int tear_down(void **state) {
    page *p = *state;
    kan_text_destroy(&p->text);
    kan_run_destroy(p->run);
    return 0;
}

static void words_are_quoted_where_a_shell_needs_it(void **state) {
    page *p = *state;
    kan_next_step next = kan_next_begin(&p->text, "next: kanon verify");
    kan_next_word(&next, "a b.csv");
    kan_next_flag(&next, "original", "it's.csv");
    kan_next_flag(&next, "k", NULL);
    kan_next_flag(&next, "separator", ";");
    assert_true(kan_next_end(&next));
    assert_string_equal(
        p->text.bytes,
        "before\nnext: kanon verify 'a b.csv' --original 'it'\\''s.csv' --separator ';'\n");
}

/* Whatever a table was read with it is read with again: an option of several kinds once. */
static void a_table_is_read_as_it_was(void **state) {
    page *p = *state;
    kan_arena arena;
    kan_options options;
    kan_arena_init(&arena, p->run);
    kan_options_init(&options, &arena);
    static const char *const given[][2] = {{"sheet", "2"},      {"engine", "duckdb"},
                                           {"labels", "codes"}, {"duckdb", "/a b.so"},
                                           {"missing", "-9"},   {"k", "3"}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        assert_int_equal(kan_options_add(&options, given[i][0], given[i][1]), KAN_OK);
    kan_next_step next = kan_next_begin(&p->text, "next:");
    kan_next_reading(&next, &options);
    assert_true(kan_next_end(&next));
    assert_string_equal(p->text.bytes, "before\nnext: --engine duckdb --missing -9 --labels codes "
                                       "--sheet 2 --duckdb '/a b.so'\n");
    kan_options_destroy(&options);
    kan_arena_destroy(&arena);
}

static void names_stand_in_one_list(void **state) {
    page *p = *state;
    size_t n = 0;
    kan_next_step next = kan_next_begin(&p->text, "next:");
    kan_next_name(&next, "qi", "age", true, &n);
    kan_next_name(&next, "qi", "$x y", true, &n);
    kan_next_name(&next, "qi",
                  "Stra\xc3\x9f"
                  "e",
                  true, &n);
    assert_int_equal(n, 3);
    assert_true(kan_next_end(&next));
    assert_string_equal(p->text.bytes, "before\nnext: --qi age,'$x y','Stra\xc3\x9f"
                                       "e'\n");
}

static void a_value_stands_behind_its_name(void **state) {
    page *p = *state;
    size_t n = 0;
    kan_next_step next = kan_next_begin(&p->text, "next:");
    kan_next_name(&next, "qi", "an age", true, &n);
    kan_next_value(&next, "ages.csv");
    assert_true(kan_next_end(&next));
    assert_string_equal(p->text.bytes, "before\nnext: --qi 'an age'=ages.csv\n");
    next = kan_next_begin(&p->text, "next:");
    kan_next_name(&next, "qi", "age", true, &n);
    kan_next_value(&next, "a,b.csv");
    assert_false(kan_next_end(&next));
}

/* A shell reads back what was said, whatever printable characters there are. */
static void a_shell_reads_back_every_word(void **state) {
    page *p = *state;
    char word[96], line[512];
    for (char c = ' '; c < 0x7f; c++)
        word[c - ' '] = c;
    word[0x7f - ' '] = '\0';
    memmove(word + 1, word, 95); /* not with a blank or a dash in front */
    word[0] = 'a';
    word[95] = '\0';
    kan_next_step next = kan_next_begin(&p->text, "printf %s");
    kan_next_word(&next, word);
    assert_true(kan_next_end(&next));
    FILE *pipe = popen(strchr(p->text.bytes, '\n') + 1, "r");
    assert_non_null(pipe);
    const size_t size = fread(line, 1, sizeof line - 1, pipe);
    line[size] = '\0';
    assert_int_equal(pclose(pipe), 0);
    assert_string_equal(line, word);
}

static void expect_nothing(page *p, const char *name, bool is_quasi) {
    size_t n = 0;
    kan_next_step next = kan_next_begin(&p->text, "next:");
    kan_next_name(&next, "qi", "age", is_quasi, &n);
    kan_next_name(&next, "qi", name, is_quasi, &n);
    assert_false(kan_next_end(&next));
    assert_string_equal(p->text.bytes, "before\n");
}

static void what_cannot_be_said_leaves_no_line(void **state) {
    page *p = *state;
    expect_nothing(p, "a,b", false);
    expect_nothing(p, " a", false);
    expect_nothing(p, "", false);
    expect_nothing(p, "a=b", true);
    expect_nothing(p, "a\nb", false);
    expect_nothing(p, "a\x1b[0m", false);
    expect_nothing(p, "a\xff", false);
    expect_nothing(p, "--force", false);
}

static void touch(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void a_free_path_names_nothing_yet(void **state) {
    char dir[] = "/tmp/kanon-next-XXXXXX", table[64], path[KAN_NEXT_PATH], wanted[96];
    static const char *const names[] = {"release.csv", "orders-release.csv", "orders-release-2.csv",
                                        "orders-release-3.csv"};
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(table, sizeof table, "%s/orders.csv.gz", dir);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(wanted, sizeof wanted, "%s/%s", dir, names[i]);
        assert_string_equal(kan_next_free_path(table, "release.csv", path), wanted);
        touch(path);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(wanted, sizeof wanted, "%s/%s", dir, names[i]);
        assert_int_equal(unlink(wanted), 0);
    }
    assert_int_equal(rmdir(dir), 0);
    assert_string_equal(kan_next_free_path("no-such-table.csv", "no-such-name", path),
                        "no-such-name");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_are_quoted_where_a_shell_needs_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_table_is_read_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_stand_in_one_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_stands_behind_its_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_shell_reads_back_every_word, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_said_leaves_no_line, set_up, tear_down),
        cmocka_unit_test(a_free_path_names_nothing_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Order files: values of a column, one per line. */
#include <unistd.h>

#include "hierarchy_column.h"
#include "io/side_files/order_file.h"

enum { MOST = 16 };

typedef struct {
    char path[64];
    kan_run *run;
    kan_column column;
    uint32_t order[MOST];
} fixture;

static kan_status read_bytes(fixture *f, const char *bytes, size_t size,
                             const char *const *values) {
    *f = (fixture){.run = kan_run_create(), .column = column_of(KAN_TYPE_TEXT, values)};
    snprintf(f->path, sizeof f->path, "/tmp/kanon-order-XXXXXX");
    const int file = mkstemp(f->path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    assert_int_equal(close(file), 0);
    kan_problems_begin(f->run);
    return kan_order_read(f->run, f->path, &f->column, f->order);
}

static void finish(fixture *f) {
    unlink(f->path);
    column_destroy(&f->column);
    kan_run_destroy(f->run);
}

static void expect_order(const char *text, const char *const *values, const uint32_t *order) {
    fixture f;
    if (read_bytes(&f, text, strlen(text), values) != KAN_OK)
        fail_msg("%s", kan_run_error(f.run));
    assert_memory_equal(f.order, order, f.column.dictionary.n * sizeof *order);
    finish(&f);
}

static void expect_problem(const char *text, const char *const *values, size_t n_problems,
                           const char *problem) {
    fixture f;
    assert_int_equal(read_bytes(&f, text, strlen(text), values), KAN_BAD_INPUT);
    assert_int_equal(kan_problems_count(f.run), n_problems);
    assert_error_has(f.run, problem);
    finish(&f);
}

#define ORDER(...) ((const uint32_t[]){__VA_ARGS__})

static void lines_give_the_order(void **state) {
    (void)state;
    expect_order("c\na\nb\n", VALUES("a", "b", "c"), ORDER(2, 0, 1));
    expect_order("c\r\na\r\nb", VALUES("a", "b", "c"), ORDER(2, 0, 1));
    expect_order("\xef\xbb\xbf"
                 "b\na\n",
                 VALUES("a", "b"), ORDER(1, 0));
}

static void a_line_is_one_value_whatever_it_holds(void **state) {
    (void)state;
    expect_order("b, c; d\te\na\n", VALUES("a", "b, c; d\te"), ORDER(1, 0));
    expect_order("\"two\nlines\"\n\"say \"\"a\"\"\"\n", VALUES("say \"a\"", "two\nlines"),
                 ORDER(1, 0));
}

static void values_that_the_data_lacks_are_passed_over(void **state) {
    (void)state;
    expect_order("x\nb\ny\ny\na\n", VALUES("a", "b"), ORDER(1, 0));
}

static void an_empty_line_is_the_empty_value_where_there_is_one(void **state) {
    (void)state;
    expect_order("a\n\nb\n\n", VALUES("", "a", "b"), ORDER(1, 0, 2));
    expect_order("a\n\"\"\nb\n", VALUES("", "a", "b"), ORDER(1, 0, 2));
    expect_order("\na\n\nb\n\n", VALUES("a", "b"), ORDER(0, 1));
    expect_problem("a\nb\n", VALUES("", "a", "b"), 1, "no line for the value ''");
}

static void what_is_missing_or_repeated_is_told_with_its_line(void **state) {
    (void)state;
    expect_problem("a\nb\na\n", VALUES("a", "b"), 1,
                   ":3: the value 'a' is already on line 1; remove one of them");
    expect_problem("a\n", VALUES("a", "b", "c"), 2,
                   "no line for the value 'b' of column 'place'; add one where it belongs");
    expect_problem("", VALUES("a"), 1, "no line for the value 'a'");
    expect_problem("5\" pipe\na\n", VALUES("a"), 1, ":1: ");
    expect_problem("a\x1f"
                   "b\na\n",
                   VALUES("a"), 1, ":1: the line holds a control character");
}

static void a_file_that_is_not_there_is_told_with_its_setting(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(read_bytes(&f, "a\n", 2, VALUES("a")), KAN_OK);
    kan_problems_begin(f.run);
    kan_problem_add(f.run, "told before");
    assert_int_equal(kan_order_read(f.run, "/nonexistent/order", &f.column, f.order),
                     KAN_BAD_INPUT);
    assert_int_equal(kan_problems_count(f.run), 2);
    assert_error_has(f.run, "told before");
    assert_error_has(f.run, "--order place=/nonexistent/order: ");
    finish(&f);
}

static void an_order_that_finds_no_room_is_an_error_and_leaves_nothing(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(read_bytes(&f, "c\na\n\"b\"\"\"\n", 10, VALUES("a", "b\"", "c")), KAN_OK);
    kan_status status = KAN_FAILED;
    size_t n_refused = 0;
    kan_run_set_memory(f.run, UINT64_C(1) << 40);
    const uint64_t used = (UINT64_C(1) << 40) - kan_run_memory_left(f.run);
    for (uint64_t more = 8; status != KAN_OK; more += 8) { /* a budget of 0 means no limit */
        kan_run_set_memory(f.run, used + more);
        kan_problems_begin(f.run);
        status = kan_order_read(f.run, f.path, &f.column, f.order);
        n_refused += status != KAN_OK;
        assert_int_equal(kan_run_memory_left(f.run), more);
    }
    assert_true(n_refused > 1);
    finish(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_give_the_order),
        cmocka_unit_test(a_line_is_one_value_whatever_it_holds),
        cmocka_unit_test(values_that_the_data_lacks_are_passed_over),
        cmocka_unit_test(an_empty_line_is_the_empty_value_where_there_is_one),
        cmocka_unit_test(what_is_missing_or_repeated_is_told_with_its_line),
        cmocka_unit_test(a_file_that_is_not_there_is_told_with_its_setting),
        cmocka_unit_test(an_order_that_finds_no_room_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

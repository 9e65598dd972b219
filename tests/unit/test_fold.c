/* engine/fold.c over a transport that gives what a test laid out: the counted table is the same in
 * whatever order the engine gives its groups, and NULL and '' are one value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/sql/dialect.h"
#include "toy_transport.h"

static kan_run *run;
static const kan_engine_kind toy_kind = {"postgres", &kan_dialect_postgres, &toy_transport};
static const char *const columns[][3] = {
    {"age", "integer", "1"}, {"pay", "double precision", "1"}, {"photo", "bytea", "1"}};

static int begin(void **state) {
    (void)state;
    run = kan_run_create();
    return run ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    kan_run_destroy(run);
    return 0;
}

static kan_engine *open_toy(toy *t, toy_answer *answers, size_t n) {
    void *engine = NULL;
    const kan_source_options options = {0};
    *t = (toy){.columns = columns, .n_columns = 3, .answers = answers, .n_answers = n};
    toy_begin(t, run);
    assert_int_equal(
        kan_engine_open(run, &toy_kind, "postgres://h/db?table=people", &options, &engine), KAN_OK);
    return engine;
}

static void assert_row(const kan_table *table, uint64_t row, const char *age, const char *pay,
                       uint64_t count) {
    assert_true(kan_slice_is(kan_column_value(&table->columns[0], row), age));
    assert_true(kan_slice_is(kan_column_value(&table->columns[1], row), pay));
    assert_int_equal(kan_table_count(table, row), count);
}

static void groups_become_rows_in_the_order_of_their_values(void **state) {
    const char *const rows[][TOY_MOST_COLUMNS] = {
        {"30", "1e+15", "3"}, {NULL, "0.5", "2"}, {"7", "-0", "1"}, {"", "0.50", "5000000000"}};
    toy_answer answers[] = {{"GROUP BY", 4, rows, 0}};
    const bool encode[] = {true, true, false};
    kan_table *table;
    toy t;
    (void)state;
    kan_engine *const engine = open_toy(&t, answers, 1);
    assert_int_equal(kan_engine_fold(engine, encode, &table), KAN_OK);
    assert_int_equal(table->n_rows, 3);
    assert_int_equal(kan_table_total(table), UINT64_C(5000000006));
    assert_int_equal(table->n_columns, 3);
    assert_false(table->columns[2].is_encoded);
    for (uint64_t row = 1; row < 3; row++)
        assert_true(kan_column_code(&table->columns[0], row - 1) <
                    kan_column_code(&table->columns[0], row));
    uint64_t row = 0;
    while (kan_column_value(&table->columns[0], row).size > 0)
        row++;
    assert_row(table, row, "", "0.5", UINT64_C(5000000002));
    for (row = 0; !kan_slice_is(kan_column_value(&table->columns[0], row), "30");)
        row++;
    assert_row(table, row, "30", "1000000000000000", 3);
    for (row = 0; !kan_slice_is(kan_column_value(&table->columns[0], row), "7");)
        row++;
    assert_row(table, row, "7", "-0", 1);
    assert_int_equal(kan_engine_rows_received(engine), 4);
    kan_table_destroy(table);
    kan_engine_close(engine);
    assert_false(t.is_open);
    assert_non_null(strstr(t.log.bytes, "BEGIN"));
    assert_non_null(strstr(t.log.bytes, "ROLLBACK"));
    toy_end(&t);
}

static void assert_fold_fails(toy_answer *answers, size_t n, const bool *encode, kan_status status,
                              const char *want) {
    kan_table *table = NULL;
    toy t;
    kan_engine *const engine = open_toy(&t, answers, n);
    assert_int_equal(kan_engine_fold(engine, encode, &table), status);
    assert_null(table);
    assert_non_null(strstr(kan_run_error(run), want));
    kan_engine_close(engine);
    assert_non_null(strstr(kan_run_error(run), want));
    toy_end(&t);
}

static void what_cannot_be_counted_is_told(void **state) {
    const char *const bad_text[][TOY_MOST_COLUMNS] = {{"a\xff", "1", "3"}};
    const char *const bad_count[][TOY_MOST_COLUMNS] = {{"a", "1", "3.0"}};
    const char *const large[][TOY_MOST_COLUMNS] = {{"a", "1", "99999999999999999999"}};
    const char *const none[][TOY_MOST_COLUMNS] = {{"a", "1", NULL}};
    const bool encode[] = {true, true, false}, all[] = {true, true, true};
    (void)state;
    assert_fold_fails(&(toy_answer){"GROUP BY", 1, bad_text, 0}, 1, encode, KAN_BAD_INPUT, "age");
    assert_fold_fails(&(toy_answer){"GROUP BY", 1, bad_count, 0}, 1, encode, KAN_FAILED, "number");
    assert_fold_fails(&(toy_answer){"GROUP BY", 1, large, 0}, 1, encode, KAN_FAILED, "number");
    assert_fold_fails(&(toy_answer){"GROUP BY", 1, none, 0}, 1, encode, KAN_FAILED, "number");
    assert_fold_fails(NULL, 0, encode, KAN_BAD_INPUT, "no row");
    assert_fold_fails(NULL, 0, all, KAN_BAD_INPUT, "photo");
}

static void every_failing_call_ends_the_fold_with_its_words(void **state) {
    const char *const rows[][TOY_MOST_COLUMNS] = {{"30", "1", "3"}};
    toy_answer answers[] = {{"GROUP BY", 1, rows, 0}};
    const kan_source_options options = {0};
    const bool encode[] = {true, true, false};
    (void)state;
    for (size_t fail_at = 1; fail_at <= 3; fail_at++) {
        toy t = {.columns = columns,
                 .n_columns = 3,
                 .answers = answers,
                 .n_answers = 1,
                 .fail_at = fail_at};
        void *engine = NULL;
        kan_table *table = NULL;
        toy_begin(&t, run);
        kan_status status =
            kan_engine_open(run, &toy_kind, "postgres://h/db?table=people", &options, &engine);
        if (status == KAN_OK)
            status = kan_engine_fold(engine, encode, &table);
        assert_int_equal(status, KAN_FAILED);
        assert_null(table);
        kan_engine_close(engine);
        assert_non_null(strstr(kan_run_error(run), "the line is dead"));
        assert_false(t.is_open);
        toy_end(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_become_rows_in_the_order_of_their_values),
        cmocka_unit_test(what_cannot_be_counted_is_told),
        cmocka_unit_test(every_failing_call_ends_the_fold_with_its_words),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

/* Rows of nothing but * are set aside, and only those. */
#include "analyze/verify/blank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"age", "pay", "note"};

static kan_table *table_of(kan_run *run, const char *const (*rows)[3], size_t n) {
    kan_table *table;
    assert_int_equal(kan_table_create(run, 3, names, &table), KAN_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(kan_table_add_row(table, rows[i]), KAN_OK);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static void expect_cell(const kan_table *table, uint64_t row, size_t column, const char *text) {
    size_t size;
    const char *value = kan_table_value(table, row, column, &size);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(value, text, size);
}

static void what_is_left_has_types_and_values_of_its_own(void **state) {
    static const char *const rows[][3] = {{"30", "7", "x"},  {"*", "*", "*"}, {"*", "*", "y"},
                                          {"*", "100", "*"}, {"*", "*", "*"}, {"40", "20", "x"}};
    static const uint64_t left[] = {0, 2, 3, 5};
    (void)state;
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, rows, 6);
    kan_shown_rows shown;
    assert_int_equal(kan_shown_rows_find(run, table, NULL, &shown), KAN_OK);
    assert_int_equal(shown.n_blank, 2);
    assert_int_equal(shown.first_blank, 1);
    assert_int_equal(shown.table->n_rows, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(kan_shown_row(&shown, i), left[i]);
        for (size_t c = 0; c < 3; c++)
            expect_cell(shown.table, i, c, rows[left[i]][c]);
    }
    kan_shown_rows_destroy(&shown);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void a_column_of_numbers_stays_one(void **state) {
    static const char *const rows[][3] = {
        {"30", "7", "x"}, {"*", "*", "*"}, {"31", "100", "x"}, {"30", "20", "y"}};
    (void)state;
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, rows, 4);
    kan_shown_rows shown;
    assert_int_equal(table->columns[1].dictionary.type, KAN_TYPE_TEXT);
    assert_int_equal(kan_shown_rows_find(run, table, NULL, &shown), KAN_OK);
    assert_int_equal(shown.table->columns[1].dictionary.type, KAN_TYPE_NUMBER);
    assert_int_equal(shown.table->columns[1].dictionary.n, 3);
    assert_int_equal(kan_column_code(&shown.table->columns[1], 1), 2); /* 100 is behind 20 */
    kan_shown_rows_destroy(&shown);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void without_blank_rows_and_with_nothing_else_there_is_no_other_table(void **state) {
    static const char *const none[][3] = {{"*", "*", ""}, {"*", "**", "*"}, {"30", "*", "*"}};
    static const char *const all[][3] = {{"*", "*", "*"}, {"*", "*", "*"}};
    (void)state;
    kan_run *run = kan_run_create();
    kan_shown_rows shown;
    kan_table *table = table_of(run, none, 3);
    assert_int_equal(kan_shown_rows_find(run, table, NULL, &shown), KAN_OK);
    assert_int_equal(shown.n_blank, 0);
    assert_null(shown.table);
    assert_int_equal(kan_shown_row(&shown, 2), 2);
    kan_shown_rows_destroy(&shown);
    kan_table_destroy(table);
    table = table_of(run, all, 2);
    assert_int_equal(kan_shown_rows_find(run, table, NULL, &shown), KAN_OK);
    assert_int_equal(shown.n_blank, 2);
    assert_null(shown.table);
    kan_shown_rows_destroy(&shown);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_has_types_and_values_of_its_own),
        cmocka_unit_test(a_column_of_numbers_stays_one),
        cmocka_unit_test(without_blank_rows_and_with_nothing_else_there_is_no_other_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

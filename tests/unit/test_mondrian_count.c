/* What `kanon-bench mondrian` counts of groups, from the rows alone. This part of the bench program
 * is taken in here. */
#include "../../bench/mondrian_count.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const kan_column *column_of(const kan_table *table, size_t i) {
    return &table->columns[i];
}

static void groups_are_counted_by_their_own_values(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"20", "a"}, {"40", "b"}, {"30", "a"},
                                          {"20", "a"}, {"60", "c"}, {"30", "d"}};
    static const uint32_t group_of_row[] = {0, 2, 2, 0, 2, 2}; /* group 1 is empty */
    kan_run *run = kan_run_create();
    kan_table *table;
    mondrian_count count;
    assert_int_equal(kan_table_create(run, 2, (const char *const[]){"age", "job"}, &table), KAN_OK);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(kan_table_add_row(table, rows[i]), KAN_OK);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    const kan_column *columns[] = {column_of(table, 0), column_of(table, 1)};
    assert_true(mondrian_count_make(columns, 2, 6, group_of_row, 3, &count));
    assert_int_equal(count.n_groups, 2);
    assert_int_equal(count.smallest, 2);
    assert_true(count.discernibility == 4 + 16);
    assert_true(count.average == 3);
    /* Group 0: 20 to 20, one job. Group 2: 30 to 60 of 20 to 60, four of four jobs. */
    assert_true(fabs(count.tight_ncp - (4 * 0.75 + 4 * 1.0) / 12) < 1e-12);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void a_column_of_one_number_covers_nothing(void **state) {
    (void)state;
    static const uint32_t group_of_row[] = {0, 0};
    kan_run *run = kan_run_create();
    kan_table *table;
    mondrian_count count;
    assert_int_equal(kan_table_create(run, 1, (const char *const[]){"age"}, &table), KAN_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(kan_table_add_row(table, (const char *const[]){"5"}), KAN_OK);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    const kan_column *columns[] = {column_of(table, 0)};
    assert_true(mondrian_count_make(columns, 1, 2, group_of_row, 1, &count));
    assert_true(count.tight_ncp == 0);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_counted_by_their_own_values),
        cmocka_unit_test(a_column_of_one_number_covers_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

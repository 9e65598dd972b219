/* recode/apply.h and recode/recoding.h: labels and tables of a recoding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "recode/apply.h"

static const char *const names[] = {"age", "zip", "note"};
static const char *const rows[][3] = {
    {"34", "53715", "a"}, {"36", "53710", "b"}, {"34", "53703", "c"},
    {"61", "60601", "d"}, {"7", "60605", "e"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

typedef struct {
    kan_run *run;
    kan_table *table;
    kan_hierarchy *hierarchies[2];
} scene;

static int set_up(void **state) {
    static scene here;
    here.run = kan_run_create();
    assert_non_null(here.run);
    assert_int_equal(kan_table_create(here.run, 3, names, &here.table), KAN_OK);
    for (size_t i = 0; i < N_ROWS; i++)
        assert_int_equal(kan_table_add_row(here.table, rows[i]), KAN_OK);
    assert_int_equal(kan_table_seal(here.table), KAN_OK);
    assert_int_equal(kan_hierarchy_build(here.run, "intervals:5,10", &here.table->columns[0],
                                         &here.hierarchies[0]),
                     KAN_OK);
    assert_int_equal(
        kan_hierarchy_build(here.run, "digits:5", &here.table->columns[1], &here.hierarchies[1]),
        KAN_OK);
    *state = &here;
    return 0;
}

static int tear_down(void **state) {
    scene *here = *state;
    kan_hierarchy_destroy(here->hierarchies[0]);
    kan_hierarchy_destroy(here->hierarchies[1]);
    kan_table_destroy(here->table);
    kan_run_destroy(here->run);
    return 0;
}

static void expect_cell(const kan_table *table, uint64_t row, size_t column, const char *text) {
    kan_slice value = kan_column_value(&table->columns[column], row);
    assert_int_equal(value.size, strlen(text));
    assert_memory_equal(value.bytes, text, value.size);
}

static kan_table *apply(scene *here, unsigned age, unsigned zip, const uint8_t *is_suppressed) {
    static const size_t columns[] = {0, 1};
    kan_shown shown[2];
    kan_apply_source source = {here->table, columns, shown, 2, is_suppressed};
    kan_recoding recoding = {.type = KAN_RECODING_LEVELS, .n_attributes = 2, .levels = {age, zip}};
    kan_table *made;
    for (unsigned a = 0; a < 2; a++)
        assert_int_equal(
            kan_shown_make(here->run, &recoding, a, here->hierarchies[a], NULL, &shown[a]), KAN_OK);
    assert_int_equal(kan_apply_shown(here->run, &source, &made), KAN_OK);
    return made;
}

static void level_zero_gives_the_values_themselves(void **state) {
    scene *here = *state;
    kan_table *made = apply(here, 0, 0, NULL);
    assert_int_equal(made->n_rows, N_ROWS);
    assert_int_equal(made->n_columns, 2);
    for (uint64_t row = 0; row < N_ROWS; row++)
        for (size_t column = 0; column < 2; column++)
            expect_cell(made, row, column, rows[row][column]);
    kan_table_destroy(made);
}

static void every_row_shows_the_label_of_its_level(void **state) {
    static const char *const ages[] = {"30-39", "30-39", "30-39", "60-69", "0-9"};
    static const char *const zips[] = {"537**", "537**", "537**", "606**", "606**"};
    kan_table *made = apply(*state, 2, 2, NULL);
    for (uint64_t row = 0; row < N_ROWS; row++) {
        expect_cell(made, row, 0, ages[row]);
        expect_cell(made, row, 1, zips[row]);
    }
    assert_int_equal(made->columns[1].dictionary.n, 2);
    kan_table_destroy(made);
}

static void suppressed_rows_are_left_out_and_order_is_kept(void **state) {
    const uint8_t is_suppressed[N_ROWS] = {0, 1, 0, 1, 0};
    kan_table *made = apply(*state, 1, 5, is_suppressed);
    assert_int_equal(made->n_rows, 3);
    expect_cell(made, 0, 0, "30-34");
    expect_cell(made, 1, 0, "30-34");
    expect_cell(made, 2, 0, "5-9");
    for (uint64_t row = 0; row < 3; row++)
        expect_cell(made, row, 1, "*");
    kan_table_destroy(made);
}

static void a_recoding_that_finds_no_room_is_an_error_and_leaves_nothing(void **state) {
    scene *here = *state;
    static const size_t columns[] = {0, 1};
    const kan_shown shown[2] = {{.hierarchy = here->hierarchies[0], .level = 1},
                                {.hierarchy = here->hierarchies[1], .level = 1}};
    kan_apply_source source = {here->table, columns, shown, 2, NULL};
    kan_run_set_memory(here->run, UINT64_C(1) << 40);
    const uint64_t used = (UINT64_C(1) << 40) - kan_run_memory_left(here->run);
    kan_status status = KAN_FAILED;
    size_t n_refused = 0;
    for (uint64_t more = 0; status != KAN_OK; more += 8) {
        kan_table *made = NULL;
        kan_run_set_memory(here->run, used + more);
        status = kan_apply_shown(here->run, &source, &made);
        n_refused += status != KAN_OK;
        assert_true(status == KAN_OK || !made);
        kan_table_destroy(made);
        assert_int_equal(kan_run_memory_left(here->run), more);
    }
    assert_true(n_refused > 5);
    kan_run_set_memory(here->run, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(level_zero_gives_the_values_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_row_shows_the_label_of_its_level, set_up, tear_down),
        cmocka_unit_test_setup_teardown(suppressed_rows_are_left_out_and_order_is_kept, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            a_recoding_that_finds_no_room_is_an_error_and_leaves_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

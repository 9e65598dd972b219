/* io/source.h: a source that counts where its rows are is read like one that has rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/run.h"
#include "io/source.h"

/* Three distinct people, six rows. */
static const char *const names[] = {"age", "town"};
static const char *const cells[][2] = {{"30", "Bonn"}, {"31", "Kiel"}, {"31", "Bonn"}};
static const uint64_t times[] = {1, 3, 2};

typedef struct {
    kan_run *run;
    bool is_wrong; /* counts a row that does not stand there */
} counter;

static kan_status count_open(kan_run *run, const char *path, const kan_source_options *options,
                             void **state) {
    counter *c;
    (void)options;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *c, &c));
    c->run = run;
    c->is_wrong = strcmp(path, "wrong") == 0;
    *state = c;
    return KAN_OK;
}

static void count_close(void *state) {
    counter *c = state;
    kan_free(c->run, c);
}

static const char *count_name(const void *state) {
    (void)state;
    return "the database";
}

static size_t count_columns(const void *state) {
    (void)state;
    return 2;
}

static const char *count_column(const void *state, size_t column) {
    (void)state;
    return names[column];
}

static kan_status count_rows(void *state, const bool *encode, kan_table **out) {
    counter *c = state;
    kan_table *table;
    uint64_t *counts;
    (void)encode;
    KAN_TRY(kan_table_create(c->run, 2, names, &table));
    for (size_t i = 0; i < 3; i++) {
        const char *row[] = {cells[i][0], cells[i][1]};
        assert_int_equal(kan_table_add_row(table, row), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    KAN_TRY(kan_alloc(c->run, 3, sizeof *counts, &counts));
    memcpy(counts, times, sizeof times);
    if (c->is_wrong)
        counts[1] = 0;
    const kan_status status = kan_table_take_counts(table, counts);
    if (status == KAN_OK)
        *out = table;
    else
        kan_table_destroy(table);
    return status;
}

static const kan_source_kind counting = {
    .kind = {.name = "counting", .summary = "rows stay where they are"},
    .open = count_open,
    .close = count_close,
    .name = count_name,
    .n_columns = count_columns,
    .column_name = count_column,
    .count = count_rows,
};

static void a_counted_table_has_each_row_as_often_as_it_stands_there(void **state) {
    kan_run *run = *state;
    const kan_source_options options = {0};
    const bool encode[] = {true, true};
    kan_source *source;
    kan_table *table;
    assert_int_equal(kan_source_open(run, &counting, "people", &options, &source), KAN_OK);
    assert_string_equal(kan_source_name(source), "the database");
    assert_int_equal(kan_source_n_columns(source), 2);
    assert_int_equal(kan_source_read(source, encode, NULL, &table), KAN_OK);
    assert_int_equal(table->n_rows, 6);
    for (size_t i = 0, row = 0; i < 3; i++)
        for (uint64_t n = 0; n < times[i]; n++, row++)
            for (size_t c = 0; c < 2; c++) {
                const kan_column *column = &table->columns[c];
                const kan_slice value =
                    kan_dictionary_value(&column->dictionary, kan_column_code(column, row));
                assert_int_equal(column->n_rows, 6);
                assert_true(kan_slice_is(value, cells[i][c]));
            }
    kan_table_destroy(table);
    kan_source_close(source);
}

static void who_takes_counts_gets_them(void **state) {
    kan_run *run = *state;
    const kan_source_options options = {0};
    const bool encode[] = {true, true};
    kan_source *source;
    kan_table *table;
    assert_int_equal(kan_source_open(run, &counting, "people", &options, &source), KAN_OK);
    source->takes_counts = true;
    assert_int_equal(kan_source_read(source, encode, NULL, &table), KAN_OK);
    assert_int_equal(table->n_rows, 3);
    assert_int_equal(kan_table_total(table), 6);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(kan_table_count(table, i), times[i]);
    kan_table_destroy(table);
    kan_source_close(source);
}

static void a_row_that_stands_nowhere_is_a_fault(void **state) {
    kan_run *run = *state;
    const kan_source_options options = {0};
    const bool encode[] = {true, true};
    kan_source *source;
    kan_table *table = NULL;
    assert_int_equal(kan_source_open(run, &counting, "wrong", &options, &source), KAN_OK);
    assert_int_equal(kan_source_read(source, encode, NULL, &table), KAN_FAILED);
    assert_null(table);
    kan_source_close(source);
}

static void what_a_source_cannot_do_it_says(void **state) {
    kan_run *run = *state;
    const kan_source_options options = {0};
    const size_t column = 1;
    uint64_t hashes[6], *out = hashes, line;
    bool is_found = true;
    kan_source *source;
    assert_int_equal(kan_source_open(run, &counting, "people", &options, &source), KAN_OK);
    assert_int_equal(kan_source_hash(source, &column, 1, &out), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "counting"));
    assert_int_equal(kan_source_find_lines(source, &(uint64_t){0}, 1, &line, &is_found), KAN_OK);
    assert_false(is_found);
    kan_source_close(source);
}

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_counted_table_has_each_row_as_often_as_it_stands_there,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_takes_counts_gets_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_row_that_stands_nowhere_is_a_fault, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_source_cannot_do_it_says, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

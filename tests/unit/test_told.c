/* The cover of counted tables, and what is told of it (analyze/cover/told.h): a lie cannot make hold
 * what does not, and a mistake cannot break what holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "analyze/cover/told.h"

static const char *const names[] = {"town", "ill"};

typedef struct {
    const char *town, *ill;
    uint64_t count;
} line;

static kan_table *make(kan_run *run, const line *lines, size_t n) {
    kan_table *table;
    uint64_t *counts;
    assert_int_equal(kan_table_create(run, 2, names, &table), KAN_OK);
    for (size_t i = 0; i < n; i++) {
        const char *row[] = {lines[i].town, lines[i].ill};
        assert_int_equal(kan_table_add_row(table, row), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_int_equal(kan_alloc(run, n, sizeof *counts, &counts), KAN_OK);
    for (size_t i = 0; i < n; i++)
        counts[i] = lines[i].count;
    assert_int_equal(kan_table_take_counts(table, counts), KAN_OK);
    return table;
}

/* Five billion rows in Bonn, of which two are left out. */
static const line people[] = {
    {"Bonn", "x", UINT64_C(5000000000)}, {"Bonn", "y", 2}, {"Kiel", "x", 3}, {"Kiel", "y", 4}};
static const uint64_t order[] = {0, 2, 3, 1};

static kan_cover cover(kan_run *run, const line *release, size_t n_release, const line *told,
                       size_t n_told, const uint64_t *row_of) {
    static const kan_cover_pair town = {0, 0, NULL}, ill = {1, 1, NULL};
    kan_table *original = make(run, people, 4), *released = make(run, release, n_release);
    kan_table *said = make(run, told, n_told);
    const kan_cover_question question = {.release = released,
                                         .original = original,
                                         .quasi = &town,
                                         .n_quasi = 1,
                                         .others = &ill,
                                         .n_others = 1};
    kan_cover out, alone;
    assert_int_equal(kan_verify_cover_told(run, &question, said, row_of, &out), KAN_OK);
    assert_int_equal(kan_verify_cover(run, &question, &alone), KAN_OK);
    assert_int_equal(out.holds, alone.holds); /* it decides nothing */
    assert_int_equal(out.n_not_released, alone.n_not_released);
    assert_int_equal(out.n_unmatched, alone.n_unmatched);
    kan_table_destroy(original);
    kan_table_destroy(released);
    kan_table_destroy(said);
    return out;
}

static const line good[] = {{"*", "x", UINT64_C(5000000000)}, {"Kiel", "x", 3}, {"Kiel", "y", 4}};

static void what_is_told_rightly_is_a_cover(void **state) {
    const line merged[] = {{"Kiel", "y", 4}, {"*", "x", UINT64_C(5000000000)}, {"Kiel", "x", 3}};
    const kan_cover out = cover(*state, merged, 3, good, 3, order);
    assert_true(out.holds);
    assert_int_equal(out.n_not_released, 2);
}

static void a_lie_about_the_release_does_not_make_it_hold(void **state) {
    const line bad[] = {{"Ulm", "x", UINT64_C(5000000000)}, {"Kiel", "x", 3}, {"Kiel", "y", 4}};
    assert_false(cover(*state, bad, 3, good, 3, order).holds);
}

static void a_row_more_often_than_it_was_is_found(void **state) {
    const line more[] = {{"*", "x", UINT64_C(5000000004)}, {"Kiel", "y", 4}};
    const line said[] = {{"*", "x", UINT64_C(5000000004)}, {"Kiel", "y", 4}};
    const uint64_t rows[] = {0, 3, 2, 1};
    const kan_cover out = cover(*state, more, 2, said, 2, rows);
    assert_false(out.holds);
    assert_int_equal(out.n_unmatched, 1); /* of x there are 5000000003 */
}

static void a_row_that_is_told_twice_does_not_stand_for_two(void **state) {
    const line twice[] = {{"Kiel", "y", 4}, {"Kiel", "y", 4}};
    const uint64_t rows[] = {3, 3, 0, 1};
    assert_int_equal(rows[0], rows[1]);
    kan_run *run = *state;
    kan_table *original = make(run, people, 4), *released = make(run, twice, 2);
    static const kan_cover_pair town = {0, 0, NULL};
    const kan_cover_question question = {
        .release = released, .original = original, .quasi = &town, .n_quasi = 1};
    kan_cover out = {.holds = true};
    const kan_status status = kan_verify_cover_told(run, &question, released, rows, &out);
    assert_true(status == KAN_FAILED || !out.holds);
    kan_table_destroy(original);
    kan_table_destroy(released);
}

static void a_mistake_about_rows_breaks_nothing(void **state) {
    const uint64_t wrong[] = {1, 3, 2, 0};
    assert_true(cover(*state, good, 3, good, 3, wrong).holds);
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
        cmocka_unit_test_setup_teardown(what_is_told_rightly_is_a_cover, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lie_about_the_release_does_not_make_it_hold, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_row_more_often_than_it_was_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_row_that_is_told_twice_does_not_stand_for_two, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_mistake_about_rows_breaks_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

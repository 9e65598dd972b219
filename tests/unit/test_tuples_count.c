/* analyze/tuples: all rows at once are counted as if they were added one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tuples/tuples.h"
#include "core/hash.h"

enum { WORDS = 2, SIZE = WORDS * sizeof(uint64_t) };

/* Rows that show one of so many tuples, the first ones more often. */
typedef struct {
    uint64_t n_rows, n_tuples;
} shown_rows;

static void tuple_of(const shown_rows *rows, uint64_t row, uint64_t *tuple) {
    uint64_t state = row * 7 + 1;
    const uint64_t most = kan_random_below(&state, rows->n_tuples) + 1;
    tuple[0] = kan_random_below(&state, most) / 3;
    tuple[1] = tuple[0] * 5 + (row & 1);
}

static void lay_out(const void *context, uint64_t row, size_t n, char *block) {
    for (size_t i = 0; i < n; i++) {
        uint64_t tuple[WORDS];
        tuple_of(context, row + i, tuple);
        memcpy(block + i * SIZE, tuple, SIZE);
    }
}

static uint64_t *counts_of(uint64_t n_rows) {
    uint64_t *counts = malloc((size_t)n_rows * sizeof *counts);
    assert_non_null(counts);
    for (uint64_t row = 0; row < n_rows; row++)
        counts[row] = row % 5 ? row % 7 : UINT64_C(1) << 33;
    return counts;
}

static void assert_same(const kan_tuples *is, const kan_tuples *should) {
    size_t found;
    assert_int_equal(is->n, should->n);
    for (size_t i = 0; i < should->n; i++) {
        assert_memory_equal(kan_tuples_at(is, i), kan_tuples_at(should, i), SIZE);
        assert_int_equal(is->count[i], should->count[i]);
        assert_int_equal(is->first_row[i], should->first_row[i]);
        assert_true(kan_tuples_find(is, kan_tuples_at(should, i), &found));
        assert_int_equal(found, i);
    }
}

static void check(const shown_rows *rows, const uint64_t *counts) {
    const unsigned threads[] = {1, 2, 3, 7, 16};
    kan_run *run = kan_run_create();
    kan_tuples should;
    size_t unused;
    kan_tuples_init(&should, run, SIZE);
    for (uint64_t row = 0; row < rows->n_rows; row++) {
        uint64_t tuple[WORDS];
        tuple_of(rows, row, tuple);
        assert_int_equal(
            kan_tuples_add_rows(&should, tuple, row, counts ? counts[row] : 1, &unused), KAN_OK);
    }
    const bool is_large = rows->n_rows > 100000; /* several chunks: once is enough */
    for (size_t i = is_large ? 3 : 0; i < (is_large ? 4 : sizeof threads / sizeof *threads); i++) {
        const kan_tuples_source source = {
            .context = rows, .n_rows = rows->n_rows, .lay_out = lay_out, .counts = counts};
        kan_tuples is;
        kan_run_set_threads(run, threads[i]);
        kan_tuples_init(&is, run, SIZE);
        assert_int_equal(kan_tuples_count(&is, &source), KAN_OK);
        assert_same(&is, &should);
        /* And more can be added behind. */
        assert_int_equal(kan_tuples_add(&is, (uint64_t[WORDS]){UINT64_MAX, 1}, 0, &unused), KAN_OK);
        assert_int_equal(unused, should.n);
        kan_tuples_destroy(&is);
    }
    kan_tuples_destroy(&should);
    kan_run_destroy(run);
}

static void threads_count_what_one_by_one_counts(void **state) {
    const uint64_t n_rows[] = {0, 1, 255, 257, 32768, 32769, 70001, 1048576 + 12345};
    const uint64_t n_tuples[] = {1, 40, 5000, UINT64_C(1) << 40};
    (void)state;
    for (size_t i = 0; i < sizeof n_rows / sizeof *n_rows; i++)
        for (size_t j = 0; j < sizeof n_tuples / sizeof *n_tuples; j++)
            if (n_rows[i] < 100000 || j > 1)
                check(&(shown_rows){n_rows[i], n_tuples[j]}, NULL);
}

static void rows_of_a_counted_table_count_as_many_as_they_stand_for(void **state) {
    const shown_rows rows = {70001, 5000};
    uint64_t *counts = counts_of(rows.n_rows);
    (void)state;
    check(&rows, counts);
    free(counts);
}

/* ---- tables --------------------------------------------------------------------------------- */

static kan_table *make_table(kan_run *run, size_t n_rows, size_t n_values) {
    const char *const names[] = {"a", "b", "ill", "pay"};
    kan_table *table = NULL;
    uint64_t state = 11;
    assert_int_equal(kan_table_create(run, 4, names, &table), KAN_OK);
    for (size_t row = 0; row < n_rows; row++) {
        char texts[4][24];
        const char *fields[4];
        for (size_t i = 0; i < 4; i++) {
            snprintf(texts[i], sizeof texts[i], "%u",
                     (unsigned)kan_random_below(&state, i % 2 ? n_values : 7));
            fields[i] = row % 50 == 0 && i < 2 ? "*" : texts[i];
        }
        assert_int_equal(kan_table_add_row(table, fields), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

typedef struct {
    size_t *group_of;
} told;

static kan_status follow(void *context, uint64_t row, size_t n, const size_t *groups) {
    memcpy(((told *)context)->group_of + row, groups, n * sizeof *groups);
    return KAN_OK;
}

/* The group and the values of every row are those of its joined tuple. */
static void check_joined(const kan_table *table, const told *rows, const kan_recount_joined *joined,
                         size_t n_groups) {
    uint64_t n_rows = 0;
    for (size_t i = 0; i < joined->tuples.n; i++) {
        const uint64_t row = joined->tuples.first_row[i];
        const kan_column *ill = &table->columns[2], *pay = &table->columns[3];
        assert_int_equal(joined->group_of[i], rows->group_of[row]);
        assert_true(joined->group_of[i] < n_groups);
        assert_int_equal(kan_recount_joined_code(joined, i, joined->at, ill->width),
                         kan_column_code(ill, row));
        assert_int_equal(kan_recount_joined_code(joined, i, joined->at + ill->width, pay->width),
                         kan_column_code(pay, row));
        n_rows += joined->tuples.count[i];
    }
    assert_int_equal(n_rows, table->n_rows);
}

static void groups_are_the_same_with_other_columns_beside(void **state) {
    enum { N_ROWS = 40000 };
    const size_t columns[] = {0, 1}, n_values[] = {3, 300, 70000};
    (void)state;
    for (unsigned round = 0; round < 6; round++) {
        kan_run *run = kan_run_create();
        kan_run_set_threads(run, round % 2 ? 5 : 1);
        kan_table *table = make_table(run, N_ROWS, n_values[round / 2]);
        told rows = {malloc(N_ROWS * sizeof *rows.group_of)};
        const kan_recount_follower follower = {follow, &rows};
        const kan_column *const others[] = {&table->columns[2], &table->columns[3]};
        kan_recount_groups should, plain, is;
        kan_recount_joined joined;
        assert_true(kan_recount_can_join(run, table, 4));
        assert_int_equal(kan_recount_group(run, table, columns, 2, &follower, &should), KAN_OK);
        assert_int_equal(kan_recount_group(run, table, columns, 2, NULL, &plain), KAN_OK);
        assert_int_equal(kan_recount_join(run, table, columns, 2, others, 2, &is, &joined), KAN_OK);
        const kan_recount_groups *both[] = {&plain, &is};
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(both[i]->star, should.star);
            assert_int_equal(both[i]->n_rows, should.n_rows);
            assert_int_equal(both[i]->tuples.n, should.tuples.n);
            assert_int_equal(both[i]->tuples.size, should.tuples.size);
            assert_memory_equal(both[i]->tuples.bytes, should.tuples.bytes,
                                should.tuples.n * should.tuples.size);
            assert_memory_equal(both[i]->tuples.count, should.tuples.count,
                                should.tuples.n * sizeof(uint64_t));
            assert_memory_equal(both[i]->tuples.first_row, should.tuples.first_row,
                                should.tuples.n * sizeof(uint64_t));
        }
        check_joined(table, &rows, &joined, is.tuples.n);
        kan_recount_joined_destroy(run, &joined);
        kan_tuples_destroy(&should.tuples);
        kan_tuples_destroy(&plain.tuples);
        kan_tuples_destroy(&is.tuples);
        free(rows.group_of);
        kan_table_destroy(table);
        kan_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_count_what_one_by_one_counts),
        cmocka_unit_test(rows_of_a_counted_table_count_as_many_as_they_stand_for),
        cmocka_unit_test(groups_are_the_same_with_other_columns_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

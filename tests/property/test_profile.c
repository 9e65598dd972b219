/* Columns and combinations of columns against a naive recount: rows are compared pair by pair, as
 * texts, and sets of columns are walked as bit masks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/subsets.h"
#include "core/hash.h"
#include "support/random_problem.h"

enum { MOST_COLUMNS = 7, MOST_ROWS = 40, TEXT = 16 };

typedef struct {
    size_t n_rows;
    unsigned n_columns;
    char values[MOST_ROWS][MOST_COLUMNS][TEXT];
    kan_table *table;
} world;

/* Numbers, texts and missing values; some columns have one value, others one per row. */
static void make_world(kan_run *run, uint64_t *random, world *w) {
    static const char *const names[MOST_COLUMNS] = {"a", "b", "c", "d", "e", "f", "g"};
    const char *row[MOST_COLUMNS];
    unsigned n_values[MOST_COLUMNS];
    bool is_text[MOST_COLUMNS];
    w->n_rows = 1 + (size_t)kan_random_below(random, MOST_ROWS);
    w->n_columns = 1 + (unsigned)kan_random_below(random, MOST_COLUMNS);
    for (unsigned c = 0; c < w->n_columns; c++) {
        n_values[c] = 1 + (unsigned)kan_random_below(random, kan_random_below(random, 2) ? 4 : 60);
        is_text[c] = kan_random_below(random, 2);
    }
    EXPECT_OK(run, kan_table_create(run, w->n_columns, names, &w->table));
    for (size_t r = 0; r < w->n_rows; r++) {
        for (unsigned c = 0; c < w->n_columns; c++) {
            const unsigned value = (unsigned)kan_random_below(random, n_values[c]);
            if (kan_random_below(random, 8) == 0)
                snprintf(w->values[r][c], TEXT, "%s", value % 2 ? "?" : "");
            else
                snprintf(w->values[r][c], TEXT, "%s%u", is_text[c] ? "v" : "", value);
            row[c] = w->values[r][c];
        }
        EXPECT_OK(run, kan_table_add_row(w->table, row));
    }
    EXPECT_OK(run, kan_table_seal(w->table));
}

static bool are_alike(const world *w, unsigned set, size_t a, size_t b) {
    for (unsigned c = 0; c < w->n_columns; c++)
        if ((set >> c & 1) && strcmp(w->values[a][c], w->values[b][c]) != 0)
            return false;
    return true;
}

/* Groups by comparing each row with every other. */
static void recount(const world *w, unsigned set, uint64_t *n_distinct, uint64_t *n_unique,
                    uint64_t *n_together) {
    *n_distinct = *n_unique = *n_together = 0;
    for (size_t a = 0; a < w->n_rows; a++) {
        bool is_first = true, is_alone = true;
        for (size_t b = 0; b < w->n_rows; b++) {
            if (a == b || !are_alike(w, set, a, b))
                continue;
            is_alone = false;
            is_first = is_first && b > a;
            *n_together += b > a;
        }
        *n_distinct += is_first;
        *n_unique += is_alone;
    }
}

/* ---- combinations --------------------------------------------------------------------------- */

static bool is_telling(const world *w, unsigned set, double share) {
    uint64_t n_distinct, n_unique, n_together;
    recount(w, set, &n_distinct, &n_unique, &n_together);
    return n_unique > 0 && (double)n_unique >= share * (double)w->n_rows;
}

/* By all its parts, not only those of one column less. */
static bool is_minimal(const world *w, unsigned set, double share) {
    for (unsigned part = (set - 1) & set; part; part = (part - 1) & set)
        if (is_telling(w, part, share))
            return false;
    return is_telling(w, set, share);
}

static unsigned mask_of(const kan_subset *set, const size_t *columns) {
    unsigned mask = 0;
    for (unsigned i = 0; i < set->size; i++)
        mask |= 1u << columns[set->columns[i]];
    return mask;
}

static void check_subset(const world *w, const kan_subset *set, unsigned mask, double share) {
    uint64_t n_distinct, n_unique, n_together;
    recount(w, mask, &n_distinct, &n_unique, &n_together);
    assert_int_equal(set->n_distinct, n_distinct);
    assert_int_equal(set->n_unique, n_unique);
    assert_int_equal(set->n_together, n_together);
    assert_int_equal(set->is_minimal, is_minimal(w, mask, share));
}

/* The columns in another order than the table's. */
static void shuffle_columns(uint64_t *random, size_t *columns, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        const unsigned j = (unsigned)kan_random_below(random, i + 1);
        columns[i] = columns[j];
        columns[j] = i;
    }
}

static void one_table_of_combinations(kan_run *run, uint64_t seed) {
    static world w;
    size_t columns[MOST_COLUMNS] = {0};
    bool is_seen[1 << MOST_COLUMNS] = {false};
    uint64_t random = seed;
    kan_subsets subsets;
    make_world(run, &random, &w);
    shuffle_columns(&random, columns, w.n_columns);
    const double share = (double)kan_random_below(&random, 5) / 10;
    const kan_subset_question question = {
        .table = w.table,
        .columns = columns,
        .n_columns = w.n_columns,
        .n_rows = MOST_ROWS,
        .n_subsets = kan_random_below(&random, 2) ? 1000 : kan_random_below(&random, 60),
        .telling = share};
    kan_run_set_threads(run, 1 + (unsigned)kan_random_below(&random, 3));
    EXPECT_OK(run, kan_subsets_measure(run, &question, &subsets));
    assert_int_equal(subsets.n_rows, w.n_rows);
    assert_false(subsets.is_sampled);
    assert_true(subsets.n <= question.n_subsets || subsets.n == w.n_columns);
    if (question.n_subsets == 1000)
        assert_int_equal(subsets.n, subsets.n_all);
    for (size_t i = 0; i < subsets.n; i++) {
        const unsigned mask = mask_of(&subsets.list[i], columns);
        assert_false(is_seen[mask]);
        is_seen[mask] = true;
        check_subset(&w, &subsets.list[i], mask, share);
        if (i > 0)
            assert_true(subsets.list[i - 1].n_unique >= subsets.list[i].n_unique);
    }
    kan_subsets_destroy(&subsets);
    kan_table_destroy(w.table);
}

static void combinations_equal_a_naive_recount(void **state) {
    (void)state;
    random_rounds(300, one_table_of_combinations);
}

/* ---- columns -------------------------------------------------------------------------------- */

static void check_column(kan_run *run, const world *w, unsigned c) {
    kan_profile_column column;
    uint64_t n_distinct, n_unique, n_together, n_missing = 0, n_binned = 0, most = 0;
    EXPECT_OK(run, kan_profile_column_make(run, &w->table->columns[c], w->n_rows, &column));
    recount(w, 1u << c, &n_distinct, &n_unique, &n_together);
    for (size_t r = 0; r < w->n_rows; r++) {
        const char *value = w->values[r][c];
        const bool is_missing = !*value || strcmp(value, "?") == 0;
        uint64_t n = 0;
        bool is_first = true;
        for (size_t other = 0; other < w->n_rows; other++) {
            const bool is_same = strcmp(value, w->values[other][c]) == 0;
            n += is_same;
            is_first = is_first && !(is_same && other < r);
        }
        n_missing += is_missing;
        n_distinct -= is_missing && is_first;
        n_unique -= is_missing && n == 1;
        most = !is_missing && n > most ? n : most;
    }
    assert_int_equal(column.n_missing, n_missing);
    assert_int_equal(column.n_distinct, n_distinct);
    assert_int_equal(column.n_once, n_unique);
    assert_true(column.n_together == n_together);
    assert_int_equal(column.n_top ? column.top_rows[0] : 0, most);
    for (unsigned i = 1; i < column.n_top; i++)
        assert_true(column.top_rows[i - 1] >= column.top_rows[i]);
    for (unsigned i = 0; i < column.n_bins; i++)
        n_binned += column.bins[i];
    if (column.n_bins > 0)
        assert_int_equal(n_binned, w->n_rows - n_missing);
}

static void one_table_of_columns(kan_run *run, uint64_t seed) {
    static world w;
    uint64_t random = seed;
    make_world(run, &random, &w);
    for (unsigned c = 0; c < w.n_columns; c++)
        check_column(run, &w, c);
    kan_table_destroy(w.table);
}

static void columns_equal_a_naive_recount(void **state) {
    (void)state;
    random_rounds(300, one_table_of_columns);
}

/* ---- beside the quasi-identifiers ------------------------------------------------------------ */

static void one_table_of_singled_rows(kan_run *run, uint64_t seed) {
    static world w;
    size_t columns[MOST_COLUMNS] = {0};
    uint64_t random = seed, n_alone[MOST_COLUMNS], n_already, n_distinct, n_before, n_with,
             n_together;
    unsigned quasi = 0;
    make_world(run, &random, &w);
    shuffle_columns(&random, columns, w.n_columns);
    const size_t n_quasi = 1 + (size_t)kan_random_below(&random, w.n_columns);
    const kan_singled_question question = {.table = w.table,
                                           .quasi = columns,
                                           .others = columns + n_quasi,
                                           .n_quasi = n_quasi,
                                           .n_others = w.n_columns - n_quasi};
    EXPECT_OK(run, kan_profile_singled(run, &question, n_alone, &n_already));
    for (size_t i = 0; i < n_quasi; i++)
        quasi |= 1u << columns[i];
    recount(&w, quasi, &n_distinct, &n_before, &n_together);
    assert_int_equal(n_already, n_before);
    for (size_t i = 0; i < question.n_others; i++) {
        recount(&w, quasi | 1u << question.others[i], &n_distinct, &n_with, &n_together);
        assert_int_equal(n_alone[i], n_with);
    }
    kan_table_destroy(w.table);
}

static void rows_singled_out_beside_quasi_identifiers_equal_a_naive_recount(void **state) {
    (void)state;
    random_rounds(200, one_table_of_singled_rows);
}

/* ---- samples -------------------------------------------------------------------------------- */

/* Every row is different, and so is every row of a sample: each is drawn once. Another seed draws
 * another one, the same seed the same on any number of threads. */
static void a_sample_draws_different_rows_by_its_seed(void **state) {
    const char *names[] = {"id", "part"}, *row[2];
    size_t columns[] = {0, 1};
    uint64_t together[3];
    kan_run *run = kan_run_create();
    kan_table *table;
    char texts[2][TEXT];
    (void)state;
    EXPECT_OK(run, kan_table_create(run, 2, names, &table));
    for (int i = 0; i < 500; i++) {
        snprintf(texts[0], TEXT, "%d", i);
        snprintf(texts[1], TEXT, "%d", i / 25);
        row[0] = texts[0];
        row[1] = texts[1];
        EXPECT_OK(run, kan_table_add_row(table, row));
    }
    EXPECT_OK(run, kan_table_seal(table));
    const kan_subset_question question = {
        .table = table, .columns = columns, .n_columns = 2, .n_rows = 100, .n_subsets = 10};
    for (unsigned i = 0; i < 3; i++) {
        kan_subsets subsets;
        kan_run_set_seed(run, i == 2 ? 2 : 1);
        kan_run_set_threads(run, i + 1);
        EXPECT_OK(run, kan_subsets_measure(run, &question, &subsets));
        assert_true(subsets.is_sampled);
        assert_int_equal(subsets.n_rows, 100);
        assert_int_equal(subsets.list[0].n_unique, 100);
        assert_int_equal(subsets.list[2].size, 1);
        together[i] = subsets.list[2].n_together;
        kan_subsets_destroy(&subsets);
    }
    assert_int_equal(together[0], together[1]);
    assert_int_not_equal(together[0], together[2]);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(combinations_equal_a_naive_recount, random_tear_down),
        cmocka_unit_test_teardown(columns_equal_a_naive_recount, random_tear_down),
        cmocka_unit_test_teardown(rows_singled_out_beside_quasi_identifiers_equal_a_naive_recount,
                                  random_tear_down),
        cmocka_unit_test(a_sample_draws_different_rows_by_its_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

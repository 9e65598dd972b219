/* The recount of matches against counting every pair of a row and a person, on random releases: sound
 * ones, and such in which cells were changed, shown or exchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "analyze/verify/recount_fits.h"
#include "core/hash.h"

enum { MOST_ROWS = 24, MOST_COLUMNS = 4, TEXT = 4, ROUNDS = 4000 };

typedef struct {
    size_t n_rows, n_columns;
    char cells[MOST_ROWS][MOST_COLUMNS][TEXT];
} sheet;

static kan_table *table_of(kan_run *run, const sheet *s) {
    static const char *const names[] = {"a", "b", "c", "d"};
    kan_table *table;
    assert_int_equal(kan_table_create(run, s->n_columns, names, &table), KAN_OK);
    for (size_t r = 0; r < s->n_rows; r++) {
        const char *values[MOST_COLUMNS];
        for (size_t c = 0; c < s->n_columns; c++)
            values[c] = s->cells[r][c];
        assert_int_equal(kan_table_add_row(table, values), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static bool fits(const sheet *release, size_t row, const sheet *original, size_t person) {
    for (size_t c = 0; c < release->n_columns; c++) {
        const char *shown = release->cells[row][c];
        if (shown[0] != '\0' && strcmp(shown, "*") != 0 &&
            strcmp(shown, original->cells[person][c]) != 0)
            return false;
    }
    return true;
}

/* A quarter of the cells hidden; then some are whatever any cell may be. */
static void make_world(uint64_t *random, sheet *original, sheet *release, uint8_t *is_left_out) {
    static const char *const values[] = {"", "1", "01", "1.0", "x", "*"};
    original->n_rows = (size_t)kan_random_below(random, MOST_ROWS) + 1;
    original->n_columns = (size_t)kan_random_below(random, MOST_COLUMNS) + 1;
    release->n_columns = original->n_columns;
    release->n_rows = 0;
    const uint64_t n_values = 2 + kan_random_below(random, 5);
    const bool is_tampered = kan_random_below(random, 2);
    for (size_t r = 0; r < original->n_rows; r++) {
        is_left_out[r] = kan_random_below(random, 8) == 0;
        for (size_t c = 0; c < original->n_columns; c++) {
            strcpy(original->cells[r][c], values[kan_random_below(random, n_values)]);
            char *cell = release->cells[release->n_rows][c];
            strcpy(cell, kan_random_below(random, 4) ? original->cells[r][c] : "*");
            if (is_tampered && kan_random_below(random, 6) == 0)
                strcpy(cell, values[kan_random_below(random, 6)]);
        }
        release->n_rows += !is_left_out[r];
    }
}

static void expect_counted(const sheet *original, const sheet *release, const uint8_t *is_left_out,
                           const kan_fits_recount *found) {
    uint64_t fewest_people = UINT64_MAX, fewest_rows = UINT64_MAX, small_rows = 0, small_people = 0;
    for (size_t r = 0; r < release->n_rows; r++) {
        uint64_t n = 0;
        for (size_t p = 0; p < original->n_rows; p++)
            n += !is_left_out[p] && fits(release, r, original, p);
        fewest_people = n < fewest_people ? n : fewest_people;
        small_rows += n < found->k;
    }
    for (size_t p = 0; p < original->n_rows; p++) {
        uint64_t n = 0;
        for (size_t r = 0; r < release->n_rows; r++)
            n += fits(release, r, original, p);
        if (is_left_out[p])
            continue;
        fewest_rows = n < fewest_rows ? n : fewest_rows;
        small_people += n < found->k;
    }
    assert_int_equal(found->fewest_people, fewest_people);
    assert_int_equal(found->fewest_rows, fewest_rows);
    assert_int_equal(found->n_small_rows, small_rows);
    assert_int_equal(found->n_small_people, small_people);
    assert_int_equal(found->holds, release->n_rows > 0 && small_rows + small_people == 0);
}

static void it_counts_what_pairs_say(void **state) {
    size_t n_holding = 0, n_failing = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        static const size_t columns[] = {0, 1, 2, 3};
        static sheet original, release;
        uint64_t random = seed;
        uint8_t is_left_out[MOST_ROWS];
        kan_fits_recount found;
        kan_run *run = kan_run_create();
        make_world(&random, &original, &release, is_left_out);
        kan_table *before = table_of(run, &original), *after = table_of(run, &release);
        const kan_fits_question question = {.release = after,
                                            .original = before,
                                            .released = columns,
                                            .originals = columns,
                                            .n_columns = original.n_columns,
                                            .is_left_out = is_left_out,
                                            .k = 1 + kan_random_below(&random, 4)};
        if (release.n_rows > 0) {
            assert_int_equal(kan_verify_fits(run, &question, &found), KAN_OK);
            expect_counted(&original, &release, is_left_out, &found);
            n_holding += found.holds;
            n_failing += !found.holds;
        }
        kan_table_destroy(before);
        kan_table_destroy(after);
        kan_run_destroy(run);
    }
    assert_true(n_holding > ROUNDS / 10 && n_failing > ROUNDS / 10);
}

/* ---- by sets of columns, and within strata ---------------------------------------------------- */

typedef struct {
    uint64_t fewest_people, fewest_rows, small_rows, small_people, n_sets, n_failing;
} worst_counts;

static bool fits_by(const sheet *release, size_t row, const sheet *original, size_t person,
                    unsigned set, bool has_strata) {
    const size_t last = release->n_columns - 1;
    if (has_strata && strcmp(release->cells[row][last], original->cells[person][last]) != 0)
        return false;
    for (size_t c = 0; c < release->n_columns - has_strata; c++) {
        const char *shown = release->cells[row][c];
        if ((set >> c & 1) && shown[0] != '\0' && strcmp(shown, "*") != 0 &&
            strcmp(shown, original->cells[person][c]) != 0)
            return false;
    }
    return true;
}

static void count_set(const sheet *original, const sheet *release, const uint8_t *is_left_out,
                      unsigned set, bool has_strata, uint64_t k, worst_counts *worst) {
    uint64_t small_rows = 0, small_people = 0;
    for (size_t r = 0; r < release->n_rows; r++) {
        uint64_t n = 0;
        for (size_t p = 0; p < original->n_rows; p++)
            n += !is_left_out[p] && fits_by(release, r, original, p, set, has_strata);
        worst->fewest_people = n < worst->fewest_people ? n : worst->fewest_people;
        small_rows += n < k;
    }
    for (size_t p = 0; p < original->n_rows; p++) {
        uint64_t n = 0;
        for (size_t r = 0; r < release->n_rows && !is_left_out[p]; r++)
            n += fits_by(release, r, original, p, set, has_strata);
        if (is_left_out[p])
            continue;
        worst->fewest_rows = n < worst->fewest_rows ? n : worst->fewest_rows;
        small_people += n < k;
    }
    worst->small_rows = small_rows > worst->small_rows ? small_rows : worst->small_rows;
    worst->small_people = small_people > worst->small_people ? small_people : worst->small_people;
    worst->n_sets++;
    worst->n_failing += small_rows + small_people > 0;
}

static void draw_sizes(uint64_t *random, size_t n_columns, kan_column_sets *out) {
    uint64_t k[MOST_COLUMNS + 1] = {0};
    *out = (kan_column_sets){.n = 0};
    for (int i = 0; i < 2; i++)
        k[1 + kan_random_below(random, n_columns)] = 1 + kan_random_below(random, 4);
    for (size_t m = 1; m <= n_columns; m++)
        if (k[m] > 0)
            out->sizes[out->n++] = (kan_column_set){m, k[m]};
}

static bool one_world(uint64_t seed) {
    static const size_t columns[] = {0, 1, 2, 3};
    static sheet original, release;
    uint64_t random = seed * 31;
    uint8_t is_left_out[MOST_ROWS];
    kan_fits_recount found = {.holds = false};
    kan_column_sets sizes;
    kan_run *run = kan_run_create();
    make_world(&random, &original, &release, is_left_out);
    const bool has_strata = original.n_columns > 1 && kan_random_below(&random, 2);
    draw_sizes(&random, original.n_columns - has_strata, &sizes);
    kan_table *before = table_of(run, &original), *after = table_of(run, &release);
    const kan_fits_question question = {.release = after,
                                        .original = before,
                                        .released = columns,
                                        .originals = columns,
                                        .n_columns = original.n_columns,
                                        .has_strata = has_strata,
                                        .is_left_out = is_left_out};
    if (release.n_rows > 0) {
        worst_counts worst = {.fewest_people = UINT64_MAX, .fewest_rows = UINT64_MAX};
        assert_int_equal(kan_verify_fits_sets(run, &question, &sizes, &found), KAN_OK);
        for (unsigned i = 0; i < sizes.n; i++)
            for (unsigned set = 1; set < 1U << (original.n_columns - has_strata); set++)
                if (__builtin_popcount(set) == (int)sizes.sizes[i].m)
                    count_set(&original, &release, is_left_out, set, has_strata, sizes.sizes[i].k,
                              &worst);
        assert_int_equal(found.fewest_people, worst.fewest_people);
        assert_int_equal(found.fewest_rows, worst.fewest_rows);
        assert_int_equal(found.n_small_rows, worst.small_rows);
        assert_int_equal(found.n_small_people, worst.small_people);
        assert_int_equal(found.n_sets, worst.n_sets);
        assert_int_equal(found.n_failing_sets, worst.n_failing);
        assert_int_equal(found.holds, worst.n_failing == 0);
    }
    kan_table_destroy(before);
    kan_table_destroy(after);
    kan_run_destroy(run);
    return found.holds;
}

static void it_counts_every_set(void **state) {
    size_t n_holding = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        n_holding += one_world(seed);
    assert_true(n_holding > ROUNDS / 20 && n_holding < ROUNDS * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_counts_what_pairs_say),
                                       cmocka_unit_test(it_counts_every_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Matches and special uniques against their definitions: every row with every other, every set of
 * columns with each of its parts, as texts. Shares no code with src/analyze/risk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/risk/risk.h"
#include "support/random_problem.h"

enum { ROWS = 60, COLUMNS = 7, TEXT = 8 };

typedef struct {
    uint64_t random;
    size_t n_columns, n_rows;
    char cells[ROWS][COLUMNS][TEXT];
    bool matches_missing;
    unsigned most;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* Few values or many, hidden in no, some or most cells. */
static void make_world(world *w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->random = seed;
    w->n_columns = 1 + below(w, COLUMNS);
    w->n_rows = 1 + below(w, ROWS);
    w->matches_missing = below(w, 2);
    w->most = 1 + (unsigned)below(w, 4);
    const size_t hidden = below(w, 3) ? below(w, 6) : 0, n_values = 1 + below(w, 9);
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < w->n_columns; c++) {
            if (hidden && below(w, 10) < hidden)
                snprintf(w->cells[r][c], TEXT, "%s", below(w, 2) ? "*" : "");
            else
                snprintf(w->cells[r][c], TEXT, "v%zu", below(w, 1 + (n_values + c) % 9));
        }
}

/* ---- definitions ---------------------------------------------------------------------------- */

static bool is_hidden(const char *cell) {
    return strcmp(cell, "*") == 0 || cell[0] == '\0';
}

static bool is_same(const world *w, size_t a, size_t b, unsigned set, bool matches_missing) {
    for (size_t c = 0; c < w->n_columns; c++) {
        const char *x = w->cells[a][c], *y = w->cells[b][c];
        if (!(set >> c & 1) || (matches_missing && (is_hidden(x) || is_hidden(y))))
            continue;
        if (strcmp(x, y) != 0)
            return false;
    }
    return true;
}

static uint64_t crowd(const world *w, size_t row, unsigned set, bool matches_missing) {
    uint64_t n = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        n += is_same(w, row, r, set, matches_missing);
    return n;
}

static bool makes_unique(const world *w, size_t row, unsigned set) {
    return crowd(w, row, set, w->matches_missing) == 1;
}

static bool is_minimal(const world *w, size_t row, unsigned set) {
    if (!makes_unique(w, row, set))
        return false;
    for (unsigned part = (set - 1) & set; part; part = (part - 1) & set)
        if (makes_unique(w, row, part))
            return false;
    /* A table of one row is unique by nothing at all; sets have a column at least. */
    return true;
}

static uint64_t weight(const world *w, unsigned size) {
    uint64_t product = 1;
    for (unsigned i = size; i <= w->most && i <= w->n_columns - 1; i++)
        product *= w->n_columns - i;
    return product;
}

/* ---- ours ----------------------------------------------------------------------------------- */

typedef struct {
    kan_table *table;
    kan_risk_tuples tuples;
    kan_matching *matching;
    uint64_t *matches;
    kan_suda suda;
} found;

static void find(kan_run *run, const world *w, found *out) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    static const size_t columns[] = {0, 1, 2, 3, 4, 5, 6};
    *out = (found){0};
    EXPECT_OK(run, kan_table_create(run, w->n_columns, names, &out->table));
    for (size_t r = 0; r < w->n_rows; r++) {
        const char *cells[COLUMNS];
        for (size_t c = 0; c < w->n_columns; c++)
            cells[c] = w->cells[r][c];
        EXPECT_OK(run, kan_table_add_row(out->table, cells));
    }
    EXPECT_OK(run, kan_table_seal(out->table));
    EXPECT_OK(run, kan_risk_tuples_make(run, out->table, columns, w->n_columns, &out->tuples));
    EXPECT_OK(run, kan_matching_create(&out->tuples, &out->matching));
    EXPECT_OK(run, kan_alloc(run, out->tuples.n, sizeof *out->matches, &out->matches));
    EXPECT_OK(run, kan_matching_count(out->matching, out->matches));
    const kan_suda_question question = {.tuples = &out->tuples,
                                        .most = w->most,
                                        .matching = w->matches_missing ? out->matching : NULL,
                                        .matches = out->matches};
    EXPECT_OK(run, kan_suda_find(&question, &out->suda));
}

static void found_destroy(kan_run *run, found *f) {
    kan_suda_destroy(&f->suda);
    kan_matching_destroy(f->matching);
    kan_free(run, f->matches);
    kan_risk_tuples_destroy(&f->tuples);
    kan_table_destroy(f->table);
}

/* The listed set as bits; the columns ascend. */
static unsigned bits_of(kan_suda_set set, unsigned *size) {
    unsigned bits = 0, last = 0;
    for (*size = 0; *size < KAN_SUDA_SIZE; ++*size) {
        const unsigned column = kan_suda_column(set, *size);
        if (column == KAN_SUDA_NONE)
            break;
        assert_true(*size == 0 || column > last);
        last = column;
        bits |= 1u << column;
    }
    return bits;
}

/* ---- comparisons ---------------------------------------------------------------------------- */

static void check_crowds(const world *w, const found *f) {
    const unsigned all = (1u << w->n_columns) - 1;
    kan_crowds crowds;
    uint64_t unique = 0, pairs = 0, hiding = 0, at_risk = 0, least = UINT64_MAX, most = 0;
    double risk = 0;
    EXPECT_OK(f->tuples.run, kan_crowds_measure(&f->tuples, f->matches, 3, &crowds));
    for (size_t r = 0; r < w->n_rows; r++) {
        const uint64_t here = crowd(w, r, all, true);
        bool hides = false;
        assert_int_equal(f->matches[f->tuples.tuple_of_row[r]], here);
        assert_int_equal(f->tuples.rows[f->tuples.tuple_of_row[r]], crowd(w, r, all, false));
        for (size_t c = 0; c < w->n_columns; c++)
            hides |= is_hidden(w->cells[r][c]);
        hiding += hides;
        unique += here == 1;
        pairs += here == 2;
        at_risk += here < 3;
        least = here < least ? here : least;
        most = here > most ? here : most;
        risk += 1 / (double)here;
    }
    uint64_t below_median = 0, above_median = 0;
    for (size_t r = 0; r < w->n_rows; r++) {
        below_median += crowd(w, r, all, true) < crowds.median;
        above_median += crowd(w, r, all, true) > crowds.median;
    }
    assert_true(below_median <= (w->n_rows - 1) / 2 && above_median <= w->n_rows / 2);
    assert_int_equal(crowds.n_rows, w->n_rows);
    assert_int_equal(crowds.n_hidden, hiding);
    assert_int_equal(crowds.n_unique, unique);
    assert_int_equal(crowds.n_in_pairs, pairs);
    assert_int_equal(crowds.n_rows_at_risk, at_risk);
    assert_int_equal(crowds.smallest, least);
    assert_int_equal(crowds.largest, most);
    assert_true(fabs(crowds.average - risk / (double)w->n_rows) < 1e-12);
}

typedef struct {
    uint64_t sets[4], rows[4], smallest[4], held_by[COLUMNS];
} sums;

/* All minimal sets of a row, by the definition, and whether ours are these. */
static void check_row(const world *w, const found *f, size_t row, sums *sum) {
    const kan_suda *suda = &f->suda;
    const uint32_t unique = suda->unique_of_tuple[f->tuples.tuple_of_row[row]];
    const unsigned all = (1u << w->n_columns) - 1;
    uint64_t n[4] = {0}, score = 0, n_sets = 0;
    assert_int_equal(unique != UINT32_MAX, makes_unique(w, row, all));
    for (unsigned set = 1; set <= all; set++) {
        const unsigned size = (unsigned)__builtin_popcount(set);
        if (size > w->most || !is_minimal(w, row, set))
            continue;
        n[size - 1]++;
        n_sets++;
        score += weight(w, size);
        for (size_t c = 0; c < w->n_columns; c++)
            sum->held_by[c] += set >> c & 1;
    }
    bool is_smallest = true;
    for (unsigned s = 0; s < 4; s++) {
        sum->sets[s] += n[s];
        sum->rows[s] += n[s] > 0;
        sum->smallest[s] += n[s] > 0 && is_smallest;
        is_smallest &= n[s] == 0;
    }
    if (unique == UINT32_MAX) {
        assert_int_equal(n_sets, 0);
        return;
    }
    assert_int_equal(kan_suda_sets_of(suda, unique), n_sets);
    assert_int_equal(kan_suda_score(suda, unique), score);
    /* Each listed once, in order, and minimal: so all of them are listed. */
    unsigned last_size = 0;
    kan_suda_set last = 0;
    assert_int_equal(suda->first_set[unique + 1] - suda->first_set[unique], n_sets);
    for (uint32_t i = suda->first_set[unique]; i < suda->first_set[unique + 1]; i++) {
        unsigned size;
        const unsigned bits = bits_of(suda->sets[i], &size);
        assert_true(is_minimal(w, row, bits) && size <= w->most);
        assert_true(size >= last_size);
        for (unsigned p = 0; size == last_size && p < size; p++) {
            const unsigned a = kan_suda_column(last, p), b = kan_suda_column(suda->sets[i], p);
            assert_true(a <= b && (p + 1 < size || a < b));
            if (a < b)
                break;
        }
        last_size = size;
        last = suda->sets[i];
    }
}

static void check_suda(const world *w, const found *f) {
    const kan_suda *suda = &f->suda;
    sums sum = {0};
    for (size_t r = 0; r < w->n_rows; r++)
        check_row(w, f, r, &sum);
    for (unsigned s = 0; s < 4; s++) {
        assert_int_equal(suda->n_minimal[s], sum.sets[s]);
        assert_int_equal(suda->n_rows[s], sum.rows[s]);
        assert_int_equal(suda->n_smallest[s], sum.smallest[s]);
    }
    for (size_t c = 0; c < w->n_columns; c++)
        assert_int_equal(suda->held_by[c], sum.held_by[c]);
}

static void one_table(kan_run *run, uint64_t seed) {
    world w;
    found f;
    make_world(&w, seed);
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    find(run, &w, &f);
    check_crowds(&w, &f);
    check_suda(&w, &f);
    found_destroy(run, &f);
}

static void matches_and_minimal_sets_are_those_of_the_definition(void **state) {
    (void)state;
    random_rounds(600, one_table);
}

/* ---- any number of threads ------------------------------------------------------------------ */

static void one_pair(kan_run *run, uint64_t seed) {
    world w;
    found f[2];
    make_world(&w, seed);
    for (unsigned i = 0; i < 2; i++) {
        kan_run_set_threads(run, 1 + 3 * i);
        find(run, &w, &f[i]);
    }
    const kan_suda *a = &f[0].suda, *b = &f[1].suda;
    assert_int_equal(a->n_unique, b->n_unique);
    assert_memory_equal(a->first_set, b->first_set, (a->n_unique + 1) * sizeof *a->first_set);
    if (a->first_set[a->n_unique] > 0)
        assert_memory_equal(a->sets, b->sets, a->first_set[a->n_unique] * sizeof *a->sets);
    found_destroy(run, &f[0]);
    found_destroy(run, &f[1]);
}

static void the_lists_are_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    random_rounds(100, one_pair);
}

/* ---- many columns --------------------------------------------------------------------------- */

/* Rows that differ from all others in each pair of columns, and in none alone: more minimal sets
 * than are listed. */
static void what_is_not_listed_is_still_counted(void **state) {
    enum { N = 24 };
    kan_run *run = kan_run_create();
    kan_table *table;
    kan_risk_tuples tuples;
    kan_suda suda;
    const char *names[N];
    char room[N][4];
    size_t columns[N];
    (void)state;
    for (size_t c = 0; c < N; c++) {
        snprintf(room[c], sizeof room[c], "c%zu", c);
        names[c] = room[c];
        columns[c] = c;
    }
    EXPECT_OK(run, kan_table_create(run, N, names, &table));
    for (size_t r = 0; r <= N; r++) { /* row 0 is all 0; row r shares one column with it */
        const char *cells[N];
        for (size_t c = 0; c < N; c++)
            cells[c] = r == 0 || c + 1 == r ? "0" : "1";
        EXPECT_OK(run, kan_table_add_row(table, cells));
    }
    EXPECT_OK(run, kan_table_seal(table));
    EXPECT_OK(run, kan_risk_tuples_make(run, table, columns, N, &tuples));
    const kan_suda_question question = {.tuples = &tuples, .most = 3};
    EXPECT_OK(run, kan_suda_find(&question, &suda));
    const uint32_t first = suda.unique_of_tuple[tuples.tuple_of_row[0]];
    assert_int_equal(kan_suda_sets_of(&suda, first), N * (N - 1) / 2);
    assert_int_equal(suda.first_set[first + 1] - suda.first_set[first], KAN_SUDA_LISTED);
    assert_int_equal(kan_suda_score(&suda, first), N * (N - 1) / 2 * (N - 2) * (N - 3));
    kan_suda_destroy(&suda);
    kan_risk_tuples_destroy(&tuples);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(matches_and_minimal_sets_are_those_of_the_definition,
                                  random_tear_down),
        cmocka_unit_test_teardown(the_lists_are_the_same_on_any_number_of_threads,
                                  random_tear_down),
        cmocka_unit_test(what_is_not_listed_is_still_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

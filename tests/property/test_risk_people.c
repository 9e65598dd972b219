/* Risk where people have several rows, against naive recounts: the people of each row's group, those
 * of a population who match it, and the smallest group of each person. Every row is compared with
 * every other, and people are met in a list; labels are made with the values that they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/risk/risk.h"
#include "support/random_problem.h"

enum { ROWS = 40, PEOPLE = 60, COLUMNS = 2, VALUES = 4, LABELS = 7, NAMES = 12 };

/* What a release may show, and the values that it stands for, a bit each. */
static const struct {
    const char *shown;
    unsigned holds;
} labels[LABELS] = {{"a", 1},      {"b", 2},       {"c", 4}, {"d", 8},
                    {"{a, b}", 3}, {"{b, d}", 10}, {"*", 15}};

typedef struct {
    uint64_t random, threshold;
    size_t n_rows, n_people, n_columns;
    size_t rows[ROWS][COLUMNS], people[PEOPLE][COLUMNS]; /* labels, values */
    size_t who[ROWS], known[PEOPLE];                     /* of whom each row is, in either table */
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static void make_world(world *w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->random = seed;
    w->n_columns = 1 + below(w, COLUMNS);
    w->n_rows = 1 + below(w, ROWS);
    w->n_people = 1 + below(w, PEOPLE);
    w->threshold = 1 + below(w, 5);
    const size_t n_shown = 1 + below(w, LABELS), n_who = 1 + below(w, NAMES);
    const size_t n_known = 1 + below(w, NAMES);
    for (size_t r = 0; r < w->n_rows; r++) {
        w->who[r] = below(w, n_who);
        for (size_t c = 0; c < w->n_columns; c++)
            w->rows[r][c] = below(w, n_shown);
    }
    for (size_t p = 0; p < w->n_people; p++) {
        w->known[p] = below(w, n_known);
        for (size_t c = 0; c < w->n_columns; c++)
            w->people[p][c] = below(w, VALUES);
    }
}

/* ---- definitions ---------------------------------------------------------------------------- */

static bool is_alike(const world *w, size_t a, size_t b) {
    return memcmp(w->rows[a], w->rows[b], sizeof w->rows[a]) == 0;
}

static bool matches(const world *w, size_t row, size_t p) {
    for (size_t c = 0; c < w->n_columns; c++)
        if (!(labels[w->rows[row][c]].holds >> w->people[p][c] & 1))
            return false;
    return true;
}

/* The different people of the row's group. */
static uint64_t crowd_of(const world *w, size_t row) {
    bool is_met[NAMES] = {false};
    uint64_t n = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        if (is_alike(w, r, row) && !is_met[w->who[r]]) {
            is_met[w->who[r]] = true;
            n++;
        }
    return n;
}

/* Those of the population who match it. */
static uint64_t matching(const world *w, size_t row) {
    bool is_met[NAMES] = {false};
    uint64_t n = 0;
    for (size_t p = 0; p < w->n_people; p++)
        if (matches(w, row, p) && !is_met[w->known[p]]) {
            is_met[w->known[p]] = true;
            n++;
        }
    return n;
}

static bool is_first(const world *w, size_t row) {
    for (size_t r = 0; r < row; r++)
        if (is_alike(w, r, row))
            return false;
    return true;
}

static bool is_near(double a, double b) {
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

/* ---- tables --------------------------------------------------------------------------------- */

static kan_table *make_table(kan_run *run, const world *w, bool is_release) {
    static const char *const names[] = {"x", "y"}, *const values[] = {"a", "b", "c", "d"};
    kan_table *table;
    EXPECT_OK(run, kan_table_create(run, w->n_columns, names, &table));
    for (size_t r = 0; r < (is_release ? w->n_rows : w->n_people); r++) {
        const char *cells[COLUMNS];
        for (size_t c = 0; c < w->n_columns; c++)
            cells[c] = is_release ? labels[w->rows[r][c]].shown : values[w->people[r][c]];
        EXPECT_OK(run, kan_table_add_row(table, cells));
    }
    EXPECT_OK(run, kan_table_seal(table));
    return table;
}

/* ---- people ---------------------------------------------------------------------------------- */

static void check_people(const world *w, const kan_people_near *near, const kan_risk *risk) {
    uint64_t n = 0, unique = 0, at_risk = 0;
    double sum = 0, highest = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        assert_int_equal(near->in_group[r], crowd_of(w, r));
    for (size_t who = 0; who < NAMES; who++) {
        uint64_t least = UINT64_MAX;
        for (size_t r = 0; r < w->n_rows; r++)
            if (w->who[r] == who && crowd_of(w, r) < least)
                least = crowd_of(w, r);
        if (who < near->n_numbers)
            assert_int_equal(near->least[who], least == UINT64_MAX ? 0 : least);
        if (least == UINT64_MAX)
            continue;
        assert_true(who < near->n_numbers);
        n++;
        unique += least == 1;
        at_risk += least < w->threshold;
        sum += 1 / (double)least;
        highest = fmax(highest, 1 / (double)least);
    }
    assert_int_equal(risk->n_rows, n);
    assert_int_equal(risk->n_unique, unique);
    assert_int_equal(risk->n_rows_at_risk, at_risk);
    assert_true(is_near(risk->average, sum / (double)n));
    assert_true(is_near(risk->highest, highest));
}

static void people_of_one(kan_run *run, uint64_t seed) {
    static const size_t columns[COLUMNS] = {0, 1};
    uint32_t person_of[ROWS];
    world w;
    kan_people_near near;
    kan_group_sizes sizes;
    kan_risk risk;
    make_world(&w, seed);
    for (size_t r = 0; r < w.n_rows; r++)
        person_of[r] = (uint32_t)w.who[r];
    kan_table *release = make_table(run, &w, true);
    EXPECT_OK(run, kan_people_near_find(run, release, columns, w.n_columns, person_of, &near));
    EXPECT_OK(run, kan_people_near_sizes(&near, &sizes));
    kan_people_risk(&sizes, w.threshold, &risk);
    check_people(&w, &near, &risk);
    kan_group_sizes_destroy(&sizes);
    kan_people_near_destroy(&near);
    kan_table_destroy(release);
}

/* ---- a population --------------------------------------------------------------------------- */

static void check_kmap(const world *w, const kan_kmap *kmap, const uint64_t *people) {
    uint64_t pairs = 0, groups = 0, unmatched = 0, least = UINT64_MAX, at_risk = 0, too_few = 0,
             n = 0;
    bool is_known[NAMES] = {false};
    double sum = 0;
    for (size_t p = 0; p < w->n_people; p++)
        is_known[w->known[p]] = true;
    for (size_t i = 0; i < NAMES; i++)
        n += is_known[i];
    for (size_t r = 0; r < w->n_rows; r++) {
        const uint64_t here = matching(w, r), crowd = crowd_of(w, r);
        if (!is_first(w, r))
            continue;
        assert_int_equal(people[r], here);
        groups++;
        pairs += crowd;
        least = here < least ? here : least;
        unmatched += here == 0;
        too_few += here > 0 && here < crowd;
        at_risk += here > 0 && here < w->threshold ? crowd : 0;
        sum += here > 0 ? (double)crowd / (double)here : 0;
    }
    assert_int_equal(kmap->n_people, n);
    assert_int_equal(kmap->n_groups, groups);
    assert_int_equal(kmap->n_rows, pairs);
    assert_int_equal(kmap->n_unmatched_groups, unmatched);
    assert_int_equal(kmap->n_short_groups, too_few);
    assert_int_equal(kmap->n_rows_at_risk, at_risk);
    assert_int_equal(kmap->k, least);
    assert_true(is_near(kmap->average, sum / (double)pairs));
}

static void kmap_of_one(kan_run *run, uint64_t seed) {
    uint32_t person_of[ROWS], known_of[PEOPLE];
    uint64_t people[ROWS];
    world w;
    kan_kmap kmap;
    make_world(&w, seed);
    for (size_t r = 0; r < w.n_rows; r++)
        person_of[r] = (uint32_t)w.who[r];
    for (size_t p = 0; p < w.n_people; p++)
        known_of[p] = (uint32_t)w.known[p];
    kan_table *release = make_table(run, &w, true), *population = make_table(run, &w, false);
    const kan_kmap_pair pairs[COLUMNS] = {{0, 0, NULL}, {1, 1, NULL}};
    const kan_kmap_question question = {.release = release,
                                        .population = population,
                                        .quasi = pairs,
                                        .n_quasi = w.n_columns,
                                        .threshold = w.threshold,
                                        .person_of = person_of,
                                        .population_person_of = known_of,
                                        .people = people};
    EXPECT_OK(run, kan_kmap_measure(run, &question, &kmap));
    check_kmap(&w, &kmap, people);
    kan_table_destroy(release);
    kan_table_destroy(population);
}

static void the_people_of_each_row_and_person_are_those_of_a_naive_recount(void **state) {
    (void)state;
    random_rounds(500, people_of_one);
}

static void the_people_of_a_population_are_those_of_a_naive_recount(void **state) {
    (void)state;
    random_rounds(1000, kmap_of_one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_people_of_each_row_and_person_are_those_of_a_naive_recount,
                                  random_tear_down),
        cmocka_unit_test_teardown(the_people_of_a_population_are_those_of_a_naive_recount,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

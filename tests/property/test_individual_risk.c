/* The individual risk, against its definition: the integral by small steps, groups found by comparing
 * every row with every other, households by trying all pairs of their rows; and what docs/papers
 * claim of it: it falls in f and in F, so that merged groups never raise it. */
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

enum { ROWS = 30, HOMES = 8, STEPS = 8000 };

/* ---- one risk ------------------------------------------------------------------------------- */

/* p times the integral of u^(f - 1) / (p + q u), by Simpson's rule over v with u = v^4, as it is steep
 * at 0 where p is small. */
static double by_integral(double f, double people) {
    const double p = f / people, q = 1 - p;
    double sum = 0;
    if (people <= f)
        return 1 / f;
    for (int i = 0; i <= STEPS; i++) {
        const double v = (double)i / STEPS, u = v * v * v * v;
        const double height = pow(u, f - 1) / (p + q * u) * 4 * v * v * v;
        sum += height * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
    }
    return p * sum / (3 * STEPS);
}

static double random_people(uint64_t *random, uint64_t f) {
    return (double)f * (1 + (double)kan_random_below(random, 1000) / 37);
}

static void one_function(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    const uint64_t f = 1 + kan_random_below(&random, 60), g = 1 + kan_random_below(&random, 60);
    const double people = random_people(&random, f), others = random_people(&random, g);
    const double risk = kan_individual_risk(f, people);
    (void)run;
    assert_true(fabs(risk - by_integral((double)f, people)) < 1e-6 * risk);
    /* bounds: somebody is one of f, and of no more than all */
    assert_true(risk <= 1 / (double)f && risk >= 1 / people * (1 - 1e-12));
    /* merged with another group */
    assert_true(kan_individual_risk(f + g, people + others) <= risk);
    assert_true(kan_individual_risk(f, people + others) <= risk);
    assert_true(kan_individual_risk(f + g, fmax(people, (double)(f + g))) <= risk);
}

static void the_risk_is_its_integral_and_falls_when_groups_merge(void **state) {
    (void)state;
    random_rounds(400, one_function);
}

/* ---- rows and households -------------------------------------------------------------------- */

typedef struct {
    size_t n_rows;
    size_t shows[ROWS], home[ROWS];
    double people[ROWS];
    double risk[ROWS], home_risk[ROWS];
} world;

static void find_risks(world *w) {
    for (size_t r = 0; r < w->n_rows; r++) {
        uint64_t f = 0;
        double people = 0;
        for (size_t o = 0; o < w->n_rows; o++)
            if (w->shows[o] == w->shows[r]) {
                f++;
                people += w->people[o];
            }
        w->risk[r] = kan_individual_risk(f, people);
    }
    for (size_t r = 0; r < w->n_rows; r++) {
        double nobody = 1;
        for (size_t o = 0; o < w->n_rows; o++)
            if (w->home[o] == w->home[r])
                nobody *= 1 - w->risk[o];
        w->home_risk[r] = 1 - nobody;
    }
}

/* Whether two households have the same rows: each value as often. */
static bool is_like(const world *w, size_t a, size_t b) {
    for (size_t shown = 0; shown < ROWS; shown++) {
        size_t of_a = 0, of_b = 0;
        for (size_t r = 0; r < w->n_rows; r++)
            if (w->shows[r] == shown) {
                of_a += w->home[r] == a;
                of_b += w->home[r] == b;
            }
        if (of_a != of_b)
            return false;
    }
    return true;
}

static bool has_rows(const world *w, size_t home) {
    for (size_t r = 0; r < w->n_rows; r++)
        if (w->home[r] == home)
            return true;
    return false;
}

static uint64_t count_alone(const world *w) {
    uint64_t n = 0;
    for (size_t a = 0; a < HOMES; a++) {
        bool is_alone = has_rows(w, a);
        for (size_t b = 0; b < HOMES; b++)
            is_alone &= b == a || !has_rows(w, b) || !is_like(w, a, b);
        n += is_alone;
    }
    return n;
}

static double lowered_sum(const world *w, double most) {
    double sum = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        sum += fmin(w->risk[r], most);
    return sum;
}

static void expect_spread(const kan_risk_spread *s, const double *risks, size_t n, uint64_t k) {
    double sum = 0, highest = 0;
    uint64_t n_high = 0;
    for (size_t r = 0; r < n; r++) {
        sum += risks[r];
        highest = fmax(highest, risks[r]);
        n_high += risks[r] > 1 / (double)k * (1 + 1e-9);
    }
    assert_true(s->n_rows == n);
    assert_true(fabs(s->expected - sum) < 1e-9 && fabs(s->average - sum / (double)n) < 1e-9);
    assert_true(fabs(s->highest - highest) < 1e-12);
    assert_true(s->n_at_risk == n_high);
    assert_true(s->median <= s->upper_10 && s->upper_10 <= s->upper_1 && s->upper_1 <= s->highest);
    size_t above_10 = 0, above_half = 0;
    for (size_t r = 0; r < n; r++) {
        above_10 += risks[r] > s->upper_10 * (1 + 1e-9);
        above_half += risks[r] > s->median * (1 + 1e-9);
    }
    assert_true(10 * above_10 <= n && 2 * above_half <= n);
}

static void expect_allowed(const world *w, const kan_risk_spread *s, double tolerated) {
    const double most = tolerated * (double)w->n_rows;
    if (isnan(s->allowed)) {
        assert_true(lowered_sum(w, 1) <= most + 1e-9);
        return;
    }
    assert_true(lowered_sum(w, s->allowed) <= most + 1e-9);
    assert_true(lowered_sum(w, s->allowed * (1 + 1e-6)) > most - 1e-9);
    uint64_t n_above = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        n_above += w->risk[r] > s->allowed;
    assert_true(s->n_above_allowed == n_above);
}

static kan_status make_tuples(kan_run *run, const world *w, kan_table **table,
                              kan_risk_tuples *out) {
    static const char *const names[] = {"shows"};
    static const size_t column = 0;
    char text[32];
    const char *values[] = {text};
    KAN_TRY(kan_table_create(run, 1, names, table));
    for (size_t r = 0; r < w->n_rows; r++) {
        snprintf(text, sizeof text, "%zu", w->shows[r]);
        KAN_TRY(kan_table_add_row(*table, values));
    }
    KAN_TRY(kan_table_seal(*table));
    return kan_risk_tuples_make(run, *table, &column, 1, out);
}

static void draw(world *w, uint64_t *random) {
    const uint64_t n_shown = 1 + kan_random_below(random, 10);
    const uint64_t n_homes = 1 + kan_random_below(random, HOMES);
    w->n_rows = 1 + kan_random_below(random, ROWS);
    for (size_t r = 0; r < w->n_rows; r++) {
        w->shows[r] = kan_random_below(random, n_shown);
        w->home[r] = kan_random_below(random, n_homes);
        w->people[r] = (double)(1 + kan_random_below(random, 40)) / 4;
    }
    find_risks(w);
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    world w = {0};
    kan_table *table = NULL;
    kan_risk_tuples tuples;
    kan_individual_risks risks;
    double people[ROWS] = {0};
    uint32_t home_of[ROWS];
    draw(&w, &random);
    EXPECT_OK(run, make_tuples(run, &w, &table, &tuples));
    for (size_t r = 0; r < w.n_rows; r++) {
        people[tuples.tuple_of_row[r]] += w.people[r];
        home_of[r] = (uint32_t)w.home[r];
    }
    const kan_individual_question question = {.tuples = &tuples,
                                              .n_rows = w.n_rows,
                                              .people = people,
                                              .household_of = home_of,
                                              .n_households = HOMES,
                                              .threshold = 2 + kan_random_below(&random, 9),
                                              .tolerated =
                                                  (double)kan_random_below(&random, 100) / 150};
    EXPECT_OK(run, kan_individual_risks_measure(run, &question, &risks));
    for (size_t r = 0; r < w.n_rows; r++) {
        assert_true(fabs(risks.of_tuple[tuples.tuple_of_row[r]] - w.risk[r]) < 1e-12);
        assert_true(fabs(risks.of_household[w.home[r]] - w.home_risk[r]) < 1e-12);
    }
    expect_spread(&risks.rows, w.risk, w.n_rows, question.threshold);
    expect_spread(&risks.households, w.home_risk, w.n_rows, question.threshold);
    expect_allowed(&w, &risks.rows, question.tolerated);
    assert_true(risks.n_alone == count_alone(&w));
    kan_individual_risks_destroy(&risks);
    kan_risk_tuples_destroy(&tuples);
    kan_table_destroy(table);
}

static void rows_and_households_are_as_compared_one_by_one(void **state) {
    (void)state;
    random_rounds(2000, one_table);
}

/* ---- known values --------------------------------------------------------------------------- */

/* By the series and by the recurrence with 60 digits and more. */
static void exact_for_any_f_and_p(void **state) {
    static const struct {
        uint64_t f;
        double people, risk;
    } known[] = {
        {1, 10, 0.25584278811044952606},
        {1, 1e9, 2.0723265857669677422e-08},
        {2, 2000000000, 9.999999802767340743e-10},
        {5, 50.5, 0.024001988340688666657},
        {7, 70.5, 0.016234774740716953478},
        {39, 39.5, 0.02532447218421312804},
        {39, 391, 0.0026178114042549028261},
        {39, 3.9e10, 2.6315789472972973908e-11},
        {40, 400, 0.0025573910989725033745},
        {40, 4e10, 2.5641025640350877329e-11},
        {1000, 1001, 0.00099900199600897712955},
        {1000000, 1e15, 1.00000100000099899e-15},
        {1000000, 1000001, 9.9999900000199998369e-07},
        {3, 3, 1.0 / 3},
        {3, 0.5, 1.0 / 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(fabs(kan_individual_risk(known[i].f, known[i].people) - known[i].risk) <
                    1e-13 * known[i].risk);
}

/* Both ways of computing it meet. */
static void the_two_ways_meet(void **state) {
    (void)state;
    for (uint64_t f = 1; f < 60; f++)
        for (double q = 0.8999; q < 0.9; q += 1e-5) {
            const double rows = (double)f, a = kan_individual_risk(f, rows / (1 - q));
            const double b = kan_individual_risk(f, rows / (1 - q - 2e-4));
            assert_true(b < a && a - b < 0.01 * a);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_for_any_f_and_p),
        cmocka_unit_test(the_two_ways_meet),
        cmocka_unit_test_teardown(the_risk_is_its_integral_and_falls_when_groups_merge,
                                  random_tear_down),
        cmocka_unit_test_teardown(rows_and_households_are_as_compared_one_by_one, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The mechanism against its definition: two neighbouring tables, many draws from each. What one key shows is
 * how often it was drawn, or nothing; no event of that may be likelier in one table than e^E times as likely
 * as in the other, plus D, plus six standard deviations of the sampling. */
#include <math.h>
#include <string.h>

#include "job/epsilon/epsilon_draw.h"
#include "support/random_problem.h"

enum { ROWS = 400, RUNS = 100000, SLOW_RUNS = 2000 };

static size_t runs_here(void) {
    return is_slow_here() ? SLOW_RUNS : RUNS;
}

/* A column of two keys: rows of key 0 first. */
typedef struct {
    uint8_t codes[ROWS];
    uint32_t shown[2];
    kan_column column;
    kan_draw_column key;
    uint64_t n;
} table;

static void fill(table *t, uint64_t n_first, uint64_t n_second) {
    memset(t, 0, sizeof *t);
    t->n = n_first + n_second;
    memset(t->codes + n_first, 1, n_second);
    t->shown[1] = 1;
    t->column = (kan_column){.is_encoded = true, .width = 1, .codes = t->codes, .n_rows = t->n};
    t->key = (kan_draw_column){.column = &t->column, .shown = t->shown, .n_shown = 2};
}

/* times[j]: draws in which key 0 was shown j times. */
static void draw_often(kan_run *run, const table *t, const kan_draws *draws, size_t runs,
                       uint64_t *times, uint64_t *others) {
    kan_secret secret;
    memset(times, 0, (ROWS + 1) * sizeof *times);
    *others = 0;
    assert_int_equal(kan_secret_draw(run, &secret), KAN_OK);
    for (size_t i = 0; i < runs; i++) {
        kan_drawn drawn;
        uint64_t shown = 0;
        assert_int_equal(kan_draw_groups(run, &t->key, 1, t->n, draws, &secret, &drawn), KAN_OK);
        for (uint64_t g = 0; g < drawn.n_groups; g++)
            if (drawn.key[g] == 0)
                shown = drawn.size[g];
            else
                ++*others;
        times[shown]++;
        kan_drawn_destroy(&drawn);
    }
}

/* By how many standard deviations an event breaks the bound; not above 0 where it does not. */
static double excess(uint64_t in_one, uint64_t in_other, size_t runs, const kan_draws *draws) {
    const double n = (double)runs, factor = exp(draws->epsilon);
    const double p = (double)in_one / n, q = (double)in_other / n;
    const double deviation = sqrt((p * (1 - p) + factor * factor * q * (1 - q) + 1 / n) / n);
    return (p - factor * q - draws->delta) / deviation;
}

/* Single outcomes, all from some number on, all up to it, and all that seem to break it by themselves. */
static double worst(const uint64_t *a, const uint64_t *b, size_t runs, const kan_draws *draws) {
    double most = -INFINITY;
    uint64_t from_a = 0, from_b = 0, to_a = 0, to_b = 0;
    for (size_t j = 0; j <= ROWS; j++) {
        const size_t last = ROWS - j;
        from_a += a[last];
        from_b += b[last];
        to_a += a[j];
        to_b += b[j];
        most = fmax(most, excess(a[j], b[j], runs, draws));
        most = fmax(most, excess(from_a, from_b, runs, draws));
        most = fmax(most, excess(to_a, to_b, runs, draws));
    }
    return most;
}

static double worst_of(kan_run *run, uint64_t n, const kan_draws *draws) {
    static uint64_t with[ROWS + 1], without[ROWS + 1];
    const size_t runs = runs_here();
    static table t;
    uint64_t unused;
    fill(&t, n, 3);
    draw_often(run, &t, draws, runs, with, &unused);
    fill(&t, n - 1, 3);
    draw_often(run, &t, draws, runs, without, &unused);
    return fmax(worst(with, without, runs, draws), worst(without, with, runs, draws));
}

static void neighbours_are_as_likely_as_promised(void **state) {
    kan_run *run = *state;
    static const double asked[][2] = {{0.6931472, 1e-3}, {0.5, 1e-3}, {1.5, 1e-3}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const kan_draws draws = kan_draws_make(asked[i][0], asked[i][1]);
        /* about k of them are drawn; the most dangerous number; hardly ever k */
        const uint64_t ns[] = {(uint64_t)((double)draws.k / draws.share),
                               (uint64_t)((double)draws.k / -expm1(-2 * asked[i][0])), draws.k};
        for (size_t j = 0; j < sizeof ns / sizeof *ns; j++) {
            const double found = worst_of(run, ns[j], &draws);
            if (found > 6)
                fail_msg("epsilon %g, delta %g, %llu rows: %.1f deviations beyond the bound",
                         asked[i][0], asked[i][1], (unsigned long long)ns[j], found);
        }
    }
}

static void a_mechanism_that_forgets_no_group_is_caught(void **state) {
    kan_run *run = *state;
    kan_draws draws = kan_draws_make(0.6931472, 1e-3);
    draws.k = 1;
    assert_true(worst_of(run, 1, &draws) > 6);
    assert_true(worst_of(run, 2, &draws) > 6);
    draws = kan_draws_make(0.6931472, 1e-3);
    draws.rate = KAN_DRAW_OF; /* all rows are drawn */
    assert_true(worst_of(run, draws.k, &draws) > 6);
}

static void drawn_rows_have_the_binomial_distribution(void **state) {
    kan_run *run = *state;
    static uint64_t times[ROWS + 1];
    static table t;
    const size_t runs = runs_here();
    kan_draws draws = kan_draws_make(1, 1e-3);
    const double n = 60, b = draws.share;
    uint64_t others;
    draws.k = 35;
    fill(&t, 60, 100);
    draw_often(run, &t, &draws, runs, times, &others);
    double left_out = 1;
    for (int j = 60; j >= 0; j--) {
        const double p = j < 35 ? 0
                                : exp(lgamma(n + 1) - lgamma(j + 1.0) - lgamma(n - j + 1) +
                                      j * log(b) + (n - j) * log1p(-b));
        const double expected = j == 0 ? left_out : p;
        const double found = (double)times[j] / (double)runs;
        left_out -= p;
        assert_true(fabs(found - expected) <
                    6 * sqrt((expected * (1 - expected) + 1e-5) / (double)runs) + 1e-9);
    }
    /* 100 of them are hardly ever fewer than 35 */
    assert_true(others > runs - 10);
}

static int set_up(void **state) {
    *state = kan_run_create();
    assert_non_null(*state);
    return 0;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_as_likely_as_promised),
        cmocka_unit_test(a_mechanism_that_forgets_no_group_is_caught),
        cmocka_unit_test(drawn_rows_have_the_binomial_distribution),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

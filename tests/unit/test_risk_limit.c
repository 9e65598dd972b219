/* Thresholds of the individual risk: what passes keeps it, by an integral in small steps; thresholds never
 * grow; the risk that they are made with agrees with the recount's. */
#include <math.h>
#include <string.h>

#include "analyze/verify/individual.h"
#include "privacy/risk_limit.h"
#include "support/plain_risk.h"
#include "support/random_problem.h"

enum { MOST_VALUES = 8 };

typedef struct {
    uint64_t units[MOST_VALUES];
    kan_sampling sampling;
    kan_fraction most;
    uint64_t n_rows;
    kan_risk_limit limit;
} scene;

static void random_scene(kan_run *run, uint64_t *random, scene *out) {
    static const double ones[] = {1, 10, 1000, 1e9};
    *out = (scene){.n_rows = 1 + kan_random_below(random, 200)};
    const double one = ones[kan_random_below(random, 4)];
    const uint64_t most = 1 + kan_random_below(random, 3 * (uint64_t)one + 200);
    out->sampling = (kan_sampling){.n_values = 1 + (uint32_t)kan_random_below(random, MOST_VALUES),
                                   .units = out->units,
                                   .one = one};
    for (unsigned v = 0; v < out->sampling.n_values; v++) {
        out->units[v] = 1 + kan_random_below(random, most);
        out->sampling.total += out->units[v] * (1 + kan_random_below(random, out->n_rows));
    }
    out->most = (kan_fraction){1 + kan_random_below(random, 999), 1000};
    EXPECT_OK(run, kan_risk_limit_make(run, kan_run_arena(run), &out->most, &out->sampling,
                                       out->n_rows, &out->limit));
}

static uint64_t threshold(const scene *here, uint64_t f) {
    return f < here->limit.first ? UINT64_MAX
           : f < here->limit.end ? here->limit.least[f - here->limit.first]
                                 : 0;
}

static double risk_at(const scene *here, uint64_t f, uint64_t units) {
    return kan_individual_risk(f, (double)units / here->sampling.one);
}

static void limits_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 69621;
    scene here;
    random_scene(run, &random, &here);
    const double most = (double)here.most.numerator / 1000;
    assert_true(here.limit.first <= here.limit.end && here.limit.end <= here.n_rows + 1);
    uint64_t least = UINT64_MAX, highest = 0;
    for (unsigned v = 0; v < here.sampling.n_values; v++) {
        least = here.units[v] < least ? here.units[v] : least;
        highest = here.units[v] > highest ? here.units[v] : highest;
    }
    for (uint64_t f = 1; f <= here.n_rows; f++) {
        const uint64_t t = threshold(&here, f);
        if (f > 1)
            assert_true(t <= threshold(&here, f - 1));
        if (t == UINT64_MAX) { /* even the heaviest rows are too few */
            const uint64_t units =
                f * highest < here.sampling.total ? f * highest : here.sampling.total;
            assert_true(f * here.most.numerator < 1000 &&
                        risk_at(&here, f, units) > most * (1 - 1e-11));
            continue;
        }
        const uint64_t at = t > 0 ? t : f * least;
        if (f * here.most.numerator < 1000 && at <= here.sampling.total)
            assert_true(risk_at(&here, f, at) <= most * (1 - 5e-13));
        if (t > 1 && t <= here.sampling.total) { /* and no less is enough */
            const uint64_t below = t - 1 - (uint64_t)((double)t * 1e-11);
            assert_true(risk_at(&here, f, below) > most * (1 - 1e-10));
        }
    }
}

static void thresholds_are_safe_and_tight_and_never_grow(void **state) {
    (void)state;
    random_rounds(300, limits_on_one_table);
}

static void one_risk_by_three_ways(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 40692;
    (void)run;
    for (int i = 0; i < 20; i++) {
        const uint64_t f =
            1 + kan_random_below(&random, kan_random_below(&random, 2) ? 60 : 100000);
        const double p = pow(10, -9 * (double)kan_random_below(&random, 1000) / 1000);
        const double people = (double)f / p, risk = kan_risk_of_rows(f, people);
        assert_true(fabs(risk / kan_individual_risk(f, people) - 1) < 1e-13);
        if (i == 0 && f < 1000)
            assert_true(fabsl(risk / plain_individual_risk((size_t)f, people) - 1) < 1e-8L);
    }
}

static void the_risk_agrees_with_other_ways(void **state) {
    (void)state;
    random_rounds(200, one_risk_by_three_ways);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(thresholds_are_safe_and_tight_and_never_grow, random_tear_down),
        cmocka_unit_test_teardown(the_risk_agrees_with_other_ways, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sums of the individual risk, as --global-risk adds them up: no merge raises them, to the last unit; they
 * are not below the risk and hardly above it; what they may add up to is the fraction, rounded down. */
#include <math.h>
#include <stdio.h>

#include "analyze/verify/individual.h"
#include "privacy/privacy.h"
#include "privacy/sensitive.h"
#include "support/random_problem.h"

enum { MOST_VALUES = 6, GROUPS = 3 }; /* two groups, and both together */

typedef struct {
    uint64_t units[MOST_VALUES];
    kan_sampling sampling;
    size_t start[GROUPS + 1];
    uint32_t value[GROUPS * MOST_VALUES];
    uint64_t count[GROUPS * MOST_VALUES], rows[GROUPS], people[GROUPS];
    kan_tally tally;
    kan_groups groups;
    void *state;
    kan_fraction most;
} scene;

static void make_state(kan_run *run, uint64_t *random, scene *here) {
    char text[32];
    kan_options options;
    kan_problem problem = {.run = run, .sampling = &here->sampling};
    here->most = (kan_fraction){1 + kan_random_below(random, 999), 1000};
    snprintf(text, sizeof text, "0.%03llu", (unsigned long long)here->most.numerator);
    kan_options_init(&options, kan_run_arena(run));
    EXPECT_OK(run, kan_options_add(&options, "global-risk", text));
    EXPECT_OK(run, kan_privacy_global_risk.create(run, kan_run_arena(run), &options, &problem,
                                                  &here->state));
    kan_options_destroy(&options);
}

/* Many rows or few, weights of people or of less, all alike or nine digits apart. */
static void make_groups(uint64_t *random, scene *here) {
    static const double ones[] = {1, 10, 1000, 1e9};
    static const uint64_t mosts[] = {1, 2, 50, 1000000};
    here->sampling.one = ones[kan_random_below(random, 4)];
    here->sampling.units = here->units;
    here->sampling.n_values = 1 + (uint32_t)kan_random_below(random, MOST_VALUES);
    const uint64_t most_units =
        1 + kan_random_below(random, UINT64_C(1) << (10 + kan_random_below(random, 30)));
    for (unsigned v = 0; v < here->sampling.n_values; v++)
        here->units[v] = 1 + kan_random_below(random, most_units);
    size_t n = 0;
    for (size_t g = 0; g < GROUPS; g++) {
        const uint64_t most = mosts[kan_random_below(random, 4)];
        here->start[g] = n;
        here->rows[g] = here->people[g] = 0;
        for (uint32_t v = 0; v < here->sampling.n_values; v++, n++) {
            here->value[n] = v;
            here->count[n] = g < 2 ? kan_random_below(random, most + 1)
                                   : here->count[v] + here->count[here->start[1] + v];
            here->count[n] += g < 2 && v == 0;
            here->rows[g] += here->count[n];
            here->people[g] += here->count[n] * here->units[v];
        }
    }
    here->start[GROUPS] = n;
    here->tally = (kan_tally){here->start, here->value, here->count};
    here->groups = (kan_groups){.n_groups = GROUPS, .count = here->rows, .tallies = &here->tally};
}

static kan_u128 sum_of(const scene *here, size_t g) {
    return kan_privacy_global_risk.risk_of(here->state, &here->groups, g);
}

static void expect_close(const scene *here, size_t g) {
    const double rows = (double)here->rows[g],
                 people = (double)here->people[g] / here->sampling.one;
    const double sum = ldexp((double)sum_of(here, g), -80);
    const double risk = rows * kan_individual_risk(here->rows[g], people);
    assert_true(sum >= risk * (1 - 1e-13) && sum <= risk * (1 + 2e-12));
    if (here->people[g] <= (kan_u128)here->rows[g] * (uint64_t)here->sampling.one)
        assert_true(sum == 1);
}

static void sums_of_one_scene(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 16807;
    scene here = {.rows = {0}};
    make_groups(&random, &here);
    make_state(run, &random, &here);
    for (size_t g = 0; g < GROUPS; g++)
        expect_close(&here, g);
    assert_true(sum_of(&here, 2) <= sum_of(&here, 0) + sum_of(&here, 1));
    /* the fraction itself holds, and nothing above it */
    const uint64_t n_rows = 1 + kan_random_below(&random, 1000000);
    const kan_u128 whole = ((kan_u128)n_rows * here.most.numerator << 80) / 1000;
    kan_groups_left left = {.n_groups = 1, .n_rows = n_rows, .risk = whole};
    assert_true(kan_privacy_global_risk.holds(here.state, &left));
    left.risk++;
    assert_false(kan_privacy_global_risk.holds(here.state, &left));
}

static void no_merge_raises_a_sum_of_risks(void **state) {
    (void)state;
    random_rounds(20000, sums_of_one_scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_merge_raises_a_sum_of_risks, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

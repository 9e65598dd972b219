/* Population uniques by the search's estimate and by that of the recount, which are made of other code: they
 * agree far closer than the search leaves to spare. */
#include <math.h>
#include <stdlib.h>

#include "analyze/models/uniques.h"
#include "privacy/uniques.h"
#include "support/random_problem.h"

enum { MOST_SIZES = 30 };

static double farthest;

static void estimates_of_one_sample(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 48271;
    size_t size[MOST_SIZES];
    kan_u128 n_of[MOST_SIZES];
    kan_size_count counts[MOST_SIZES];
    const size_t n = 1 + kan_random_below(&random, MOST_SIZES);
    const uint64_t most = UINT64_C(1) << kan_random_below(&random, 16);
    uint64_t n_rows = 0;
    kan_run_set_threads(run, 1);
    for (size_t i = 0, at = 0; i < n; i++) {
        at += 1 + kan_random_below(&random, i == 0 ? 1 : 1 + i * i / 3);
        counts[i] = (kan_size_count){at, 1 + kan_random_below(&random, 1 + most / at)};
        size[i] = at;
        n_of[i] = counts[i].n_groups;
        n_rows += at * counts[i].n_groups;
    }
    static const double times[] = {1, 1.01, 1.5, 4, 9.9, 10.1, 50, 1000, 100000};
    const double n_people = (double)n_rows * times[kan_random_below(&random, 9)];
    const kan_group_sizes sizes = {.n = n, .counts = counts};
    kan_estimates told;
    kan_estimate_make(&sizes, n_people, &told);
    const double share = kan_uniques_share(&(kan_uniques_sample){n, size, n_of, n_people});
    if (told.by[told.chosen].share == 0) {
        assert_true(share < 1e-12);
        return;
    }
    const double apart = fabs(share / told.by[told.chosen].share - 1);
    if (apart > 5e-5)
        print_message("seed %llu: %zu sizes, %llu rows, %g people, %s: %.12g and %.12g\n",
                      (unsigned long long)seed, n, (unsigned long long)n_rows, n_people,
                      kan_estimator_name(told.chosen), told.by[told.chosen].share, share);
    farthest = apart > farthest ? apart : farthest;
    assert_true(apart < 5e-4 || told.by[told.chosen].share < 1e-9);
}

static void both_estimates_agree(void **state) {
    (void)state;
    farthest = 0;
    random_rounds(300, estimates_of_one_sample);
    print_message("at most %.3g apart\n", farthest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(both_estimates_agree, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

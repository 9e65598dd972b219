/* privacy/largest_part.h: the largest part by trying every number of rows. */
#include "support/random_problem.h"

#include "privacy/largest_part.h"

enum { MOST_VALUES = 6 };

static bool may_pass(const kan_part_shares *shares, const uint32_t *value, const uint64_t *count,
                     size_t n, uint64_t part) {
    kan_u128 sum = 0;
    for (size_t i = 0; i < n; i++) {
        const kan_u128 all = (kan_u128)shares->unit * count[i];
        const kan_u128 share = (kan_u128)shares->share[value[i]] * part;
        sum += all < share ? all : share;
    }
    return (kan_u128)shares->whole * part <= sum;
}

static void try_one_group(kan_run *run, uint64_t seed) {
    uint64_t share[MOST_VALUES], count[MOST_VALUES], rows = 0, largest = 0;
    uint32_t value[MOST_VALUES];
    uint64_t random = seed;
    (void)run;
    const size_t n = kan_random_below(&random, MOST_VALUES + 1);
    const kan_part_shares shares = {.share = share,
                                    .unit = 1 + kan_random_below(&random, 40),
                                    .whole = kan_random_below(&random, 40)};
    for (size_t i = 0; i < n; i++) {
        value[i] = (uint32_t)(n - 1 - i);
        share[value[i]] = kan_random_below(&random, 20);
        count[i] = 1 + kan_random_below(&random, 30);
        rows += count[i];
    }
    const uint64_t most = kan_random_below(&random, rows + 1);
    for (uint64_t part = 0; part <= most; part++)
        largest = may_pass(&shares, value, count, n, part) ? part : largest;
    assert_int_equal(kan_largest_part(&shares, value, count, n, most), largest);
}

static void the_largest_part_is_found(void **state) {
    (void)state;
    random_rounds(20000, try_one_group);
}

static void without_shares_nothing_is_said(void **state) {
    const kan_part_shares none = {.share = NULL};
    (void)state;
    assert_int_equal(kan_largest_part(&none, NULL, NULL, 0, 7), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_largest_part_is_found, random_tear_down),
        cmocka_unit_test(without_shares_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

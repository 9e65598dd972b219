/* Exact decimals: products that do not fit are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/decimal.h"

#define LEAST (-MOST - 1)
#define MOST  ((kan_wide)(~(kan_u128)0 >> 1))

static void expect_product(kan_wide a, kan_wide b, bool fits) {
    kan_wide product = 77;
    assert_true(kan_wide_multiply(a, b, &product) == fits);
    if (fits && b != 0) {
        assert_true(product / b == a);
        assert_true(product % b == 0);
    } else if (fits) {
        assert_true(product == 0);
    } else {
        assert_true(product == 77);
    }
}

static void a_product_that_fits_is_exact_and_another_is_refused(void **state) {
    (void)state;
    const kan_wide half = (kan_wide)1 << 63, values[] = {0, 1, -1, 10, -10, half, -half};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t j = 0; j < sizeof values / sizeof *values; j++)
            expect_product(values[i], values[j], true);
    expect_product(MOST, 1, true);
    expect_product(MOST, -1, true);
    expect_product(MOST / 10, 10, true);
    expect_product(MOST / 10, -10, true);
    expect_product(MOST / 10 + 1, 10, false);
    expect_product(MOST / 10 + 1, -10, false);
    expect_product(half * 2, half, false);
    expect_product(MOST, MOST, false);
    expect_product(LEAST, -1, false);
    expect_product(LEAST, 0, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_that_fits_is_exact_and_another_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

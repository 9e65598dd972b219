/* How large groups of drawn rows must be: the published table, and the definition. */
#include <math.h>

#include "analyze/draws/draws.h"
#include "privacy/draws.h"
#include "support/plain.h"

static void the_least_k_is_that_of_the_paper(void **state) {
    (void)state;
    /* ln 2 and ln 3, rounded up: k depends on whether c n is below a whole number */
    static const double epsilons[6] = {0.5, 0.6931472, 1, 1.0986123, 1.5, 2};
    static const struct {
        double delta;
        uint64_t k[6];
    } rows[] = {{1e-5, {51, 53, 61, 62, 80, 113}},
                {1e-6, {63, 66, 74, 77, 99, 131}},
                {1e-7, {75, 80, 91, 92, 117, 164}}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(kan_draws_make(epsilons[i], rows[r].delta).k, rows[r].k[i]);
}

/* Written with logarithms and gamma functions, and nothing of the above. Where a tail comes near delta one of
 * the two may be beyond it: k is never less than needed, and hardly ever more. */
static void k_is_enough_and_one_less_is_not(void **state) {
    (void)state;
    size_t n = 0, n_more = 0;
    for (double epsilon = 0.05; epsilon <= KAN_EPSILON_MOST; epsilon += 0.137)
        for (double delta = KAN_DELTA_MOST; delta >= 1e-14; delta /= 7.3) {
            const uint64_t k = kan_draws_make(epsilon, delta).k;
            if (!kan_draws_are_enough(epsilon, delta, k))
                fail_msg("epsilon %g, delta %g: %llu is not enough", epsilon, delta,
                         (unsigned long long)k);
            n++;
            n_more += kan_draws_are_enough(epsilon, delta, k - 1);
        }
    assert_true(n > 400);
    assert_int_equal(n_more, 0);
}

static void the_ends_of_what_can_be_asked_for_have_a_k(void **state) {
    (void)state;
    static const double ends[][2] = {{KAN_EPSILON_LEAST, KAN_DELTA_LEAST},
                                     {KAN_EPSILON_LEAST, KAN_DELTA_MOST},
                                     {KAN_EPSILON_MOST, KAN_DELTA_LEAST},
                                     {KAN_EPSILON_MOST, KAN_DELTA_MOST}};
    for (size_t i = 0; i < 4; i++) {
        const kan_draws draws = kan_draws_make(ends[i][0], ends[i][1]);
        assert_true(draws.k > 1 && draws.k < 10000);
        assert_true(kan_draws_are_enough(ends[i][0], ends[i][1], draws.k));
    }
}

static void rows_are_never_drawn_more_often_than_the_proof_says(void **state) {
    (void)state;
    for (double epsilon = KAN_EPSILON_LEAST; epsilon <= KAN_EPSILON_MOST; epsilon += 0.0173) {
        const kan_draws draws = kan_draws_make(epsilon, 1e-6);
        const double most = -expm1(-epsilon);
        assert_true(draws.share < most);
        assert_true(draws.share > most * (1 - 1e-11));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_k_is_that_of_the_paper),
        cmocka_unit_test(k_is_enough_and_one_less_is_not),
        cmocka_unit_test(the_ends_of_what_can_be_asked_for_have_a_k),
        cmocka_unit_test(rows_are_never_drawn_more_often_than_the_proof_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

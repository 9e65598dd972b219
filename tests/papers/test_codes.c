/* Terrovitis, Mamoulis and Kalnis 2008, section 3: four baskets, the hierarchy with A = {a1, a2} and
 * B = {b1, b2}; {a1, a2} -> A makes them 2^2-anonymous. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "search/codes/codes.h"

enum { A1, A2, B1, B2, LEAVES };

static const uint64_t start[] = {0, 3, 5, 8, 11};
static const uint32_t leaves[] = {A1, B1, B2, A2, B1, A2, B1, B2, A1, A2, B2};
static const uint32_t values[] = {0, 1, 2, 3}, halves[] = {0, 0, 1, 1}, top[] = {0, 0, 0, 0};
static const uint32_t *const groups[] = {values, halves, top};
/* leaves below a node as a share of all, as the paper's NCP counts them: 0, 2/4, 1 */
static const uint64_t free_of_charge[] = {0, 0, 0, 0}, half[] = {2, 2, 2, 2}, all[] = {4, 4, 4, 4};
static const uint64_t *const prices[] = {free_of_charge, half, all};

static kan_codes_question baskets(unsigned known, bool by_cuts) {
    return (kan_codes_question){
        .people = {4, start, leaves},
        .tree = {LEAVES, 2, groups, prices, 4},
        .k = 2,
        .known = known,
        .by_cuts = by_cuts,
        .most_steps = UINT64_MAX,
    };
}

static void expect(unsigned known, bool by_cuts, const uint8_t *levels, uint64_t cost) {
    kan_run *run = kan_run_create();
    const kan_codes_question question = baskets(known, by_cuts);
    kan_codes_answer answer;
    assert_int_equal(kan_codes_search(run, &question, &answer), KAN_OK);
    assert_true(answer.is_found && answer.is_proven);
    assert_memory_equal(answer.levels, levels, LEAVES);
    assert_int_equal((uint64_t)answer.cost, cost);
    assert_int_equal(answer.n_left, 0);
    kan_codes_answer_destroy(&answer);
    kan_run_destroy(run);
}

static void the_best_cut_of_the_running_example_is_that_of_the_paper(void **state) {
    (void)state;
    expect(2, true, (const uint8_t[]){1, 1, 0, 0}, 10); /* five codes are shown as A */
}

static void one_level_for_all_codes_loses_more(void **state) {
    (void)state;
    expect(2, false, (const uint8_t[]){1, 1, 1, 1}, 22);
}

/* Each code is in two baskets at least. */
static void whoever_knows_one_code_needs_nothing(void **state) {
    (void)state;
    expect(1, true, (const uint8_t[]){0, 0, 0, 0}, 0);
    expect(1, false, (const uint8_t[]){0, 0, 0, 0}, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_cut_of_the_running_example_is_that_of_the_paper),
        cmocka_unit_test(one_level_for_all_codes_loses_more),
        cmocka_unit_test(whoever_knows_one_code_needs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Spellings of one number: what the search takes for one value (group/freqsets/alike.h), and what the recount
 * does (analyze/verify/recount_meant.h), by hand and against each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/verify/verify.h"
#include "data/decimal.h"
#include "group/freqsets/alike.h"
#include "support/random_problem.h"

static bool is_one(const char *a, const char *b) {
    return kan_alike_is(kan_slice_of(a), kan_slice_of(b));
}

static void spellings_of_a_number_are_one(void **state) {
    static const char *const same[][2] = {
        {"1", "1.0"},
        {"1", "+1"},
        {"1000", "1e3"},
        {"-0", "0"},
        {"0e5", ".0"},
        {"0.10", ".1"},
        {"1e-400", "10e-401"},
        {"-15e-1", "-1.50"},
        {"2001-01-02", "2001-01-02 00:00:00"},
        {"2001-01-02 10:00:00.5", "2001-01-02 10:00:00.500"},
        {"007", "007"},
        {"word", "word"},
    };
    static const char *const apart[][2] = {
        {"1", "-1"},
        {"0.1", "0.11"},
        {"1e-400", "0"},
        {"9007199254740992", "9007199254740993"},
        {"12345678901234567890123456789012345678901", "12345678901234567890123456789012345678902"},
        {"007", "7"},
        {"00", "0"},
        {"1e400", "10e399"}, /* no numbers */
        {"?", ""},
        {"2001-01-02", "2001-01-03"},
        {"2001-01-02 10:00:00.5", "2001-01-02 10:00:00.500000001"},
        {"<20", "20"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(is_one(same[i][0], same[i][1]));
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        assert_false(is_one(apart[i][0], apart[i][1]));
}

static void codes_have_a_zero_before_them(void **state) {
    (void)state;
    static const char *const codes[] = {"007", "-01", "+00", "00.5"};
    static const char *const others[] = {"0", "0.5", "-0", "70", "0e7", ".07", ""};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_true(kan_decimal_is_padded(kan_slice_of(codes[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(kan_decimal_is_padded(kan_slice_of(others[i])));
}

/* ---- both sides ----------------------------------------------------------------------------- */

enum { MOST = 40, SIZE = 48 };

/* A few digits, so that many are equal, with a point and an exponent anywhere. */
static void put_number(uint64_t *random, char *out) {
    static const char *const signs[] = {"", "", "-", "+"};
    const unsigned whole = (unsigned)kan_random_below(random, 120);
    const int shift = (int)kan_random_below(random, 5) - 2;
    int n = snprintf(out, SIZE, "%s", signs[kan_random_below(random, 4)]);
    switch (kan_random_below(random, 6)) {
    case 0:
        n += snprintf(out + n, SIZE - (size_t)n, "%u.%u", whole / 10, whole % 10);
        break;
    case 1:
        n += snprintf(out + n, SIZE - (size_t)n, "90071992547409%02u", whole % 100);
        break;
    case 2:
        n += snprintf(out + n, SIZE - (size_t)n, ".%02u", whole % 100);
        break;
    case 3:
        n += snprintf(out + n, SIZE - (size_t)n, "0%u", whole);
        break;
    default:
        n += snprintf(out + n, SIZE - (size_t)n, "%u", whole);
    }
    if (kan_random_below(random, 3) == 0)
        n += snprintf(out + n, SIZE - (size_t)n, "%s", strchr(out, '.') ? "0" : ".0");
    if (kan_random_below(random, 3) == 0)
        (void)snprintf(out + n, SIZE - (size_t)n, "e%d", shift);
}

static void put_value(uint64_t *random, char *out) {
    static const char *const others[] = {
        "word", "?", "", "2001-01-02", "2001-01-02 00:00:00", "2001-01-02 00:00:00.0"};
    if (kan_random_below(random, 8) == 0)
        snprintf(out, SIZE, "%s", others[kan_random_below(random, 6)]);
    else
        put_number(random, out);
}

static void both_sides_agree(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    char texts[MOST][SIZE];
    kan_slice values[MOST];
    size_t same_as[MOST];
    uint32_t rank[MOST], n_ranks;
    bool has_several;
    kan_meant_list meant;
    for (size_t i = 0; i < MOST; i++) {
        put_value(&random, texts[i]);
        values[i] = kan_slice_of(texts[i]);
    }
    EXPECT_OK(run, kan_meant_read(run, values, MOST, &meant));
    EXPECT_OK(run, kan_meant_same(&meant, same_as, &has_several));
    EXPECT_OK(run, kan_meant_rank(&meant, NULL, rank, &n_ranks));
    for (size_t i = 0; i < MOST; i++)
        for (size_t j = 0; j < MOST; j++) {
            double x, y;
            if (kan_alike_is(values[i], values[j]) != (same_as[i] == same_as[j]))
                fail_msg("'%s' and '%s'", texts[i], texts[j]);
            if (!kan_value_exact(KAN_TYPE_NUMBER, values[i], &x) ||
                !kan_value_exact(KAN_TYPE_NUMBER, values[j], &y))
                continue;
            const int order = kan_decimal_compare(values[i], values[j]);
            if ((order > 0) != (rank[i] > rank[j]) || (order < 0) != (rank[i] < rank[j]) ||
                (x < y && order >= 0))
                fail_msg("the order of '%s' and '%s'", texts[i], texts[j]);
        }
    kan_meant_destroy(&meant);
}

static void search_and_recount_agree_on_what_values_mean(void **state) {
    (void)state;
    random_rounds(300, both_sides_agree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings_of_a_number_are_one),
        cmocka_unit_test(codes_have_a_zero_before_them),
        cmocka_unit_test_teardown(search_and_recount_agree_on_what_values_mean, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

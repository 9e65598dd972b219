/* What a row adds to its household never grows when its group does, to the last unit, by weights and without; and
 * what is said of a household by whole numbers is what the definition says. */
#include <math.h>
#include <string.h>

#include "analyze/verify/individual.h"
#include "privacy/privacy.h"
#include "support/random_problem.h"

static const kan_privacy_kind *const kind = &kan_privacy_household_risk;

typedef struct {
    kan_problem problem;
    kan_sampling sampling;
    uint64_t unit; /* one value, which stands for a unit */
    kan_options options;
    void *state;
} scene;

static void make(kan_run *run, const char *most, double one, scene *out) {
    memset(out, 0, sizeof *out);
    out->unit = 1;
    out->sampling = (kan_sampling){.n_values = 1, .units = &out->unit, .one = one};
    out->problem = (kan_problem){.run = run, .has_person = true, .counts_rows = true};
    out->problem.sampling = one > 0 ? &out->sampling : NULL;
    kan_options_init(&out->options, kan_run_arena(run));
    EXPECT_OK(run, kan_options_add(&out->options, "household-risk", most));
    /* a unit is more than a person, so that weights matter */
    out->sampling.units = out->sampling.one > 0 ? (uint64_t[]){(uint64_t)one + 1} : NULL;
    EXPECT_OK(run,
              kind->create(run, kan_run_arena(run), &out->options, &out->problem, &out->state));
    out->sampling.units = &out->unit;
}

static kan_u128 part_of(const scene *here, uint64_t f, uint64_t units) {
    static const size_t start[] = {0, 1};
    static const uint32_t value[] = {0};
    const kan_tally tally = {start, value, &units};
    const kan_groups groups = {.n_groups = 1, .count = &f, .tallies = &tally};
    return kind->household_part(here->state, &groups, 0);
}

/* About as often in each size, and close to where steps change. */
static uint64_t random_size(uint64_t *random, unsigned most_bits) {
    const uint64_t base = UINT64_C(1) << kan_random_below(random, most_bits);
    const uint64_t near = kan_random_below(random, 4);
    return kan_random_below(random, 2) ? base + near : base + kan_random_below(random, base);
}

static void parts_fall(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 31 + 1;
    static const double ones[] = {1, 10, 1000, 1e6};
    const double one = ones[kan_random_below(&random, 4)];
    scene weighted, plain;
    make(run, "0.1", one, &weighted);
    make(run, "0.1", 0, &plain);
    for (unsigned i = 0; i < 2000; i++) {
        const uint64_t f = random_size(&random, 26), more = random_size(&random, 12);
        const bool is_near = kan_random_below(&random, 2);
        const uint64_t units =
            is_near ? f * (uint64_t)one + kan_random_below(&random, 8) : random_size(&random, 50);
        const kan_u128 part = part_of(&weighted, f, units);
        const uint64_t added = kan_random_below(&random, 2) ? 1 : random_size(&random, 20);
        assert_true(part_of(&weighted, f, units + added) <= part);
        assert_true(part_of(&weighted, f + 1, units) <= part);
        assert_true(part_of(&weighted, f + more, units + added) <= part);
        assert_true(part_of(&plain, f + 1, 0) <= part_of(&plain, f, 0));
        /* and is never below what the recount says, nor far above */
        const double people = (double)units / one;
        const double risk = kan_individual_risk(f, people);
        const double parts = ldexp((double)part, -80), truth = -log1p(-risk);
        if (f > 1 && f < 1 << 17) {
            assert_true(parts >= truth);
            assert_true(parts <= truth * (1 + 1e-9) + 1e-18);
        }
    }
    kan_options_destroy(&weighted.options);
    kan_options_destroy(&plain.options);
}

static void what_a_row_adds_never_grows(void **state) {
    (void)state;
    random_rounds(40, parts_fall);
}

/* R at each sum that some households have, and a hair below. */
static void limits_are_exact(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 77 + 5;
    static const struct {
        const char *most, *below;
        size_t n;
        uint64_t sizes[3], times[3];
    } ties[] = {{"0.2", "0.19999999999999999", 1, {5}, {1}},
                {"0.36", "0.35999999999999999", 1, {5}, {2}},
                {"0.75", "0.74999999999999999", 1, {2}, {2}},
                {"0.488", "0.487999999999999999", 1, {5}, {3}},
                {"0.28", "0.279999999999999999", 2, {5, 10}, {1, 1}},
                {"0.64", "0.639999999999999999", 3, {5, 10, 2}, {1, 1, 1}},
                {"0.00001", "0.000009999999999999", 1, {100000}, {1}}};
    for (size_t i = 0; i < sizeof ties / sizeof *ties; i++)
        for (int is_below = 0; is_below < 2; is_below++) {
            scene here;
            bool keeps;
            make(run, is_below ? ties[i].below : ties[i].most, 0, &here);
            kan_household_rows rows = {
                .n = ties[i].n, .sizes = ties[i].sizes, .times = ties[i].times};
            for (size_t s = 0; s < rows.n; s++)
                rows.parts += part_of(&here, rows.sizes[s], 0) * rows.times[s];
            assert_false(kind->sum_decides(here.state, rows.parts, &keeps));
            assert_int_equal(kind->household_keeps(here.state, &rows), !is_below);
            const uint64_t larger = ties[i].sizes[0] + 1 + kan_random_below(&random, 3);
            const kan_u128 less =
                rows.parts - part_of(&here, ties[i].sizes[0], 0) + part_of(&here, larger, 0);
            assert_true(kind->sum_decides(here.state, less, &keeps) && keeps);
            kan_options_destroy(&here.options);
        }
}

static void a_household_at_the_limit_keeps_it_and_none_above(void **state) {
    (void)state;
    random_rounds(3, limits_are_exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_row_adds_never_grows),
        cmocka_unit_test(a_household_at_the_limit_keeps_it_and_none_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

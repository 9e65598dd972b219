/* mondrian and mondrian-relaxed against the same written down plainly, on random tables: the same
 * regions in the same order, made of the same rows, showing the same cells. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/models.h"
#include "support/plain_mondrian.h"

/* ---- asking --------------------------------------------------------------------------------- */

static void add_option(test_asked *asked, kan_run *run, const char *name, const char *value) {
    if (value)
        EXPECT_OK(run, kan_options_add(&asked->options, name, value));
}

static const kan_privacy_kind *model_of(const plain_plan *plan) {
    return plan->passes == plain_has_values     ? &model_values
           : plan->passes == plain_has_multiple ? &model_multiples
                                                : NULL;
}

/* What is a default is left to be one, half of the time. */
static void ask(const region_problem *problem, const plain_plan *plan, uint64_t *random,
                test_asked *out) {
    kan_run *run = problem->made.run;
    const bool says_all = kan_random_below(random, 2) != 0;
    const test_question question = {
        .privacy = model_of(plan), .cost = plan->cost, .k = plan->k, .wants_best_alone = true};
    test_ask(&problem->made, &question, out);
    if (strcmp(plan->split, "cost") == 0)
        add_option(out, run, "cost", "some");
    if (strcmp(plan->split, "purpose") == 0)
        out->question.purpose = plan->purpose;
    if (says_all || strcmp(plan->split, "entropy") == 0)
        add_option(out, run, "split", plan->split);
    if (says_all || plan->is_global)
        add_option(out, run, "ranges", plan->is_global ? "global" : "tight");
    add_option(out, run, "categories", plan->categories);
}

static kan_status search(const region_problem *problem, const plain_plan *plan,
                         const test_asked *asked, kan_answer *out) {
    const kan_search_kind *kind =
        plan->is_relaxed ? &kan_search_mondrian_relaxed : &kan_search_mondrian;
    return kind->search(problem->made.run, &asked->question, out);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static void expect_range(const kan_cells *cells, const kan_cell *cell, const region_axis *axis,
                         uint32_t low, uint32_t high) {
    assert_int_equal(cells->type, KAN_CELL_RANGE);
    assert_int_equal(cell->a, axis->first_leaf[low]);
    assert_int_equal(cell->b, axis->first_leaf[high + 1] - 1);
}

/* The unknown values that the region has, and every known one from its least to its greatest. */
static void expect_tight_range(const region_problem *problem, const plain_region *region,
                               unsigned a, const kan_cells *cells, uint32_t number) {
    const region_axis *axis = &problem->axes[a];
    bool *is_there = calloc(axis->n_places, sizeof *is_there);
    uint32_t low = UINT32_MAX, high = 0;
    assert_non_null(is_there);
    assert_int_equal(cells->type, KAN_CELL_RANGE);
    for (size_t i = 0; i < region->n; i++) {
        const uint32_t place = axis->place[region->rows[i]];
        is_there[place] = true;
        if (place >= axis->n_unknown) {
            low = place < low ? place : low;
            high = place > high ? place : high;
        }
    }
    for (uint32_t leaf = 0; leaf < axis->n_leaves; leaf++) {
        const uint32_t place = axis->place_of[leaf];
        enum { NEAR = 8, MANY = 512 }; /* of many only those next to where something changes */
        if (axis->n_leaves > MANY && place >= NEAR && place + 1 != low && place != low &&
            place != high && place != high + 1)
            continue;
        const bool is_in =
            place < axis->n_unknown ? is_there[place] : low <= place && place <= high;
        assert_int_equal(kan_cell_holds(cells, number, problem->made.hierarchies[a], leaf), is_in);
    }
    free(is_there);
}

static void expect_set(const kan_cells *cells, const kan_cell *cell, const region_axis *axis,
                       const plain_region *region) {
    bool *is_there = calloc(axis->n_leaves, sizeof *is_there);
    uint32_t n = 0;
    assert_non_null(is_there);
    assert_int_equal(cells->type, KAN_CELL_SET);
    for (size_t i = 0; i < region->n; i++)
        is_there[axis->leaf[region->rows[i]]] = true;
    for (uint32_t leaf = 0; leaf < axis->n_leaves; leaf++)
        if (is_there[leaf]) {
            assert_true(cell->a + n < cell->b);
            assert_int_equal(cells->set[cell->a + n], leaf);
            n++;
        }
    assert_int_equal(cell->b - cell->a, n);
    free(is_there);
}

static void expect_cell(const region_problem *problem, const plain_plan *plan,
                        const plain_region *region, unsigned a, const kan_cells *cells,
                        uint32_t number) {
    const region_axis *axis = &problem->axes[a];
    const plain_cutting cutting = plain_cutting_of(plan, axis);
    const plain_bound *bound = &region->bounds[a];
    assert_true(number < cells->n);
    const kan_cell *cell = &cells->cells[number];
    if (cutting == PLAIN_TREE) {
        const unsigned level =
            plan->is_global ? bound->level : plain_cover(axis, region->rows, region->n);
        const uint32_t leaf =
            plan->is_global && level < axis->height ? bound->leaf : axis->leaf[region->rows[0]];
        assert_int_equal(cells->type, KAN_CELL_NODE);
        assert_int_equal(cell->a, level);
        assert_int_equal(cell->b, problem->made.hierarchies[a]->levels[level].from_leaf[leaf]);
    } else if (plan->is_global) {
        expect_range(cells, cell, axis, bound->low, bound->high);
    } else if (cutting != PLAIN_VALUES) {
        expect_set(cells, cell, axis, region);
    } else {
        expect_tight_range(problem, region, a, cells, number);
    }
}

static void expect_same(const region_problem *problem, const plain_plan *plan,
                        const plain_regions *truth, const kan_answer *answer) {
    const kan_regions *regions = answer->recoding.regions;
    assert_int_equal(answer->recoding.type,
                     plan->is_relaxed ? KAN_RECODING_SHARED : KAN_RECODING_REGIONS);
    assert_int_equal(answer->recoding.n_attributes, problem->n_attributes);
    assert_int_equal(regions->n_regions, truth->n);
    uint32_t *region = region_of_rows(problem, answer);
    for (size_t r = 0; r < truth->n; r++) {
        assert_int_equal(regions->n_rows[r], truth->regions[r].n);
        for (size_t i = 0; i < truth->regions[r].n; i++)
            assert_int_equal(region[truth->regions[r].rows[i]], r);
        for (unsigned a = 0; a < problem->n_attributes; a++)
            expect_cell(problem, plan, &truth->regions[r], a, &regions->cells[a],
                        regions->cell_of[r * problem->n_attributes + a]);
    }
    free(region);
}

/* The case in hand, for people; cmocka leaves a failed test by a jump, so it stands outside. */
static char in_hand[1000];

static void describe(const region_problem *problem, const plain_plan *plan) {
    static const char *const kinds[] = {"numbers", "dates", "texts", "tree"};
    int n = snprintf(in_hand, sizeof in_hand,
                     "%s, %s, split %s%s, categories %s, cost %s, k %" PRIu64 "%s, %zu rows:",
                     plan->is_relaxed ? "relaxed" : "strict", plan->is_global ? "global" : "tight",
                     plan->split, plan->purpose->steps ? " of numbers" : "",
                     plan->categories ? plan->categories : "by default", plan->cost->kind.name,
                     plan->k, plan->passes ? ", a model" : "", problem->n_rows);
    for (unsigned a = 0; a < problem->n_attributes && n < 900; a++)
        n += snprintf(in_hand + n, sizeof in_hand - (size_t)n, " %s of %" PRIu32 " places%s%s;",
                      kinds[problem->axes[a].kind], problem->axes[a].n_places,
                      problem->axes[a].has_bins ? " (bins)" : "",
                      problem->axes[a].n_unknown ? " (unknown)" : "");
}

static int tear_down(void **state) {
    if (in_hand[0])
        print_error("%s\n", in_hand);
    in_hand[0] = '\0';
    return random_tear_down(state);
}

static size_t n_compared, n_close;

/* Scores that are nearly the same are told apart by rounding alone: nothing is claimed then. */
static void compare(const region_problem *problem, const plain_plan *plan, uint64_t *random) {
    test_asked asked;
    kan_answer answer;
    plain_regions truth;
    plain_mondrian(problem, plan, &truth);
    ask(problem, plan, random, &asked);
    EXPECT_OK(problem->made.run, search(problem, plan, &asked, &answer));
    assert_int_equal(answer.is_found, truth.n > 0);
    n_compared++;
    n_close += truth.is_close;
    describe(problem, plan);
    if (answer.is_found && !truth.is_close)
        expect_same(problem, plan, &truth, &answer);
    else if (answer.is_found)
        free(region_of_rows(problem, &answer));
    in_hand[0] = '\0';
    kan_answer_destroy(problem->made.run, &answer);
    test_asked_destroy(&asked);
    plain_regions_destroy(&truth);
}

/* ---- cases ---------------------------------------------------------------------------------- */

static const char *one_of(uint64_t *random, const char *const *names, unsigned n) {
    return names[kan_random_below(random, n)];
}

/* Bits stand in eight words; what is within 64 places shares one. */
static bool counts_bounds(const region_problem *problem) {
    for (unsigned a = 0; a < problem->n_attributes; a++)
        if (problem->axes[a].n_places > 512)
            return true;
    return false;
}

static plain_plan random_plan(const region_problem *problem, uint64_t *random,
                              plain_purpose *purpose) {
    static const char *const splits[] = {"widest", "entropy", "cost", "cost", "purpose", "purpose"};
    static const char *const categories[] = {NULL, NULL, "order", "any", "tree"};
    static const kan_cost_kind *const costs[] = {
        &kan_cost_ncp,           &kan_cost_ncp,       &kan_cost_discernibility,
        &kan_cost_average_class, &kan_cost_precision, &kan_cost_distortion,
        &kan_cost_classification};
    const size_t n = problem->n_rows;
    const uint64_t most[] = {3, n / 2 + 2, 12};
    const uint64_t k = 1 + kan_random_below(random, most[kan_random_below(random, 3)]);
    plain_purpose_make(problem, random, purpose);
    return (plain_plan){
        .is_relaxed = kan_random_below(random, 3) == 0,
        .is_global = kan_random_below(random, 3) == 0,
        .split = one_of(random, splits, problem->class_tail == KAN_NO_TAIL ? 4 : 6),
        .categories = one_of(random, categories, 5),
        .cost = costs[kan_random_below(random, problem->class_tail == KAN_NO_TAIL ? 6 : 7)],
        .k = k < n ? k : n,
        .purpose = &purpose->purpose,
        .counts_bounds = counts_bounds(problem)};
}

static void small_tables(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7919;
    region_spec spec;
    region_problem problem;
    kan_run_set_threads(run, 1);
    random_region_spec(&random, seed % 3 == 0 ? 12 : seed % 3 == 1 ? 70 : 260, &spec);
    region_problem_make(run, &spec, &random, &problem);
    for (unsigned i = 0; i < 6; i++) {
        plain_purpose purpose;
        const plain_plan plan = random_plan(&problem, &random, &purpose);
        compare(&problem, &plan, &random);
        plain_purpose_destroy(&purpose);
    }
    region_problem_destroy(&problem);
}

static void regions_are_those_of_the_plain_way(void **state) {
    (void)state;
    n_compared = n_close = 0;
    random_rounds(250, small_tables);
    assert_true(n_close * 10 < n_compared + 10); /* nearly all are compared */
}

static void promises_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 104729;
    region_spec spec;
    region_problem problem;
    kan_run_set_threads(run, 1);
    do
        random_region_spec(&random, seed % 2 ? 40 : 150, &spec);
    while (spec.n_tails <= (spec.has_class ? 1U : 0U)); /* models do not look at the class */
    region_problem_make(run, &spec, &random, &problem);
    for (unsigned i = 0; i < 4; i++) {
        plain_purpose purpose;
        plain_plan plan = random_plan(&problem, &random, &purpose);
        plan.passes = i % 2 ? plain_has_values : plain_has_multiple;
        plan.k = 1 + kan_random_below(&random, 4);
        plan.context = &plan.k;
        compare(&problem, &plan, &random);
        plain_purpose_destroy(&purpose);
    }
    region_problem_destroy(&problem);
}

static void so_are_those_of_promises_that_sizes_do_not_decide(void **state) {
    (void)state;
    random_rounds(120, promises_on_one_table);
}

/* One table in many rounds is large. */
static void large_tables(kan_run *run, uint64_t seed) {
    enum { RARE = 32 };
    uint64_t random = seed * 50021;
    region_spec spec;
    region_problem problem;
    if (seed % RARE != 1 && !getenv("KANON_TEST_SEED"))
        return;
    kan_run_set_threads(run, 2);
    random_large_region_spec(&random, &spec);
    if (is_slow_here() && spec.n_rows > 35000)
        spec.n_rows = 35000; /* still more than are narrow */
    region_problem_make(run, &spec, &random, &problem);
    for (unsigned i = 0; i < (is_slow_here() ? 1 : 2); i++) {
        plain_purpose purpose;
        plain_plan plan = random_plan(&problem, &random, &purpose);
        if (strcmp(plan.split, "purpose") == 0 ||
            (spec.n_rows > 10000 && strcmp(plan.split, "cost") == 0))
            plan.split = "widest"; /* by gain, the plain way would take minutes */
        plan.k = 2 + kan_random_below(&random, 30);
        compare(&problem, &plan, &random);
        plain_purpose_destroy(&purpose);
    }
    region_problem_destroy(&problem);
}

static void so_are_those_of_large_tables(void **state) {
    (void)state;
    random_rounds(200, large_tables);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(regions_are_those_of_the_plain_way, tear_down),
        cmocka_unit_test_teardown(so_are_those_of_promises_that_sizes_do_not_decide, tear_down),
        cmocka_unit_test_teardown(so_are_those_of_large_tables, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Searches over regions with failing allocations: each failure is a clean error, nothing leaks (the
 * suite runs under the address sanitizer too), and the account is even afterwards. */
#include "fault/search_faults.h"
#include "support/models.h"
#include "support/region_problem.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

/* Numbers, text and a tree; enough tuples for a round of tasks. */
static const region_spec spec = {
    .n_rows = 1200,
    .n_attributes = 4,
    .n_tails = 2,
    .columns = {{.kind = REGION_NUMBERS, .n_values = 300, .weight = 1},
                {.kind = REGION_TEXTS, .n_values = 30, .weight = 1},
                {.kind = REGION_TREE, .n_values = 20, .height = 3, .weight = 1},
                {.kind = REGION_NUMBERS, .n_values = 40000, .weight = 1}},
    .n_classes = 3,
    .has_class = true};

typedef struct {
    const char *split, *ranges;
    const kan_cost_kind *cost;
    const kan_privacy_kind *privacy;
    const char *improve; /* NULL: not said */
    bool per_column;
} variant;

static void expect_clean(const region_problem *problem, const kan_search_kind *search,
                         const variant *v) {
    kan_run *run = problem->made.run;
    const test_question question = {
        .privacy = v->privacy, .cost = v->cost, .k = 3, .wants_best_alone = true};
    const kan_query_box query = {.weight = 1, .first = {20, 3, 0, 0}, .last = {100, 20, 19, 1000}};
    static const uint32_t steps[] = {0, KAN_PURPOSE_UNKNOWN, 7}; /* of each class */
    kan_purpose purpose = {.is_used = {true, true, true, false}};
    test_asked asked;
    test_ask(&problem->made, &question, &asked);
    purpose.steps = v->cost == &kan_cost_ncp ? NULL : steps;
    asked.question.purpose = strcmp(v->split, "purpose") == 0 ? &purpose : NULL;
    asked.question.queries = &query;
    asked.question.n_queries = 1;
    EXPECT_OK(run, kan_options_add(&asked.options, "split", v->split));
    EXPECT_OK(run, kan_options_add(&asked.options, "ranges", v->ranges));
    if (v->improve)
        EXPECT_OK(run, kan_options_add(&asked.options, "improve", v->improve));
    if (v->per_column)
        EXPECT_OK(run, kan_options_add(&asked.options, "per-column", "true"));
    expect_every_failure_is_clean(run, search, &asked.question);
    test_asked_destroy(&asked);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    static const variant variants[] = {
        {"widest", "tight", &kan_cost_ncp, NULL, NULL, false},
        {"widest", "global", &kan_cost_ncp, &model_values, NULL, false},
        {"cost", "tight", &kan_cost_ncp, NULL, NULL, false},
        {"cost", "global", &kan_cost_classification, &model_values, NULL, false},
        {"workload", "tight", &kan_cost_ncp, NULL, NULL, false},
        {"purpose", "tight", &kan_cost_ncp, &model_values, NULL, false},
        {"purpose", "global", &kan_cost_classification, NULL, NULL, false},
    };
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        kan_run *run = kan_run_create();
        uint64_t random = 5;
        region_problem problem;
        kan_run_set_threads(run, n_threads);
        region_problem_make(run, &spec, &random, &problem);
        for (size_t i = 0; i < sizeof variants / sizeof *variants; i += n_threads) {
            expect_clean(&problem, &kan_search_mondrian, &variants[i]);
            expect_clean(&problem, &kan_search_mondrian_relaxed, &variants[i]);
        }
        region_problem_destroy(&problem);
        kan_run_destroy(run);
    }
}

/* The same of mdav, for which text needs a tree. */
static void so_is_every_one_of_mdav(void **state) {
    static const variant variants[] = {
        {"widest", "tight", &kan_cost_ncp, NULL, NULL, false},
        {"cost", "global", &kan_cost_ncp, &model_values, NULL, false}};
    region_spec with_trees = spec;
    (void)state;
    with_trees.n_rows = 150;
    with_trees.columns[1] = with_trees.columns[2];
    with_trees.columns[3].n_unknown = 1;
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        kan_run *run = kan_run_create();
        uint64_t random = 7;
        region_problem problem;
        kan_run_set_threads(run, n_threads);
        region_problem_make(run, &with_trees, &random, &problem);
        for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
            expect_clean(&problem, &kan_search_mdav, &variants[i]);
        region_problem_destroy(&problem);
        kan_run_destroy(run);
    }
}

/* Groups of numbers that are improved; a table that is small enough to end by itself. */
static void so_is_every_one_of_improving(void **state) {
    const variant improving = {"widest", "tight", &kan_cost_ncp, NULL, "1000000", false};
    kan_run *run = kan_run_create();
    uint64_t random = 7;
    region_spec numbers = spec;
    region_problem problem;
    (void)state;
    numbers.n_rows = 12;
    for (unsigned a = 0; a < numbers.n_attributes; a++)
        numbers.columns[a] = spec.columns[0];
    numbers.columns[1].n_unknown = 1;
    kan_run_set_threads(run, 1);
    region_problem_make(run, &numbers, &random, &problem);
    expect_clean(&problem, &kan_search_mdav, &improving);
    region_problem_destroy(&problem);
    kan_run_destroy(run);
}

/* The best groups of one column, and these joined for another promise. */
static void so_is_every_one_of_one_column(void **state) {
    static const variant variants[] = {
        {"widest", "tight", &kan_cost_ncp, NULL, NULL, false},
        {"widest", "tight", &kan_cost_ncp, &model_values, NULL, false}};
    kan_run *run = kan_run_create();
    uint64_t random = 7;
    region_spec numbers = spec;
    region_problem problem;
    (void)state;
    numbers.n_rows = 60;
    numbers.n_attributes = 1;
    kan_run_set_threads(run, 1);
    region_problem_make(run, &numbers, &random, &problem);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        expect_clean(&problem, &kan_search_univariate, &variants[i]);
    region_problem_destroy(&problem);
    kan_run_destroy(run);
}

/* Several columns, each by itself. */
static void so_is_every_one_of_each_column(void **state) {
    const variant each = {"widest", "tight", &kan_cost_ncp, NULL, NULL, .per_column = true};
    kan_run *run = kan_run_create();
    uint64_t random = 7;
    region_spec numbers = spec;
    region_problem problem;
    (void)state;
    numbers.n_rows = 60;
    for (unsigned a = 0; a < numbers.n_attributes; a++)
        numbers.columns[a] = spec.columns[0];
    kan_run_set_threads(run, 1);
    region_problem_make(run, &numbers, &random, &problem);
    expect_clean(&problem, &kan_search_univariate, &each);
    region_problem_destroy(&problem);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, reset),
        cmocka_unit_test_teardown(so_is_every_one_of_mdav, reset),
        cmocka_unit_test_teardown(so_is_every_one_of_improving, reset),
        cmocka_unit_test_teardown(so_is_every_one_of_one_column, reset),
        cmocka_unit_test_teardown(so_is_every_one_of_each_column, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Regions under models of sensitive values: whatever the models, every region of an answer keeps
 * all of them by their definitions; and an answer is there exactly when the table as a whole keeps
 * them. */
#include <stdlib.h>
#include <string.h>

#include "support/plain_mondrian.h"

/* The tails of the problem as a plain table without attributes, for the definitions. */
static void copy_tails(const region_problem *problem, plain_table *out) {
    const kan_space *space = &problem->made.problem.space;
    plain_init(out);
    out->n_tails = problem->n_tails;
    out->class_tail = problem->class_tail;
    plain_add_rows(out, problem->n_rows);
    for (size_t row = 0; row < problem->n_rows; row++)
        for (unsigned t = 0; t < problem->n_tails; t++) {
            kan_slice value =
                kan_column_value(space->dimensions[space->n_attributes + t].column, row);
            assert_true(value.size < PLAIN_LABEL);
            memcpy(plain_cell(out, row, t), value.bytes, value.size);
        }
}

static bool whole_passes(const plain_privacy *models, size_t n_rows) {
    size_t *rows = calloc(n_rows, sizeof *rows);
    assert_non_null(rows);
    for (size_t row = 0; row < n_rows; row++)
        rows[row] = row;
    const bool passes =
        plain_privacy_passes(models, &(oracle_group){.n_rows = n_rows, .rows = rows});
    free(rows);
    return passes;
}

/* Gathers the rows of each region, and asks the definitions. */
static void expect_regions_pass(const region_problem *problem, const kan_answer *answer,
                                const plain_privacy *models) {
    const kan_regions *regions = answer->recoding.regions;
    uint32_t *region_of = region_of_rows(problem, answer);
    size_t *rows = calloc(problem->n_rows, sizeof *rows);
    assert_non_null(rows);
    for (size_t r = 0; r < regions->n_regions; r++) {
        size_t n = 0;
        for (size_t row = 0; row < problem->n_rows; row++)
            if (region_of[row] == r)
                rows[n++] = row;
        assert_int_equal(n, regions->n_rows[r]);
        assert_true(plain_privacy_passes(models, &(oracle_group){.n_rows = n, .rows = rows}));
    }
    free(rows);
    free(region_of);
}

static size_t n_found, n_cut;

static void models_on_one_table(kan_run *run, uint64_t seed) {
    static const char *const splits[] = {"widest", "entropy", "purpose", "purpose"};
    uint64_t random = seed * 4513;
    region_spec spec;
    region_problem problem;
    plain_table tails;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    do
        random_region_spec(&random, 90, &spec);
    while (spec.n_tails <= (spec.has_class ? 1u : 0u));
    for (unsigned a = 0; a < spec.n_attributes && seed % 2; a++)
        if (spec.columns[a].kind == REGION_TEXTS) {
            spec.columns[a].kind = REGION_TREE; /* for mdav */
            spec.columns[a].height = 2;
        }
    region_problem_make(run, &spec, &random, &problem);
    EXPECT_OK(run, kan_problem_count_tails(&problem.made.problem, problem.n_rows));
    copy_tails(&problem, &tails);
    for (unsigned turn = 0; turn < 4; turn++) {
        plain_privacy models;
        test_asked asked;
        kan_answer answer;
        const kan_search_kind *search = seed % 2 && turn % 2 ? &kan_search_mdav
                                        : turn % 2           ? &kan_search_mondrian_relaxed
                                                             : &kan_search_mondrian;
        random_privacy(&tails, &random, &problem.made, &models);
        const test_question question = {.models = &models,
                                        .cost = &kan_cost_discernibility,
                                        .k = models.k,
                                        .wants_best_alone = true};
        plain_purpose purpose;
        plain_purpose_make(&problem, &random, &purpose);
        test_ask(&problem.made, &question, &asked);
        asked.question.purpose =
            search->follows_outcome && spec.has_class ? &purpose.purpose : NULL;
        EXPECT_OK(run, kan_options_add(
                           &asked.options, "split",
                           splits[kan_random_below(&random, asked.question.purpose ? 4 : 2)]));
        EXPECT_OK(run, search->search(run, &asked.question, &answer));
        assert_int_equal(answer.is_found, whole_passes(&models, problem.n_rows));
        if (answer.is_found) {
            expect_regions_pass(&problem, &answer, &models);
            n_cut += answer.recoding.regions->n_regions > 1;
        }
        n_found += answer.is_found;
        kan_answer_destroy(run, &answer);
        test_asked_destroy(&asked);
        plain_purpose_destroy(&purpose);
        plain_privacy_destroy(&models, &problem.made);
    }
    plain_destroy(&tails);
    region_problem_destroy(&problem);
}

static void every_region_keeps_every_model(void **state) {
    (void)state;
    n_found = n_cut = 0;
    random_rounds(300, models_on_one_table);
    print_message("%zu answers, %zu with more than one region\n", n_found, n_cut);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_cut > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_region_keeps_every_model, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

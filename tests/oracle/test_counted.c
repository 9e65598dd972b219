/* Searches that see numbers alone, against the oracle and against their namesakes in memory, on
 * random tables. */
#include <string.h>

#include "search/counted/counted.h"
#include "support/plain_counter.h"
#include "support/question.h"
#include "support/random_problem.h"

static const kan_search_kind *const kinds[] = {&kan_search_bisect, &kan_search_incognito,
                                               &kan_search_incognito_superroots,
                                               &kan_search_incognito_cube};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* What the search below stands for, and what it is counted from. */
static const kan_search_kind *in_hand;
static const test_problem *made_in_hand;
static const char *marking;

static kan_status search_counted(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_question asked = *question;
    kan_options options;
    plain_counter counter;
    kan_options_init(&options, question->options->arena);
    for (size_t i = 0; i < question->options->n; i++)
        KAN_TRY(kan_options_add(&options, question->options->values[i].name,
                                question->options->values[i].value));
    KAN_TRY(kan_options_add(&options, "marking", marking));
    asked.options = &options;
    plain_counter_open(made_in_hand, &counter);
    const kan_counter by = plain_counter_of(&counter);
    kan_status status = kan_counted_check(run, in_hand, &asked);
    if (status == KAN_OK)
        status = kan_counted_search(run, in_hand, &asked, &by, out);
    plain_counter_close(&counter);
    kan_options_destroy(&options);
    return status;
}

static const kan_search_kind counted_kind = {.kind = {.name = "counted", .summary = ""},
                                             .needs_monotone = true,
                                             .finds_all = true,
                                             .finds_best = true,
                                             .search = search_counted};

static kan_answer answer_of(const kan_search_kind *search, const test_problem *made,
                            const test_question *question) {
    test_asked asked;
    kan_answer answer;
    test_ask(made, question, &asked);
    EXPECT_OK(made->run, kan_options_add(&asked.options, "marking", marking));
    EXPECT_OK(made->run, search->search(made->run, &asked.question, &answer));
    test_asked_destroy(&asked);
    return answer;
}

/* ---- scenes --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t random;
    plain_table plain;
    test_problem made;
    oracle truth;
    unsigned low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
} scene;

/* In half of them some levels are ruled out. */
static void scene_make(kan_run *run, uint64_t seed, scene *out) {
    out->random = seed;
    random_plain(&random_small, &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    oracle_open(&out->plain, &out->truth);
    if (seed % 2 == 0)
        return;
    for (unsigned a = 0; a < out->plain.n_attributes; a++) {
        kan_dimension *dimension = &out->made.problem.space.dimensions[a];
        dimension->lowest = (unsigned)between(&out->random, 0, dimension->height);
        dimension->highest = (unsigned)between(&out->random, dimension->lowest, dimension->height);
        out->low[a] = dimension->lowest;
        out->high[a] = dimension->highest;
    }
    oracle_bound(&out->truth, out->low, out->high);
}

static void scene_destroy(scene *here) {
    oracle_close(&here->truth);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static test_question random_question(scene *here) {
    static const kan_cost_kind *const costs[] = {&kan_cost_height,     &kan_cost_discernibility,
                                                 &kan_cost_ncp,        &kan_cost_precision,
                                                 &kan_cost_distortion, &kan_cost_average_class};
    const uint64_t n_rows = here->plain.n_rows;
    const uint64_t limits[] = {0, 0, kan_random_below(&here->random, n_rows + 1),
                               kan_random_below(&here->random, n_rows / 8 + 1), UINT64_MAX};
    const uint64_t most = n_rows < 8 ? n_rows : 8;
    return (test_question){.k = 1 + kan_random_below(&here->random, most),
                           .limit = limits[kan_random_below(&here->random, 5)],
                           .cost = costs[kan_random_below(&here->random, 6)],
                           .wants_release = once_in(&here->random, 2),
                           .wants_best_alone = once_in(&here->random, 3)};
}

/* ---- claims --------------------------------------------------------------------------------- */

static void expect_same(const scene *here, const kan_search_kind *kind, const kan_answer *counted,
                        const kan_answer *memory) {
    const unsigned n = here->plain.n_attributes;
    assert_int_equal(counted->is_found, memory->is_found);
    assert_int_equal(counted->is_optimal, memory->is_optimal);
    assert_int_equal(counted->least_suppressed, memory->least_suppressed);
    assert_int_equal(counted->n_nodes, memory->n_nodes);
    assert_int_equal(counted->is_complete, memory->is_complete);
    assert_int_equal(counted->n_anonymous, memory->n_anonymous);
    assert_int_equal(counted->n_minimal, memory->n_minimal);
    assert_int_equal(counted->n_failing, memory->n_failing);
    if (counted->n_minimal > 0)
        assert_memory_equal(counted->minimal, memory->minimal, counted->n_minimal * n);
    if (counted->n_failing > 0)
        assert_memory_equal(counted->failing, memory->failing, counted->n_failing * n);
    if (kind != &kan_search_bisect)
        assert_int_equal(counted->n_checked, memory->n_checked);
    if (!counted->is_found)
        return;
    assert_int_equal(kan_score_compare(&counted->score, &memory->score), 0);
    assert_true(counted->score.real <= memory->score.real);
    assert_true(counted->score.real >= memory->score.real);
    assert_true(counted->bound <= memory->bound && counted->bound >= memory->bound);
    assert_memory_equal(counted->recoding.levels, memory->recoding.levels,
                        n * sizeof *counted->recoding.levels);
}

static void one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    made_in_hand = &here.made;
    for (unsigned turn = 0; turn < 3; turn++) {
        const test_question question = random_question(&here);
        marking = once_in(&here.random, 2) ? "literal" : "transitive";
        oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
        for (unsigned i = 0; i < N_KINDS; i++) {
            in_hand = kinds[i];
            expect_search_is_right(&counted_kind, &here.made, &here.truth, &question);
            kan_answer counted = answer_of(&counted_kind, &here.made, &question);
            kan_answer memory = answer_of(in_hand, &here.made, &question);
            expect_same(&here, in_hand, &counted, &memory);
            kan_answer_destroy(run, &counted);
            kan_answer_destroy(run, &memory);
        }
    }
    scene_destroy(&here);
}

static void every_counted_search_equals_brute_force_and_its_namesake(void **state) {
    (void)state;
    random_rounds(200, one_table);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void expect_refused(kan_run *run, const kan_search_kind *kind, const kan_question *question,
                           const char *words) {
    assert_int_equal(kan_counted_check(run, kind, question), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), words));
}

static void refusals_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    test_asked asked;
    scene_make(run, seed, &here);
    const test_question question = {.k = 1, .cost = &kan_cost_height};
    test_ask(&here.made, &question, &asked);
    EXPECT_OK(run, kan_counted_check(run, &kan_search_bisect, &asked.question));
    expect_refused(run, &kan_search_exhaustive, &asked.question, "exhaustive");
    EXPECT_OK(run, kan_options_add(&asked.options, "materialize", "1M"));
    expect_refused(run, &kan_search_incognito_cube, &asked.question, "materialize");
    asked.promise.n_models = 2;
    expect_refused(run, &kan_search_bisect, &asked.question, "only the promise of --k");
    asked.promise.n_models = 1;
    asked.objective.kind = &kan_cost_classification;
    expect_refused(run, &kan_search_bisect, &asked.question, "classification");
    test_asked_destroy(&asked);
    scene_destroy(&here);
}

static void what_cannot_be_counted_is_refused(void **state) {
    (void)state;
    random_rounds(2, refusals_on_one_table);
}

/* ---- a counter that fails, or lies ---------------------------------------------------------- */

typedef struct {
    kan_counter by;
    kan_run *run;
    size_t n_asked, fails_at;
    bool lies;
} broken_counter;

static kan_status count_or_fail(void *context, const kan_count_order *order, kan_counted *out) {
    broken_counter *broken = context;
    if (++broken->n_asked == broken->fails_at && !broken->lies)
        return kan_fail(broken->run, KAN_FAILED, "the engine is gone");
    KAN_TRY(broken->by.count(broken->by.context, order, out));
    if (broken->n_asked == broken->fails_at)
        out->n_small_rows = UINT64_MAX;
    return KAN_OK;
}

static kan_status count_small_of(void *context, const kan_count_order *order, unsigned place,
                                 uint64_t *rows) {
    broken_counter *broken = context;
    return broken->by.count_small(broken->by.context, order, place, rows);
}

static kan_status drop_of(void *context, uint32_t set) {
    broken_counter *broken = context;
    return broken->by.drop(broken->by.context, set);
}

static void failures_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    test_asked asked;
    scene_make(run, seed, &here);
    test_question question = random_question(&here);
    test_ask(&here.made, &question, &asked);
    for (size_t at = 1; at < 12; at++) {
        plain_counter counter;
        kan_answer answer;
        plain_counter_open(&here.made, &counter);
        broken_counter broken = {plain_counter_of(&counter), run, 0, at, at % 2};
        const kan_counter by = {&broken, count_or_fail, count_small_of, drop_of};
        const kan_status status =
            kan_counted_search(run, kinds[at % N_KINDS], &asked.question, &by, &answer);
        assert_int_equal(status, broken.n_asked < at ? KAN_OK : KAN_FAILED);
        if (status == KAN_OK)
            kan_answer_destroy(run, &answer);
        counter.n_open = 0; /* whoever counts takes its own sets away after a failure */
        plain_counter_close(&counter);
    }
    test_asked_destroy(&asked);
    scene_destroy(&here);
}

static void a_counter_that_fails_or_lies_ends_the_search(void **state) {
    (void)state;
    random_rounds(10, failures_on_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_counted_search_equals_brute_force_and_its_namesake,
                                  random_tear_down),
        cmocka_unit_test_teardown(what_cannot_be_counted_is_refused, random_tear_down),
        cmocka_unit_test_teardown(a_counter_that_fails_or_lies_ends_the_search, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

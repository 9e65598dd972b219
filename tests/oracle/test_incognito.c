/* Incognito and its variants against the oracle, on random tables; the properties that its proofs
 * rest on; and that neither memory nor threads change an answer. */
#include <stdlib.h>
#include <string.h>

#include "search/incognito/cube.h"
#include "search/incognito/materialize.h"
#include "support/question.h"
#include "support/random_problem.h"
#include "support/sets.h"

/* ---- variants ------------------------------------------------------------------------------- */

typedef struct {
    const kan_search_kind *search;
    const char *marking, *materialize;
} variant;

static const variant variants[] = {
    {&kan_search_incognito, "transitive", NULL},
    {&kan_search_incognito, "literal", NULL},
    {&kan_search_incognito_superroots, "transitive", NULL},
    {&kan_search_incognito_superroots, "literal", NULL},
    {&kan_search_incognito_cube, "transitive", NULL},
    {&kan_search_incognito_cube, "literal", NULL},
    {&kan_search_incognito_cube, "transitive", "0"},
    {&kan_search_incognito_cube, "transitive", "2K"},
    {&kan_search_incognito_cube, "literal", "16K"},
    {&kan_search_incognito_cube, "transitive", "1M"},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

/* Which of them a search stands for. */
static const variant *in_hand;

/* A search that adds the options of the variant in hand to the question. */
static kan_status search_variant(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_question asked = *question;
    kan_options options;
    kan_options_init(&options, question->options->arena);
    asked.options = &options;
    for (size_t i = 0; i < question->options->n; i++)
        KAN_TRY(kan_options_add(&options, question->options->values[i].name,
                                question->options->values[i].value));
    KAN_TRY(kan_options_add(&options, "marking", in_hand->marking));
    if (in_hand->materialize)
        KAN_TRY(kan_options_add(&options, "materialize", in_hand->materialize));
    kan_status status = in_hand->search->search(run, &asked, out);
    kan_options_destroy(&options);
    return status;
}

static const kan_search_kind variant_kind = {.kind = {.name = "variant", .summary = ""},
                                             .needs_monotone = true,
                                             .finds_all = true,
                                             .finds_best = true,
                                             .search = search_variant};

static kan_answer answer_of(const variant *here, const test_problem *made,
                            const test_question *question) {
    test_asked asked;
    kan_answer answer;
    in_hand = here;
    test_ask(made, question, &asked);
    EXPECT_OK(made->run, search_variant(made->run, &asked.question, &answer));
    test_asked_destroy(&asked);
    return answer;
}

/* ---- scenes --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t random;
    plain_table plain;
    test_problem made;
    oracle truth;
} scene;

static void scene_make(kan_run *run, uint64_t seed, scene *out) {
    out->random = seed;
    random_plain(&random_small, &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    oracle_open(&out->plain, &out->truth);
}

static void scene_destroy(scene *here) {
    oracle_close(&here->truth);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static test_question random_question(scene *here) {
    static const kan_cost_kind *const costs[] = {&kan_cost_height, &kan_cost_discernibility,
                                                 &kan_cost_ncp, &kan_cost_classification};
    const uint64_t n_rows = here->plain.n_rows;
    const uint64_t limits[] = {0, 0, kan_random_below(&here->random, n_rows + 1), UINT64_MAX};
    const uint64_t most = n_rows < 8 ? n_rows : 8;
    test_question question = {.k = 1 + kan_random_below(&here->random, most),
                              .limit = limits[kan_random_below(&here->random, 4)],
                              .cost = costs[kan_random_below(&here->random, 4)],
                              .wants_release = kan_random_below(&here->random, 2)};
    if (question.cost->needs_class && here->plain.class_tail == KAN_NO_TAIL)
        question.cost = &kan_cost_precision;
    return question;
}

/* ---- equal to brute force ------------------------------------------------------------------- */

static void all_variants_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 2; turn++) {
        test_question question = random_question(&here);
        oracle_judge(&here.truth, oracle_has_k_rows, &question.k, question.limit);
        for (unsigned i = 0; i < N_VARIANTS; i++) {
            in_hand = &variants[i];
            expect_search_is_right(&variant_kind, &here.made, &here.truth, &question);
        }
    }
    scene_destroy(&here);
}

static void every_variant_equals_brute_force_on_random_tables(void **state) {
    (void)state;
    random_rounds(25, all_variants_on_one_table);
}

/* Two more promises: one looks at tallies; the other no group keeps after any merge, so that with
 * nothing found any node may be the one that suppresses the least. */
static kan_status create_k(kan_run *run, kan_arena *arena, const kan_options *options,
                           const kan_problem *problem, void **state) {
    uint64_t *k;
    (void)run, (void)problem;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *k, &k));
    *k = kan_options_count(options, "k", 1);
    *state = k;
    return KAN_OK;
}

static uint64_t least_k(const void *state) {
    return *(const uint64_t *)state;
}

static void check_values(const void *state, const kan_groups *groups, size_t first, size_t end,
                         uint8_t *ok) {
    for (size_t g = first; g < end; g++)
        if (groups->tallies[0].start[g + 1] - groups->tallies[0].start[g] < least_k(state))
            ok[g] = 0;
}

static bool has_k_values(const void *context, const oracle_group *group) {
    return group->n_values[0] >= *(const uint64_t *)context;
}

static void check_multiple(const void *state, const kan_groups *groups, size_t first, size_t end,
                           uint8_t *ok) {
    for (size_t g = first; g < end; g++)
        if (groups->count[g] % least_k(state) != 0)
            ok[g] = 0;
}

static bool is_multiple_of_k(const void *context, const oracle_group *group) {
    return group->n_rows % *(const uint64_t *)context == 0;
}

static const kan_privacy_kind k_values = {.kind = {.name = "values", .summary = ""},
                                          .survives_merge = true,
                                          .absorbs_any = true,
                                          .needs_tallies = true,
                                          .create = create_k,
                                          .least_size = least_k,
                                          .check = check_values};
static const kan_privacy_kind k_multiple = {.kind = {.name = "multiple", .summary = ""},
                                            .survives_merge = true,
                                            .create = create_k,
                                            .least_size = least_k,
                                            .check = check_multiple};

static void other_promises_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    test_question question = random_question(&here);
    question.k = 1 + kan_random_below(&here.random, 3);
    if (here.plain.n_tails > 0 && here.plain.class_tail != 0) {
        question.privacy = &k_values;
        oracle_judge(&here.truth, has_k_values, &question.k, question.limit);
        for (unsigned i = 0; i < N_VARIANTS; i++) {
            in_hand = &variants[i];
            expect_search_is_right(&variant_kind, &here.made, &here.truth, &question);
        }
    }
    question.privacy = &k_multiple;
    question.limit = 0; /* otherwise it is not monotone */
    oracle_judge(&here.truth, is_multiple_of_k, &question.k, 0);
    for (unsigned i = 0; i < N_VARIANTS; i++) {
        in_hand = &variants[i];
        expect_search_is_right(&variant_kind, &here.made, &here.truth, &question);
    }
    scene_destroy(&here);
}

static void every_variant_keeps_other_monotone_promises(void **state) {
    (void)state;
    random_rounds(20, other_promises_on_one_table);
}

/* ---- what is counted ------------------------------------------------------------------------ */

static void counts_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    const test_question question = random_question(&here);
    uint64_t n_checked[2] = {0}, n_first[2] = {0};
    for (unsigned i = 0; i < N_VARIANTS; i++) {
        kan_answer answer = answer_of(&variants[i], &here.made, &question);
        const unsigned is_literal = variants[i].marking[0] == 'l';
        n_checked[is_literal] = answer.n_checked;
        n_first[is_literal] = n_first[is_literal] ? n_first[is_literal] : answer.n_checked;
        /* where sets come from does not change what is checked */
        assert_int_equal(n_checked[is_literal], n_first[is_literal]);
        assert_true(answer.effort.n_scans + answer.effort.n_rollups + answer.effort.n_cube >=
                    answer.n_checked);
        if (variants[i].search != &kan_search_incognito_cube)
            assert_int_equal(answer.effort.n_cube, 0);
        kan_answer_destroy(run, &answer);
    }
    assert_true(n_checked[0] <= n_checked[1]);
    scene_destroy(&here);
}

static void all_variants_check_the_same_nodes_and_literal_marking_no_fewer(void **state) {
    (void)state;
    random_rounds(20, counts_on_one_table);
}

/* ---- memory and threads --------------------------------------------------------------------- */

static void expect_same(const scene *here, const kan_answer *a, const kan_answer *b) {
    assert_int_equal(a->is_found, b->is_found);
    assert_int_equal(a->n_checked, b->n_checked);
    assert_int_equal(a->n_anonymous, b->n_anonymous);
    assert_int_equal(a->n_minimal, b->n_minimal);
    if (a->n_minimal > 0)
        assert_memory_equal(a->minimal, b->minimal, a->n_minimal * here->plain.n_attributes);
    if (!a->is_found)
        return;
    assert_int_equal(kan_score_compare(&a->score, &b->score), 0);
    assert_memory_equal(a->recoding.levels, b->recoding.levels,
                        here->plain.n_attributes * sizeof *a->recoding.levels);
}

static void threads_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    const test_question question = random_question(&here);
    const variant *chosen = &variants[seed % N_VARIANTS];
    kan_run_set_threads(run, 1);
    kan_answer first = answer_of(chosen, &here.made, &question);
    for (unsigned threads = 2; threads <= 5; threads++) {
        kan_run *other = kan_run_create();
        test_problem made;
        kan_run_set_threads(other, threads);
        test_problem_make(other, &here.plain, &made);
        kan_answer again = answer_of(chosen, &made, &question);
        expect_same(&here, &first, &again);
        assert_memory_equal(&first.effort, &again.effort, sizeof first.effort);
        kan_answer_destroy(other, &again);
        test_problem_destroy(&made);
        kan_run_destroy(other);
    }
    kan_answer_destroy(run, &first);
    scene_destroy(&here);
}

static void the_number_of_threads_changes_neither_answer_nor_effort(void **state) {
    (void)state;
    random_rounds(10, threads_on_one_table);
}

static void budget_on_one_table(kan_run *run, uint64_t seed) {
    static const random_spec large = {.least_attributes = 3,
                                      .most_attributes = 5,
                                      .least_rows = 1000,
                                      .most_rows = 3000,
                                      .most_leaves = 12,
                                      .most_height = 3,
                                      .most_nodes = 240};
    scene here = {.random = seed};
    random_plain(&large, &here.random, &here.plain);
    test_problem_make(run, &here.plain, &here.made);
    const test_question question = random_question(&here);
    for (unsigned i = 0; i < N_VARIANTS; i++) {
        kan_answer free_answer = answer_of(&variants[i], &here.made, &question);
        /* counters and the sets in hand have to fit; little else does */
        kan_run_set_memory(run, UINT64_C(1) << 40);
        const uint64_t budget = (UINT64_C(1) << 40) - kan_run_memory_left(run) + (6 << 20);
        kan_run_set_memory(run, budget);
        kan_answer tight = answer_of(&variants[i], &here.made, &question);
        expect_same(&here, &free_answer, &tight);
        kan_run_set_memory(run, 0);
        kan_answer_destroy(run, &free_answer);
        kan_answer_destroy(run, &tight);
    }
    test_problem_destroy(&here.made);
    plain_destroy(&here.plain);
}

static void a_small_memory_budget_changes_no_answer(void **state) {
    (void)state;
    random_rounds(2, budget_on_one_table);
}

static void no_room_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    test_asked asked;
    kan_subset_search *search;
    kan_answer answer;
    scene_make(run, seed, &here);
    const test_question question = random_question(&here);
    test_ask(&here.made, &question, &asked);
    kan_answer expected = answer_of(&variants[0], &here.made, &question);
    EXPECT_OK(run, kan_subset_search_create(run, &asked.question, &search));
    search->keep_bytes = 0;
    EXPECT_OK(run, kan_subset_search_run(search, &(kan_supply){.context = NULL}, NULL, &answer));
    expect_same(&here, &expected, &answer);
    assert_int_equal(expected.effort.n_scans + expected.effort.n_rollups,
                     answer.effort.n_scans + answer.effort.n_rollups);
    /* only the base, which is there anyway, can still be rolled up from */
    assert_true(answer.effort.n_rollups <= here.plain.n_attributes);
    kan_answer_destroy(run, &answer);
    kan_answer_destroy(run, &expected);
    kan_subset_search_destroy(search);
    test_asked_destroy(&asked);
    scene_destroy(&here);
}

static void without_room_for_sets_everything_is_scanned(void **state) {
    (void)state;
    random_rounds(20, no_room_on_one_table);
}

/* ---- the cube and the views ----------------------------------------------------------------- */

static size_t n_views_seen;

/* Every set that is there is that of the rows, and all together keep within the bytes. */
static void sets_on_one_table(kan_run *run, uint64_t seed) {
    static const uint64_t sizes[] = {0, 600, 3000, 20000, UINT64_MAX};
    scene here;
    test_asked asked;
    kan_subset_search *search;
    scene_make(run, seed, &here);
    const test_question question = {.cost = &kan_cost_height, .k = 1};
    test_ask(&here.made, &question, &asked);
    EXPECT_OK(run, kan_subset_search_create(run, &asked.question, &search));
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kan_cube cube;
        kan_views views;
        uint64_t bytes = 0;
        size_t n_sets = 0;
        EXPECT_OK(run, kan_cube_build(search, sizes[i], &cube));
        for (size_t mask = 0; mask < cube.n_masks; mask++)
            if (cube.sets[mask]) {
                expect_set_is_that_of_rows(&here.made, &here.plain, cube.sets[mask]);
                bytes += kan_freqset_bytes(cube.sets[mask]);
                n_sets++;
            }
        assert_int_equal(bytes, cube.bytes);
        assert_true(bytes <= sizes[i]);
        if (sizes[i] == UINT64_MAX) /* all but the empty one and the base */
            assert_int_equal(n_sets, cube.n_masks - 2);
        kan_cube_destroy(&cube);
        EXPECT_OK(run, kan_views_build(search, sizes[i], &views));
        assert_true(views.bytes <= sizes[i]);
        n_views_seen += views.n;
        for (size_t v = 0; v < views.n; v++) {
            expect_set_is_that_of_rows(&here.made, &here.plain, views.list[v].set);
            assert_true(v == 0 || views.list[v - 1].set->n <= views.list[v].set->n);
        }
        kan_views_destroy(&views);
    }
    kan_subset_search_destroy(search);
    test_asked_destroy(&asked);
    scene_destroy(&here);
}

static void cube_and_views_hold_the_sets_of_the_rows_within_their_bytes(void **state) {
    (void)state;
    n_views_seen = 0;
    random_rounds(15, sets_on_one_table);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_views_seen >= 50);
}

static void a_size_that_is_none_is_told(void **state) {
    (void)state;
    static const variant wrong = {&kan_search_incognito_cube, "transitive", "much"};
    kan_run *run = kan_run_create();
    scene here;
    test_asked asked;
    kan_answer answer;
    scene_make(run, 1, &here);
    test_ask(&here.made, &(test_question){.cost = &kan_cost_height, .k = 2}, &asked);
    in_hand = &wrong;
    assert_int_equal(search_variant(run, &asked.question, &answer), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "--materialize"));
    test_asked_destroy(&asked);
    scene_destroy(&here);
    kan_run_destroy(run);
}

/* ---- the properties of section 3 ------------------------------------------------------------ */

/* A random subset of the dimensions of `from`, each at its level or higher. */
static void general_layout(const scene *here, uint64_t *random, const kan_freqset *from, bool drops,
                           kan_layout *out) {
    unsigned order[KAN_MAX_FIELDS], levels[KAN_MAX_FIELDS], n = 0;
    for (unsigned f = 0; f < from->layout.n_fields; f++) {
        const kan_key_field *field = &from->layout.fields[f];
        const unsigned height = here->plain.attributes[field->dimension].height;
        if (drops && from->layout.n_fields > 1 && kan_random_below(random, 2))
            continue;
        order[n] = field->dimension;
        levels[n++] = field->level + (unsigned)kan_random_below(random, height - field->level + 1);
    }
    kan_layout_make(&here->made.problem.space, order, levels, n, out);
}

static bool is_anonymous(const kan_freqset *set, uint64_t k) {
    for (size_t i = 0; i < set->n; i++)
        if (set->counts[i] < k)
            return false;
    return true;
}

static void properties_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_workspace *workspace;
    kan_freqset sets[4]; /* the base without tails, P, Q from P, Q from the base */
    unsigned order[KAN_MAX_ATTRIBUTES];
    scene_make(run, seed, &here);
    const kan_problem *problem = &here.made.problem;
    EXPECT_OK(run, kan_workspace_create(run, &workspace));
    for (unsigned i = 0; i < 4; i++)
        kan_freqset_init(&sets[i]);
    for (unsigned a = 0; a < here.plain.n_attributes; a++)
        order[a] = a;
    EXPECT_OK(run, kan_freqset_project(&problem->space, &problem->base, order,
                                       here.plain.n_attributes, workspace, &sets[0]));
    for (unsigned turn = 0; turn < 8; turn++) {
        const uint64_t k = 1 + kan_random_below(&here.random, 4);
        kan_layout p, q;
        general_layout(&here, &here.random, &sets[0], true, &p);
        EXPECT_OK(run, kan_freqset_regroup(&problem->space, &sets[0], &p, KAN_KERNEL_AUTO,
                                           workspace, &sets[1]));
        /* generalization in half of the turns, a subset too in the others */
        general_layout(&here, &here.random, &sets[1], turn % 2, &q);
        EXPECT_OK(run, kan_freqset_regroup(&problem->space, &sets[1], &q, KAN_KERNEL_AUTO,
                                           workspace, &sets[2]));
        EXPECT_OK(run, kan_freqset_regroup(&problem->space, &sets[0], &q, KAN_KERNEL_AUTO,
                                           workspace, &sets[3]));
        expect_same_set(&sets[2], &sets[3]);
        assert_true(!is_anonymous(&sets[1], k) || is_anonymous(&sets[3], k));
    }
    for (unsigned i = 0; i < 4; i++)
        kan_freqset_destroy(run, &sets[i]);
    kan_workspace_destroy(workspace);
    scene_destroy(&here);
}

static void generalization_rollup_and_subset_properties_hold(void **state) {
    (void)state;
    random_rounds(60, properties_on_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_variant_equals_brute_force_on_random_tables,
                                  random_tear_down),
        cmocka_unit_test_teardown(every_variant_keeps_other_monotone_promises, random_tear_down),
        cmocka_unit_test_teardown(all_variants_check_the_same_nodes_and_literal_marking_no_fewer,
                                  random_tear_down),
        cmocka_unit_test_teardown(the_number_of_threads_changes_neither_answer_nor_effort,
                                  random_tear_down),
        cmocka_unit_test_teardown(a_small_memory_budget_changes_no_answer, random_tear_down),
        cmocka_unit_test_teardown(without_room_for_sets_everything_is_scanned, random_tear_down),
        cmocka_unit_test_teardown(cube_and_views_hold_the_sets_of_the_rows_within_their_bytes,
                                  random_tear_down),
        cmocka_unit_test(a_size_that_is_none_is_told),
        cmocka_unit_test_teardown(generalization_rollup_and_subset_properties_hold,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

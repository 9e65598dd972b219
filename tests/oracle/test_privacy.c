/* Full-domain searches of the registry under models of sensitive values, against brute force over
 * the lattice: strict and refined alpha, the three kinds of l-diversity, the three distances of
 * t-closeness, delta-disclosure, both kinds of beta-likeness, several of them at once, with no row
 * suppressed and with some. A promise that was
 * taken for monotone and is not would show here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"
#include "job/settings/job.h"
#include "support/question.h"
#include "support/random_problem.h"

static const random_spec few_nodes = {.least_attributes = 1,
                                      .most_attributes = 4,
                                      .least_rows = 2,
                                      .most_rows = 60,
                                      .most_leaves = 8,
                                      .most_height = 3,
                                      .most_tails = 3,
                                      .most_nodes = 100};

static struct {
    size_t n_questions, n_monotone, n_searches, n_satisfied, n_refined_holes, n_suppressed_holes;
} seen;

/* Whether a satisfying node has one above it that does not satisfy: what pruning would miss. */
static bool has_hole(const oracle *truth) {
    for (size_t i = 0; i < truth->n_nodes; i++)
        for (size_t j = 0; j < truth->n_nodes && truth->nodes[i].satisfies; j++) {
            bool is_above = !truth->nodes[j].satisfies;
            for (unsigned a = 0; is_above && a < truth->plain->n_attributes; a++)
                is_above = truth->nodes[j].levels[a] >= truth->nodes[i].levels[a];
            if (is_above)
                return true;
        }
    return false;
}

/* A search that looks at single nodes of a promise that is not monotone claims nothing but that
 * what it found satisfies. */
static void expect_answer_satisfies(const kan_search_kind *search, const test_problem *made,
                                    const oracle *truth, const test_question *question) {
    test_asked asked;
    kan_answer answer;
    test_ask(made, question, &asked);
    EXPECT_OK(made->run, search->search(made->run, &asked.question, &answer));
    if (answer.is_found)
        assert_true(test_node_satisfies(made, &asked, answer.recoding.levels));
    assert_true(!answer.is_found || truth->n_anonymous > 0);
    assert_false(answer.is_optimal || answer.is_complete);
    kan_answer_destroy(made->run, &answer);
    test_asked_destroy(&asked);
}

static void ask_all(test_problem *made, const oracle *truth, const test_question *question) {
    test_asked asked;
    test_ask(made, question, &asked);
    const bool is_monotone = kan_promise_is_monotone(&asked.promise);
    test_asked_destroy(&asked);
    /* the flags of the promise against the whole lattice */
    assert_false(is_monotone && has_hole(truth));
    if (has_hole(truth)) {
        seen.n_refined_holes += question->models->is_refined;
        seen.n_suppressed_holes += !question->models->is_refined;
    }
    seen.n_questions++;
    seen.n_monotone += is_monotone;
    seen.n_satisfied += truth->n_anonymous > 0;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (search->cuts || search->regions || (search->needs_monotone && !is_monotone))
            continue; /* the last are refused: see below */
        if (search->finds_all || is_monotone)
            expect_search_is_right(search, made, truth, question);
        else
            expect_answer_satisfies(search, made, truth, question);
        seen.n_searches++;
    }
}

/* Few rows, for with many to spare every node satisfies; now and then all. */
static uint64_t random_limit(size_t n_rows, uint64_t *random) {
    return kan_random_below(random, 8) ? 1 + kan_random_below(random, n_rows / 4 + 1) : UINT64_MAX;
}

/* The least number with which the group passes, one of alpha, c and t; unchanged when none is. */
static void sharpen_for(plain_privacy *models, const oracle_group *group, uint64_t *number,
                        uint64_t *parts, uint64_t most) {
    const uint64_t number_before = *number, parts_before = *parts;
    *parts = 1000;
    for (*number = 1; *number < most && !plain_privacy_passes(models, group);)
        ++*number;
    if (plain_privacy_passes(models, group))
        return;
    *number = number_before;
    *parts = parts_before;
}

/* A promise that some group of some node just keeps, and the limit that the node just keeps: what
 * is more general has little to spare, and random promises seldom come so near to the edge. */
static uint64_t sharpen(plain_privacy *models, oracle *truth, uint64_t *random) {
    const oracle_node *node = &truth->nodes[kan_random_below(random, truth->n_nodes)];
    const oracle_group *group = &node->groups[kan_random_below(random, node->n_groups)];
    if (models->alpha_parts > 0)
        sharpen_for(models, group, &models->alpha, &models->alpha_parts, 1000);
    if (models->l > 0 && strcmp(models->l_kind, "recursive") == 0)
        sharpen_for(models, group, &models->c, &models->c_parts, 5000);
    if (models->t_parts > 0)
        sharpen_for(models, group, &models->t, &models->t_parts, 1000);
    if (models->delta_parts > 0)
        sharpen_for(models, group, &models->delta, &models->delta_parts, 6000);
    if (models->beta_parts > 0)
        sharpen_for(models, group, &models->beta, &models->beta_parts, 6000);
    oracle_judge(truth, plain_privacy_passes, models, UINT64_MAX);
    return node->n_suppressed;
}

static void searches_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    oracle truth;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    random_plain(&few_nodes, &random, &plain);
    if (!plain_is_sensitive(&plain)) {
        plain_destroy(&plain);
        return;
    }
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    for (unsigned turn = 0; turn < 5; turn++) {
        plain_privacy models;
        random_privacy(&plain, &random, &made, &models);
        test_question question = {.models = &models,
                                  .cost = &kan_cost_discernibility,
                                  .k = models.k,
                                  .limit = turn < 2    ? 0
                                           : turn == 2 ? random_limit(plain.n_rows, &random)
                                                       : sharpen(&models, &truth, &random),
                                  .wants_release = kan_random_below(&random, 2),
                                  .wants_best_alone = kan_random_below(&random, 3) == 0};
        const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_at(
            KAN_FAMILY_COST,
            (size_t)kan_random_below(&random, kan_registry_count(KAN_FAMILY_COST)));
        if (!cost->needs_class || plain.class_tail != KAN_NO_TAIL)
            question.cost = cost;
        oracle_judge(&truth, plain_privacy_passes, &models, question.limit);
        ask_all(&made, &truth, &question);
        plain_privacy_destroy(&models, &made);
    }
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void every_search_under_every_model_finds_what_brute_force_finds(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(300, searches_on_one_table);
    print_message("%zu promises, %zu of them monotone, %zu satisfiable; with holes %zu refined and "
                  "%zu others; %zu searches\n",
                  seen.n_questions, seen.n_monotone, seen.n_satisfied, seen.n_refined_holes,
                  seen.n_suppressed_holes, seen.n_searches);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(seen.n_monotone > 100 && seen.n_monotone + 100 < seen.n_questions);
    assert_true(seen.n_satisfied > 100 && seen.n_satisfied + 100 < seen.n_questions);
    assert_true(seen.n_refined_holes > 0 && seen.n_suppressed_holes > 0);
}

/* ---- as jobs -------------------------------------------------------------------------------- */

/* Only whole columns are suppressed, so that hierarchies need no files. */
static const random_spec flat = {.least_attributes = 1,
                                 .most_attributes = 4,
                                 .least_rows = 2,
                                 .most_rows = 40,
                                 .most_leaves = 5,
                                 .most_height = 1,
                                 .most_tails = 3};

static bool is_flat(const plain_table *plain) {
    for (unsigned a = 0; a < plain->n_attributes; a++)
        if (plain->attributes[a].height != 1)
            return false;
    return plain_is_sensitive(plain);
}

/* Hierarchies of sensitive columns would need files. */
static void drop_trees(plain_privacy *models, test_problem *made) {
    for (unsigned t = 0; t < ORACLE_TAILS; t++) {
        free(models->trees[t].leaves);
        models->trees[t] = (plain_attribute){.n_leaves = 0};
        made->problem.tail_trees[t] = NULL;
    }
}

static void set(kan_run *run, kan_job *job, const char *name, const char *value) {
    EXPECT_OK(run, kan_job_set(job, name, value));
}

static kan_job *make_job(const test_problem *made, const plain_privacy *models, uint64_t limit) {
    const kan_space *space = &made->problem.space;
    kan_run *run = made->run;
    kan_arena arena;
    kan_options options;
    kan_job *job;
    char text[64];
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, made->table));
    for (unsigned d = 0; d < space->n_attributes + space->n_tails; d++) {
        const bool is_quasi = d < space->n_attributes;
        const bool is_class = (int)d - (int)space->n_attributes == made->problem.class_tail;
        snprintf(text, sizeof text, "%s%s", space->dimensions[d].name, is_quasi ? "=suppress" : "");
        set(run, job, is_quasi ? "qi" : is_class ? "class" : "sensitive", text);
    }
    kan_arena_init(&arena, run);
    kan_options_init(&options, &arena);
    const char *tails[ORACLE_TAILS] = {NULL};
    for (unsigned t = 0; t < space->n_tails; t++)
        tails[t] = space->dimensions[space->n_attributes + t].name;
    plain_privacy_options(models, run, tails, &options);
    for (size_t i = 0; i < options.n; i++)
        set(run, job, options.values[i].name, options.values[i].value);
    kan_options_destroy(&options);
    kan_arena_destroy(&arena);
    snprintf(text, sizeof text, "%llu", (unsigned long long)models->k);
    set(run, job, "k", text);
    snprintf(text, sizeof text, "%llu", (unsigned long long)limit);
    set(run, job, "suppress", limit == UINT64_MAX ? "all" : text);
    return job;
}

static struct { size_t n_right, n_refused, n_impossible; } jobs;

/* A job is refused where its search would prune and the promise is not monotone, or where it cuts;
 * else it finds what there is. */
static void run_job(kan_job *job, const test_problem *made, const oracle *truth,
                    const kan_search_kind *search, const kan_promise *promise) {
    kan_result *result;
    long long n_anonymous;
    const bool is_refused = (search->needs_monotone && !kan_promise_is_monotone(promise)) ||
                            search->cuts ||
                            (search->divides && !search->local && !promise->survives_merge);
    const kan_status status = kan_job_run(job, "search", &result);
    if (status == KAN_UNSATISFIED) {
        jobs.n_impossible++;
        if (search->finds_all)
            assert_int_equal(truth->n_anonymous, 0);
        return;
    }
    if (is_refused) {
        assert_int_equal(status, KAN_BAD_INPUT);
        const char *remedy = search->cuts ? "or full-domain" : "exhaustive";
        assert_non_null(strstr(kan_run_error(made->run), remedy));
        jobs.n_refused++;
        return;
    }
    EXPECT_OK(made->run, status);
    if (search->finds_all) {
        const char *at = strstr(kan_result_json(result), "\"anonymous\": ");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "\"anonymous\": %lld", &n_anonymous), 1);
        assert_int_equal(n_anonymous, truth->n_anonymous);
    }
    assert_non_null(strstr(kan_result_json(result), "\"verified\": true"));
    jobs.n_right++;
    kan_result_destroy(result);
}

static void jobs_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 6007;
    plain_table plain;
    test_problem made;
    oracle truth;
    plain_privacy models;
    test_asked asked;
    random_plain(&flat, &random, &plain);
    if (!is_flat(&plain)) {
        plain_destroy(&plain);
        return;
    }
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    random_privacy(&plain, &random, &made, &models);
    drop_trees(&models, &made);
    const uint64_t limit = seed % 2 ? 0 : kan_random_below(&random, plain.n_rows + 1);
    const test_question question = {
        .models = &models, .cost = &kan_cost_height, .k = models.k, .limit = limit};
    test_ask(&made, &question, &asked);
    oracle_judge(&truth, plain_privacy_passes, &models, limit);
    kan_job *job = make_job(&made, &models, limit);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (search->one_column) /* oracle.univariate asks it */
            continue;
        set(run, job, "algorithm", search->kind.name);
        run_job(job, &made, &truth, search, &asked.promise);
    }
    set(run, job, "algorithm", "auto");
    run_job(job, &made, &truth, &kan_search_exhaustive, &asked.promise);
    kan_job_destroy(job);
    test_asked_destroy(&asked);
    plain_privacy_destroy(&models, &made);
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void every_job_is_refused_or_right(void **state) {
    (void)state;
    memset(&jobs, 0, sizeof jobs);
    random_rounds(400, jobs_on_one_table);
    print_message("%zu right, %zu refused, %zu impossible\n", jobs.n_right, jobs.n_refused,
                  jobs.n_impossible);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(jobs.n_right > 100 && jobs.n_refused > 100 && jobs.n_impossible > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_search_under_every_model_finds_what_brute_force_finds,
                                  random_tear_down),
        cmocka_unit_test_teardown(every_job_is_refused_or_right, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

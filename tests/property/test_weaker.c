/* Where both answers are proven, a weaker promise never costs more: a smaller k, a looser limit, a
 * weaker number of one model, or a model less, for every model and cost, by the search that `auto`
 * chooses and by the one that looks at every node. The average class is compared by rows per class, as
 * its value is divided by k. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"
#include "search/levels/levels.h"
#include "support/question.h"
#include "support/random_problem.h"

static const random_spec spec = {.least_attributes = 1,
                                 .most_attributes = 4,
                                 .least_rows = 2,
                                 .most_rows = 150,
                                 .most_leaves = 8,
                                 .most_height = 4,
                                 .most_tails = 3,
                                 .most_nodes = 300};

enum { WEAKER_K, WEAKER_LIMIT, WEAKER_NUMBER, FEWER_MODELS, WEAKENINGS };

static size_t n_pairs[WEAKENINGS], n_cheaper[WEAKENINGS];

static const kan_cost_kind *random_cost(const plain_table *plain, uint64_t *random) {
    for (;;) {
        const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_at(
            KAN_FAMILY_COST, (size_t)kan_random_below(random, kan_registry_count(KAN_FAMILY_COST)));
        if (!cost->needs_class || plain->class_tail != KAN_NO_TAIL)
            return cost;
    }
}

/* One of the numbers that are promised, if there is one, allows more. */
static bool weaken_number(plain_privacy *models, uint64_t *random) {
    uint64_t *const higher[] = {
        models->alpha_parts ? &models->alpha : NULL, models->c_parts ? &models->c : NULL,
        models->t_parts ? &models->t : NULL, models->delta_parts ? &models->delta : NULL,
        models->beta_parts ? &models->beta : NULL};
    const size_t n = sizeof higher / sizeof *higher,
                 which = (size_t)kan_random_below(random, n + 1);
    for (unsigned tail = 0; tail < ORACLE_TAILS; tail++)
        if (models->of_tail[tail])
            return false;
    if (which == n && models->l_parts == 1 && models->l > 1) {
        models->l--;
        return true;
    }
    if (which == n || !higher[which])
        return false;
    *higher[which] += 1 + kan_random_below(random, *higher[which] + 1);
    return models->alpha <= models->alpha_parts && models->t <= models->t_parts;
}

static bool weaken(unsigned how, test_question *question, plain_privacy *models,
                   const plain_table *plain, uint64_t *random) {
    if (how == WEAKER_K && question->k > 1)
        question->k = models->k = 1 + kan_random_below(random, question->k - 1);
    else if (how == WEAKER_LIMIT && question->limit < plain->n_rows)
        question->limit += 1 + kan_random_below(random, plain->n_rows - question->limit);
    else if (how == WEAKER_NUMBER)
        return question->models && weaken_number(models, random);
    else if (how == FEWER_MODELS && question->models)
        question->models = NULL;
    else
        return false;
    return true;
}

static bool find_best(const test_problem *made, const test_question *question, bool looks_at_all,
                      double *out) {
    test_asked asked;
    kan_answer answer;
    test_ask(made, question, &asked);
    memset(&answer, 0, sizeof answer);
    EXPECT_OK(made->run, looks_at_all
                             ? kan_search_exhaustive.search(made->run, &asked.question, &answer)
                             : kan_levels_best(made->run, &asked.question, &answer));
    const bool is_proven = answer.is_found && answer.is_optimal;
    *out = is_proven ? answer.score.real : (double)INFINITY;
    if (question->cost->shape == KAN_SHAPE_NUMBER)
        *out *= (double)question->k;
    /* That there is none is proven, too. */
    const bool is_known = is_proven || !answer.is_found;
    kan_answer_destroy(made->run, &answer);
    test_asked_destroy(&asked);
    return is_known;
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    plain_privacy strong, weak;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 2));
    random_plain(&spec, &random, &plain);
    test_problem_make(run, &plain, &made);
    const bool has_models = plain_is_sensitive(&plain) && kan_random_below(&random, 4) > 0;
    if (has_models)
        random_privacy(&plain, &random, &made, &strong);
    else
        plain_privacy_init(&strong, &plain);
    for (unsigned turn = 0; turn < 12; turn++) {
        const unsigned how = turn % WEAKENINGS;
        const uint64_t limits[] = {0, plain.n_rows / 50, plain.n_rows / 10, plain.n_rows / 3};
        test_question stronger = {
            .cost = random_cost(&plain, &random),
            .models = has_models ? &strong : NULL,
            .k = 1 + kan_random_below(&random, turn < 8 && plain.n_rows > 8 ? 4 : plain.n_rows / 2),
            .limit = limits[kan_random_below(&random, 4)],
            .wants_best_alone = true};
        strong.k = stronger.k;
        weak = strong;
        test_question weaker = stronger;
        weaker.models = has_models ? &weak : NULL;
        double dearest, cost;
        if (!weaken(how, &weaker, &weak, &plain, &random) ||
            !find_best(&made, &stronger, turn % 3 == 0, &dearest) ||
            !find_best(&made, &weaker, turn % 5 == 0, &cost))
            continue;
        n_pairs[how]++;
        n_cheaper[how] += cost < dearest;
        if (cost > dearest * (1 + 1e-9))
            fail_msg("%s: %.17g by a weaker promise (%u), %.17g by the stronger",
                     stronger.cost->kind.name, cost, how, dearest);
    }
    plain_privacy_destroy(&strong, &made);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void a_weaker_promise_never_costs_more(void **state) {
    (void)state;
    random_rounds(2000, one_table);
    for (unsigned how = 0; how < WEAKENINGS; how++) {
        print_message("%zu pairs, %zu cheaper\n", n_pairs[how], n_cheaper[how]);
        assert_true(is_slow_here() || getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS") ||
                    (n_pairs[how] > 50 && n_cheaper[how] > 5));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_weaker_promise_never_costs_more, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

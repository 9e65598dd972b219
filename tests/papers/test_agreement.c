/* Agreement on real tables: every search that claims to find all anonymous nodes finds those of
 * brute force, and among them the best by each cost; samarati and datafly return what their
 * definitions promise.
 *
 * Tables, prefixes of their columns, k and limits are a matrix. The long suite (KANON_TEST_ROUNDS
 * of 1000 and more) walks through all of it and prints the counts; the normal suite takes a part.
 * Without the data the tests are skipped (support/dataset.h). */
#include "support/brute.h"
#include "support/dataset.h"
#include "support/question.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"

#ifndef KANON_TESTS_DIR
#define KANON_TESTS_DIR "tests"
#endif

/* Sanitizers would see nothing new in larger lattices, and take minutes for the matrix. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SLOW 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SLOW 1
#endif
#ifndef IS_SLOW
#define IS_SLOW 0
#endif

enum { LONG_SUITE = 1000, LEAST_COLUMNS = 3, N_KS = 4, MANY_NODES = 3000 };

static const uint64_t all_ks[N_KS] = {2, 5, 10, 50};

static bool is_long(void) {
    const char *rounds = getenv("KANON_TEST_ROUNDS");
    return !IS_SLOW && rounds && atoi(rounds) >= LONG_SUITE;
}

/* ---- one question --------------------------------------------------------------------------- */

/* A table, a k, a limit: what brute force knows of it, and where we are when a check fails. */
typedef struct {
    const test_problem *made;
    const brute *truth;
    const brute_space *space;
    char name[128];
} matter;

/* How a search is asked. */
typedef struct {
    const kan_search_kind *search;
    const kan_cost_kind *cost;
    const char *materialize; /* NULL: not said */
    bool wants_best_alone;
} asking;

static void disagree(const matter *on, const asking *ask, const char *what) {
    fail_msg("%s: %s%s%s by %s%s: %s", on->name, ask->search->kind.name,
             ask->materialize ? " --materialize " : "", ask->materialize ? ask->materialize : "",
             ask->cost->kind.name, ask->wants_best_alone ? ", best alone" : "", what);
}

static void expect(const matter *on, const asking *ask, bool holds, const char *what) {
    if (!holds)
        disagree(on, ask, what);
}

static void search_for(const matter *on, const asking *ask, kan_answer *out) {
    const test_question question = {.cost = ask->cost,
                                    .k = on->truth->ks[on->space->k],
                                    .limit = on->space->limit,
                                    .wants_best_alone = ask->wants_best_alone};
    kan_run *run = on->made->run;
    test_asked asked;
    test_ask(on->made, &question, &asked);
    if (ask->materialize)
        EXPECT_OK(run, kan_options_add(&asked.options, "materialize", ask->materialize));
    if (ask->search->search(run, &asked.question, out) != KAN_OK)
        disagree(on, ask, kan_run_error(run));
    test_asked_destroy(&asked);
    expect(on, ask, out->n_nodes == on->truth->n_nodes, "another lattice");
}

/* ---- what is expected of an answer ---------------------------------------------------------- */

static size_t node_of(const matter *on, const kan_answer *answer) {
    size_t node = 0;
    for (unsigned a = 0; a < on->truth->n_attributes; a++)
        node += answer->recoding.levels[a] * on->truth->strides[a];
    return node;
}

static void expect_node(const matter *on, const asking *ask, const kan_answer *answer,
                        size_t node) {
    expect(on, ask, answer->is_found == (node < on->truth->n_nodes), "found, or not");
    if (!answer->is_found)
        return;
    if (node_of(on, answer) != node) {
        char what[128];
        snprintf(what, sizeof what, "node %zu instead of %zu", node_of(on, answer), node);
        disagree(on, ask, what);
    }
    const brute_cost cost = brute_cost_of(on->space, node, ask->cost->kind.name);
    const double real = (double)cost.above / (double)cost.below;
    expect(on, ask, fabs(answer->score.real - real) <= 1e-12 * (1 + real), "another cost");
    if (answer->score.is_whole)
        expect(on, ask, cost.below == 1 && answer->score.whole == cost.above, "another cost");
}

static void expect_vectors(const matter *on, const asking *ask, const bool *is_wanted,
                           const uint8_t *vectors, size_t n_vectors, const char *what) {
    const brute *truth = on->truth;
    size_t at = 0;
    for (size_t node = 0; node < truth->n_nodes; node++) {
        if (!is_wanted[node])
            continue;
        expect(on, ask, at < n_vectors, what);
        for (unsigned a = 0; a < truth->n_attributes; a++)
            expect(on, ask, vectors[at * truth->n_attributes + a] == brute_level(truth, node, a),
                   what);
        at++;
    }
    expect(on, ask, at == n_vectors, what);
}

static void expect_complete(const matter *on, const asking *ask) {
    kan_answer answer;
    search_for(on, ask, &answer);
    expect_node(on, ask, &answer, brute_best(on->space, ask->cost->kind.name, -1));
    expect(on, ask, answer.is_optimal, "the optimum is not proven");
    if (!ask->wants_best_alone) {
        expect(on, ask, answer.is_complete, "not complete");
        expect(on, ask, answer.n_anonymous == on->space->n_anonymous, "anonymous nodes");
        expect_vectors(on, ask, on->space->is_minimal, answer.minimal, answer.n_minimal,
                       "minimal nodes");
        expect_vectors(on, ask, on->space->is_failing, answer.failing, answer.n_failing,
                       "maximal failing nodes");
    }
    kan_answer_destroy(on->made->run, &answer);
}

/* The least height that has an anonymous node, and the best node of it: by height the optimum. */
static void expect_samarati(const matter *on, const asking *ask) {
    const brute *truth = on->truth;
    unsigned least = UINT_MAX;
    for (size_t node = 0; node < truth->n_nodes; node++)
        if (on->space->satisfies[node] && brute_height(truth, node) < least)
            least = brute_height(truth, node);
    kan_answer answer;
    search_for(on, ask, &answer);
    expect_node(on, ask, &answer, brute_best(on->space, ask->cost->kind.name, (int)least));
    expect(on, ask, !answer.is_complete, "complete");
    expect(on, ask, answer.is_optimal == (ask->cost == &kan_cost_height), "optimal, or not");
    kan_answer_destroy(on->made->run, &answer);
}

/* From the bottom, the attribute with the most different values goes up until the node satisfies.
 */
static void expect_datafly(const matter *on, const asking *ask) {
    const brute *truth = on->truth;
    size_t node = 0;
    uint64_t n_steps = 1;
    for (; !on->space->satisfies[node] && node + 1 < truth->n_nodes; n_steps++) {
        unsigned chosen = 0;
        uint64_t most = 0;
        for (unsigned a = 0; a < truth->n_attributes; a++) {
            const unsigned level = brute_level(truth, node, a);
            if (level < truth->heights[a] && truth->n_values[a][level] > most) {
                chosen = a;
                most = truth->n_values[a][level];
            }
        }
        node += truth->strides[chosen];
    }
    kan_answer answer;
    search_for(on, ask, &answer);
    expect_node(on, ask, &answer, on->space->satisfies[node] ? node : truth->n_nodes);
    expect(on, ask, answer.n_checked == n_steps, "another way up");
    expect(on, ask, !answer.is_complete && !answer.is_optimal, "claims more than it knows");
    kan_answer_destroy(on->made->run, &answer);
}

/* ---- all searches --------------------------------------------------------------------------- */

static void expect_search(const matter *on, const asking *ask) {
    if (ask->search == &kan_search_samarati)
        expect_samarati(on, ask);
    else if (ask->search == &kan_search_datafly)
        expect_datafly(on, ask);
    else if (ask->search->finds_all)
        expect_complete(on, ask);
    else
        fail_msg("what does %s promise?", ask->search->kind.name);
}

static void ask_for_cost(const matter *on, const kan_search_kind *search,
                         const kan_cost_kind *cost) {
    expect_search(on, &(asking){.search = search, .cost = cost});
    if (search == &kan_search_bisect)
        expect_search(on, &(asking){.search = search, .cost = cost, .wants_best_alone = true});
    if (search == &kan_search_incognito_cube) {
        /* Less than the base of most tables, and more than enough for some. */
        expect_search(on, &(asking){.search = search, .cost = cost, .materialize = "64K"});
        expect_search(on, &(asking){.search = search, .cost = cost, .materialize = "4M"});
    }
}

/* Asks every search for the best by every cost, or, where that takes too long, by one in turn. */
static void ask_all(const matter *on, unsigned turn) {
    const kan_cost_kind *costs[16];
    unsigned n_costs = 0;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
        const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
        assert_true(n_costs < 16);
        if (!cost->needs_class)
            costs[n_costs++] = cost;
    }
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (search->cuts || search->regions)
            continue;
        const bool asks_each =
            search == &kan_search_bisect || (is_long() && on->truth->n_nodes <= MANY_NODES);
        for (unsigned cost = 0; asks_each && cost < n_costs; cost++)
            ask_for_cost(on, search, costs[cost]);
        if (!asks_each)
            ask_for_cost(on, search, costs[(turn + i) % n_costs]);
    }
}

/* ---- the matrix ----------------------------------------------------------------------------- */

/* The greatest limit up to `most` that some node uses up to the last row. */
static uint64_t tight_limit(const brute *truth, unsigned k, uint64_t most) {
    uint64_t limit = 0;
    for (size_t node = 0; node < truth->n_nodes; node++) {
        const uint64_t n = brute_tally_of(truth, node, k)->n_suppressed;
        limit = n <= most && n > limit ? n : limit;
    }
    return limit;
}

static void compare_for(const test_problem *made, const brute *truth, const char *table, unsigned k,
                        uint64_t limit, unsigned turn) {
    brute_space space;
    brute_judge(truth, k, limit, &space);
    matter on = {.made = made, .truth = truth, .space = &space};
    snprintf(on.name, sizeof on.name, "%s, %u columns, k = %llu, limit %llu", table,
             truth->n_attributes, (unsigned long long)truth->ks[k], (unsigned long long)limit);
    ask_all(&on, turn);
    if (is_long())
        print_message("%s: %zu nodes, %zu anonymous, %zu minimal, %zu maximal failing\n", on.name,
                      truth->n_nodes, space.n_anonymous, space.n_minimal, space.n_failing);
    brute_space_destroy(&space);
}

/* Over the prefixes each search meets each cost at each limit. */
static void compare_on(const test_problem *made, const brute *truth, const char *table) {
    for (unsigned k = 0; k < truth->n_ks; k++) {
        const unsigned turn = truth->n_attributes + k;
        compare_for(made, truth, table, k, 0, turn);
        compare_for(made, truth, table, k, truth->most_limit, turn + 3);
        if (truth->n_nodes <= MANY_NODES)
            compare_for(made, truth, table, k, tight_limit(truth, k, truth->most_limit), turn + 1);
    }
}

/* What the normal suite takes of a table. */
typedef struct {
    const dataset_kind *kind;
    unsigned most_columns;
    unsigned n_ks;
    uint64_t ks[N_KS];
} part;

static void compare(const part *normal) {
    const dataset_kind *kind = normal->kind;
    const unsigned most_columns = is_long() ? kind->n_columns : normal->most_columns;
    const uint64_t *ks = is_long() ? all_ks : normal->ks;
    dataset data;
    dataset_read(KANON_TESTS_DIR, kind, &data);
    kan_run *run = kan_run_create();
    kan_run_set_threads(run, 2);
    for (unsigned n = LEAST_COLUMNS; n <= most_columns; n++) {
        plain_table plain;
        test_problem made;
        brute truth;
        dataset_plain(&data, n, &plain);
        test_problem_make(run, &plain, &made);
        brute_open(&plain, ks, is_long() ? N_KS : normal->n_ks, plain.n_rows / 100, &truth);
        plain_destroy(&plain);
        compare_on(&made, &truth, kind->name);
        brute_close(&truth);
        test_problem_destroy(&made);
    }
    kan_run_destroy(run);
    dataset_destroy(&data);
}

#define N_NORMAL_KS (IS_SLOW ? 1 : 2)

static void all_searches_agree_on_adult(void **state) {
    (void)state;
    compare(&(part){&dataset_adult, IS_SLOW ? 5 : 6, N_NORMAL_KS, {2, 10}});
}

static void all_searches_agree_on_fars(void **state) {
    (void)state;
    compare(&(part){&dataset_fars, IS_SLOW ? 4 : 5, N_NORMAL_KS, {5, 50}});
}

static void all_searches_agree_on_ss13acs(void **state) {
    (void)state;
    compare(&(part){&dataset_ss13acs, IS_SLOW ? 4 : 5, N_NORMAL_KS, {2, 50}});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_searches_agree_on_adult),
        cmocka_unit_test(all_searches_agree_on_fars),
        cmocka_unit_test(all_searches_agree_on_ss13acs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

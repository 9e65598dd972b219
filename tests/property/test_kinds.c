/* What must hold for every kind in the registry, so that a new privacy model, cost or search is
 * tested by its line there alone.
 *
 *   privacy  its flags are tried on thousands of random groups: none may be contradicted, and a
 *            flag that is not set needs a witness; no group below least_size passes; a check looks
 *            at each group alone
 *   cost     never negative, not more than 1 where it is a share, the worst where nothing is
 *            released; asks for all that it looks at; is what the oracle knows
 *   search   what it claims is what the oracle finds */
#include "support/question.h"
#include "support/random_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"

/* ---- random options ------------------------------------------------------------------------- */

/* A value within the bounds of the spec; NULL when there is none to be guessed. */
static const char *random_value(const kan_option_spec *spec, uint64_t *random, char *room,
                                size_t size) {
    double least = spec->least, most = spec->most > 0 ? spec->most : least + 5;
    size_t n_choices = 1, chosen;
    switch (spec->type) {
    case KAN_OPTION_SWITCH:
        return kan_random_below(random, 2) ? "true" : NULL;
    case KAN_OPTION_COUNT:
        most = most < least + 5 ? most : least + 5;
        snprintf(room, size, "%llu",
                 (unsigned long long)least +
                     (unsigned long long)kan_random_below(random, (uint64_t)(most - least) + 1));
        return room;
    case KAN_OPTION_REAL:
        snprintf(room, size, "%.2f",
                 least + (most - least) * (double)kan_random_below(random, 101) / 100);
        return room;
    case KAN_OPTION_BYTES:
        snprintf(room, size, "%lluK", 1 + (unsigned long long)kan_random_below(random, 64));
        return room;
    case KAN_OPTION_CHOICE:
        for (const char *at = spec->choices; *at; at++)
            n_choices += *at == '|';
        chosen = (size_t)kan_random_below(random, n_choices);
        for (const char *at = spec->choices;; at += strcspn(at, "|") + 1)
            if (chosen-- == 0) {
                snprintf(room, size, "%.*s", (int)strcspn(at, "|"), at);
                return room;
            }
    case KAN_OPTION_TEXT:
        if (!spec->argument || strcmp(spec->argument, "LOW..HIGH") != 0)
            break;
        chosen = kan_random_below(random, 3) ? (size_t)kan_random_below(random, 99) : 0;
        snprintf(room, size, "0.%02zu..0.%02zu", chosen,
                 chosen + (size_t)kan_random_below(random, 100 - chosen));
        return room;
    case KAN_OPTION_PATH:
        break;
    }
    return NULL;
}

/* A text that repeats names values: some of the table's. */
static void random_values(kan_run *run, const kan_option_spec *spec, const plain_table *plain,
                          uint64_t *random, kan_options *options) {
    for (uint64_t n = kan_random_below(random, 4); spec->repeats && n > 0; n--) {
        const unsigned tail = (unsigned)kan_random_below(random, plain->n_tails);
        const size_t row = (size_t)kan_random_below(random, plain->n_rows);
        if ((int)tail != plain->class_tail)
            EXPECT_OK(run, kan_options_add(options, spec->name,
                                           plain_cell(plain, row, plain->n_attributes + tail)));
    }
}

static void random_options(kan_run *run, const kan_kind *kind, const plain_table *plain,
                           uint64_t *random, kan_options *options) {
    for (size_t i = 0; i < kind->n_options; i++) {
        char room[64];
        const char *value = random_value(&kind->options[i], random, room, sizeof room);
        if (kind->options[i].type == KAN_OPTION_TEXT)
            random_values(run, &kind->options[i], plain, random, options);
        if (!value)
            continue;
        EXPECT_OK(run, kan_option_check(run, &kind->options[i], value));
        EXPECT_OK(run, kan_options_add(options, kind->options[i].name, value));
    }
}

/* ---- random groups -------------------------------------------------------------------------- */

enum { MOST_ROWS = 12, MOST_VALUES = 64 };

/* Three groups: a, b, and both together. */
typedef struct {
    uint64_t count[3];
    uint64_t people[3]; /* of a population: those of a and b, and of neither */
    struct {
        size_t start[4];
        uint32_t value[3 * MOST_VALUES];
        uint64_t count[3 * MOST_VALUES];
    } tails[KAN_MAX_TAILS];
    kan_tally tallies[KAN_MAX_TAILS];
    kan_groups groups;
} triple;

/* `is_limited`: the values that the rows of b may not have, by tail; NULL: they may have any. */
static void make_triple(const kan_problem *problem, uint64_t *random,
                        bool (*is_limited)[MOST_VALUES], triple *out) {
    const kan_space *space = &problem->space;
    memset(out, 0, sizeof *out);
    for (unsigned g = 0; g < 2; g++)
        out->count[g] = 1 + kan_random_below(random, MOST_ROWS);
    out->count[2] = out->count[0] + out->count[1];
    for (unsigned g = 0; g < 2; g++)
        out->people[g] = out->count[g] + kan_random_below(random, 2 * out->count[g]);
    out->people[2] = out->people[0] + out->people[1] + kan_random_below(random, MOST_ROWS);
    for (unsigned t = 0; t < space->n_tails; t++) {
        uint32_t n_values = kan_dimension_groups(&space->dimensions[space->n_attributes + t], 0);
        uint64_t rows[3][MOST_VALUES] = {{0}};
        assert_true(n_values <= MOST_VALUES);
        for (unsigned g = 0; g < 2; g++) {
            uint32_t among = 1 + (uint32_t)kan_random_below(random, n_values);
            for (uint64_t i = 0; i < out->count[g]; i++) {
                uint64_t value = kan_random_below(random, among);
                while (g == 1 && is_limited && is_limited[t][value])
                    value = kan_random_below(random, n_values);
                rows[g][value]++;
                rows[2][value]++;
            }
        }
        size_t at = 0;
        for (unsigned g = 0; g < 3; g++) {
            out->tails[t].start[g] = at;
            for (uint32_t value = 0; value < n_values; value++)
                if (rows[g][value]) {
                    out->tails[t].value[at] = value;
                    out->tails[t].count[at++] = rows[g][value];
                }
        }
        out->tails[t].start[3] = at;
        out->tallies[t] =
            (kan_tally){out->tails[t].start, out->tails[t].value, out->tails[t].count};
    }
    out->groups = (kan_groups){.n_groups = 3,
                               .n_rows = problem->n_rows,
                               .count = out->count,
                               .tallies = out->tallies,
                               .people = out->people,
                               .n_released_groups = 3};
}

/* ---- privacy -------------------------------------------------------------------------------- */

/* What the rounds have seen of each kind, apart for states that claim different flags. */
enum { MOST_KINDS = 64, CLAIMS = 4 };
typedef struct {
    uint64_t n_states, n_groups;
    bool merge_spoils, absorbing_spoils, size_misleads;
    uint64_t n_free; /* groups that passed, and rows were added that are not limited */
} sighting;
static sighting seen[MOST_KINDS][CLAIMS];

/* What a state claims: a bit for each flag. */
static unsigned claims_of(const kan_privacy_kind *kind, const void *state) {
    bool survives_merge, absorbs_any;
    kan_privacy_flags(kind, state, &survives_merge, &absorbs_any);
    assert_true(survives_merge || !kind->survives_merge); /* true of every state */
    assert_true(absorbs_any || !kind->absorbs_any);
    assert_true(!absorbs_any || survives_merge);
    return (survives_merge ? 1u : 0u) + (absorbs_any ? 2u : 0u);
}

static void expect_check_looks_at_each_group_alone(const kan_privacy_kind *kind, const void *state,
                                                   const kan_groups *groups, const uint8_t *ok) {
    for (size_t g = 0; g < 3; g++) {
        uint8_t alone[3] = {1, 1, 1};
        kind->check(state, groups, g, g + 1, alone);
        for (size_t other = 0; other < 3; other++)
            assert_int_equal(alone[other], other == g ? ok[g] : 1);
    }
    uint8_t failed[3] = {0, 0, 0};
    kind->check(state, groups, 0, 3, failed); /* clears, never sets */
    assert_int_equal(failed[0] | failed[1] | failed[2], 0);
}

/* The number of different values decides exactly where a state says so. */
static void expect_values_decide(const kan_privacy_kind *kind, const void *state,
                                 const kan_groups *groups, const uint8_t *ok) {
    uint64_t least[KAN_MAX_TAILS] = {0};
    if (!kind->values_decide || !kind->values_decide(state, least))
        return;
    for (size_t g = 0; g < 3; g++) {
        bool has_enough = true;
        for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
            has_enough &= least[t] == 0 ||
                          groups->tallies[t].start[g + 1] - groups->tallies[t].start[g] >= least[t];
        assert_int_equal(has_enough, ok[g]);
    }
}

static void try_flags(const kan_privacy_kind *kind, const void *state, const kan_problem *problem,
                      uint64_t *random, sighting *sight) {
    for (unsigned i = 0; i < 100; i++) {
        triple here;
        uint8_t ok[3] = {1, 1, 1};
        make_triple(problem, random, NULL, &here);
        if (!kind->needs_tallies)
            here.groups.tallies = NULL;
        kind->check(state, &here.groups, 0, 3, ok);
        expect_check_looks_at_each_group_alone(kind, state, &here.groups, ok);
        expect_values_decide(kind, state, &here.groups, ok);
        for (unsigned g = 0; g < 3; g++) {
            assert_true(ok[g] <= 1);
            bool is_large = here.count[g] >= kind->least_size(state);
            assert_true(is_large || !ok[g]);
            sight->size_misleads |= is_large && !ok[g];
        }
        sight->merge_spoils |= ok[0] && ok[1] && !ok[2];
        sight->absorbing_spoils |= (ok[0] || ok[1]) && !ok[2];
        sight->n_groups += 3;
    }
    sight->n_states++;
}

/* Which values of each tail the state limits; false where a tail has no other. */
static bool find_limited(const kan_privacy_kind *kind, const void *state,
                         const kan_problem *problem, bool (*is_limited)[MOST_VALUES]) {
    const kan_space *space = &problem->space;
    bool has_others = true;
    for (unsigned t = 0; t < space->n_tails; t++) {
        const uint32_t n = kan_dimension_groups(&space->dimensions[space->n_attributes + t], 0);
        bool is_any_free = false;
        for (uint32_t value = 0; value < n; value++) {
            is_limited[t][value] = kind->limits(state, t, value);
            is_any_free |= !is_limited[t][value];
        }
        has_others &= is_any_free;
    }
    return has_others;
}

/* Rows of values that a model does not limit never spoil a group that passes. */
static void try_free_rows(const kan_privacy_kind *kind, const void *state,
                          const kan_problem *problem, uint64_t *random, sighting *sight) {
    bool is_limited[KAN_MAX_TAILS][MOST_VALUES];
    if (!kind->limits || !find_limited(kind, state, problem, is_limited))
        return;
    for (unsigned i = 0; i < 100; i++) {
        triple here;
        uint8_t ok[3] = {1, 1, 1};
        make_triple(problem, random, is_limited, &here);
        kind->check(state, &here.groups, 0, 3, ok);
        assert_true(!ok[0] || ok[2]);
        sight->n_free += ok[0];
    }
}

/* Weights for the values of a tail, of which groups stand for many people or for few. */
static void random_sampling(const kan_problem *problem, uint64_t *random, uint64_t *units,
                            kan_sampling *out) {
    const kan_space *space = &problem->space;
    const unsigned tail = problem->class_tail == 0;
    *out = (kan_sampling){
        .tail = tail,
        .n_values = kan_dimension_groups(&space->dimensions[space->n_attributes + tail], 0),
        .units = units,
        .total = problem->n_rows * 5000,
        .one = 10};
    for (uint32_t value = 0; value < out->n_values; value++)
        units[value] = 1 + kan_random_below(random, kan_random_below(random, 2) ? 50 : 5000);
}

static void flags_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    plain_privacy trees;
    bool is_fit;
    do {
        random_plain(&random_small, &random, &plain);
        is_fit = plain_is_sensitive(&plain) && plain.n_rows >= 2 * MOST_ROWS;
        if (!is_fit)
            plain_destroy(&plain);
    } while (!is_fit);
    test_problem_make(run, &plain, &made);
    random_privacy(&plain, &random, &made, &trees); /* for its hierarchies of tails */
    const kan_population population = {.n_people = 4 * plain.n_rows};
    made.problem.population = &population;
    uint64_t units[MOST_VALUES];
    kan_sampling sampling;
    random_sampling(&made.problem, &random, units, &sampling);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        kan_options options;
        void *state;
        assert_true(kind->kind.n_options > 0); /* the first turns it on */
        assert_true(!kind->check == (kan_privacy_is_of_table(kind) || kind->household_part));
        /* no group passes or fails by itself: oracle.table_models, oracle.households */
        if (!kind->check)
            continue;
        kan_options_init(&options, kan_run_arena(run));
        random_options(run, &kind->kind, &plain, &random, &options);
        made.problem.sampling = kind->needs_weights ? &sampling : NULL;
        if (kind->create(run, kan_run_arena(run), &options, &made.problem, &state) == KAN_OK) {
            sighting *sight = &seen[i][claims_of(kind, state)];
            try_flags(kind, state, &made.problem, &random, sight);
            try_free_rows(kind, state, &made.problem, &random, sight);
        }
        kan_options_destroy(&options);
    }
    made.problem.population = NULL;
    made.problem.sampling = NULL;
    plain_privacy_destroy(&trees, &made);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void expect_claims_are_true(const kan_privacy_kind *kind, unsigned claims,
                                   const sighting *sight) {
    const bool survives_merge = claims & 1, absorbs_any = claims & 2;
    if (sight->n_states == 0)
        return;
    print_message("%s%s%s: %llu groups under %llu settings\n", kind->kind.name,
                  survives_merge ? ", survives a merge" : "", absorbs_any ? ", absorbs any" : "",
                  (unsigned long long)sight->n_groups, (unsigned long long)sight->n_states);
    assert_false(survives_merge && sight->merge_spoils);
    assert_false(absorbs_any && sight->absorbing_spoils);
    assert_false(kind->size_decides && sight->size_misleads);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(sight->n_groups >= 1000);
    assert_true(!kind->limits || sight->n_free > 100);
    /* a flag that could be set costs every search its pruning */
    assert_true(survives_merge || sight->merge_spoils);
    assert_true(absorbs_any || sight->absorbing_spoils);
    assert_true(kind->size_decides || sight->size_misleads);
}

static void flags_of_every_privacy_model_are_true(void **state) {
    (void)state;
    const size_t n_kinds = kan_registry_count(KAN_FAMILY_PRIVACY);
    assert_true(n_kinds > 0 && n_kinds <= MOST_KINDS);
    memset(seen, 0, sizeof seen);
    random_rounds(120, flags_on_one_table);
    for (size_t i = 0; i < n_kinds; i++) {
        uint64_t n_states = 0;
        if (!((const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i))->check)
            continue;
        for (unsigned claims = 0; claims < CLAIMS; claims++) {
            expect_claims_are_true((const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i),
                                   claims, &seen[i][claims]);
            n_states += seen[i][claims].n_states;
        }
        assert_true(n_states > 0 || getenv("KANON_TEST_SEED"));
    }
}

/* ---- costs ---------------------------------------------------------------------------------- */

static bool is_share(const char *cost) {
    return strcmp(cost, "precision") == 0 || strcmp(cost, "distortion") == 0 ||
           strcmp(cost, "ncp") == 0;
}

/* test_node_make gives a cost only what its flags ask for: one that looks at more would fall. */
static double cost_of(const test_problem *made, const test_question *question,
                      const unsigned *levels, uint64_t *n_suppressed) {
    test_asked asked;
    test_node node;
    test_ask(made, question, &asked);
    test_node_make(made, &asked, levels, &node);
    kan_score score = question->cost->measure(asked.objective.state, &node.groups);
    kan_score again = question->cost->measure(asked.objective.state, &node.groups);
    assert_int_equal(kan_score_compare(&score, &again), 0);
    *n_suppressed = node.groups.n_suppressed;
    test_node_destroy(made, &node);
    test_asked_destroy(&asked);
    return score.real;
}

static void cost_on_one_node(test_problem *made, const oracle *truth, const oracle_node *node,
                             const test_question *question) {
    const char *name = question->cost->kind.name;
    uint64_t n_suppressed;
    double cost = cost_of(made, question, node->levels, &n_suppressed);
    double expected = oracle_cost(truth, node, name, question->k);
    assert_int_equal(n_suppressed, node->n_suppressed);
    assert_true(cost == cost); /* a number */
    assert_true(cost >= 0);
    if (oracle_is_less(cost, expected) || oracle_is_less(expected, cost))
        fail_msg("%s: %.17g, by definition %.17g", name, cost, expected);
    if (is_share(name))
        assert_true(cost <= 1 + 1e-12);
    if (question->cost->uses_weights)
        return;
    /* whoever says that weights do not matter is held to it */
    double before = made->problem.weights[0];
    bool was_weighted = made->problem.is_weighted;
    made->problem.weights[0] = 17;
    made->problem.is_weighted = true;
    double weighted = cost_of(made, question, node->levels, &n_suppressed);
    assert_true(weighted == cost || (isinf(weighted) && isinf(cost)));
    made->problem.weights[0] = before;
    made->problem.is_weighted = was_weighted;
}

static void costs_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    oracle truth;
    random_plain(&random_small, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    for (unsigned turn = 0; turn < 3; turn++) {
        uint64_t k = 1 + kan_random_below(&random, plain.n_rows < 5 ? plain.n_rows : 5);
        oracle_judge(&truth, oracle_has_k_rows, &k, UINT64_MAX);
        const oracle_node *node = &truth.nodes[kan_random_below(&random, truth.n_nodes)];
        for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
            const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
            if (cost->needs_class && plain.class_tail == KAN_NO_TAIL)
                continue;
            cost_on_one_node(&made, &truth, node, &(test_question){.cost = cost, .k = k});
        }
    }
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void every_cost_is_what_its_definition_says(void **state) {
    (void)state;
    assert_true(kan_registry_count(KAN_FAMILY_COST) > 0);
    random_rounds(150, costs_on_one_table);
}

/* ---- searches ------------------------------------------------------------------------------- */

static void searches_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    oracle truth;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    random_plain(&random_small, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    for (unsigned turn = 0; turn < 3; turn++) {
        uint64_t least_rows = plain.n_rows < 12 ? plain.n_rows : 12;
        test_question question = {.k = 1 + kan_random_below(&random, least_rows),
                                  .limit = turn == 0   ? 0
                                           : turn == 1 ? kan_random_below(&random, plain.n_rows)
                                                       : UINT64_MAX,
                                  .wants_release = kan_random_below(&random, 2),
                                  .wants_best_alone = kan_random_below(&random, 3) == 0};
        oracle_judge(&truth, oracle_has_k_rows, &question.k, question.limit);
        question.cost = (const kan_cost_kind *)kan_registry_at(
            KAN_FAMILY_COST,
            (size_t)kan_random_below(&random, kan_registry_count(KAN_FAMILY_COST)));
        if (question.cost->needs_class && plain.class_tail == KAN_NO_TAIL)
            question.cost = &kan_cost_discernibility;
        for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
            const kan_search_kind *search =
                (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
            if (!search->cuts && !search->regions) /* those have an oracle of their own */
                expect_search_is_right(search, &made, &truth, &question);
        }
    }
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void every_search_finds_what_brute_force_finds(void **state) {
    (void)state;
    assert_true(kan_registry_count(KAN_FAMILY_SEARCH) > 0);
    random_rounds(250, searches_on_one_table);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void every_kind_has_a_name_of_its_own_and_a_summary(void **state) {
    (void)state;
    for (unsigned family = 0; family < KAN_N_FAMILIES; family++)
        for (size_t i = 0; i < kan_registry_count(family); i++) {
            const kan_kind *kind = kan_registry_at(family, i);
            assert_true(kind->name && kind->name[0] && kind->summary && kind->summary[0]);
            assert_ptr_equal(kan_registry_find(family, kind->name), kind);
            assert_true(kind->n_options == 0 || kind->options != NULL);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(flags_of_every_privacy_model_are_true, random_tear_down),
        cmocka_unit_test_teardown(every_cost_is_what_its_definition_says, random_tear_down),
        cmocka_unit_test_teardown(every_search_finds_what_brute_force_finds, random_tear_down),
        cmocka_unit_test(every_kind_has_a_name_of_its_own_and_a_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

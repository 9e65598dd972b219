/* Searches over cuts that count people, against brute force: every set of cuts is tried, and by person
 * every set of people. Whoever claims a proof has the best; everybody's answer costs what it says,
 * and nothing is found only where there is nothing. A proof that is continued ends where one does
 * that was not broken off. The brute force knows rows and places, and nothing of the library. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "job/registry/registry.h"
#include "support/cut_problem.h"

enum { MOST_PEOPLE = 8, MOST_ROWS = 40, MOST_SETS = 1 << 12 };

typedef struct {
    cut_problem problem;
    cut_question question;
    bool by_person, histories;
    unsigned n_people;
    unsigned person[MOST_ROWS]; /* by row */
} people_case;

/* ---- random cases --------------------------------------------------------------------------- */

static unsigned count_places(const cut_problem *problem) {
    unsigned n = 0;
    for (unsigned a = 0; a < problem->plain.n_attributes; a++)
        n += problem->n_places[a] - 1;
    return n;
}

/* The first tail is the person; the class is another one. */
static void add_people(people_case *c, plain_table *plain, uint64_t *random) {
    const unsigned most = (unsigned)between(random, 1, MOST_PEOPLE);
    if (plain->class_tail == 0)
        plain->class_tail = plain->n_tails > 1 ? 1 : KAN_NO_TAIL;
    c->n_people = 0;
    for (size_t row = 0; row < plain->n_rows; row++) {
        const bool is_new = c->n_people < most && (c->n_people == 0 || once_in(random, 2));
        c->person[row] = is_new ? c->n_people++ : (unsigned)kan_random_below(random, c->n_people);
        snprintf(plain_cell(plain, row, plain->n_attributes), PLAIN_LABEL, "p%u", c->person[row]);
    }
}

/* Rows that repeat others' places: groups that hold several people. */
static void repeat_places(plain_table *plain, uint64_t *random) {
    const uint64_t share = between(random, 1, 4);
    for (size_t row = 1; row < plain->n_rows; row++)
        if (once_in(random, share))
            memcpy(plain_cell(plain, row, 0),
                   plain_cell(plain, (size_t)kan_random_below(random, row), 0),
                   plain->n_attributes * sizeof(plain_label));
}

static void draw(kan_run *run, uint64_t *random, unsigned most_choices, people_case *c) {
    const bool is_subtree = once_in(random, 2);
    const random_spec spec = {.least_attributes = 1,
                              .most_attributes = 4,
                              .least_rows = 1,
                              .most_rows = once_in(random, 3) ? 8 : MOST_ROWS,
                              .most_leaves = 7,
                              .most_height = 3,
                              .most_tails = 2};
    for (;;) {
        plain_table plain;
        unsigned bins[CUT_ATTRIBUTES] = {0};
        random_plain(&spec, random, &plain);
        if (plain.n_tails == 0) {
            plain_destroy(&plain);
            continue;
        }
        repeat_places(&plain, random);
        add_people(c, &plain, random);
        for (unsigned a = 0; !is_subtree && a < plain.n_attributes; a++)
            bins[a] = (unsigned)kan_random_below(random, 4);
        cut_problem_make(run, &plain, bins, &c->problem);
        if (count_places(&c->problem) <= most_choices)
            break;
        cut_problem_destroy(&c->problem);
    }
    c->problem.made.problem.has_person = true;
    c->problem.made.problem.n_people = c->n_people;
    c->question = random_cut_question(&c->problem, random, is_subtree);
    c->question.k = 1 + kan_random_below(random, c->n_people < 4 ? c->n_people : 4);
    c->by_person = !once_in(random, 3);
    c->histories = c->by_person && once_in(random, 3);
    if (c->by_person && once_in(random, 2))
        c->question.limit = kan_random_below(random, c->n_people + 1);
}

static void ask(const people_case *c, test_asked *asked) {
    cut_ask(&c->problem, &c->question, asked);
    asked->promise.by_person = c->by_person;
    asked->promise.histories = c->histories;
}

/* ---- brute force ---------------------------------------------------------------------------- */

/* The rows of each group: the first row of each names it. */
static void find_groups(const people_case *c, const cut_set *cuts, unsigned *group_of) {
    const cut_problem *problem = &c->problem;
    unsigned cell[MOST_ROWS][CUT_ATTRIBUTES];
    for (unsigned row = 0; row < problem->plain.n_rows; row++) {
        for (unsigned a = 0; a < problem->plain.n_attributes; a++) {
            cell[row][a] = 0;
            for (uint32_t place = 1; place <= problem->places[a][row]; place++)
                cell[row][a] += cuts->is_cut[a][place];
        }
        group_of[row] = 0;
        while (memcmp(cell[group_of[row]], cell[row],
                      problem->plain.n_attributes * sizeof **cell) != 0)
            group_of[row]++;
    }
}

static unsigned has_same_history(const people_case *c, const unsigned *group_of, unsigned a,
                                 unsigned b) {
    int difference[MOST_ROWS] = {0};
    for (unsigned row = 0; row < c->problem.plain.n_rows; row++)
        difference[group_of[row]] += (c->person[row] == a) - (c->person[row] == b);
    for (unsigned row = 0; row < c->problem.plain.n_rows; row++)
        if (difference[row] != 0)
            return 0;
    return 1;
}

static bool is_good(const people_case *c, const unsigned *people_of, unsigned set) {
    for (unsigned g = 0; g < c->problem.plain.n_rows; g++) {
        const unsigned here = people_of[g] & set;
        if (here && (unsigned)__builtin_popcount(here) < c->question.k)
            return false;
    }
    return true;
}

/* The largest good set of people. */
static unsigned who_stays(const people_case *c, const unsigned *group_of,
                          const unsigned *people_of) {
    unsigned best = 0;
    for (unsigned a = 0; c->histories && a < c->n_people; a++) {
        unsigned n_alike = 0;
        for (unsigned b = 0; b < c->n_people; b++)
            n_alike += has_same_history(c, group_of, a, b);
        best |= n_alike >= c->question.k ? 1u << a : 0;
    }
    for (unsigned set = 1; !c->histories && set < 1u << c->n_people; set++)
        if (__builtin_popcount(set) > __builtin_popcount(best) && is_good(c, people_of, set))
            best = set;
    return best;
}

/* What a set of cuts leaves out, in rows or people, and what it costs. */
static bool measure(const people_case *c, const cut_set *cuts, uint64_t *n_left_out,
                    uint64_t *cost) {
    const size_t n = c->problem.plain.n_rows;
    unsigned group_of[MOST_ROWS], people_of[MOST_ROWS] = {0};
    bool is_in[MOST_ROWS];
    uint64_t n_lost = 0;
    find_groups(c, cuts, group_of);
    for (size_t row = 0; row < n; row++)
        people_of[group_of[row]] |= 1u << c->person[row];
    const unsigned stay = c->by_person ? who_stays(c, group_of, people_of) : 0;
    for (size_t row = 0; row < n; row++) {
        is_in[row] = c->by_person
                         ? stay >> c->person[row] & 1
                         : (unsigned)__builtin_popcount(people_of[group_of[row]]) >= c->question.k;
        n_lost += !is_in[row];
    }
    const bool counts_classes = c->question.cost->needs_class;
    *cost = n_lost * (counts_classes ? 1 : n);
    for (size_t g = 0; g < n; g++) {
        uint64_t size = 0, majority = 0;
        for (size_t row = 0; row < n; row++)
            size += is_in[row] && group_of[row] == g;
        for (size_t one = 0; counts_classes && one < n; one++) {
            uint64_t same = 0;
            for (size_t row = 0; row < n; row++)
                same += is_in[row] && group_of[row] == g &&
                        c->problem.classes[row] == c->problem.classes[one];
            majority = same > majority ? same : majority;
        }
        *cost += counts_classes ? size - majority : size * size;
    }
    *n_left_out = c->by_person ? c->n_people - (unsigned)__builtin_popcount(stay) : n_lost;
    return *n_left_out <= c->question.limit && !(c->question.wants_release && n_lost == n);
}

typedef struct {
    bool is_found;
    uint64_t cost, least;
} people_truth;

static void find_truth(const people_case *c, people_truth *out) {
    const cut_problem *problem = &c->problem;
    const unsigned n = count_places(problem);
    *out = (people_truth){.least = UINT64_MAX};
    for (unsigned bits = 0; bits < 1u << n; bits++) {
        cut_set cuts = {{{false}}};
        uint64_t left_out, cost;
        unsigned at = 0;
        for (unsigned a = 0; a < problem->plain.n_attributes; a++)
            for (uint32_t place = 1; place < problem->n_places[a]; place++)
                cuts.is_cut[a][place] = bits >> at++ & 1;
        if (c->question.is_subtree && !cut_is_subtree(problem, &cuts))
            continue;
        const bool is_allowed = measure(c, &cuts, &left_out, &cost);
        out->least = left_out < out->least ? left_out : out->least;
        if (is_allowed && (!out->is_found || cost < out->cost)) {
            out->is_found = true;
            out->cost = cost;
        }
    }
}

/* ---- every search --------------------------------------------------------------------------- */

static size_t n_proven, n_searched;

static void expect_right(const people_case *c, const people_truth *truth,
                         const kan_answer *answer) {
    cut_set cuts;
    uint64_t left_out, cost;
    n_searched++;
    assert_int_equal(answer->is_found, truth->is_found);
    if (truth->is_found)
        assert_true(answer->bound <= (double)truth->cost);
    if (!answer->is_found) {
        assert_int_equal(answer->least_suppressed, truth->least);
        return;
    }
    cut_set_of(&c->problem, answer, &cuts);
    assert_true(!c->question.is_subtree || cut_is_subtree(&c->problem, &cuts));
    assert_true(measure(c, &cuts, &left_out, &cost));
    assert_true(answer->score.is_whole && answer->score.whole == cost);
    assert_true(!answer->is_optimal || cost == truth->cost);
    for (size_t i = 0; i < answer->n_moments; i++)
        assert_true(answer->moments[i].bound <= (double)truth->cost);
    n_proven += answer->is_optimal;
}

static void add_option(kan_run *run, test_asked *asked, const char *name, const char *value) {
    EXPECT_OK(run, kan_options_add(&asked->options, name, value));
}

static void search_with(kan_run *run, const people_case *c, const kan_search_kind *search,
                        kan_answer *out) {
    test_asked asked;
    ask(c, &asked);
    if (search == &kan_search_hill_climb)
        add_option(run, &asked, "restarts", "4");
    if (search == &kan_search_anneal)
        add_option(run, &asked, "steps", "300");
    if (search == &kan_search_genetic) {
        add_option(run, &asked, "generations", "5");
        add_option(run, &asked, "individuals", "8");
    }
    EXPECT_OK(run, search->search(run, &asked.question, out));
    test_asked_destroy(&asked);
}

static void expect_same(const kan_answer *a, const kan_answer *b) {
    assert_int_equal(a->is_found, b->is_found);
    assert_int_equal(a->is_optimal, b->is_optimal);
    assert_int_equal(a->n_checked, b->n_checked);
    assert_int_equal(a->n_moments, b->n_moments);
    assert_true(a->bound == b->bound);
    if (!a->is_found)
        return;
    assert_true(a->score.whole == b->score.whole);
    assert_memory_equal(a->recoding.first_cut, b->recoding.first_cut, sizeof a->recoding.first_cut);
    const size_t n = a->recoding.first_cut[a->recoding.n_attributes];
    if (n > 0)
        assert_memory_equal(a->recoding.cuts, b->recoding.cuts, n * sizeof *a->recoding.cuts);
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7919 + 5;
    people_case c;
    people_truth truth;
    draw(run, &random, seed % 8 == 0 ? 11 : 8, &c);
    find_truth(&c, &truth);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        kan_answer one, several;
        if (!search->cuts)
            continue;
        assert_true(search->counts_people);
        kan_run_set_threads(run, 1);
        search_with(run, &c, search, &one);
        expect_right(&c, &truth, &one);
        assert_true(one.is_optimal || !search->finds_best || !one.is_found);
        kan_run_set_threads(run, 3);
        search_with(run, &c, search, &several);
        expect_same(&one, &several);
        kan_answer_destroy(run, &one);
        kan_answer_destroy(run, &several);
    }
    cut_problem_destroy(&c.problem);
}

static void nobody_beats_the_best_of_all_cuts_and_proofs_are_true(void **state) {
    (void)state;
    n_proven = n_searched = 0;
    random_rounds(1500, one_table);
    print_message("%zu answers, %zu proven\n", n_searched, n_proven);
}

/* ---- proofs --------------------------------------------------------------------------------- */

static kan_status go_on(kan_run *run, const people_case *c, const kan_proof *before,
                        uint64_t seed_cost, kan_answer *out) {
    test_asked asked;
    char text[32];
    ask(c, &asked);
    asked.question.proof = before;
    asked.question.wants_proof = true;
    asked.question.most_work = 1; /* a node at a time */
    add_option(run, &asked, "unseeded", "true");
    if (seed_cost != UINT64_MAX) {
        snprintf(text, sizeof text, "%" PRIu64, seed_cost);
        add_option(run, &asked, "seed-cost", text);
    }
    const kan_status status = kan_search_k_optimize.search(run, &asked.question, out);
    test_asked_destroy(&asked);
    return status;
}

/* No set of cuts that costs less than what was found, or may be asked for, is ruled out. */
static void one_proof(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 104729 + 11;
    people_case c;
    people_truth truth;
    kan_proof proof = {.n_open = 0};
    draw(run, &random, 9, &c);
    find_truth(&c, &truth);
    const bool has_cost = truth.is_found && once_in(&random, 3);
    const uint64_t seed_cost = has_cost ? truth.cost : UINT64_MAX;
    bool is_over = false;
    for (unsigned i = 0; !is_over; i++) {
        kan_answer answer = {.is_found = false};
        const kan_status status = go_on(run, &c, i > 0 ? &proof : NULL, seed_cost, &answer);
        EXPECT_OK(run, status);
        expect_right(&c, &truth, &answer);
        kan_proof_destroy(run, &proof);
        proof = answer.proof;
        answer.proof = (kan_proof){.n_open = 0};
        is_over = proof.n_open == 0;
        assert_true(!is_over || answer.is_optimal == truth.is_found);
        kan_answer_destroy(run, &answer);
    }
    /* it is about these people, and this way to leave */
    if (c.n_people > 1) {
        kan_answer answer = {.is_found = false};
        c.by_person = !c.by_person;
        c.histories = false;
        assert_int_equal(go_on(run, &c, &proof, seed_cost, &answer), KAN_BAD_INPUT);
        kan_answer_destroy(run, &answer);
    }
    kan_proof_destroy(run, &proof);
    cut_problem_destroy(&c.problem);
}

static void a_proof_in_parts_is_a_proof(void **state) {
    (void)state;
    random_rounds(400, one_proof);
}

/* A cost that nothing reaches is told, and not taken for an answer. */
static void one_seed_cost(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 31337 + 1;
    people_case c;
    people_truth truth;
    draw(run, &random, 8, &c);
    find_truth(&c, &truth);
    for (unsigned i = 0; truth.is_found && i < 2; i++) {
        const kan_search_kind *search =
            i == 0 ? &kan_search_k_optimize : &kan_search_k_optimize_paper;
        const uint64_t asked_cost = truth.cost - (truth.cost > 0 && once_in(&random, 2));
        test_asked asked;
        char text[32];
        kan_answer answer = {.is_found = false};
        ask(&c, &asked);
        snprintf(text, sizeof text, "%" PRIu64, asked_cost);
        add_option(run, &asked, "seed-cost", text);
        const kan_status status = search->search(run, &asked.question, &answer);
        if (asked_cost < truth.cost)
            assert_int_equal(status, KAN_UNSATISFIED);
        else
            assert_true(status == KAN_OK && answer.is_optimal && answer.score.whole == truth.cost);
        kan_answer_destroy(run, &answer);
        test_asked_destroy(&asked);
    }
    cut_problem_destroy(&c.problem);
}

static void a_cost_that_is_known_is_found_or_refused(void **state) {
    (void)state;
    random_rounds(400, one_seed_cost);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nobody_beats_the_best_of_all_cuts_and_proofs_are_true,
                                  random_tear_down),
        cmocka_unit_test_teardown(a_proof_in_parts_is_a_proof, random_tear_down),
        cmocka_unit_test_teardown(a_cost_that_is_known_is_found_or_refused, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

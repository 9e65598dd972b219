/* Certificates on random tables: what the exhaustive search finds is certified and verified, what
 * the certificate says is what brute force counts, and whoever changes one fact is found out.
 *
 * Corrupted certificates must be refused whenever the oracle says that the changed claim is false;
 * a change that happens to be true (another witness, a k that changes nothing) must be accepted. */
#include "support/question.h"
#include "support/random_problem.h"

#include <math.h>
#include <string.h>

#include "job/registry/registry.h"
#include "job/verify/certificate_file.h"

enum { MOST_NODES = 400 };

static const random_spec spec = {.least_attributes = 1,
                                 .most_attributes = 5,
                                 .least_rows = 2,
                                 .most_rows = 90,
                                 .most_leaves = 9,
                                 .most_height = 4,
                                 .most_tails = 2,
                                 .most_nodes = MOST_NODES};

typedef struct {
    kan_run *run;
    uint64_t random;
    plain_table plain;
    test_problem made;
    oracle truth;
    test_question question;
    kan_certificate_data data;
    kan_certificate certificate; /* as it was made */
    kan_text text;
} world;

/* ---- making --------------------------------------------------------------------------------- */

static void take_nodes(kan_certificate *out, kan_certificate_nodes *nodes, const uint8_t *levels,
                       size_t n) {
    EXPECT_OK(out->run, kan_certificate_reserve(out, nodes, n));
    if (n)
        memcpy(nodes->levels, levels, n * out->n_attributes);
}

static void claim(world *w, const kan_answer *answer) {
    kan_certificate *out = &w->certificate;
    kan_certificate_init(out, w->run);
    const kan_cost_kind *cost = w->question.cost;
    out->n_attributes = w->data.n_attributes = w->plain.n_attributes;
    out->is_weighted = w->plain.is_weighted && cost->uses_weights;
    w->data.table = w->made.table;
    for (unsigned a = 0; a < out->n_attributes; a++) {
        out->attributes[a].name = w->made.table->columns[a].name;
        out->attributes[a].weight = w->made.problem.weights[a];
        out->attributes[a].lowest = w->made.problem.space.dimensions[a].lowest;
        out->attributes[a].highest = w->made.problem.space.dimensions[a].highest;
        w->data.columns[a] = a;
        w->data.hierarchies[a] = w->made.hierarchies[a];
    }
    if (cost->needs_class) {
        w->data.has_class = true;
        w->data.class_column = w->plain.n_attributes + (unsigned)w->plain.class_tail;
        out->class_name = w->made.table->columns[w->data.class_column].name;
    }
    out->k = w->question.k;
    out->limit = w->question.limit;
    for (unsigned a = 0; a < out->n_attributes; a++)
        out->solution.levels[a] = (uint8_t)answer->recoding.levels[a];
    out->solution.cost = cost->kind.name;
    out->solution.is_optimal = answer->is_optimal;
    out->solution.must_release = w->question.wants_release;
    out->solution.value =
        (kan_certificate_cost){isfinite(answer->score.real) != 0, answer->score.is_whole,
                               (uint64_t)answer->score.whole, answer->score.real};
    take_nodes(out, &out->minimal, answer->minimal, answer->n_minimal);
    take_nodes(out, &out->failing, answer->failing, answer->n_failing);
}

static oracle_node *node_of(const world *w, const uint8_t *levels) {
    for (size_t i = 0; i < w->truth.n_nodes; i++) {
        unsigned a = 0;
        while (a < w->plain.n_attributes && w->truth.nodes[i].levels[a] == levels[a])
            a++;
        if (a == w->plain.n_attributes)
            return &w->truth.nodes[i];
    }
    fail_msg("not a node of the lattice");
    return NULL;
}

/* Now and then levels are ruled out, around a node that satisfies. */
static void bound_levels(world *w) {
    unsigned low[ORACLE_ATTRIBUTES], high[ORACLE_ATTRIBUTES];
    const oracle_node *node =
        oracle_best(&w->truth, "height", w->question.k, w->question.wants_release);
    if (!node || kan_random_below(&w->random, 2))
        return;
    for (unsigned a = 0; a < w->plain.n_attributes; a++) {
        kan_dimension *dimension = &w->made.problem.space.dimensions[a];
        low[a] = (unsigned)between(&w->random, 0, node->levels[a]);
        high[a] = (unsigned)between(&w->random, node->levels[a], dimension->height);
        dimension->lowest = low[a];
        dimension->highest = high[a];
    }
    oracle_bound(&w->truth, low, high);
    oracle_judge(&w->truth, oracle_has_k_rows, &w->question.k, w->question.limit);
}

static void make_world(world *w, kan_run *run, uint64_t seed) {
    test_asked asked;
    kan_answer answer;
    memset(w, 0, sizeof *w);
    w->run = run;
    w->random = seed;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    random_plain(&spec, &w->random, &w->plain);
    test_problem_make(run, &w->plain, &w->made);
    oracle_open(&w->plain, &w->truth);
    const size_t n_rows = w->plain.n_rows;
    w->question.k = 1 + kan_random_below(&w->random, n_rows < 9 ? n_rows : 9);
    w->question.limit = kan_random_below(&w->random, 2)   ? 0
                        : kan_random_below(&w->random, 4) ? kan_random_below(&w->random, n_rows)
                                                          : n_rows;
    w->question.wants_release = kan_random_below(&w->random, 2);
    w->question.cost = (const kan_cost_kind *)kan_registry_at(
        KAN_FAMILY_COST, (size_t)kan_random_below(&w->random, kan_registry_count(KAN_FAMILY_COST)));
    if (w->question.cost->needs_class && w->plain.class_tail == KAN_NO_TAIL)
        w->question.cost = &kan_cost_discernibility;
    oracle_judge(&w->truth, oracle_has_k_rows, &w->question.k, w->question.limit);
    bound_levels(w);
    test_ask(&w->made, &w->question, &asked);
    EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &answer));
    assert_true(answer.is_found);
    claim(w, &answer);
    w->certificate.solution.n_suppressed = node_of(w, w->certificate.solution.levels)->n_suppressed;
    EXPECT_OK(run, kan_certificate_make(&w->certificate, &w->data));
    kan_text_init(&w->text, run);
    EXPECT_OK(run, kan_certificate_print(&w->certificate, &w->text));
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
}

static void destroy_world(world *w) {
    kan_text_destroy(&w->text);
    kan_certificate_destroy(&w->certificate);
    oracle_close(&w->truth);
    test_problem_destroy(&w->made);
    plain_destroy(&w->plain);
}

/* A copy, by way of the file. */
static void copy_certificate(world *w, kan_certificate *out) {
    EXPECT_OK(w->run, kan_certificate_parse(w->run, "copy", w->text.bytes, w->text.size, out));
}

/* Whether the certificate passes all that `verify` asks of it. */
static bool is_accepted(world *w, const kan_certificate *certificate, bool says_why) {
    kan_certificate_report report;
    if (kan_certificate_check_form(certificate, "it") == KAN_BAD_INPUT ||
        kan_certificate_fits(certificate, &w->data, "it", "the table") == KAN_BAD_INPUT) {
        if (says_why)
            print_error("%s\n", kan_run_error(w->run));
        return false;
    }
    EXPECT_OK(w->run, kan_certificate_check(certificate, &w->data, 0, &report));
    bool holds = report.holds;
    assert_int_equal(holds, report.n_faults == 0);
    assert_true(holds || report.faults.size > 0);
    if (holds)
        assert_int_equal(report.n_satisfying, w->truth.n_anonymous);
    if (holds && certificate->solution.is_optimal)
        assert_int_equal(report.optimality, KAN_OPTIMALITY_PROVEN);
    if (!holds && says_why)
        print_error("%s", report.faults.bytes);
    kan_certificate_report_destroy(&report);
    return holds;
}

/* ---- what is said is true ------------------------------------------------------------------- */

/* The row that has a number, from 0, when rows stand in the order of their values. */
static size_t row_by_value(const world *w, size_t number) {
    for (size_t row = 0;; row++) {
        size_t n_before = 0;
        for (size_t other = 0; other < w->plain.n_rows; other++) {
            int order = 0;
            for (unsigned a = 0; order == 0 && a < w->plain.n_attributes; a++) {
                const uint32_t x = kan_column_code(&w->made.table->columns[a], other);
                const uint32_t y = kan_column_code(&w->made.table->columns[a], row);
                order = (x > y) - (x < y);
            }
            n_before += order < 0 || (order == 0 && other < row);
        }
        if (n_before == number)
            return row;
    }
}

/* Rows of the group that a row is in. */
static uint64_t rows_like(const world *w, const uint8_t *levels, size_t row) {
    uint64_t n = 0;
    for (size_t other = 0; other < w->plain.n_rows; other++) {
        bool is_alike = true;
        for (unsigned a = 0; is_alike && a < w->plain.n_attributes; a++) {
            const plain_attribute *attribute = &w->plain.attributes[a];
            const char *shown[2] = {NULL, NULL};
            for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++) {
                const plain_leaf *line = &attribute->leaves[leaf];
                if (strcmp(line->at[0], plain_cell(&w->plain, row, a)) == 0)
                    shown[0] = line->at[levels[a]];
                if (strcmp(line->at[0], plain_cell(&w->plain, other, a)) == 0)
                    shown[1] = line->at[levels[a]];
            }
            is_alike = strcmp(shown[0], shown[1]) == 0;
        }
        n += is_alike;
    }
    return n;
}

static void expect_facts_of_the_oracle(const world *w) {
    const kan_certificate *certificate = &w->certificate;
    const unsigned n = certificate->n_attributes;
    for (size_t i = 0; i < certificate->minimal.n; i++) {
        const oracle_node *node = node_of(w, certificate->minimal.levels + i * n);
        assert_true(node->is_minimal);
        assert_int_equal(certificate->minimal.facts[i], node->n_suppressed);
    }
    for (size_t i = 0; i < certificate->failing.n; i++) {
        const uint8_t *levels = certificate->failing.levels + i * n;
        const oracle_node *node = node_of(w, levels);
        uint64_t fact = certificate->failing.facts[i];
        assert_false(node->satisfies);
        if (certificate->limit > 0) {
            assert_int_equal(fact, node->n_suppressed);
            continue;
        }
        assert_true(fact >= 1 && fact <= w->plain.n_rows);
        assert_true(rows_like(w, levels, row_by_value(w, (size_t)fact - 1)) < certificate->k);
    }
}

static void certify_one_table(kan_run *run, uint64_t seed) {
    world w;
    kan_certificate copy;
    kan_text again;
    make_world(&w, run, seed);
    expect_facts_of_the_oracle(&w);
    copy_certificate(&w, &copy);
    kan_text_init(&again, run);
    EXPECT_OK(run, kan_certificate_print(&copy, &again));
    assert_int_equal(again.size, w.text.size);
    assert_memory_equal(again.bytes, w.text.bytes, again.size);
    assert_true(is_accepted(&w, &copy, true));
    kan_text_destroy(&again);
    kan_certificate_destroy(&copy);
    destroy_world(&w);
}

static void certificates_of_the_exhaustive_search_verify(void **state) {
    (void)state;
    random_rounds(400, certify_one_table);
}

/* ---- corruptions ---------------------------------------------------------------------------- */

/* Each changes one fact of a fresh copy. True when the changed certificate must be refused; an
 * answer that is not decided is true, and *skip is set. */
typedef bool (*corruption)(world *w, kan_certificate *c, bool *skip);

static kan_certificate_nodes *some_nodes(world *w, kan_certificate *c, bool *skip) {
    bool takes_failing = kan_random_below(&w->random, 2) && c->failing.n > 0;
    kan_certificate_nodes *nodes = takes_failing ? &c->failing : &c->minimal;
    *skip = nodes->n == 0;
    return nodes;
}

static bool move_a_level(world *w, kan_certificate *c, bool *skip) {
    kan_certificate_nodes *nodes = some_nodes(w, c, skip);
    if (*skip)
        return false;
    size_t i = (size_t)kan_random_below(&w->random, nodes->n);
    unsigned a = (unsigned)kan_random_below(&w->random, c->n_attributes);
    uint8_t *level = &nodes->levels[i * c->n_attributes + a];
    *skip = c->attributes[a].height == 0;
    if (*skip)
        return false;
    if (*level == 0 || (*level < c->attributes[a].height && kan_random_below(&w->random, 2)))
        ++*level;
    else
        --*level;
    return true;
}

static bool remove_a_node(world *w, kan_certificate *c, bool *skip) {
    kan_certificate_nodes *nodes = some_nodes(w, c, skip);
    if (*skip)
        return false;
    size_t i = (size_t)kan_random_below(&w->random, nodes->n), n = c->n_attributes;
    memmove(nodes->levels + i * n, nodes->levels + (i + 1) * n, (nodes->n - i - 1) * n);
    memmove(nodes->facts + i, nodes->facts + i + 1, (nodes->n - i - 1) * sizeof *nodes->facts);
    nodes->n--;
    return true;
}

/* Says of a node that follows from another one that it stands for itself. */
static bool add_a_node(world *w, kan_certificate *c, bool *skip) {
    bool is_failing = kan_random_below(&w->random, 2);
    kan_certificate_nodes *nodes = is_failing ? &c->failing : &c->minimal, grown = {0};
    const oracle_node *chosen = NULL;
    const size_t n = c->n_attributes;
    size_t at = 0;
    for (size_t i = 0; i < w->truth.n_nodes; i++)
        if (w->truth.nodes[i].satisfies != is_failing &&
            (!chosen || kan_random_below(&w->random, 4) == 0))
            chosen = &w->truth.nodes[i];
    *skip = !chosen;
    if (!chosen)
        return false;
    uint8_t levels[KAN_CERTIFICATE_ATTRIBUTES];
    for (unsigned a = 0; a < n; a++)
        levels[a] = (uint8_t)chosen->levels[a];
    while (at < nodes->n && memcmp(nodes->levels + at * n, levels, n) < 0)
        at++;
    EXPECT_OK(w->run, kan_certificate_reserve(c, &grown, nodes->n + 1));
    memcpy(grown.levels, nodes->levels, at * n);
    memcpy(grown.levels + at * n, levels, n);
    memcpy(grown.levels + (at + 1) * n, nodes->levels + at * n, (nodes->n - at) * n);
    memcpy(grown.facts, nodes->facts, at * sizeof *grown.facts);
    memcpy(grown.facts + at + 1, nodes->facts + at, (nodes->n - at) * sizeof *grown.facts);
    grown.facts[at] = chosen->n_suppressed;
    if (is_failing && c->limit == 0)
        for (size_t row = 0;
             row < w->plain.n_rows && rows_like(w, levels, row_by_value(w, row)) >= c->k; row++)
            grown.facts[at] = row + 2;
    kan_free(w->run, nodes->levels);
    kan_free(w->run, nodes->facts);
    *nodes = grown;
    return true;
}

static bool change_a_count(world *w, kan_certificate *c, bool *skip) {
    kan_certificate_nodes *nodes = c->limit == 0 ? &c->minimal : some_nodes(w, c, skip);
    *skip = nodes->n == 0;
    if (*skip)
        return false;
    uint64_t *fact = &nodes->facts[kan_random_below(&w->random, nodes->n)];
    *fact = *fact > 0 && kan_random_below(&w->random, 2) ? *fact - 1 : *fact + 1;
    return true;
}

static bool move_a_witness(world *w, kan_certificate *c, bool *skip) {
    *skip = c->limit > 0 || c->failing.n == 0;
    if (*skip)
        return false;
    size_t i = (size_t)kan_random_below(&w->random, c->failing.n);
    uint64_t row = kan_random_below(&w->random, w->plain.n_rows + 2);
    c->failing.facts[i] = row;
    return row == 0 || row > w->plain.n_rows ||
           rows_like(w, c->failing.levels + i * c->n_attributes,
                     row_by_value(w, (size_t)row - 1)) >= c->k;
}

/* Whether everything is true of the promise that the certificate now makes, its optimum aside. The
 * oracle has been judged for it. */
static bool facts_are_true(const world *w, const kan_certificate *c) {
    const size_t n = c->n_attributes;
    bool is_true = c->minimal.n == w->truth.n_minimal;
    for (size_t i = 0; i < c->minimal.n; i++) {
        const oracle_node *node = node_of(w, c->minimal.levels + i * n);
        is_true &= node->is_minimal && node->n_suppressed == c->minimal.facts[i];
    }
    for (size_t i = 0; i < c->failing.n; i++) {
        const uint8_t *levels = c->failing.levels + i * n;
        is_true &=
            c->limit == 0
                ? rows_like(w, levels, row_by_value(w, (size_t)c->failing.facts[i] - 1)) < c->k
                : node_of(w, levels)->n_suppressed == c->failing.facts[i];
    }
    const oracle_node *solution = node_of(w, c->solution.levels);
    double cost = oracle_cost(&w->truth, solution, c->solution.cost, c->k);
    return is_true && solution->n_suppressed == c->solution.n_suppressed &&
           !oracle_is_less(cost, c->solution.value.real) &&
           !oracle_is_less(c->solution.value.real, cost);
}

static bool change_k(world *w, kan_certificate *c, bool *skip) {
    c->k = kan_random_below(&w->random, 2) ? c->k + 1 : c->k - 1;
    if (c->k == 0 || c->k > w->plain.n_rows)
        return true;
    oracle_judge(&w->truth, oracle_has_k_rows, &c->k, c->limit);
    bool is_true = facts_are_true(w, c);
    oracle_judge(&w->truth, oracle_has_k_rows, &w->question.k, w->question.limit);
    *skip = is_true && c->limit > 0; /* another node may be the best */
    return !is_true;
}

/* The right facts about a node that is not the best. */
static bool choose_another_node(world *w, kan_certificate *c, bool *skip) {
    const char *cost = c->solution.cost;
    const oracle_node *best = oracle_best(&w->truth, cost, c->k, c->solution.must_release);
    const oracle_node *node = &w->truth.nodes[kan_random_below(&w->random, w->truth.n_nodes)];
    double here = oracle_cost(&w->truth, node, cost, c->k);
    double least = oracle_cost(&w->truth, best, cost, c->k);
    for (unsigned a = 0; a < c->n_attributes; a++)
        c->solution.levels[a] = (uint8_t)node->levels[a];
    c->solution.n_suppressed = node->n_suppressed;
    c->solution.value = (kan_certificate_cost){isfinite(here) != 0, c->solution.value.is_whole,
                                               isfinite(here) ? (uint64_t)here : 0, here};
    if (node == best)
        return false;
    /* Sums of fractions that nearly agree are not told apart. */
    bool is_exact = !c->is_weighted && strcmp(cost, "ncp") != 0;
    *skip = !is_exact && node->satisfies && here <= least * (1 + 1e-8);
    return true;
}

static bool change_the_cost(world *w, kan_certificate *c, bool *skip) {
    kan_certificate_cost *value = &c->solution.value;
    (void)skip;
    if (!value->is_finite) {
        *value = (kan_certificate_cost){true, true, 5, 5};
        return true;
    }
    bool goes_up = value->real <= 0 || kan_random_below(&w->random, 2);
    if (value->is_whole)
        value->real = (double)(value->whole = goes_up ? value->whole + 1 : value->whole - 1);
    else
        value->real = goes_up ? value->real * 1.001 + 0.001 : value->real * 0.99;
    return true;
}

static bool change_what_is_suppressed(world *w, kan_certificate *c, bool *skip) {
    (void)w;
    (void)skip;
    c->solution.n_suppressed++;
    return true;
}

static bool change_a_checksum(world *w, kan_certificate *c, bool *skip) {
    (void)skip;
    uint64_t bit = UINT64_C(1) << kan_random_below(&w->random, 64);
    size_t word = (size_t)kan_random_below(&w->random, 2);
    unsigned a = (unsigned)kan_random_below(&w->random, c->n_attributes + 1);
    if (a == c->n_attributes)
        c->checksum.words[word] ^= bit;
    else
        c->attributes[a].checksum.words[word] ^= bit;
    return true;
}

static const struct {
    const char *name;
    corruption corrupt;
} corruptions[] = {
    {"a level was moved", move_a_level},
    {"a node was removed", remove_a_node},
    {"a node was added", add_a_node},
    {"a count was changed", change_a_count},
    {"a witness was moved", move_a_witness},
    {"k was changed", change_k},
    {"another node was chosen", choose_another_node},
    {"the cost was changed", change_the_cost},
    {"the suppressed rows were changed", change_what_is_suppressed},
    {"a checksum was changed", change_a_checksum},
};

enum { N_CORRUPTIONS = sizeof corruptions / sizeof *corruptions };

static struct { size_t n_refused, n_accepted, n_skipped; } seen[N_CORRUPTIONS];

static void corrupt_one_certificate(kan_run *run, uint64_t seed) {
    world w;
    make_world(&w, run, seed);
    for (size_t i = 0; i < 3 * (size_t)N_CORRUPTIONS; i++) {
        size_t kind = i % N_CORRUPTIONS;
        kan_certificate copy;
        bool skip = false;
        copy_certificate(&w, &copy);
        bool is_false = corruptions[kind].corrupt(&w, &copy, &skip);
        if (!skip && is_accepted(&w, &copy, !is_false) == is_false)
            fail_msg("%s: the certificate was %s", corruptions[kind].name,
                     is_false ? "accepted" : "refused");
        seen[kind].n_skipped += skip;
        seen[kind].n_refused += !skip && is_false;
        seen[kind].n_accepted += !skip && !is_false;
        kan_certificate_destroy(&copy);
    }
    destroy_world(&w);
}

static void whoever_changes_one_fact_is_found_out(void **state) {
    (void)state;
    memset(seen, 0, sizeof seen);
    random_rounds(120, corrupt_one_certificate);
    for (size_t i = 0; i < N_CORRUPTIONS; i++)
        print_message("%s: %zu refused, %zu true all the same, %zu not tried\n",
                      corruptions[i].name, seen[i].n_refused, seen[i].n_accepted,
                      seen[i].n_skipped);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(certificates_of_the_exhaustive_search_verify, random_tear_down),
        cmocka_unit_test_teardown(whoever_changes_one_fact_is_found_out, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

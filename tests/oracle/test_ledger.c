/* Releases of the same people one after the other, with a ledger, against brute force over small tables: people
 * join, leave and change; k alone and with models of sensitive values, with a limit and without, by several
 * costs. The brute force knows nothing of ledgers: it keeps what each release showed of each person, and puts
 * people together who were shown alike in all of them. It looks at every node. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/registry/registry.h"
#include "ledger/ledger.h"
#include "oracle/people.h"
#include "search/search.h"

enum { UNIVERSE = PEOPLE_ROWS, RELEASES = 4, SHOWN = 24 };

/* What the releases so far showed of each person; "" of those who were not in one. */
typedef struct {
    unsigned n;
    char shown[RELEASES][UNIVERSE][SHOWN];
} past_of;

/* The rows of one quarter: those of `q`, whose person each is; the universe counts from 0. */
typedef struct {
    people_question q;
    past_of past;
    bool repairs;            /* others leave, until k of each past are out */
    unsigned rank[UNIVERSE]; /* of people, by their keyed hashes */
} quarter;

static bool have_one_past(const quarter *t, unsigned a, unsigned b) {
    for (unsigned r = 0; r < t->past.n; r++)
        if (strcmp(t->past.shown[r][a], t->past.shown[r][b]) != 0)
            return false;
    return true;
}

/* The part of a group that a row is in, each row as a person. */
static people_group find_part(const quarter *t, const unsigned *levels, unsigned row) {
    const people_question *q = &t->q;
    people_group part = {.n_rows = 0};
    for (unsigned j = 0; j < q->n_rows; j++) {
        if (!people_show_alike(q, levels, &q->rows[row], &q->rows[j]) ||
            !have_one_past(t, q->rows[row].person, q->rows[j].person))
            continue;
        part.n_rows++;
        part.people |= 1u << j;
        part.have[q->rows[j].value] |= 1u << j;
    }
    return part;
}

/* ---- a node --------------------------------------------------------------------------------- */

typedef struct {
    bool is_in[PEOPLE_ROWS];
    unsigned n_suppressed, n_groups, smallest_part;
    double cost;
    unsigned height;
} node_of;

static bool was_in_one(const past_of *past, unsigned person) {
    for (unsigned r = 0; r < past->n; r++)
        if (past->shown[r][person][0])
            return true;
    return false;
}

/* The part of somebody who stays, of those who do. */
static people_group find_stayers(const quarter *t, const unsigned *levels, const bool *is_in,
                                 unsigned row) {
    people_group part = {.n_rows = 0};
    for (unsigned j = 0; j < t->q.n_rows; j++) {
        if (!is_in[j] || !people_show_alike(&t->q, levels, &t->q.rows[row], &t->q.rows[j]) ||
            !have_one_past(t, t->q.rows[row].person, t->q.rows[j].person))
            continue;
        part.n_rows++;
        part.people |= 1u << j;
        part.have[t->q.rows[j].value] |= 1u << j;
    }
    return part;
}

/* Whether all of one past who stay, by the person of one of them, are in parts that keep the promise. */
static bool are_good(const quarter *t, const unsigned *levels, const bool *is_in, unsigned person) {
    for (unsigned i = 0; i < t->q.n_rows; i++) {
        const people_group part = find_stayers(t, levels, is_in, i);
        if (is_in[i] && have_one_past(t, person, t->q.rows[i].person) && !people_pass(&t->q, &part))
            return false;
    }
    return true;
}

/* The row by which the largest part of a past is known, or the smallest: that of its person of the least rank. Of parts of
 * one size the one with the least rank; UNIVERSE: nobody stays. */
static unsigned find_extreme(const quarter *t, const unsigned *levels, const bool *is_in,
                             unsigned person, bool largest) {
    unsigned found = UNIVERSE, n_found = 0;
    for (unsigned i = 0; i < t->q.n_rows; i++) {
        if (!is_in[i] || !have_one_past(t, person, t->q.rows[i].person))
            continue;
        const unsigned n = find_stayers(t, levels, is_in, i).n_rows;
        const bool is_more = largest ? n > n_found : n < n_found;
        if (found == UNIVERSE || is_more ||
            (n == n_found && t->rank[t->q.rows[i].person] < t->rank[t->q.rows[found].person])) {
            found = i;
            n_found = n;
        }
    }
    return found;
}

static void leave_last(const quarter *t, const unsigned *levels, bool *is_in, unsigned row) {
    unsigned last = row;
    for (unsigned j = 0; j < t->q.n_rows; j++)
        if ((find_stayers(t, levels, is_in, row).people >> j & 1) != 0 &&
            t->rank[t->q.rows[j].person] > t->rank[t->q.rows[last].person])
            last = j;
    is_in[last] = false;
}

static void repair_past(const quarter *t, const unsigned *levels, bool *is_in, unsigned person,
                        unsigned n_needed) {
    const unsigned k = t->q.k;
    unsigned in_passing = 0;
    for (unsigned i = 0; i < t->q.n_rows; i++) {
        const unsigned first = is_in[i] && have_one_past(t, person, t->q.rows[i].person)
                                   ? find_stayers(t, levels, is_in, i).people
                                   : 0;
        if (first != 0 && (first & ((1u << i) - 1)) == 0)
            in_passing += people_count(first) - k;
    }
    if (in_passing >= n_needed) {
        bool thinned[PEOPLE_ROWS];
        memcpy(thinned, is_in, sizeof thinned);
        for (unsigned n = 0; n < n_needed; n++)
            leave_last(t, levels, thinned, find_extreme(t, levels, thinned, person, true));
        if (are_good(t, levels, thinned, person)) {
            memcpy(is_in, thinned, sizeof thinned);
            return;
        }
    }
    const unsigned row = find_extreme(t, levels, is_in, person, false);
    const unsigned gone = row < UNIVERSE ? find_stayers(t, levels, is_in, row).people : 0;
    for (unsigned j = 0; j < t->q.n_rows; j++)
        is_in[j] &= !(gone >> j & 1);
}

/* Of whom fewer than k are out, but somebody is: others leave. */
static void repair_node(const quarter *t, const unsigned *levels, bool *is_in) {
    for (unsigned p = 0; p < UNIVERSE; p++) {
        unsigned n = 0, n_in = 0;
        bool is_first = was_in_one(&t->past, p);
        for (unsigned other = 0; other < UNIVERSE; other++) {
            n += have_one_past(t, p, other);
            is_first &= other >= p || !have_one_past(t, p, other);
        }
        for (unsigned i = 0; i < t->q.n_rows; i++)
            n_in += is_in[i] && have_one_past(t, p, t->q.rows[i].person);
        if (is_first && n >= t->q.k && n_in < n && n - n_in < t->q.k)
            repair_past(t, levels, is_in, p, t->q.k - (n - n_in));
    }
}

static void measure_node(const quarter *t, const unsigned *levels, node_of *out) {
    const people_question *q = &t->q;
    double discernibility = 0, minority = 0;
    *out = (node_of){.n_groups = 0};
    for (unsigned i = 0; i < q->n_rows; i++) {
        const people_group part = find_part(t, levels, i);
        out->is_in[i] = people_pass(q, &part);
    }
    if (t->repairs)
        repair_node(t, levels, out->is_in);
    for (unsigned i = 0; i < q->n_rows; i++) {
        const unsigned n = find_stayers(t, levels, out->is_in, i).n_rows;
        out->n_suppressed += !out->is_in[i];
        if (out->is_in[i] && (out->smallest_part == 0 || n < out->smallest_part))
            out->smallest_part = n;
    }
    for (unsigned i = 0; i < q->n_rows; i++) {
        bool is_first = out->is_in[i];
        unsigned n = 0, of_class[2] = {0, 0};
        for (unsigned j = 0; j < q->n_rows; j++) {
            if (!out->is_in[j] || !people_show_alike(q, levels, &q->rows[i], &q->rows[j]))
                continue;
            is_first &= j >= i;
            n++;
            of_class[q->rows[j].class]++;
        }
        if (!is_first)
            continue;
        out->n_groups++;
        discernibility += (double)n * n;
        minority += of_class[0] < of_class[1] ? of_class[0] : of_class[1];
    }
    for (unsigned a = 0; a < q->n_quasi; a++)
        out->height += levels[a];
    const unsigned n_classes = out->n_groups + (out->n_suppressed > 0);
    const double moved =
        (double)(q->n_rows - out->n_suppressed) * out->height / (PEOPLE_LEVELS - 1) / q->n_quasi;
    out->cost = strcmp(q->cost, "height") == 0 ? out->height
                : strcmp(q->cost, "precision") == 0 || strcmp(q->cost, "distortion") == 0
                    ? (moved + out->n_suppressed) / q->n_rows
                : strcmp(q->cost, "discernibility") == 0
                    ? discernibility + (double)out->n_suppressed * q->n_rows
                : strcmp(q->cost, "average-class") == 0 ? (double)q->n_rows / n_classes / q->k
                                                        : minority + out->n_suppressed;
}

typedef struct {
    unsigned n_satisfying, best[PEOPLE_QUASI];
    bool is_found;    /* `best`, which releases a row */
    bool is_monotone; /* no satisfying node has a failing one above it */
    bool has_left;    /* somebody who stays at a node leaves at one above it */
    bool has_risen;   /* more leave at a node than at one below it */
    double cost;
} truth_of;

static bool next_levels(const people_question *q, unsigned *levels) {
    for (unsigned i = q->n_quasi; i-- > 0;) {
        if (++levels[i] < PEOPLE_LEVELS)
            return true;
        levels[i] = 0;
    }
    return false;
}

static void look_above(const quarter *t, unsigned *levels, const node_of *node, truth_of *out) {
    for (unsigned i = 0; i < t->q.n_quasi; i++) {
        node_of above;
        if (++levels[i] < PEOPLE_LEVELS) {
            measure_node(t, levels, &above);
            out->is_monotone &= node->n_suppressed > t->q.limit || above.n_suppressed <= t->q.limit;
            out->has_risen |= above.n_suppressed > node->n_suppressed;
            for (unsigned row = 0; row < t->q.n_rows; row++)
                out->has_left |= node->is_in[row] && !above.is_in[row];
        }
        levels[i]--;
    }
}

static void find_truth(const quarter *t, truth_of *out) {
    const people_question *q = &t->q;
    unsigned levels[PEOPLE_QUASI] = {0}, height = 0;
    *out = (truth_of){.is_monotone = true};
    do {
        node_of node;
        measure_node(t, levels, &node);
        const bool satisfies = node.n_suppressed <= q->limit;
        out->n_satisfying += satisfies;
        if (satisfies && node.n_groups > 0 &&
            (!out->is_found || node.cost < out->cost - 1e-9 ||
             (node.cost < out->cost + 1e-9 && node.height < height))) {
            out->is_found = true;
            out->cost = node.cost;
            height = node.height;
            memcpy(out->best, levels, sizeof levels);
        }
        look_above(t, levels, &node, out);
    } while (next_levels(q, levels));
}

/* ---- the program ---------------------------------------------------------------------------- */

static struct {
    size_t n_questions, n_later, n_found, n_others, n_refused, n_releases, n_holes, n_short,
        n_stranded, n_repaired, n_left_above;
} seen;

static void set_number(kan_run *run, kan_job *job, const char *name, const char *format,
                       unsigned number) {
    char text[32];
    (void)snprintf(text, sizeof text, format, number);
    EXPECT_OK(run, kan_job_set(job, name, text));
}

static kan_job *make_job(kan_run *run, const quarter *t, kan_table *table) {
    const people_question *q = &t->q;
    static const char *const quasi[] = {"a=digits:2", "b=digits:2", "c=digits:2"};
    kan_job *job;
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    for (unsigned i = 0; i < q->n_quasi; i++)
        EXPECT_OK(run, kan_job_set(job, "qi", quasi[i]));
    EXPECT_OK(run, kan_job_set(job, "sensitive", "dx"));
    EXPECT_OK(run, kan_job_set(job, "keep", "row"));
    EXPECT_OK(run, kan_job_set(job, "class", "class"));
    EXPECT_OK(run, kan_job_set(job, "id", "who"));
    EXPECT_OK(run, kan_job_set(job, "ledger", "the.ledger"));
    EXPECT_OK(run, kan_job_set(job, "key", "the.key"));
    EXPECT_OK(run, kan_job_set(job, "cost", q->cost));
    if (t->repairs)
        EXPECT_OK(run, kan_job_set(job, "leavers", "repair"));
    set_number(run, job, "k", "%u", q->k);
    set_number(run, job, "suppress", "%u", q->limit);
    if (q->alpha)
        set_number(run, job, "alpha", q->alpha == 10 ? "1" : "0.%u", q->alpha);
    if (q->t)
        set_number(run, job, "t", "0.%u", q->t);
    if (q->beta) {
        set_number(run, job, "beta", "0.%u", q->beta);
        EXPECT_OK(run, kan_job_set(job, "beta-kind", "basic"));
    }
    if (q->delta)
        set_number(run, job, "delta-disclosure", "%u", q->delta);
    if (q->l) {
        set_number(run, job, "l", "%u", q->l);
        EXPECT_OK(run, kan_job_set(job, "l-kind",
                                   q->l_kind == 'd'   ? "distinct"
                                   : q->l_kind == 'e' ? "entropy"
                                                      : "recursive"));
        if (q->l_kind == 'r')
            EXPECT_OK(run, kan_job_set(job, "c", "2"));
    }
    return job;
}

static void read_levels(const json_t *json, const people_question *q, unsigned *levels) {
    const json_t *array = json_object_get(json_object_get(json, "solution"), "levels");
    for (unsigned i = 0; i < q->n_quasi; i++)
        levels[i] = (unsigned)json_integer_value(json_array_get(array, i));
}

/* Of k or more who shared all earlier releases, the 1 to k - 1 who are not in this one; and who shared them with
 * fewer than k. */
static void count_leavers(const quarter *t, const node_of *node, unsigned *n_cells,
                          unsigned *n_leavers, unsigned *n_stranded) {
    bool is_out[UNIVERSE];
    memset(is_out, 1, sizeof is_out);
    *n_cells = *n_leavers = *n_stranded = 0;
    for (unsigned i = 0; i < t->q.n_rows; i++)
        is_out[t->q.rows[i].person] &= !node->is_in[i];
    for (unsigned p = 0; p < UNIVERSE; p++) {
        unsigned n = 0, n_out = 0;
        bool is_first = true;
        for (unsigned other = 0; other < UNIVERSE; other++) {
            const bool is_one = have_one_past(t, p, other);
            n += is_one;
            n_out += is_one && is_out[other];
            is_first &= !is_one || other >= p;
        }
        if (!is_first || !was_in_one(&t->past, p))
            continue;
        *n_cells += n >= t->q.k && n_out > 0 && n_out < t->q.k;
        *n_leavers += n >= t->q.k && n_out > 0 && n_out < t->q.k ? n_out : 0;
        *n_stranded += n < t->q.k ? n : 0;
    }
}

static void expect_ledger(const json_t *json, const quarter *t, const node_of *node) {
    const json_t *ledger = json_object_get(json, "ledger");
    unsigned n_cells, n_leavers, n_stranded;
    count_leavers(t, node, &n_cells, &n_leavers, &n_stranded);
    assert_int_equal(json_integer_value(json_object_get(ledger, "earlier")), t->past.n);
    assert_int_equal(json_integer_value(json_object_get(ledger, "cells")), n_cells);
    assert_int_equal(json_integer_value(json_object_get(ledger, "leavers")), n_leavers);
    assert_int_equal(json_integer_value(json_object_get(ledger, "stranded")), n_stranded);
    if (t->past.n > 0)
        assert_int_equal(json_integer_value(json_object_get(ledger, "smallest")),
                         node->smallest_part);
    assert_true(!t->repairs || n_leavers == 0);
    seen.n_repaired += json_integer_value(json_object_get(ledger, "repaired")) > 0;
    seen.n_short += n_leavers > 0;
    seen.n_stranded += n_stranded > 0;
}

/* Whether searches may prune. */
static bool is_pruned(const quarter *t) {
    return (people_absorb(&t->q) || t->q.limit == 0) && !(t->repairs && t->past.n > 0);
}

static void expect_search(kan_run *run, kan_job *job, const quarter *t, const truth_of *truth,
                          const kan_search_kind *search) {
    const people_question *q = &t->q;
    const bool is_monotone = is_pruned(t);
    kan_result *result;
    unsigned levels[PEOPLE_QUASI];
    node_of node;
    const bool has_levels = !search->cuts && !search->regions;
    if (t->past.n == 0 && !has_levels)
        return;
    EXPECT_OK(run, kan_job_set(job, "algorithm", search->kind.name));
    const kan_status status = kan_job_run(job, "search", &result);
    if (!has_levels && search->counts_pasts) { /* oracle.over_time_searches counts what they make */
        assert_true(status == KAN_OK || status == KAN_UNSATISFIED || status == KAN_BAD_INPUT);
        if (status == KAN_OK)
            kan_result_destroy(result);
        seen.n_others += status == KAN_OK;
        return;
    }
    if (!has_levels || (search->needs_monotone && !is_monotone)) {
        /* before it asks for the search, it may know that nothing can be released */
        assert_true(status == KAN_BAD_INPUT || (status == KAN_UNSATISFIED && !truth->is_found));
        seen.n_refused++;
        return;
    }
    if (status == KAN_UNSATISFIED) {
        assert_true(!truth->is_found || (!search->finds_all && !is_monotone));
        return;
    }
    EXPECT_OK(run, status);
    json_t *json = people_read_result(result);
    read_levels(json, q, levels);
    measure_node(t, levels, &node);
    assert_true(node.n_suppressed <= q->limit);
    const json_t *suppression = json_object_get(json, "suppression");
    assert_int_equal(json_integer_value(json_object_get(suppression, "rows")), node.n_suppressed);
    assert_true(fabs(json_number_value(json_object_get(json_object_get(json, "metrics"), q->cost)) -
                     node.cost) < 1e-6);
    if (search->finds_all)
        assert_int_equal(
            json_integer_value(json_object_get(json_object_get(json, "lattice"), "anonymous")),
            truth->n_satisfying);
    if (search->finds_best)
        assert_memory_equal(levels, truth->best, q->n_quasi * sizeof *levels);
    assert_true(json_is_true(json_object_get(json, "verified")));
    expect_ledger(json, t, &node);
    json_decref(json);
    kan_result_destroy(result);
    seen.n_found++;
}

/* Takes what the release shows, row by row, and remembers it. Returns whether there is one. */
static bool expect_release(kan_run *run, kan_job *job, quarter *t, const truth_of *truth) {
    const people_question *q = &t->q;
    kan_result *result;
    unsigned levels[PEOPLE_QUASI];
    node_of node;
    bool is_in[PEOPLE_ROWS] = {false};
    EXPECT_OK(run, kan_job_set(job, "algorithm", "auto"));
    const kan_status status = kan_job_run(job, "anonymize", &result);
    assert_int_equal(status != KAN_UNSATISFIED, truth->is_found);
    if (status == KAN_UNSATISFIED)
        return false;
    EXPECT_OK(run, status);
    json_t *json = people_read_result(result);
    read_levels(json, q, levels);
    assert_memory_equal(levels, truth->best, q->n_quasi * sizeof *levels);
    measure_node(t, levels, &node);
    expect_ledger(json, t, &node);
    const kan_table *table = kan_result_table(result);
    past_of next = t->past;
    for (unsigned p = 0; p < UNIVERSE; p++)
        next.shown[next.n][p][0] = '\0';
    for (uint64_t row = 0; row < kan_table_n_rows(table); row++) {
        size_t size;
        char number[8] = "";
        const char *text = kan_table_value(table, row, 0, &size);
        memcpy(number, text, size);
        const unsigned original = (unsigned)atoi(number);
        char *shown = next.shown[next.n][q->rows[original].person];
        is_in[original] = true;
        for (unsigned a = 0; a < q->n_quasi; a++) {
            const char *value = kan_table_value(table, row, 3 + a, &size);
            (void)snprintf(shown + strlen(shown), SHOWN - strlen(shown), "%.*s/", (int)size, value);
        }
    }
    for (size_t c = 0; c < kan_table_n_columns(table); c++)
        assert_string_not_equal(kan_table_column_name(table, c), "who");
    assert_memory_equal(is_in, node.is_in, sizeof is_in);
    t->past = next;
    t->past.n++;
    json_decref(json);
    kan_result_destroy(result);
    seen.n_releases++;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Some of the universe, and what a row of each says now. */
static void random_quarter(uint64_t *random, const people_question *first, quarter *t) {
    people_question *q = &t->q;
    const unsigned share = 3 + (unsigned)kan_random_below(random, 6);
    people_row rows[PEOPLE_ROWS];
    *q = *first;
    memcpy(rows, first->rows, sizeof rows);
    q->n_rows = 0;
    for (unsigned p = 0; p < UNIVERSE; p++) {
        if (kan_random_below(random, 8) >= share && q->n_rows + UNIVERSE - p > 2)
            continue;
        people_row *row = &q->rows[q->n_rows++];
        *row = rows[p];
        row->person = p;
        if (kan_random_below(random, 5) == 0) /* it has changed */
            row->cells[kan_random_below(random, q->n_quasi)][kan_random_below(random, 2)] =
                rows[kan_random_below(random, UNIVERSE)].cells[0][0];
        row->value = kan_random_below(random, 4) == 0
                         ? (unsigned)kan_random_below(random, PEOPLE_VALUES)
                         : row->value;
    }
    q->n_people = UNIVERSE;
    if (q->limit > 0)
        q->limit = (unsigned)kan_random_below(random, q->n_rows + 1);
}

/* A table without promises of people. */
static void random_universe(uint64_t *random, people_question *q) {
    static const char *const costs[] = {"height",         "precision",     "discernibility",
                                        "classification", "average-class", "distortion"};
    do
        people_random_question(random, q);
    while (q->n_rows < 2);
    const unsigned width = 1 + (unsigned)kan_random_below(random, 2);
    for (unsigned p = q->n_rows; p < UNIVERSE; p++) {
        q->rows[p] = q->rows[kan_random_below(random, q->n_rows)];
        q->rows[p].value = (unsigned)kan_random_below(random, PEOPLE_VALUES);
        q->rows[p].class = (unsigned)kan_random_below(random, 2);
    }
    q->cost = costs[kan_random_below(random, sizeof costs / sizeof *costs)];
    q->k = 1 + (unsigned)kan_random_below(random, 1 + width);
    q->by_person = q->histories = q->of_people = false;
    q->has_class = true;
}

/* The ledger of other people is refused. */
static bool knows_nobody(const quarter *t) {
    bool knows = t->past.n == 0;
    for (unsigned i = 0; i < t->q.n_rows; i++)
        knows |= was_in_one(&t->past, t->q.rows[i].person);
    return !knows;
}

/* The order of people by what the ledger has of them. */
static void find_ranks(kan_run *run, quarter *t) {
    kan_ledger *ledger;
    char names[UNIVERSE][8];
    kan_slice ids[UNIVERSE];
    kan_ledger_mark marks[UNIVERSE];
    if (t->past.n == 0)
        return;
    EXPECT_OK(run, kan_ledger_open(run, "the.ledger", "the.key", KAN_LEDGER_READ, &ledger));
    for (unsigned p = 0; p < UNIVERSE; p++) {
        (void)snprintf(names[p], sizeof names[p], "p%u", p);
        ids[p] = kan_slice_of(names[p]);
    }
    EXPECT_OK(run, kan_ledger_make_marks(ledger, ids, UNIVERSE, marks));
    kan_ledger_close(ledger);
    for (unsigned p = 0; p < UNIVERSE; p++) {
        t->rank[p] = 0;
        for (unsigned other = 0; other < UNIVERSE; other++)
            t->rank[p] += memcmp(marks[other].bytes, marks[p].bytes, sizeof marks[p].bytes) < 0;
    }
}

static void one_sequence(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7129 + 11;
    people_question first;
    static quarter t;
    (void)unlink("the.ledger");
    random_universe(&random, &first);
    t.past.n = 0;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 2));
    const unsigned n = 2 + (unsigned)kan_random_below(&random, RELEASES - 1);
    for (unsigned r = 0; r < n; r++) {
        truth_of truth;
        random_quarter(&random, &first, &t);
        if (knows_nobody(&t))
            continue;
        t.repairs = kan_random_below(&random, 3) == 0;
        find_ranks(run, &t);
        find_truth(&t, &truth);
        assert_true(truth.is_monotone || !is_pruned(&t));
        assert_false(people_absorb(&t.q) && truth.has_left && is_pruned(&t));
        /* where k alone is promised, the fewest who leave are never more above */
        assert_false(truth.has_risen && people_absorb(&t.q) && !t.q.l);
        seen.n_left_above += people_absorb(&t.q) && truth.has_left;
        seen.n_questions++;
        seen.n_later += t.past.n > 0;
        seen.n_holes += !truth.is_monotone;
        kan_table *table = people_make_table(run, &t.q);
        kan_job *job = make_job(run, &t, table);
        for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++)
            if (seed % 4 == 0 || kan_random_below(&random, 3) == 0)
                expect_search(run, job, &t, &truth,
                              (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i));
        (void)expect_release(run, job, &t, &truth);
        kan_job_destroy(job);
        kan_table_destroy(table);
    }
}

static void releases_are_what_brute_force_makes(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(300, one_sequence);
    print_message(
        "%zu questions, %zu of them later ones, %zu answers, %zu refused, %zu with holes, "
        "%zu releases, %zu with leavers, %zu with stranded people, %zu repaired; "
        "%zu in which somebody stays who leaves above\n",
        seen.n_questions, seen.n_later, seen.n_found, seen.n_refused, seen.n_holes, seen.n_releases,
        seen.n_short, seen.n_stranded, seen.n_repaired, seen.n_left_above);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(seen.n_later > 200 && seen.n_found > 500 && seen.n_refused > 500 &&
                seen.n_others > 100);
    assert_true(seen.n_releases > 200 && seen.n_holes > 0 && seen.n_short > 20 &&
                seen.n_stranded > 0 && seen.n_repaired > 10 && seen.n_left_above > 0);
}

/* ---- costs that bounds prune by ------------------------------------------------------------- */

/* What bounds leave out must not be better: bisect against exhaustive, by every cost. */
static void bounds_on_one_sequence(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 5077 + 7;
    people_question first;
    static quarter t;
    (void)unlink("the.ledger");
    random_universe(&random, &first);
    t.repairs = false;
    first.alpha = first.t = first.beta = first.delta = 0;
    first.l = first.l_kind == 'd' ? first.l : 0;
    t.past.n = 0;
    for (unsigned r = 0; r < 2; r++) {
        truth_of truth;
        random_quarter(&random, &first, &t);
        if (knows_nobody(&t))
            continue;
        find_truth(&t, &truth);
        kan_table *table = people_make_table(run, &t.q);
        kan_job *job = make_job(run, &t, table);
        for (size_t i = 0; r > 0 && i < kan_registry_count(KAN_FAMILY_COST); i++) {
            char *answers[2] = {NULL, NULL};
            EXPECT_OK(run, kan_job_set(job, "cost", kan_registry_at(KAN_FAMILY_COST, i)->name));
            for (unsigned s = 0; s < 2; s++) {
                kan_result *result;
                EXPECT_OK(run, kan_job_set(job, "algorithm", s ? "bisect" : "exhaustive"));
                const kan_status status = kan_job_run(job, "search", &result);
                if (status == KAN_UNSATISFIED)
                    continue;
                EXPECT_OK(run, status);
                json_t *json = people_read_result(result);
                answers[s] = json_dumps(json_object_get(json, "solution"), 0);
                json_decref(json);
                kan_result_destroy(result);
            }
            assert_int_equal(!answers[0], !answers[1]);
            if (answers[0])
                assert_string_equal(answers[0], answers[1]);
            free(answers[0]);
            free(answers[1]);
        }
        if (r == 0 && !expect_release(run, job, &t, &truth))
            r = 1;
        kan_job_destroy(job);
        kan_table_destroy(table);
    }
}

static void bounds_leave_nothing_better_out(void **state) {
    (void)state;
    random_rounds(150, bounds_on_one_sequence);
}

/* ---- where all of it happens ---------------------------------------------------------------- */

static char home[] = "/tmp/kanon-over-time-XXXXXX";

static int begin(void **state) {
    (void)state;
    if (!mkdtemp(home) || chdir(home) != 0)
        return -1;
    FILE *key = fopen("the.key", "w");
    if (!key || fputs("a secret that only tests have\n", key) == EOF || fclose(key) != 0)
        return -1;
    return chmod("the.key", S_IRUSR | S_IWUSR);
}

static int end(void **state) {
    (void)state;
    (void)unlink("the.ledger");
    (void)unlink("the.key");
    return chdir("/") == 0 && rmdir(home) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(releases_are_what_brute_force_makes, random_tear_down),
        cmocka_unit_test_teardown(bounds_leave_nothing_better_out, random_tear_down),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

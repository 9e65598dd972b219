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

static void measure_node(const quarter *t, const unsigned *levels, node_of *out) {
    const people_question *q = &t->q;
    double discernibility = 0, minority = 0;
    *out = (node_of){.n_groups = 0};
    for (unsigned i = 0; i < q->n_rows; i++) {
        const people_group part = find_part(t, levels, i);
        out->is_in[i] = people_pass(q, &part);
        out->n_suppressed += !out->is_in[i];
        if (out->is_in[i] && (out->smallest_part == 0 || part.n_rows < out->smallest_part))
            out->smallest_part = part.n_rows;
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
        n_stranded;
} seen;

static void set_number(kan_run *run, kan_job *job, const char *name, const char *format,
                       unsigned number) {
    char text[32];
    (void)snprintf(text, sizeof text, format, number);
    EXPECT_OK(run, kan_job_set(job, name, text));
}

static kan_job *make_job(kan_run *run, const people_question *q, kan_table *table) {
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

static bool was_in_one(const past_of *past, unsigned person) {
    for (unsigned r = 0; r < past->n; r++)
        if (past->shown[r][person][0])
            return true;
    return false;
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
    seen.n_short += n_leavers > 0;
    seen.n_stranded += n_stranded > 0;
}

static void expect_search(kan_run *run, kan_job *job, const quarter *t, const truth_of *truth,
                          const kan_search_kind *search) {
    const people_question *q = &t->q;
    const bool is_monotone = people_absorb(q) || q->limit == 0;
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
        find_truth(&t, &truth);
        const bool is_monotone = people_absorb(&t.q) || t.q.limit == 0;
        assert_true(truth.is_monotone || !is_monotone);
        assert_false(people_absorb(&t.q) && truth.has_left);
        seen.n_questions++;
        seen.n_later += t.past.n > 0;
        seen.n_holes += !truth.is_monotone;
        kan_table *table = people_make_table(run, &t.q);
        kan_job *job = make_job(run, &t.q, table);
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
        "%zu releases, %zu with leavers, %zu with stranded people\n",
        seen.n_questions, seen.n_later, seen.n_found, seen.n_refused, seen.n_holes, seen.n_releases,
        seen.n_short, seen.n_stranded);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(seen.n_later > 200 && seen.n_found > 500 && seen.n_refused > 500 &&
                seen.n_others > 100);
    assert_true(seen.n_releases > 200 && seen.n_holes > 0 && seen.n_short > 20 &&
                seen.n_stranded > 0);
}

/* ---- costs that bounds prune by ------------------------------------------------------------- */

/* What bounds leave out must not be better: bisect against exhaustive, by every cost. */
static void bounds_on_one_sequence(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 5077 + 7;
    people_question first;
    static quarter t;
    (void)unlink("the.ledger");
    random_universe(&random, &first);
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
        kan_job *job = make_job(run, &t.q, table);
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

/* Certificates where people are counted, on random tables with several rows per person: what a
 * search proves is verified, by person, by row and of histories; node by node the certificate says
 * what brute force says; and a fact that is changed, or a solution that is not the best, is found
 * out. Brute force works on the rows of the table as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <kanon.h>

#include "core/hash.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 36, MOST_PEOPLE = 14, N_FIRST = 4, N_SECOND = 3, N_NODES = N_FIRST * N_SECOND };

typedef enum { BY_PERSON, BY_ROW, HISTORIES } what_counts;

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows, k;
    unsigned person[MOST_ROWS], first[MOST_ROWS], second[MOST_ROWS];
    what_counts counts;
    const char *cost;
    char limit[8], dir[48], input[80], certificate[80];
    size_t n_left[N_NODES]; /* by node: people or rows that leave, by brute force */
    json_t *proof;
} world;

static struct { size_t n_made, n_forged, n_unsatisfied; } seen;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static void make_table(world *w) {
    FILE *file = fopen(w->input, "w");
    const size_t n_people = 3 + below(w, MOST_PEOPLE - 3);
    assert_non_null(file);
    fprintf(file, "who,first,second,kind\n");
    w->n_rows = 8 + below(w, MOST_ROWS - 7);
    for (size_t row = 0; row < w->n_rows; row++) {
        w->person[row] = (unsigned)below(w, n_people);
        w->first[row] = (unsigned)below(w, below(w, 8) + 1);
        w->second[row] = (unsigned)below(w, below(w, 4) + 1);
        fprintf(file, "p%u,%u,%c%u,c%zu\n", w->person[row], w->first[row], "xy"[w->second[row] / 2],
                w -> second[row] % 2, below(w, 2));
    }
    assert_int_equal(fclose(file), 0);
}

/* ---- brute force ---------------------------------------------------------------------------- */

/* What a row shows: first by intervals of 2 and of 4, second by its letter. */
static unsigned shown(const world *w, size_t row, size_t node) {
    const unsigned level = (unsigned)(node / N_SECOND), other = (unsigned)(node % N_SECOND);
    const unsigned a = level == 3 ? 0 : w->first[row] >> level;
    const unsigned b = other == 2 ? 0 : w->second[row] >> other;
    return a * 8 + b;
}

static size_t people_like(const world *w, const bool *is_gone, size_t row, size_t node) {
    bool is_met[MOST_PEOPLE] = {false};
    size_t n = 0;
    for (size_t other = 0; other < w->n_rows; other++)
        if (!is_gone[w->person[other]] && shown(w, other, node) == shown(w, row, node) &&
            !is_met[w->person[other]]) {
            is_met[w->person[other]] = true;
            n++;
        }
    return n;
}

static size_t rows_like(const world *w, unsigned person, unsigned what, size_t node) {
    size_t n = 0;
    for (size_t row = 0; row < w->n_rows; row++)
        n += w->person[row] == person && shown(w, row, node) == what;
    return n;
}

static bool is_same_history(const world *w, unsigned a, unsigned b, size_t node) {
    for (size_t row = 0; row < w->n_rows; row++)
        if (rows_like(w, a, shown(w, row, node), node) !=
            rows_like(w, b, shown(w, row, node), node))
            return false;
    return true;
}

static bool has_rows(const world *w, unsigned person) {
    for (size_t row = 0; row < w->n_rows; row++)
        if (w->person[row] == person)
            return true;
    return false;
}

static size_t count_left(const world *w, size_t node) {
    bool is_gone[MOST_PEOPLE] = {false};
    size_t n = 0, n_rows = 0;
    if (w->counts == HISTORIES) {
        for (unsigned a = 0; a < MOST_PEOPLE; a++) {
            size_t n_same = 0;
            for (unsigned b = 0; b < MOST_PEOPLE; b++)
                n_same += has_rows(w, b) && is_same_history(w, a, b, node);
            n += has_rows(w, a) && n_same < w->k;
        }
        return n;
    }
    for (size_t row = 0; row < w->n_rows; row++)
        n_rows += people_like(w, is_gone, row, node) < w->k;
    if (w->counts == BY_ROW)
        return n_rows;
    for (size_t row = 0; row < w->n_rows; row++)
        if (!is_gone[w->person[row]] && people_like(w, is_gone, row, node) < w->k) {
            is_gone[w->person[row]] = true;
            n++;
            row = SIZE_MAX; /* from the first again */
        }
    return n;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static void set(world *w, kan_job *job, const char *name, const char *value) {
    EXPECT_OK(w->run, kan_job_set(job, name, value));
}

static kan_job *make_job(world *w, bool is_verify, bool has_certificate) {
    kan_job *job;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    set(w, job, "input", w->input);
    set(w, job, "qi", "first=intervals:2,4");
    set(w, job, "qi", "second=prefix:1");
    if (has_certificate)
        set(w, job, "certificate", w->certificate);
    set(w, job, "threads", "1");
    if (is_verify)
        return job;
    set(w, job, "force", NULL);
    set(w, job, "person", "who");
    set(w, job, "cost", w->cost);
    set(w, job, "suppress", w->limit);
    if (strcmp(w->cost, "classification") == 0)
        set(w, job, "class", "kind");
    if (w->counts == BY_ROW)
        set(w, job, "suppress-by", "row");
    if (w->counts == HISTORIES)
        set(w, job, "person-promise", "histories");
    char k[8];
    snprintf(k, sizeof k, "%zu", w->k);
    set(w, job, "k", k);
    return job;
}

/* "verified", "refuted", "unchecked"; or "bad" where the file is none. */
static const char *verify(world *w, const json_t *proof, char *room) {
    kan_result *result = NULL;
    if (proof)
        assert_int_equal(json_dump_file(proof, w->certificate, 0), 0);
    kan_job *job = make_job(w, true, true);
    set(w, job, "most-nodes", "0");
    const kan_status status = kan_job_run(job, "verify", &result);
    snprintf(room, 16, "bad");
    if (result && status != KAN_BAD_INPUT) {
        json_t *told = json_loads(kan_result_json(result), 0, NULL);
        snprintf(room, 16, "%s", json_string_value(json_object_get(told, "status")));
        json_decref(told);
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    return room;
}

/* Whether there is a solution; then there is a certificate. */
static bool search(world *w) {
    static const char *const searches[] = {"auto", "exhaustive", "incognito", "bottom-up"};
    kan_result *result = NULL;
    kan_job *job = make_job(w, false, true);
    set(w, job, "algorithm", searches[below(w, 4)]);
    const kan_status status = kan_job_run(job, "search", &result);
    if (status != KAN_OK && status != KAN_UNSATISFIED && !strstr(kan_run_error(w->run), "has only"))
        fail_msg("%s", kan_run_error(w->run));
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status == KAN_OK;
}

/* ---- what must hold ------------------------------------------------------------------------- */

static size_t node_of(const json_t *entry) {
    const json_t *levels = json_object_get(entry, "levels");
    return (size_t)(json_integer_value(json_array_get(levels, 0)) * N_SECOND +
                    json_integer_value(json_array_get(levels, 1)));
}

static size_t limit_of(const world *w) {
    const json_t *limit = json_object_get(json_object_get(w->proof, "suppression"), "limit");
    return (size_t)json_integer_value(limit);
}

/* The row that has a number, from 0, when rows stand in the order of their values. */
static size_t row_by_value(const world *w, size_t number) {
    for (size_t row = 0;; row++) {
        size_t n_before = 0;
        for (size_t other = 0; other < w->n_rows; other++)
            n_before += w->first[other] < w->first[row] ||
                        (w->first[other] == w->first[row] &&
                         (w->second[other] < w->second[row] ||
                          (w->second[other] == w->second[row] && other < row)));
        if (n_before == number)
            return row;
    }
}

static bool is_above(size_t a, size_t b) {
    return a / N_SECOND >= b / N_SECOND && a % N_SECOND >= b % N_SECOND;
}

/* Every node is above a minimal one exactly when it satisfies; facts are what was counted. */
static void expect_truth(const world *w) {
    const json_t *minimal = json_object_get(w->proof, "minimal"), *entry;
    const json_t *failing = json_object_get(w->proof, "failing");
    size_t i;
    for (size_t node = 0; node < N_NODES; node++) {
        bool is_told = false;
        json_array_foreach(minimal, i, entry) is_told |= is_above(node, node_of(entry));
        assert_true(is_told == (w->n_left[node] <= limit_of(w)));
    }
    json_array_foreach(minimal, i, entry) assert_int_equal(
        json_integer_value(json_object_get(entry, "suppressed")), w->n_left[node_of(entry)]);
    json_array_foreach(failing, i, entry) {
        const json_t *row = json_object_get(entry, "row");
        const bool nobody[MOST_PEOPLE] = {false};
        if (row)
            assert_true(people_like(w, nobody, row_by_value(w, (size_t)json_integer_value(row) - 1),
                                    node_of(entry)) < w->k);
        else
            assert_int_equal(json_integer_value(json_object_get(entry, "suppressed")),
                             w->n_left[node_of(entry)]);
    }
}

/* One more or one fewer than it is, wherever a number of people or rows stands. */
static void expect_facts_checked(world *w) {
    static const char *const lists[] = {"minimal", "failing"};
    char status[16];
    for (size_t l = 0; l < 2; l++) {
        json_t *forged = json_deep_copy(w->proof);
        json_t *list = json_object_get(forged, lists[l]);
        json_t *entry = json_array_get(list, json_array_size(list) / 2);
        json_t *fact = json_object_get(entry, "suppressed");
        if (fact) {
            json_integer_set(fact, json_integer_value(fact) + (l == 0 ? 1 : 2));
            assert_string_equal(verify(w, forged, status), "refuted");
        }
        json_array_remove(list, 0);
        if (entry) /* a node is left out */
            assert_string_equal(verify(w, forged, status), "refuted");
        json_decref(forged);
    }
}

/* What a node would cost; NULL: it does not satisfy. */
static json_t *cost_of(world *w, size_t node) {
    char levels[16];
    kan_result *result = NULL;
    kan_job *job = make_job(w, false, false);
    snprintf(levels, sizeof levels, "%zu,%zu", node / N_SECOND, node % N_SECOND);
    set(w, job, "levels", levels);
    const kan_status status = kan_job_run(job, "search", &result);
    json_t *told = status == KAN_OK ? json_loads(kan_result_json(result), 0, NULL) : NULL;
    json_t *cost = json_incref(json_object_get(json_object_get(told, "metrics"), w->cost));
    json_decref(told);
    kan_result_destroy(result);
    kan_job_destroy(job);
    return cost;
}

/* People, or rows where these are left out one by one. */
static size_t count_all(const world *w) {
    size_t n = 0;
    for (unsigned person = 0; person < MOST_PEOPLE; person++)
        n += has_rows(w, person);
    return w->counts == BY_ROW ? w->n_rows : n;
}

/* Another solution, with its true cost: a proof that it is the best is false. What releases nobody is none. */
static void expect_best(world *w) {
    const double best =
        json_number_value(json_object_get(json_object_get(w->proof, "solution"), "value"));
    char status[16];
    for (size_t node = 0; node < N_NODES; node++) {
        const bool is_solution = w->n_left[node] <= limit_of(w) && w->n_left[node] < count_all(w);
        json_t *cost = is_solution ? cost_of(w, node) : NULL;
        assert_true(!cost || json_number_value(cost) >= best - 1e-9);
        if (cost && json_number_value(cost) > best + 1e-6) {
            json_t *forged = json_deep_copy(w->proof);
            json_t *solution = json_object_get(forged, "solution");
            json_object_set_new(
                solution, "levels",
                json_pack("[i, i]", (int)(node / N_SECOND), (int)(node % N_SECOND)));
            json_object_set_new(solution, "suppressed", json_integer((json_int_t)w->n_left[node]));
            json_object_set(solution, "value", cost);
            assert_string_equal(verify(w, forged, status), "refuted");
            json_decref(forged);
            seen.n_forged++;
        }
        json_decref(cost);
    }
}

static void one(kan_run *run, uint64_t seed) {
    static const char *const costs[] = {"discernibility", "average-class", "ncp",
                                        "precision",      "height",        "distortion",
                                        "classification"};
    static const char *const limits[] = {"0", "1", "3", "25%", "60%"};
    world *w = calloc(1, sizeof *w);
    char status[16];
    assert_non_null(w);
    *w = (world){.run = run, .random = seed, .dir = "/tmp/kanon-proof-XXXXXX"};
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->input, sizeof w->input, "%s/in.csv", w->dir);
    snprintf(w->certificate, sizeof w->certificate, "%s/proof.json", w->dir);
    w->k = 2 + below(w, 3);
    w->counts = (what_counts)below(w, 3);
    w->cost = costs[below(w, 7)];
    snprintf(w->limit, sizeof w->limit, "%s", limits[below(w, 5)]);
    make_table(w);
    for (size_t node = 0; node < N_NODES; node++)
        w->n_left[node] = count_left(w, node);
    if (search(w)) {
        seen.n_made++;
        assert_string_equal(verify(w, NULL, status), "verified");
        w->proof = json_load_file(w->certificate, 0, NULL);
        assert_non_null(w->proof);
        expect_truth(w);
        expect_facts_checked(w);
        expect_best(w);
        json_decref(w->proof);
    } else {
        seen.n_unsatisfied++;
    }
    unlink(w->input);
    unlink(w->certificate);
    assert_int_equal(rmdir(w->dir), 0);
    free(w);
}

static void what_is_proven_of_people_is_verified_and_a_forged_proof_is_not(void **state) {
    (void)state;
    random_rounds(200, one);
    print_message("%zu certificates, %zu forged solutions, %zu without an answer\n", seen.n_made,
                  seen.n_forged, seen.n_unsatisfied);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_proven_of_people_is_verified_and_a_forged_proof_is_not,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

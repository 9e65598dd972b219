/* Promises about a population where quasi-identifiers are rounded and capped, against brute force:
 * whoever would show the same after the same treatment matches. The brute force takes whole numbers
 * and texts; `anonymize`, `verify` and `risk` are held against it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/plain.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 16, MOST_PEOPLE = 40, N_AGE_LEVELS = 2, N_TOWN_LEVELS = 3, N_NODES = 6 };

typedef struct {
    int age;
    char town[3]; /* two digits */
} person_of;

typedef struct {
    unsigned n_rows, n_people; /* the first people are the rows */
    person_of people[MOST_PEOPLE];
    int step, low, high; /* of ages; 0: not rounded, no bound */
    unsigned k_map, limit;
    unsigned most_present; /* in tenths; above 10: not promised */
} question;

static char directory[] = "/tmp/kanon-treated-population-XXXXXX";
static struct { size_t n_questions, n_found, n_none, n_verified, n_risks; } seen;

/* ---- brute force ---------------------------------------------------------------------------- */

/* The nearest multiple, halves away from zero. */
static int round_age(int age, int step) {
    const int size = (abs(age) + step / 2) / step * step;
    return age < 0 ? -size : size;
}

typedef struct {
    char age[16], town[4];
} shown_of;

static shown_of show(const question *q, const person_of *p, unsigned node) {
    const unsigned age_level = node % N_AGE_LEVELS, town_level = node / N_AGE_LEVELS;
    const int age = q->step ? round_age(p->age, q->step) : p->age;
    shown_of out;
    if (age_level > 0)
        strcpy(out.age, "*");
    else if (q->low && age < q->low)
        snprintf(out.age, sizeof out.age, "<%d", q->low);
    else if (q->high && age >= q->high)
        snprintf(out.age, sizeof out.age, ">=%d", q->high);
    else
        snprintf(out.age, sizeof out.age, "%d", age);
    strcpy(out.town, town_level == 2 ? "*" : p->town);
    if (town_level == 1)
        out.town[1] = '*';
    return out;
}

static bool is_same(const shown_of *a, const shown_of *b) {
    return strcmp(a->age, b->age) == 0 && strcmp(a->town, b->town) == 0;
}

static unsigned count_like(const question *q, unsigned n, const shown_of *shown, unsigned node) {
    unsigned n_like = 0;
    for (unsigned i = 0; i < n; i++) {
        const shown_of other = show(q, &q->people[i], node);
        n_like += is_same(shown, &other);
    }
    return n_like;
}

static bool passes(const question *q, const shown_of *shown, unsigned node) {
    const unsigned n_rows = count_like(q, q->n_rows, shown, node);
    const unsigned n_people = count_like(q, q->n_people, shown, node);
    return n_people >= q->k_map &&
           (q->most_present > 10 || 10 * n_rows <= q->most_present * n_people);
}

typedef struct {
    unsigned n_left_out, least; /* people who match a released group */
} node_of;

static node_of measure(const question *q, unsigned node) {
    node_of out = {.least = UINT32_MAX};
    for (unsigned i = 0; i < q->n_rows; i++) {
        const shown_of shown = show(q, &q->people[i], node);
        const unsigned n_people = count_like(q, q->n_people, &shown, node);
        if (!passes(q, &shown, node))
            out.n_left_out++;
        else if (n_people < out.least)
            out.least = n_people;
    }
    return out;
}

/* ---- the program ---------------------------------------------------------------------------- */

static const char *path_of(const char *name, char room[128]) {
    snprintf(room, 128, "%s/%s", directory, name);
    return room;
}

static void write_people(const question *q, const char *name, unsigned n) {
    char path[128];
    FILE *file = fopen(path_of(name, path), "w");
    assert_non_null(file);
    fputs("age,town\n", file);
    for (unsigned i = 0; i < n; i++)
        fprintf(file, "%d,%s\n", q->people[i].age, q->people[i].town);
    assert_int_equal(fclose(file), 0);
}

static void set(kan_run *run, kan_job *job, const char *name, const char *form, int n) {
    char text[64];
    snprintf(text, sizeof text, form, n);
    EXPECT_OK(run, kan_job_set(job, name, text));
}

static void set_path(kan_run *run, kan_job *job, const char *name, const char *file) {
    char path[128];
    EXPECT_OK(run, kan_job_set(job, name, path_of(file, path)));
}

static kan_job *make_job(kan_run *run, const question *q) {
    char cap[64];
    kan_job *job;
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_set(job, "qi", "age=suppress"));
    EXPECT_OK(run, kan_job_set(job, "qi", "town=digits:2"));
    set_path(run, job, "population", "people.csv");
    if (q->step)
        set(run, job, "round", "age=%d", q->step);
    if (q->low && q->high)
        snprintf(cap, sizeof cap, "age=%d..%d", q->low, q->high);
    else if (q->low || q->high)
        snprintf(cap, sizeof cap, q->low ? "age=%d.." : "age=..%d", q->low ? q->low : q->high);
    if (q->low || q->high)
        EXPECT_OK(run, kan_job_set(job, "cap", cap));
    return job;
}

static json_t *read_result(kan_result *result) {
    json_t *json = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(json);
    kan_result_destroy(result);
    return json;
}

/* All nodes, and the rows that the best of them shows. */
static json_t *anonymize(kan_run *run, const question *q, const char *command) {
    kan_result *result;
    kan_job *job = make_job(run, q);
    set_path(run, job, "input", "table.csv");
    if (strcmp(command, "anonymize") == 0)
        set_path(run, job, "output", "release.csv");
    set(run, job, "k-map", "%d", (int)q->k_map);
    set(run, job, "suppress", "%d", (int)q->limit);
    if (q->most_present <= 10)
        set(run, job, "presence", q->most_present == 10 ? "..1" : "..0.%d", (int)q->most_present);
    EXPECT_OK(run, kan_job_set(job, "algorithm", "exhaustive"));
    EXPECT_OK(run, kan_job_set(job, "force", NULL));
    const kan_status status = kan_job_run(job, command, &result);
    kan_job_destroy(job);
    if (status == KAN_UNSATISFIED)
        return NULL;
    EXPECT_OK(run, status);
    return read_result(result);
}

static unsigned node_in(const json_t *json) {
    const json_t *levels = json_object_get(json_object_get(json, "solution"), "levels");
    return (unsigned)(json_integer_value(json_array_get(levels, 0)) +
                      N_AGE_LEVELS * json_integer_value(json_array_get(levels, 1)));
}

/* Line by line what brute force releases, in the order of the table. */
static void expect_rows(const question *q, unsigned node) {
    char path[128], line[64];
    FILE *file = fopen(path_of("release.csv", path), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (unsigned i = 0; i < q->n_rows; i++) {
        const shown_of shown = show(q, &q->people[i], node);
        char wanted[64];
        if (!passes(q, &shown, node))
            continue;
        snprintf(wanted, sizeof wanted, "%s,%s\n", shown.age, shown.town);
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, wanted);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

/* The release keeps the promise for the fewest people who match a group of it, and for one more it
 * does not. */
static void expect_verified(kan_run *run, const question *q, unsigned least, bool has_original) {
    for (unsigned more = 0; more < 2; more++) {
        kan_result *result;
        kan_job *job = make_job(run, q);
        set_path(run, job, "input", "release.csv");
        if (has_original)
            set_path(run, job, "original", "table.csv");
        set(run, job, "k-map", "%d", (int)(least + more));
        EXPECT_OK(run, kan_job_run(job, "verify", &result));
        kan_job_destroy(job);
        json_t *json = read_result(result);
        assert_int_equal(json_is_true(json_object_get(json, "verified")), more == 0);
        json_decref(json);
    }
    seen.n_verified++;
}

/* `risk` counts the same. Rows that show nothing are suppressed ones to it. */
static void expect_risk(kan_run *run, const question *q, unsigned least, bool has_original) {
    kan_result *result;
    kan_job *job = make_job(run, q);
    set_path(run, job, "input", "release.csv");
    if (has_original)
        set_path(run, job, "original", "table.csv");
    EXPECT_OK(run, kan_job_run(job, "risk", &result));
    kan_job_destroy(job);
    json_t *json = read_result(result);
    const json_t *journalist = json_object_get(json_object_get(json, "risk"), "journalist");
    assert_int_equal(json_integer_value(json_object_get(journalist, "k")), least);
    json_decref(json);
    seen.n_risks++;
}

/* ---- random tables -------------------------------------------------------------------------- */

static void random_question(uint64_t *random, question *q) {
    *q = (question){.n_rows = (unsigned)between(random, 1, MOST_ROWS)};
    q->n_people = (unsigned)between(random, q->n_rows, MOST_PEOPLE);
    const uint64_t most_age = between(random, 4, 40), width = between(random, 1, 3);
    const int least_age = once_in(random, 3) ? -10 : 10;
    for (unsigned i = 0; i < q->n_people; i++) {
        q->people[i].age = least_age + (int)kan_random_below(random, most_age);
        snprintf(q->people[i].town, 3, "%u%u", 1 + (unsigned)kan_random_below(random, width),
                 1 + (unsigned)kan_random_below(random, width));
    }
    if (!once_in(random, 3))
        q->step = (int)between(random, 2, 12);
    if (!q->step || once_in(random, 2)) {
        q->low = once_in(random, 2) ? (int)between(random, 11, 18) : 0;
        q->high = !q->low || once_in(random, 2) ? (int)between(random, 20, 40) : 0;
    }
    q->k_map = (unsigned)between(random, 1, 6);
    q->limit = once_in(random, 2) ? 0 : (unsigned)kan_random_below(random, q->n_rows);
    q->most_present = once_in(random, 2) ? 11 : (unsigned)between(random, 3, 10);
}

static void population_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 40503 + 11;
    question q;
    unsigned n_satisfying = 0;
    random_question(&random, &q);
    write_people(&q, "table.csv", q.n_rows);
    write_people(&q, "people.csv", q.n_people);
    seen.n_questions++;
    for (unsigned node = 0; node < N_NODES; node++)
        n_satisfying += measure(&q, node).n_left_out <= q.limit;
    json_t *json = anonymize(run, &q, "search");
    assert_int_equal(json != NULL, n_satisfying > 0);
    if (!json) {
        seen.n_none++;
        return;
    }
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json, "lattice"), "anonymous")),
        n_satisfying);
    json_decref(json);
    json = anonymize(run, &q, "anonymize");
    assert_non_null(json);
    const unsigned node = node_in(json);
    const node_of truth = measure(&q, node);
    assert_true(truth.n_left_out <= q.limit && truth.n_left_out < q.n_rows);
    expect_rows(&q, node);
    const bool has_original = once_in(&random, 2);
    expect_verified(run, &q, truth.least, has_original);
    if (node + 1 < N_NODES)
        expect_risk(run, &q, truth.least, has_original);
    json_decref(json);
    seen.n_found++;
}

static void people_match_who_would_show_the_same(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(300, population_on_one_table);
    print_message("%zu questions, %zu releases, %zu without any, %zu verified, risk of %zu\n",
                  seen.n_questions, seen.n_found, seen.n_none, seen.n_verified, seen.n_risks);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(seen.n_found > 100 && seen.n_none > 20 && seen.n_risks > 50);
}

static int set_up(void **state) {
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state) {
    static const char *const names[] = {"table.csv", "people.csv", "release.csv"};
    char path[128];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i], path));
    return rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(people_match_who_would_show_the_same, random_tear_down),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

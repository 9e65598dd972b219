/* `verify` where people are counted, against brute force over small tables: each model by itself, and
 * all of them together, of groups and of histories. The tables are as they come, so that most break
 * what is claimed of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/people.h"

static const unsigned none[PEOPLE_QUASI] = {0};

static struct { size_t n_tables, n_kept, n_broken, n_parts; } seen;

/* ---- brute force ---------------------------------------------------------------------------- */

typedef struct {
    unsigned n_failing, n_people; /* groups or histories, and people in each of them */
} failing_of;

static void count_histories(const people_question *q, failing_of *out) {
    for (unsigned a = 0; a < q->n_people; a++) {
        unsigned alike = 0;
        for (unsigned b = 0; b < q->n_people; b++)
            alike |= people_are_alike(q, none, a, b) ? 1u << b : 0;
        if (!people_find_failing(q, none, alike, 0) || alike & ((1u << a) - 1))
            continue;
        out->n_failing++;
        out->n_people += people_count(alike);
    }
}

static void count_groups(const people_question *q, failing_of *out) {
    bool all[PEOPLE_ROWS];
    memset(all, 1, sizeof all);
    for (unsigned i = 0; i < q->n_rows; i++) {
        const people_group group = people_find_group(q, none, all, i);
        bool is_first = !people_pass(q, &group);
        for (unsigned j = 0; j < i && is_first; j++)
            is_first = !people_show_alike(q, none, &q->rows[i], &q->rows[j]);
        out->n_failing += is_first;
        out->n_people += is_first ? people_count(group.people) : 0;
    }
}

static failing_of count_failing(const people_question *q) {
    failing_of out = {0, 0};
    if (q->histories)
        count_histories(q, &out);
    else
        count_groups(q, &out);
    return out;
}

/* The question with one model alone. */
static people_question model_alone(const people_question *q, const char *model) {
    people_question alone = *q;
    alone.k = strcmp(model, "k-anonymity") == 0 ? q->k : 1;
    alone.l = strcmp(model, "l-diversity") == 0 ? q->l : 0;
    alone.alpha = strcmp(model, "alpha") == 0 ? q->alpha : 0;
    alone.t = strcmp(model, "t-closeness") == 0 ? q->t : 0;
    alone.beta = strcmp(model, "beta-likeness") == 0 ? q->beta : 0;
    alone.delta = strcmp(model, "delta-disclosure") == 0 ? q->delta : 0;
    return alone;
}

/* ---- the program ---------------------------------------------------------------------------- */

static void expect_model(const people_question *q, const json_t *told) {
    const char *name = json_string_value(json_object_get(told, "model"));
    const people_question alone = model_alone(q, name);
    const failing_of failing = count_failing(&alone);
    assert_true(alone.k > 1 || alone.l || alone.alpha || alone.t || alone.beta || alone.delta ||
                strcmp(name, "k-anonymity") == 0);
    assert_int_equal(json_is_true(json_object_get(told, "holds")), failing.n_failing == 0);
    if (strcmp(name, "k-anonymity") == 0)
        return;
    assert_int_equal(json_integer_value(json_object_get(told, "failing_groups")),
                     failing.n_failing);
    assert_int_equal(json_integer_value(json_object_get(told, "failing_rows")), failing.n_people);
    seen.n_parts += q->histories;
}

static void recount_of_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 5923 + 11;
    people_question q;
    kan_result *result;
    people_random_question(&random, &q);
    q.histories = kan_random_below(&random, 3) > 0;
    q.by_person = q.histories || q.by_person;
    q.limit = 0;
    q.has_class = false;
    kan_table *table = people_make_table(run, &q);
    kan_job *job = people_make_job(run, &q, table);
    EXPECT_OK(run, kan_job_set(job, "keep", "class"));
    const kan_status status = kan_job_run(job, "verify", &result);
    const bool holds = count_failing(&q).n_failing == 0;
    if (status != KAN_UNSATISFIED)
        EXPECT_OK(run, status);
    json_t *json = people_read_result(result), *told;
    size_t i;
    assert_int_equal(json_is_true(json_object_get(json, "verified")), holds);
    json_array_foreach(json_object_get(json, "privacy"), i, told) expect_model(&q, told);
    seen.n_tables++;
    seen.n_kept += holds;
    seen.n_broken += !holds;
    json_decref(json);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
}

static void the_recount_counts_people_as_brute_force_does(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_rounds(1500, recount_of_one_table);
    print_message("%zu tables, %zu keep their promise, %zu do not; %zu models of histories\n",
                  seen.n_tables, seen.n_kept, seen.n_broken, seen.n_parts);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(seen.n_kept > 50 && seen.n_broken > 500 && seen.n_parts > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_recount_counts_people_as_brute_force_does, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

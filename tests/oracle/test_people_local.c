/* Local searches that count people: every released group has the people, and the values, that were
 * promised; whoever can be released is; and iterate is never behind progressive, nor behind the best
 * full-domain release. Levels may be bounded above, so that some rows can be shown like no others. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/people.h"
#include "search/local/local.h"

static size_t n_refused, n_releases, n_impossible, n_left_out;

typedef struct {
    people_question q;
    unsigned highest[PEOPLE_QUASI];
    const char *pick, *recoding;
    bool is_bounded, is_suppression;
} local_question;

/* ---- what is possible ------------------------------------------------------------------------ */

/* Whoever can be released at these levels, by the definition: whoever has a row in a group that fails
 * leaves with all rows; by row the rows of failing groups. Returns how many left. */
static unsigned leave(const people_question *q, const unsigned *levels, bool *is_in) {
    unsigned gone = 0, n_lost = 0;
    memset(is_in, 1, PEOPLE_ROWS);
    for (bool again = true; again;) {
        bool leaves[PEOPLE_ROWS] = {false};
        again = false;
        for (unsigned i = 0; i < q->n_rows; i++) {
            if (!is_in[i])
                continue;
            const people_group group = people_find_group(q, levels, is_in, i);
            leaves[i] = !people_pass(q, &group);
            again |= leaves[i];
            gone |= leaves[i] ? 1u << q->rows[i].person : 0;
        }
        for (unsigned i = 0; i < q->n_rows; i++)
            is_in[i] &= q->by_person ? !(gone >> q->rows[i].person & 1) : !leaves[i];
        again &= q->by_person;
    }
    for (unsigned i = 0; i < q->n_rows; i++)
        n_lost += !is_in[i];
    return q->by_person ? people_count(gone) : n_lost;
}

/* Whether something can be released: where more people never hurt this is exact, because every group
 * is within one of the highest levels. */
static bool is_possible(const local_question *lq, bool *all_stay) {
    bool is_in[PEOPLE_ROWS];
    const unsigned gone = leave(&lq->q, lq->highest, is_in);
    *all_stay = gone == 0;
    for (unsigned i = 0; i < lq->q.n_rows; i++)
        if (is_in[i])
            return gone <= lq->q.limit;
    return false;
}

/* ---- asking ---------------------------------------------------------------------------------- */

typedef struct {
    kan_status status;
    double cost;
} reply;

static kan_job *make_job(kan_run *run, const local_question *lq, kan_table *table,
                         const char *algorithm) {
    static const char *const names[] = {"a", "b", "c"};
    kan_job *job = people_make_job(run, &lq->q, table);
    EXPECT_OK(run, kan_job_set(job, "algorithm", algorithm));
    for (unsigned a = 0; lq->is_bounded && a < lq->q.n_quasi; a++) {
        char level[16];
        snprintf(level, sizeof level, "%s=..%u", names[a], lq->highest[a]);
        EXPECT_OK(run, kan_job_set(job, "level", level));
    }
    return job;
}

static reply ask(kan_run *run, const local_question *lq, kan_table *table, const char *algorithm) {
    const bool is_local = strcmp(algorithm, "exhaustive") != 0;
    kan_job *job = make_job(run, lq, table, algorithm);
    kan_result *result;
    reply out = {KAN_OK, 0};
    if (strcmp(algorithm, "progressive") == 0)
        EXPECT_OK(run, kan_job_set(job, "pick", lq->pick));
    if (is_local)
        EXPECT_OK(run, kan_job_set(job, "recoding", lq->recoding));
    out.status = kan_job_run(job, "anonymize", &result);
    kan_job_destroy(job);
    if (out.status != KAN_OK)
        return out;
    json_t *json = people_read_result(result);
    out.cost = json_number_value(json_object_get(json_object_get(json, "metrics"), lq->q.cost));
    json_decref(json);
    people_expect_release(&lq->q, kan_result_table(result), out.cost);
    n_left_out += is_local && kan_table_n_rows(kan_result_table(result)) < lq->q.n_rows;
    kan_result_destroy(result);
    return out;
}

static reply expect_local(kan_run *run, const local_question *lq, kan_table *table,
                          const char *algorithm) {
    bool all_stay;
    const bool possible = is_possible(lq, &all_stay);
    const reply out = ask(run, lq, table, algorithm);
    if (out.status == KAN_BAD_INPUT) {
        if (!lq->q.histories && strcmp(lq->q.cost, "height") != 0)
            fail_msg("%s: %s", algorithm, kan_run_error(run));
        n_refused++;
    } else if (out.status == KAN_UNSATISFIED) {
        if (possible && (all_stay || people_absorb(&lq->q)))
            fail_msg("%s: %s", algorithm, kan_run_error(run));
        n_impossible++;
    } else {
        EXPECT_OK(run, out.status);
        assert_false(lq->q.histories);
        assert_true(possible || !people_absorb(&lq->q));
        n_releases++;
    }
    return out;
}

static void expect_not_behind(const local_question *lq, const reply *first, const reply *other,
                              const char *name) {
    if (other->status != KAN_OK || first->status == KAN_BAD_INPUT)
        return;
    if (lq->q.of_people) /* it follows the cost of rows */
        return;
    if (first->status != KAN_OK || first->cost > other->cost + 1e-9 * (1 + other->cost))
        fail_msg("iterate is behind %s by %s: status %d, %.12g and %.12g", name, lq->q.cost,
                 (int)first->status, first->cost, other->cost);
}

static void local_of_one_table(kan_run *run, uint64_t seed) {
    static const char *const picks[] = {"smallest", "largest", "first"};
    uint64_t random = seed * 7717 + 5;
    local_question lq = {.highest = {2, 2, 2}};
    people_random_question(&random, &lq.q);
    lq.q.of_people = seed % 4 == 0;
    lq.q.histories &= seed % 16 == 0;
    lq.pick = picks[seed % 3];
    lq.is_suppression = seed % 5 == 0;
    lq.recoding = lq.is_suppression ? "cell-suppression" : "cell-generalization";
    lq.is_bounded = !lq.is_suppression && seed % 4 == 1;
    for (unsigned a = 0; lq.is_bounded && a < lq.q.n_quasi; a++)
        lq.highest[a] = 1 + (unsigned)kan_random_below(&random, 2);
    kan_run_set_threads(run, 1 + (unsigned)(seed % 2));
    kan_table *table = people_make_table(run, &lq.q);
    const reply progressive = expect_local(run, &lq, table, "progressive");
    const reply top_down = expect_local(run, &lq, table, "top-down");
    const reply iterate = expect_local(run, &lq, table, "iterate");
    if (seed % 3 == 0) /* iterate asks it as it picks by itself */
        expect_not_behind(&lq, &iterate, &progressive, "progressive");
    (void)top_down;
    if (!lq.is_suppression) {
        const reply levels = ask(run, &lq, table, "exhaustive");
        if (!lq.q.histories)
            expect_not_behind(&lq, &iterate, &levels, "levels");
    }
    kan_table_destroy(table);
}

static void every_group_has_the_people_that_were_promised(void **state) {
    (void)state;
    random_rounds(1500, local_of_one_table);
    print_message("%zu releases, %zu of them without somebody; %zu refused, %zu impossible\n",
                  n_releases, n_left_out, n_refused, n_impossible);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(is_slow_here() || (n_releases > 2000 && n_left_out > 50 && n_impossible > 50));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_group_has_the_people_that_were_promised, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Searches over regions, cuts and maps that count people: every group of what they release, by its own cells, has the
 * people that the promise asks for, whatever is cut by and shown, under k alone and with alpha, l, t, beta and
 * delta. What is refused is what has a reason (docs/papers/people.md). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"
#include "oracle/people.h"
#include "search/search.h"

static size_t n_refused, n_releases;

/* All rows together are one group, so that what they keep is found. Cuts promise k, and know two
 * costs; what they find is held against the best in oracle.people_cuts. */
static bool may_refuse(const people_question *q, const kan_search_kind *search) {
    if (search->cuts)
        return q->of_people || q->l > 0 || q->alpha || q->t || q->beta || q->delta ||
               (strcmp(q->cost, "discernibility") != 0 && strcmp(q->cost, "classification") != 0);
    return q->histories || strcmp(q->cost, "height") == 0 || (search->divides && !people_absorb(q));
}

static void expect_regions(kan_run *run, const people_question *q, kan_table *table,
                           const kan_search_kind *search, unsigned variant) {
    static const char *const splits[] = {"widest", "entropy", "cost"};
    const bool has_purpose = q->has_class && search->follows_outcome && variant % 2;
    kan_result *result;
    bool all[PEOPLE_ROWS];
    memset(all, 1, sizeof all);
    const people_group whole = people_find_group(q, NULL, all, 0);
    kan_job *job = people_make_job(run, q, table);
    EXPECT_OK(run, kan_job_set(job, "algorithm", search->kind.name));
    for (size_t i = 0; i < search->kind.n_options; i++) {
        if (strcmp(search->kind.options[i].name, "split") == 0 && has_purpose)
            EXPECT_OK(run, kan_job_set(job, "for", "class"));
        else if (strcmp(search->kind.options[i].name, "split") == 0)
            EXPECT_OK(run, kan_job_set(job, "split", splits[variant % 3]));
        if (strcmp(search->kind.options[i].name, "ranges") == 0 && variant % 2)
            EXPECT_OK(run, kan_job_set(job, "ranges", "global"));
        if (strcmp(search->kind.options[i].name, "prove") == 0) /* oracle.maps tries proofs */
            EXPECT_OK(run, kan_job_set(job, "prove", "50"));
    }
    const kan_status status = kan_job_run(job, "anonymize", &result);
    kan_job_destroy(job);
    if (status == KAN_BAD_INPUT) {
        const bool is_text = search->one_column && strstr(kan_run_error(run), "is text");
        if (!is_text && !may_refuse(q, search))
            fail_msg("%s: %s", search->kind.name, kan_run_error(run));
        n_refused++;
        return;
    }
    assert_true(search->cuts || search->counts_histories || !q->histories);
    assert_false(search->cuts && q->of_people);
    if (status == KAN_UNSATISFIED) {
        assert_true(q->histories || !people_pass(q, &whole));
        return;
    }
    EXPECT_OK(run, status);
    json_t *json = people_read_result(result);
    /* what follows the cost of rows proves nothing of one of people */
    assert_false(q->of_people && json_is_true(json_object_get(json, "optimal")));
    assert_false(q->of_people && json_number_value(json_object_get(json, "bound")) > 0);
    people_expect_release(
        q, kan_result_table(result),
        json_number_value(json_object_get(json_object_get(json, "metrics"), q->cost)));
    json_decref(json);
    kan_result_destroy(result);
    n_releases++;
}

static void regions_of_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 9176 + 3;
    people_question q;
    people_random_question(&random, &q);
    q.of_people = seed % 3 == 0;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 2));
    people_question narrow = q;
    narrow.n_quasi = 1;
    kan_table *table = people_make_table(run, &q), *narrow_table = people_make_table(run, &narrow);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        /* oracle.people_local has those that are local and no maps */
        const bool is_local = search->local && !search->begins_with_levels;
        const bool takes_long = search->begins_with_levels && seed % 4 != 0;
        if (search->counts_people && !is_local && !takes_long)
            expect_regions(run, search->one_column ? &narrow : &q,
                           search->one_column ? narrow_table : table, search, (unsigned)(seed % 6));
    }
    kan_table_destroy(narrow_table);
    kan_table_destroy(table);
}

static void every_region_has_the_people_that_were_promised(void **state) {
    (void)state;
    random_rounds(2000, regions_of_one_table);
    print_message("%zu releases, %zu refused\n", n_releases, n_refused);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_true(is_slow_here() || (n_releases > 1000 && n_refused > 100));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_region_has_the_people_that_were_promised, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

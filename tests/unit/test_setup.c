/* job/setup/setup.h: what a certificate may be about, and what local searches are given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/release/certificate.h"

static const kan_privacy_kind stranger = {
    .kind = {.name = "stranger", .summary = "a model without a certificate"}};

typedef struct {
    kan_run *run;
    kan_job *job;
    kan_setup setup;
} scene;

static int set_up(void **state) {
    static scene here;
    memset(&here, 0, sizeof here);
    here.run = kan_run_create();
    assert_non_null(here.run);
    assert_int_equal(kan_job_create(here.run, &here.job), KAN_OK);
    here.setup.run = here.run;
    here.setup.job = here.job;
    kan_promise_init(&here.setup.promise, 0);
    *state = &here;
    return 0;
}

static int tear_down(void **state) {
    scene *here = *state;
    kan_job_destroy(here->job);
    kan_run_destroy(here->run);
    return 0;
}

static void promise(scene *here, const kan_privacy_kind *kind) {
    here->setup.promise.models[here->setup.promise.n_models++].kind = kind;
}

static void a_certificate_takes_k_from_the_promise(void **state) {
    scene *here = *state;
    uint64_t k = 0;
    promise(here, &kan_privacy_k_anonymity);
    here->setup.promise.k = 7;
    assert_int_equal(kan_certificate_k(&here->setup, &k), KAN_OK);
    assert_int_equal(k, 7);
}

static void a_model_without_a_certificate_is_never_certified(void **state) {
    scene *here = *state;
    uint64_t k = 99;
    promise(here, &kan_privacy_k_anonymity);
    promise(here, &stranger);
    here->setup.promise.k = 7;
    assert_int_equal(kan_certificate_k(&here->setup, &k), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(here->run), "stranger"));
    assert_int_equal(k, 99);
}

static void without_a_promise_nothing_is_certified(void **state) {
    scene *here = *state;
    uint64_t k = 99;
    assert_int_equal(kan_certificate_k(&here->setup, &k), KAN_FAILED);
    assert_int_equal(k, 99);
}

/* ---- local searches ------------------------------------------------------------------------- */

/* Numbers whose hierarchy has even and odd ones apart: the order of numbers would tear it up. */
static void make_local(scene *here, const char *algorithm, kan_table **table) {
    static const char *const names[] = {"n", "text"};
    static const char *const rows[][2] = {{"4", "b"}, {"1", "a"}, {"2", "b"}, {"3", "a"}};
    char path[] = "/tmp/kanon-setup-XXXXXX", quasi[64];
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    snprintf(quasi, sizeof quasi, "n=%s,text", path);
    fputs("1;odd;*\n3;odd;*\n2;even;*\n4;even;*\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kan_table_create(here->run, 2, names, table), KAN_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(kan_table_add_row(*table, rows[i]), KAN_OK);
    assert_int_equal(kan_job_use_table(here->job, *table), KAN_OK);
    assert_int_equal(kan_job_set(here->job, "qi", quasi), KAN_OK);
    assert_int_equal(kan_job_set(here->job, "k", "2"), KAN_OK);
    assert_int_equal(kan_job_set(here->job, "algorithm", algorithm), KAN_OK);
    assert_int_equal(kan_job_set(here->job, "memory", "1M"), KAN_OK);
    kan_run_set_memory(here->run, 1 << 20);
    if (kan_setup_make(here->job, &here->setup) != KAN_OK)
        fail_msg("%s", kan_run_error(here->run));
    assert_int_equal(unlink(path), 0);
}

static void local_searches_have_the_trees_of_full_domain_ones(void **state) {
    scene *here = *state;
    kan_table *table;
    make_local(here, "top-down", &table);
    for (unsigned a = 0; a < 2; a++) {
        const kan_hierarchy *h = here->setup.hierarchies[a];
        const kan_domain *domain = here->setup.domains[a];
        assert_non_null(domain);
        assert_ptr_equal(domain, here->setup.problem.domains[a]);
        assert_ptr_equal(domain->hierarchy, h);
        assert_true(domain->has_tree);
        assert_false(domain->has_bins);
        assert_int_equal(h->height, a == 0 ? 2 : 1);
    }
    /* as in the file, not by value */
    assert_false(here->setup.domains[0]->is_by_value);
    assert_int_equal(here->setup.hierarchies[0]->levels[1].n_groups, 2);
    assert_true(kan_slice_is(here->setup.hierarchies[0]->levels[0].label[1], "3"));
    kan_setup_destroy(&here->setup);
    kan_table_destroy(table);
}

/* A limit that would leave mondrian without a base. */
static void local_searches_always_have_the_folded_base(void **state) {
    scene *here = *state;
    kan_table *table;
    make_local(here, "progressive", &table);
    assert_false(here->setup.problem.is_unfolded);
    assert_int_equal(here->setup.problem.base.n, 4);
    kan_setup_destroy(&here->setup);
    kan_table_destroy(table);
}

static void local_searches_make_no_means(void **state) {
    scene *here = *state;
    kan_table *table;
    make_local(here, "progressive", &table);
    assert_int_equal(kan_options_add(&here->job->options, "summary", "mean"), KAN_OK);
    assert_int_equal(kan_setup_summary(&here->setup), KAN_SUMMARY_RANGE);
    kan_setup_destroy(&here->setup);
    kan_table_destroy(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_certificate_takes_k_from_the_promise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_model_without_a_certificate_is_never_certified, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(without_a_promise_nothing_is_certified, set_up, tear_down),
        cmocka_unit_test_setup_teardown(local_searches_have_the_trees_of_full_domain_ones, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(local_searches_always_have_the_folded_base, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(local_searches_make_no_means, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* job/setup.h: what a certificate may be about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "job/setup.h"

static const kan_privacy_kind stranger = {
    .kind = {"stranger", "a model without a certificate", NULL, 0}};

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
    assert_int_equal(kan_job_set(here->job, "k", "7"), KAN_OK);
    assert_int_equal(kan_setup_recounted_k(&here->setup, &k), KAN_OK);
    assert_int_equal(k, 7);
}

static void a_model_without_a_certificate_is_never_certified(void **state) {
    scene *here = *state;
    uint64_t k = 99;
    promise(here, &kan_privacy_k_anonymity);
    promise(here, &stranger);
    assert_int_equal(kan_job_set(here->job, "k", "7"), KAN_OK);
    assert_int_equal(kan_setup_recounted_k(&here->setup, &k), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(here->run), "stranger"));
    assert_int_equal(k, 99);
}

static void without_a_promise_nothing_is_certified(void **state) {
    scene *here = *state;
    uint64_t k = 99;
    assert_int_equal(kan_setup_recounted_k(&here->setup, &k), KAN_FAILED);
    promise(here, &kan_privacy_k_anonymity);
    assert_int_equal(kan_setup_recounted_k(&here->setup, &k), KAN_FAILED); /* k was never said */
    assert_int_equal(k, 99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_certificate_takes_k_from_the_promise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_model_without_a_certificate_is_never_certified, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(without_a_promise_nothing_is_certified, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

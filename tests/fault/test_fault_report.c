/* Reports with failing calls: each failure is a clean error, nothing leaks, and where the job
 * failed there is neither a release nor a page. */
#include <errno.h>
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

#include "fault/fault.h"
#include "job/settings/job.h"
#include "report/report_page.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

typedef struct {
    const char *algorithm, *recoding_needs; /* a limit of suppression, or NULL */
    const char *promise; /* where people are counted, what is promised; or NULL */
    char dir[64], input[96], release[96], page[96];
} scene;

static void scene_begin(scene *s) {
    static const char *const jobs[] = {"clerk", "cook", "nurse"};
    snprintf(s->dir, sizeof s->dir, "/tmp/kanon-report-XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    snprintf(s->input, sizeof s->input, "%s/in.csv", s->dir);
    snprintf(s->release, sizeof s->release, "%s/out.csv", s->dir);
    snprintf(s->page, sizeof s->page, "%s/page.html", s->dir);
    FILE *file = fopen(s->input, "w");
    assert_non_null(file);
    fprintf(file, "age,job,ill,who\n");
    for (unsigned i = 0; i < 24; i++)
        fprintf(file, "%u,%s,%s,%u\n", 20 + i * 7 % 5, jobs[i * i % 3], i % 3 ? "flu" : "cold",
                i % 9);
    fclose(file);
}

static void scene_end(const scene *s) {
    assert_int_equal(unlink(s->input), 0);
    assert_int_equal(rmdir(s->dir), 0); /* nothing is left */
}

/* The whole job, with the fault from here on. */
static kan_status run_job(const scene *s, fault_call call, uint64_t n, int error, bool *happened,
                          bool *is_told) {
    const char *const settings[][2] = {{"input", s->input},
                                       {"output", s->release},
                                       {"qi", "age=intervals:5"},
                                       {"qi", "job"},
                                       {"k", "2"},
                                       {"sensitive", "ill"},
                                       {"threads", "1"},
                                       {"report", s->page},
                                       {"report-internal", NULL},
                                       {"algorithm", s->algorithm},
                                       {"suppress", s->recoding_needs}};
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_result *result = NULL;
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings - !s->recoding_needs; i++)
        assert_int_equal(kan_job_set(job, settings[i][0], settings[i][1]), KAN_OK);
    if (s->promise) {
        assert_int_equal(kan_job_set(job, "person", "who"), KAN_OK);
        assert_int_equal(kan_job_set(job, "person-promise", s->promise), KAN_OK);
    }
    fault_reset();
    if (n > 0)
        fault_fail_call_at(call, n, error);
    const kan_status status = kan_job_run(job, "anonymize", &result);
    *happened = fault_happened();
    if (n > 0)
        fault_reset();
    if (status != KAN_OK)
        assert_string_not_equal(kan_run_error(run), "");
    *is_told = strstr(kan_run_error(run), "the file was written") != NULL;
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return status;
}

static void expect_files(const scene *s, kan_status status, bool is_told) {
    if (status == KAN_OK) {
        assert_int_equal(unlink(s->page), 0);
        assert_int_equal(unlink(s->release), 0);
        return;
    }
    /* where only the name of one may not last, the error says so */
    assert_true(is_told || (access(s->page, F_OK) != 0 && access(s->release, F_OK) != 0));
    (void)unlink(s->page);
    (void)unlink(s->release);
}

/* Reading, searching and writing have tests of their own: here every call from the first that only
 * a report makes, in steps where there are very many. */
static void expect_clean(fault_call call, int error, uint64_t most_runs) {
    static const char *const kinds[][3] = {{"bisect", "4", NULL},
                                           {"mondrian", NULL, NULL},
                                           {"greedy", "4", NULL},
                                           {"bisect", "6", "groups"},
                                           {"bisect", "8", "histories"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        scene s = {.algorithm = kinds[i][0], .recoding_needs = kinds[i][1], .promise = kinds[i][2]};
        bool happened, is_told;
        scene_begin(&s);
        kan_status status = run_job(&s, call, 0, 0, &happened, &is_told);
        const uint64_t n_calls = fault_calls(call);
        fault_reset();
        expect_files(&s, status, is_told);
        assert_int_equal(status, KAN_OK);
        const uint64_t step = n_calls / most_runs + 1;
        for (uint64_t n = 1 + i % step; n <= n_calls; n += step) {
            status = run_job(&s, call, n, error, &happened, &is_told);
            if (!happened)
                assert_int_equal(status, KAN_OK);
            expect_files(&s, status, is_told);
        }
        scene_end(&s);
    }
}

static void failing_allocations_are_clean_errors(void **state) {
    (void)state;
    expect_clean(FAULT_ALLOCATE, ENOMEM, 120);
}

static void a_disk_that_fails_leaves_neither_release_nor_report(void **state) {
    (void)state;
    expect_clean(FAULT_WRITE, ENOSPC, 25);
    expect_clean(FAULT_SYNC, EIO, 25);
    expect_clean(FAULT_OPEN, EACCES, 25);
    expect_clean(FAULT_RENAME, EIO, 25);
    expect_clean(FAULT_READ, EIO, 25);
}

/* The page by itself: every allocation, on a document with a lattice to draw. */
static void every_failing_allocation_of_a_page_is_a_clean_error(void **state) {
    (void)state;
    static const char document[] =
        "{\"command\":\"anonymize\",\"quasi_identifiers\":[\"a\"],\"privacy\":[],\"report\":{"
        "\"lattice\":{\"heights\":[],\"nodes\":[{\"levels\":[0],\"passes\":true},{\"levels\":[1],"
        "\"passes\":true}]}}}";
    json_t *object = json_loads(document, 0, NULL);
    kan_run *run = kan_run_create();
    assert_non_null(object);
    for (unsigned n = 1;; n++) {
        kan_text text;
        fault_reset();
        fault_fail_allocation_at(n);
        kan_text_init(&text, run);
        const kan_status status = kan_report_page_print(run, object, &text);
        const bool happened = fault_happened();
        fault_reset();
        kan_text_destroy(&text);
        assert_int_equal(status, happened ? KAN_FAILED : KAN_OK);
        if (!happened)
            break;
    }
    json_decref(object);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(failing_allocations_are_clean_errors, reset),
        cmocka_unit_test_teardown(a_disk_that_fails_leaves_neither_release_nor_report, reset),
        cmocka_unit_test_teardown(every_failing_allocation_of_a_page_is_a_clean_error, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

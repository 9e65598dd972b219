/* Certificates with failing calls: whatever fails while one is made or checked, the job ends with a
 * status and a text, nothing is left in the folder, and no memory is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run.h"
#include "fault/fault.h"

static char home[] = "/tmp/kanon-fault-certificate-XXXXXX";

static const char *const search[] = {
    "search", "input",       "people.csv", "qi", "age=intervals:10,30,sex=suppress",
    "k",      "2",           "suppress",   "1",  "threads",
    "1",      "certificate", "out/proof",  NULL};
static const char *const anonymize[] = {"anonymize",
                                        "input",
                                        "people.csv",
                                        "qi",
                                        "age=intervals:10,30,sex=suppress",
                                        "k",
                                        "2",
                                        "cost",
                                        "classification",
                                        "class",
                                        "ill",
                                        "threads",
                                        "1",
                                        "certificate",
                                        "out/proof",
                                        "output",
                                        "out/rows",
                                        NULL};
static const char *const verify[] = {
    "verify",  "input", "people.csv",  "qi",         "age=intervals:10,30,sex=suppress",
    "threads", "1",     "certificate", "proof.json", NULL};

static kan_status run_job(kan_run *run, const char *const *words) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status = kan_job_create(run, &job);
    for (size_t i = 1; status == KAN_OK && words[i]; i += 2)
        status = kan_job_set(job, words[i], words[i + 1]);
    if (status == KAN_OK)
        status = kan_job_run(job, words[0], &result);
    if (status == KAN_OK)
        assert_true(kan_result_holds(result));
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static int make_home(void **state) {
    (void)state;
    if (!mkdtemp(home) || chdir(home) != 0 || mkdir("out", 0777) != 0)
        return -1;
    FILE *file = fopen("people.csv", "w");
    if (!file)
        return -1;
    fputs("age,sex,ill\n31,m,y\n34,m,n\n35,f,y\n39,f,y\n62,f,n\n66,m,n\n", file);
    if (fclose(file) != 0)
        return -1;
    kan_run *run = kan_run_create();
    kan_status status = run_job(run, search);
    kan_run_destroy(run);
    return status == KAN_OK ? rename("out/proof", "proof.json") : -1;
}

static int remove_home(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return chdir("/") == 0 ? system(command) : -1;
}

/* Files in out/, hidden ones included. */
static size_t n_files(void) {
    DIR *directory = opendir("out");
    size_t n = 0;
    assert_non_null(directory);
    while (readdir(directory))
        n++;
    closedir(directory);
    return n - 2;
}

/* Lets the n-th call fail, for every n. */
static void fail_each(const char *const *words, fault_call call, size_t n_written) {
    bool has_happened = true;
    uint64_t n = 0;
    while (has_happened) {
        kan_run *run = kan_run_create();
        assert_non_null(run);
        fault_reset();
        fault_fail_call_at(call, ++n, call == FAULT_ALLOCATE ? ENOMEM : EIO);
        kan_status status = run_job(run, words);
        has_happened = fault_happened();
        fault_reset();
        /* jansson tells some of its failed allocations as errors of syntax: refused all the same.
         */
        bool is_refused = words == verify && status == KAN_BAD_INPUT &&
                          strstr(kan_run_error(run), "not a certificate");
        if (status != KAN_OK && !is_refused && (status != KAN_FAILED || !*kan_run_error(run)))
            fail_msg("%s, fault %llu: status %d, %s", words[0], (unsigned long long)n, (int)status,
                     kan_run_error(run));
        assert_true(status == KAN_OK || has_happened);
        /* A folder that cannot be synced is told when the file stands there already. */
        bool is_told = strstr(kan_run_error(run), "the file was written") != NULL;
        if (!is_told && n_files() != (status == KAN_OK ? n_written : 0))
            fail_msg("%s, fault %llu: %zu files are left (%s)", words[0], (unsigned long long)n,
                     n_files(), kan_run_error(run));
        (void)unlink("out/proof");
        (void)unlink("out/rows");
        assert_int_equal(n_files(), 0);
        kan_run_set_threads(run, 1); /* the pool ends */
        kan_run_set_memory(run, 1u << 30);
        assert_int_equal(kan_run_memory_left(run), 1u << 30);
        kan_run_destroy(run);
    }
    assert_true(n > 1);
}

static void every_failing_allocation_ends_cleanly(void **state) {
    (void)state;
    fail_each(search, FAULT_ALLOCATE, 1);
    fail_each(anonymize, FAULT_ALLOCATE, 2);
    fail_each(verify, FAULT_ALLOCATE, 0);
}

static void what_cannot_be_written_or_named_leaves_nothing(void **state) {
    (void)state;
    static const fault_call calls[] = {FAULT_WRITE, FAULT_SYNC, FAULT_RENAME, FAULT_OPEN};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fail_each(search, calls[i], 1);
        fail_each(anonymize, calls[i], 2);
    }
}

static void what_cannot_be_read_is_told(void **state) {
    (void)state;
    fail_each(verify, FAULT_OPEN, 0);
    fail_each(verify, FAULT_READ, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_ends_cleanly),
        cmocka_unit_test(what_cannot_be_written_or_named_leaves_nothing),
        cmocka_unit_test(what_cannot_be_read_is_told),
    };
    return cmocka_run_group_tests(tests, make_home, remove_home);
}

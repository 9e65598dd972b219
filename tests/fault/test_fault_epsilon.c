/* `anonymize` and `verify` of rows that are drawn when memory, the disk or the names run out, or somebody
 * interrupts: the release is there, counted, or nothing is. */
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
#include <unistd.h>

#include "core/run.h"
#include "fault/fault.h"

static char home[] = "/tmp/kanon-fault-epsilon-XXXXXX";
static char table[64], hierarchy[96], release[64], page[64], checked[64];

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(home));
    FILE *file;
    snprintf(table, sizeof table, "%s/p.csv", home);
    snprintf(hierarchy, sizeof hierarchy, "town=%s/town.csv", home);
    snprintf(release, sizeof release, "%s/release.csv", home);
    snprintf(page, sizeof page, "%s/page.html", home);
    snprintf(checked, sizeof checked, "%s/checked.csv", home);
    write_file(hierarchy + 5, "Ulm;south;*\nBonn;west;*\n");
    write_file(checked, "age,town\n30-39,south\n");
    file = fopen(table, "w");
    assert_non_null(file);
    fputs("age,town,left\n41,Rome,1\n", file);
    for (int i = 0; i < 400; i++) /* far more than are left out of a group by chance */
        fprintf(file, "3%d,Ulm,%d\n", i % 10, i);
    assert_int_equal(fclose(file), 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fault_reset();
    (void)unlink(table);
    (void)unlink(hierarchy + 5);
    (void)unlink(checked);
    return rmdir(home);
}

static unsigned count_hidden(void) {
    DIR *open = opendir(home);
    const struct dirent *entry;
    unsigned n = 0;
    assert_non_null(open);
    while ((entry = readdir(open)))
        n += strstr(entry->d_name, ".kanon-") != NULL;
    closedir(open);
    return n;
}

static kan_status set_all(kan_job *job) {
    KAN_TRY(kan_job_set(job, "epsilon", "1"));
    return kan_job_set(job, "delta", "0.001");
}

static kan_status anonymize(kan_run *run) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status;
    KAN_TRY(kan_job_create(run, &job));
    KAN_TRY_DONE(set_all(job));
    KAN_TRY_DONE(kan_job_set(job, "input", table));
    KAN_TRY_DONE(kan_job_set(job, "output", release));
    KAN_TRY_DONE(kan_job_set(job, "report", page));
    KAN_TRY_DONE(kan_job_set(job, "qi", "age=intervals:10"));
    KAN_TRY_DONE(kan_job_set(job, "qi", hierarchy));
    KAN_TRY_DONE(kan_job_set(job, "levels", "1,1"));
    KAN_TRY_DONE(kan_job_run(job, "anonymize", &result));
done:
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static kan_status verify(kan_run *run) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status;
    KAN_TRY(kan_job_create(run, &job));
    KAN_TRY_DONE(set_all(job));
    KAN_TRY_DONE(kan_job_set(job, "input", checked));
    KAN_TRY_DONE(kan_job_run(job, "verify", &result));
    assert_false(kan_result_holds(result));
done:
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static void assert_all_or_nothing(const char *what, uint64_t n, bool is_made) {
    char bytes[256] = "";
    if (is_made) {
        FILE *file = fopen(release, "r");
        assert_non_null(file);
        const size_t size = fread(bytes, 1, sizeof bytes - 1, file);
        bytes[size] = '\0';
        assert_int_equal(fclose(file), 0);
        assert_memory_equal(bytes, "age,town\n30-39,south\n30-39,south\n", 33);
        assert_int_equal(unlink(release), 0);
        (void)unlink(page); /* taken back where the folder of the release could not be synced */
    } else if (access(release, F_OK) == 0) {
        fail_msg("%s %lu: the release is still there", what, (unsigned long)n);
    } else if (access(page, F_OK) == 0) {
        fail_msg("%s %lu: the report is still there", what, (unsigned long)n);
    }
    if (count_hidden() > 0)
        fail_msg("%s %lu: a hidden file is left", what, (unsigned long)n);
}

/* Each call of a kind fails once; returns how many there were. */
static uint64_t fail_each(fault_call call, const char *what, int error,
                          kan_status (*walk)(kan_run *run)) {
    uint64_t n = 1;
    for (bool happened = true; happened; n++) {
        kan_run *run = kan_run_create();
        assert_non_null(run);
        fault_reset();
        fault_fail_call_at(call, n, error);
        const kan_status status = walk(run);
        happened = fault_happened();
        fault_reset();
        if (status != KAN_OK && !(happened && *kan_run_error(run)))
            fail_msg("%s %lu: status %d, '%s'", what, (unsigned long)n, status, kan_run_error(run));
        /* a folder that cannot be synced is told when the file stands there already */
        const bool is_told = strstr(kan_run_error(run), "file was written") != NULL;
        const bool is_page = is_told && strstr(kan_run_error(run), page);
        const bool is_there = status == KAN_OK || (is_told && !is_page);
        if (is_page)
            assert_int_equal(unlink(page), 0);
        assert_all_or_nothing(what, n, walk == anonymize && is_there);
        kan_run_destroy(run);
    }
    return n;
}

static void every_failing_call_leaves_all_or_nothing(void **state) {
    (void)state;
    assert_true(fail_each(FAULT_ALLOCATE, "allocation", ENOMEM, anonymize) > 100);
    assert_true(fail_each(FAULT_OPEN, "open", EACCES, anonymize) > 2);
    assert_true(fail_each(FAULT_READ, "read", EIO, anonymize) > 1);
    assert_true(fail_each(FAULT_WRITE, "write", EIO, anonymize) > 1);
    assert_true(fail_each(FAULT_SYNC, "sync", EIO, anonymize) > 1);
    assert_true(fail_each(FAULT_RENAME, "name", EIO, anonymize) > 1);
    assert_true(fail_each(FAULT_CLOSE, "close", EIO, anonymize) > 1);
}

static void verify_says_what_failed(void **state) {
    (void)state;
    assert_true(fail_each(FAULT_ALLOCATE, "allocation", ENOMEM, verify) > 100);
    assert_true(fail_each(FAULT_OPEN, "open", EACCES, verify) > 2);
    assert_true(fail_each(FAULT_READ, "read", EIO, verify) > 1);
}

static uint64_t stops_at, n_reports;

static void stop(void *user, const kan_progress *progress) {
    (void)progress;
    if (++n_reports == stops_at)
        kan_run_cancel(user);
}

static void whoever_interrupts_leaves_nothing(void **state) {
    (void)state;
    kan_status status = KAN_CANCELLED;
    for (stops_at = 1; status == KAN_CANCELLED; stops_at++) {
        kan_run *run = kan_run_create();
        fault_reset();
        n_reports = 0;
        kan_run_on_progress(run, stop, run);
        status = anonymize(run);
        assert_true(status == KAN_OK || status == KAN_CANCELLED);
        assert_all_or_nothing("interrupt", stops_at, status == KAN_OK);
        kan_run_destroy(run);
    }
    assert_true(stops_at > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_call_leaves_all_or_nothing),
        cmocka_unit_test(verify_says_what_failed),
        cmocka_unit_test(whoever_interrupts_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* `anonymize` over several tables when memory, the disk or the names run out, somebody interrupts, or the
 * process is killed: the folder is there with all its tables, or it is as it was. */
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
#include <sys/wait.h>
#include <unistd.h>

#include "core/run.h"
#include "fault/fault.h"

static const char *const names[] = {"people", "stays", "codes"};
enum { N_TABLES = sizeof names / sizeof *names };

static char home[] = "/tmp/kanon-fault-tables-XXXXXX";
static char folder[64], job_file[64];
static const char *format = "csv";
static uint64_t step = 1; /* each so many-th call fails */

static void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(home));
    snprintf(folder, sizeof folder, "%s/release", home);
    snprintf(job_file, sizeof job_file, "%s/job.yaml", home);
    char path[128];
    write_file("p.csv", "id,age\n1,31\n2,34\n3,38\n4,52\n5,58\n");
    write_file("s.csv", "stay;id;ward;day;cost\n10;1;A;05.03.2020;1,5\n11;2;B;NA;2\n"
                        "12;3;A;07.03.2020;3\n13;4;B;08.03.2020;4\n14;5;A;09.03.2020;5\n");
    write_file("key", "a secret of sixteen or more bytes");
    write_file("c.csv", "stay,code\n10,x\n11,y\n12,x\n");
    write_file("job.yaml",
               "tables:\n"
               "  people: {input: p.csv, key: id, qi: {age: \"intervals:10\"}}\n"
               "  stays:\n"
               "    {input: s.csv, key: stay, of: people, qi: {ward: suppress},\n"
               "     separator: ';', decimal: ',', missing: NA, date-format: '%d.%m.%Y',\n"
               "     shift-dates: [day], within: 9, keep: [day], round: {cost: 2},\n"
               "     sensitive: [cost]}\n"
               "  codes: {input: c.csv, of: stays, keep: [code]}\n"
               "key: key\n"
               "k: 2\n"
               "suppress: 50%\n");
    write_file(
        "models.yaml",
        "tables:\n"
        "  people: {input: p.csv, key: id, qi: {age: \"intervals:10\"}}\n"
        "  stays: {input: v.csv, key: stay, of: people, qi: {ward: suppress}, sensitive: [cost]}\n"
        "  codes: {input: c.csv, of: stays, sensitive: [code]}\n"
        "k: 2\n"
        "l: 1\n"
        "alpha: 1\n"
        "t: 1\n"
        "suppress: 50%\n");
    write_file("keyless.yaml",
               "tables:\n"
               "  people: {input: p.csv, key: id, drop: [id], qi: {age: \"intervals:10\"}}\n"
               "  stays:\n"
               "    {input: v.csv, key: stay, of: people, drop: [stay, id], qi: {ward: suppress},\n"
               "     with: [age], keep: [cost]}\n"
               "  codes: {input: c.csv, of: stays, drop: [stay], keep: [code]}\n"
               "person-promise: groups\n"
               "k: 2\n"
               "suppress: 50%\n");
    write_file("v.csv", "stay,id,ward,cost\n10,1,A,1\n11,2,B,2\n12,3,A,3\n13,4,B,4\n14,5,A,5\n");
    snprintf(path, sizeof path, "%s/key", home);
    assert_int_equal(chmod(path, 0600), 0);
    return 0;
}

/* Removes what is in a folder; returns how many files that were. */
static unsigned clear(const char *path) {
    DIR *open = opendir(path);
    const struct dirent *entry;
    unsigned n = 0;
    while (open && (entry = readdir(open)))
        n += unlinkat(dirfd(open), entry->d_name, 0) == 0;
    if (open)
        closedir(open);
    return n;
}

static int tear_down(void **state) {
    (void)state;
    fault_reset();
    (void)clear(home);
    return rmdir(home);
}

/* Hidden folders that a killed process left; nothing else may be there. */
static unsigned count_hidden(bool removes) {
    DIR *open = opendir(home);
    const struct dirent *entry;
    unsigned n = 0;
    assert_non_null(open);
    while ((entry = readdir(open))) {
        char path[400];
        if (!strstr(entry->d_name, ".kanon-"))
            continue;
        n++;
        snprintf(path, sizeof path, "%s/%s", home, entry->d_name);
        if (removes) {
            (void)clear(path);
            assert_int_equal(rmdir(path), 0);
        }
    }
    closedir(open);
    return n;
}

static bool has_page; /* with a report */
static char page[64];

static kan_status anonymize(kan_run *run, bool replaces) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status;
    KAN_TRY(kan_job_create(run, &job));
    KAN_TRY_DONE(kan_job_set(job, "output", folder));
    if (has_page) {
        KAN_TRY_DONE(kan_job_set(job, "report", page));
        KAN_TRY_DONE(kan_job_set(job, "report-internal", NULL));
    }
    KAN_TRY_DONE(kan_job_set(job, "output-format", format));
    if (replaces)
        KAN_TRY_DONE(kan_job_set(job, "force", NULL));
    KAN_TRY_DONE(kan_job_load(job, job_file));
    KAN_TRY_DONE(kan_job_run(job, "anonymize", &result));
done:
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static void assert_whole(const char *what, uint64_t n) {
    char path[160];
    for (unsigned i = 0; i < N_TABLES; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, names[i], format);
        if (access(path, F_OK) != 0)
            fail_msg("%s %lu: %s is missing", what, (unsigned long)n, names[i]);
    }
    assert_int_equal(clear(folder), N_TABLES);
    assert_int_equal(rmdir(folder), 0);
}

static void assert_all_or_nothing(const char *what, uint64_t n, bool is_made) {
    if (is_made)
        assert_whole(what, n);
    else if (access(folder, F_OK) == 0)
        fail_msg("%s %lu: the folder is still there", what, (unsigned long)n);
    if (count_hidden(true) > 0)
        fail_msg("%s %lu: a hidden folder is left", what, (unsigned long)n);
    if (has_page && (unlink(page) == 0) != is_made)
        fail_msg("%s %lu: a release without its page, or a page alone", what, (unsigned long)n);
}

/* Each call of a kind fails once, or each `step`-th; returns how many there were. */
static uint64_t fail_each(fault_call call, const char *what, int error) {
    uint64_t n = 1;
    for (bool happened = true; happened; n += step) {
        kan_run *run = kan_run_create();
        assert_non_null(run);
        fault_reset();
        fault_fail_call_at(call, n, error);
        const kan_status status = anonymize(run, false);
        happened = fault_happened();
        fault_reset();
        if (status != KAN_OK && !(happened && *kan_run_error(run)))
            fail_msg("%s %lu: status %d, '%s'", what, (unsigned long)n, status, kan_run_error(run));
        assert_all_or_nothing(what, n, status == KAN_OK);
        kan_run_destroy(run);
    }
    return n;
}

static void every_failing_call_leaves_all_or_nothing(void **state) {
    (void)state;
    assert_true(fail_each(FAULT_ALLOCATE, "allocation", ENOMEM) > 200);
    assert_true(fail_each(FAULT_OPEN, "open", EACCES) > N_TABLES);
    assert_true(fail_each(FAULT_READ, "read", EIO) > N_TABLES);
    assert_true(fail_each(FAULT_WRITE, "write", EIO) > N_TABLES);
    assert_true(fail_each(FAULT_SYNC, "sync", EIO) > N_TABLES);
    assert_true(fail_each(FAULT_RENAME, "name", EIO) > N_TABLES);
    assert_true(fail_each(FAULT_CLOSE, "close", EIO) > N_TABLES);
    assert_true(fail_each(FAULT_RANDOM, "random", EIO) > 1);
}

static void so_does_every_failing_call_of_another_format(void **state) {
    (void)state;
    format = "xlsx";
    step = 7;
    assert_true(fail_each(FAULT_ALLOCATE, "allocation", ENOMEM) > 200);
    assert_true(fail_each(FAULT_OPEN, "open", EACCES) > N_TABLES);
    assert_true(fail_each(FAULT_READ, "read", EIO) > N_TABLES);
    assert_true(fail_each(FAULT_WRITE, "write", EIO) > N_TABLES);
    assert_true(fail_each(FAULT_RENAME, "name", EIO) > N_TABLES);
    format = "csv";
    step = 1;
}

/* One workbook for all tables: it is there, whole, or there is none. */
static void so_does_every_failing_call_of_a_workbook(void **state) {
    static const fault_call calls[] = {FAULT_ALLOCATE, FAULT_OPEN,   FAULT_READ,  FAULT_WRITE,
                                       FAULT_SYNC,     FAULT_RENAME, FAULT_CLOSE, FAULT_RANDOM};
    (void)state;
    format = "xlsx";
    snprintf(folder, sizeof folder, "%s/release.xlsx", home);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (uint64_t n = 1, happened = 1; happened; n += calls[i] == FAULT_ALLOCATE ? 7 : 1) {
            kan_run *run = kan_run_create();
            fault_reset();
            fault_fail_call_at(calls[i], n, calls[i] == FAULT_ALLOCATE ? ENOMEM : EIO);
            const kan_status status = anonymize(run, false);
            happened = fault_happened();
            fault_reset();
            if (status != KAN_OK && !(happened && *kan_run_error(run)))
                fail_msg("%zu %lu: '%s'", i, (unsigned long)n, kan_run_error(run));
            const bool is_there = access(folder, F_OK) == 0;
            if (is_there != (status == KAN_OK) &&
                !strstr(kan_run_error(run), "the file was written, but"))
                fail_msg("%zu %lu: status %d", i, (unsigned long)n, status);
            if (is_there)
                assert_int_equal(unlink(folder), 0);
            assert_int_equal(count_hidden(false), 0);
            kan_run_destroy(run);
        }
    snprintf(folder, sizeof folder, "%s/release", home);
    format = "csv";
}

/* Models of sensitive values; rows without keys, in groups, with a column of their parent. */
static void so_does_every_failing_call_of_other_promises(void **state) {
    static const char *const jobs[] = {"models.yaml", "keyless.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        snprintf(job_file, sizeof job_file, "%s/%s", home, jobs[i]);
        kan_run *run = kan_run_create();
        if (anonymize(run, false) != KAN_OK)
            fail_msg("%s: %s", jobs[i], kan_run_error(run));
        kan_run_destroy(run);
        assert_whole(jobs[i], 0);
        assert_true(fail_each(FAULT_ALLOCATE, jobs[i], ENOMEM) > 200);
        assert_true(fail_each(FAULT_READ, jobs[i], EIO) > N_TABLES);
        assert_true(fail_each(FAULT_WRITE, jobs[i], EIO) > N_TABLES);
        assert_true(fail_each(FAULT_RENAME, jobs[i], EIO) > N_TABLES);
        (void)fail_each(FAULT_RANDOM, jobs[i], EIO);
    }
    snprintf(job_file, sizeof job_file, "%s/job.yaml", home);
}

static void and_of_a_report(void **state) {
    (void)state;
    snprintf(page, sizeof page, "%s/page.html", home);
    has_page = true;
    step = 3;
    assert_true(fail_each(FAULT_ALLOCATE, "allocation", ENOMEM) > 200);
    step = 1;
    assert_true(fail_each(FAULT_OPEN, "open", EACCES) > N_TABLES);
    assert_true(fail_each(FAULT_READ, "read", EIO) > N_TABLES);
    assert_true(fail_each(FAULT_WRITE, "write", EIO) > N_TABLES);
    assert_true(fail_each(FAULT_RENAME, "name", EIO) > N_TABLES);
    has_page = false;
}

/* What `compare` writes. */
static char table_file[64], chart_file[64];
static const char *const written[][2] = {{"output", table_file}, {"chart", chart_file}};
enum { N_WRITTEN = sizeof written / sizeof *written };

/* What was written is complete; where the command failed, it may have failed before it. */
static void expect_written(const char *command, bool is_made) {
    for (size_t i = 0; i < N_WRITTEN; i++) {
        struct stat info;
        const bool is_there = stat(written[i][1], &info) == 0;
        if (is_made && strcmp(command, "compare") == 0)
            assert_true(is_there);
        if (is_there)
            assert_true(info.st_size > 100 && unlink(written[i][1]) == 0);
    }
}

/* Commands that only look: each says what it found, or why it could not. */
static kan_status look(kan_run *run, const char *command, const char *input) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status;
    KAN_TRY(kan_job_create(run, &job));
    if (input)
        KAN_TRY_DONE(kan_job_set(job, "input", input));
    for (size_t i = 0; i < N_WRITTEN && strcmp(command, "compare") == 0; i++)
        KAN_TRY_DONE(kan_job_set(job, written[i][0], written[i][1]));
    KAN_TRY_DONE(kan_job_load(job, job_file));
    KAN_TRY_DONE(kan_job_run(job, command, &result));
    assert_true(kan_result_holds(result) && strlen(kan_result_json(result)) > 100 &&
                strlen(kan_result_summary(result)) > 100);
done:
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static void look_each(const char *command, const char *input) {
    static const fault_call calls[] = {FAULT_ALLOCATE, FAULT_OPEN,   FAULT_READ, FAULT_CLOSE,
                                       FAULT_WRITE,    FAULT_RENAME, FAULT_SYNC};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        uint64_t n = 1, n_failed = 0;
        for (bool happened = true; happened; n += calls[i] == FAULT_ALLOCATE ? 3 : 1) {
            kan_run *run = kan_run_create();
            fault_reset();
            fault_fail_call_at(calls[i], n, calls[i] == FAULT_ALLOCATE ? ENOMEM : EIO);
            const kan_status status = look(run, command, input);
            happened = fault_happened();
            fault_reset();
            n_failed += status != KAN_OK;
            if (status != KAN_OK && !(happened && *kan_run_error(run)))
                fail_msg("%s %zu %lu: status %d, '%s'", command, i, (unsigned long)n, status,
                         kan_run_error(run));
            expect_written(command, status == KAN_OK);
            kan_run_destroy(run);
        }
        if (calls[i] <= FAULT_READ)
            assert_true(n_failed > (calls[i] == FAULT_ALLOCATE ? 100 : 2));
        else if (calls[i] != FAULT_CLOSE && strcmp(command, "compare") == 0)
            assert_true(n_failed >= N_WRITTEN);
    }
    assert_int_equal(count_hidden(false), 0);
}

static void who_only_looks_says_why_it_could_not(void **state) {
    static const char *const jobs[] = {"models.yaml", "keyless.yaml", "job.yaml"};
    (void)state;
    snprintf(table_file, sizeof table_file, "%s/cells.csv", home);
    snprintf(chart_file, sizeof chart_file, "%s/chart.svg", home);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        kan_run *run = kan_run_create();
        snprintf(job_file, sizeof job_file, "%s/%s", home, jobs[i]);
        fault_reset();
        assert_int_equal(anonymize(run, false), KAN_OK);
        kan_run_destroy(run);
        look_each("search", NULL);
        look_each("compare", NULL);
        look_each("risk", NULL);
        look_each("risk", folder);
        assert_whole(jobs[i], 0);
    }
}

static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    for (uint64_t bytes = 0; bytes < 200; bytes = 2 * bytes + 1) {
        kan_run *run = kan_run_create();
        fault_reset();
        fault_fail_write_after(bytes, ENOSPC);
        assert_int_equal(anonymize(run, false), KAN_FAILED);
        assert_true(fault_happened());
        fault_reset();
        assert_all_or_nothing("byte", bytes, false);
        kan_run_destroy(run);
    }
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
        status = anonymize(run, false);
        assert_true(status == KAN_OK || status == KAN_CANCELLED);
        assert_all_or_nothing("interrupt", stops_at, status == KAN_OK);
        kan_run_destroy(run);
    }
    assert_true(stops_at > 4);
}

static void die(void *user, const kan_progress *progress) {
    (void)user;
    (void)progress;
    if (++n_reports == stops_at)
        _exit(9);
}

/* The n-th report of progress is the last; whether there was one. */
static bool is_killed(uint64_t n, bool replaces) {
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kan_run *run = kan_run_create();
        stops_at = n;
        n_reports = 0;
        kan_run_on_progress(run, die, NULL);
        _exit(run && anonymize(run, replaces) == KAN_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
    return WEXITSTATUS(status) == 9;
}

static void a_killed_process_names_nothing(void **state) {
    (void)state;
    unsigned n_left_behind = 0;
    uint64_t n = 1;
    fault_reset();
    for (; is_killed(n, false); n++) {
        assert_int_not_equal(access(folder, F_OK), 0);
        n_left_behind += count_hidden(true);
    }
    assert_true(n > 4 && n_left_behind > 0); /* some were killed between two tables */
    assert_whole("kill", n);
}

/* A second release never mixes with the first. */
static void a_killed_process_replaces_nothing(void **state) {
    (void)state;
    struct stat before, after;
    uint64_t n = 1;
    kan_run *run = kan_run_create();
    fault_reset();
    assert_int_equal(anonymize(run, false), KAN_OK);
    assert_int_equal(stat(folder, &before), 0);
    for (; is_killed(n, true); n++) {
        assert_int_equal(stat(folder, &after), 0);
        assert_true(after.st_ino == before.st_ino);
        (void)count_hidden(true);
    }
    assert_int_equal(stat(folder, &after), 0);
    assert_true(after.st_ino != before.st_ino);
    assert_int_equal(count_hidden(false), 0);
    assert_whole("kill", n);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_call_leaves_all_or_nothing),
        cmocka_unit_test(so_does_every_failing_call_of_another_format),
        cmocka_unit_test(so_does_every_failing_call_of_a_workbook),
        cmocka_unit_test(so_does_every_failing_call_of_other_promises),
        cmocka_unit_test(and_of_a_report),
        cmocka_unit_test(who_only_looks_says_why_it_could_not),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(whoever_interrupts_leaves_nothing),
        cmocka_unit_test(a_killed_process_names_nothing),
        cmocka_unit_test(a_killed_process_replaces_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

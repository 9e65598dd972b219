/* `import` and --where when memory runs out or a disk is full: every single allocation, and every write, sync and rename,
 * is made to fail once. Each run ends in a clean error, and of a project there is all or nothing. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fault/job_faults.h"

static const fault_file files[] = {
    {"data.csv", "age,town,pay\n31,Bonn,1\n35,Ulm,2\n,Kiel,3\n38,Bonn,4\n31,Ulm,5\n"},
    {NULL, NULL}};

static kan_status import(kan_job *job) {
    KAN_TRY(kan_job_set(job, "input", KANON_TESTS_DIR "/fuzz/corpus/deid/small"));
    KAN_TRY(fault_set(job, "output", "%s/made"));
    return fault_run(job, "import");
}

static kan_status choose(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/data.csv"));
    KAN_TRY(kan_job_set(job, "qi", "age=suppress,town=suppress"));
    KAN_TRY(kan_job_set(job, "keep", "pay"));
    KAN_TRY(kan_job_set(job, "k", "2"));
    KAN_TRY(kan_job_set(job, "where", "age >= 31 and town in (\"Bonn\", 'Ulm') or not pay < 4"));
    KAN_TRY(fault_set(job, "output", "%s/out.csv"));
    return fault_run(job, "anonymize");
}

static void remove_files(const char *name) {
    char path[128];
    DIR *folder = opendir(fault_path(name, path));
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        (void)closedir(folder);
    (void)rmdir(fault_path(name, path));
}

/* What the folder of the tests has that begins so. */
static unsigned count_names(const char *begin) {
    char path[128];
    unsigned n = 0;
    DIR *folder = opendir(fault_path(".", path));
    const struct dirent *entry;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        n += strncmp(entry->d_name, begin, strlen(begin)) == 0;
    (void)closedir(folder);
    return n;
}

static void fail_each(fault_call call, int error, fault_work work, uint64_t least) {
    uint64_t n = 1;
    for (bool happened = true; happened; n++) {
        const kan_status status = fault_work_once(work, call, n, error, &happened);
        assert_int_equal(count_names("made"), work == import && status == KAN_OK);
        if (work == choose && status != KAN_OK && call != FAULT_RENAME && call != FAULT_SYNC)
            assert_false(fault_has_file("out.csv"));
        remove_files("made/hierarchies");
        remove_files("made");
        (void)fault_take_file("out.csv");
    }
    assert_true(n > least);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    fail_each(FAULT_ALLOCATE, ENOMEM, import, 60);
    fail_each(FAULT_ALLOCATE, ENOMEM, choose, 100);
}

static void nothing_is_left_when_a_write_fails(void **state) {
    (void)state;
    fail_each(FAULT_WRITE, ENOSPC, import, 3);
    fail_each(FAULT_SYNC, EIO, import, 3);
    fail_each(FAULT_RENAME, EIO, import, 3);
    fail_each(FAULT_WRITE, ENOSPC, choose, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(nothing_is_left_when_a_write_fails),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}

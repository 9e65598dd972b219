/* Failing jobs: see job_faults.h. */
#include "fault/job_faults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- tables in memory ----------------------------------------------------------------------- */

static kan_table *make_table(kan_run *run, const fault_table *from) {
    kan_table *table;
    assert_int_equal(kan_table_create(run, FAULT_COLUMNS, from->names, &table), KAN_OK);
    for (size_t i = 0; from->rows[i][0]; i++)
        assert_int_equal(kan_table_add_row(table, from->rows[i]), KAN_OK);
    return table;
}

static kan_status attempt(kan_run *run, kan_table *table, const fault_job *what) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status = kan_job_create(run, &job);
    for (size_t i = 0; status == KAN_OK && i < FAULT_SETTINGS && what->settings[i][0]; i++)
        status = kan_job_set(job, what->settings[i][0], what->settings[i][1]);
    if (status == KAN_OK)
        status = kan_job_use_table(job, table);
    if (status == KAN_OK)
        status = kan_job_run(job, what->command, &result);
    if (status != KAN_OK)
        assert_null(result);
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

void fault_expect_clean(const fault_table *from, const fault_job *what) {
    kan_run *run = kan_run_create();
    kan_table *table = make_table(run, from);
    if (attempt(run, table, what) != KAN_OK) /* the threads are there now */
        fail_msg("%s: %s", what->command, kan_run_error(run));
    kan_run_set_memory(run, UINT64_C(1) << 30);
    const uint64_t left = kan_run_memory_left(run);
    uint64_t n = 0;
    for (bool is_done = false; !is_done;) {
        kan_run_set_memory(run, UINT64_C(1) << 30);
        fault_reset();
        fault_fail_allocation_at(++n);
        const kan_status status = attempt(run, table, what);
        is_done = !fault_happened();
        fault_reset();
        kan_run_set_memory(run, UINT64_C(1) << 30);
        if (status != KAN_OK) {
            assert_false(is_done);
            assert_int_equal(status, KAN_FAILED);
            assert_non_null(strstr(kan_run_error(run), "out of memory"));
        }
        assert_int_equal(kan_run_memory_left(run), left);
    }
    assert_true(n > 60);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

/* ---- files ---------------------------------------------------------------------------------- */

static char directory[] = "/tmp/kanon-fault-XXXXXX";

const char *fault_path(const char *name, char room[128]) {
    snprintf(room, 128, "%s/%s", directory, name);
    return room;
}

static const fault_file *used;

void fault_use_files(const fault_file *files) {
    used = files;
}

static void put_file(const fault_file *from) {
    char path[128];
    FILE *file = fopen(fault_path(from->name, path), "w");
    assert_non_null(file);
    assert_true(fputs(from->text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

int fault_set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(directory));
    for (const fault_file *file = used; file->name; file++)
        if (file->text)
            put_file(file);
    return 0;
}

int fault_tear_down(void **state) {
    (void)state;
    fault_reset();
    for (const fault_file *file = used; file->name; file++)
        (void)fault_take_file(file->name);
    return rmdir(directory);
}

bool fault_has_file(const char *name) {
    char path[128];
    return access(fault_path(name, path), F_OK) == 0;
}

bool fault_take_file(const char *name) {
    char path[128];
    return unlink(fault_path(name, path)) == 0;
}

kan_status fault_set(kan_job *job, const char *name, const char *format) {
    char value[256];
    const char *place = strstr(format, "%s");
    snprintf(value, sizeof value, "%.*s%s%s", (int)(place - format), format, directory, place + 2);
    return kan_job_set(job, name, value);
}

kan_status fault_run(kan_job *job, const char *command) {
    kan_result *result = NULL;
    KAN_TRY(kan_job_set(job, "threads", "1"));
    const kan_status status = kan_job_run(job, command, &result);
    kan_result_destroy(result);
    return status;
}

kan_status fault_work_once(fault_work work, fault_call call, uint64_t n, int error,
                           bool *happened) {
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    assert_non_null(run);
    fault_reset();
    fault_fail_call_at(call, n, error);
    kan_status status = kan_job_create(run, &job);
    if (status == KAN_OK)
        status = work(job);
    *happened = fault_happened();
    fault_reset();
    const bool is_clean = *happened && status == KAN_FAILED && *kan_run_error(run);
    if (status != KAN_OK && !is_clean)
        fail_msg("call %lu: status %d, '%s'", (unsigned long)n, status, kan_run_error(run));
    kan_job_destroy(job);
    kan_run_destroy(run);
    return status;
}

void fault_survive_allocations(fault_work work, const char *made, uint64_t least) {
    uint64_t n = 1;
    for (bool happened = true; happened; n++) {
        const kan_status status = fault_work_once(work, FAULT_ALLOCATE, n, ENOMEM, &happened);
        if (made)
            assert_int_equal(fault_take_file(made), status == KAN_OK);
    }
    assert_true(n > least);
}

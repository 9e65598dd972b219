/* Jobs whose calls fail one by one: what the tests of single commands share. */
#ifndef KANON_TESTS_JOB_FAULTS_H
#define KANON_TESTS_JOB_FAULTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/run.h"
#include "fault/fault.h"

/* ---- tables in memory ----------------------------------------------------------------------- */

enum { FAULT_COLUMNS = 4, FAULT_SETTINGS = 14 };

typedef struct fault_table {
    const char *names[FAULT_COLUMNS];
    const char *rows[16][FAULT_COLUMNS]; /* until one without values */
} fault_table;

typedef struct fault_job {
    const char *command;
    const char *settings[FAULT_SETTINGS][2];
} fault_job;

/* Runs the job on the table with each single allocation failing: every run that does not succeed
 * ends in a clean error, hands nothing out, and leaves the account even. */
void fault_expect_clean(const fault_table *table, const fault_job *job);

/* ---- files ---------------------------------------------------------------------------------- */

typedef struct fault_file {
    const char *name, *text; /* no text: one that jobs make */
} fault_file;

/* The tests of a program in a folder of their own, which has these files; `files` ends with one that
 * has no name. Nothing else may be left there. */
#define FAULT_RUN_IN_FOLDER(files, tests)                                                          \
    (fault_use_files(files), cmocka_run_group_tests(tests, fault_set_up, fault_tear_down))
void fault_use_files(const fault_file *files);
int fault_set_up(void **state);
int fault_tear_down(void **state);

const char *fault_path(const char *name, char room[128]);
bool fault_has_file(const char *name);
/* Removes a file; whether it was there. */
bool fault_take_file(const char *name);

/* kan_job_set of a text in which %s is the folder. */
KAN_MUST_USE kan_status fault_set(kan_job *job, const char *name, const char *format);
/* Runs it on one thread. */
KAN_MUST_USE kan_status fault_run(kan_job *job, const char *command);

typedef kan_status (*fault_work)(kan_job *job);

/* Does the work with the n-th call failing; fails the test unless it succeeds or ends in a clean
 * error. */
kan_status fault_work_once(fault_work work, fault_call call, uint64_t n, int error, bool *happened);
/* The same for each allocation: more than `least`. The file `made`, unless it is NULL, is there when
 * the work succeeded, and only then; it is removed. */
void fault_survive_allocations(fault_work work, const char *made, uint64_t least);

#endif

/* Whole jobs with failing calls: memory, files, disks, threads.
 *
 * Whatever fails, a job ends in one of two ways. Either it fails: a status and a text, nothing new
 * under the final name, what stood there before untouched, no file left beside it, no memory and no
 * descriptor kept. Or it found another way: then release and result are the same, byte for byte,
 * as without the fault. Every call of a kind is made to fail in turn, until a run meets none. */
#ifndef KANON_TESTS_JOB_RUNS_H
#define KANON_TESTS_JOB_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/run.h"
#include "fault/fault.h"

enum { FAULT_MOST_SETTINGS = 14, FAULT_MOST_FILES = 24, FAULT_MOST_NAME = 64 };

/* ---- the jobs (job_scenarios.c) ------------------------------------------------------------- */

typedef struct {
    const char *title, *command;
    const char *settings[FAULT_MOST_SETTINGS][2];
    bool in_memory;       /* rows through kan_job_use_table, the release as a table */
    bool stands_there;    /* an older out/a is there before */
    const char *job_file; /* loaded after the settings */
} fault_scenario;

extern const fault_scenario fault_anonymizes, fault_overwrites, fault_shuffles, fault_packs,
    fault_loads, fault_generates;
enum { FAULT_SCENARIOS = 39 };
extern const fault_scenario *const fault_scenarios[FAULT_SCENARIOS];
/* Not among them: */
extern const fault_scenario fault_on_two_threads, fault_by_chance;

/* The folder that they run in. */
int fault_make_home(void **state);
int fault_remove_home(void **state);

/* ---- one run -------------------------------------------------------------------------------- */

typedef struct {
    char name[FAULT_MOST_NAME];
    char *bytes;
    size_t size;
} fault_left;

/* Everything in out/, hidden files included. */
typedef struct {
    fault_left files[FAULT_MOST_FILES];
    size_t n;
} fault_folder;

/* What a run left: all that may not differ between two runs that succeed. */
typedef struct {
    kan_status status;
    char error[2048];
    char *json; /* without times and memory */
    fault_folder out;
} fault_trace;

/* A run without a fault, and what was there before. */
typedef struct {
    fault_trace success;
    fault_folder before;
} fault_reference;

typedef void (*fault_arm)(uint64_t n, int argument);

/* Runs the scenario with the n-th fault of a kind; true when it came to pass. */
bool fault_run_once(const fault_scenario *job, fault_arm arm, uint64_t n, int argument,
                    fault_trace *out);
void fault_drop_trace(fault_trace *old);
void fault_take_reference(const fault_scenario *job, fault_reference *out);
void fault_drop_reference(fault_reference *reference);
/* Fail the test unless the run failed cleanly, or did as it does without a fault. */
void fault_check_failed(const fault_scenario *job, uint64_t n, const fault_trace *now,
                        const fault_reference *reference);
void fault_check_succeeded(const fault_scenario *job, uint64_t n, const fault_trace *now,
                           const fault_reference *reference);
/* Lets the first, second, third ... call fail until none is left; returns how many there were, or
 * nearly so. */
uint64_t fault_fail_each(const fault_scenario *job, fault_arm arm, int argument, bool may_recover);

#endif

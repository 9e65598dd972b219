/* The run: what every layer is handed. Error text, notes, progress, cancel, threads, seed, the
 * memory account and the arena of what lives as long as the run. */
#ifndef KANON_CORE_RUN_H
#define KANON_CORE_RUN_H

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kanon.h"

/* What must be true here, whatever the input: checked in debug and sanitizer builds, and not even
 * computed in others. Never for what a caller outside of the library may get wrong, and never with
 * side effects. */
#ifdef NDEBUG
#define KAN_ASSERT(is_true) ((void)(true || (is_true)))
#else
#define KAN_ASSERT(is_true) assert(is_true)
#endif

/* Hands a failure on to the caller. */
#define KAN_TRY(call)                                                                              \
    do {                                                                                           \
        kan_status try_status_ = (call);                                                           \
        if (try_status_ != KAN_OK)                                                                 \
            return try_status_;                                                                    \
    } while (0)

/* The same where something must be released first: needs `kan_status status` and a label `done`. */
#define KAN_TRY_DONE(call)                                                                         \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != KAN_OK)                                                                      \
            goto done;                                                                             \
    } while (0)

/* What callers of a public function must give: it fails where that is NULL. The run may be NULL, too;
 * nobody keeps the text then. */
#define KAN_NEED(run, pointer)                                                                     \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return kan_fail_null(run, __func__, #pointer);                                         \
    } while (0)

#define KAN_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Replaces the error text and returns `status`. Thread safe: inside a parallel stage each thread
 * has a text of its own, and the stage hands on status and text of its lowest failing task, so that
 * the message is the same for any number of threads. */
kan_status kan_fail(kan_run *run, kan_status status, const char *format, ...) KAN_PRINTF(3, 4);

/* KAN_BAD_INPUT: "kan_job_set: name is NULL". */
kan_status kan_fail_null(kan_run *run, const char *function, const char *what);

/* Collecting several problems before failing: kan_problem_add appends a line to the error text (the
 * first call after kan_problems_begin clears it), keeps the first 20 and counts the rest;
 * kan_problems_end returns KAN_OK when there were none, else KAN_BAD_INPUT. One owner thread. */
void kan_problems_begin(kan_run *run);
void kan_problem_add(kan_run *run, const char *format, ...) KAN_PRINTF(2, 3);
size_t kan_problems_count(const kan_run *run);
kan_status kan_problems_end(kan_run *run);

/* Who is told of progress and of notes now: for callers that want to say more than the work itself
 * does, and hands them on. */
typedef struct kan_listeners {
    kan_progress_fn on_progress;
    void *progress_user;
    kan_note_fn on_note;
    void *note_user;
} kan_listeners;
kan_listeners kan_run_listeners(const kan_run *run);

/* A note for the user. Owner thread only. */
void kan_note(kan_run *run, const char *format, ...) KAN_PRINTF(2, 3);

/* Reports progress; cheap enough for every few thousand units of work. Only the thread that called
 * the library reports: calls from the pool's threads are ignored. */
void kan_report_progress(kan_run *run, const char *stage, uint64_t done, uint64_t total);
/* The same with what is counted: "rows", "nodes", "bytes". */
void kan_report_units(kan_run *run, const char *stage, const char *unit, uint64_t done,
                      uint64_t total);
/* The same for the stage "search" of a search that gets better with time: states looked at, or steps made
 * of how many (0: nobody knows), what the best costs (when there is one), and what nothing costs less than (0
 * or less: unknown). */
void kan_report_search(kan_run *run, const char *unit, uint64_t done, uint64_t total, bool has_best,
                       double best, double bound);

/* KAN_OK unless work has to stop, else the status to end with when there is nothing to show for it,
 * with its text: KAN_CANCELLED when the run was cancelled or interrupted, KAN_UNSATISFIED when its
 * time is up. */
KAN_MUST_USE kan_status kan_check_cancel(kan_run *run);
/* The same as a plain question, for inner loops of any thread. */
bool kan_should_stop(const kan_run *run);

/* Around a search that gets better with time: between the two, the first interrupt does not cancel
 * the run but makes kan_should_stop true, upon which the search returns its best so far, or
 * kan_check_cancel when it has found none. kan_parallel goes on: the tasks themselves come to an
 * end. kan_anytime_end says whether there was such an interrupt; from there on one cancels. */
void kan_anytime_begin(kan_run *run);
bool kan_anytime_end(kan_run *run);

/* What the job sets. Threads 0 means one per core. Budget 0 means no limit. */
void kan_run_set_threads(kan_run *run, unsigned threads);
unsigned kan_run_threads(const kan_run *run);
void kan_run_set_memory(kan_run *run, uint64_t budget_bytes);
uint64_t kan_run_memory_budget(const kan_run *run);
/* Bytes that may still be allocated: UINT64_MAX without a budget. */
uint64_t kan_run_memory_left(const kan_run *run);
/* Where temporary files are kept; NULL: in $TMPDIR, else /tmp. KAN_BAD_INPUT when it is not a
 * folder. */
KAN_MUST_USE kan_status kan_run_set_tmp(kan_run *run, const char *folder);
const char *kan_run_tmp(const kan_run *run);
/* How large an input may become that comes from a pipe or out of a compressed file; 0, when nothing
 * was said: half of the free space of the folder for temporary files (io/streams/spool.h). */
void kan_run_set_spool_limit(kan_run *run, uint64_t bytes);
uint64_t kan_run_spool_limit(const kan_run *run);
/* The encoding of files beside a table (hierarchies, orders) that are not UTF-8; NULL: none was
 * said. Borrowed. */
void kan_run_set_encoding(kan_run *run, const char *encoding);
const char *kan_run_encoding(const kan_run *run);
/* Bytes of temporary files, now and the most so far (core/spill.h). */
uint64_t kan_run_temporary_bytes(const kan_run *run);
uint64_t kan_run_peak_temporary(const kan_run *run);
void kan_run_set_seed(kan_run *run, uint64_t seed);
uint64_t kan_run_seed(const kan_run *run);
/* Seconds from now after which long searches stop; 0 means never. */
void kan_run_set_time_limit(kan_run *run, double seconds);

/* Files in memory: what a program hands over in place of a file that settings name. Their names begin with
 * `memory:`, which no file on a disk is looked for by. */
typedef struct kan_memory_file {
    const char *name; /* "memory:age.csv" */
    const char *bytes;
    size_t size;
    const struct kan_memory_file *next;
} kan_memory_file;
bool kan_memory_file_is_name(const char *path);
/* The file of that name; NULL: the job at work has none. */
const kan_memory_file *kan_memory_file_find(const kan_run *run, const char *name);

/* What holds for one job, and no longer. */
typedef struct kan_run_terms {
    const kan_memory_file *files;
    uint64_t memory_budget;
    double deadline_ms;
} kan_run_terms;
/* A job begins: its files are `files`, borrowed (NULL: those of the job that it works for). Returns what held
 * before, which is to hold again when it has ended. */
kan_run_terms kan_run_begin_job(kan_run *run, const kan_memory_file *files);
void kan_run_end_job(kan_run *run, kan_run_terms before);

/* Milliseconds of a clock that never goes back. */
double kan_now_ms(void);

#endif

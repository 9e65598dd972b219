/* The run context: error text, problems, notes, progress, cancel and limits. */
#include "core/run_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/pool.h"

enum { PROBLEMS_SHOWN = 20 };

kan_run *kan_run_create(void) {
    kan_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    if (pthread_mutex_init(&run->error_lock, NULL) != 0) {
        free(run);
        return NULL;
    }
    if (pthread_mutex_init(&run->spill_lock, NULL) != 0) {
        pthread_mutex_destroy(&run->error_lock);
        free(run);
        return NULL;
    }
    run->seed = 1;
    kan_run_set_threads(run, 0);
    kan_arena_init(&run->arena, run);
    return run;
}

void kan_run_destroy(kan_run *run) {
    if (!run)
        return;
    kan_pool_destroy(run);
    kan_arena_destroy(&run->arena);
    pthread_mutex_destroy(&run->spill_lock);
    pthread_mutex_destroy(&run->error_lock);
    free(run);
}

const char *kan_version(void) {
    return KANON_VERSION;
}

int kan_version_number(void) {
    return KANON_VERSION_NUMBER;
}

kan_arena *kan_run_arena(kan_run *run) {
    return &run->arena;
}

const char *kan_run_error(const kan_run *run) {
    return run ? run->error : "the run is NULL";
}

kan_status kan_fail_null(kan_run *run, const char *function, const char *what) {
    return run ? kan_fail(run, KAN_BAD_INPUT, "%s: %s is NULL", function, what) : KAN_BAD_INPUT;
}

kan_status kan_fail(kan_run *run, kan_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&run->error_lock);
    char *error = kan_pool_error(run);
    vsnprintf(error, KAN_ERROR_MARK, format, arguments);
    /* The mark goes where the text goes, also out of a parallel stage. Formats are the library's own: no
     * name that a user chose is looked at. */
    error[KAN_ERROR_MARK] = status == KAN_FAILED && strstr(format, "out of memory") != NULL;
    pthread_mutex_unlock(&run->error_lock);
    va_end(arguments);
    return status;
}

bool kan_run_is_out_of_memory(const kan_run *run) {
    return run && run->error[KAN_ERROR_MARK];
}

void kan_problems_begin(kan_run *run) {
    run->n_problems = 0;
    run->n_problems_shown = 0;
    run->problem_bytes = 0;
}

void kan_problem_add(kan_run *run, const char *format, ...) {
    /* The last line, "and N more", always finds room. */
    const size_t room = KAN_ERROR_MARK - 64;
    run->error[KAN_ERROR_MARK] = 0;
    run->n_problems++;
    if (run->n_problems <= PROBLEMS_SHOWN && run->problem_bytes + 1 < room) {
        run->n_problems_shown++;
        va_list arguments;
        va_start(arguments, format);
        char *at = run->error + run->problem_bytes;
        size_t left = room - run->problem_bytes;
        if (run->problem_bytes > 0) {
            *at++ = '\n';
            left--;
            run->problem_bytes++;
        }
        int size = vsnprintf(at, left, format, arguments);
        va_end(arguments);
        if (size > 0)
            run->problem_bytes += (size_t)size < left ? (size_t)size : left - 1;
    }
}

size_t kan_problems_count(const kan_run *run) {
    return run->n_problems;
}

kan_status kan_problems_end(kan_run *run) {
    size_t n = run->n_problems;
    run->n_problems = 0;
    if (n == 0)
        return KAN_OK;
    size_t more = n - run->n_problems_shown;
    if (more > 0)
        snprintf(run->error + run->problem_bytes, KAN_ERROR_MARK - run->problem_bytes,
                 "\nand %zu more problem%s of this kind", more, more == 1 ? "" : "s");
    return KAN_BAD_INPUT;
}

void kan_run_on_progress(kan_run *run, kan_progress_fn fn, void *user) {
    if (!run)
        return;
    run->on_progress = fn;
    run->progress_user = user;
}

void kan_run_on_note(kan_run *run, kan_note_fn fn, void *user) {
    if (!run)
        return;
    run->on_note = fn;
    run->note_user = user;
}

void kan_run_set_encoding(kan_run *run, const char *encoding) {
    run->encoding = encoding;
}

const char *kan_run_encoding(const kan_run *run) {
    return run->encoding;
}

kan_listeners kan_run_listeners(const kan_run *run) {
    return (kan_listeners){run->on_progress, run->progress_user, run->on_note, run->note_user};
}

void kan_note(kan_run *run, const char *format, ...) {
    if (!run->on_note)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    run->on_note(run->note_user, text);
}

/* Time that is left means something to a search alone: other stages do not look at the limit. */
static void add_means(const kan_run *run, double now, kan_progress *progress) {
    progress->memory_bytes = atomic_load_explicit(&run->memory_used, memory_order_relaxed);
    progress->has_limit = run->deadline_ms > 0 && strcmp(progress->stage, "search") == 0;
    progress->limit_ms = run->deadline_ms > now ? run->deadline_ms - now : 0;
}

static void report(kan_run *run, kan_progress *progress) {
    if (!run->on_progress || kan_pool_owns_thread(run))
        return;
    /* A new stage and its end are always told; between them, twenty times a second is enough for
     * the eye. */
    double now = kan_now_ms();
    bool is_new = !run->progress_stage || strcmp(run->progress_stage, progress->stage) != 0;
    bool is_end = progress->total > 0 && progress->done == progress->total;
    if (!is_new && !is_end && now - run->progress_last_ms < 50)
        return;
    run->progress_last_ms = now;
    run->progress_stage = progress->stage;
    add_means(run, now, progress);
    run->on_progress(run->progress_user, progress);
}

void kan_report_units(kan_run *run, const char *stage, const char *unit, uint64_t done,
                      uint64_t total) {
    kan_progress progress = {.stage = stage, .done = done, .total = total, .unit = unit};
    report(run, &progress);
}

void kan_report_progress(kan_run *run, const char *stage, uint64_t done, uint64_t total) {
    kan_report_units(run, stage, NULL, done, total);
}

void kan_report_search(kan_run *run, const char *unit, uint64_t done, uint64_t total, bool has_best,
                       double best, double bound) {
    kan_progress progress = {.stage = "search",
                             .unit = unit,
                             .done = done,
                             .total = total,
                             .has_best = has_best,
                             .best = best,
                             .has_bound = bound > 0,
                             .bound = bound};
    report(run, &progress);
}

/* ---- stopping ------------------------------------------------------------------------------- */

/* One word, so that an interrupt and the end of the search have an order: it either stops the
 * search or cancels what comes after. */
enum { NO_ANYTIME_SEARCH, ANYTIME_SEARCH_RUNS, ANYTIME_SEARCH_IS_TO_STOP };

void kan_anytime_begin(kan_run *run) {
    atomic_store(&run->anytime, ANYTIME_SEARCH_RUNS);
}

bool kan_anytime_end(kan_run *run) {
    return atomic_exchange(&run->anytime, NO_ANYTIME_SEARCH) == ANYTIME_SEARCH_IS_TO_STOP;
}

void kan_run_interrupt(kan_run *run) {
    unsigned char expected = ANYTIME_SEARCH_RUNS;
    if (run && !atomic_compare_exchange_strong(&run->anytime, &expected, ANYTIME_SEARCH_IS_TO_STOP))
        kan_run_cancel(run);
}

static bool search_is_to_stop(const kan_run *run) {
    return atomic_load_explicit(&run->anytime, memory_order_relaxed) == ANYTIME_SEARCH_IS_TO_STOP;
}

static bool time_is_up(const kan_run *run) {
    return run->deadline_ms > 0 && kan_now_ms() > run->deadline_ms;
}

void kan_run_cancel(kan_run *run) {
    if (run)
        atomic_store_explicit(&run->cancelled, true, memory_order_relaxed);
}

bool kan_run_is_cancelled(const kan_run *run) {
    return run && atomic_load_explicit(&run->cancelled, memory_order_relaxed);
}

void kan_run_resume(kan_run *run) {
    if (!run)
        return;
    atomic_store(&run->anytime, NO_ANYTIME_SEARCH);
    atomic_store(&run->cancelled, false);
}

bool kan_should_stop(const kan_run *run) {
    return kan_run_is_cancelled(run) || search_is_to_stop(run) || time_is_up(run);
}

kan_status kan_check_cancel(kan_run *run) {
    if (kan_run_is_cancelled(run))
        return kan_fail(run, KAN_CANCELLED, "interrupted; no result was written");
    if (search_is_to_stop(run))
        return kan_fail(run, KAN_CANCELLED,
                        "interrupted before an answer was found; no result was written");
    if (time_is_up(run))
        return kan_fail(run, KAN_UNSATISFIED,
                        "the time limit was reached before an answer was found; "
                        "allow more with --time-limit");
    return KAN_OK;
}

void kan_run_set_threads(kan_run *run, unsigned threads) {
    if (threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 0 ? (unsigned)cores : 1;
    }
    threads = threads > 256 ? 256 : threads;
    if (run->threads != threads)
        kan_pool_destroy(run);
    run->threads = threads;
}

unsigned kan_run_threads(const kan_run *run) {
    return run->threads;
}

void kan_run_set_seed(kan_run *run, uint64_t seed) {
    run->seed = seed;
}

uint64_t kan_run_seed(const kan_run *run) {
    return run->seed;
}

bool kan_memory_file_is_name(const char *path) {
    static const char prefix[] = "memory:";
    return strncmp(path, prefix, sizeof prefix - 1) == 0;
}

const kan_memory_file *kan_memory_file_find(const kan_run *run, const char *name) {
    for (const kan_memory_file *file = run->files; file; file = file->next)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}

kan_run_terms kan_run_begin_job(kan_run *run, const kan_memory_file *files) {
    const kan_run_terms before = {run->files, run->memory_budget, run->deadline_ms};
    if (files)
        run->files = files;
    return before;
}

void kan_run_end_job(kan_run *run, kan_run_terms before) {
    run->files = before.files;
    run->memory_budget = before.memory_budget;
    run->deadline_ms = before.deadline_ms;
}

void kan_run_set_time_limit(kan_run *run, double seconds) {
    run->deadline_ms = seconds > 0 ? kan_now_ms() + seconds * 1000.0 : 0;
}

double kan_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

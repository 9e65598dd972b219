/* `compare`: one search for each trial, on a table that is read once.
 *
 * Each trial is a job of its own on the borrowed table, searched and recounted by the code of
 * `search`, so that a trial is what a separate run would say. What all trials need, the table and the
 * hierarchies, is checked first: a mistake there is told once and ends the comparison, while a
 * search that finds nothing or refuses the promise only leaves its trial without figures.
 *
 * Trials are finished one after the other, each on all threads: their times can be compared. */
#include <stdio.h>

#include "job/compare/compare.h"
#include "job/compare/compare_inside.h"
#include "job/release/release.h"
#include "job/tables/tables.h"

/* ---- progress and notes ---------------------------------------------------------------------- */

enum { MOST_NOTES = 64 };

typedef struct {
    kan_listeners before;
    kan_arena *arena;
    const char *notes[MOST_NOTES]; /* that were told; from n_told on, of the trial in hand */
    size_t n_notes, n_told;
    const kan_compare *compare;
    const kan_compare_trial *trial; /* NULL: none yet */
    const char *stage;              /* as it was told last */
} listener;

/* A name of the stage that stays where it is: listeners keep it to see when it changes. */
static const char *name_stage(listener *l, const char *stage) {
    char text[160];
    const char *kept;
    const int size = snprintf(text, sizeof text, "%zu/%zu %s%s%s: %s",
                              (size_t)(l->trial - l->compare->trials) + 1, l->compare->n_trials,
                              l->trial->recoding ? l->trial->recoding : l->trial->algorithm,
                              l->trial->k ? " k=" : "", l->trial->k ? l->trial->k : "", stage);
    if (l->stage && strcmp(l->stage, text) == 0)
        return l->stage;
    const size_t length = (size_t)size < sizeof text ? (size_t)size : sizeof text - 1;
    if (kan_arena_copy(l->arena, text, length, &kept) != KAN_OK)
        return stage;
    l->stage = kept;
    return kept;
}

static void on_progress(void *user, const kan_progress *progress) {
    listener *l = user;
    kan_progress told = *progress;
    if (l->trial)
        told.stage = name_stage(l, progress->stage);
    l->before.on_progress(l->before.progress_user, &told);
}

/* A note is often true of every trial, and is then told once; notes of a trial that is not finished
 * are dropped. */
static void on_note(void *user, const char *note) {
    listener *l = user;
    for (size_t i = 0; i < l->n_notes; i++)
        if (strcmp(l->notes[i], note) == 0)
            return;
    if (l->n_notes < MOST_NOTES &&
        kan_arena_copy(l->arena, note, strlen(note), &l->notes[l->n_notes]) == KAN_OK)
        l->n_notes++;
}

static void tell_notes(listener *l, bool is_finished) {
    if (!is_finished)
        l->n_notes = l->n_told;
    for (; l->n_told < l->n_notes; l->n_told++)
        l->before.on_note(l->before.note_user, l->notes[l->n_told]);
}

static void listen(listener *l, kan_compare *compare) {
    *l = (listener){.before = kan_run_listeners(compare->run),
                    .arena = &compare->job->arena,
                    .compare = compare};
    if (l->before.on_progress)
        kan_run_on_progress(compare->run, on_progress, l);
    if (l->before.on_note)
        kan_run_on_note(compare->run, on_note, l);
}

static void stop_listening(const listener *l) {
    kan_run *run = l->compare->run;
    kan_run_on_progress(run, l->before.on_progress, l->before.progress_user);
    kan_run_on_note(run, l->before.on_note, l->before.note_user);
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void limit_time(const kan_compare *compare, bool is_on) {
    const double seconds = kan_options_real(&compare->job->options, "time-limit", 0);
    kan_run_set_time_limit(compare->run, is_on ? seconds : 0);
}

/* Whether a failure belongs to the trial alone. Memory is the trial's affair where it has a limit. */
static bool is_of_trial(const kan_compare *compare, kan_status status) {
    return status == KAN_OK || status == KAN_UNSATISFIED || status == KAN_BAD_INPUT ||
           (status == KAN_FAILED && kan_run_memory_budget(compare->run) > 0);
}

/* Of several tables each search reads its own: what is done with one depends on the promise. */
static kan_status search(const kan_compare *compare, const kan_table *table, kan_job *job,
                         kan_result *out) {
    kan_status status;
    limit_time(compare, true);
    if (compare->job->parts) {
        job->parts = compare->job->parts; /* borrowed */
        job->origins = compare->job->origins;
        status = kan_tables_search(job, out);
        job->parts = NULL;
    } else {
        job->table = table;
        job->is_table_taken = true;
        job->tables = compare->job->tables;
        status = kan_walk_solution(job, true, out);
    }
    limit_time(compare, false);
    return status;
}

static kan_status search_trial(kan_compare *compare, const kan_table *table,
                               kan_compare_trial *trial) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status;
    KAN_TRY(kan_compare_trial_job(compare, trial, &job));
    KAN_TRY_DONE(kan_compare_add_measures(compare, &job->options));
    KAN_TRY_DONE(kan_result_create(compare->run, &result));
    status = search(compare, table, job, result);
    if (status == KAN_OK && result->is_interrupted) {
        /* The best so far cannot be compared with answers that were finished. */
        kan_run_cancel(compare->run);
        status = KAN_CANCELLED;
    }
    if (is_of_trial(compare, status))
        status = kan_compare_take(compare, trial, status, kan_result_json(result));
done:
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static kan_status search_all(kan_compare *compare, listener *l, const kan_table *table,
                             kan_compare_save *save) {
    for (size_t i = 0; i < compare->n_trials; i++) {
        kan_compare_trial *trial = &compare->trials[i];
        if (trial->json)
            continue;
        l->trial = trial;
        kan_status status = kan_check_cancel(compare->run);
        if (status == KAN_OK)
            status = search_trial(compare, table, trial);
        l->trial = NULL;
        tell_notes(l, status != KAN_CANCELLED);
        compare->is_interrupted = status == KAN_CANCELLED;
        if (compare->is_interrupted)
            return KAN_OK;
        KAN_TRY(status);
        KAN_TRY(kan_compare_save_add(save, trial));
    }
    return KAN_OK;
}

/* ---- what it comes to ------------------------------------------------------------------------ */

static size_t count_trials(const kan_compare *compare, bool solved_alone) {
    size_t n = 0;
    for (size_t i = 0; i < compare->n_trials; i++)
        n += solved_alone ? kan_compare_is_solved(&compare->trials[i])
                          : compare->trials[i].json != NULL;
    return n;
}

/* Where every trial was refused for one reason, that is a mistake in the settings. */
static kan_status check_refused(const kan_compare *compare) {
    const char *first = NULL;
    for (size_t i = 0; i < compare->n_trials; i++) {
        const json_t *trial = compare->trials[i].json;
        const char *error = json_string_value(json_object_get(trial, "error"));
        if (!error || json_integer_value(json_object_get(trial, "status")) != KAN_BAD_INPUT ||
            (first && strcmp(first, error) != 0))
            return KAN_OK;
        first = error;
    }
    return first ? kan_fail(compare->run, KAN_BAD_INPUT, "%s", first) : KAN_OK;
}

static kan_status write_all(kan_compare *compare, kan_result *out) {
    const kan_options *options = &compare->job->options;
    if (compare->is_interrupted && count_trials(compare, false) == 0)
        return kan_fail(compare->run, KAN_CANCELLED,
                        "interrupted before a cell was finished; no result was written");
    KAN_TRY(check_refused(compare));
    if (!compare->is_interrupted) {
        KAN_TRY(kan_compare_write_csv(compare));
        KAN_TRY(kan_compare_write_chart(compare));
    } else if (kan_options_find(options, "output") || kan_options_find(options, "chart")) {
        kan_note(compare->run, "the comparison was interrupted: no CSV and no chart were written");
    }
    compare->total_ms = kan_now_ms() - compare->start_ms;
    out->holds = compare->is_interrupted || count_trials(compare, true) > 0;
    KAN_TRY(kan_compare_json(compare, out));
    return kan_compare_summary(compare, out);
}

/* What no list takes the place of. */
static kan_status find_shared(const kan_compare *compare, kan_options *out) {
    const kan_options *options = &compare->job->options;
    for (size_t i = 0; i < options->n; i++) {
        const char *name = options->values[i].name;
        if ((strcmp(name, "recoding") == 0 && compare->recodings.n > 0) ||
            (strcmp(name, "algorithm") == 0 && kan_options_count_of(options, "algorithms") > 0))
            continue;
        KAN_TRY(kan_options_add(out, name, options->values[i].value));
    }
    return KAN_OK;
}

/* Reads by the settings that all trials have: the model or the search of a job file may be that of no
 * trial, and what these refuse is not the comparison's affair. */
static kan_status read_table(kan_compare *compare, kan_options *shared, kan_setup *setup) {
    const kan_options whole = compare->job->options;
    compare->job->options = *shared;
    kan_status status = kan_setup_read(compare->job, setup);
    if (status == KAN_OK)
        status = kan_setup_bind(setup);
    *shared = compare->job->options;
    compare->job->options = whole;
    return status;
}

static kan_status run_shared(kan_compare *compare, listener *l, kan_options *shared) {
    kan_status status;
    kan_setup setup;
    kan_compare_save *save = NULL;
    KAN_TRY_DONE(read_table(compare, shared, &setup));
    compare->n_rows = kan_table_total(setup.table);
    KAN_TRY_DONE(kan_compare_save_open(compare, &setup, &save));
    tell_notes(l, true);
    compare->read_ms = kan_now_ms() - compare->start_ms;
    KAN_TRY_DONE(search_all(compare, l, setup.input.raw, save));
done:
    kan_compare_save_close(save);
    kan_setup_destroy(&setup);
    return status;
}

static kan_status run_trials(kan_compare *compare, listener *l) {
    kan_options shared;
    kan_options_init(&shared, &compare->job->arena);
    shared.is_known = compare->job->options.is_known;
    kan_status status = find_shared(compare, &shared);
    if (status == KAN_OK)
        status = run_shared(compare, l, &shared);
    kan_options_destroy(&shared);
    return status;
}

/* --commands: nothing is read. */
static kan_status tell_commands(const kan_compare *compare, kan_result *out) {
    KAN_TRY(kan_compare_json(compare, out));
    for (size_t i = 0; i < compare->n_trials; i++)
        kan_text_print(&out->summary, "%s\n", compare->trials[i].command);
    return kan_text_status(&out->summary);
}

/* No table is read before the first search. */
static kan_status run_trials_of_tables(kan_compare *compare, listener *l) {
    tell_notes(l, true);
    return search_all(compare, l, NULL, NULL);
}

static kan_status walk(kan_job *job, kan_status (*run)(kan_compare *, listener *),
                       kan_result *out) {
    kan_compare compare = {.job = job, .run = job->run, .start_ms = kan_now_ms()};
    listener l;
    if (kan_options_switch(&job->options, "per-column"))
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--per-column: compare tells releases apart by their groups, and columns that are "
            "grouped by themselves make none; leave it out, or make each release with kanon "
            "search");
    KAN_TRY(kan_compare_plan(&compare));
    if (kan_options_switch(&job->options, "commands"))
        return tell_commands(&compare, out);
    KAN_TRY(kan_compare_check_chart(&compare));
    limit_time(&compare, false);
    listen(&l, &compare);
    kan_status status = run(&compare, &l);
    stop_listening(&l);
    if (status == KAN_OK)
        status = write_all(&compare, out);
    for (size_t i = 0; i < compare.n_trials; i++)
        json_decref(compare.trials[i].json);
    return status;
}

kan_status kan_walk_compare(kan_job *job, kan_result *out) {
    return walk(job, run_trials, out);
}

kan_status kan_walk_compare_tables(kan_job *job, kan_result *out) {
    return walk(job, run_trials_of_tables, out);
}

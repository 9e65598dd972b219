/* Trials of searches: see trial.h. */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group/viewer.h"
#include "job/registry/registry.h"
#include "job/settings/settings.h"

static int fail(const kan_run *run) {
    fprintf(stderr, "kanon-bench: %s\n", run ? kan_run_error(run) : "out of memory");
    return 1;
}

/* ---- rows and folds ------------------------------------------------------------------------- */

int trial_rows_read(const bench_table *where, trial_rows *out) {
    bool encode[KAN_MAX_ATTRIBUTES];
    memset(encode, true, sizeof encode);
    *out = (trial_rows){.run = kan_run_create(), .where = where};
    if (!out->run)
        return fail(NULL);
    kan_run_set_threads(out->run, 0);
    if (kan_csv_open(out->run, where->table, 0, &out->source) != KAN_OK)
        return fail(out->run);
    if (kan_csv_n_columns(out->source) > KAN_MAX_ATTRIBUTES) {
        fprintf(stderr, "kanon-bench: %s has too many columns\n", where->table);
        return 1;
    }
    return kan_csv_read(out->source, encode, &out->table) == KAN_OK ? 0 : fail(out->run);
}

void trial_rows_close(trial_rows *rows) {
    kan_table_destroy(rows->table);
    kan_csv_close(rows->source);
    kan_run_destroy(rows->run);
}

int trial_fold_make(const trial_rows *rows, unsigned n_columns, trial_fold *out) {
    kan_run *run = rows->run;
    memset(out, 0, sizeof *out);
    /* The k is of no matter here: each question brings its own promise. */
    int failed = kan_job_create(run, &out->job) || kan_job_use_table(out->job, rows->table) ||
                 kan_job_set(out->job, "hierarchies", rows->where->hierarchies) ||
                 kan_job_set(out->job, "k", "2");
    for (unsigned i = 0; i < n_columns && !failed; i++)
        failed = kan_job_set(out->job, "qi", rows->where->columns[i]) != KAN_OK;
    kan_run_set_threads(run, 0);
    if (failed || kan_setup_make(out->job, &out->setup) != KAN_OK)
        return fail(run);
    kan_run_set_threads(run, 1);
    return 0;
}

void trial_fold_destroy(trial_fold *fold) {
    if (fold->setup.run)
        kan_setup_destroy(&fold->setup);
    kan_job_destroy(fold->job);
}

/* ---- questions ------------------------------------------------------------------------------ */

kan_status trial_ask(const trial_fold *fold, const trial_question *wanted, trial_asked *out) {
    kan_run *run = fold->setup.run;
    memset(out, 0, sizeof *out);
    kan_arena_init(&out->arena, run);
    kan_options_init(&out->options, &out->arena);
    const kan_problem *problem = &fold->setup.problem;
    const kan_kind *cost;
    kan_suppress_limit limit;
    if (!kan_suppress_parse(wanted->limit, &limit))
        return kan_fail(run, KAN_BAD_INPUT, "%s is no suppression limit: N, P%% or all",
                        wanted->limit);
    KAN_TRY(kan_options_add(&out->options, "k", wanted->k));
    KAN_TRY(kan_options_add(&out->options, "cost", wanted->cost));
    if (wanted->marking)
        KAN_TRY(kan_options_add(&out->options, "marking", wanted->marking));
    KAN_TRY(kan_registry_need(run, KAN_FAMILY_COST, wanted->cost, &cost));
    kan_promise_init(&out->promise, kan_suppress_rows(&limit, problem->n_rows));
    KAN_TRY(kan_promise_add(&out->promise, run, &out->arena, &kan_privacy_k_anonymity,
                            &out->options, problem));
    KAN_TRY(kan_objective_create(run, &out->arena, (const kan_cost_kind *)cost, &out->options,
                                 out->promise.k, problem, &out->objective));
    out->question = (kan_question){.problem = problem,
                                   .promise = &out->promise,
                                   .objective = &out->objective,
                                   .options = &out->options,
                                   .wants_release = !wanted->wants_all,
                                   .wants_all = wanted->wants_all};
    return KAN_OK;
}

void trial_asked_destroy(trial_asked *asked) {
    kan_options_destroy(&asked->options);
    kan_arena_destroy(&asked->arena);
}

__attribute__((noinline)) kan_status bench_search_once(const kan_search_kind *search, kan_run *run,
                                                       const kan_question *question,
                                                       kan_answer *out) {
    kan_status status = search->search(run, question, out);
    __asm__ volatile("" ::: "memory"); /* it returns here, and is not left before */
    return status;
}

/* Released groups of the answer's node, counted from the base. */
static kan_status count_groups(const trial_asked *asked, trial_result *result) {
    kan_status status;
    const kan_problem *problem = asked->question.problem;
    kan_workspace *workspace = NULL;
    kan_freqset set;
    kan_viewer viewer;
    kan_groups groups;
    kan_freqset_init(&set);
    kan_viewer_init(&viewer, problem);
    KAN_TRY_DONE(kan_workspace_create(problem->run, &workspace));
    KAN_TRY_DONE(kan_freqset_rollup(&problem->space, &problem->base, result->answer.recoding.levels,
                                    workspace, &set));
    KAN_TRY_DONE(kan_viewer_groups(&viewer, &set, &groups));
    kan_promise_check(&asked->promise, &groups, viewer.is_released);
    for (size_t g = 0; g < groups.n_groups; g++)
        result->n_groups += viewer.is_released[g] != 0;
done:
    kan_viewer_destroy(&viewer);
    kan_freqset_destroy(problem->run, &set);
    kan_workspace_destroy(workspace);
    return status;
}

static kan_status run_once(kan_run *run, const kan_search_kind *search, const trial_asked *asked,
                           double budget_s, trial_result *result) {
    kan_answer answer;
    double wall = kan_now_ms();
    kan_run_set_time_limit(run, budget_s);
    double cpu = bench_cpu_ms();
    kan_status status = bench_search_once(search, run, &asked->question, &answer);
    cpu = bench_cpu_ms() - cpu;
    wall = kan_now_ms() - wall;
    kan_run_set_time_limit(run, 0);
    /* A search that keeps its best so far has not finished either. */
    const bool is_over = budget_s > 0 && wall >= budget_s * 1e3;
    const size_t n_minimal = status == KAN_OK ? answer.n_minimal : 0;
    if (status == KAN_OK)
        kan_answer_destroy(run, &answer);
    if (is_over) {
        result->state = TRIAL_OVER;
        return KAN_OK;
    }
    if (status != KAN_OK)
        return status;
    answer.n_minimal = n_minimal;
    result->ms = result->state == TRIAL_NONE || cpu < result->ms ? cpu : result->ms;
    result->state = TRIAL_DONE;
    result->answer = answer;
    return KAN_OK;
}

trial_result trial_run(const trial_fold *fold, const kan_search_kind *search,
                       const trial_question *question) {
    trial_result result = {.state = TRIAL_NONE};
    if (!search)
        return result;
    kan_run *run = fold->setup.run;
    trial_asked asked;
    kan_status status = trial_ask(fold, question, &asked);
    const unsigned most_runs = question->most_runs ? question->most_runs : TRIAL_MOST_RUNS;
    double spent = 0;
    for (unsigned i = 0; status == KAN_OK && result.state != TRIAL_OVER && i < most_runs &&
                         (i < question->least_runs || spent < TRIAL_ENOUGH_MS);
         i++) {
        double start = bench_cpu_ms();
        status = run_once(run, search, &asked, question->budget_s, &result);
        spent += bench_cpu_ms() - start;
    }
    if (status == KAN_OK && result.state == TRIAL_DONE && result.answer.is_found)
        status = count_groups(&asked, &result);
    if (status != KAN_OK) {
        fprintf(stderr, "kanon-bench: %s: %s\n", search->kind.name, kan_run_error(run));
        result.state = TRIAL_REFUSED;
    }
    trial_asked_destroy(&asked);
    return result;
}

const kan_search_kind *trial_search_find(const char *name) {
    return (const kan_search_kind *)kan_registry_find(KAN_FAMILY_SEARCH, name);
}

/* Searching, and measuring what was found with every cost there is. */
#include "job/solution.h"

#include <string.h>

#include "group/row_keys.h"
#include "job/certificate.h"
#include "job/registry.h"

static kan_status nothing_found(const kan_setup *setup, const kan_answer *answer) {
    char needed[32], limit[32];
    uint64_t least = answer->least_suppressed;
    /* Where merging can spoil a group, a search that prunes has not seen the node that loses least.
     */
    const bool is_least = setup->promise.absorbs_any || !setup->search->needs_monotone;
    if (is_least && least > setup->promise.limit && least < setup->problem.n_rows)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "no generalization satisfies the promise within the suppression limit of "
                        "%s rows; --suppress %llu is the smallest limit that would (%s rows)",
                        kan_count_text(setup->promise.limit, limit), (unsigned long long)least,
                        kan_count_text(least, needed));
    if (!is_least)
        return kan_fail(
            setup->run, KAN_UNSATISFIED,
            "no generalization satisfies the promise; ask for less, or allow rows to be "
            "left out with --suppress");
    return kan_fail(setup->run, KAN_UNSATISFIED,
                    "no generalization satisfies the promise without suppressing every row; ask "
                    "for less, or give the hierarchies more levels");
}

static kan_status measure_all(kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST) && i < KAN_MAX_METRICS; i++) {
        const kan_cost_kind *kind = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
        kan_objective objective;
        solution->metrics[i].name = kind->kind.name;
        solution->n_metrics = i + 1;
        if (kind->needs_class && setup->problem.class_tail == KAN_NO_TAIL)
            continue;
        KAN_TRY(kan_objective_create(setup->run, &setup->job->arena, kind, &setup->job->options,
                                     &setup->problem, &objective));
        solution->metrics[i].score = kind->measure(objective.state, &solution->groups);
        solution->metrics[i].is_known = true;
    }
    return KAN_OK;
}

/* The groups at the solution's levels, from the base: nothing of the search's own sets is used. */
static kan_status measure(kan_solution *solution) {
    kan_status status;
    const kan_setup *setup = solution->setup;
    const kan_space *space = &setup->problem.space;
    kan_workspace *workspace = NULL;
    unsigned quasi[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < space->n_attributes; a++)
        quasi[a] = a;
    KAN_TRY(kan_workspace_create(setup->run, &workspace));
    KAN_TRY_DONE(kan_freqset_rollup(space, &setup->problem.base, solution->answer.recoding.levels,
                                    workspace, &solution->set));
    KAN_TRY_DONE(kan_freqset_project(space, &solution->set, quasi, space->n_attributes, workspace,
                                     &solution->quasi_set));
    KAN_TRY_DONE(kan_viewer_groups(&solution->viewer, &solution->set, &solution->groups));
    kan_promise_check(&setup->promise, &solution->groups, solution->viewer.is_released);
    kan_viewer_loss(&solution->viewer, &solution->set, &solution->groups);
    for (size_t g = 0; g < solution->groups.n_groups; g++)
        if (solution->groups.is_released[g] &&
            (solution->smallest_group == 0 || solution->groups.count[g] < solution->smallest_group))
            solution->smallest_group = solution->groups.count[g];
    KAN_TRY_DONE(measure_all(solution));
done:
    kan_workspace_destroy(workspace);
    return status;
}

/* A search that prunes would give wrong answers where generalizing can break the promise. */
static kan_status check_search(const kan_setup *setup) {
    if (!setup->search->needs_monotone || kan_promise_is_monotone(&setup->promise))
        return KAN_OK;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--algorithm %s leaves out what it can infer, which is wrong for this promise: "
                    "a more general release may break it%s; use --algorithm exhaustive, which "
                    "looks at every generalization",
                    setup->search->kind.name,
                    setup->promise.survives_merge ? " when rows are suppressed" : "");
}

kan_status kan_solution_find(const kan_setup *setup, bool wants_release, kan_solution *out) {
    memset(out, 0, sizeof *out);
    out->setup = setup;
    kan_viewer_init(&out->viewer, &setup->problem);
    const bool is_certified = kan_options_find(&setup->job->options, "certificate") != NULL;
    kan_question question = {.problem = &setup->problem,
                             .promise = &setup->promise,
                             .objective = &setup->objective,
                             .options = &setup->job->options,
                             .wants_release = wants_release,
                             .wants_all = !wants_release || is_certified,
                             .wants_failing = is_certified};
    KAN_TRY(check_search(setup));
    KAN_TRY(kan_certificate_is_possible(setup));
    double start = kan_now_ms();
    kan_report_progress(setup->run, "search", 0, 0);
    KAN_TRY(setup->search->search(setup->run, &question, &out->answer));
    out->search_ms = kan_now_ms() - start;
    kan_run_set_time_limit(setup->run, 0); /* an answer that was found in time is written */
    if (!out->answer.is_found)
        return nothing_found(setup, &out->answer);
    return measure(out);
}

void kan_solution_destroy(kan_solution *solution) {
    kan_run *run = solution->setup->run;
    kan_viewer_destroy(&solution->viewer);
    kan_freqset_destroy(run, &solution->set);
    kan_freqset_destroy(run, &solution->quasi_set);
    kan_answer_destroy(run, &solution->answer);
}

kan_status kan_solution_mark_rows(const kan_solution *solution, uint8_t *is_suppressed) {
    const kan_setup *setup = solution->setup;
    return kan_freqset_mark_rows(&setup->problem.space, &solution->quasi_set,
                                 solution->groups.is_released, setup->table->n_rows, is_suppressed);
}

/* Searching, and measuring what was found with every cost there is. */
#include "job/solution/solution.h"

#include <math.h>
#include <string.h>

#include "group/freqsets/freqsets.h"
#include "job/settings/settings.h"

/* Where merging groups that pass keeps the promise, the table as a whole keeps it if anything does
 * that releases every row; local searches try it at the latest when nothing else is left. */
static kan_status nothing_local(const kan_setup *setup) {
    if (setup->promise.survives_merge && setup->promise.limit == 0)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "the table as a whole does not keep the promise, so no release of all rows "
                        "does; ask for less, or allow rows to be left out with --suppress");
    return kan_fail(setup->run, KAN_UNSATISFIED,
                    "--algorithm %s found no release that keeps the promise within the limit; that "
                    "does not prove that there is none: allow more rows to be left out with "
                    "--suppress, or ask for less",
                    setup->search->kind.name);
}

/* Rows that a highest level tells apart are never together, so that each of their parts has to keep
 * the promise by itself. */
static kan_status nothing_within(const kan_setup *setup) {
    kan_text bounds;
    kan_text_init(&bounds, setup->run);
    kan_setup_add_bounds(setup, &bounds);
    kan_status status = kan_text_status(&bounds);
    if (status == KAN_OK)
        status = kan_fail(setup->run, KAN_UNSATISFIED,
                          "--algorithm %s found nothing within %s that keeps the promise: rows "
                          "that a highest level tells apart cannot be joined; allow higher levels, "
                          "leave --level out, or ask for less",
                          setup->search->kind.name, bounds.bytes);
    kan_text_destroy(&bounds);
    return status;
}

/* What other levels would do is not known: they were not counted. */
static kan_status nothing_counted(const kan_setup *setup, const kan_answer *answer) {
    kan_text bounds;
    char needed[32];
    kan_text_init(&bounds, setup->run);
    kan_setup_add_bounds(setup, &bounds);
    kan_status status = kan_text_status(&bounds);
    if (status == KAN_OK)
        status =
            kan_fail(setup->run, KAN_UNSATISFIED,
                     "no generalization within %s satisfies the promise: %s rows would have to "
                     "be suppressed; allow higher levels, leave --level out, or allow that many "
                     "with --suppress",
                     bounds.bytes, kan_count_text(answer->least_suppressed, needed));
    kan_text_destroy(&bounds);
    return status;
}

/* Regions and clusters: who is left out at their coarsest, before anything is cut. */
static kan_status nothing_of_pasts(const kan_setup *setup, const kan_answer *answer) {
    char needed[32], all[32];
    const uint64_t n = answer->least_suppressed;
    if (n == setup->problem.n_rows)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "nobody can be released together with the earlier releases: each of the %s "
                        "rows is of somebody who shared them with too few; ask for less",
                        kan_count_text(n, all));
    return kan_fail(
        setup->run, KAN_UNSATISFIED,
        "%s %s of people who shared all earlier releases with too few, or are new and too "
        "few, whatever is released; --suppress %llu leaves them out",
        kan_count_text(n, needed), kan_plural(n, "row is", "rows are"), (unsigned long long)n);
}

static kan_status nothing_found(const kan_setup *setup, const kan_answer *answer) {
    char needed[32], limit[32];
    const char *one = kan_setup_unit(setup, 1), *many = kan_setup_unit(setup, 2);
    const uint64_t all = kan_setup_units(setup);
    uint64_t least = answer->least_suppressed;
    /* Where merging can spoil a group, a search that has not looked at every node has not seen the
     * one that loses least. */
    const bool sees_all = !setup->search->needs_monotone && setup->search->finds_all;
    const bool is_least = setup->promise.absorbs_any || sees_all;
    if (setup->search->regions && setup->problem.has_pasts)
        return nothing_of_pasts(setup, answer);
    if (setup->search->regions && kan_setup_has_bounds(setup))
        return nothing_within(setup);
    if (setup->search->local)
        return nothing_local(setup);
    if (setup->search->regions && setup->promise.survives_merge)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "the table as a whole does not keep the promise, so no way to cut it does; "
                        "ask for less");
    if (setup->search->regions)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "--algorithm %s begins with the table as a whole, which does not keep the "
                        "promise; its parts might: %suse --algorithm exhaustive, which looks at "
                        "every generalization, or ask for less",
                        setup->search->kind.name, kan_setup_before_levels(setup));
    if (!sees_all && !kan_promise_is_monotone(&setup->promise))
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "--algorithm %s found no generalization that satisfies the promise on its "
                        "way, and has not seen all; %suse --algorithm exhaustive, which looks at "
                        "every one",
                        setup->search->kind.name, kan_setup_before_levels(setup));
    if (kan_setup_has_bounds(setup) && setup->is_counted)
        return nothing_counted(setup, answer);
    if (kan_setup_has_bounds(setup))
        return kan_solution_beyond_bounds(setup, answer, is_least);
    if (is_least && least > setup->promise.limit && least < all)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "no generalization satisfies the promise within the suppression limit of "
                        "%s %s; --suppress %llu is the smallest limit that would (%s %s)",
                        kan_count_text(setup->promise.limit, limit),
                        kan_plural(setup->promise.limit, one, many), (unsigned long long)least,
                        kan_count_text(least, needed), kan_plural(least, one, many));
    if (setup->search->cuts)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "no generalization satisfies the promise: all rows in one group would not, "
                        "or nothing would be released; ask for less");
    if (!is_least)
        return kan_fail(
            setup->run, KAN_UNSATISFIED,
            "no generalization satisfies the promise; ask for less, or allow rows to be "
            "left out with --suppress");
    return kan_fail(setup->run, KAN_UNSATISFIED,
                    "no generalization satisfies the promise without suppressing every row; ask "
                    "for less, or give the hierarchies more levels");
}

/* What a cost is asked about. Cuts and regions have no levels; where cells stand is known all the
 * same. */
static const kan_problem *costed_problem(const kan_solution *solution) {
    return solution->answer.recoding.type == KAN_RECODING_LEVELS ? solution->problem
                                                                 : &solution->cost_problem;
}

static kan_status measure_all(kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST) && i < KAN_MAX_METRICS; i++) {
        const kan_cost_kind *kind = setup->costs[i];
        kan_objective objective;
        solution->metrics[i].name = kan_registry_at(KAN_FAMILY_COST, i)->name;
        solution->n_metrics = i + 1;
        if (!kan_setup_can_measure(setup, kind) || (kind->needs_levels && !solution->groups.levels))
            continue;
        KAN_TRY(kan_objective_create(setup->run, &setup->job->arena, kind, &setup->job->options,
                                     setup->promise.k, costed_problem(solution), &objective));
        solution->metrics[i].score = kan_objective_measure(&objective, &solution->groups);
        solution->metrics[i].is_known = true;
    }
    return KAN_OK;
}

/* Cells of an interval stand at the level of the lowest node that covers what is shown. */
static void lift_to_nodes(kan_solution *solution) {
    const kan_freqset *set = &solution->quasi_set;
    kan_cell_loss *loss = solution->viewer.loss;
    solution->groups.levels = NULL;
    for (unsigned f = 0; f < set->layout.n_fields; f++) {
        const kan_key_field *field = &set->layout.fields[f];
        const uint8_t *node_level = solution->shown[field->dimension].node_level;
        kan_u128 levels = 0;
        for (size_t i = 0; i < set->n; i++)
            if (solution->groups.is_released[i])
                levels +=
                    (kan_u128)set->counts[i] *
                    node_level[kan_key_field_value(field, set->keys + i * set->layout.n_words)];
        loss[field->dimension].levels = levels;
    }
}

static kan_status group_rows(kan_solution *solution) {
    kan_status status;
    const kan_space *space = &solution->problem->space;
    kan_workspace *workspace = NULL;
    unsigned quasi[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < space->n_attributes; a++) {
        quasi[a] = a;
        levels[a] = solution->shown[a].level;
    }
    KAN_TRY(kan_workspace_create(solution->setup->run, &workspace));
    KAN_TRY_DONE(
        kan_freqset_rollup(space, &solution->problem->base, levels, workspace, &solution->set));
    KAN_TRY_DONE(kan_solution_keep_people(solution));
    KAN_TRY_DONE(kan_freqset_project(space, &solution->set, quasi, space->n_attributes, workspace,
                                     &solution->quasi_set));
done:
    kan_workspace_destroy(workspace);
    return status;
}

kan_status kan_solution_score(const kan_solution *solution, kan_score *out) {
    const kan_setup *setup = solution->setup;
    kan_objective objective;
    if (setup->cost->needs_levels && kan_search_orders(setup->search))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--cost %s measures levels of hierarchies, and --algorithm %s has none; "
                        "choose another cost, such as discernibility or ncp",
                        setup->cost->kind.name, setup->search->kind.name);
    KAN_TRY(kan_objective_create(setup->run, &setup->job->arena, setup->cost, &setup->job->options,
                                 setup->promise.k, costed_problem(solution), &objective));
    *out = kan_objective_measure(&objective, &solution->groups);
    return KAN_OK;
}

/* What a search says it found and what the base says must be one cost, where both are exact. */
static kan_status check_score(const kan_solution *solution) {
    kan_score score;
    KAN_TRY(kan_solution_score(solution, &score));
    if (kan_score_compare(&score, &solution->answer.score) == 0)
        return KAN_OK;
    return kan_fail(solution->setup->run, KAN_FAILED,
                    "internal error: the solution does not cost what the search says; please "
                    "report this");
}

static kan_status measure_sets(kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    KAN_TRY(kan_solution_show(solution));
    kan_viewer_init(&solution->viewer, solution->problem);
    KAN_TRY(group_rows(solution));
    if (solution->problem->has_person) {
        KAN_TRY(kan_solution_check_people(solution));
    } else {
        KAN_TRY(kan_leavers_see(&solution->leavers, &setup->promise, &solution->set,
                                &solution->viewer, &solution->groups));
    }
    KAN_TRY(kan_solution_count_leaves(solution));
    KAN_TRY(kan_solution_fit_names(solution));
    KAN_TRY(kan_solution_name(solution));
    if (kan_leavers_thin(&setup->problem, &setup->promise))
        kan_viewer_sum_loss(&solution->viewer, &solution->set, &solution->groups);
    else
        kan_viewer_loss(&solution->viewer, &solution->set, &solution->groups);
    if (kan_recoding_has_cuts(&solution->answer.recoding))
        lift_to_nodes(solution);
    KAN_TRY(kan_solution_sum_people(solution));
    if (setup->has_given)
        return kan_solution_score(solution, &solution->answer.score);
    return kan_recoding_has_cuts(&solution->answer.recoding) ? check_score(solution) : KAN_OK;
}

/* The groups of the solution, from the base: nothing of the search's own sets is used. */
static kan_status measure(kan_solution *solution) {
    KAN_TRY(kan_recoding_has_regions(&solution->answer.recoding) ? kan_solution_group(solution)
                                                                 : measure_sets(solution));
    for (size_t g = 0; g < solution->groups.n_groups; g++) {
        const uint64_t n_rows = solution->groups.count[g];
        if (!solution->groups.is_released[g])
            continue;
        if (solution->smallest_group == 0 || n_rows < solution->smallest_group)
            solution->smallest_group = n_rows;
        if (n_rows > solution->largest_group)
            solution->largest_group = n_rows;
    }
    return measure_all(solution);
}

/* Regions that show the same are one group. Where each passes and both together might not, a
 * search must not make such regions: rows of one tuple in several, or means in place of ranges.
 * Local searches check what they show alike together. */
static kan_status check_regions(const kan_setup *setup) {
    const bool is_shared = setup->search->divides && !setup->search->local;
    if (!setup->search->regions || setup->promise.survives_merge ||
        (!is_shared && !kan_summary_is_number(kan_setup_summary(setup))))
        return KAN_OK;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "%s%s may show the same for two groups, which are then one, and this promise "
                    "does not survive that%s; %suse --algorithm mondrian%s, or exhaustive",
                    is_shared ? "--algorithm " : "--summary ",
                    is_shared ? setup->search->kind.name
                              : kan_options_find(&setup->job->options, "summary"),
                    setup->person ? " where somebody may be in both" : "",
                    kan_setup_before_levels(setup), is_shared ? "" : " with ranges");
}

/* The name of a model of the whole table. */
static const char *table_model(const kan_promise *promise) {
    unsigned m = 0;
    while (!kan_privacy_is_of_table(promise->models[m].kind))
        m++;
    return promise->models[m].kind->kind.name;
}

/* Searches that make one group after the other do not know which of them the others would let
 * leave. */
static kan_status check_table_models(const kan_setup *setup) {
    if (!(setup->promise.is_of_table || setup->promise.weighs_people) ||
        !kan_search_orders(setup->search))
        return KAN_OK;
    return kan_fail(
        setup->run, KAN_BAD_INPUT,
        "--%s is about all groups of a release together, and --algorithm %s decides "
        "about each by itself; %suse --algorithm auto or exhaustive, or promise the size "
        "of every group with --k",
        table_model(&setup->promise), setup->search->kind.name, kan_setup_before_levels(setup));
}

/* A search that prunes would give wrong answers where generalizing can break the promise. */
static kan_status check_search(const kan_setup *setup) {
    KAN_TRY(check_table_models(setup));
    if (!setup->search->needs_monotone || kan_promise_is_monotone(&setup->promise))
        return check_regions(setup);
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--algorithm %s leaves out what it can infer, which is wrong for this promise: "
                    "a more general release may break it%s; %suse --algorithm exhaustive, which "
                    "looks at every generalization",
                    setup->search->kind.name,
                    setup->promise.survives_merge ? " when rows are suppressed" : "",
                    kan_setup_before_levels(setup));
}

/* Where the rows are, with what it begins with. */
static kan_status search_rows(const kan_question *question, kan_solution *out) {
    const kan_setup *setup = out->setup;
    if (setup->is_counted)
        return kan_setup_search_counted(setup, question, &out->answer);
    if (setup->search->begins_with_levels)
        return kan_solution_search_seeded(setup, question, &out->answer);
    return setup->search->search(setup->run, question, &out->answer);
}

/* And what may be shown of its answer where rows are to match. */
static kan_status search_anywhere(kan_question *question, kan_solution *out) {
    const kan_setup *setup = out->setup;
    question->keeps_apart = setup->stratum != NULL;
    question->apart = setup->stratum_dimension;
    KAN_TRY(search_rows(question, out));
    if (setup->subsets.n > 0 && !setup->promise.subsets) {
        out->is_best_of_more = out->answer.is_optimal;
        out->answer.is_optimal = false;
        out->answer.bound = 0;
    }
    if (setup->shows_sets && out->answer.is_found)
        return kan_sets_improve(setup->run, question, &setup->subsets, &out->answer);
    return setup->matches_missing && out->answer.is_found ? kan_solution_match(question, out)
                                                          : KAN_OK;
}

/* An interrupt makes an anytime search return its best so far. A certificate is a proof, which such
 * an answer lacks: where one is wanted an interrupt cancels. */
static kan_status search(kan_question *question, kan_solution *out) {
    const kan_search_kind *kind = out->setup->search;
    kan_run *run = out->setup->run;
    const double start = kan_now_ms();
    if (kind->is_anytime && !question->wants_failing)
        kan_anytime_begin(run);
    kan_report_progress(run, "search", 0, 0);
    kan_status status = search_anywhere(question, out);
    /* That nothing was found until it was stopped does not mean that there is nothing. */
    if (status == KAN_OK && kind->is_anytime && !out->answer.is_found)
        status = kan_check_cancel(run);
    out->is_interrupted = kan_anytime_end(run);
    /* What was found before somebody cancelled is not for anybody. */
    if (status == KAN_OK && kan_run_is_cancelled(run))
        status = kan_check_cancel(run);
    out->search_ms = kan_now_ms() - start;
    kan_run_set_time_limit(run, 0); /* an answer that was found in time is written */
    return status;
}

/* With what an earlier run has proven, and for a later one. */
static kan_status search_with_proof(kan_question *question, kan_solution *out) {
    const kan_setup *setup = out->setup;
    kan_proof before;
    bool is_there;
    kan_status status = kan_proof_read(setup, &before, &is_there);
    const bool was_open = !is_there || before.n_open > 0;
    question->proof = is_there ? &before : NULL;
    question->wants_proof = kan_proof_path(setup) != NULL;
    question->keep_proof = kan_proof_keep;
    question->keep_context = (void *)(uintptr_t)setup;
    if (status == KAN_OK)
        status = search(question, out);
    kan_proof_destroy(setup->run, &before);
    question->proof = NULL;
    if (status == KAN_OK && question->wants_proof && was_open && out->answer.is_found)
        status = kan_proof_write(setup, &out->answer.proof);
    return status;
}

/* The rows came after the search: they must be those that it counted. */
static kan_status check_counted(const kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    kan_score score;
    KAN_TRY(kan_solution_score(solution, &score));
    if (solution->groups.n_left_out <= setup->promise.limit &&
        kan_score_compare(&score, &solution->answer.score) == 0)
        return KAN_OK;
    return kan_setup_changed(setup);
}

static void note_interrupt(const kan_solution *solution) {
    const kan_answer *answer = &solution->answer;
    const char *cost = solution->setup->cost->kind.name;
    const double gap = (answer->score.real - answer->bound) / answer->score.real;
    if (!solution->is_interrupted || answer->is_optimal)
        return;
    if (answer->bound > 0 && gap >= 0 && gap <= 1)
        kan_note(solution->setup->run,
                 "the search was interrupted: this is the best that it had found; by %s another "
                 "could cost at most %.1f %% less",
                 cost, ceil(gap * 1000) / 10);
    else
        kan_note(solution->setup->run,
                 "the search was interrupted: this is the best that it had found; how much less "
                 "another could cost by %s is not known",
                 cost);
}

/* Searches that begin with levels give the effort to those. */
static void take_effort(const kan_setup *setup, kan_question *question) {
    const char *text = kan_options_find(&setup->job->options, "effort");
    if (!text || !kan_effort_parse(text, &question->most_steps))
        return;
    if (setup->is_counted)
        kan_note(setup->run,
                 "--effort has no effect where the engine counts: its search goes on to the "
                 "proof, or until --time-limit");
    else if (!setup->search->counts_steps && !setup->search->begins_with_levels)
        kan_note(setup->run, "--effort has no effect: --algorithm %s does not count steps",
                 setup->search->kind.name);
}

kan_status kan_solution_find(kan_setup *setup, const kan_solution_wants *wants, kan_solution *out) {
    enum { MOST_NODES = 100000 };
    memset(out, 0, sizeof *out);
    out->setup = setup;
    out->problem = &setup->problem;
    kan_viewer_init(&out->viewer, out->problem);
    kan_leavers_init(&out->leavers, out->problem);
    kan_person_summer_init(&out->summer, out->problem);
    /* Whoever only looks is told what a release would be: the same levels. */
    kan_question question = {
        .problem = &setup->problem,
        .model = setup->model,
        .promise = &setup->promise,
        .objective = &setup->objective,
        .options = &setup->job->options,
        .wants_release = true,
        .wants_all = !wants->release || wants->all || wants->certificate,
        .wants_failing = wants->certificate,
        .n_wanted = wants->nodes ? MOST_NODES : 0,
        .seed = setup->has_seed ? &setup->seed : NULL,
        .queries = setup->queries,
        .n_queries = setup->n_queries,
        .purpose = setup->purpose && setup->purpose->is_followed ? &setup->purpose->of : NULL};
    if (setup->has_given) {
        KAN_TRY(kan_solution_take_given(setup, &out->answer));
        KAN_TRY(measure(out));
        return kan_solution_check_given(out, wants->release);
    }
    KAN_TRY(check_search(setup));
    take_effort(setup, &question);
    KAN_TRY(kan_solution_check_digits(setup));
    if (setup->is_counted)
        KAN_TRY(kan_setup_open_counted(setup));
    KAN_TRY(search_with_proof(&question, out));
    if (!out->answer.is_found)
        return nothing_found(setup, &out->answer);
    note_interrupt(out);
    if (!setup->is_counted)
        return measure(out);
    KAN_TRY(kan_setup_fold_at(setup, out->answer.recoding.levels));
    KAN_TRY(measure(out));
    KAN_TRY(kan_setup_end_counted(setup));
    return check_counted(out);
}

void kan_solution_destroy(kan_solution *solution) {
    kan_run *run = solution->setup->run;
    kan_viewer_destroy(&solution->viewer);
    kan_leavers_destroy(&solution->leavers);
    kan_person_summer_destroy(&solution->summer);
    kan_free(run, solution->people_near);
    kan_freqset_destroy(run, &solution->set);
    kan_freqset_destroy(run, &solution->quasi_set);
    kan_freqset_destroy(run, &solution->gone);
    if (solution->problem == &solution->interval_problem)
        kan_space_destroy(&solution->interval_problem.space);
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES; a++)
        kan_shown_destroy(&solution->shown[a]);
    kan_group_release_destroy(run, &solution->by_group);
    kan_answer_destroy(run, &solution->answer);
}

static kan_status mark_by_group(const kan_solution *solution, uint8_t *is_suppressed) {
    const uint32_t *group_of_row = solution->by_group.group_of_row;
    if (!group_of_row)
        return kan_fail(solution->setup->run, KAN_FAILED,
                        "internal error: the groups of rows are not known; please report this");
    for (uint64_t row = 0; row < solution->setup->table->n_rows; row++)
        is_suppressed[row] = !solution->groups.is_released[group_of_row[row]];
    return KAN_OK;
}

/* With pasts a group may have lost parts. */
static kan_status mark_by_part(const kan_solution *solution, uint8_t *is_suppressed) {
    const kan_setup *setup = solution->setup;
    uint8_t *is_wanted;
    KAN_TRY(kan_alloc_zero(setup->run, solution->gone.n + 1, 1, &is_wanted));
    const kan_status status = kan_freqset_mark_rows(&solution->problem->space, &solution->gone,
                                                    is_wanted, setup->table->n_rows, is_suppressed);
    kan_free(setup->run, is_wanted);
    return status;
}

kan_status kan_solution_mark_rows(const kan_solution *solution, uint8_t *is_suppressed) {
    const kan_setup *setup = solution->setup;
    if (kan_recoding_has_regions(&solution->answer.recoding))
        return mark_by_group(solution, is_suppressed);
    if (solution->problem->has_pasts)
        return mark_by_part(solution, is_suppressed);
    if (setup->promise.by_person) {
        for (uint64_t row = 0; row < setup->table->n_rows; row++)
            is_suppressed[row] =
                solution->leavers.is_gone[kan_column_code(kan_setup_whose(setup), row)];
        return KAN_OK;
    }
    return kan_freqset_mark_rows(&solution->problem->space, &solution->quasi_set,
                                 solution->groups.is_released, setup->table->n_rows, is_suppressed);
}

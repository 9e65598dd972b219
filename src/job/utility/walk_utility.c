/* `utility` with a workload: answers it on a release and on the original, and tells the errors.
 *
 * Order: read the workload, open both tables, find its columns in them, read those alone, bind the
 * hierarchies that are known, answer, tell. The result holds exact answers on the original: it is
 * for those who may see that. */
#include <stdio.h>
#include <string.h>

#include "analyze/workload/workload.h"
#include "job/input/input.h"
#include "job/settings/settings.h"
#include "job/utility/utility_inside.h"

/* ---- columns -------------------------------------------------------------------------------- */

/* Where the means of a column's groups are released: NAME-mean, if the original has no such column.
 */
static kan_status find_means(kan_utility_walk *u, const char *name, kan_asked_place *place) {
    KAN_TRY(
        kan_mean_column_find(&u->release, &u->original, name, &place->means, &place->has_means));
    if (place->has_means)
        u->release.encode[place->means] = true;
    return KAN_OK;
}

static kan_status find_columns(kan_utility_walk *u) {
    const kan_workload *workload = u->workload;
    KAN_TRY(kan_alloc_zero(u->run, workload->n_names, sizeof *u->places, &u->places));
    kan_problems_begin(u->run);
    for (uint32_t name = 0; name < workload->n_names; name++) {
        kan_asked_place *place = &u->places[name];
        /* A name that neither has is misspelt: once is enough. */
        if (kan_input_find(&u->original, kan_slice_of(workload->names[name]), &place->original))
            u->original.encode[place->original] = true;
        else {
            kan_workload_report_missing(workload, name, u->original.name, u->original.columns,
                                        u->original.n_columns);
            continue;
        }
        if (kan_input_find(&u->release, kan_slice_of(workload->names[name]), &place->released))
            u->release.encode[place->released] = true;
        else
            kan_workload_report_missing(workload, name, u->release.name, u->release.columns,
                                        u->release.n_columns);
        KAN_TRY(find_means(u, workload->names[name], place));
    }
    return kan_problems_end(u->run);
}

/* Whether cells show one value for all rows of a group: --summary and --modes say so of
 * quasi-identifiers, which are those of --qi, or all columns that are asked for. */
static bool shows_middles(const kan_utility_walk *u, const kan_asked_place *place) {
    const kan_options *options = &u->job->options;
    const kan_column *column = &u->original.table->columns[place->original];
    if (!place->is_quasi && kan_role_count(options, KAN_ROLE_QUASI) > 0)
        return false;
    if (column->dictionary.type == KAN_TYPE_TEXT)
        return kan_choice_modes(options);
    return column->dictionary.type == KAN_TYPE_NUMBER &&
           kan_summary_is_number(kan_choice_summary(options));
}

/* What --qi says of a column; a name that the original has not is a problem. */
static kan_status take_specs(kan_utility_walk *u) {
    const kan_role_table table = {.input = &u->original, .needs = KAN_ROLE_SET(KAN_ROLE_QUASI)};
    kan_roles roles;
    KAN_TRY(kan_roles_read(u->job, "utility", &table, 1, &roles));
    for (size_t i = 0; i < roles.named[KAN_ROLE_QUASI].n; i++) {
        const kan_role_column *quasi = &roles.named[KAN_ROLE_QUASI].columns[i];
        for (uint32_t n = 0; n < u->workload->n_names; n++)
            if (u->places[n].original == quasi->at[0]) {
                u->places[n].spec = quasi->hierarchy;
                u->places[n].is_quasi = true;
            }
    }
    return KAN_OK;
}

kan_status kan_utility_bind_hierarchy(kan_job *job, const kan_column *original,
                                      const kan_column *released, const char *spec,
                                      kan_hierarchy **out) {
    bool lacks_file = !kan_options_find(&job->options, "hierarchies");
    if (!spec && !lacks_file)
        KAN_TRY(kan_input_lacks_hierarchy(job, original, &lacks_file));
    if (!spec && lacks_file)
        return KAN_OK;
    KAN_TRY(kan_input_hierarchy(job, original, spec, out));
    return kan_hierarchy_fit_names(*out, released);
}

/* The columns as they were read; problems of hierarchies and of predicates are told together. */
static kan_status bind_columns(kan_utility_walk *u) {
    const size_t n = u->workload->n_names;
    KAN_TRY(kan_alloc_zero(u->run, n, sizeof *u->columns, &u->columns));
    kan_problems_begin(u->run);
    KAN_TRY(take_specs(u));
    for (uint32_t name = 0; name < n; name++) {
        kan_asked_place *place = &u->places[name];
        const kan_column *original = &u->original.table->columns[place->original];
        const size_t before = kan_problems_count(u->run);
        const kan_status status = kan_utility_bind_hierarchy(
            u->job, original, &u->release.table->columns[place->released], place->spec,
            &place->hierarchy);
        if (status != KAN_OK && kan_problems_count(u->run) == before)
            return status;
        KAN_TRY(kan_workload_take(u->workload, name, original->spelling));
        kan_workload_check(u->workload, name, original);
        u->columns[name] = (kan_asked_column){
            .original = original,
            .released = &u->release.table->columns[place->released],
            .means = place->has_means ? &u->release.table->columns[place->means] : NULL,
            .hierarchy = place->hierarchy,
            .shows_middles = shows_middles(u, place)};
    }
    KAN_TRY(kan_problems_end(u->run));
    for (uint32_t name = 0; name < n; name++)
        kan_workload_note_absent(u->workload, name, u->columns[name].original);
    return KAN_OK;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status walk(kan_utility_walk *u, kan_result *out) {
    const kan_options *options = &u->job->options;
    KAN_TRY(kan_workload_read(u->run, kan_options_find(options, "workload"), &u->workload));
    KAN_TRY(u->release_path
                ? kan_input_open_path(u->job, u->release_path, u->is_guarded, &u->release)
                : kan_input_open_release(u->job, "input", false, &u->release));
    KAN_TRY(kan_input_open(u->job, u->release_path ? "input" : "original", false, &u->original));
    KAN_TRY(find_columns(u));
    KAN_TRY(kan_input_read(&u->original));
    KAN_TRY(kan_input_read_release(&u->release, &u->original));
    KAN_TRY(bind_columns(u));
    u->read_ms = kan_now_ms() - u->start_ms;
    const kan_utility_question question = {.workload = u->workload,
                                           .columns = u->columns,
                                           .n_original = u->original.table->n_rows,
                                           .n_released = u->release.table->n_rows,
                                           .release_name = u->release.name};
    KAN_TRY(kan_utility_measure(u->run, &question, &u->utility));
    u->answer_ms = kan_now_ms() - u->start_ms - u->read_ms;
    return kan_utility_write(u, out);
}

static kan_status measure(kan_job *job, const char *release_path, bool is_guarded,
                          kan_result *out) {
    kan_utility_walk u = {.job = job,
                          .run = job->run,
                          .release_path = release_path,
                          .is_guarded = is_guarded,
                          .utility = {.run = job->run},
                          .start_ms = kan_now_ms()};
    const kan_status status = walk(&u, out);
    kan_utility_destroy(&u.utility);
    for (size_t i = 0; u.places && i < u.workload->n_names; i++)
        kan_hierarchy_destroy(u.places[i].hierarchy);
    kan_free(u.run, u.places);
    kan_free(u.run, u.columns);
    kan_workload_destroy(u.workload);
    kan_input_close(&u.release);
    kan_input_close(&u.original);
    return status;
}

kan_status kan_walk_utility(kan_job *job, kan_result *out) {
    return kan_options_find(&job->options, "workload") ? measure(job, NULL, false, out)
                                                       : kan_fidelity_walk_run(job, out);
}

kan_status kan_utility_of_release(kan_job *job, const char *path, bool is_guarded,
                                  kan_result *out) {
    return measure(job, path, is_guarded, out);
}

/* The population that a release is held against: read as `risk` reads it, and matched by what the
 * release shows. */
#include "analyze/models/models.h"
#include "job/settings/settings.h"
#include "job/verify/verify_inside.h"

/* The flag of the first model that needs a population; NULL: none was asked for. */
static const char *wanted_by(const kan_verification *v) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_kind *kind = kan_registry_at(KAN_FAMILY_PRIVACY, i);
        const kan_recount_kind *recount = kan_recount_find(kind->name);
        if (recount && recount->uses_population && kan_registry_wants(kind, &v->job->options))
            return kind->options[0].name;
    }
    return NULL;
}

kan_status kan_verify_open_population(kan_verification *v) {
    const char *flag = wanted_by(v);
    const bool is_named = kan_job_names_table(v->job, "population");
    const char *person = kan_options_find(&v->job->options, "person");
    if (is_named && !flag)
        kan_note(v->run, "--population does nothing without a promise about it: --k-map or "
                         "--presence");
    if (!flag)
        return KAN_OK;
    if (!is_named)
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "--%s: which population? name a table of everybody from whom the table was "
                        "drawn with --population FILE",
                        flag);
    v->has_people = true;
    KAN_TRY(kan_input_open(v->job, "population", false, &v->people.input));
    if (person)
        KAN_TRY(kan_input_take_whose(&v->people.input, kan_slice_of(person), &v->people_person));
    KAN_TRY(kan_alloc_zero(v->run, v->n_quasi, sizeof *v->people_columns, &v->people_columns));
    KAN_TRY(
        kan_alloc_zero(v->run, v->n_quasi, sizeof *v->people_hierarchies, &v->people_hierarchies));
    kan_problems_begin(v->run);
    for (size_t i = 0; i < v->n_quasi; i++)
        (void)kan_input_take(&v->people.input, "qi",
                             kan_slice_of(v->release.input.columns[v->quasi_columns[i]]),
                             &v->people_columns[i]);
    return kan_problems_end(v->run);
}

/* By the hierarchies that were named, as `risk` does. */
static kan_status bind(kan_verification *v) {
    const kan_verify_labels labels = {.job = v->job,
                                      .name = v->people.input.name,
                                      .raw = v->people.table,
                                      .release = v->release.table,
                                      .columns = v->people_columns,
                                      .shown = v->quasi_columns,
                                      .specs = v->specs,
                                      .n = v->n_quasi};
    return kan_verify_bind_labels(&labels, v->people_hierarchies);
}

/* As it was written, and its columns treated as those of the table were. */
static kan_status read_people(kan_verification *v) {
    const kan_input *like = v->has_original ? &v->original.input : &v->release.input;
    if (!v->person)
        kan_input_take_counts(&v->people.input);
    KAN_TRY(kan_input_read_release(&v->people.input, like));
    KAN_TRY(kan_input_treat_like(&v->people.input, wanted_by(v), like,
                                 v->has_original ? v->quasi_originals : v->quasi_columns,
                                 v->people_columns, v->n_quasi));
    v->people.table = v->people.input.table;
    return KAN_OK;
}

kan_status kan_verify_read_population(kan_verification *v) {
    if (!v->has_people)
        return KAN_OK;
    if (v->n_groups_by > v->n_quasi)
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "%s shows means of groups, by which nobody can be matched with a "
                        "population; leave --%s out",
                        v->release.input.name, wanted_by(v));
    KAN_TRY(read_people(v));
    if (v->people.table->n_rows == 0)
        return kan_fail(v->run, KAN_BAD_INPUT, "%s has no rows, so that nobody matches",
                        v->people.input.name);
    if (v->person)
        KAN_TRY(kan_input_check_person(&v->people.input,
                                       &v->people.table->columns[v->people_person], NULL));
    KAN_TRY(bind(v));
    v->claimed = (kan_claim_population){
        .table = v->people.table,
        .person = v->person ? &v->people.table->columns[v->people_person] : NULL,
        .raw = v->people.input.raw,
        .treatments = v->people.input.treatments,
        .n_treatments = v->people.input.n_treatments,
        .n = v->n_quasi,
        .columns = v->people_columns,
        .hierarchies = (const kan_hierarchy *const *)v->people_hierarchies};
    return KAN_OK;
}

kan_status kan_verify_check_population(const kan_verification *v) {
    const kan_models_recount *found = &v->models;
    char rows[32], quoted[256];
    if (!v->has_people || found->n_missing_people == 0)
        return KAN_OK;
    kan_count_text(found->n_missing_people, rows);
    const uint64_t row = kan_shown_row(&v->release.shown, found->first_missing - 1) + 1;
    const char *has = v->person ? kan_plural(found->n_missing_people, "person has", "people have")
                                : kan_plural(found->n_missing_people, "row has", "rows have");
    if (found->missing_fault == SIZE_MAX)
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "%s: %s %s no person left in %s to match, such as row %llu; the population "
                        "must hold everybody who is in the release: are both written the same way, "
                        "and is it the right population?",
                        v->release.input.name, rows, has, v->people.input.name,
                        (unsigned long long)row);
    const kan_column *column = &v->release.table->columns[v->groups_by[found->missing_fault]];
    return kan_fail(v->run, KAN_BAD_INPUT,
                    "%s: %s %s no person left in %s to match, such as row %llu; column '%s' shows "
                    "%s there, which is neither a value of the population nor a known label; give "
                    "the hierarchy that it was made with: --hierarchies DIR or --qi %s=HIERARCHY",
                    v->release.input.name, rows, has, v->people.input.name, (unsigned long long)row,
                    column->name,
                    kan_quote(kan_column_value(column, found->first_missing - 1), quoted),
                    column->name);
}

void kan_verify_close_population(kan_verification *v) {
    for (size_t i = 0; v->people_hierarchies && i < v->n_quasi; i++)
        kan_hierarchy_destroy(v->people_hierarchies[i]);
    kan_free(v->run, v->people_hierarchies);
    kan_free(v->run, v->people_columns);
    if (v->has_people)
        kan_verify_close_side(&v->people);
}

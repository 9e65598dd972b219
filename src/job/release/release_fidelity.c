/* What can still be done with a release, for an internal report: what `kanon utility` says of it. It is
 * measured as the attack of the same report is (release_attack.c), and anonymize knows which row
 * became which. The original is the table after columns were rounded, capped or shifted. */
#include "job/release/application.h"
#include "job/utility/utility.h"

typedef struct {
    const kan_application *app;
    kan_run *run;
    kan_table *release;
    uint64_t *row_of;
    kan_fidelity_column *columns;
    size_t n;
} comparison;

static const char *why_not(const kan_application *app) {
    return kan_output_is_engine(app->setup->job) || app->release.counts
               ? "The rows stay in a database, and are not held against each other; kanon utility "
                 "compares files."
               : NULL;
}

static const kan_hierarchy *hierarchy_of(const kan_application *app, const char *name) {
    for (size_t i = 0; i < app->n_quasi; i++)
        if (strcmp(app->quasi[i], name) == 0)
            return app->hierarchies[i];
    return NULL;
}

/* Means and modes are columns of a quasi-identifier's name that show no range. */
static bool shows_middles(const kan_setup *setup, size_t original) {
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (setup->quasi[a] == original)
            return kan_setup_middle(setup, a) != KAN_MIDDLE_NONE;
    return false;
}

/* Of a comparison of all: no pseudonyms, and nothing that stays as it is. */
static bool is_compared(const kan_setup *setup, size_t column) {
    return setup->roles[column] == KAN_ROLE_QUASI || setup->roles[column] == KAN_ROLE_SENSITIVE;
}

/* Columns of both that show what the table has. */
static kan_status find_columns(comparison *c,
                               bool (*is_taken)(const kan_setup *setup, size_t column)) {
    const kan_setup *setup = c->app->setup;
    KAN_TRY(kan_alloc(c->run, c->release->n_columns, sizeof *c->columns, &c->columns));
    for (size_t i = 0; i < c->release->n_columns; i++)
        for (size_t j = 0; j < setup->table->n_columns; j++) {
            const kan_column *original = &setup->table->columns[j];
            if (strcmp(original->name, c->release->columns[i].name) != 0 || !original->is_encoded ||
                !is_taken(setup, j))
                continue;
            c->columns[c->n++] =
                (kan_fidelity_column){.original = original,
                                      .released = &c->release->columns[i],
                                      .hierarchy = hierarchy_of(c->app, original->name),
                                      .shows_middles = shows_middles(setup, j)};
        }
    return KAN_OK;
}

static kan_status make_release(comparison *c) {
    KAN_TRY(kan_application_table(c->app, &c->release));
    return kan_application_rows(c->app, c->release->n_rows, &c->row_of);
}

static kan_fidelity_question question_of(const comparison *c) {
    return (kan_fidelity_question){.columns = c->columns,
                                   .n_columns = c->n,
                                   .n_original = c->app->setup->table->n_rows,
                                   .n_released = c->release->n_rows,
                                   .release_name = "the release",
                                   .row_of = c->row_of};
}

static void end(comparison *c) {
    kan_free(c->run, c->row_of);
    kan_free(c->run, c->columns);
    kan_table_destroy(c->release);
}

static kan_status compare(comparison *c, json_t **out) {
    const kan_setup *setup = c->app->setup;
    const kan_fidelity_weights none = {.column = NULL};
    KAN_TRY(make_release(c));
    if (c->release->n_rows == 0)
        return KAN_OK;
    KAN_TRY(find_columns(c, is_compared));
    if (c->n == 0)
        return KAN_OK;
    const kan_fidelity_question question = question_of(c);
    kan_report_progress(c->run, "utility", 0, 0);
    return kan_utility_compare(c->run, &question, &none, &none, setup->input.name, out);
}

kan_status kan_release_compare(const kan_application *app, json_t **out) {
    comparison c = {.app = app, .run = app->setup->run};
    const char *why = why_not(app);
    json_t *told = NULL;
    kan_status status = why ? KAN_OK : compare(&c, &told);
    if (status == KAN_BAD_INPUT) { /* what the words say: the release is as good */
        status = KAN_OK;
        why = "What its labels stand for cannot be told from them, or a number is too large or too "
              "small to be compared.";
    }
    if (status == KAN_OK && !told)
        told = json_pack("{s:s}", "why_not", why ? why : "The release shows nothing.");
    if (status == KAN_OK && !told)
        status = kan_fail(c.run, KAN_FAILED, "out of memory");
    end(&c);
    if (status == KAN_OK)
        *out = told;
    return status;
}

/* ---- in a few figures ----------------------------------------------------------------------- */

static double figure_at(const json_t *object, const char *outer, const char *key) {
    return json_number_value(json_object_get(json_object_get(object, outer), key));
}

/* The mean over columns of the total variation. */
static json_t *mean_moved(const json_t *columns, const char *way) {
    const size_t n = json_array_size(columns);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += figure_at(json_array_get(columns, i), way, "total_variation");
    return n > 0 ? kan_json_real(sum / (double)n) : json_null();
}

static json_t *copy_of(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    return value ? json_incref(value) : json_null();
}

static json_t *short_json(const json_t *told) {
    const json_t *columns = json_object_get(told, "columns");
    const json_t *propensity = json_object_get(told, "propensity");
    const json_t *numbers = json_object_get(told, "numbers");
    if (!columns)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "pmse", copy_of(propensity, "pmse"),
                     "pmse_ratio", copy_of(propensity, "ratio"), "moved",
                     mean_moved(columns, "even"), "moved_by_shares",
                     mean_moved(columns, "by_shares"), "il1s",
                     copy_of(json_object_get(numbers, "il1s"), "value"), "eigenvalues",
                     copy_of(json_object_get(numbers, "eigenvalues"), "value"));
}

static kan_status measure(const kan_application *app, json_t **out) {
    json_t *told = NULL;
    KAN_TRY(kan_release_compare(app, &told));
    *out = short_json(told);
    json_decref(told);
    return *out ? KAN_OK : kan_fail(app->setup->run, KAN_FAILED, "out of memory");
}

/* ---- models --------------------------------------------------------------------------------- */

/* Where nothing is released nothing can be learnt, and there are no figures. */
static kan_status model(const kan_application *app, json_t **out) {
    const kan_setup *setup = app->setup;
    comparison c = {.app = app, .run = setup->run};
    kan_status status = make_release(&c);
    if (status == KAN_OK && c.release->n_rows > 0)
        status = find_columns(&c, kan_setup_can_model);
    if (status == KAN_OK && c.n > 0) {
        const kan_fidelity_question question = question_of(&c);
        status = kan_utility_models(setup->job, &setup->input, c.release, &question, out);
    }
    end(&c);
    return status;
}

kan_status kan_release_measure(const kan_setup *setup, kan_solution *solution,
                               kan_outcome *outcome) {
    const kan_options *options = &setup->job->options;
    const bool wants_figures = kan_options_switch(options, "utility");
    kan_shuffle shuffle = {.is_wanted = false};
    kan_application app = {.setup = setup, .solution = solution, .shuffle = &shuffle};
    kan_status status = KAN_OK;
    if (!wants_figures && !setup->modelled)
        return KAN_OK;
    status = kan_application_make(&app);
    if (status == KAN_OK && wants_figures)
        status = measure(&app, &outcome->utility);
    if (status == KAN_OK && setup->modelled)
        status = model(&app, &outcome->models);
    kan_application_destroy(&app);
    return status;
}

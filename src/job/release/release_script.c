/* A release as statements (--emit): what nobody can run or count here is solved on counts of the table, and
 * whoever runs the statements recounts it. */
#include "engine/script/script.h"
#include "io/streams/streams.h"
#include "job/release/application.h"
#include "job/release/release.h"

/* ---- what cannot be --------------------------------------------------------------------------- */

static bool is_given(const kan_job *job, const char *setting) {
    return kan_options_find(&job->options, setting) != NULL;
}

bool kan_release_counts_only(const kan_job *job) {
    const char *const emit = kan_options_find(&job->options, "emit");
    return emit && strcmp(emit, "counts-sql") == 0;
}

kan_status kan_release_check_script(const kan_job *job) {
    kan_problems_begin(job->run);
    if (is_given(job, "emit")) {
        if (job->table)
            kan_problem_add(job->run, "--emit is about a table in a database, and this one is in "
                                      "memory; name the other");
        if (kan_release_counts_only(job) == is_given(job, "counts"))
            kan_problem_add(job->run,
                            is_given(job, "counts")
                                ? "--counts is the result of what --emit counts-sql prints, and is "
                                  "for --emit sql"
                                : "--emit sql needs the numbers of rows: run what --emit "
                                  "counts-sql prints, and name its result with --counts FILE");
        if (is_given(job, "person"))
            kan_problem_add(job->run,
                            "--person cannot be used with --emit: the statements count rows, and "
                            "people who are others when these run would not be noticed; "
                            "write the release from a database that kanon reaches, or to a "
                            "file");
        if (is_given(job, "report"))
            kan_problem_add(job->run, "--report cannot be used with --emit: it says that the "
                                      "release was recounted, which nobody knows before the "
                                      "statements ran");
    }
    return kan_problems_end(job->run);
}

/* ---- the statement that counts ---------------------------------------------------------------- */

static json_t *counts_json(const kan_setup *setup) {
    json_t *columns = json_array();
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (setup->input.encode[i])
            columns = kan_json_append(columns, kan_json_text(setup->input.columns[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "kanon", kan_version(), "command", "anonymize",
                     "emit", "counts-sql", "dialect",
                     kan_options_find(&setup->job->options, "dialect"), "columns", columns);
}

static kan_status write_counts(const kan_setup *setup, kan_result *out) {
    const kan_options *const options = &setup->job->options;
    kan_text sql;
    kan_text_init(&sql, setup->run);
    kan_status status =
        kan_script_counts(kan_input_engine(&setup->input), setup->input.encode, &sql);
    if (status == KAN_OK)
        status = kan_result_set_json(out, counts_json(setup));
    if (status == KAN_OK)
        status = kan_target_put(setup->run, kan_options_find(options, "output"),
                                kan_options_switch(options, "force"), KAN_TARGET_SHARED, sql.bytes,
                                sql.size);
    kan_text_destroy(&sql);
    if (status == KAN_OK)
        out->holds = true;
    return status;
}

kan_status kan_release_count_script(kan_job *job, kan_result *out) {
    kan_setup setup;
    kan_status status = kan_setup_open(job, &setup);
    if (status == KAN_OK)
        status = write_counts(&setup, out);
    kan_setup_destroy(&setup);
    return status;
}

/* ---- the release ------------------------------------------------------------------------------ */

static kan_status commit(void *engine) {
    return kan_engine_commit(engine);
}

/* What the release should show, recounted as one that was read would be. */
static kan_status expect(kan_application *app, kan_outcome *outcome) {
    kan_engine *const engine = kan_input_engine(&app->setup->input);
    kan_table *expected = NULL;
    kan_status status;
    KAN_TRY(kan_application_table(app, &expected));
    KAN_TRY_DONE(kan_application_verify(app, NULL, expected, outcome));
    KAN_TRY_DONE(kan_script_expect(engine, expected));
done:
    kan_table_destroy(expected);
    return status;
}

kan_status kan_release_to_script(kan_application *app, double began, kan_outcome *outcome,
                                 kan_result *out) {
    kan_engine *const engine = kan_input_engine(&app->setup->input);
    const kan_setup *const setup = app->setup;
    const kan_engine_order order = {.target = outcome->output,
                                    .overwrite = kan_options_switch(&setup->job->options, "force"),
                                    .table = setup->input.raw,
                                    .release = &app->release};
    const kan_release_naming naming = {NULL, began, commit, engine};
    const double start = kan_now_ms();
    kan_status status = kan_engine_apply(engine, &order);
    const double applied = kan_now_ms();
    outcome->apply_ms += applied - start;
    if (status == KAN_OK) {
        kan_application_tell(app, outcome);
        kan_release_tell_order(app);
    }
    if (status == KAN_OK)
        status = expect(app, outcome);
    outcome->verify_ms = kan_now_ms() - applied;
    outcome->n_formulas = UINT64_MAX; /* the columns that pass through are not seen here */
    if (status == KAN_OK)
        kan_note(setup->run,
                 "%s has values of the table, and what becomes of each: it is for those who may "
                 "see the table. The release is recounted where the statements run: two of them "
                 "are queries that must return no row",
                 outcome->output);
    if (status == KAN_OK)
        status = kan_release_name(app, &naming, outcome, out);
    if (status != KAN_OK)
        kan_engine_discard(engine);
    return status;
}

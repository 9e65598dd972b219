/* A release where the rows are: the engine makes it under a name that nobody knows, counts its
 * groups, and these are held against the promise and against what the solution says, group by
 * group. It gets its own name last of all. Nothing but counted tuples comes here. */
#include "engine/engine.h"
#include "io/guard.h"
#include "job/release/application.h"

/* ---- what cannot be --------------------------------------------------------------------------- */

static void refuse(const kan_job *job, const char *setting, const char *why) {
    if (kan_setting_is_given(job, setting))
        kan_problem_add(job->run, "--%s cannot be used with a release in a database: %s", setting,
                        why);
}

kan_status kan_release_check_engine(const kan_job *job) {
    const char *summary = kan_options_find(&job->options, "summary");
    kan_problems_begin(job->run);
    if (summary && strcmp(summary, "range") != 0)
        kan_problem_add(job->run,
                        "--summary %s cannot be used with a release in a database: means are "
                        "checked row by row; use --summary range, or write the release to a file",
                        summary);
    refuse(job, "modes",
           "they are checked row by row; leave it out, or write the release to a file");
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting_entry *entry = kan_setting_entry_at(i);
        if (entry->not_in_database && kan_setting_is_for(&entry->setting, "anonymize"))
            refuse(job, entry->setting.name, entry->not_in_database);
    }
    return kan_problems_end(job->run);
}

/* ---- the release ------------------------------------------------------------------------------ */

/* Cells of the release that a spreadsheet would run; columns that pass through are not seen here. */
static uint64_t count_formulas(const kan_release *release, const kan_table *counted) {
    uint64_t n = 0;
    for (size_t i = 0; i < release->n_columns; i++)
        if (release->columns[i].passes_through)
            return UINT64_MAX;
    for (size_t c = 0; c < counted->n_columns; c++) {
        const kan_column *column = &counted->columns[c];
        bool any = false;
        for (uint32_t code = 0; code < column->dictionary.n && !any; code++)
            any = kan_guard_is_formula(kan_dictionary_value(&column->dictionary, code));
        for (uint64_t row = 0; any && row < counted->n_rows; row++)
            if (kan_guard_is_formula(kan_column_value(column, row)))
                n += kan_table_count(counted, row);
    }
    return n;
}

static kan_status commit(void *engine) {
    return kan_engine_commit(engine);
}

/* The key of the order, in letters that any engine takes; the secret is forgotten. */
enum { KEY_LETTERS = 64 };
static const char *make_key(const kan_application *app, char *room) {
    if (!app->shuffle->is_wanted)
        return NULL;
    for (size_t i = 0; i < KEY_LETTERS; i++)
        room[i] = "0123456789abcdef"[kan_secret_below(&app->shuffle->secret, 16)];
    room[KEY_LETTERS] = '\0';
    kan_secret_forget(&app->shuffle->secret);
    return room;
}

void kan_release_tell_order(const kan_application *app) {
    const kan_setup *const setup = app->setup;
    if (setup->person && !app->shuffle->is_wanted &&
        !kan_engine_sorts(kan_input_engine(&setup->input)))
        kan_note(setup->run,
                 "the rows of the release may be stored in the order of the table, and those of a "
                 "person beside each other: whoever reads them so can tell which belong together; "
                 "give the recipient a copy in a random order");
}

/* What was counted, which is the release: its groups. Where people are counted, whose they are is known of
 * the rows here alone; what these show was held against what was counted, group by group. */
static kan_status verify(kan_application *app, const kan_table *counted, kan_outcome *outcome) {
    kan_table *rows = NULL;
    if (!app->setup->person)
        return kan_application_verify(app, NULL, counted, outcome);
    KAN_TRY(kan_application_table(app, &rows));
    const kan_status status = kan_application_verify(app, NULL, rows, outcome);
    kan_table_destroy(rows);
    return status;
}

kan_status kan_release_to_engine(kan_application *app, double began, kan_outcome *outcome,
                                 kan_result *out) {
    kan_status status;
    const kan_setup *setup = app->setup;
    kan_engine *engine = kan_input_engine(&setup->input);
    kan_table *counted = NULL;
    char key[KEY_LETTERS + 1];
    const kan_engine_order order = {.shuffle = make_key(app, key),
                                    .target = outcome->output,
                                    .overwrite = kan_options_switch(&setup->job->options, "force"),
                                    .is_sorted = setup->person != NULL,
                                    .table = setup->input.raw,
                                    .release = &app->release};
    const double start = kan_now_ms();
    status = kan_engine_apply(engine, &order);
    explicit_bzero(key, sizeof key);
    if (status != KAN_OK)
        goto done;
    const double applied = kan_now_ms();
    kan_application_tell(app, outcome);
    kan_release_tell_order(app);
    KAN_TRY_DONE(kan_engine_recount(engine, &counted));
    /* First whether it is what was meant: where rows came or went meanwhile, this knows it. */
    KAN_TRY_DONE(kan_engine_compare(engine, &order, counted));
    KAN_TRY_DONE(verify(app, counted, outcome));
    outcome->is_verified = true;
    outcome->n_formulas = count_formulas(&app->release, counted);
    outcome->apply_ms += applied - start;
    outcome->verify_ms = kan_now_ms() - applied;
    const kan_release_naming naming = {NULL, began, commit, engine};
    KAN_TRY_DONE(kan_release_name(app, &naming, outcome, out));
done:
    kan_table_destroy(counted);
    if (status != KAN_OK)
        kan_engine_discard(engine);
    return status;
}

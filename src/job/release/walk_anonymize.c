/* `anonymize`: read, fold, search, apply, write beside the target, recount, name.
 *
 * Nothing gets its final name, and nothing is handed to the caller, before kan_verify_* has
 * recounted the released values themselves. Naming comes last of all, after the result was made:
 * whoever is told that the job failed finds no release. */
#include <inttypes.h>
#include <string.h>

#include "analyze/verify/verify.h"
#include "core/spill.h"
#include "io/sink.h"
#include "job/inspect/inspect.h"
#include "job/outcome/outcome.h"
#include "job/release/certificate.h"
#include "job/release/release.h"
#include "job/release/shuffle.h"
#include "recode/recoding.h"

typedef struct {
    const kan_setup *setup;
    kan_solution *solution;
    kan_shuffle *shuffle;
    kan_release release;
    kan_slice **labels; /* by column of the release; NULL: they are the solution's */
    uint8_t *is_suppressed;
    uint64_t *order;
    uint64_t *row_of;   /* where people are counted: kan_release_check.row_of */
    const char **names; /* by column of the release */
    /* The columns that the recount compares. */
    const char *quasi[KAN_MAX_ATTRIBUTES];
    const kan_hierarchy *hierarchies[KAN_MAX_ATTRIBUTES]; /* of those */
    size_t n_quasi;
    const char **others;
    size_t n_others;
    bool *as_is; /* by column of the release */
    struct kan_mean_names means[KAN_MAX_ATTRIBUTES];
    size_t n_means;
    kan_target *certificate; /* beside its target; NULL: none is asked for */
    kan_target *report;      /* the same */
} application;

/* ---- apply ---------------------------------------------------------------------------------- */

static int quasi_index(const kan_setup *setup, size_t column) {
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (setup->quasi[a] == column)
            return (int)a;
    return -1;
}

static kan_release_column *add_column(application *app, const char *name, size_t source_column) {
    const size_t at = app->release.n_columns++;
    kan_release_column *out = &app->release.columns[at];
    *out = (kan_release_column){.name = name, .source_column = source_column};
    app->names[at] = name;
    return out;
}

static void compare_quasi(application *app, unsigned a) {
    const kan_setup *setup = app->setup;
    app->quasi[app->n_quasi] = setup->table->columns[setup->quasi[a]].name;
    app->hierarchies[app->n_quasi++] = setup->hierarchies[a];
}

/* How a column is written. What it shows for a missing value is the first of its ways that a row
 * shows which is released: those of rows that are left out must not be told by it. */
static kan_status spell(application *app, const kan_column *column, kan_release_column *out) {
    kan_spelling *spelling;
    size_t first = SIZE_MAX;
    out->spelling = column->spelling;
    if (!column->missing_of)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&app->setup->job->arena, 1, sizeof *spelling, &spelling));
    *spelling = *column->spelling;
    spelling->shown_missing = (kan_slice){"", 0};
    for (uint64_t row = 0; row < app->release.n_rows; row++)
        if (column->missing_of[row] > 0 && kan_release_tells(&app->release, row) &&
            column->missing_of[row] - 1u < first)
            first = column->missing_of[row] - 1u;
    if (first < spelling->n_missing)
        spelling->shown_missing = spelling->missing[first];
    out->spelling = spelling;
    return KAN_OK;
}

/* Regions: what the groups show of a quasi-identifier, including its mean. */
static kan_status apply_groups(application *app, unsigned a) {
    const kan_setup *setup = app->setup;
    const kan_group_release *by_group = &app->solution->by_group;
    for (size_t c = 0; c < by_group->n_columns; c++) {
        const kan_group_column *column = &by_group->columns[c];
        if (by_group->attribute_of[c] != a)
            continue;
        kan_release_column *out = add_column(app, column->name, setup->quasi[a]);
        out->is_quasi = out->by_group = true;
        out->width = sizeof *column->codes;
        out->codes = column->codes;
        out->labels = column->labels;
        out->n_labels = column->n_labels;
        KAN_TRY(spell(app, &setup->table->columns[setup->quasi[a]], out));
        if (by_group->is_mean[c]) {
            app->means[app->n_means++] =
                (struct kan_mean_names){column->name, setup->table->columns[setup->quasi[a]].name};
        } else {
            compare_quasi(app, a);
        }
    }
    return KAN_OK;
}

static kan_status apply_column(application *app, size_t source_column) {
    const kan_setup *setup = app->setup;
    const kan_column *column = &setup->table->columns[source_column];
    const int a = quasi_index(setup, source_column);
    if (a >= 0 && app->release.group_of_row)
        return apply_groups(app, (unsigned)a);
    const size_t at = app->release.n_columns;
    kan_release_column *out = add_column(app, column->name, source_column);
    out->field = kan_input_field(&setup->input, source_column);
    out->is_kept = kan_setup_keeps(setup, source_column);
    out->is_as_is = app->as_is[at] = setup->input.as_is[source_column];
    out->shows_values = a < 0 || app->solution->shown[a].level == 0;
    if (!column->is_encoded) {
        out->passes_through = true;
        return KAN_OK;
    }
    KAN_TRY(kan_alloc(setup->run, column->dictionary.n, sizeof(kan_slice), &app->labels[at]));
    if (a >= 0)
        kan_recoding_labels(app->solution->shown[a].hierarchy, app->solution->shown[a].level,
                            app->labels[at]);
    else
        for (uint32_t code = 0; code < column->dictionary.n; code++)
            app->labels[at][code] = kan_dictionary_value(&column->dictionary, code);
    if (a >= 0)
        compare_quasi(app, (unsigned)a);
    else
        app->others[app->n_others++] = column->name;
    out->is_quasi = a >= 0;
    KAN_TRY(spell(app, column, out));
    out->width = column->width;
    out->codes = column->codes;
    out->labels = app->labels[at];
    out->n_labels = column->dictionary.n;
    return KAN_OK;
}

/* The order in which rows are written, where it is not that of the table. */
static kan_status shuffle_rows(application *app) {
    if (!app->shuffle->is_wanted)
        return KAN_OK;
    KAN_TRY(kan_shuffle_order(app->setup->run, app->shuffle, app->release.n_rows, &app->order));
    app->release.order = app->order;
    return KAN_OK;
}

/* Which row each row of the release is, for a recount that must know whose it is. */
static kan_status list_rows(application *app) {
    const kan_release *release = &app->release;
    uint64_t at = 0, behind = release->n_released;
    KAN_TRY(kan_spill_alloc(app->setup->run, release->n_rows, sizeof *app->row_of, &app->row_of));
    for (uint64_t i = 0; i < release->n_rows; i++) {
        const uint64_t row = release->order ? release->order[i] : i;
        const bool is_left_out =
            release->is_suppressed && release->is_suppressed[row] && !release->keeps_suppressed;
        app->row_of[is_left_out ? behind++ : at++] = row;
    }
    return KAN_OK;
}

static kan_status apply(application *app) {
    const kan_setup *setup = app->setup;
    const kan_options *options = &setup->job->options;
    const size_t n = setup->table->n_columns;
    const size_t n_most = n + setup->n_quasi; /* with means */
    uint64_t n_suppressed = app->solution->groups.n_suppressed;
    kan_release *release = &app->release;
    kan_report_progress(setup->run, "apply", 0, 0);
    KAN_TRY(kan_alloc_zero(setup->run, n_most, sizeof *release->columns, &release->columns));
    KAN_TRY(kan_alloc_zero(setup->run, n_most, sizeof *app->labels, &app->labels));
    KAN_TRY(kan_alloc_zero(setup->run, n_most, sizeof *app->names, &app->names));
    KAN_TRY(kan_alloc_zero(setup->run, n, sizeof *app->others, &app->others));
    KAN_TRY(kan_alloc_zero(setup->run, n_most, sizeof *app->as_is, &app->as_is));
    if (kan_recoding_has_regions(&app->solution->answer.recoding)) {
        KAN_TRY(kan_solution_find_rows(app->solution));
        release->group_of_row = app->solution->by_group.group_of_row;
    }
    release->n_rows = setup->table->n_rows;
    release->keeps_suppressed = kan_options_switch(options, "keep-suppressed");
    release->shows_suppressed = kan_options_switch(options, "show-suppressed");
    release->guards_formulas = kan_options_switch(options, "guard-formulas");
    release->n_released = release->n_rows - (release->keeps_suppressed ? 0 : n_suppressed);
    if (n_suppressed > 0) {
        KAN_TRY(kan_spill_alloc(setup->run, release->n_rows, 1, &app->is_suppressed));
        KAN_TRY(kan_solution_mark_rows(app->solution, app->is_suppressed));
        release->is_suppressed = app->is_suppressed;
    }
    for (size_t i = 0; i < n; i++)
        if (kan_setup_releases(setup, i))
            KAN_TRY(apply_column(app, i));
    KAN_TRY(shuffle_rows(app));
    return setup->person ? list_rows(app) : KAN_OK;
}

static void application_destroy(application *app) {
    kan_run *run = app->setup->run;
    kan_target_close(app->certificate);
    kan_target_close(app->report);
    for (size_t i = 0; app->labels && i < app->release.n_columns; i++)
        kan_free(run, app->labels[i]);
    kan_free(run, app->labels);
    kan_free(run, app->release.columns);
    kan_free(run, app->is_suppressed);
    kan_free(run, app->order);
    kan_free(run, app->row_of);
    kan_free(run, app->names);
    kan_free(run, app->others);
    kan_free(run, app->as_is);
}

/* Suppressed rows that are written, and show nothing. */
static uint64_t n_blank(const application *app) {
    const kan_release *release = &app->release;
    return release->keeps_suppressed && !release->shows_suppressed
               ? app->solution->groups.n_suppressed
               : 0;
}

/* Counts the release again: the bytes of the sink, or, without one, the table. */
static kan_status verify(const application *app, const kan_sink *sink, const kan_table *table,
                         kan_outcome *outcome) {
    const kan_setup *setup = app->setup;
    kan_release_check check = {
        .table = table,
        .columns = app->names,
        .n_columns = app->release.n_columns,
        .as_is = app->as_is,
        .n_rows = app->release.n_released,
        .claim = &outcome->claim,
        .n_blank = n_blank(app),
        .shows_suppressed = app->release.shows_suppressed,
        .is_shuffled = app->order != NULL,
        .order = app->order,
        .person = setup->person,
        .row_of = app->row_of,
        .original = setup->table,
        .raw = setup->input.raw,
        .treated = setup->table,
        .treatments = setup->input.treatments,
        .n_treatments = setup->input.n_treatments,
        .quasi = app->quasi,
        .hierarchies = app->hierarchies,
        .n_quasi = app->n_quasi,
        .reads_intervals = kan_search_orders(setup->search),
        .others = app->others,
        .n_others = app->n_others,
        .means = app->means,
        .n_means = app->n_means,
    };
    if (sink) {
        check.path = kan_sink_path(sink);
        check.kind = kan_sink_reader(sink);
        check.options = kan_sink_options(sink);
    }
    kan_release_report report;
    kan_report_progress(setup->run, "verify", 0, 0);
    KAN_TRY(kan_verify_release(setup->run, &check, &report));
    outcome->recounted = report.models;
    outcome->is_recounted = true;
    return KAN_OK;
}

/* ---- a release in a file -------------------------------------------------------------------- */

/* Rows of a person that stand together are seen to be one person's. */
static void tell_neighbours(const application *app) {
    enum { SHARE = 20 };
    const kan_column *person = app->setup->person;
    const uint64_t n = app->release.n_released;
    uint64_t n_linked = 0;
    char count[32], all[32];
    for (uint64_t i = 1; person && !app->order && i < n; i++)
        n_linked +=
            kan_column_code(person, app->row_of[i - 1]) == kan_column_code(person, app->row_of[i]);
    if (n_linked * SHARE >= n && n_linked > 0)
        kan_note(app->setup->run,
                 "%s of %s released rows follow a row of the same person, so that whoever knows "
                 "the order of the table can tell which rows belong together; --shuffle gives them "
                 "another order",
                 kan_count_text(n_linked, count), kan_count_text(n, all));
}

/* The summary may be shared, and this may not. */
static void tell_suppressed(const application *app) {
    const uint64_t n = app->solution->groups.n_suppressed, n_rows = app->setup->table->n_rows;
    char lost[32], all[32];
    if (app->setup->person && n > 0)
        kan_note(app->setup->run,
                 "%s of %s rows suppressed (%.2f %%); that is for you alone: it says how many rows "
                 "somebody has, to whoever knows the others",
                 kan_count_text(n, lost), kan_count_text(n_rows, all),
                 100.0 * (double)n / (double)n_rows);
}

/* A spreadsheet that opens a release must not run what is in it. */
static void tell_formulas(const application *app, const kan_sink *sink, kan_outcome *outcome) {
    const char *column;
    char quoted[256];
    outcome->n_formulas = kan_sink_formulas(sink, &column);
    outcome->guards_formulas = app->release.guards_formulas;
    if (column && !app->release.guards_formulas)
        kan_note(app->setup->run,
                 "a spreadsheet would run %" PRIu64 " cell%s of the release as formulas, the first "
                 "in column %s; --guard-formulas makes them harmless",
                 outcome->n_formulas, outcome->n_formulas == 1 ? "" : "s",
                 kan_quote(kan_slice_of(column), quoted));
}

/* Takes back the file of that setting, which goes with a release that could not be named. */
static void withdraw(const kan_setup *setup, const char *setting) {
    kan_target_withdraw(kan_options_find(&setup->job->options, setting));
}

static kan_status release_to_file(application *app, double began, kan_outcome *outcome,
                                  kan_result *out) {
    kan_status status;
    const kan_setup *setup = app->setup;
    const kan_options *options = &setup->job->options;
    kan_sink *sink = NULL;
    double start = kan_now_ms();
    const kan_sink_order order = {.kind = kan_output_kind(setup->job),
                                  .release = &app->release,
                                  .source = setup->input.source,
                                  .target = outcome->output,
                                  .overwrite = kan_options_switch(options, "force"),
                                  .given = options,
                                  .encoding = kan_options_find(options, "output-encoding")};
    KAN_TRY(kan_sink_write(setup->run, &order, &sink));
    double written = kan_now_ms();
    tell_formulas(app, sink, outcome);
    kan_setup_tell_others(setup);
    tell_neighbours(app);
    tell_suppressed(app);
    kan_columns_tell(setup, &outcome->columns);
    KAN_TRY_DONE(verify(app, sink, NULL, outcome));
    double verified = kan_now_ms();
    KAN_TRY_DONE(kan_sink_sync(sink));
    double synced = kan_now_ms();
    outcome->is_verified = true;
    outcome->verify_ms = verified - written;
    outcome->write_ms = written - start + (synced - verified);
    const kan_report_source told = {outcome, &app->release, kan_sink_path(sink),
                                    outcome->released.is_all};
    KAN_TRY_DONE(kan_report_prepare(&told, outcome));
    outcome->total_ms = kan_now_ms() - began;
    KAN_TRY_DONE(kan_result_write(outcome, out));
    KAN_TRY_DONE(kan_report_write(&told, out, &app->report));
    KAN_TRY_DONE(kan_check_cancel(setup->run));
    /* The release is named last of all: without it the certificate is taken back. */
    KAN_TRY_DONE(kan_picture_write(setup, &outcome->released));
    KAN_TRY_DONE(kan_certificate_commit(setup, app->solution, app->certificate, out));
    if (!kan_report_is_wanted(setup->job)) /* a report adds the line itself, below its own */
        kan_report_add_next(setup, &out->summary);
    status = kan_text_status(&out->summary);
    if (status == KAN_OK)
        status = kan_report_commit(setup, app->report, out);
    if (status == KAN_OK) {
        status = kan_sink_commit(sink);
        if (status != KAN_OK)
            withdraw(setup, "report");
    }
    if (status != KAN_OK) {
        withdraw(setup, "certificate");
        withdraw(setup, "picture");
    }
done:
    kan_sink_close(sink);
    return status;
}

/* ---- a release in memory -------------------------------------------------------------------- */

static kan_status copy_value(kan_slice value, kan_text *room, size_t *start) {
    *start = room->size;
    kan_text_add(room, value.bytes, value.size);
    kan_text_add(room, "", 1);
    return kan_text_status(room);
}

static kan_status add_row(const application *app, uint64_t row, kan_text *room, size_t *starts,
                          const char **values, kan_table *table) {
    const kan_release *release = &app->release;
    room->size = 0;
    for (size_t c = 0; c < release->n_columns; c++) {
        const kan_release_column *column = &release->columns[c];
        kan_slice value = kan_release_hides(release, column, row)
                              ? kan_slice_of("*")
                              : column->labels[kan_release_code(release, column, row)];
        KAN_TRY(copy_value(value, room, &starts[c]));
    }
    for (size_t c = 0; c < release->n_columns; c++)
        values[c] = room->bytes + starts[c];
    return kan_table_add_row(table, values);
}

static kan_status fill_table(const application *app, kan_table *table) {
    kan_status status;
    const kan_release *release = &app->release;
    kan_run *run = app->setup->run;
    size_t *starts = NULL;
    const char **values = NULL;
    kan_text room;
    kan_text_init(&room, run);
    KAN_TRY_DONE(kan_alloc(run, release->n_columns, sizeof *starts, &starts));
    KAN_TRY_DONE(kan_alloc(run, release->n_columns, sizeof *values, &values));
    for (uint64_t i = 0; i < release->n_rows; i++) {
        uint64_t row = release->order ? release->order[i] : i;
        if (release->is_suppressed && release->is_suppressed[row] && !release->keeps_suppressed)
            continue;
        KAN_TRY_DONE(add_row(app, row, &room, starts, values, table));
    }
    KAN_TRY_DONE(kan_table_seal(table));
done:
    kan_text_destroy(&room);
    kan_free(run, starts);
    kan_free(run, values);
    return status;
}

static kan_status release_to_table(application *app, double began, kan_outcome *outcome,
                                   kan_result *out) {
    kan_status status;
    kan_table *table;
    double start = kan_now_ms();
    if (app->release.guards_formulas)
        kan_note(app->setup->run, "--guard-formulas changes nothing: no file is written");
    kan_setup_tell_others(app->setup);
    tell_neighbours(app);
    tell_suppressed(app);
    kan_columns_tell(app->setup, &outcome->columns);
    KAN_TRY(kan_table_create(app->setup->run, app->release.n_columns, app->names, &table));
    KAN_TRY_DONE(fill_table(app, table));
    double written = kan_now_ms();
    KAN_TRY_DONE(verify(app, NULL, table, outcome));
    outcome->is_verified = true;
    outcome->write_ms = written - start;
    double verified = kan_now_ms();
    outcome->verify_ms = verified - written;
    const kan_report_source told = {outcome, &app->release, NULL, outcome->released.is_all};
    KAN_TRY_DONE(kan_report_prepare(&told, outcome));
    outcome->total_ms = kan_now_ms() - began;
    KAN_TRY_DONE(kan_result_write(outcome, out));
    KAN_TRY_DONE(kan_report_write(&told, out, &app->report));
    KAN_TRY_DONE(kan_picture_write(app->setup, &outcome->released));
    KAN_TRY_DONE(kan_certificate_commit(app->setup, app->solution, app->certificate, out));
    KAN_TRY_DONE(kan_report_commit(app->setup, app->report, out));
    out->table = table;
    table = NULL;
done:
    kan_table_destroy(table);
    return status;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status walk(const kan_setup *setup, kan_solution *solution, kan_shuffle *shuffle,
                       double start, kan_result *out) {
    kan_status status;
    application app = {.setup = setup, .solution = solution, .shuffle = shuffle};
    kan_outcome outcome = {.command = "anonymize",
                           .setup = setup,
                           .solution = solution,
                           .output = kan_options_find(&setup->job->options, "output")};
    double before = kan_now_ms();
    KAN_TRY_DONE(
        kan_recounted_claim(setup->job, &setup->promise, setup->table, false, &outcome.claim));
    outcome.claim.population = setup->has_people ? &setup->claimed : NULL;
    KAN_TRY_DONE(kan_released_make(solution, &outcome.released));
    KAN_TRY_DONE(apply(&app));
    outcome.apply_ms = kan_now_ms() - before;
    KAN_TRY_DONE(kan_columns_find(setup, &app.release, &outcome.columns));
    outcome.n_released = app.release.n_released;
    outcome.keeps_suppressed = app.release.keeps_suppressed;
    outcome.shows_suppressed = app.release.shows_suppressed;
    KAN_TRY_DONE(kan_certificate_write(setup, solution, true, &app.certificate));
    kan_report_progress(setup->run, "write", 0, 0);
    KAN_TRY_DONE(outcome.output ? release_to_file(&app, start, &outcome, out)
                                : release_to_table(&app, start, &outcome, out));
    out->holds = true;
done:
    json_decref(outcome.report);
    kan_columns_destroy(setup->run, &outcome.columns);
    kan_released_destroy(&outcome.released);
    application_destroy(&app);
    return status;
}

kan_status kan_walk_anonymize(kan_job *job, kan_result *out) {
    kan_status status;
    kan_setup setup;
    kan_solution solution = {.setup = &setup};
    kan_shuffle shuffle;
    double start = kan_now_ms();
    KAN_TRY(kan_report_is_possible(job));
    KAN_TRY(kan_shuffle_prepare(job, &shuffle));
    KAN_TRY_DONE(kan_setup_make(job, &setup));
    if (setup.input.source && !kan_options_find(&job->options, "output")) {
        status = kan_fail(job->run, KAN_BAD_INPUT, "no output: say where with -o OUT");
        goto done;
    }
    KAN_TRY_DONE(kan_picture_is_possible(&setup));
    const kan_solution_wants wants = {.release = true,
                                      .all = kan_report_wants_all(&setup),
                                      .certificate = kan_certificate_is_wanted(&setup)};
    KAN_TRY_DONE(kan_certificate_is_possible(&setup));
    status = kan_solution_find(&setup, &wants, &solution);
    if (status == KAN_OK)
        status = walk(&setup, &solution, &shuffle, start, out);
    kan_solution_destroy(&solution);
done:
    kan_setup_destroy(&setup);
    kan_secret_forget(&shuffle.secret);
    return status;
}

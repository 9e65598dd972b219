/* A solution becomes a release: columns with the labels of their codes, and the rows that are left
 * out. Codes are borrowed from the table; O(rows) where any row is suppressed or shuffled. */
#include "job/release/application.h"

#include "core/spill.h"
#include "job/release/calibrate.h"
#include "job/release/release.h"
#include "job/release/release_ledger.h"
#include "recode/recoding.h"

static int quasi_index(const kan_setup *setup, size_t column) {
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (setup->quasi[a] == column)
            return (int)a;
    return -1;
}

static kan_release_column *add_column(kan_application *app, const char *name,
                                      size_t source_column) {
    const size_t at = app->release.n_columns++;
    kan_release_column *out = &app->release.columns[at];
    *out = (kan_release_column){.name = name, .source_column = source_column};
    app->names[at] = name;
    return out;
}

static void compare_quasi(kan_application *app, unsigned a) {
    const kan_setup *setup = app->setup;
    app->quasi[app->n_quasi] = setup->table->columns[setup->quasi[a]].name;
    app->hierarchies[app->n_quasi++] = setup->hierarchies[a];
}

/* How a column is written. What it shows for a missing value is the first of its ways that a row
 * shows which is released: those of rows that are left out must not be told by it. */
static kan_status spell(kan_application *app, const kan_column *column, kan_release_column *out) {
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
static kan_status apply_groups(kan_application *app, unsigned a) {
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
        if (by_group->middle[c] != KAN_MIDDLE_NONE) {
            app->means[app->n_means++] = (struct kan_mean_names){
                column->name, setup->table->columns[setup->quasi[a]].name, by_group->middle[c]};
        } else {
            compare_quasi(app, a);
        }
    }
    return KAN_OK;
}

/* A column whose texts were made elsewhere. */
static void apply_texts(kan_application *app) {
    const kan_release_texts *texts = app->given_texts;
    kan_release_column *out =
        add_column(app, app->setup->table->columns[texts->column].name, texts->column);
    out->width = sizeof *texts->codes;
    out->codes = texts->codes;
    out->labels = texts->labels;
    out->n_labels = texts->n_labels;
    out->shows_values = texts->shows_values;
}

static bool has_texts(const kan_application *app, size_t column) {
    return app->given_texts && app->given_texts->column == column;
}

/* Weights that were calibrated: numbers, whatever the input says that they are stored as. */
static kan_status apply_weights(kan_application *app) {
    const kan_setup *setup = app->setup;
    const kan_column *column = &setup->table->columns[setup->calibrated];
    const kan_field *before = kan_input_field(&setup->input, setup->calibrated);
    kan_field *field;
    kan_release_column *out = add_column(app, column->name, setup->calibrated);
    KAN_TRY(kan_arena_alloc(&setup->job->arena, 1, sizeof *field, &field));
    *field = (kan_field){.name = column->name,
                         .type = KAN_FIELD_NUMBER,
                         .is_guessed = true,
                         .label = before ? before->label : NULL};
    out->field = field;
    out->is_kept = out->is_made = out->shows_values = true;
    KAN_TRY(spell(app, column, out));
    out->width = sizeof *app->calibration.codes;
    out->codes = app->calibration.codes;
    out->labels = app->calibration.labels;
    out->n_labels = app->calibration.n_labels;
    return KAN_OK;
}

static kan_status apply_column(kan_application *app, size_t source_column) {
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

/* The order in which rows are written, where it is not that of the table. An engine puts its rows in
 * order itself (release_engine.c). */
static kan_status order_rows(kan_application *app) {
    const kan_setup *setup = app->setup;
    /* rows of a counted table are written by nobody */
    const bool has_order =
        app->has_order || app->release.counts || !kan_input_engine(&setup->input);
    if (kan_output_is_engine(setup->job) || (has_order && !app->shuffle->is_wanted))
        return KAN_OK;
    if (app->shuffle->is_wanted)
        KAN_TRY(kan_shuffle_order(setup->run, app->shuffle, app->release.n_rows, &app->order));
    else
        KAN_TRY(kan_shown_order(setup->run, &app->release, &app->order));
    app->release.order = app->order;
    return KAN_OK;
}

/* Which row each row of the release is, for a recount that must know whose it is, its weight or stratum. */
static kan_status list_rows(kan_application *app) {
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

kan_status kan_application_make(kan_application *app) {
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
    release->counts = setup->table->counts;
    release->keeps_suppressed = kan_options_switch(options, "keep-suppressed");
    release->shows_suppressed = kan_options_switch(options, "show-suppressed");
    release->guards_formulas = kan_options_switch(options, "guard-formulas");
    release->n_released = setup->problem.n_rows - (release->keeps_suppressed ? 0 : n_suppressed);
    if (n_suppressed > 0) {
        KAN_TRY(kan_spill_alloc(setup->run, release->n_rows, 1, &app->is_suppressed));
        if (app->given_suppressed)
            memcpy(app->is_suppressed, app->given_suppressed, (size_t)release->n_rows);
        else
            KAN_TRY(kan_solution_mark_rows(app->solution, app->is_suppressed));
        release->is_suppressed = app->is_suppressed;
    }
    if (setup->n_strata > 0)
        KAN_TRY(kan_calibration_make(setup, release->is_suppressed, &app->calibration));
    for (size_t i = 0; i < n; i++)
        if (has_texts(app, i))
            apply_texts(app);
        else if (kan_setup_calibrates(setup, i))
            KAN_TRY(apply_weights(app));
        else if (kan_setup_releases(setup, i))
            KAN_TRY(apply_column(app, i));
    KAN_TRY(order_rows(app));
    const bool needs_rows = setup->whose || setup->weight || setup->household ||
                            setup->n_strata > 0 || setup->stratum || setup->past;
    return needs_rows ? list_rows(app) : KAN_OK;
}

void kan_application_destroy(kan_application *app) {
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
    kan_calibration_destroy(run, &app->calibration);
}

/* Suppressed rows that are written, and show nothing. */
static uint64_t n_blank(const kan_application *app) {
    const kan_release *release = &app->release;
    return release->keeps_suppressed && !release->shows_suppressed
               ? app->solution->groups.n_suppressed
               : 0;
}

/* The columns that a recount sees: all of a file, of a table those that do not pass through. */
typedef struct {
    const char **names;
    bool *as_is;
    size_t n;
} seen_columns;

static kan_status list_seen(const kan_application *app, bool is_file, seen_columns *out) {
    const kan_release *release = &app->release;
    KAN_TRY(kan_alloc(app->setup->run, release->n_columns, sizeof *out->names, &out->names));
    KAN_TRY(kan_alloc(app->setup->run, release->n_columns, sizeof *out->as_is, &out->as_is));
    for (size_t i = 0; i < release->n_columns; i++) {
        if (!is_file && release->columns[i].passes_through)
            continue;
        out->names[out->n] = app->names[i];
        out->as_is[out->n++] = app->as_is[i];
    }
    return KAN_OK;
}

/* What each row of a counted table shows, and which rows these are, those that are left out last. */
static kan_status tell_rows(const kan_application *app, const seen_columns *seen, kan_table **told,
                            uint64_t **rows) {
    const kan_release *release = &app->release;
    kan_run *run = app->setup->run;
    uint64_t n = 0;
    KAN_TRY(kan_table_create(run, seen->n, seen->names, told));
    KAN_TRY(kan_application_fill(app, *told));
    KAN_TRY(kan_alloc(run, release->n_rows, sizeof **rows, rows));
    for (int is_last = 0; is_last < 2; is_last++)
        for (uint64_t row = 0; row < release->n_rows; row++)
            if ((release->is_suppressed && release->is_suppressed[row] &&
                 !release->keeps_suppressed) == (is_last == 1))
                (*rows)[n++] = row;
    return KAN_OK;
}

/* What the released weights have to be. */
static kan_status claim_calibrated(const kan_application *app, kan_calibrated_claim *out) {
    const kan_setup *setup = app->setup;
    const kan_column **strata;
    KAN_TRY(kan_arena_alloc(&setup->job->arena, setup->n_strata, sizeof *strata, &strata));
    for (size_t i = 0; i < setup->n_strata; i++)
        strata[i] = kan_setup_stratum(setup, i);
    const kan_column *weight = &setup->table->columns[setup->calibrated];
    *out = (kan_calibrated_claim){.name = weight->name,
                                  .weight = weight,
                                  .strata = strata,
                                  .n_strata = setup->n_strata,
                                  .k = kan_calibrate_fewest(setup)};
    return KAN_OK;
}

static kan_status follow(void *context, const kan_models_question *question,
                         const uint64_t *row_of) {
    const kan_application *app = context;
    return kan_release_recount_past(app->setup, question, row_of);
}

kan_status kan_application_verify(const kan_application *app, const kan_sink *sink,
                                  const kan_table *table, kan_outcome *outcome) {
    const kan_setup *setup = app->setup;
    seen_columns seen = {0};
    kan_table *told = NULL;
    uint64_t *told_rows = NULL;
    const struct kan_release_follower follower = {follow, (void *)(uintptr_t)app};
    kan_status status;
    KAN_TRY_DONE(list_seen(app, sink != NULL, &seen));
    if (table && table->counts)
        KAN_TRY_DONE(tell_rows(app, &seen, &told, &told_rows));
    kan_release_check check = {
        .table = table,
        .columns = seen.names,
        .n_columns = seen.n,
        .as_is = seen.as_is,
        .n_rows = app->release.n_released,
        .claim = &outcome->claim,
        .n_blank = n_blank(app),
        .shows_suppressed = app->release.shows_suppressed,
        .is_shuffled = app->order != NULL,
        .order = app->order,
        .is_left_out = app->is_suppressed,
        .person = setup->person,
        .weight = setup->weight,
        .strata = setup->stratum,
        .household = kan_setup_leaves_households(setup) ? setup->household : NULL,
        .row_of = app->row_of,
        .follower = setup->past ? &follower : NULL,
        .told = told,
        .told_rows = told_rows,
        .original = setup->table,
        .people = setup->table,
        .has_left = app->is_suppressed,
        .fits_sizes = setup->matches_missing ? &outcome->match_sizes : NULL,
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
    kan_calibrated_claim calibrated;
    if (setup->n_strata > 0) {
        KAN_TRY_DONE(claim_calibrated(app, &calibrated));
        check.calibrated = &calibrated;
    }
    if (sink) {
        check.path = kan_sink_path(sink);
        check.kind = kan_sink_reader(sink);
        check.options = kan_sink_options_of(sink, app->place);
    }
    kan_release_report report;
    kan_report_progress(setup->run, "verify", 0, 0);
    KAN_TRY_DONE(kan_verify_release(setup->run, &check, &report));
    outcome->recounted = report.models;
    outcome->is_recounted = true;
done:
    kan_table_destroy(told);
    kan_free(setup->run, told_rows);
    kan_free(setup->run, seen.names);
    kan_free(setup->run, seen.as_is);
    return status;
}

/* ---- telling -------------------------------------------------------------------------------- */

/* Rows of a person that stand together are seen to be one person's. */
static void tell_neighbours(const kan_application *app) {
    enum { SHARE = 20 };
    const kan_column *person = app->setup->household ? app->setup->household : app->setup->person;
    const uint64_t n = app->release.n_released;
    uint64_t n_linked = 0;
    char count[32], all[32];
    /* where an engine stores them, it says itself how (release_engine.c) */
    const bool is_known = !app->order && !kan_output_is_engine(app->setup->job);
    for (uint64_t i = 1; person && is_known && i < n; i++)
        n_linked +=
            kan_column_code(person, app->row_of[i - 1]) == kan_column_code(person, app->row_of[i]);
    if (n_linked * SHARE >= n && n_linked > 0)
        kan_note(app->setup->run,
                 "%s of %s released rows follow a row of the same %s, so that whoever knows "
                 "the order of the table can tell which rows belong together; --shuffle gives them "
                 "another order",
                 kan_count_text(n_linked, count), kan_count_text(n, all),
                 app->setup->household ? "household" : "person");
}

/* The summary may be shared, and this may not. */
static void tell_suppressed(const kan_application *app) {
    const uint64_t n = app->solution->groups.n_suppressed, n_rows = app->setup->problem.n_rows;
    char lost[32], all[32];
    if (app->setup->whose && n > 0)
        kan_note(app->setup->run,
                 "%s of %s rows suppressed (%.2f %%); that is for you alone: it reveals how many "
                 "rows %s has to anyone who knows the others",
                 kan_count_text(n, lost), kan_count_text(n_rows, all),
                 100.0 * (double)n / (double)n_rows,
                 app->setup->household ? "a household" : "somebody");
}

void kan_application_tell(const kan_application *app, kan_outcome *outcome) {
    kan_setup_tell_others(app->setup);
    tell_neighbours(app);
    tell_suppressed(app);
    kan_columns_tell(app->setup, &outcome->columns);
}

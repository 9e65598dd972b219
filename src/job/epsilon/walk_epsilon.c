/* `anonymize --epsilon`: read, draw, count, write beside the target, recount, name.
 *
 * From kan_draw_groups on nothing looks at the table again: the rows of the release are made of the
 * groups, and so are result, summary and report. A release without rows is one, too: that it has none
 * must not be told otherwise than any other. */
#include "analyze/draws/draws.h"
#include "io/csv/csv.h"
#include "job/epsilon/epsilon_inside.h"
#include "job/report/report.h"

static void destroy(kan_epsilon_job *e) {
    for (size_t i = 0; i < e->n_columns; i++) {
        kan_free(e->run, e->columns[i].labels);
        kan_free(e->run, e->columns[i].shown);
    }
    for (unsigned a = 0; a < e->n_rules; a++)
        kan_epsilon_rule_destroy(&e->rules[a]);
    if (e->is_drawn)
        kan_drawn_destroy(&e->drawn);
    if (e->is_open)
        kan_setup_destroy(&e->setup);
    kan_arena_destroy(&e->arena);
}

static kan_status draw(kan_epsilon_job *e) {
    kan_draw_column *columns;
    kan_secret secret;
    kan_status status;
    KAN_TRY(kan_secret_draw(e->run, &secret));
    kan_report_progress(e->run, "draw", 0, 0);
    KAN_TRY_DONE(kan_arena_alloc(&e->arena, e->n_columns, sizeof *columns, &columns));
    for (size_t i = 0; i < e->n_columns; i++)
        columns[i] = (kan_draw_column){.column = &e->setup.table->columns[e->columns[i].column],
                                       .shown = e->columns[i].shown,
                                       .n_shown = e->columns[i].n_labels};
    e->is_drawn = true;
    status = kan_draw_groups(e->run, columns, e->n_columns, e->setup.table->n_rows, &e->draws,
                             &secret, &e->drawn);
done:
    kan_secret_forget(&secret);
    return status;
}

/* ---- the release ---------------------------------------------------------------------------- */

/* What the sink gets: labels that a group shows, and for each row which of them. */
static kan_status fill_column(const kan_epsilon_job *e, size_t i, kan_arena *arena,
                              kan_release_column *out) {
    const kan_drawn *drawn = &e->drawn;
    const kan_epsilon_column *column = &e->columns[i];
    uint32_t *codes, n_labels = 0, *number;
    kan_slice *labels;
    uint64_t row = 0;
    KAN_TRY(kan_arena_alloc(arena, (size_t)drawn->n_rows + 1, sizeof *codes, &codes));
    KAN_TRY(kan_arena_alloc(arena, (size_t)drawn->n_groups + 1, sizeof *labels, &labels));
    KAN_TRY(kan_arena_alloc(arena, (size_t)column->n_labels + 1, sizeof *number, &number));
    for (uint64_t g = 0; g < drawn->n_groups; g++) {
        const uint32_t shown = drawn->key[g * e->n_columns + i];
        if (number[shown] == 0) {
            labels[n_labels++] = column->labels[shown];
            number[shown] = n_labels;
        }
        for (uint64_t j = 0; j < drawn->size[g]; j++)
            codes[row++] = number[shown] - 1;
    }
    *out = (kan_release_column){.name = column->name,
                                .width = sizeof *codes,
                                .codes = codes,
                                .labels = labels,
                                .n_labels = n_labels};
    return KAN_OK;
}

static kan_status internal_error(const kan_epsilon_job *e) {
    return kan_fail(e->run, KAN_FAILED,
                    "internal error: the release was counted again, and is not what was promised; "
                    "nothing was released; please report it");
}

static bool is_written(const kan_release *release, const kan_table *read) {
    if (read->n_rows != release->n_rows || read->n_columns != release->n_columns)
        return false;
    for (size_t c = 0; c < release->n_columns; c++)
        for (uint64_t row = 0; row < read->n_rows; row++)
            if (!kan_slice_equal(kan_column_value(&read->columns[c], row),
                                 release->columns[c]
                                     .labels[kan_release_code(release, &release->columns[c], row)]))
                return false;
    return true;
}

static kan_status recount(const kan_epsilon_job *e, const kan_release *release,
                          const kan_sink *sink) {
    kan_source_options options = kan_sink_options(sink);
    kan_source *source = NULL;
    kan_table *read = NULL;
    bool *encode = NULL;
    kan_draws_recount found;
    kan_status status;
    options.is_quiet = true;
    kan_report_progress(e->run, "verify", 0, 0);
    KAN_TRY(kan_source_open(e->run, &kan_source_csv, kan_sink_path(sink), &options, &source));
    kan_csv_take_empty(source->state);
    KAN_TRY_DONE(kan_alloc(e->run, kan_source_n_columns(source), sizeof *encode, &encode));
    for (size_t i = 0; i < kan_source_n_columns(source); i++)
        encode[i] = true;
    KAN_TRY_DONE(kan_source_read(source, encode, NULL, &read));
    KAN_TRY_DONE(kan_draws_count(e->run, read, e->draws.k, &found));
    if (!is_written(release, read) || found.n_small > 0 || found.unordered < found.n_rows ||
        found.n_groups != e->drawn.n_groups || found.smallest != e->drawn.smallest ||
        !kan_draws_are_enough(e->draws.epsilon, e->draws.delta, e->draws.k))
        status = internal_error(e);
done:
    kan_table_destroy(read);
    kan_free(e->run, encode);
    kan_source_close(source);
    return status;
}

/* ---- its report ----------------------------------------------------------------------------- */

/* From the result's own JSON, as every report; NULL where none is wanted. */
static kan_status write_page(const kan_epsilon_job *e, kan_result *out, kan_target **target) {
    const kan_options *options = &e->job->options;
    const char *path = kan_options_find(options, "report");
    *target = NULL;
    if (!path)
        return KAN_OK;
    json_t *object = json_loadb(out->json.bytes, out->json.size, 0, NULL);
    if (!object)
        return kan_fail(e->run, KAN_FAILED, "out of memory while the report was made");
    const kan_status status =
        kan_report_open(e->run, object, path, kan_options_switch(options, "force"), target);
    json_decref(object);
    kan_text_print(&out->summary, "  report: %s\n",
                   strcmp(path, "-") == 0 ? "standard output" : path);
    return status == KAN_OK ? kan_text_status(&out->summary) : status;
}

static kan_status name(kan_epsilon_job *e, kan_sink *sink, kan_result *out) {
    kan_target *page = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_epsilon_tell(e, kan_options_find(&e->job->options, "output"), out));
    KAN_TRY_DONE(write_page(e, out, &page));
    KAN_TRY_DONE(kan_check_cancel(e->run));
    KAN_TRY_DONE(kan_sink_sync(sink));
    if (page)
        KAN_TRY_DONE(kan_target_commit(page));
    status = kan_sink_commit(sink);
    if (status != KAN_OK && page)
        kan_target_withdraw(kan_options_find(&e->job->options, "report"));
done:
    kan_target_close(page);
    return status;
}

static void tell_formulas(const kan_epsilon_job *e, const kan_sink *sink) {
    const char *column = NULL;
    char quoted[256];
    if (kan_sink_formulas(sink, &column) > 0)
        kan_note(e->run,
                 "a spreadsheet would run cells of the release as formulas, the first in column "
                 "%s; open the file as text",
                 kan_quote(kan_slice_of(column), quoted));
}

static kan_status release(kan_epsilon_job *e, kan_result *out) {
    const kan_options *options = &e->job->options;
    kan_release release = {
        .n_rows = e->drawn.n_rows, .n_released = e->drawn.n_rows, .n_columns = e->n_columns};
    const kan_sink_order order = {.kind = kan_output_kind(e->job),
                                  .release = &release,
                                  .target = kan_options_find(options, "output"),
                                  .overwrite = kan_options_switch(options, "force"),
                                  .given = options};
    kan_sink *sink = NULL;
    kan_status status;
    KAN_TRY(kan_arena_alloc(&e->arena, e->n_columns, sizeof *release.columns, &release.columns));
    for (size_t i = 0; i < e->n_columns; i++)
        KAN_TRY(fill_column(e, i, &e->arena, &release.columns[i]));
    kan_report_progress(e->run, "write", 0, 0);
    KAN_TRY(kan_sink_write(e->run, &order, &sink));
    tell_formulas(e, sink);
    KAN_TRY_DONE(recount(e, &release, sink));
    KAN_TRY_DONE(name(e, sink, out));
    out->holds = true;
done:
    kan_sink_close(sink);
    return status;
}

kan_status kan_epsilon_anonymize(kan_job *job, kan_result *out) {
    const kan_options *options = &job->options;
    kan_epsilon_job e = {.job = job,
                         .run = job->run,
                         .draws = kan_draws_make(kan_options_real(options, "epsilon", 1),
                                                 kan_options_real(options, "delta", 1e-6))};
    kan_status status;
    kan_arena_init(&e.arena, job->run);
    job->makes_release = true;
    KAN_TRY_DONE(kan_output_check(job));
    KAN_TRY_DONE(kan_epsilon_read(&e));
    KAN_TRY_DONE(draw(&e));
    KAN_TRY_DONE(release(&e, out));
done:
    destroy(&e);
    return status;
}

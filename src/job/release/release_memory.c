/* A release in memory, for programs that use the library: a table of its own, recounted before the
 * caller gets it. */
#include "job/release/application.h"
#include "job/release/certificate.h"
#include "job/release/release_ledger.h"

static kan_status copy_value(kan_slice value, kan_text *room, size_t *start) {
    *start = room->size;
    kan_text_add(room, value.bytes, value.size);
    kan_text_add(room, "", 1);
    return kan_text_status(room);
}

static kan_status add_row(const kan_application *app, uint64_t row, kan_text *room, size_t *starts,
                          const char **values, kan_table *table) {
    const kan_release *release = &app->release;
    size_t n = 0;
    room->size = 0;
    for (size_t c = 0; c < release->n_columns; c++) {
        const kan_release_column *column = &release->columns[c];
        if (column->passes_through)
            continue;
        kan_slice value = kan_release_hides(release, column, row)
                              ? kan_slice_of("*")
                              : column->labels[kan_release_code(release, column, row)];
        KAN_TRY(copy_value(value, room, &starts[n++]));
    }
    for (size_t c = 0; c < n; c++)
        values[c] = room->bytes + starts[c];
    return kan_table_add_row(table, values);
}

kan_status kan_application_fill(const kan_application *app, kan_table *table) {
    kan_status status;
    const kan_release *release = &app->release;
    kan_run *run = app->setup->run;
    size_t *starts = NULL;
    const char **values = NULL;
    uint64_t *counts = NULL, n = 0;
    kan_text room;
    kan_text_init(&room, run);
    if (release->counts)
        KAN_TRY_DONE(kan_alloc(run, release->n_rows, sizeof *counts, &counts));
    KAN_TRY_DONE(kan_alloc(run, release->n_columns, sizeof *starts, &starts));
    KAN_TRY_DONE(kan_alloc(run, release->n_columns, sizeof *values, &values));
    for (uint64_t i = 0; i < release->n_rows; i++) {
        uint64_t row = release->order ? release->order[i] : i;
        if (release->is_suppressed && release->is_suppressed[row] && !release->keeps_suppressed)
            continue;
        KAN_TRY_DONE(add_row(app, row, &room, starts, values, table));
        if (counts)
            counts[n++] = release->counts[row];
    }
    KAN_TRY_DONE(kan_table_seal(table));
    if (counts) {
        status = kan_table_take_counts(table, counts);
        counts = NULL; /* the table's */
    }
done:
    kan_free(run, counts);
    kan_text_destroy(&room);
    kan_free(run, starts);
    kan_free(run, values);
    return status;
}

kan_status kan_release_to_memory(kan_application *app, double began, kan_outcome *outcome,
                                 kan_result *out) {
    kan_status status;
    kan_table *table;
    double start = kan_now_ms();
    if (app->release.guards_formulas)
        kan_note(app->setup->run, "--guard-formulas changes nothing: no file is written");
    kan_application_tell(app, outcome);
    KAN_TRY(kan_table_create(app->setup->run, app->release.n_columns, app->names, &table));
    KAN_TRY_DONE(kan_application_fill(app, table));
    double written = kan_now_ms();
    KAN_TRY_DONE(kan_application_verify(app, NULL, table, outcome));
    outcome->is_verified = true;
    outcome->write_ms = written - start;
    double verified = kan_now_ms();
    outcome->verify_ms = verified - written;
    KAN_TRY_DONE(kan_release_tell(app, NULL, began, outcome, out));
    KAN_TRY_DONE(kan_picture_write(app->setup, &outcome->released));
    KAN_TRY_DONE(kan_certificate_commit(app->setup, app->solution, app->certificate, out));
    KAN_TRY_DONE(kan_report_commit(app->setup, app->report, out));
    KAN_TRY_DONE(kan_release_stage(app, NULL, NULL));
    kan_release_settle(app, true); /* nothing can fail any more */
    out->table = table;
    table = NULL;
done:
    kan_table_destroy(table);
    return status;
}

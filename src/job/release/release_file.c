/* A release in a file: it is written beside its target, under no name, read again and recounted. It
 * gets its name last of all, after the result was made. As Arrow in memory it goes the same way, and
 * belongs to the result last of all. */
#include <inttypes.h>

#include "job/release/application.h"

/* A spreadsheet that opens a release must not run what is in it. */
static void tell_formulas(const kan_application *app, const kan_sink *sink, kan_outcome *outcome) {
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

/* What is handed over when all else is done. */
typedef struct {
    kan_sink *sink;
    kan_result *out;
} handover;

static kan_status commit(void *context) {
    const handover *h = context;
    if (kan_sink_path(h->sink))
        return kan_sink_commit(h->sink);
    h->out->arrow = kan_sink_take(h->sink);
    return KAN_OK;
}

kan_status kan_release_to_file(kan_application *app, double began, kan_outcome *outcome,
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
    kan_application_tell(app, outcome);
    KAN_TRY_DONE(kan_application_verify(app, sink, NULL, outcome));
    KAN_TRY_DONE(kan_release_judge(app, sink, outcome));
    double verified = kan_now_ms();
    if (kan_sink_path(sink))
        KAN_TRY_DONE(kan_sink_sync(sink));
    double synced = kan_now_ms();
    outcome->is_verified = true;
    outcome->verify_ms = verified - written;
    outcome->write_ms = written - start + (synced - verified);
    handover h = {sink, out};
    const kan_release_naming naming = {kan_sink_path(sink), began, commit, &h};
    status = kan_release_name(app, &naming, outcome, out);
done:
    kan_sink_close(sink);
    return status;
}

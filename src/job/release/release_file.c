/* A release in a file: it is written beside its target, under no name, read again and recounted. It
 * gets its name last of all, after the result was made. */
#include <inttypes.h>

#include "job/inspect/inspect.h"
#include "job/release/application.h"
#include "job/release/certificate.h"

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

/* Takes back the file of that setting, which goes with a release that could not be named. */
static void withdraw(const kan_setup *setup, const char *setting) {
    kan_target_withdraw(kan_options_find(&setup->job->options, setting));
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

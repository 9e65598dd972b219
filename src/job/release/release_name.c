/* The end of every release that gets a name: the result, and what goes with the release, which is
 * named last of all. */
#include "job/release/application.h"
#include "job/release/certificate.h"
#include "job/release/release_ledger.h"

/* Takes back the file of that setting, which goes with a release that could not be named. */
static void withdraw(const kan_setup *setup, const char *setting) {
    kan_target_withdraw(kan_options_find(&setup->job->options, setting));
}

/* The ledger first: a release that is in no ledger would be forgotten, and the next would break the promise. */
static kan_status name_with_ledger(const kan_application *app, const kan_release_naming *naming,
                                   const kan_outcome *outcome) {
    KAN_TRY(kan_release_stage(app, outcome->output, naming->path));
    const kan_status status = naming->commit(naming->context);
    kan_release_settle(app, status == KAN_OK);
    return status;
}

kan_status kan_release_tell(kan_application *app, const char *path, double began,
                            kan_outcome *outcome, kan_result *out) {
    kan_report_source told = {.outcome = outcome,
                              .release = &app->release,
                              .release_path = path,
                              .tells_all = outcome->released.is_all};
    kan_status status;
    KAN_TRY_DONE(kan_report_prepare(&told, outcome));
    if (kan_report_is_internal(app->setup->job)) {
        KAN_TRY_DONE(kan_release_attack(app, &told.attacks));
        KAN_TRY_DONE(kan_release_compare(app, &told.fidelity));
    }
    outcome->total_ms = kan_now_ms() - began;
    KAN_TRY_DONE(kan_result_write(outcome, out));
    status = kan_report_write(&told, out, &app->report);
done:
    json_decref(told.attacks);
    json_decref(told.fidelity);
    return status;
}

kan_status kan_release_name(kan_application *app, const kan_release_naming *naming,
                            kan_outcome *outcome, kan_result *out) {
    const kan_setup *setup = app->setup;
    KAN_TRY(kan_release_tell(app, naming->path, naming->began, outcome, out));
    KAN_TRY(kan_check_cancel(setup->run));
    /* Without the release the others are taken back. */
    KAN_TRY(kan_picture_write(setup, &outcome->released));
    KAN_TRY(kan_certificate_commit(setup, app->solution, app->certificate, out));
    if (!kan_report_is_wanted(setup->job)) /* a report adds the line itself, below its own */
        kan_report_add_next(setup, &out->summary);
    kan_status status = kan_text_status(&out->summary);
    if (status == KAN_OK)
        status = kan_report_commit(setup, app->report, out);
    if (status == KAN_OK) {
        status = name_with_ledger(app, naming, outcome);
        if (status != KAN_OK)
            withdraw(setup, "report");
    }
    if (status != KAN_OK) {
        withdraw(setup, "certificate");
        withdraw(setup, "picture");
    }
    return status;
}

/* `anonymize`: read, fold, search, apply, write beside the target, recount, name.
 *
 * Nothing gets its final name, and nothing is handed to the caller, before kan_verify_* has
 * recounted the released values themselves. Naming comes last of all, after the result was made:
 * whoever is told that the job failed finds no release. */
#include "job/release/application.h"
#include "job/release/certificate.h"
#include "job/release/release.h"

static kan_status walk(const kan_setup *setup, kan_solution *solution, kan_shuffle *shuffle,
                       double start, kan_result *out) {
    kan_status status;
    kan_application app = {.setup = setup, .solution = solution, .shuffle = shuffle};
    kan_outcome outcome = {.command = "anonymize",
                           .setup = setup,
                           .solution = solution,
                           .output = kan_options_find(&setup->job->options, "output")};
    double before = kan_now_ms();
    KAN_TRY_DONE(
        kan_recounted_claim(setup->job, &setup->promise, setup->table, false, &outcome.claim));
    outcome.claim.population = setup->has_people ? &setup->claimed : NULL;
    KAN_TRY_DONE(kan_released_make(solution, &outcome.released));
    KAN_TRY_DONE(kan_application_make(&app));
    outcome.apply_ms = kan_now_ms() - before;
    KAN_TRY_DONE(kan_columns_find(setup, &app.release, &outcome.columns));
    outcome.n_released = app.release.n_released;
    outcome.calibrated = app.calibration.told;
    outcome.keeps_suppressed = app.release.keeps_suppressed;
    outcome.shows_suppressed = app.release.shows_suppressed;
    KAN_TRY_DONE(kan_certificate_write(setup, solution, &app.certificate));
    kan_report_progress(setup->run, "write", 0, 0);
    KAN_TRY_DONE(
        kan_output_is_script(setup->job)   ? kan_release_to_script(&app, start, &outcome, out)
        : kan_output_is_engine(setup->job) ? kan_release_to_engine(&app, start, &outcome, out)
        : outcome.output || kan_output_is_arrow(setup->job)
            ? kan_release_to_file(&app, start, &outcome, out)
            : kan_release_to_memory(&app, start, &outcome, out));
    out->holds = true;
done:
    json_decref(outcome.report);
    json_decref(outcome.rules);
    kan_columns_destroy(setup->run, &outcome.columns);
    kan_fits_sizes_destroy(setup->run, &outcome.match_sizes);
    kan_released_destroy(&outcome.released);
    kan_application_destroy(&app);
    return status;
}

kan_status kan_walk_anonymize(kan_job *job, kan_result *out) {
    kan_status status;
    kan_setup setup;
    kan_solution solution = {.setup = &setup};
    kan_shuffle shuffle;
    double start = kan_now_ms();
    job->makes_release = true;
    KAN_TRY(kan_report_is_possible(job));
    KAN_TRY(kan_release_check_rules(job));
    KAN_TRY(kan_release_check_script(job));
    if (kan_output_is_engine(job))
        KAN_TRY(kan_release_check_engine(job));
    if (kan_release_counts_only(job))
        return kan_release_count_script(job, out);
    KAN_TRY(kan_shuffle_prepare(job, &shuffle));
    KAN_TRY_DONE(kan_setup_make(job, &setup));
    if (setup.input.source && !kan_options_find(&job->options, "output") &&
        !kan_output_is_arrow(job)) {
        status = kan_fail(job->run, KAN_BAD_INPUT, "no output; name it with -o OUT");
        goto done;
    }
    KAN_TRY_DONE(kan_picture_is_possible(&setup));
    const kan_solution_wants wants = {.release = true,
                                      .all = kan_report_wants_all(&setup),
                                      .certificate = kan_certificate_is_wanted(&setup)};
    KAN_TRY_DONE(kan_certificate_is_possible(&setup));
    status = kan_solution_find(&setup, &wants, &solution);
    if (status == KAN_OK)
        status = kan_ledger_check(&solution);
    if (status == KAN_OK)
        status = walk(&setup, &solution, &shuffle, start, out);
    kan_solution_destroy(&solution);
done:
    kan_setup_destroy(&setup);
    kan_secret_forget(&shuffle.secret);
    return status;
}

/* From a result to its page. The page is made of the JSON that the user gets, read back, so that
 * `kanon report` makes the same page from the file; what only an internal report has is added to
 * what was read, and is in no result. */
#include "job/report/report_file.h"

#include <stdlib.h>

#include "io/file_hash.h"
#include "job/input/input.h"
#include "report/report_page.h"

bool kan_report_is_wanted(const kan_job *job) {
    return kan_options_find(&job->options, "report") != NULL;
}

bool kan_report_is_internal(const kan_job *job) {
    return kan_options_switch(&job->options, "report-internal");
}

bool kan_report_wants_all(const kan_setup *setup) {
    enum { MOST_NODES = 1 << 20 };
    double n_nodes = 1;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        n_nodes *= setup->highest[a] - setup->lowest[a] + 1.0;
    return kan_report_is_wanted(setup->job) && !kan_search_orders(setup->search) &&
           n_nodes <= MOST_NODES;
}

kan_status kan_report_is_possible(const kan_job *job) {
    if (!kan_report_is_wanted(job) && kan_report_is_internal(job))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--report-internal says what a report contains, and none is asked for; "
                        "write --report FILE.html as well");
    const char *key = kan_options_find(&job->options, "hash-key");
    if (key && !kan_report_is_wanted(job))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--hash-key is for the hashes of a report, and none is asked for; write "
                        "--report FILE.html as well");
    return key ? kan_hash_check_key(job->run, key) : KAN_OK;
}

kan_status kan_report_prepare(const kan_report_source *source, kan_outcome *outcome) {
    const kan_job *job = outcome->setup->job;
    if (kan_report_is_wanted(job))
        return kan_report_data_make(source, &outcome->report);
    if (!job->wants_figures || kan_output_is_engine(job))
        return KAN_OK;
    const char *why = kan_setup_lacks_report(outcome->setup);
    if (why) {
        kan_note(job->run, "the release has no figures for a report: %s", why);
        return KAN_OK;
    }
    const kan_status status = kan_report_data_make(source, &outcome->report);
    if (status == KAN_OK || status == KAN_CANCELLED)
        return status;
    kan_note(job->run, "the release has no figures for a report: %s", kan_run_error(job->run));
    return KAN_OK;
}

kan_status kan_report_open(kan_run *run, const json_t *object, const char *path, bool overwrite,
                           kan_target **out) {
    kan_status status;
    kan_target *target = NULL;
    kan_text text;
    kan_text_init(&text, run);
    KAN_TRY_DONE(kan_report_page_print(run, object, &text));
    KAN_TRY_DONE(kan_target_open(
        run, path, overwrite,
        json_object_get(object, "internal") ? KAN_TARGET_PRIVATE : KAN_TARGET_SHARED, &target));
    KAN_TRY_DONE(kan_target_write(target, text.bytes, text.size));
    KAN_TRY_DONE(kan_target_finish(target));
    KAN_TRY_DONE(kan_target_sync(target));
    *out = target;
    target = NULL;
done:
    kan_target_close(target);
    kan_text_destroy(&text);
    return status;
}

/* What an internal page has beside: the report with all that a shareable one leaves out, and the
 * key `internal`. */
static kan_status add_internal(const kan_report_source *source, json_t *object) {
    kan_run *run = source->outcome->setup->run;
    kan_report_source whole = *source;
    json_t *report, *internal;
    whole.tells_all = true;
    KAN_TRY(kan_report_data_make(&whole, &report));
    if (json_object_set_new(object, "report", report) != 0)
        return kan_fail(run, KAN_FAILED, "out of memory while the report was made");
    KAN_TRY(kan_report_internal_make(&whole, &internal));
    if ((source->attacks && json_object_set(internal, "attacks", source->attacks) != 0) ||
        (source->fidelity && json_object_set(internal, "fidelity", source->fidelity) != 0) ||
        json_object_set(object, "internal", internal) != 0) {
        json_decref(internal);
        return kan_fail(run, KAN_FAILED, "out of memory while the report was made");
    }
    json_decref(internal);
    return KAN_OK;
}

static kan_status read_back(const kan_report_source *source, const kan_result *result,
                            json_t **out) {
    kan_run *run = source->outcome->setup->run;
    json_t *object;
    KAN_TRY(
        kan_report_json(run, json_loadb(result->json.bytes, result->json.size, 0, NULL), &object));
    kan_status status = KAN_OK;
    if (kan_report_is_internal(source->outcome->setup->job))
        status = add_internal(source, object);
    if (status == KAN_OK)
        *out = object;
    else
        json_decref(object);
    return status;
}

kan_status kan_report_write(const kan_report_source *source, const kan_result *result,
                            kan_target **out) {
    const kan_setup *setup = source->outcome->setup;
    json_t *object;
    *out = NULL;
    if (!kan_report_is_wanted(setup->job))
        return KAN_OK;
    KAN_TRY(read_back(source, result, &object));
    const kan_status status =
        kan_report_open(setup->run, object, kan_options_find(&setup->job->options, "report"),
                        kan_options_switch(&setup->job->options, "force"), out);
    json_decref(object);
    return status;
}

kan_status kan_report_commit(const kan_setup *setup, kan_target *target, kan_result *result) {
    const char *path = kan_options_find(&setup->job->options, "report");
    if (!target)
        return KAN_OK;
    kan_text_print(&result->summary, "  report: %s%s\n",
                   strcmp(path, "-") == 0 ? "standard output" : path,
                   kan_report_is_internal(setup->job) ? ", internal: it contains raw values" : "");
    kan_report_add_next(setup, &result->summary);
    KAN_TRY(kan_text_status(&result->summary));
    return kan_target_commit(target);
}

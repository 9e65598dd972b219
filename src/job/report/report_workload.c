/* How well a release answers the workload that its search was told: what `kanon utility` says of
 * it, asked before the release has its name.
 *
 * The error of one query, with the release at hand, is its exact answer. So a report that can be
 * shared has the distribution over several queries, and only where these are as many as people have
 * to be; in whole percents, because a median is the error of one query, too, and whoever knows the
 * queries could find out which. The largest error is not told. Where rows were suppressed, nothing
 * is: true answers count them, too. Nor where a person may have several rows: an answer may be about
 * the rows of one. */
#include <math.h>

#include "job/report/report_data.h"
#include "job/utility/utility.h"

/* Rounded up, but not by what floating-point numbers add to a whole percent. */
static json_t *rough_json(const json_t *error, const char *name) {
    const double percent = ceil(100 * json_number_value(json_object_get(error, name)) - 1e-9);
    return kan_json_real(percent > 0 ? percent / 100 : 0);
}

static json_t *errors_json(const json_t *error) {
    return json_pack("{s:o, s:o, s:o}", "mean", rough_json(error, "mean"), "median",
                     rough_json(error, "median"), "percentile_90",
                     rough_json(error, "percentile_90"));
}

/* Takes the result. */
static kan_status show(const kan_report_source *source, bool is_internal, kan_result *result,
                       json_t **out) {
    kan_run *run = source->outcome->setup->run;
    json_t *object, *shown;
    kan_status status =
        kan_report_json(run, json_loadb(result->json.bytes, result->json.size, 0, NULL), &object);
    kan_result_destroy(result);
    KAN_TRY(status);
    const json_t *asked = json_object_get(object, "queries");
    const bool is_told = source->tells_all && !source->outcome->setup->person &&
                         json_array_size(asked) >= kan_report_merge_below(source);
    const json_t *error = json_object_get(object, "error");
    shown = is_internal ? json_incref(json_object_get(object, "queries"))
                        : json_pack("{s:o, s:o}", "queries", kan_json_count(json_array_size(asked)),
                                    "error", is_told ? errors_json(error) : json_null());
    json_decref(object);
    return kan_report_json(run, shown, out);
}

kan_status kan_report_workload(const kan_report_source *source, bool is_internal, json_t **out) {
    const kan_setup *setup = source->outcome->setup;
    const char *workload = kan_options_find(&setup->job->options, "workload");
    const char *input = kan_options_find(&setup->job->options, "input");
    kan_result *result;
    if (!workload || strcmp(workload, "-") == 0 || !source->release_path || !setup->input.is_file ||
        !input || strcmp(input, "-") == 0 || kan_summary_is_number(kan_setup_summary(setup))) {
        *out = json_null();
        return KAN_OK;
    }
    KAN_TRY(kan_result_create(setup->run, &result));
    const kan_status status = kan_utility_of_release(setup->job, source->release_path,
                                                     source->release->guards_formulas, result);
    if (status == KAN_OK)
        return show(source, is_internal, result, out);
    kan_result_destroy(result);
    return status;
}

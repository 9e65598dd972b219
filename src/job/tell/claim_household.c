/* Households in settings (--household): what is refused wherever they are named, by `anonymize` and its like
 * and by `verify` alike. */
#include <string.h>

#include "job/settings/settings.h"
#include "job/tell/claim_make.h"

static bool is_option(const kan_job *job, const char *name, const char *value) {
    const char *given = kan_options_find(&job->options, name);
    return given && strcmp(given, value) == 0;
}

bool kan_job_leaves_households(const kan_job *job) {
    return kan_options_find(&job->options, "household") && !is_option(job, "suppress-by", "row");
}

bool kan_job_by_composition(const kan_job *job) {
    return is_option(job, "household-promise", "composition");
}

static kan_status check_without(const kan_job *job) {
    if (is_option(job, "suppress-by", "household"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--suppress-by household: which rows are one household's? name the column "
                        "that says so with --household NAME");
    if (kan_options_find(&job->options, "household-promise"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--household-promise: which rows are one household's? name the column that "
                        "says so with --household NAME");
    return KAN_OK;
}

kan_status kan_job_check_household(const kan_job *job) {
    const kan_options *options = &job->options;
    if (!kan_options_find(options, "household"))
        return check_without(job);
    if (kan_options_find(options, "person"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--household and --person: what both mean together is not worked out; with "
                        "--household each row is somebody else, with --person somebody may have "
                        "several; leave one of the two out");
    if (is_option(job, "suppress-by", "person"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--suppress-by person: with --household each row is somebody else, and who "
                        "is left out is a household (--suppress-by household) or a row "
                        "(--suppress-by row)");
    if (kan_options_find(options, "person-promise"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--person-promise: with --household it is --household-promise, groups or "
                        "composition");
    if (is_option(job, "count", "people"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--count people: with --household each row is somebody else, so that costs "
                        "count people anyway; leave --count out");
    if (kan_options_switch(options, "missing-matches"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--missing-matches is about rows: what it means for households is not "
                        "worked out; leave it out, or --household");
    if (kan_job_leaves_households(job) && kan_options_find(options, "subsets"))
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--subsets is about rows: what it means where households leave whole is not "
            "worked out; leave it out, or use --suppress-by row");
    if (kan_job_leaves_households(job) && kan_options_find(options, "calibrate"))
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--calibrate: what calibrated weights tell of households that were left out "
            "is not worked out; leave it out, and the weights stay as they are, or use "
            "--suppress-by row");
    if (kan_job_by_composition(job) && !kan_job_leaves_households(job))
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--household-promise composition: a composition is all rows of a household, "
            "and leaving one out makes another composition of it; leave --suppress-by "
            "row out, and households are left out whole");
    return KAN_OK;
}

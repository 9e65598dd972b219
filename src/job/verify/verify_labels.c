/* The hierarchies by which the labels of a release are read against a table that is not what it was made from: a
 * population, or a list of people. */
#include "job/settings/settings.h"
#include "job/verify/verify_side.h"

static kan_status bind(const kan_verify_labels *labels, size_t i, kan_hierarchy **out) {
    const kan_column *column = &labels->raw->columns[labels->columns[i]];
    const kan_job *job = labels->job;
    const size_t before = kan_problems_count(job->run);
    bool lacks_file = !kan_options_find(&job->options, "hierarchies");
    if (!lacks_file && !labels->specs[i])
        KAN_TRY(kan_input_lacks_hierarchy(job, column, &lacks_file));
    if (!labels->specs[i] && lacks_file)
        return KAN_OK;
    const kan_status status = kan_input_hierarchy(job, column, labels->specs[i], out);
    if (status != KAN_OK)
        return kan_problems_count(job->run) == before ? status : KAN_OK;
    return kan_hierarchy_fit_names(*out, &labels->release->columns[labels->shown[i]]);
}

kan_status kan_verify_bind_labels(const kan_verify_labels *labels, kan_hierarchy **hierarchies) {
    kan_run *run = labels->job->run;
    kan_problems_begin(run);
    for (size_t i = 0; i < labels->n; i++)
        KAN_TRY(bind(labels, i, &hierarchies[i]));
    if (kan_problems_count(run) > 0)
        kan_problem_add(run,
                        "%s: hierarchies are for the values of a raw table; if it shows the "
                        "labels of the release already, leave them out",
                        labels->name);
    return kan_problems_end(run);
}

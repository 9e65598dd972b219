/* The job that made the release, to be run again and again: the settings of its job file, without those
 * that say where something is written, how it is told and how fast it is found. */
#include <stdio.h>
#include <string.h>

#include "job/downcode/downcode_inside.h"

/* ---- what cannot be run again ----------------------------------------------------------------- */

/* The first setting of a trait that the job has; NULL: none. */
static const char *find_given(const kan_job *made, unsigned trait) {
    const char *name;
    for (size_t i = 0; (name = kan_setting_with(trait, "anonymize", i)) != NULL; i++)
        if (kan_setting_is_given(made, name))
            return name;
    return NULL;
}

static kan_status check_job(const kan_downcode *d) {
    kan_run *run = d->run;
    const char *name, *place = d->job->origins->path;
    if (d->made->parts)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: --knowing-method changes a cell and makes the release again, and does "
                        "not know how for several tables; attack each table with a job of its own",
                        place);
    if ((name = find_given(d->made, KAN_TRAIT_EPSILON)) != NULL)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: with --%s rows are drawn at random, and no job makes the same release "
                        "twice; what knowing the method tells is bounded by E and D. Leave "
                        "--knowing-method out",
                        place, name);
    if ((name = find_given(d->made, KAN_TRAIT_CODES)) != NULL)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: --%s is about sets of codes, and --knowing-method only changes single "
                        "values; leave it out",
                        place, name);
    return KAN_OK;
}

static bool is_in_database(const kan_job *job, const char *setting) {
    const char *path = kan_options_find(&job->options, setting);
    return !kan_job_table(job, setting) && path && kan_path_is_address(path);
}

void kan_downcode_check(kan_job *job) {
    const char *release = kan_options_find(&job->options, "input");
    if (!job->origins)
        kan_problem_add(job->run,
                        "--knowing-method makes the release again, and no job file says how; name "
                        "the one that it was made with, as --job FILE");
    if (!kan_job_names_table(job, "original"))
        kan_problem_add(job->run,
                        "--knowing-method changes values of the table that the release was made "
                        "from; name it with --original FILE");
    if (is_in_database(job, "original") || is_in_database(job, "input"))
        kan_problem_add(job->run,
                        "--knowing-method makes the release again from rows that it changes, and "
                        "those of a database stay there; export both tables to files, and name "
                        "these");
    if (!job->table && release && strcmp(release, "-") == 0)
        kan_problem_add(job->run,
                        "--knowing-method reads the release once more, and standard input can be "
                        "read once; name a file");
}

/* ---- the settings ----------------------------------------------------------------------------- */

/* What says nothing of what a release shows: where something is written, how it is told, how fast it is found,
 * and in which secret order rows stand. */
static bool is_left_out(const char *name) {
    const kan_setting_entry *entry = kan_setting_entry_for(name, "anonymize");
    const unsigned beside = KAN_TRAIT_OUTPUT | KAN_TRAIT_DISPLAY | KAN_TRAIT_MACHINE;
    if (!entry || kan_setting_traits(name, "anonymize") & beside)
        return true;
    if (entry->setting.file != KAN_FILE_NONE && entry->setting.file != KAN_FILE_READ)
        return true;
    return strcmp(name, "input") == 0 || strcmp(name, "shuffle") == 0 ||
           strcmp(name, "shuffle-key") == 0 || strcmp(name, "time-limit") == 0;
}

kan_status kan_downcode_job(const kan_downcode *d, kan_job **out) {
    const kan_options *options = &d->made->options;
    kan_status status = KAN_OK;
    kan_job *job;
    KAN_TRY(kan_job_create(d->run, &job));
    for (size_t i = 0; i < options->n && status == KAN_OK; i++) {
        status = kan_options_add(&job->options, options->values[i].name, options->values[i].value);
        if (status == KAN_OK)
            job->options.values[i].is_from_file = options->values[i].is_from_file;
    }
    if (status == KAN_OK)
        status = kan_options_add(&job->options, "keep", d->names[d->n_columns - 1]);
    if (status == KAN_OK) {
        job->tolerates_unused = true;
        *out = job;
    } else {
        kan_job_destroy(job);
    }
    return status;
}

kan_status kan_downcode_take_job(kan_downcode *d) {
    size_t n = 0;
    KAN_TRY(kan_job_create(d->run, &d->made));
    KAN_TRY(kan_job_load(d->made, d->job->origins->path));
    kan_options *options = &d->made->options;
    KAN_TRY(check_job(d));
    for (size_t i = 0; i < options->n; i++)
        if (!is_left_out(options->values[i].name))
            options->values[n++] = options->values[i];
    options->n = n;
    return KAN_OK;
}

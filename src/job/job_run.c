/* Handing a job to the walk of its command.
 *
 * Order of calls: kan_job_create, kan_job_set for each flag, kan_job_load for a job file (it takes
 * only what no flag has set), kan_job_run. Every value is checked as it is set; what can only be
 * seen when all are there (a missing input, a target that exists) is checked here before the walk
 * begins. */
#include <string.h>

#include "job/codes/codes.h"
#include "job/commands.h"
#include "job/epsilon/epsilon.h"
#include "job/pass_over.h"
#include "job/tables/tables.h"
#include "job/targets.h"
#include "job/tell/tell.h"

/* Jobs over several tables, with rows that are drawn, or with sets of codes, have walks of their own, for
 * the commands that take them. */
static kan_status walk(kan_job *job, const kan_command_entry *entry, kan_result *out) {
    if (job->parts)
        return entry->walk_tables(job, out);
    if (kan_epsilon_is_wanted(job, &entry->command))
        return entry->only_looks ? kan_epsilon_verify(job, out) : kan_epsilon_anonymize(job, out);
    if (kan_codes_is_wanted(job, &entry->command))
        return entry->only_looks ? kan_codes_verify(job, out) : kan_codes_anonymize(job, out);
    return entry->walk(job, out);
}

kan_status kan_job_run(kan_job *job, const char *command, kan_result **out) {
    KAN_NEED(NULL, job);
    KAN_NEED(job->run, command);
    KAN_NEED(job->run, out);
    const kan_command_entry *entry = kan_command_entry_find(command);
    char names[KAN_COMMAND_NAMES];
    if (!entry)
        return kan_fail(job->run, KAN_BAD_INPUT, "'%s' is not a command; there are %s", command,
                        kan_command_names(names));
    if (job->command && strcmp(job->command, command) != 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "%s: the job is for '%s', and '%s' was asked for; run kanon %s, or remove "
                        "the key `command` from the file",
                        job->command_place, job->command, command,
                        kan_command_find(job->command)->words);
    KAN_TRY(kan_job_pass_over(job, entry));
    if (job->parts && !entry->walk_tables)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "%s: kanon %s takes one table, and not several in one job yet; name one "
                        "table with a job of its own",
                        job->parts->place, entry->command.words);
    if (job->parts) {
        KAN_TRY(kan_tables_check(job, &entry->command));
    } else if (kan_epsilon_is_wanted(job, &entry->command)) {
        KAN_TRY(kan_epsilon_check(job, &entry->command));
    } else {
        if (entry->prepare)
            KAN_TRY(entry->prepare(job));
        KAN_TRY(kan_codes_is_wanted(job, &entry->command) ? kan_codes_check(job, &entry->command)
                                                          : kan_job_check_complete(job, command));
    }
    KAN_TRY(kan_job_check_choices(job, command));
    KAN_TRY(kan_job_check_targets(job, command));
    kan_result *result;
    KAN_TRY(kan_result_create(job->run, &result));
    const kan_run_terms before = kan_run_begin_job(job->run, job->files);
    kan_status status = kan_job_prepare_run(job);
    if (status == KAN_OK)
        status = walk(job, entry, result);
    kan_run_end_job(job->run, before);
    if (status != KAN_OK) {
        kan_result_destroy(result);
        return status;
    }
    kan_text_make_plain(&result->summary); /* names and values may hold anything */
    kan_text_make_plain(&result->unchecked);
    *out = result;
    return KAN_OK;
}

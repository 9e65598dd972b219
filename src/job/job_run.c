/* Handing a job to the walk of its command.
 *
 * Order of calls: kan_job_create, kan_job_set for each flag, kan_job_load for a job file (it takes
 * only what no flag has set), kan_job_run. Every value is checked as it is set; what can only be
 * seen when all are there (a missing input, a target that exists) is checked here before the walk
 * begins. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/compare/compare.h"
#include "job/hierarchies/hierarchies.h"
#include "job/inspect/inspect.h"
#include "job/outcome/outcome.h"
#include "job/release/release.h"
#include "job/targets.h"
#include "job/walk_generate.h"

typedef kan_status (*walk_fn)(kan_job *job, kan_result *out);

static walk_fn find_walk(const char *command) {
    static const struct {
        const char *command;
        walk_fn walk;
    } walks[] = {{"anonymize", kan_walk_anonymize},
                 {"search", kan_walk_search},
                 {"compare", kan_walk_compare},
                 {"verify", kan_walk_verify},
                 {"utility", kan_walk_utility},
                 {"risk", kan_walk_risk},
                 {"profile", kan_walk_profile},
                 {"hierarchy-build", kan_walk_hierarchy_build},
                 {"hierarchy-check", kan_walk_hierarchy_check},
                 {"hierarchy-show", kan_walk_hierarchy_show},
                 {"hierarchy-convert", kan_walk_hierarchy_convert},
                 {"report", kan_walk_report},
                 {"generate", kan_walk_generate}};
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++)
        if (strcmp(walks[i].command, command) == 0)
            return walks[i].walk;
    return NULL;
}

/* `kanon verify RELEASE --job FILE`: the input of the job is the original that the release is held
 * against, where it is at hand. Whoever got the release alone does not have it. */
static kan_status take_original(kan_job *job) {
    struct stat made_from, release;
    const char *input = kan_options_find(&job->options, "input");
    if (!job->made_from || kan_options_find(&job->options, "original") ||
        kan_options_find(&job->options, "certificate") || access(job->made_from, R_OK) != 0 ||
        stat(job->made_from, &made_from) != 0)
        return KAN_OK;
    if (input && stat(input, &release) == 0 && release.st_dev == made_from.st_dev &&
        release.st_ino == made_from.st_ino)
        return KAN_OK;
    return kan_job_add_item(job, "original", job->made_from);
}

kan_status kan_job_run(kan_job *job, const char *command, kan_result **out) {
    walk_fn walk = find_walk(command);
    if (!walk)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "'%s' is not a command; there are anonymize, search, compare, verify, "
                        "utility, risk, profile, report, "
                        "hierarchy-build, -check, -show and -convert, and generate",
                        command);
    if (job->command && strcmp(job->command, command) != 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "%s: the job is for '%s', and '%s' was asked for; run kanon %.*s%s%s, or "
                        "take the key `command` out of the file",
                        job->command_place, job->command, command, (int)strcspn(job->command, "-"),
                        job->command,
                        strchr(job->command, '-') ? " " : "", /* kanon hierarchy build */
                        strchr(job->command, '-') ? strchr(job->command, '-') + 1 : "");
    if (strcmp(command, "verify") == 0)
        KAN_TRY(take_original(job));
    KAN_TRY(kan_job_check_complete(job, command));
    KAN_TRY(kan_job_check_targets(job, command));
    KAN_TRY(kan_job_prepare_run(job));
    kan_result *result;
    KAN_TRY(kan_result_create(job->run, &result));
    kan_status status = walk(job, result);
    if (status != KAN_OK) {
        kan_result_destroy(result);
        return status;
    }
    kan_text_make_plain(&result->summary); /* names and values may hold anything */
    kan_text_make_plain(&result->unchecked);
    *out = result;
    return KAN_OK;
}

/* One job as a command: flags to settings, the run, and the result to where it belongs.
 *
 * The summary goes to standard output, or to standard error when standard output holds the release,
 * the JSON or the certificate. --quiet leaves nothing but errors, and what could not be checked. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool is_standard(const char *path) {
    return path && strcmp(path, "-") == 0;
}

/* What could not be checked is not verified, and not refuted either. */
static int status_of(const kan_result *result) {
    if (kan_result_holds(result))
        return KAN_OK;
    return kan_result_unchecked(result) ? KAN_FAILED : KAN_UNSATISFIED;
}

/* Whether standard output holds a file that the command wrote. */
static bool is_output_taken(const cli_command *command, const kan_job *job) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (setting->file == KAN_FILE_WRITTEN && kan_setting_is_for(setting, command->name) &&
            is_standard(kan_job_get(job, setting->name, 0)))
            return true;
    }
    return false;
}

static int show_result(const cli_command *command, const kan_job *job, const kan_result *result) {
    const char *json = kan_job_get(job, "json", 0);
    int status = status_of(result);
    if (json && cli_write_text(json, kan_result_json(result), cli_is_on(job, "force")) != KAN_OK)
        status = KAN_FAILED;
    if (!cli_is_on(job, "quiet"))
        fputs(kan_result_summary(result), is_output_taken(command, job) ? stderr : stdout);
    else if (kan_result_unchecked(result))
        cli_error("NOT VERIFIED: %s", kan_result_unchecked(result));
    return status;
}

int cli_work(const cli_command *command, int n, char **arguments) {
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_result *result = NULL;
    cli_terminal terminal = {0};
    int status = KAN_FAILED;
    if (!run) {
        cli_error("out of memory");
        return status;
    }
    if (kan_job_create(run, &job) != KAN_OK) {
        cli_error_lines(kan_run_error(run));
        goto done;
    }
    cli_signals_attach(run);
    status = (int)cli_flags_parse(command, run, job, n, arguments);
    if (status != KAN_OK)
        goto done;
    cli_terminal_attach(&terminal, run, job);
    status = (int)kan_job_run(job, command->name, &result);
    cli_terminal_clear(&terminal);
    if (status != KAN_OK)
        cli_error_lines(kan_run_error(run));
    else
        status = cli_finish(show_result(command, job, result));
    if (status == KAN_OK && command->keeps_interrupted && kan_run_is_cancelled(run))
        status = KAN_CANCELLED;
done:
    cli_signals_ignore();
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return status;
}

int cli_work_with(const cli_command *command, char *flag, int n, char **arguments) {
    char **more = malloc(((size_t)n + 1) * sizeof *more);
    if (!more) {
        cli_error("out of memory");
        return KAN_FAILED;
    }
    more[0] = flag;
    for (int i = 0; i < n; i++)
        more[i + 1] = arguments[i];
    const int status = cli_work(command, n + 1, more);
    free(more);
    return status;
}

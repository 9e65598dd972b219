/* Settings that name files to write are known by what they say of themselves (kan_setting.file). */
#include "job/pass_over.h"
#include "core/wording.h"

#include <stdio.h>
#include <string.h>

typedef struct kan_option_value value_of_option;

static bool is_written(kan_file_use use) {
    switch (use) {
    case KAN_FILE_WRITTEN:
    case KAN_FILE_EXTENDED:
    case KAN_FILE_FOLDER:
        return true;
    case KAN_FILE_NONE:
    case KAN_FILE_READ:
        return false;
    }
    return true;
}

/* Whether the command would write where the value says. */
static bool names_target(const value_of_option *said, const char *command) {
    const kan_setting_entry *entry = kan_setting_entry_for(said->name, command);
    return entry && is_written(entry->setting.file);
}

static bool is_force(const value_of_option *said) {
    return strcmp(said->name, "force") == 0;
}

static bool is_passed_over(const value_of_option *said, const char *command) {
    return said->is_from_file && (is_force(said) || names_target(said, command));
}

/* What an earlier run passed over may be for this one. */
static kan_status take_back(kan_job *job) {
    for (; job->passed_over.n > 0; job->passed_over.n--) {
        const value_of_option *said = &job->passed_over.values[job->passed_over.n - 1];
        if (kan_options_find(&job->options, said->name))
            continue; /* it was set since then */
        KAN_TRY(kan_options_add(&job->options, said->name, said->value));
        job->options.values[job->options.n - 1].is_from_file = true;
    }
    return KAN_OK;
}

/* `force` is told only where it would have meant something. */
static void tell(const kan_job *job, const char *words, const char *command) {
    const kan_options *passed = &job->passed_over;
    const char *example = NULL;
    bool has_target = false;
    char names[512];
    kan_name_list list = kan_names_begin(names, sizeof names, 0);
    for (size_t i = 0; i < job->options.n; i++)
        has_target = has_target || names_target(&job->options.values[i], command);
    for (size_t i = 0; i < passed->n; i++)
        if (!is_force(&passed->values[i]))
            example = passed->values[i].name;
    for (size_t i = 0; i < passed->n; i++)
        if (example || has_target)
            kan_names_add(&list, passed->values[i].name);
    if (list.n > 0)
        kan_note(job->run,
                 "settings of %s that are ignored: %s; kanon %s only reads, and a job file cannot "
                 "make it write; they work as flags, such as --%s",
                 job->origins->path, names, words, example ? example : "force");
}

kan_status kan_job_pass_over(kan_job *job, const kan_command_entry *command) {
    const char *name = command->command.name;
    size_t n = 0;
    KAN_TRY(take_back(job));
    if (!command->only_looks)
        return KAN_OK;
    for (size_t i = 0; i < job->options.n; i++) {
        const value_of_option *said = &job->options.values[i];
        if (is_passed_over(said, name))
            KAN_TRY(kan_options_add(&job->passed_over, said->name, said->value));
    }
    for (size_t i = 0; i < job->options.n; i++)
        if (!is_passed_over(&job->options.values[i], name))
            job->options.values[n++] = job->options.values[i];
    job->options.n = n;
    if (job->passed_over.n > 0)
        tell(job, command->command.words, name);
    return KAN_OK;
}

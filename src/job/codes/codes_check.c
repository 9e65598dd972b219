/* What a job with a column of codes may say. */
#include <string.h>

#include "job/codes/codes_inside.h"

bool kan_codes_is_wanted(const kan_job *job, const kan_command *command) {
    return kan_setting_entry_for("codes", command->name) && kan_setting_is_given(job, "codes");
}

/* Whether a value before this one has the same setting. */
static bool was_seen(const kan_options *options, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (strcmp(options->values[i].name, options->values[at].name) == 0)
            return true;
    return false;
}

static void check_setting(const kan_job *job, const char *command, const char *name) {
    const kan_setting_entry *entry = kan_setting_entry_for(name, command);
    const unsigned traits = kan_setting_traits(name, command);
    if ((traits & (KAN_TRAIT_BESIDE_CODES | KAN_TRAIT_DISPLAY | KAN_TRAIT_MACHINE)) || !entry ||
        !kan_setting_is_given(job, name))
        return;
    kan_problem_add(job->run, "--%s is not taken with --codes yet: %s", name,
                    entry->not_with_codes
                        ? entry->not_with_codes
                        : "what is promised then is --k-codes alone, of a table in "
                          "CSV that is released as it stands; leave it out");
}

static bool is_output(const char *setting) {
    return strcmp(setting, "output") == 0;
}

static bool is_text(const kan_job *job, const char *setting, const char *path) {
    return is_output(setting) ? kan_output_kind_of(path)->is_text : kan_input_is_text(job, path);
}

/* Before it is opened: a library that other formats need may be missing, and does not help. */
static void check_file(const kan_job *job, const char *setting) {
    const char *path = kan_options_find(&job->options, setting);
    if (path && kan_path_is_address(path))
        kan_problem_add(job->run,
                        "--%s %s: a column of codes is read from a CSV file and written to one; a "
                        "database is not taken yet: export the table to CSV",
                        setting, path);
    else if (path && !is_text(job, setting, path))
        kan_problem_add(job->run,
                        "--%s %s: a column of codes is read from a CSV file and written to one: "
                        "whether what other formats keep beside their cells tells of people who "
                        "are left out was not looked at yet; %s",
                        setting, path,
                        is_output(setting) ? "choose a name that ends in .csv"
                                           : "save the table as CSV, and name that file");
}

static void check_needs(const kan_job *job, bool is_verify) {
    if (!kan_setting_is_given(job, "k-codes"))
        kan_problem_add(job->run, "--codes: no promise was asked for; write --k-codes K --known M, "
                                  "such as --k-codes 5 --known 2");
    else if (!kan_setting_is_given(job, "known"))
        kan_problem_add(job->run, "--k-codes: how many codes of a person may somebody know? write "
                                  "--known M, such as --known 2");
    if (!kan_options_find(&job->options, "input"))
        kan_problem_add(job->run, "no table was named; write kanon %s FILE",
                        is_verify ? "verify" : "anonymize");
    if (!is_verify && !kan_options_find(&job->options, "output"))
        kan_problem_add(job->run,
                        "no target was named; write -o OUT for the release (- is standard output)");
}

kan_status kan_codes_check(const kan_job *job, const kan_command *command) {
    const bool is_verify = strcmp(command->name, "verify") == 0;
    if (!is_verify && strcmp(command->name, "anonymize") != 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--codes is taken by kanon anonymize and kanon verify, and not by kanon %s "
                        "yet",
                        command->words);
    if (job->wants_arrow || job->wants_figures || job->table || job->tables)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--codes is not taken in Python, or in memory, yet; run kanon %s on the "
                        "command line, with files",
                        command->words);
    kan_problems_begin(job->run);
    for (size_t i = 0; i < job->options.n; i++)
        if (!was_seen(&job->options, i))
            check_setting(job, command->name, job->options.values[i].name);
    check_file(job, "input");
    check_file(job, "output");
    check_file(job, "original");
    check_needs(job, is_verify);
    return kan_problems_end(job->run);
}

/* What a job with rows that are drawn may say. */
#include <string.h>

#include "job/epsilon/epsilon_inside.h"

bool kan_epsilon_is_wanted(const kan_job *job, const kan_command *command) {
    const char *name;
    for (size_t i = 0; (name = kan_setting_with(KAN_TRAIT_EPSILON, command->name, i)) != NULL; i++)
        if (kan_setting_is_given(job, name))
            return true;
    return false;
}

/* Whether a value before this one has the same setting. */
static bool was_seen(const kan_options *options, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (strcmp(options->values[i].name, options->values[at].name) == 0)
            return true;
    return false;
}

/* A setting that was not looked at is refused: what it does could follow from the table. */
static void check_setting(const kan_job *job, const char *command, const char *name) {
    const kan_setting_entry *entry = kan_setting_entry_for(name, command);
    const unsigned traits = kan_setting_traits(name, command);
    if ((traits & (KAN_TRAIT_BESIDE_EPSILON | KAN_TRAIT_DISPLAY | KAN_TRAIT_MACHINE)) || !entry ||
        !kan_setting_is_given(job, name))
        return;
    kan_problem_add(job->run, "--%s is not taken with --epsilon: %s; leave it out", name,
                    entry->not_with_epsilon
                        ? entry->not_with_epsilon
                        : "what is promised then is differential privacy alone, of rows that are "
                          "drawn from a table in CSV, and it may depend on rows in another way");
}

static void check_file(const kan_job *job, const char *setting) {
    const bool is_output = strcmp(setting, "output") == 0;
    const char *path = kan_options_find(&job->options, setting);
    if (path && (kan_path_is_address(path) ||
                 !(is_output ? kan_output_kind_of(path)->is_text : kan_input_is_text(job, path))))
        kan_problem_add(job->run,
                        "--%s %s: with --epsilon rows are read from a CSV file and written to one: "
                        "what databases and other formats keep beside their cells was not looked "
                        "at; %s",
                        setting, path,
                        is_output ? "choose a name that ends in .csv"
                                  : "save the table as CSV, and name that file");
}

static void check_needs(const kan_job *job, bool is_verify) {
    const kan_options *options = &job->options;
    if (!kan_options_find(options, "delta"))
        kan_problem_add(job->run, "--epsilon: with which probability may more be learned? write "
                                  "--delta D, far below one in the number of people, such as "
                                  "--delta 1e-6");
    if (!kan_options_find(options, "epsilon"))
        kan_problem_add(job->run, "--delta is for --epsilon E, such as --epsilon 1; add it, or "
                                  "leave --delta out");
    if (!kan_options_find(options, "input"))
        kan_problem_add(job->run, "no table was named; write kanon %s FILE",
                        is_verify ? "verify" : "anonymize");
    if (!is_verify && !kan_options_find(options, "output"))
        kan_problem_add(job->run,
                        "no target was named; write -o OUT for the release (- is standard output)");
}

kan_status kan_epsilon_check(const kan_job *job, const kan_command *command) {
    const kan_options *options = &job->options;
    const bool is_verify = strcmp(command->name, "verify") == 0;
    if (!is_verify && strcmp(command->name, "anonymize") != 0)
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--epsilon is not taken by kanon %s: what it shows of a table would tell of "
            "it, and each look at another draw spends another E and D; kanon anonymize "
            "makes the release, kanon verify counts it again",
            command->words);
    if (job->wants_arrow || job->wants_figures || job->table || job->tables)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--epsilon is not taken in Python, or in memory; run kanon %s on the "
                        "command line, with files",
                        command->words);
    kan_problems_begin(job->run);
    for (size_t i = 0; i < options->n; i++)
        if (!was_seen(options, i))
            check_setting(job, command->name, options->values[i].name);
    check_file(job, "input");
    if (!is_verify)
        check_file(job, "output");
    check_needs(job, is_verify);
    return kan_problems_end(job->run);
}

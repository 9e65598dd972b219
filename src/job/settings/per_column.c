/* Settings that hold for single sensitive columns: [NAME=]VALUE. */
#include "job/settings/settings.h"

/* Of an option of a privacy model; `first` turns the model on. */
static void check_option(const kan_job *job, const kan_option_spec *spec,
                         const kan_option_spec *first) {
    const char *text, *value;
    kan_said_column unused;
    char quoted[256];
    for (size_t i = 0; (text = kan_options_at(&job->options, spec->name, i)) != NULL; i++) {
        kan_slice column;
        kan_option_split(text, &column, &value);
        if (value == text)
            continue;
        kan_quote(column, quoted);
        if (!kan_role_names(&job->options, KAN_ROLE_SENSITIVE, column, &unused))
            kan_problem_add(job->run,
                            "--%s: %s is not one of the sensitive columns; name it with "
                            "--sensitive",
                            spec->name, quoted);
        else if (!kan_options_for(&job->options, first->name, column))
            kan_problem_add(
                job->run, "--%s needs --%s, which column %s does not have; add --%s %.*s=VALUE",
                spec->name, first->name, quoted, first->name, (int)column.size, column.bytes);
    }
}

kan_status kan_per_column_check(const kan_job *job) {
    kan_problems_begin(job->run);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_kind *kind = kan_registry_at(KAN_FAMILY_PRIVACY, i);
        for (size_t o = 0; o < kind->n_options; o++)
            if (kind->options[o].is_per_column)
                check_option(job, &kind->options[o], &kind->options[0]);
    }
    return kan_problems_end(job->run);
}

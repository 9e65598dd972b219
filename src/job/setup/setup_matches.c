/* --missing-matches: where it is defined. It is about cells that are hidden or shown, and about rows;
 * what it says of anything else nobody has worked out. */
#include "job/setup/setup.h"

static kan_status refuse(const kan_setup *setup, const char *why) {
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--missing-matches: %s; leave it out, and groups of k "
                    "rows are promised",
                    why);
}

static kan_status check_promise(const kan_setup *setup) {
    const kan_promise *promise = &setup->promise;
    for (unsigned m = 0; m < promise->n_models; m++)
        if (!promise->models[m].kind->size_decides || promise->n_models > 1)
            return refuse(setup, "those who match a row form no groups, and other models than --k "
                                 "look at groups");
    if (setup->person)
        return refuse(setup,
                      "it is about rows, and what it means for people who have several is not "
                      "worked out (--person)");
    return KAN_OK;
}

static kan_status check_shown(const kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    if (kan_summary_is_number(kan_setup_summary(setup)))
        return refuse(setup, "means of groups tell values of cells that are hidden (--summary)");
    if (kan_options_find(options, "strata") && kan_options_switch(options, "keep-suppressed"))
        return refuse(setup, "of a row of nothing but * nobody can tell the stratum (--strata with "
                             "--keep-suppressed)");
    if (kan_options_switch(options, "show-suppressed"))
        return refuse(setup, "rows of suppressed people would match anybody (--show-suppressed)");
    if (kan_output_is_engine(setup->job))
        return refuse(setup, "a release that a database makes is recounted there, by groups");
    if (setup->problem.is_unfolded || setup->is_at_levels || setup->is_counted || setup->values)
        return refuse(setup, "it needs the rows, and these stay where they are counted");
    return KAN_OK;
}

/* Who reads the release could not tell a value of this name from a hidden cell, which is called otherwise then. */
static kan_status check_values(const kan_setup *setup) {
    for (unsigned q = 0; q < setup->n_quasi; q++) {
        const kan_column *column = &setup->table->columns[setup->quasi[q]];
        uint32_t code;
        char quoted[256];
        if (kan_dictionary_find(&column->dictionary, kan_slice_of("*"), &code))
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--missing-matches: column %s has the value *, which is how a hidden "
                            "cell looks; write another word in the table, or leave it empty",
                            kan_quote(kan_slice_of(column->name), quoted));
    }
    return KAN_OK;
}

/* What is about matches alone. */
static kan_status check_alone(const kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    if (kan_options_find(options, "strata"))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--strata is for --missing-matches; groups are within strata where the "
                        "column is a quasi-identifier that is never generalized: --qi NAME --level "
                        "NAME=0");
    if (kan_options_find(options, "importance"))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--importance is for --missing-matches; searches for groups make one sum "
                        "small, in which --weight NAME=W says how much a column matters");
    return KAN_OK;
}

kan_status kan_setup_take_matches(kan_setup *setup) {
    enum { MOST_COLUMNS = 63 };
    if (!kan_options_switch(&setup->job->options, "missing-matches"))
        return check_alone(setup);
    if (setup->has_given)
        return refuse(setup, "a solution that is given (--levels, --apply) is made of groups");
    if (!setup->model || !setup->model->suppresses || setup->model->type != KAN_RECODING_LOCAL)
        return refuse(setup,
                      "only cells that are hidden or shown can match anything: use --recoding "
                      "cell-suppression");
    KAN_TRY(check_promise(setup));
    KAN_TRY(check_shown(setup));
    if (setup->n_quasi > MOST_COLUMNS)
        return refuse(setup, "it looks at up to 63 quasi-identifiers");
    if (!kan_cost_followed(setup->cost)->price)
        return kan_fail(
            setup->run, KAN_BAD_INPUT,
            "--missing-matches: --cost %s looks at groups, and those who match a row form "
            "none; use precision, distortion or ncp, which count hidden cells",
            setup->cost->kind.name);
    KAN_TRY(check_values(setup));
    KAN_TRY(kan_setup_take_importance(setup));
    KAN_TRY(kan_setup_take_strata(setup));
    setup->matches_missing = true;
    kan_promise_init(&setup->of_rows, setup->promise.limit);
    return KAN_OK;
}

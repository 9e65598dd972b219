/* --per-column: where it is defined. It promises something of each column by itself, so that whatever is
 * promised of rows or people is refused beside it. */
#include "job/setup/setup.h"

static kan_status refuse(const kan_setup *setup, const char *why) {
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--per-column: %s; without it --algorithm mdav groups rows by all columns",
                    why);
}

static kan_status check_promise(const kan_setup *setup) {
    const kan_promise *promise = &setup->promise;
    for (unsigned m = 0; m < promise->n_models; m++)
        if (!promise->models[m].kind->size_decides || promise->n_models > 1)
            return refuse(setup, "each column is grouped by itself, so that rows form no groups, "
                                 "and other models than --k look at groups");
    if (setup->person)
        return refuse(setup, "it counts rows, and what it means for people who have several is "
                             "not worked out (--person)");
    if (setup->subsets.n > 0)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--per-column and --subsets are two promises, each in place of groups by "
                        "all columns; leave one out");
    if (promise->limit > 0)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--per-column leaves no row out, as none is in a group that could be too "
                        "small; leave --suppress out");
    return KAN_OK;
}

kan_status kan_setup_take_per_column(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    if (!kan_options_switch(options, "per-column"))
        return KAN_OK;
    if (setup->has_given)
        return refuse(setup, "a solution that is given (--levels, --apply) is made of groups");
    if (!setup->search->one_column)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--per-column groups each column by itself and promises nothing for rows "
                        "as a whole: say so with --algorithm univariate, or leave it out");
    KAN_TRY(check_promise(setup));
    if (kan_setup_summary(setup) == KAN_SUMMARY_BOTH)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--per-column: a range and a mean of one number are two columns that "
                        "belong together; use --summary range, mean or median in place of both");
    if (kan_output_is_engine(setup->job))
        return refuse(setup, "a release that a database makes is recounted there, by groups of "
                             "rows");
    setup->is_per_column = true;
    kan_promise_init(&setup->of_rows, 0);
    return KAN_OK;
}

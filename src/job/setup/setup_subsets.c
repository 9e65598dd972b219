/* --subsets: groups by every set of so many quasi-identifiers, in place of those by all of them
 * (docs/papers/subsets.md).
 *
 * Rows that look alike in all columns do so in any of them. So whatever does not know of sets is asked
 * for groups of the largest k by all columns, which keeps the promise; the recount is by sets. */
#include "core/options.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

static kan_status check_k(const kan_setup *setup, const kan_column_sets *subsets) {
    const bool has_k = kan_options_find(&setup->job->options, "k") != NULL;
    if (has_k && kan_column_sets_say_k(subsets))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--subsets: each number of columns has a k of its own there; leave --k "
                        "out, or write the numbers of columns alone");
    if (!has_k && !kan_column_sets_say_k(subsets))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--subsets: how many rows must look alike in each set of columns? say it "
                        "with --k N, or for each number of columns, such as 2:5,3:3");
    return KAN_OK;
}

kan_status kan_setup_take_subsets(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    const char *text = kan_options_find(options, "subsets"), *why;
    kan_column_sets subsets;
    if (!text)
        return KAN_OK;
    if (!kan_column_sets_parse(text, &subsets, &why))
        return kan_fail(setup->run, KAN_BAD_INPUT, "--subsets: %s", why);
    KAN_TRY(check_k(setup, &subsets));
    kan_column_sets_take_k(&subsets, kan_options_count(options, "k", 1));
    if (kan_column_sets_most_columns(&subsets) > setup->n_quasi)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--subsets: there are no sets of %llu columns among %u %s; write at most "
                        "%u, which is all of them at once",
                        (unsigned long long)kan_column_sets_most_columns(&subsets), setup->n_quasi,
                        kan_plural(setup->n_quasi, "quasi-identifier", "quasi-identifiers"),
                        setup->n_quasi);
    setup->subsets = subsets;
    return KAN_OK;
}

static kan_status refuse(const kan_setup *setup, const char *why) {
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--subsets: %s; leave it out, and groups by all columns are promised", why);
}

kan_status kan_setup_check_subsets(const kan_setup *setup) {
    if (setup->subsets.n == 0)
        return KAN_OK;
    if (setup->matches_missing)
        return refuse(setup, "with --missing-matches rows match by all columns, and what they do "
                             "by some of them is not worked out yet");
    return refuse(setup, "no search knows sets of columns yet");
}

/* --subsets: groups by every set of so many quasi-identifiers, in place of those by all of them
 * (docs/papers/subsets.md).
 *
 * Rows that look alike in all columns do so in any of them. So whatever does not know of sets is asked
 * for groups of the largest k by all columns, which keeps the promise; the recount is by sets. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* ---- what the search can keep --------------------------------------------------------------- */

/* Whether the search looks at groups by all columns of whole nodes, and so at what these show of any. */
static bool takes_subsets(const kan_setup *setup) {
    const bool is_over_levels = setup->has_given ? setup->given.type == KAN_RECODING_LEVELS
                                                 : !kan_search_orders(setup->search);
    return is_over_levels && !setup->values && !setup->person &&
           !kan_options_switch(&setup->job->options, "missing-matches");
}

/* Groups of the largest k by all columns. */
static kan_status promise_all_columns(kan_setup *setup) {
    kan_arena *arena = &setup->job->arena;
    kan_options options;
    char k[32];
    const char *copy;
    snprintf(k, sizeof k, "%" PRIu64, kan_column_sets_most_k(&setup->subsets));
    KAN_TRY(kan_arena_copy(arena, k, strlen(k), &copy));
    kan_options_init(&options, arena);
    kan_status status =
        kan_options_add(&options, kan_privacy_k_anonymity.kind.options[0].name, copy);
    if (status == KAN_OK)
        status = kan_promise_add(&setup->promise, setup->run, arena, &kan_privacy_k_anonymity,
                                 &options, &setup->problem);
    kan_options_destroy(&options);
    return status;
}

/* Whether each cell is shown or hidden by itself, so that single cells can be shown again. */
static bool shows_cells(const kan_setup *setup) {
    const kan_recoding_kind *model = setup->model;
    if (setup->has_given || !model || model->type != KAN_RECODING_LOCAL)
        return false;
    bool is_by_cell = model->suppresses;
    for (size_t i = 0; i < sizeof model->contains / sizeof *model->contains; i++)
        is_by_cell |= model->contains[i] && model->contains[i]->suppresses &&
                      model->contains[i]->type == KAN_RECODING_LOCAL;
    return is_by_cell;
}

/* Beside models of which generalizing may break one, or which look at all groups, the repetition is not
 * what docs/papers/subsets.md proves. */
kan_status kan_setup_promise_subsets(kan_setup *setup) {
    kan_promise *promise = &setup->promise;
    const uint64_t most = kan_column_sets_most_k(&setup->subsets), n = setup->problem.n_rows;
    if (setup->subsets.n == 0)
        return KAN_OK;
    if (most > n)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--subsets: k is %" PRIu64 ", and the table has only %" PRIu64
                        " %s; no group can be that large",
                        most, n, kan_plural(n, "row", "rows"));
    if (!takes_subsets(setup) || !promise->absorbs_any || promise->is_of_table) {
        setup->shows_sets = promise->n_models == 0 && !setup->person && shows_cells(setup) &&
                            !kan_options_switch(&setup->job->options, "missing-matches");
        if (setup->shows_sets)
            kan_promise_init(&setup->of_rows, promise->limit);
        return promise_all_columns(setup);
    }
    kan_promise_take_subsets(promise, &setup->subsets);
    return KAN_OK;
}

/* ---- where it is not defined ---------------------------------------------------------------- */

uint64_t kan_setup_count_sets(const kan_setup *setup) {
    uint64_t n = 0;
    for (unsigned i = 0; i < setup->subsets.n; i++) {
        uint64_t of_size = 1; /* n over m, factor by factor: each is whole */
        for (uint64_t j = 0; j < setup->subsets.sizes[i].m; j++) {
            if (__builtin_mul_overflow(of_size, setup->n_quasi - j, &of_size))
                return UINT64_MAX;
            of_size /= j + 1;
        }
        if (__builtin_add_overflow(n, of_size, &n))
            return UINT64_MAX;
    }
    return n;
}

/* Who matches whom is counted by each of them. */
static kan_status check_matched(const kan_setup *setup) {
    enum { MOST_SETS = 2000 };
    const kan_options *options = &setup->job->options;
    const uint64_t n = kan_setup_count_sets(setup);
    if (n > MOST_SETS)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--subsets: there are more than %d sets of so many of %u "
                        "quasi-identifiers, and matches are counted by each; name fewer "
                        "quasi-identifiers, or smaller sets",
                        (int)MOST_SETS, setup->n_quasi);
    if (kan_options_find(options, "report") || kan_options_find(options, "picture"))
        return refuse(setup, "reports and pictures show matches by all columns (--report, "
                             "--picture)");
    return KAN_OK;
}

kan_status kan_setup_check_subsets(const kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    if (setup->subsets.n == 0)
        return KAN_OK;
    if (setup->matches_missing)
        KAN_TRY(check_matched(setup));
    if (setup->person)
        return refuse(setup, "it is about rows, and what it means for people who have several is "
                             "not worked out (--person)");
    if (kan_summary_is_number(kan_setup_summary(setup)) || kan_choice_modes(options))
        return refuse(setup, "what means and modes of groups tell beside some of the columns is "
                             "not worked out (--summary, --modes)");
    if (kan_options_switch(options, "show-suppressed"))
        return refuse(setup, "what suppressed rows show beside some of the columns is not worked "
                             "out (--show-suppressed)");
    if (kan_options_find(options, "certificate"))
        return refuse(setup, "a certificate is about groups by all columns (--certificate)");
    if (kan_output_is_engine(setup->job))
        return refuse(setup, "a release that a database makes is recounted there, by all columns");
    if (setup->values)
        return refuse(setup, "where rows are counted at levels nobody knows what sets of columns "
                             "show");
    return KAN_OK;
}

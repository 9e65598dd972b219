/* Options of searches and costs that a comparison, or one of its trials, has no use for.
 *
 * A comparison asks several searches, and an option is for those that have it: where one does, the
 * others note that they do not. Where none does, it was a mistake. What `auto` will choose is not
 * known before the table is, so such a trial may have any option. */
#include <stdio.h>

#include "job/compare/compare_inside.h"

/* The kind that a trial names; NULL: it is chosen later. */
static const kan_kind *kind_of(const kan_compare_trial *trial, kan_family family) {
    return kan_registry_find(family, family == KAN_FAMILY_COST ? trial->cost : trial->algorithm);
}

static bool is_option_of(const char *option, kan_family family) {
    const char *known;
    for (size_t i = 0; (known = kan_registry_option_at(family, i)) != NULL; i++)
        if (strcmp(known, option) == 0)
            return true;
    return false;
}

/* What searches that cut look at, and no kind lists as its own. */
static bool is_of_cuts(const char *option) {
    return kan_setting_traits(option, "compare") & KAN_TRAIT_CUTS;
}

static bool uses(const kan_compare_trial *trial, kan_family family, const char *option) {
    const kan_kind *kind = kind_of(trial, family);
    if (kind && family == KAN_FAMILY_SEARCH && is_of_cuts(option))
        return kan_search_cuts((const kan_search_kind *)kind);
    return !kind || kan_kind_has_option(kind, option);
}

static bool is_used(const kan_compare *compare, kan_family family, const char *option) {
    for (size_t i = 0; i < compare->n_trials; i++)
        if (uses(&compare->trials[i], family, option))
            return true;
    return false;
}

/* An option that a search and a cost have is used where either does. */
static bool has_use(const kan_compare *compare, const char *option) {
    const bool is_of_search = is_option_of(option, KAN_FAMILY_SEARCH) || is_of_cuts(option);
    const bool is_of_cost = is_option_of(option, KAN_FAMILY_COST);
    return (!is_of_search && !is_of_cost) ||
           (is_of_search && is_used(compare, KAN_FAMILY_SEARCH, option)) ||
           (is_of_cost && is_used(compare, KAN_FAMILY_COST, option));
}

static void add_problem(const kan_compare *compare, const char *option) {
    const bool is_of_cost = is_option_of(option, KAN_FAMILY_COST);
    char names[512] = "searches that cut into intervals";
    if (!is_of_cuts(option))
        kan_registry_list_owners(is_of_cost ? KAN_FAMILY_COST : KAN_FAMILY_SEARCH, option, names,
                                 sizeof names);
    kan_problem_add(compare->run,
                    "--%s does nothing with any %s of this comparison; it is an option of %s; "
                    "leave it out",
                    option, is_of_cost ? "cost" : "search", names);
}

kan_status kan_compare_check_unused(const kan_compare *compare) {
    const kan_options *options = &compare->job->options;
    kan_problems_begin(compare->run);
    for (size_t i = 0; i < options->n; i++) {
        const char *name = options->values[i].name;
        bool is_told = false;
        for (size_t before = 0; before < i; before++)
            is_told = is_told || strcmp(options->values[before].name, name) == 0;
        if (!is_told && kan_options_is_flag(options, name) && !has_use(compare, name))
            add_problem(compare, name);
    }
    return kan_problems_end(compare->run);
}

void kan_compare_drop_unused(const kan_compare_trial *trial, kan_options *options) {
    size_t n = 0;
    for (size_t i = 0; i < options->n; i++) {
        const char *name = options->values[i].name;
        const bool is_of_search = is_option_of(name, KAN_FAMILY_SEARCH) || is_of_cuts(name);
        const bool is_of_cost = is_option_of(name, KAN_FAMILY_COST);
        if ((!is_of_search && !is_of_cost) ||
            (is_of_search && uses(trial, KAN_FAMILY_SEARCH, name)) ||
            (is_of_cost && uses(trial, KAN_FAMILY_COST, name)))
            options->values[n++] = options->values[i];
    }
    options->n = n;
}

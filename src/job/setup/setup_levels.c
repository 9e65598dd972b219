/* Levels that the user rules out (--level): for each quasi-identifier the lowest and the highest
 * that may be chosen, or that what is shown may stand at. Levels are those of the whole hierarchy everywhere, so that what a release
 * costs does not depend on what was ruled out. All problems are told together. */
#include "job/settings/settings.h"
#include "job/setup/setup.h"

bool kan_setup_has_bounds(const kan_setup *setup) {
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (setup->level_ranges[a])
            return true;
    return false;
}

void kan_setup_add_bounds(const kan_setup *setup, kan_text *text) {
    bool is_first = true;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        char name[256];
        if (!setup->level_ranges[a])
            continue;
        const char *column = setup->table->columns[setup->quasi[a]].name;
        kan_text_print(text, "%s%s %s", is_first ? "" : ", ", kan_quote(kan_slice_of(column), name),
                       setup->level_ranges[a]);
        is_first = false;
    }
}

/* The quasi-identifier of that name; n_quasi where it is none, which is told. */
static unsigned find_attribute(const kan_setup *setup, kan_slice name) {
    char quoted[256];
    unsigned a = 0;
    while (a < setup->n_quasi && !kan_slice_is(name, setup->table->columns[setup->quasi[a]].name))
        a++;
    if (a < setup->n_quasi)
        return a;
    bool is_column = false;
    for (size_t i = 0; i < setup->table->n_columns; i++)
        is_column |= kan_slice_is(name, setup->table->columns[i].name);
    kan_problem_add(setup->run,
                    is_column ? "--level: %s is not one of the quasi-identifiers, and only these "
                                "have levels; name it with --qi, or leave --level out"
                              : "--level: there is no column %s; `kanon profile` lists them",
                    kan_quote(name, quoted));
    return a;
}

static void refuse_lowest(const kan_setup *setup, const char *quoted, uint64_t low) {
    const bool is_cuts = setup->search->cuts,
               is_asked = kan_options_find(&setup->job->options, "recoding") != NULL;
    const char *const remedies[2][2] = {
        {"--algorithm top-down, or a search over levels such as bisect",
         "--recoding full-subtree, --algorithm top-down, or a search over levels such as bisect"},
        {"--recoding cell-generalization or full-domain, without --algorithm",
         "--recoding full-subtree; cell-generalization or full-domain, without --algorithm"}};
    kan_problem_add(setup->run,
                    "--level: --algorithm %s shows the values that a group has, which may be finer "
                    "than level %llu of %s; use %s, and for numbers --bins NAME=WIDTH",
                    setup->search->kind.name, (unsigned long long)low, quoted,
                    remedies[is_asked][is_cuts]);
}

/* What searches that cut cannot do, and what to use instead. An interval or a region shows the
 * values that its released rows have, and these may be few of a node: so only what shows nodes can
 * promise that nothing is finer than a level. That nothing is coarser is a matter of cutting at the
 * borders of nodes, which must stand in the order of the domain for that. */
static bool is_refused(const kan_setup *setup, unsigned a, uint64_t low) {
    const char *name = setup->table->columns[setup->quasi[a]].name;
    char quoted[256];
    if (kan_search_cuts(setup->search) && (setup->bins[a] || setup->is_torn[a])) {
        kan_problem_add(setup->run,
                        "--level: column %s is cut %s, not by its hierarchy, so that it has no "
                        "levels; leave --level out, or %s%s",
                        kan_quote(kan_slice_of(name), quoted),
                        setup->bins[a] ? "by --bins" : "in another order",
                        setup->bins[a] || setup->orders[a] ? "" : kan_setup_before_levels(setup),
                        setup->bins[a]     ? "--bins"
                        : setup->orders[a] ? "--order"
                                           : "use a search over levels, such as bisect");
        return true;
    }
    if (low == 0 || !kan_search_cuts(setup->search) || kan_setup_shows_nodes(setup))
        return false;
    refuse_lowest(setup, kan_quote(kan_slice_of(name), quoted), low);
    return true;
}

static void take_range(kan_setup *setup, unsigned a, uint64_t low, uint64_t high) {
    const unsigned height = setup->hierarchies[a]->height;
    const uint64_t last = high < UINT64_MAX ? high : height;
    const char *range = setup->level_ranges[a];
    const kan_recoding_kind *model = setup->model;
    const bool is_plain = model && model->suppresses;
    char quoted[256];
    kan_quote(kan_slice_of(setup->table->columns[setup->quasi[a]].name), quoted);
    if (is_refused(setup, a, low))
        return;
    if (low > height || last > height)
        kan_problem_add(setup->run, "--level: %s %s: %s has no level above %u, where %s; %s",
                        quoted, range, is_plain ? model->kind.name : "its hierarchy", height,
                        is_plain      ? "all values are *"
                        : height == 0 ? "values are shown as they are"
                                      : "its top is",
                        is_plain ? "hierarchies are not used by this model"
                                 : "`kanon hierarchy show` prints the levels");
    else if (low > last)
        kan_problem_add(setup->run,
                        "--level: %s %s: the lowest level is above the highest; write the smaller "
                        "number first",
                        quoted, range);
    else {
        setup->lowest[a] = (unsigned)low;
        setup->highest[a] = (unsigned)last;
        if (setup->domains[a]) {
            setup->domains[a]->lowest = setup->lowest[a];
            setup->domains[a]->highest = setup->highest[a];
        }
    }
}

kan_status kan_setup_take_levels(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        setup->lowest[a] = 0;
        setup->highest[a] = setup->hierarchies[a]->height;
    }
    if (!kan_options_find(options, "level"))
        return KAN_OK;
    if (setup->has_given && kan_search_orders(setup->search))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--level: %s holds cuts, and nothing is searched; leave --level out",
                        setup->given_path);
    kan_problems_begin(setup->run);
    for (size_t i = 0; i < kan_options_count_of(options, "level"); i++) {
        kan_slice name;
        const char *range;
        uint64_t low, high;
        if (!kan_level_parse(kan_options_at(options, "level", i), &name, &range, &low, &high))
            continue;
        const unsigned a = find_attribute(setup, name);
        if (a == setup->n_quasi)
            continue;
        setup->level_ranges[a] = range;
        take_range(setup, a, low, high);
    }
    return kan_problems_end(setup->run);
}

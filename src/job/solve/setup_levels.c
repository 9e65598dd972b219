/* Levels that the user rules out (--level): for each quasi-identifier the lowest and the highest
 * that may be chosen. Levels are those of the whole hierarchy everywhere, so that what a release
 * costs does not depend on what was ruled out. All problems are told together. */
#include "job/settings/settings.h"
#include "job/solve/setup.h"

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

static void take_range(kan_setup *setup, unsigned a, uint64_t low, uint64_t high) {
    const unsigned height = setup->hierarchies[a]->height;
    const uint64_t last = high < UINT64_MAX ? high : height;
    const char *range = setup->level_ranges[a];
    char quoted[256];
    kan_quote(kan_slice_of(setup->table->columns[setup->quasi[a]].name), quoted);
    if (low > height || last > height)
        kan_problem_add(setup->run,
                        "--level: %s %s: its hierarchy has no level above %u, where %s; `kanon "
                        "hierarchy show` prints the levels",
                        quoted, range, height,
                        height == 0 ? "values stand as they are" : "its top is");
    else if (low > last)
        kan_problem_add(setup->run,
                        "--level: %s %s: the lowest level is above the highest; write the smaller "
                        "number first",
                        quoted, range);
    else {
        setup->lowest[a] = (unsigned)low;
        setup->highest[a] = (unsigned)last;
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
    if (kan_search_orders(setup->search))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--level: --algorithm %s does not choose levels of hierarchies; leave "
                        "--level out, or use a search that does, such as bisect",
                        setup->search->kind.name);
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

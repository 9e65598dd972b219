/* Ordered domains for searches that cut: which order each column has, and which tree it keeps.
 *
 * The order of the leaves of a column's hierarchy is the order of its domain. Numbers and dates
 * stand by value and other columns as their hierarchy file says, or by bytes without one, unless
 * --order says otherwise. A hierarchy whose nodes the order would tear apart is not used: the
 * column is then cut without names. Bins are not values, so they have no tree either.
 *
 * All problems of bins, orders and hierarchies are told together. */
#include <string.h>

#include "io/side_files/side_files.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

static const kan_column *column_of(const kan_setup *setup, unsigned a) {
    return &setup->table->columns[setup->quasi[a]];
}

static bool wants_subtrees(const kan_setup *setup) {
    return setup->search->cuts && setup->model && setup->model->type == KAN_RECODING_SUBTREES;
}

bool kan_setup_shows_nodes(const kan_setup *setup) {
    return setup->search->local || wants_subtrees(setup);
}

/* ---- what the user said --------------------------------------------------------------------- */

typedef bool (*pair_parse_fn)(const char *text, kan_slice *name, const char **value);

/* The values of a setting by quasi-identifier. */
static void take_pairs(kan_setup *setup, const char *flag, pair_parse_fn parse,
                       const char **by_attribute) {
    const kan_options *options = &setup->job->options;
    const char *text, *value;
    for (size_t i = 0; (text = kan_options_at(options, flag, i)) != NULL; i++) {
        kan_slice name;
        bool is_found = false;
        char quoted[256];
        if (!parse(text, &name, &value))
            continue;
        for (unsigned a = 0; a < setup->n_quasi; a++)
            if (kan_slice_is(name, column_of(setup, a)->name)) {
                by_attribute[a] = value;
                is_found = true;
            }
        if (!is_found)
            kan_problem_add(setup->run,
                            "--%s: %s is not one of the quasi-identifiers; name it with --qi, or "
                            "leave --%s out",
                            flag, kan_quote(name, quoted), flag);
    }
}

static void take_settings(kan_setup *setup) {
    take_pairs(setup, "bins", kan_bins_parse, setup->bins);
    take_pairs(setup, "order", kan_order_parse, setup->orders);
    if (wants_subtrees(setup) && kan_options_find(&setup->job->options, "bins"))
        kan_problem_add(setup->run, "--bins: --recoding full-subtree shows only nodes of the "
                                    "hierarchy, and a bin is not one; leave one of the two out");
}

/* ---- trees ---------------------------------------------------------------------------------- */

/* A hierarchy that bins take the place of is checked all the same: verify, which knows nothing of
 * bins, will read it. */
static kan_status check_unused(kan_setup *setup, unsigned a) {
    const char *spec = setup->specs[a];
    const bool has_dir = kan_options_find(&setup->job->options, "hierarchies") != NULL;
    bool lacks_file = false;
    kan_hierarchy *unused;
    if (!spec && has_dir)
        KAN_TRY(kan_input_lacks_hierarchy(setup->job, column_of(setup, a), &lacks_file));
    if (!spec && (!has_dir || lacks_file))
        return KAN_OK;
    KAN_TRY(kan_input_hierarchy(setup->job, column_of(setup, a), spec, &unused));
    kan_hierarchy_destroy(unused);
    kan_note(setup->run, "--bins takes the place of the hierarchy of column '%s'",
             column_of(setup, a)->name);
    return KAN_OK;
}

/* The hierarchy that the user gave, or the values below one *. */
static kan_status bind_hierarchy(kan_setup *setup, unsigned a, bool *has_tree, bool *lacks_file) {
    const kan_column *column = column_of(setup, a);
    const char *spec = setup->specs[a];
    *lacks_file = false;
    if (!spec && !setup->bins[a])
        KAN_TRY(kan_input_lacks_hierarchy(setup->job, column, lacks_file));
    *has_tree = !setup->bins[a] && !*lacks_file &&
                (spec || kan_options_find(&setup->job->options, "hierarchies"));
    if (setup->bins[a])
        KAN_TRY(check_unused(setup, a));
    return kan_input_hierarchy(setup->job, column, *has_tree ? spec : "suppress",
                               &setup->hierarchies[a]);
}

static void note_missing(const kan_setup *setup, const bool *has_tree, const bool *lacks_file) {
    char names[512];
    bool is_listed[KAN_MAX_ATTRIBUTES];
    const bool is_bound = wants_subtrees(setup);
    for (unsigned a = 0; a < setup->n_quasi; a++)
        is_listed[a] = is_bound ? !has_tree[a] : lacks_file[a] && !setup->orders[a];
    const size_t n = kan_setup_list_columns(setup, is_listed, names, sizeof names);
    if (n > 0 && is_bound)
        kan_note(setup->run,
                 "no hierarchy for column%s %s: values are kept, or all shown as *; --hierarchies "
                 "DIR or --qi NAME=FILE gives one",
                 n > 1 ? "s" : "", names);
    else if (n > 0)
        kan_note(setup->run,
                 "no hierarchy file for column%s %s: %s cut in the order of the values, numbers "
                 "and dates by value, text by bytes",
                 n > 1 ? "s" : "", names, n > 1 ? "they are" : "it is");
}

/* ---- orders --------------------------------------------------------------------------------- */

/* The order that the column must have, as codes; *has_order is false where that of its hierarchy
 * will do. */
static kan_status find_order(const kan_setup *setup, unsigned a, uint32_t *order, bool *has_order) {
    const kan_column *column = column_of(setup, a);
    *has_order = setup->orders[a] || column->dictionary.type != KAN_TYPE_TEXT;
    if (setup->orders[a])
        return kan_order_read(setup->run, setup->orders[a], column, order);
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        order[code] = code; /* codes stand by value */
    return KAN_OK;
}

/* Gives the column's hierarchy that order, or takes the values below one * where it has another. */
static kan_status use_order(kan_setup *setup, unsigned a, const uint32_t *order, bool *has_tree) {
    const kan_column *column = column_of(setup, a);
    bool agrees;
    KAN_TRY(kan_hierarchy_reorder(setup->hierarchies[a], order, &agrees));
    if (agrees)
        return KAN_OK;
    kan_note(setup->run,
             "%s separates values of column '%s' that are together in its hierarchy: the hierarchy "
             "is not used, and intervals get no names from it",
             setup->orders[a]                           ? "--order"
             : column->dictionary.type == KAN_TYPE_DATE ? "the order of dates"
                                                        : "the order of numbers",
             column->name);
    *has_tree = false;
    setup->is_torn[a] = true;
    kan_hierarchy_destroy(setup->hierarchies[a]);
    setup->hierarchies[a] = NULL;
    KAN_TRY(kan_hierarchy_build(setup->run, "suppress", column, &setup->hierarchies[a]));
    return kan_hierarchy_reorder(setup->hierarchies[a], order, &agrees);
}

static kan_status make_domain(kan_setup *setup, unsigned a, bool has_tree) {
    const kan_column *column = column_of(setup, a);
    kan_run *run = setup->run;
    uint32_t *order;
    bool has_order;
    KAN_TRY(kan_alloc(run, column->dictionary.n, sizeof *order, &order));
    kan_status status = find_order(setup, a, order, &has_order);
    if (status == KAN_OK && has_order)
        status = use_order(setup, a, order, &has_tree);
    kan_free(run, order);
    KAN_TRY(status);
    return kan_domain_make(run, column, setup->hierarchies[a], has_tree, setup->bins[a],
                           &setup->domains[a]);
}

static void note_no_means(const kan_setup *setup) {
    bool has_mean = false, has_mode = false;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        has_mean = has_mean || kan_setup_has_mean(setup, a);
        has_mode = has_mode || kan_setup_middle(setup, a) == KAN_MIDDLE_MODE;
    }
    if (!has_mode && kan_kind_has_option(&setup->search->kind, "modes") &&
        kan_options_switch(&setup->job->options, "modes"))
        kan_note(setup->run, "--modes: no quasi-identifier is a column of text, so the release is "
                             "the same without it");
    if (!has_mean && kan_setup_summary(setup) != KAN_SUMMARY_RANGE)
        kan_note(setup->run,
                 "--summary %s: no quasi-identifier is a column of numbers in their own order, so "
                 "the release is that of --summary range",
                 kan_options_find(&setup->job->options, "summary"));
}

/* The columns that --summary both adds must be new. */
static kan_status check_means(kan_setup *setup) {
    kan_status status = KAN_OK;
    kan_text name;
    char quoted[256];
    if (kan_setup_summary(setup) != KAN_SUMMARY_BOTH)
        return KAN_OK;
    kan_text_init(&name, setup->run);
    kan_problems_begin(setup->run);
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        if (!kan_setup_has_mean(setup, a))
            continue;
        name.size = 0;
        kan_mean_column_add_name(&name, column_of(setup, a)->name);
        KAN_TRY_DONE(kan_text_status(&name));
        for (size_t i = 0; i < setup->table->n_columns; i++)
            if (kan_setup_releases(setup, i) &&
                strcmp(setup->table->columns[i].name, name.bytes) == 0)
                kan_problem_add(setup->run,
                                "--summary both: there is already a column %s; rename it, leave it "
                                "out with --drop, or use --summary mean",
                                kan_quote(kan_slice_of(name.bytes), quoted));
    }
    status = kan_problems_end(setup->run);
done:
    kan_text_destroy(&name);
    return status;
}

kan_status kan_setup_bind_domains(kan_setup *setup) {
    bool has_tree[KAN_MAX_ATTRIBUTES], lacks_file[KAN_MAX_ATTRIBUTES];
    kan_problems_begin(setup->run);
    take_settings(setup);
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        const size_t before = kan_problems_count(setup->run);
        kan_status status = bind_hierarchy(setup, a, &has_tree[a], &lacks_file[a]);
        if (status == KAN_OK)
            status = make_domain(setup, a, has_tree[a]);
        /* Problems are collected over all columns; anything else ends the walk. */
        if (status != KAN_OK && kan_problems_count(setup->run) == before)
            return status;
        setup->problem.domains[a] = setup->domains[a];
    }
    KAN_TRY(kan_problems_end(setup->run));
    note_missing(setup, has_tree, lacks_file);
    note_no_means(setup);
    return check_means(setup);
}

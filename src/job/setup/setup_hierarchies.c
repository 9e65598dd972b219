/* Hierarchies of the quasi-identifiers: where each comes from. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/wording.h"
#include "io/side_files/side_files.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

size_t kan_setup_list_columns(const kan_setup *setup, const bool *is_listed, char *room,
                              size_t size) {
    enum { MOST_NAMED = 4 };
    kan_name_list names = kan_names_begin(room, size, MOST_NAMED);
    for (unsigned i = 0; i < setup->n_quasi; i++)
        if (is_listed[i])
            kan_names_add_quoted(&names, setup->table->columns[setup->quasi[i]].name);
    (void)kan_names_end(&names);
    return names.n;
}

/* One note for all columns that have none. */
static void note_missing(const kan_setup *setup) {
    char names[512];
    bool is_missing[KAN_MAX_ATTRIBUTES];
    for (unsigned i = 0; i < setup->n_quasi; i++)
        is_missing[i] = !setup->specs[i];
    size_t n = kan_setup_list_columns(setup, is_missing, names, sizeof names);
    if (n > 0 && !kan_options_find(&setup->job->options, "hierarchies"))
        kan_note(setup->run,
                 "no hierarchy for column%s %s: values are kept, or all shown as *; --hierarchies "
                 "DIR or --qi NAME=FILE gives one",
                 n > 1 ? "s" : "", names);
}

/* What only searches that cut look at. */
static void tell_unused(const kan_setup *setup, const char *flag) {
    char names[512];
    kan_name_list list = kan_names_begin(names, sizeof names, 0);
    if (!kan_options_find(&setup->job->options, flag))
        return;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *kind =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (kan_search_cuts(kind))
            kan_names_add(&list, kind->kind.name);
    }
    if (kan_setup_refuses_unused(setup) && kan_options_is_flag(&setup->job->options, flag))
        kan_problem_add(setup->run,
                        "--%s does nothing with --algorithm %s; it is for searches that cut: %s; "
                        "leave it out",
                        flag, setup->search->kind.name, names);
    else
        kan_note(setup->run,
                 "--%s does nothing with --algorithm %s; it is for searches that cut: %s", flag,
                 setup->search->kind.name, names);
}

static kan_status check_unused(const kan_setup *setup) {
    kan_problems_begin(setup->run);
    tell_unused(setup, "bins");
    tell_unused(setup, "order");
    return kan_problems_end(setup->run);
}

/* Numbers and dates stand by value where searches over cuts will look at them, as they do when
 * these are asked by themselves; unless that would tear nodes apart. */
static kan_status order_leaves(kan_setup *setup, unsigned i) {
    const kan_column *column = &setup->table->columns[setup->quasi[i]];
    const uint32_t n = column->dictionary.n;
    uint32_t *order;
    bool agrees;
    if (!setup->search->begins_with_levels || column->dictionary.type == KAN_TYPE_TEXT)
        return KAN_OK;
    KAN_TRY(kan_alloc(setup->run, n, sizeof *order, &order));
    for (uint32_t code = 0; code < n; code++)
        order[code] = code; /* codes stand by value */
    const kan_status status = kan_hierarchy_reorder(setup->hierarchies[i], order, &agrees);
    kan_free(setup->run, order);
    return status;
}

/* Local searches show nodes of the hierarchies as they are; domains give them names. */
static kan_status make_local_domains(kan_setup *setup) {
    if (!setup->search->local)
        return KAN_OK;
    for (unsigned i = 0; i < setup->n_quasi; i++) {
        KAN_TRY(order_leaves(setup, i));
        KAN_TRY(kan_domain_make(setup->run, &setup->table->columns[setup->quasi[i]],
                                setup->hierarchies[i], true, NULL, &setup->domains[i]));
        setup->problem.domains[i] = setup->domains[i];
    }
    return KAN_OK;
}

/* Columns that are text because of how they are written; who has a file for one knows its values.
 */
static kan_status advise(const kan_setup *setup) {
    const bool has_files = kan_options_find(&setup->job->options, "hierarchies") != NULL;
    for (unsigned i = 0; i < setup->n_quasi; i++) {
        const char *spec = setup->specs[i];
        if (spec ? kan_hierarchy_is_spec(spec) : !has_files)
            KAN_TRY(kan_input_note_advice(setup->run, &setup->table->columns[setup->quasi[i]]));
    }
    return KAN_OK;
}

kan_status kan_setup_bind(kan_setup *setup) {
    KAN_TRY(kan_setup_fit_specs(setup));
    KAN_TRY(advise(setup));
    if (kan_search_cuts(setup->search))
        return kan_setup_bind_domains(setup);
    KAN_TRY(check_unused(setup));
    note_missing(setup);
    kan_problems_begin(setup->run);
    for (unsigned i = 0; i < setup->n_quasi; i++) {
        size_t before = kan_problems_count(setup->run);
        kan_status status = kan_input_hierarchy(setup->job, &setup->table->columns[setup->quasi[i]],
                                                setup->specs[i], &setup->hierarchies[i]);
        /* Problems are collected over all hierarchies; anything else ends the walk. */
        if (status != KAN_OK && kan_problems_count(setup->run) == before)
            return status;
    }
    KAN_TRY(kan_problems_end(setup->run));
    return make_local_domains(setup);
}

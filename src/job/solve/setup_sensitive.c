/* Sensitive columns: which models look at them, and the hierarchies by which their values are
 * apart. */
#include <string.h>

#include "io/side_files/side_files.h"
#include "job/settings/settings.h"
#include "job/solve/setup.h"

/* What the models that are asked for look at. */
static kan_status find_needs(const kan_job *job, bool *tallies, bool *trees) {
    *tallies = *trees = false;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        bool is_wanted;
        KAN_TRY(kan_registry_ask(job->run, &kind->kind, &job->options, &is_wanted));
        *tallies |= is_wanted && kind->needs_tallies;
        *trees |= is_wanted && kind->needs_trees;
    }
    return KAN_OK;
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

/* Every file is that of a sensitive column, and will be looked at. */
static void check_named(const kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    const char *text, *path;
    char quoted[256];
    for (size_t i = 0; (text = kan_options_at(options, "t-hierarchy", i)) != NULL; i++) {
        kan_slice name;
        bool is_found = false;
        if (!kan_order_parse(text, &name, &path))
            continue;
        for (size_t c = 0; c < setup->table->n_columns; c++)
            is_found |= setup->roles[c] == KAN_ROLE_SENSITIVE &&
                        kan_slice_is(name, setup->table->columns[c].name);
        if (!is_found)
            kan_problem_add(setup->run,
                            "--t-hierarchy: %s is not one of the sensitive columns; name it with "
                            "--sensitive",
                            kan_quote(name, quoted));
        const char *distance = kan_options_for(options, "t-distance", name);
        if (is_found && distance && (distance[0] == 'e' || distance[0] == 'o'))
            kan_problem_add(setup->run,
                            "--t-hierarchy: --t-distance %s does not look at a hierarchy; leave "
                            "one of the two out",
                            distance);
    }
}

/* Whether a model that was asked for of the column looks at its hierarchy. */
static bool needs_tree(const kan_job *job, const kan_column *column) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        if (kind->needs_trees &&
            kan_options_for(&job->options, kind->kind.options[0].name, kan_slice_of(column->name)))
            return true;
    }
    return false;
}

static kan_status bind_trees(kan_setup *setup, bool needs_trees) {
    const kan_space *space = &setup->problem.space;
    kan_problems_begin(setup->run);
    check_named(setup);
    for (unsigned t = setup->problem.has_person; needs_trees && t < space->n_tails; t++) {
        const size_t before = kan_problems_count(setup->run);
        const kan_column *column = space->dimensions[space->n_attributes + t].column;
        if ((int)t == setup->problem.class_tail || !needs_tree(setup->job, column))
            continue;
        kan_status status = kan_input_tree(setup->job, column, &setup->trees[t]);
        if (status != KAN_OK && kan_problems_count(setup->run) == before)
            return status;
        setup->problem.tail_trees[t] = setup->trees[t];
    }
    return kan_problems_end(setup->run);
}

kan_status kan_setup_tails(kan_setup *setup) {
    kan_space *space = &setup->problem.space;
    bool is_tallied, needs_trees;
    KAN_TRY(kan_per_column_check(setup->job));
    KAN_TRY(find_needs(setup->job, &is_tallied, &needs_trees));
    for (size_t i = 0; i < setup->table->n_columns; i++) {
        const bool is_class = setup->roles[i] == KAN_ROLE_CLASS;
        if (!is_class && !(is_tallied && setup->roles[i] == KAN_ROLE_SENSITIVE))
            continue;
        if (is_class)
            setup->problem.class_tail = (int)space->n_tails;
        KAN_TRY(kan_space_add_tail(space, &setup->table->columns[i]));
    }
    KAN_TRY(bind_trees(setup, needs_trees));
    return is_tallied ? kan_problem_count_tails(&setup->problem, setup->table->n_rows) : KAN_OK;
}

/* Sensitive columns: which models look at them, which of their values are one, and the hierarchies by
 * which their values are apart.
 *
 * Numbers and dates are counted by what they are, however they are spelled. Text is counted by its
 * spellings; but of a column that is text because of a few values the others may be all that is
 * released, and who sees it sees numbers. So where rows may be left out such a column is two tails,
 * one of texts and one of numbers, and models hold for both (docs/papers/spellings.md). */
#include <string.h>

#include "data/spelling.h"
#include "io/side_files/side_files.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

/* What the models that are asked for look at. */
static kan_status find_needs(const kan_job *job, bool *tallies, bool *trees) {
    *tallies = *trees = false;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        bool is_wanted;
        KAN_TRY(kan_registry_ask(job->run, &kind->kind, &job->options, &is_wanted));
        *tallies |= is_wanted && kind->needs_tallies && !kind->needs_weights;
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

/* Spellings of one number are one leaf: what is above them must be the same. */
static void check_spellings(const kan_setup *setup, const kan_dimension *tail,
                            const kan_hierarchy *tree) {
    char quoted[256];
    if (!tail->value_of)
        return;
    for (uint32_t code = 0; code < tree->n_codes; code++) {
        const uint32_t first = tail->code_of[tail->value_of[code]];
        for (unsigned level = 1; level < tree->height; level++)
            if (tree->levels[level].from_leaf[tree->leaf_of[code]] !=
                tree->levels[level].from_leaf[tree->leaf_of[first]]) {
                kan_problem_add(setup->run,
                                "--t-hierarchy: column %s spells a number in several ways, and its "
                                "hierarchy has them under different nodes, though they are one "
                                "value; put all spellings of a number under the same nodes",
                                kan_quote(kan_slice_of(tail->column->name), quoted));
                return;
            }
    }
}

/* Of the two tails of a column the first has its hierarchy, and the second the same if it was asked
 * for; that of --hierarchies is for text. */
static kan_status bind_tree(kan_setup *setup, unsigned t) {
    const kan_space *space = &setup->problem.space;
    const kan_dimension *tail = &space->dimensions[space->n_attributes + t];
    const kan_hierarchy **tree = &setup->problem.tail_trees[t];
    if (setup->is_second >> t & 1) {
        if (kan_input_names_tree(setup->job, tail->column))
            *tree = setup->problem.tail_trees[t - 1];
    } else {
        KAN_TRY(kan_input_tree(setup->job, tail->column, !tail->is_ordered, &setup->trees[t]));
        *tree = setup->trees[t];
    }
    if (*tree)
        check_spellings(setup, tail, *tree);
    return KAN_OK;
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
        kan_status status = bind_tree(setup, t);
        if (status != KAN_OK && kan_problems_count(setup->run) == before)
            return status;
    }
    return kan_problems_end(setup->run);
}

/* ---- tails ---------------------------------------------------------------------------------- */

/* Whether the settings allow anybody to be left out. */
static bool may_suppress(const kan_setup *setup) {
    const char *text = kan_options_find(&setup->job->options, "suppress");
    kan_suppress_limit limit = {.rows = 0};
    return text && kan_suppress_parse(text, &limit) &&
           (kan_suppress_rows(&limit, setup->problem.n_rows) > 0 ||
            kan_suppress_rows(&limit, setup->problem.n_people) > 0);
}

static void note_spellings(const kan_setup *setup, const kan_column *column, const kan_alike *alike,
                           bool has_second) {
    char quoted[256];
    kan_quote(kan_slice_of(column->name), quoted);
    if (!alike->has_several)
        return;
    if (alike->kind != KAN_TYPE_TEXT)
        kan_note(setup->run,
                 "the sensitive column %s spells some %s in several ways, such as 1 and 1.0: they "
                 "are counted by their value, and written as they are spelled",
                 quoted, alike->kind == KAN_TYPE_DATE ? "dates" : "numbers");
    else
        kan_note(setup->run,
                 "the sensitive column %s is text, and spells some number in several ways, such as "
                 "1 and 1.0: each spelling is a value of its own%s",
                 quoted,
                 has_second
                     ? "; as rows may be left out, and what is released may be numbers, the "
                       "promise is kept as well with all spellings of a number counted as one"
                     : "");
}

/* Whether what is released of the column may have to be counted in another way than all of it: it is
 * text, but some of it is not. */
static bool needs_second(const kan_setup *setup, const kan_column *column, const kan_alike *alike,
                         bool needs_trees) {
    return alike->kind == KAN_TYPE_TEXT && alike->has_plain && may_suppress(setup) &&
           (alike->has_several || (needs_trees && !kan_column_is_called_text(column) &&
                                   kan_options_find(&setup->job->options, "hierarchies") &&
                                   !kan_input_names_tree(setup->job, column)));
}

static kan_status add_sensitive(kan_setup *setup, const kan_column *column, bool needs_trees) {
    kan_space *space = &setup->problem.space;
    kan_alike alike;
    KAN_TRY(kan_alike_find(setup->run, &space->arena, column, &alike));
    const bool is_text = alike.kind == KAN_TYPE_TEXT;
    const bool has_second = needs_second(setup, column, &alike, needs_trees);
    const kan_alike plain = {.kind = alike.kind, .n_values = column->dictionary.n};
    note_spellings(setup, column, &alike, has_second);
    KAN_TRY(kan_space_add_alike(space, column, is_text ? &plain : &alike));
    if (!has_second)
        return KAN_OK;
    setup->is_second |= 1U << space->n_tails;
    return kan_space_add_alike(space, column, &alike);
}

static kan_status check_number(const kan_setup *setup, bool is_tallied) {
    size_t n = setup->problem.has_person;
    for (size_t i = 0; i < setup->table->n_columns; i++)
        n += setup->roles[i] == KAN_ROLE_CLASS || setup->roles[i] == KAN_ROLE_WEIGHT ||
             (is_tallied && setup->roles[i] == KAN_ROLE_SENSITIVE);
    return n <= KAN_MAX_TAIL_COLUMNS ? KAN_OK
                                     : kan_fail(setup->run, KAN_BAD_INPUT,
                                                "more than %d columns of sensitive values, classes "
                                                "and weights together",
                                                KAN_MAX_TAIL_COLUMNS);
}

kan_status kan_setup_tails(kan_setup *setup) {
    kan_space *space = &setup->problem.space;
    bool is_tallied, needs_trees;
    KAN_TRY(kan_per_column_check(setup->job));
    KAN_TRY(find_needs(setup->job, &is_tallied, &needs_trees));
    KAN_TRY(check_number(setup, is_tallied));
    for (size_t i = 0; i < setup->table->n_columns; i++) {
        const bool is_class = setup->roles[i] == KAN_ROLE_CLASS;
        if (!is_class && !(is_tallied && setup->roles[i] == KAN_ROLE_SENSITIVE))
            continue;
        if (is_class)
            setup->problem.class_tail = (int)space->n_tails;
        KAN_TRY(is_class ? kan_space_add_tail(space, &setup->table->columns[i])
                         : add_sensitive(setup, &setup->table->columns[i], needs_trees));
    }
    KAN_TRY(bind_trees(setup, needs_trees));
    KAN_TRY(kan_setup_take_weights(setup));
    return is_tallied ? kan_problem_count_tails(&setup->problem, setup->table->n_rows) : KAN_OK;
}

/* --for: the model that a release is made for, an outcome and the columns that it is predicted by.
 *
 * Weights follow from the settings alone: a quasi-identifier that the model does not use costs a thousandth
 * of what it would, and becomes coarse first. --weight has the last word. They are the same for every search,
 * so that costs can be compared.
 *
 * Where the model uses all quasi-identifiers, weights say nothing. Searches that can cut where the outcome
 * differs (kan_search_kind.follows_outcome) do so then, or where --split purpose asks for it. They look at
 * its values, which must be those of --class: nothing is promised of that column. Of a sensitive one somebody who knows
 * the method would learn more from the cuts than the promise says, and it is refused.
 *
 * The outcome, and what the model uses, are in the release: nobody can fit it otherwise. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "job/settings/settings.h"
#include "job/setup/setup.h"

/* A category of more values says little by any of them, and each is counted at every cut. */
enum { MOST_CATEGORIES = 256 };

#define UNUSED_WEIGHT 0.001

bool kan_setup_has_purpose(const kan_setup *setup) {
    return setup->purpose && setup->purpose->is_taken;
}

double kan_setup_purpose_weight(const kan_setup *setup, unsigned a) {
    const kan_setup_purpose *p = setup->purpose;
    return p && p->has_weights && !p->of.is_used[a] ? UNUSED_WEIGHT : 1;
}

/* The purpose does nothing, or not here: an error where somebody typed it, a note in a comparison, which
 * asks other searches too, and where a job file serves several. */
static kan_status pass_over(const kan_setup *setup, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static kan_status pass_over(const kan_setup *setup, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (kan_setup_refuses_unused(setup) && kan_options_is_flag(&setup->job->options, "for"))
        return kan_fail(setup->run, KAN_BAD_INPUT, "--for: %s", text);
    kan_note(setup->run, "--for has no effect here: %s", text);
    return KAN_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* The number of a column; that of columns where there is none, or it is not released, which is told. */
static size_t find_column(const kan_setup *setup, kan_slice name, bool is_outcome) {
    const kan_table *table = setup->table;
    char quoted[256];
    size_t i = 0;
    while (i < table->n_columns && !kan_slice_is(name, table->columns[i].name))
        i++;
    kan_quote(name, quoted);
    if (i == table->n_columns)
        kan_problem_add(setup->run, "--for: there is no column %s; `kanon profile` lists them",
                        quoted);
    else if (!kan_setup_releases(setup, i))
        kan_problem_add(setup->run,
                        is_outcome
                            ? "--for: %s is to be predicted, and is left out of the release: "
                              "nobody could; --class releases it as it is, --qi as coarse as the "
                              "promise needs it"
                            : "--for: the model uses %s, which is left out of the release; release "
                              "it with --qi or --keep, or leave it out of the model",
                        quoted);
    else
        return i;
    return table->n_columns;
}

static kan_status find_columns(kan_setup *setup, kan_setup_purpose *p, bool *uses_any) {
    const kan_table *table = setup->table;
    kan_problems_begin(setup->run);
    p->outcome = find_column(setup, p->formula.outcome, true);
    for (size_t i = 0; i < p->formula.n_terms; i++)
        (void)find_column(setup, p->formula.terms[i], false);
    *uses_any = false;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        const kan_slice name = kan_slice_of(table->columns[setup->quasi[a]].name);
        p->of.is_used[a] = setup->quasi[a] == p->outcome || kan_formula_uses(&p->formula, name);
        *uses_any |= p->of.is_used[a];
    }
    return kan_problems_end(setup->run);
}

/* ---- weights -------------------------------------------------------------------------------- */

static kan_status check_weights(const kan_setup *setup, kan_setup_purpose *p, bool has_unused) {
    if (kan_options_find(&setup->job->options, "importance"))
        return pass_over(setup, "--importance says which columns matter, in place of weights; "
                                "leave one of the two out");
    if (setup->search->ignores_weights)
        return pass_over(setup,
                         "--algorithm %s has no use for weights of columns; use another search, "
                         "such as auto, top-down or mondrian",
                         setup->search->kind.name);
    if (!kan_costs_take(setup->search->costs, setup->cost) || !setup->cost->uses_weights)
        return pass_over(setup,
                         "columns that the model uses are preferred by their weights, which %s %s "
                         "does not look at; use --cost ncp, precision or distortion, with a search "
                         "that takes it",
                         setup->cost->uses_weights ? "--algorithm" : "--cost",
                         setup->cost->uses_weights ? setup->search->kind.name
                                                   : setup->cost->kind.name);
    if (!has_unused)
        return pass_over(setup, "the model uses every quasi-identifier, so that none could become "
                                "coarse first; name those that it uses, as in \"income ~ age + "
                                "sex\", or use --algorithm mondrian, whose cuts can follow the "
                                "outcome, with --split purpose");
    p->is_taken = true;
    return KAN_OK;
}

/* ---- the outcome ---------------------------------------------------------------------------- */

/* The cuts would look at its values. */
static kan_status refuse_role(const kan_setup *setup, const kan_setup_purpose *p) {
    const kan_role role = setup->roles[p->outcome];
    const char *remedy = "; without --split, and with the columns that the model uses, as in "
                         "\"income ~ age + sex\", "
                         "these are preferred, and the outcome is not looked at";
    char quoted[256];
    kan_quote(p->formula.outcome, quoted);
    if (role == KAN_ROLE_SENSITIVE)
        return pass_over(
            setup,
            "%s is sensitive, and from cuts that follow it somebody who knows how they "
            "are made would learn more of it than the promise says%s; --class in place "
            "of --sensitive says that its values need no protection",
            quoted, remedy);
    if (role == KAN_ROLE_QUASI)
        return pass_over(
            setup,
            "%s is a quasi-identifier, which becomes coarse itself, so that cuts cannot "
            "follow it%s; --class releases it as it is",
            quoted, remedy);
    return pass_over(setup,
                     "cuts follow the column of --class, and %s is released in another way%s; "
                     "--class releases it as it is, too",
                     quoted, remedy);
}

/* So few that those of all rows add up to less than 2^63. */
static uint32_t most_steps(const kan_setup *setup) {
    uint32_t most = KAN_PURPOSE_STEPS;
    while (most > 1 && setup->problem.n_rows > (UINT64_C(1) << 62) / most)
        most /= 2;
    return most;
}

/* Numbers and dates as whole steps from the least to the greatest. */
static kan_status take_steps(kan_setup *setup, kan_setup_purpose *p, const kan_column *column) {
    const kan_dictionary *dictionary = &column->dictionary;
    const double most = most_steps(setup);
    double least = HUGE_VAL, greatest = -HUGE_VAL, number;
    uint32_t *steps;
    KAN_TRY(kan_arena_alloc(&setup->job->arena, dictionary->n, sizeof *steps, &steps));
    for (uint32_t code = 0; code < dictionary->n; code++)
        if (kan_value_number(dictionary->type, kan_dictionary_value(dictionary, code), &number)) {
            least = fmin(least, number);
            greatest = fmax(greatest, number);
        }
    /* halves, so that no length is infinite */
    const double length = greatest * 0.5 - least * 0.5;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        steps[code] = KAN_PURPOSE_UNKNOWN;
        if (kan_value_number(dictionary->type, kan_dictionary_value(dictionary, code), &number))
            steps[code] =
                length > 0 ? (uint32_t)((number * 0.5 - least * 0.5) / length * most + 0.5) : 0;
    }
    p->of.steps = steps;
    return KAN_OK;
}

static kan_status take_outcome(kan_setup *setup, kan_setup_purpose *p) {
    const kan_column *column = &setup->table->columns[p->outcome];
    char quoted[256], count[32];
    if (setup->roles[p->outcome] != KAN_ROLE_CLASS)
        return refuse_role(setup, p);
    kan_quote(p->formula.outcome, quoted);
    if (column->dictionary.type == KAN_TYPE_TEXT && column->dictionary.n > MOST_CATEGORIES)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--for: %s is text of %s values, and cuts follow a category of at most %d, "
                        "or numbers; predict something coarser, or leave --split out and name the "
                        "columns that the model uses",
                        quoted, kan_count_text(column->dictionary.n, count), MOST_CATEGORIES);
    if (column->dictionary.type != KAN_TYPE_TEXT)
        KAN_TRY(take_steps(setup, p, column));
    if (column->dictionary.n < 2)
        kan_note(setup->run, "--for: %s has one value only, and no cut tells anything of it",
                 quoted);
    p->is_taken = p->is_followed = true;
    return KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

kan_status kan_setup_take_purpose(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    const char *text = kan_options_find(options, "for"), *why;
    const char *split = kan_options_find(options, "split");
    kan_setup_purpose *p;
    bool uses_any, has_unused = false;
    if (!text)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&setup->job->arena, 1, sizeof *p, &p));
    *p = (kan_setup_purpose){.text = text};
    setup->purpose = p;
    if (!kan_formula_parse(text, &p->formula, &why))
        return kan_fail(setup->run, KAN_BAD_INPUT, "--for: %s", why);
    KAN_TRY(find_columns(setup, p, &uses_any));
    if (!uses_any)
        return pass_over(setup, "the model uses no quasi-identifier, and all else stays as it is");
    p->has_weights = !kan_options_find(options, "importance");
    if (setup->has_given)
        return pass_over(setup, "the solution was given, and nothing is searched");
    for (unsigned a = 0; a < setup->n_quasi; a++)
        has_unused |= !p->of.is_used[a];
    if (!setup->search->follows_outcome || (split && strcmp(split, "cost") == 0) ||
        (!split && has_unused))
        return check_weights(setup, p, has_unused);
    if (split && strcmp(split, "purpose") != 0)
        return pass_over(
            setup, "--split %s looks neither at the outcome nor at weights; leave it out", split);
    return take_outcome(setup, p);
}

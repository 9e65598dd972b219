/* Models that a comparison fits on each release (--regress, --classify): their columns are read, whatever
 * they are released as. What no release of the comparison could have is refused before anything is read. */
#include "data/formula/formula.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

typedef struct {
    kan_setup *setup;
    const char *flag, *text;
    bool *modelled;
} reader;

bool kan_setup_can_model(const kan_setup *setup, size_t column) {
    const kan_role role = setup->roles[column];
    return kan_setup_releases(setup, column) && role != KAN_ROLE_WEIGHT &&
           role != KAN_ROLE_PERSON && role != KAN_ROLE_HOUSEHOLD &&
           !kan_setup_is_pseudonym(setup, column);
}

bool kan_setup_is_modelled(const kan_setup *setup, size_t column) {
    return setup->modelled && setup->modelled[column];
}

static void add_missing(const reader *r, kan_slice name, bool is_outcome) {
    char quoted[256];
    kan_problem_add(r->setup->run,
                    "--%s %s: the releases do not show %s, so that %s; release it with "
                    "--sensitive, --qi or --keep, or %s",
                    r->flag, r->text, kan_quote(name, quoted),
                    is_outcome ? "nothing can be learnt there" : "nobody can predict by it",
                    is_outcome ? "name another column before the ~"
                               : "leave it out of the formula");
}

/* A regression goes without a column that is left out, and says what is lost. */
static void take_name(const reader *r, kan_slice name, bool is_outcome, bool is_needed) {
    size_t column;
    if (!kan_input_find(&r->setup->input, name, &column)) {
        kan_input_add_unknown(&r->setup->input, r->flag, name);
        return;
    }
    if (!kan_setup_can_model(r->setup, column) &&
        (is_needed || kan_setup_releases(r->setup, column)))
        add_missing(r, name, is_outcome);
    r->modelled[column] = true;
}

static void take_formula(const reader *r, bool needs_terms) {
    kan_formula formula;
    const char *why;
    if (!kan_formula_parse(r->text, &formula, &why)) {
        kan_problem_add(r->setup->run, "--%s: %s", r->flag, why); /* the setting was checked */
        return;
    }
    take_name(r, formula.outcome, true, true);
    for (size_t i = 0; i < formula.n_terms; i++)
        take_name(r, formula.terms[i], false, needs_terms);
    for (size_t i = 0; formula.uses_all && i < r->setup->input.n_columns; i++)
        r->modelled[i] = r->modelled[i] || kan_setup_can_model(r->setup, i);
}

static void take_formulas(reader *r, const char *flag, bool needs_terms) {
    r->flag = flag;
    for (size_t i = 0; (r->text = kan_options_at(&r->setup->job->options, flag, i)) != NULL; i++)
        take_formula(r, needs_terms);
}

kan_status kan_setup_take_formulas(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    reader r = {.setup = setup};
    if (!kan_options_find(options, "regress") && !kan_options_find(options, "classify"))
        return KAN_OK;
    if (kan_input_engine(&setup->input))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--%s: the rows of %s come counted, and in no order that would be the "
                        "same again; compare a CSV file of them, or make the releases, and ask "
                        "kanon utility of each",
                        kan_options_find(options, "regress") ? "regress" : "classify",
                        setup->input.name);
    KAN_TRY(kan_arena_alloc(&setup->job->arena, setup->input.n_columns, sizeof *r.modelled,
                            &r.modelled));
    for (size_t i = 0; i < setup->input.n_columns; i++)
        r.modelled[i] = false;
    kan_problems_begin(setup->run);
    take_formulas(&r, "regress", false);
    take_formulas(&r, "classify", true);
    setup->modelled = r.modelled;
    return kan_problems_end(setup->run);
}

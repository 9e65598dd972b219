/* Households (--household): whose each row is, where each row is somebody else.
 *
 * By household whoever has a row that has to leave leaves with all rows of the household, and models count
 * rows as ever (kan_problem.counts_rows). Where nobody may be left out, and no model is about households,
 * nothing of it matters, and the question is the one without. By composition households take the place of
 * people, and what all rows of one show together is shown by k (docs/papers/households.md). */
#include "job/settings/settings.h"
#include "job/setup/setup.h"

static const char *option(const kan_setup *setup, const char *name) {
    return kan_options_find(&setup->job->options, name);
}

bool kan_setup_leaves_households(const kan_setup *setup) {
    return setup->household && kan_job_leaves_households(setup->job);
}

const char *kan_setup_unit(const kan_setup *setup, uint64_t n) {
    return kan_setup_leaves_households(setup) ? kan_plural(n, "household", "households")
           : kan_setup_leaves_people(setup)   ? kan_plural(n, "person", "people")
                                              : kan_plural(n, "row", "rows");
}

uint64_t kan_setup_units(const kan_setup *setup) {
    return kan_setup_leaves_households(setup) ? setup->household->dictionary.n
           : setup->promise.by_person         ? setup->problem.n_people
                                              : setup->problem.n_rows;
}

/* ---- the column ----------------------------------------------------------------------------- */

static kan_status check_column(const kan_setup *setup, size_t column) {
    const kan_column *household = &setup->table->columns[column];
    char quoted[256], rows[32];
    (void)kan_quote(kan_slice_of(household->name), quoted);
    if (kan_input_treatment(&setup->input, column))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--household: column %s is also changed, which would merge several "
                        "households; leave one of the two out",
                        quoted);
    KAN_TRY(kan_input_check_household(&setup->input, household, "leave it out whole", NULL));
    if (household->dictionary.n > 1 || household->n_rows < 2)
        return KAN_OK;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--household: all %s rows have the same value of column %s: one household of "
                    "everybody, which can only be left out or released as a whole; name the column "
                    "that tells households apart, or leave --household out",
                    kan_count_text(household->n_rows, rows), quoted);
}

/* ---- who leaves whole ----------------------------------------------------------------------- */

kan_status kan_setup_wants_kind(const kan_setup *setup, bool (*is_like)(const kan_privacy_kind *),
                                const kan_privacy_kind **out) {
    *out = NULL;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        bool is_wanted;
        KAN_TRY(kan_registry_ask(setup->run, &kind->kind, &setup->job->options, &is_wanted));
        if (is_wanted && is_like(kind))
            *out = kind;
    }
    return KAN_OK;
}

static bool is_of_households(const kan_privacy_kind *kind) {
    return kind->household_part != NULL;
}
static bool counts_no_people(const kan_privacy_kind *kind) {
    return !kind->counts_people;
}
static bool is_of_whole_table(const kan_privacy_kind *kind) {
    return kan_privacy_is_of_table(kind);
}
static bool needs_people(const kan_privacy_kind *kind) {
    return kind->needs_people;
}

static kan_status find_limit(const kan_setup *setup, uint64_t *out) {
    const char *text = option(setup, "suppress");
    kan_suppress_limit limit = {.rows = 0};
    if (text)
        (void)kan_suppress_parse(text, &limit);
    *out = kan_suppress_rows(&limit, kan_setup_units(setup));
    return KAN_OK;
}

static kan_status refuse_composition(const kan_setup *setup, const char *why) {
    return kan_fail(setup->run, KAN_BAD_INPUT, "--household-promise composition: %s", why);
}

static kan_status take_composition(kan_setup *setup, const kan_privacy_kind *of_households) {
    const kan_privacy_kind *kind;
    if (of_households)
        return refuse_composition(setup,
                                  "it counts households, and --household-risk looks at the rows "
                                  "of groups; promise one of the two");
    KAN_TRY(kan_setup_wants_kind(setup, counts_no_people, &kind));
    if (kind)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--household-promise composition: %s counts rows, and has no meaning for "
                        "households; leave one of the two out",
                        kind->kind.name);
    setup->person = setup->household;
    return KAN_OK;
}

static kan_status take_groups(kan_setup *setup, const kan_privacy_kind *of_households) {
    uint64_t limit;
    if (of_households && !kan_setup_leaves_households(setup))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--%s: a row that is left out changes the risk of its household, so that "
                        "households leave whole; leave --suppress-by row out",
                        of_households->kind.options[0].name);
    KAN_TRY(find_limit(setup, &limit));
    setup->problem.counts_rows = kan_setup_leaves_households(setup) && (limit > 0 || of_households);
    return KAN_OK;
}

kan_status kan_setup_take_household(kan_setup *setup) {
    const kan_privacy_kind *of_households;
    size_t i = 0;
    KAN_TRY(kan_job_check_household(setup->job));
    while (i < setup->table->n_columns && setup->roles[i] != KAN_ROLE_HOUSEHOLD)
        i++;
    KAN_TRY(kan_setup_wants_kind(setup, is_of_households, &of_households));
    if (i == setup->table->n_columns)
        return !of_households ? KAN_OK
                              : kan_fail(setup->run, KAN_BAD_INPUT,
                                         "--%s: which rows are one household's? name the column "
                                         "that says so with --household NAME",
                                         of_households->kind.options[0].name);
    KAN_TRY(check_column(setup, i));
    setup->household = &setup->table->columns[i];
    KAN_TRY(kan_job_by_composition(setup->job) ? take_composition(setup, of_households)
                                               : take_groups(setup, of_households));
    if (!setup->person && !setup->problem.counts_rows)
        return KAN_OK;
    setup->whose = setup->household;
    setup->problem.has_person = true;
    setup->problem.n_people = setup->household->dictionary.n;
    return kan_space_add_tail(&setup->problem.space, setup->household);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static kan_status check_models(const kan_setup *setup) {
    const kan_privacy_kind *kind;
    KAN_TRY(kan_setup_wants_kind(setup, is_of_whole_table, &kind));
    if (kind)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--%s is about the whole table, and which households it lets leave is not "
                        "worked out; leave --suppress out, or use --suppress-by row",
                        kind->kind.name);
    KAN_TRY(kan_setup_wants_kind(setup, needs_people, &kind));
    if (kind)
        return kan_fail(
            setup->run, KAN_BAD_INPUT,
            "--%s is about a population, and what it means where households leave whole "
            "is not worked out; leave --suppress out, or use --suppress-by row",
            kind->kind.name);
    return KAN_OK;
}

/* Groups are made one after the other there, and who leaves with whom is known of all together. */
static kan_status check_search(const kan_setup *setup) {
    const bool is_of_levels = setup->has_given ? !kan_recoding_has_cuts(&setup->given) &&
                                                     !kan_recoding_has_regions(&setup->given)
                                               : !kan_search_orders(setup->search);
    if (is_of_levels)
        return KAN_OK;
    if (setup->promise.holds_households)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--household-risk is about several groups together, and --algorithm %s "
                        "decides about each by itself; %suse a search over levels, such as auto or "
                        "exhaustive",
                        setup->search->kind.name, kan_setup_before_levels(setup));
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--household: --algorithm %s does not leave households out whole; leave "
                    "--suppress out, so that all are released, or %suse a search over levels, such "
                    "as auto or exhaustive; --suppress-by row leaves rows out one by one",
                    setup->search->kind.name, kan_setup_before_levels(setup));
}

static kan_status check_composition(const kan_setup *setup) {
    const kan_search_kind *search = setup->search;
    if (!setup->has_given && kan_search_orders(search) && !search->cuts &&
        !search->counts_histories)
        return kan_fail(
            setup->run, KAN_BAD_INPUT,
            "--household-promise composition: --algorithm %s decides about each group "
            "by itself, and groups of k households each say nothing of what all rows of "
            "a household show together; %suse a search over levels, such as auto or "
            "exhaustive",
            search->kind.name, kan_setup_before_levels(setup));
    for (unsigned m = 0; m < setup->promise.n_models; m++) {
        const kan_privacy_kind *kind = setup->promise.models[m].kind;
        if (kind->holds_people || kind->needs_people)
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--household-promise composition: %s has no meaning for compositions; "
                            "leave one of the two out",
                            kind->kind.name);
        if (!kind->size_decides && !setup->has_given && kan_search_orders(search))
            return kan_fail(
                setup->run, KAN_BAD_INPUT,
                "--household-promise composition: of compositions --algorithm %s "
                "promises k-anonymity alone; for %s %suse a search over levels, such as "
                "auto or exhaustive",
                search->kind.name, kind->kind.name, kan_setup_before_levels(setup));
    }
    for (size_t i = 0; i < setup->table->n_columns; i++)
        if (setup->roles[i] == KAN_ROLE_PSEUDONYM)
            return refuse_composition(setup, "what a pseudonym links has no meaning for households "
                                             "yet (--pseudonym); leave one of the two out");
    return KAN_OK;
}

const char *kan_setup_lacks_report(const kan_setup *setup) {
    if (setup->person && kan_setup_leaves_households(setup))
        return "--household-promise composition: a report counts rows or people, and what it would "
               "say of households is not worked out";
    if (setup->matches_missing && setup->subsets.n > 0)
        return "--subsets: reports show matches by all columns";
    return NULL;
}

kan_status kan_setup_check_household(const kan_setup *setup) {
    if (!kan_setup_leaves_households(setup))
        return KAN_OK;
    if (kan_options_switch(&setup->job->options, "show-suppressed"))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--show-suppressed has no meaning for households yet; leave it out, or "
                        "--household");
    if (option(setup, "certificate"))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--certificate: a certificate knows rows and people, and nothing of "
                        "households; leave it out, or --household");
    if (option(setup, "report") && kan_setup_lacks_report(setup))
        return kan_fail(setup->run, KAN_BAD_INPUT, "%s; leave --report out",
                        kan_setup_lacks_report(setup));
    if (setup->person)
        return check_composition(setup);
    if (!setup->problem.counts_rows)
        return KAN_OK;
    KAN_TRY(check_models(setup));
    return check_search(setup);
}

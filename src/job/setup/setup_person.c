/* People with several rows (--person): whose each row is, and what is promised of people.
 *
 * The person is the first tail of the space, so that whoever has rows in several groups is known in
 * each of them, and counts once where they merge. What is not worked out for people is refused
 * here, before anything is searched. */
#include <string.h>

#include "job/settings/settings.h"
#include "job/setup/setup.h"

kan_status kan_setup_take_person(kan_setup *setup) {
    char quoted[256];
    for (size_t i = 0; i < setup->table->n_columns; i++) {
        if (setup->roles[i] != KAN_ROLE_PERSON)
            continue;
        setup->person = &setup->table->columns[i];
        const kan_treatment *treatment = kan_input_treatment(&setup->input, i);
        if (treatment && !treatment->is_pseudonym)
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--person: column %s is also changed, which would merge several "
                            "people; leave one of the two out",
                            kan_quote(kan_slice_of(setup->person->name), quoted));
    }
    if (!setup->person)
        return KAN_OK;
    KAN_TRY(kan_input_check_person(&setup->input, setup->person, NULL));
    setup->whose = setup->person;
    setup->problem.has_person = true;
    setup->problem.n_people = setup->person->dictionary.n;
    return kan_space_add_tail(&setup->problem.space, setup->person);
}

/* ---- what is promised ----------------------------------------------------------------------- */

static bool is_option(const kan_setup *setup, const char *name, const char *value) {
    const char *given = kan_options_find(&setup->job->options, name);
    return given && strcmp(given, value) == 0;
}

/* Who asked for them. */
static const char *by_histories(const kan_setup *setup) {
    return is_option(setup, "person-promise", "histories") ? "--person-promise histories"
                                                           : "--ledger with --person";
}

/* Histories change when one row of a person leaves. */
static kan_status check_histories(const kan_setup *setup) {
    const kan_promise *promise = &setup->promise;
    if (!promise->by_person)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--suppress-by row: a history is all rows of a person, and leaving one out "
                        "makes another history of it; leave it out, and people leave with all "
                        "their rows");
    for (unsigned m = 0; m < promise->n_models; m++)
        if (promise->models[m].kind->holds_people || promise->models[m].kind->needs_people)
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "%s: %s has no meaning for histories; leave one of the two out",
                            by_histories(setup), promise->models[m].kind->kind.name);
    for (unsigned m = 0; m < promise->n_models; m++)
        if (!promise->models[m].kind->size_decides && !setup->has_given &&
            kan_search_orders(setup->search))
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "%s: of histories --algorithm %s promises k-anonymity "
                            "alone; for %s %suse a search over levels, such as auto or exhaustive",
                            by_histories(setup), setup->search->kind.name,
                            promise->models[m].kind->kind.name, kan_setup_before_levels(setup));
    return KAN_OK;
}

bool kan_setup_counts_people(const kan_setup *setup) {
    return is_option(setup, "count", "people");
}

void kan_setup_person_promise(kan_setup *setup) {
    const bool has_pasts = setup->problem.pasts != NULL; /* each row may be somebody else */
    setup->promise.by_person = setup->whose ? !is_option(setup, "suppress-by", "row") : has_pasts;
    setup->promise.histories =
        has_pasts || (setup->person && (setup->household || setup->past ||
                                        is_option(setup, "person-promise", "histories")));
}

/* By pseudonyms rows can be linked, so that groups, each by itself, say too little. Pseudonyms of
 * something else than people, such as cases, tell people with one history apart. */
static kan_status check_pseudonyms(const kan_setup *setup) {
    char quoted[256];
    for (size_t i = 0; i < setup->table->n_columns; i++)
        if (setup->roles[i] == KAN_ROLE_PSEUDONYM)
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--pseudonym: column %s is not that of --person, and what it links has "
                            "no meaning for people yet; leave one of the two out",
                            kan_quote(kan_slice_of(setup->table->columns[i].name), quoted));
    if (setup->shows_person && !setup->promise.histories)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--pseudonym: rows of a person can be linked by it, and a promise about "
                        "each group by itself is too weak then; add --person-promise histories");
    return KAN_OK;
}

/* Whoever makes one group after the other does not see what all rows of a person show together: two
 * people with the same rows, in two groups of which each is cut into two, may go different ways. */
static kan_status check_search(const kan_setup *setup) {
    const kan_search_kind *search = setup->search;
    if (!kan_search_orders(search))
        return KAN_OK;
    if (!search->counts_people)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--algorithm %s counts the rows of its groups, not people; with --person "
                        "%suse mondrian, iterate, k-optimize, unrestricted, or a search over "
                        "levels, such as auto or exhaustive",
                        search->kind.name, kan_setup_before_levels(setup));
    if (!setup->promise.histories || search->cuts || search->counts_histories)
        return KAN_OK;
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "%s: --algorithm %s decides about each group by itself, "
                    "and groups of k people each say nothing of what all rows of a person show "
                    "together; %suse a search over levels, such as auto or exhaustive",
                    by_histories(setup), search->kind.name, kan_setup_before_levels(setup));
}

kan_status kan_setup_check_person(const kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    if (!setup->person)
        return KAN_OK;
    if (!setup->has_given)
        KAN_TRY(check_search(setup));
    if (kan_options_switch(options, "show-suppressed"))
        return kan_fail(
            setup->run, KAN_BAD_INPUT,
            "--show-suppressed has no meaning for people yet; leave it or --person out");
    KAN_TRY(check_pseudonyms(setup));
    return setup->promise.histories ? check_histories(setup) : KAN_OK;
}

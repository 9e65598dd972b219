/* Which column plays which part.
 *
 * A release holds only what somebody decided to release: quasi-identifiers, sensitive columns, the
 * class, pseudonyms, and what --keep names. All else is left out: what names people (--id,
 * --person), what is not wanted (--drop), and every column that nobody said anything about, unless
 * --others says otherwise.
 *
 * Which columns settings name is found in job/input/roles.h; a name or a pattern that no column has is a
 * problem. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/wording.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

bool kan_setup_keeps(const kan_setup *setup, size_t column) {
    const kan_role role = setup->roles[column];
    return role == KAN_ROLE_KEEP || (role == KAN_ROLE_WEIGHT && setup->shows_weight) ||
           (role == KAN_ROLE_OTHER && setup->keeps_others);
}

bool kan_setup_releases(const kan_setup *setup, size_t column) {
    const kan_role role = setup->roles[column];
    return role == KAN_ROLE_QUASI || role == KAN_ROLE_SENSITIVE || role == KAN_ROLE_CLASS ||
           kan_setup_is_pseudonym(setup, column) || kan_setup_keeps(setup, column);
}

bool kan_setup_is_pseudonym(const kan_setup *setup, size_t column) {
    const kan_role role = setup->roles[column];
    return role == KAN_ROLE_PSEUDONYM || (role == KAN_ROLE_PERSON && setup->shows_person);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void take_others(kan_setup *setup) {
    const char *what = kan_options_find(&setup->job->options, "others");
    setup->keeps_others = what && strcmp(what, "keep") == 0;
    if (!what || strcmp(what, "refuse") != 0)
        return;
    for (size_t i = 0; i < setup->input.n_columns; i++) {
        char quoted[256];
        if (setup->roles[i] == KAN_ROLE_OTHER && !kan_setup_is_stratum(setup, i))
            kan_problem_add(setup->run,
                            "%s: column %s has no role, and --others is refuse; name it with --qi, "
                            "--sensitive, --class, --id, --keep or --drop",
                            setup->input.name,
                            kan_quote(kan_slice_of(setup->input.columns[i]), quoted));
    }
}

/* In the order of the level vector, which is the user's. */
static void take_quasi(kan_setup *setup, const kan_role_list *quasi) {
    if (quasi->n > KAN_MAX_ATTRIBUTES)
        kan_problem_add(setup->run, "--qi: %zu columns, the maximum is %d", quasi->n,
                        KAN_MAX_ATTRIBUTES);
    for (size_t i = 0; i < quasi->n && i < KAN_MAX_ATTRIBUTES; i++) {
        setup->quasi[i] = quasi->columns[i].at[0];
        setup->specs[i] = quasi->columns[i].hierarchy;
        setup->n_quasi++;
    }
}

kan_status kan_setup_take_roles(kan_setup *setup) {
    const kan_role_table table = {.input = &setup->input, .needs = KAN_ROLES_ALL};
    kan_roles roles;
    kan_problems_begin(setup->run);
    /* `anonymize`, `search` and `compare` have the same ones */
    KAN_TRY(kan_roles_read(setup->job, "anonymize", &table, 1, &roles));
    take_quasi(setup, &roles.named[KAN_ROLE_QUASI]);
    setup->roles = roles.of[0];
    setup->shows_person = roles.shows_person;
    setup->shows_weight = roles.shows_weight;
    take_others(setup);
    return kan_problems_end(setup->run);
}

kan_status kan_setup_take_treatments(kan_setup *setup) {
    char quoted[256];
    KAN_TRY(kan_input_find_treatments(&setup->input, false));
    kan_problems_begin(setup->run);
    for (size_t i = 0; i < setup->input.n_treatments; i++) {
        const kan_treatment *t = &setup->input.treatments[i];
        if (!kan_setup_releases(setup, t->column))
            kan_problem_add(setup->run,
                            "%s: column %s is left out of the release; leave the setting out, or "
                            "release the column with --qi, --sensitive, --class or --keep",
                            kan_treatment_flags(t), kan_quote(kan_slice_of(t->name), quoted));
    }
    return kan_problems_end(setup->run);
}

/* ---- telling -------------------------------------------------------------------------------- */

/* A column that was forgotten is mentioned, whatever becomes of it. */
void kan_setup_tell_others(const kan_setup *setup) {
    enum { MOST_NAMED = 4 };
    char names[512];
    kan_name_list list = kan_names_begin(names, sizeof names, MOST_NAMED);
    for (size_t i = 0; i < setup->input.n_columns; i++)
        if (setup->roles[i] == KAN_ROLE_OTHER &&
            (setup->keeps_others || !kan_setup_is_stratum(setup, i)))
            kan_names_add_quoted(&list, setup->input.columns[i]);
    const size_t n = list.n;
    (void)kan_names_end(&list);
    if (n > 0 && setup->keeps_others)
        kan_note(setup->run,
                 "%zu column%s released as %s: %s; can nobody be recognised by %s? --qi NAME "
                 "generalizes a column, --drop NAME leaves it out",
                 n, n == 1 ? " is" : "s are", n == 1 ? "it is" : "they are", names,
                 n == 1 ? "it" : "them");
    else if (n > 0)
        kan_note(setup->run,
                 "%zu column%s no role and %s left out: %s; --keep NAME releases a column as it "
                 "is, --drop NAME says that it is meant to be left out",
                 n, n == 1 ? " has" : "s have", n == 1 ? "is" : "are", names);
}

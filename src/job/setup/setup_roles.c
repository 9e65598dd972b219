/* Which column plays which part.
 *
 * A release holds only what somebody decided to release: quasi-identifiers, sensitive columns, the
 * class, pseudonyms, and what --keep names. All else is left out: what names people (--id,
 * --person), what is not wanted (--drop), and every column that nobody said anything about, unless
 * --others says otherwise.
 *
 * Names come before patterns: --keep 'q*' takes the columns that no flag names. A column that two
 * patterns want for different parts is a problem, and so is a name or a pattern that no column
 * has. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "job/settings/settings.h"
#include "job/setup/setup.h"

static const char *const role_flags[] = {
    [KAN_ROLE_OTHER] = "",
    [KAN_ROLE_ID] = "id",
    [KAN_ROLE_QUASI] = "qi",
    [KAN_ROLE_SENSITIVE] = "sensitive",
    [KAN_ROLE_CLASS] = "class",
    [KAN_ROLE_PERSON] = "person",
    [KAN_ROLE_KEEP] = "keep",
    [KAN_ROLE_DROP] = "drop",
    [KAN_ROLE_PSEUDONYM] = "pseudonym",
};

bool kan_setup_keeps(const kan_setup *setup, size_t column) {
    const kan_role role = setup->roles[column];
    return role == KAN_ROLE_KEEP || (role == KAN_ROLE_OTHER && setup->keeps_others);
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

/* ---- names ---------------------------------------------------------------------------------- */

/* A column that is kept is not counted, and one that is counted may stay exact: who wants both is told
 * how. */
static void add_two_roles(const kan_setup *setup, kan_slice name, kan_role role, kan_role before) {
    const bool wants_exact = (role == KAN_ROLE_KEEP && before == KAN_ROLE_QUASI) ||
                             (role == KAN_ROLE_QUASI && before == KAN_ROLE_KEEP);
    char quoted[256], exact[256] = "";
    kan_quote(name, quoted);
    /* as it would be typed: no sign in it was quoted, and none means something there */
    if (wants_exact && strlen(quoted) == name.size + 2 && !strpbrk(quoted, "=, "))
        snprintf(exact, sizeof exact,
                 "; to count people by it and release it exact, leave --keep out and say --level "
                 "%.*s=0",
                 (int)name.size, name.bytes);
    kan_problem_add(setup->run, "--%s: column %s is also named by --%s; choose one role%s",
                    role_flags[role], quoted, role_flags[before], exact);
}

/* The column of that name takes the role; false when it could not. */
static bool take_role(kan_setup *setup, kan_slice name, kan_role role, size_t *column) {
    const char *flag = role_flags[role];
    char quoted[256];
    if (!kan_input_find(&setup->input, name, column)) {
        kan_input_add_unknown(&setup->input, flag, name);
        return false;
    }
    const kan_role before = setup->roles[*column];
    if (before == KAN_ROLE_PERSON && role == KAN_ROLE_PSEUDONYM)
        setup->shows_person = true; /* whose a row is, under another name */
    else if (before == role)
        kan_problem_add(setup->run, "--%s: column %s is named twice", flag,
                        kan_quote(name, quoted));
    else if (before != KAN_ROLE_OTHER)
        add_two_roles(setup, name, role, before);
    else
        setup->roles[*column] = role;
    return before == KAN_ROLE_OTHER;
}

static void take_quasi(kan_setup *setup) {
    const kan_options *options = &setup->job->options;
    size_t n = kan_options_count_of(options, "qi");
    if (n == 0)
        kan_problem_add(setup->run, "no quasi-identifier: name the columns by which somebody could "
                                    "be recognised with --qi NAME,NAME");
    if (n > KAN_MAX_ATTRIBUTES)
        kan_problem_add(setup->run, "--qi: %zu columns, the most are %d", n, KAN_MAX_ATTRIBUTES);
    for (size_t i = 0; i < n && i < KAN_MAX_ATTRIBUTES; i++) {
        kan_slice name;
        const char *spec;
        size_t column;
        kan_quasi_parse(kan_options_at(options, "qi", i), &name, &spec);
        if (!take_role(setup, name, KAN_ROLE_QUASI, &column))
            continue;
        setup->quasi[setup->n_quasi] = column;
        setup->specs[setup->n_quasi++] = spec;
    }
}

/* ---- patterns ------------------------------------------------------------------------------- */

/* A name with * or ? in it, unless a column is called just that. */
static bool is_pattern(const kan_setup *setup, const char *name) {
    size_t column;
    return strpbrk(name, "*?") && !kan_input_find(&setup->input, kan_slice_of(name), &column);
}

static void take_named(kan_setup *setup, kan_role role, bool takes_patterns) {
    const kan_options *options = &setup->job->options;
    const char *flag = role_flags[role];
    size_t column;
    for (size_t i = 0; i < kan_options_count_of(options, flag); i++) {
        const char *name = kan_options_at(options, flag, i);
        if (!takes_patterns || !is_pattern(setup, name))
            (void)take_role(setup, kan_slice_of(name), role, &column);
    }
}

static void take_pattern(kan_setup *setup, const char *pattern, kan_role role) {
    bool is_found = false;
    char quoted[256];
    for (size_t i = 0; i < setup->input.n_columns; i++) {
        const kan_role before = setup->roles[i];
        if (!kan_name_is_like(setup->input.columns[i], pattern))
            continue;
        is_found = true;
        if (before != KAN_ROLE_OTHER && before != role && setup->by_pattern[i])
            kan_problem_add(setup->run,
                            "column %s matches patterns of --%s and of --%s; name it with one "
                            "of them",
                            kan_quote(kan_slice_of(setup->input.columns[i]), quoted),
                            role_flags[before], role_flags[role]);
        if (before != KAN_ROLE_OTHER)
            continue;
        setup->roles[i] = role;
        setup->by_pattern[i] = true;
    }
    if (!is_found)
        kan_problem_add(setup->run, "%s: no column matches %s (--%s)", setup->input.name,
                        kan_quote(kan_slice_of(pattern), quoted), role_flags[role]);
}

static void take_patterns(kan_setup *setup, kan_role role) {
    const kan_options *options = &setup->job->options;
    for (size_t i = 0; i < kan_options_count_of(options, role_flags[role]); i++) {
        const char *name = kan_options_at(options, role_flags[role], i);
        if (is_pattern(setup, name))
            take_pattern(setup, name, role);
    }
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void take_others(kan_setup *setup) {
    const char *what = kan_options_find(&setup->job->options, "others");
    setup->keeps_others = what && strcmp(what, "keep") == 0;
    if (!what || strcmp(what, "refuse") != 0)
        return;
    for (size_t i = 0; i < setup->input.n_columns; i++) {
        char quoted[256];
        if (setup->roles[i] == KAN_ROLE_OTHER)
            kan_problem_add(setup->run,
                            "%s: column %s has no role, and --others is refuse; name it with --qi, "
                            "--sensitive, --class, --id, --keep or --drop",
                            setup->input.name,
                            kan_quote(kan_slice_of(setup->input.columns[i]), quoted));
    }
}

kan_status kan_setup_take_roles(kan_setup *setup) {
    static const kan_role patterned[] = {KAN_ROLE_ID, KAN_ROLE_DROP, KAN_ROLE_KEEP};
    const size_t n = setup->input.n_columns, n_patterned = sizeof patterned / sizeof *patterned;
    KAN_TRY(kan_alloc_zero(setup->run, n, sizeof *setup->roles, &setup->roles));
    KAN_TRY(kan_alloc_zero(setup->run, n, sizeof *setup->by_pattern, &setup->by_pattern));
    kan_problems_begin(setup->run);
    take_quasi(setup);
    take_named(setup, KAN_ROLE_SENSITIVE, false);
    take_named(setup, KAN_ROLE_CLASS, false);
    take_named(setup, KAN_ROLE_PERSON, false);
    take_named(setup, KAN_ROLE_PSEUDONYM, false);
    for (size_t i = 0; i < n_patterned; i++)
        take_named(setup, patterned[i], true);
    for (size_t i = 0; i < n_patterned; i++)
        take_patterns(setup, patterned[i]);
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
    char names[512] = "", more[64] = "";
    size_t n = 0, used = 0;
    for (size_t i = 0; i < setup->input.n_columns; i++) {
        char quoted[256];
        if (setup->roles[i] != KAN_ROLE_OTHER || n++ >= MOST_NAMED)
            continue;
        const char *name = kan_quote(kan_slice_of(setup->input.columns[i]), quoted);
        const int size =
            snprintf(names + used, sizeof names - used, "%s%s", n > 1 ? ", " : "", name);
        used += size > 0 && (size_t)size < sizeof names - used ? (size_t)size : 0;
    }
    names[used] = '\0';
    if (n > MOST_NAMED)
        snprintf(more, sizeof more, " and %zu more", n - MOST_NAMED);
    if (n > 0 && setup->keeps_others)
        kan_note(setup->run,
                 "%zu column%s released as %s: %s%s; can nobody be recognised by %s? --qi NAME "
                 "generalizes a column, --drop NAME leaves it out",
                 n, n == 1 ? " is" : "s are", n == 1 ? "it is" : "they are", names, more,
                 n == 1 ? "it" : "them");
    else if (n > 0)
        kan_note(setup->run,
                 "%zu column%s no role and %s left out: %s%s; --keep NAME releases a column as it "
                 "is, --drop NAME says that it is meant to be left out",
                 n, n == 1 ? " has" : "s have", n == 1 ? "is" : "are", names, more);
}

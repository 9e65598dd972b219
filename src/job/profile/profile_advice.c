/* How the summary of `profile` ends: what somebody has to think about before going on, and the
 * command that goes on. */
#include <stdio.h>

#include "core/wording.h"
#include "job/profile/profile_inside.h"
#include "job/tell/tell.h"

/* ---- what somebody has to think about ------------------------------------------------------- */

/* "a, b, c and 7 more" */
static void add_names(const kan_profile_walk *p, kan_role role, char *words, size_t room) {
    enum { MOST_NAMED = 8 };
    kan_name_list names = kan_names_begin(words, room, MOST_NAMED);
    for (size_t c = 0; c < p->input.n_columns; c++) {
        char quoted[256], name[41];
        if (p->columns[c].role != role)
            continue;
        snprintf(name, sizeof name, "%s", kan_quote(kan_slice_of(p->input.columns[c]), quoted));
        kan_names_add(&names, name);
    }
    (void)kan_names_end(&names);
}

static void add_undecided(const kan_profile_walk *p, kan_text *text) {
    const size_t n = kan_profile_count_of(p, KAN_ROLE_OTHER);
    char names[500], words[900], count[64];
    if (n == 0)
        return;
    add_names(p, KAN_ROLE_OTHER, names, sizeof names);
    snprintf(words, sizeof words,
             "%s undecided, and will be left out of the release until you give %s a role (--qi, "
             "--sensitive, --keep or --drop): %s",
             kan_profile_counted(n, "column is", "columns are", count), n == 1 ? "it" : "each",
             names);
    kan_text_print(text, "\nundecided:");
    kan_profile_add_words(text, words, 10, 2);
}

/* What to do about it. */
static void add_remedy(const kan_profile_walk *p, const kan_profile_column *column, char *words,
                       size_t room) {
    char quoted[256];
    if (!kan_profile_is_person(column))
        snprintf(words, room,
                 column->identifier == KAN_IDENTIFIER_NUMBER
                     ? "--person counts people, once every row has a number there."
                     : "What several people share cannot tell them apart: give each person a "
                       "number, and count people by it (--person).");
    else if (kan_input_engine(&p->input))
        snprintf(words, room,
                 "--person counts people; a database cannot: make one row per person first, or "
                 "release from a file.");
    else
        snprintf(words, room, "--person %.60s counts people.",
                 kan_quote(kan_slice_of(column->name), quoted));
}

/* k counts rows. Where people have several, groups of k rows may be one person. */
static void add_people(const kan_profile_walk *p, kan_text *text) {
    enum { MOST_TOLD = 3 };
    unsigned n = 0;
    for (size_t c = 0; c < p->input.n_columns && n < MOST_TOLD; c++) {
        const kan_profile_column *column = &p->columns[c];
        char words[800], quoted[256], values[32], rows[32], remedy[200];
        if (!kan_profile_repeats(p, column))
            continue;
        add_remedy(p, column, remedy, sizeof remedy);
        snprintf(words, sizeof words,
                 "%.60s has %s different values in %s rows. If these are people, some have several "
                 "rows, and a promise of k counts rows, not people: five rows may be one person. "
                 "%s",
                 kan_quote(kan_slice_of(column->name), quoted),
                 kan_count_text(column->n_distinct, values),
                 kan_count_text(column->n_rows - column->n_missing, rows), remedy);
        kan_text_print(text, "\nwarning:");
        kan_profile_add_words(text, words, 8, 2);
        n++;
    }
}

/* ---- what comes next ------------------------------------------------------------------------ */

/* What is almost a date or a number has no proposal of `hierarchy build`: it is named with what the
 * job file would take. */
static bool needs_method(const kan_profile_column *column) {
    return column->mixture.kind != KAN_MIXTURE_NONE;
}

/* Hierarchies for all that look like quasi-identifiers; what the other roles are is handed on. What
 * is undecided, or dropped, is named nowhere and so left out. False where there is none, or more
 * than a command line is good for. */
static bool add_build(const kan_profile_walk *p, const char *input, kan_text *text) {
    enum { MOST_NAMED = 64 };
    char dir[KAN_NEXT_PATH + 1];
    static const kan_role roles[] = {KAN_ROLE_QUASI, KAN_ROLE_ID, KAN_ROLE_SENSITIVE};
    size_t person = SIZE_MAX;
    const bool has_person = kan_profile_counts_people(p, &person);
    kan_next_step next = kan_next_begin(text, "\nnext: kanon hierarchy build");
    kan_next_word(&next, input);
    for (unsigned i = 0; i < sizeof roles / sizeof *roles; i++) {
        const char *flag = kan_role_setting_for(roles[i], "hierarchy-build")->name;
        const bool is_quasi = roles[i] == KAN_ROLE_QUASI;
        const size_t n_all = kan_profile_count_of(p, roles[i]);
        size_t n = 0;
        next.is_sayable &=
            n_all <= (is_quasi ? KAN_MAX_ATTRIBUTES : MOST_NAMED) && (n_all > 0 || !is_quasi);
        for (int with_method = 0; with_method < (is_quasi ? 2 : 1); with_method++)
            for (size_t c = 0; c < p->input.n_columns && next.is_sayable; c++) {
                const kan_profile_column *column = &p->columns[c];
                if (column->role != roles[i] || (has_person && c == person) ||
                    (is_quasi && needs_method(column) != (with_method == 1)))
                    continue;
                n = with_method ? 0 : n; /* a flag of its own */
                kan_next_name(&next, flag, p->input.columns[c], is_quasi, &n);
                if (with_method)
                    kan_next_value(&next, column->spec);
                /* it becomes the name of a file */
                next.is_sayable &= !is_quasi || !strchr(p->input.columns[c], '/');
            }
    }
    if (has_person) {
        size_t n = 0;
        kan_next_name(&next, "person", p->input.columns[person], false, &n);
    }
    kan_next_reading(&next, &p->job->options);
    /* the values of a cohort are not those of the table that would be read */
    next.is_sayable &= !kan_options_find(&p->job->options, "where");
    kan_next_free_path(input, "hierarchies", dir);
    strcat(dir, "/");
    kan_text_print(text, " -o");
    kan_next_word(&next, dir);
    return kan_next_end(&next);
}

/* A job file is run; without one, hierarchies come first. What no command line can name, a job file
 * can. */
static void add_next(const kan_profile_walk *p, kan_text *text) {
    const kan_options *options = &p->job->options;
    const char *job = kan_options_find(options, "job-out");
    const char *input = kan_options_find(options, "input");
    char path[KAN_NEXT_PATH];
    if (job && strcmp(job, "-") != 0) {
        kan_next_step next = kan_next_begin(text, "\nnext: kanon anonymize");
        kan_next_flag(&next, "job", job);
        kan_next_flag(&next, "report", kan_next_free_path(job, "report.html", path));
        if (p->input.is_file && strcmp(input, "-") == 0)
            kan_text_print(text, " <TABLE");
        (void)kan_next_end(&next);
        return;
    }
    if (!p->input.is_file || strcmp(input, "-") == 0 || (!job && add_build(p, input, text)))
        return;
    kan_next_step next = kan_next_begin(text, "\nnext: kanon profile");
    kan_next_word(&next, input);
    kan_next_reading(&next, options);
    kan_next_flag(&next, "job-out", kan_next_free_path(input, "job.yaml", path));
    (void)kan_next_end(&next);
}

void kan_profile_advise(const kan_profile_walk *p, kan_text *text) {
    add_people(p, text);
    add_undecided(p, text);
    add_next(p, text);
}

/* A job file to start from: the suggested roles, k = 5, and hierarchies that can be built.
 *
 * It must be safe to run as it is: what is undecided has no role, and is left out. What cannot be
 * said in a job file (a name with a line break in it, or a quasi-identifier whose name holds =) is
 * an error, and quasi-identifiers beyond those that a job can have are dropped. No command stands
 * in it: the same file serves anonymize, search, compare, verify and risk. */
#include <stdio.h>
#include <stdlib.h>

#include "io/target.h"
#include "job/inspect/profile_inside.h"

enum {
    MOST_BYTES = 1 << 20, /* that a job file may have */
    MOST_SEARCHED = 12,   /* quasi-identifiers that are searched without a time limit */
    TIME_LIMIT_SECONDS = 60
};

/* ---- YAML ----------------------------------------------------------------------------------- */

static bool is_plain(const char *text) {
    static const char *const words[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return false;
    for (size_t i = 0; text[i]; i++) {
        const char c = text[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '.')))
            return false;
    }
    return *text != '\0';
}

static unsigned code_point(const char *at, size_t size) {
    unsigned point = (unsigned char)at[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++)
        point = point << 6 | ((unsigned char)at[i] & 0x3fu);
    return point;
}

/* What YAML would refuse, or take for a line break, unless it is escaped. */
static bool needs_escape(unsigned point) {
    return (point >= 0x7f && point <= 0xa0) || point == 0x2028 || point == 0x2029 ||
           point == 0xfeff || point == 0xfffe || point == 0xffff;
}

/* A scalar, in quotes where it needs them. The text is UTF-8. */
static void add_scalar(kan_text *text, const char *scalar) {
    if (is_plain(scalar)) {
        kan_text_add(text, scalar, strlen(scalar));
        return;
    }
    kan_text_add(text, "\"", 1);
    for (const char *at = scalar; *at;) {
        const size_t size = kan_utf8_length(at, strlen(at));
        const unsigned point = size > 1 ? code_point(at, size) : (unsigned char)*at;
        if (*at == '"' || *at == '\\')
            kan_text_print(text, "\\%c", *at);
        else if (point < 0x20)
            kan_text_print(text, "\\x%02x", point);
        else if (needs_escape(point))
            kan_text_print(text, "\\u%04x", point);
        else
            kan_text_add(text, at, size ? size : 1);
        at += size ? size : 1;
    }
    kan_text_add(text, "\"", 1);
}

/* Whether a job file can hold the name. */
static bool is_sayable(const char *name, bool is_quasi) {
    if (strchr(name, '\n') || (is_quasi && strchr(name, '=')) || name[0] == '\0')
        return false;
    for (const char *at = name; *at;) {
        const size_t size = kan_utf8_length(at, strlen(at));
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

static kan_status check_names(const kan_profile_walk *p) {
    char quoted[256];
    kan_problems_begin(p->run);
    for (size_t c = 0; c < p->input.n_columns; c++) {
        const kan_role role = p->columns[c].role;
        if (role != KAN_ROLE_OTHER && !is_sayable(p->input.columns[c], role == KAN_ROLE_QUASI))
            kan_problem_add(p->run,
                            "--job-out: column %s cannot be named in a job file (a line break, =, "
                            "or bytes that are not UTF-8); rename it in the table",
                            kan_quote(kan_slice_of(p->input.columns[c]), quoted));
    }
    return kan_problems_end(p->run);
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* Bytes of the directory of a path, its slash included. */
static size_t directory_size(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* The input as the job file names it: paths there are relative to the file. */
static kan_status add_input(const kan_profile_walk *p, const char *path, kan_text *text) {
    const char *input = kan_options_find(&p->job->options, "input");
    const size_t size = strcmp(path, "-") == 0 ? 0 : directory_size(path);
    if (!p->input.source) {
        kan_text_print(text, "# input: the table that the program has in memory\n");
        return KAN_OK;
    }
    char *whole = NULL;
    if (strncmp(input, path, size) == 0 && input[0] != '/')
        input += size;
    else if (strcmp(input, "-") != 0 && input[0] != '/') {
        whole = realpath(input, NULL);
        if (!whole)
            return kan_fail(p->run, KAN_FAILED,
                            "--job-out: no full path of %s was found; name the "
                            "table with its full path",
                            input);
        input = whole;
    }
    kan_text_print(text, "input: ");
    add_scalar(text, input);
    kan_text_print(text, "\n");
    free(whole);
    return KAN_OK;
}

/* adult.csv.gz: adult-release.csv, beside the job file. */
static void add_output(const kan_profile_walk *p, kan_text *text) {
    const char *input = p->input.source ? kan_options_find(&p->job->options, "input") : "table";
    const char *name = input + directory_size(input);
    const size_t size = strcmp(name, "-") == 0 ? 0 : strcspn(name, ".");
    char output[300];
    snprintf(output, sizeof output, "%.*s-release.csv", size ? (int)(size < 200 ? size : 200) : 5,
             size ? name : "table");
    kan_text_print(text, "output: ");
    add_scalar(text, is_sayable(output, false) ? output : "release.csv");
    kan_text_print(text, "\n");
}

/* ---- columns -------------------------------------------------------------------------------- */

/* The quasi-identifiers, those that are likely ones first, in the order of the table. */
static size_t list_quasi(const kan_profile_walk *p, size_t *list) {
    size_t n = 0;
    for (int certainty = KAN_LIKELY; certainty >= (int)KAN_PERHAPS; certainty--)
        for (size_t c = 0; c < p->input.n_columns; c++)
            if (p->columns[c].role == KAN_ROLE_QUASI && (int)p->columns[c].certainty == certainty)
                list[n++] = c;
    return n;
}

static void add_reason(const kan_profile_column *column, kan_text *text) {
    kan_text_print(text, "  # %s%s\n",
                   column->certainty == KAN_LIKELY ? "" : "perhaps: ", column->reason);
}

static void add_quasi(const kan_profile_walk *p, const size_t *quasi, size_t n, kan_text *text) {
    kan_text_print(text,
                   "\n# By these others could recognise somebody: they are generalized.\n"
                   "# `frequency` groups rare values, `suppress` keeps a value or hides it; a "
                   "hierarchy\n# file that knows what values mean keeps more.\n");
    if (n == 0)
        kan_text_print(text,
                       "# No column looks like one. Name those that others know:\n# qi: []\n");
    else
        kan_text_print(text, "qi:\n");
    for (size_t i = 0; i < n; i++) {
        const kan_profile_column *column = &p->columns[quasi[i]];
        kan_text_print(text, "  ");
        add_scalar(text, column->name);
        kan_text_print(text, ": %s", column->spec);
        add_reason(column, text);
    }
}

static void add_list(const kan_profile_walk *p, const char *key, kan_role role, const char *about,
                     kan_text *text) {
    bool is_begun = false;
    for (size_t c = 0; c < p->input.n_columns; c++) {
        if (p->columns[c].role != role)
            continue;
        if (!is_begun)
            kan_text_print(text, "\n# %s\n%s:\n", about, key);
        is_begun = true;
        kan_text_print(text, "  - ");
        add_scalar(text, p->input.columns[c]);
        add_reason(&p->columns[c], text);
    }
}

/* Free texts, and quasi-identifiers for which there is no room. */
static void add_drops(const kan_profile_walk *p, const size_t *beyond, size_t n, kan_text *text) {
    add_list(p, "drop", KAN_ROLE_DROP, "These are left out of the release.", text);
    if (n > 0 && kan_profile_count_of(p, KAN_ROLE_DROP) == 0)
        kan_text_print(text, "\ndrop:\n");
    if (n > 0)
        kan_text_print(text,
                       "  # Others may know these as well, and a job takes %d quasi-identifiers: "
                       "left out.\n",
                       KAN_MAX_ATTRIBUTES);
    for (size_t i = 0; i < n; i++) {
        kan_text_print(text, "  - ");
        add_scalar(text, p->input.columns[beyond[i]]);
        kan_text_print(text, "\n");
    }
}

/* A comment for each, so that somebody has to decide. */
static void add_undecided(const kan_profile_walk *p, kan_text *text) {
    char quoted[256];
    bool is_begun = false;
    for (size_t c = 0; c < p->input.n_columns; c++) {
        if (p->columns[c].role != KAN_ROLE_OTHER)
            continue;
        if (!is_begun)
            kan_text_print(text,
                           "\n# Nothing says what these are. Until somebody decides, they are "
                           "left out of the release.\n");
        is_begun = true;
        kan_text_print(text, "# undecided: %s  -> add it to qi, sensitive, keep, drop or id\n",
                       kan_quote(kan_slice_of(p->input.columns[c]), quoted));
    }
}

static void add_people(const kan_profile_walk *p, kan_text *text) {
    for (size_t c = 0; c < p->input.n_columns; c++) {
        const kan_profile_column *column = &p->columns[c];
        char quoted[256], values[32], rows[32];
        if (kan_profile_repeats(p, column))
            kan_text_print(text,
                           "# k counts rows, not people: %s has %s different values in %s rows.\n",
                           kan_quote(kan_slice_of(column->name), quoted),
                           kan_count_text(column->n_distinct, values),
                           kan_count_text(column->n_rows - column->n_missing, rows));
    }
}

/* ---- the file ------------------------------------------------------------------------------- */

static kan_status print_job(const kan_profile_walk *p, const char *path, const size_t *quasi,
                            size_t n_quasi, kan_text *text) {
    const size_t n_taken = n_quasi < KAN_MAX_ATTRIBUTES ? n_quasi : KAN_MAX_ATTRIBUTES;
    kan_text_print(text,
                   "# A start, made by kanon profile. The roles are suggestions, by names and "
                   "values alone:\n# read them, and change what you know better. The file serves "
                   "kanon anonymize, search,\n# compare, verify and risk: --job FILE.\n");
    KAN_TRY(add_input(p, path, text));
    add_output(p, text);
    kan_profile_add_reading(p, text, add_scalar);
    add_quasi(p, quasi, n_taken, text);
    add_list(p, "id", KAN_ROLE_ID, "These name people: they are left out of the release.", text);
    add_drops(p, quasi + n_taken, n_quasi - n_taken, text);
    add_list(p, "sensitive", KAN_ROLE_SENSITIVE,
             "What nobody should learn about somebody. To promise that, add `l: 2` or `t: 0.2`.",
             text);
    add_undecided(p, text);
    kan_text_print(text, "\n# Every released row shares its quasi-identifiers with four others at "
                         "least.\n");
    add_people(p, text);
    kan_text_print(text, "k: 5\nsuppress: 5%%\nalgorithm: auto\ncost: ncp\n");
    if (n_taken > MOST_SEARCHED)
        kan_text_print(text, "time-limit: %d  # many quasi-identifiers: the best of a minute\n",
                       TIME_LIMIT_SECONDS);
    return kan_text_status(text);
}

kan_status kan_profile_print_job(const kan_profile_walk *p, const char *path, kan_text *text) {
    size_t *quasi;
    KAN_TRY(check_names(p));
    KAN_TRY(kan_alloc(p->run, p->input.n_columns, sizeof *quasi, &quasi));
    kan_status status = print_job(p, path, quasi, list_quasi(p, quasi), text);
    kan_free(p->run, quasi);
    if (status == KAN_OK && text->size > MOST_BYTES)
        status = kan_fail(p->run, KAN_BAD_INPUT,
                          "--job-out: the table has too many columns for a job file; leave out "
                          "columns that the release does not need");
    return status;
}

kan_status kan_profile_write_job(const kan_profile_walk *p) {
    const char *path = kan_options_find(&p->job->options, "job-out");
    kan_status status;
    kan_text text;
    if (!path)
        return KAN_OK;
    kan_text_init(&text, p->run);
    KAN_TRY_DONE(kan_profile_print_job(p, path, &text));
    status = kan_target_put(p->run, path, kan_options_switch(&p->job->options, "force"),
                            KAN_TARGET_SHARED, text.bytes, text.size);
done:
    kan_text_destroy(&text);
    return status;
}

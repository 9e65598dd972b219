/* A job file to start from: the suggested roles, k = 5, and hierarchies that can be built.
 *
 * It must be safe to run as it is: what is undecided has no role, and is left out. What cannot be
 * said in a job file (a name that is not UTF-8, or a quasi-identifier whose name holds "=) is an
 * error, and quasi-identifiers beyond those that a job can have are dropped. No command stands
 * in it: the same file serves anonymize, search, compare, verify and risk. */
#include <stdio.h>
#include <stdlib.h>

#include "io/streams/streams.h"
#include "job/profile/profile_inside.h"

enum {
    LONG_NAME = 128,    /* bytes; YAML takes keys of 1024, escapes included */
    MOST_SEARCHED = 12, /* quasi-identifiers that are searched without a time limit */
    TIME_LIMIT_SECONDS = 60
};

/* ---- names ---------------------------------------------------------------------------------- */

bool kan_profile_is_sayable(const char *name, bool is_quasi) {
    return name[0] && kan_yaml_is_sayable(name) &&
           (!is_quasi || kan_pair_is_sayable(kan_setting_entry_find("qi"), name));
}

/* `name: `; a long one is no key to YAML unless a question mark says so. */
static void add_key(kan_text *text, const char *name) {
    const bool is_long = strlen(name) > LONG_NAME;
    kan_text_print(text, is_long ? "  ? " : "  ");
    kan_yaml_add_scalar(text, name);
    kan_text_print(text, is_long ? "\n  : " : ": ");
}

static kan_status check_names(const kan_profile_walk *p) {
    char quoted[256];
    kan_problems_begin(p->run);
    for (size_t c = 0; c < p->input.n_columns; c++) {
        const kan_role role = p->columns[c].role;
        if (role != KAN_ROLE_OTHER &&
            !kan_profile_is_sayable(p->input.columns[c], role == KAN_ROLE_QUASI))
            kan_problem_add(p->run,
                            "--job-out: column %s cannot be named in a job file (bytes that are "
                            "not UTF-8, or \"= in it); rename it in the table",
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

kan_status kan_profile_add_path(const kan_profile_walk *p, const char *path, kan_text *text,
                                bool *is_named) {
    return kan_job_add_path(p->job, "input", path, text, is_named);
}

static kan_status add_input(const kan_profile_walk *p, const char *path, kan_text *text) {
    bool is_named;
    if (!p->input.is_file) {
        kan_text_print(text, "# input: the table that the program has in memory\n");
        return KAN_OK;
    }
    const size_t before = text->size;
    kan_text_print(text, "input: ");
    KAN_TRY(kan_profile_add_path(p, path, text, &is_named));
    if (!is_named) { /* a driver: job files name none */
        text->size = before;
        kan_text_print(text, "# input: name the table on the command line, as you did for profile");
    }
    kan_text_print(text, "\n");
    return KAN_OK;
}

/* people of a database: people_release, where its address ends with the name of the table; false:
 * it is no address, or another. */
static bool add_table_output(const kan_profile_walk *p, const char *input, kan_text *text) {
    kan_address address;
    char output[1024];
    if (!kan_path_is_address(input) ||
        kan_address_parse(p->run, &p->job->arena, input, &address) != KAN_OK ||
        kan_address_check_shared(p->run, &address) != KAN_OK || !address.table)
        return false;
    const size_t size = strlen(input), n = strlen(address.table);
    if (n > size || strcmp(input + size - n, address.table) != 0 ||
        size + sizeof "_release" > sizeof output)
        return false;
    snprintf(output, sizeof output, "%s_release", input);
    kan_text_print(text, "output: ");
    kan_yaml_add_scalar(text, output);
    kan_text_print(text, "\n");
    return true;
}

/* adult.csv.gz: adult-release.csv, beside the job file. */
static void add_output(const kan_profile_walk *p, kan_text *text) {
    const char *input = p->input.is_file ? kan_options_find(&p->job->options, "input") : "table";
    if (add_table_output(p, input, text))
        return;
    const char *name = kan_path_is_address(input) ? "table" : input + directory_size(input);
    const size_t size = strcmp(name, "-") == 0 ? 0 : strcspn(name, ".");
    char output[300];
    snprintf(output, sizeof output, "%.*s-release.csv", size ? (int)(size < 200 ? size : 200) : 5,
             size ? name : "table");
    kan_text_print(text, "output: ");
    kan_yaml_add_scalar(text, kan_profile_is_sayable(output, false) ? output : "release.csv");
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
                   "\n# Others could recognise somebody by these: they are generalized.\n"
                   "# `frequency` groups rare values, `suppress` keeps a value or hides it; a "
                   "hierarchy\n# file that knows what values mean keeps more.\n");
    if (n == 0)
        kan_text_print(text,
                       "# No column looks like one. Name those that others know:\n# qi: []\n");
    else
        kan_text_print(text, "qi:\n");
    for (size_t i = 0; i < n; i++) {
        const kan_profile_column *column = &p->columns[quasi[i]];
        add_key(text, column->name);
        kan_text_print(text, "%s", column->spec);
        add_reason(column, text);
    }
}

static void add_list(const kan_profile_walk *p, const char *key, kan_role role, const char *about,
                     kan_text *text) {
    bool is_begun = false;
    size_t person;
    const bool has_person = kan_profile_counts_people(p, &person);
    for (size_t c = 0; c < p->input.n_columns; c++) {
        if (p->columns[c].role != role || (has_person && c == person) ||
            (p->has_household && c == p->household))
            continue;
        if (!is_begun)
            kan_text_print(text, "\n# %s\n%s:\n", about, key);
        is_begun = true;
        kan_text_print(text, "  - ");
        kan_yaml_add_scalar(text, p->input.columns[c]);
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
        kan_yaml_add_scalar(text, p->input.columns[beyond[i]]);
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

/* The column that identifies the person: then k counts people. */
static void add_person(const kan_profile_walk *p, kan_text *text) {
    size_t person;
    char values[32], rows[32];
    if (!kan_profile_counts_people(p, &person))
        return;
    const kan_profile_column *column = &p->columns[person];
    kan_text_print(text,
                   "\n# Identifies the person: %s different ones in %s rows, so a person may have "
                   "several. People are\n# counted by it, not rows. It is left out of the release. "
                   "Where a row is a person, put it\n# under `id` instead.\nperson: ",
                   kan_count_text(column->n_distinct, values),
                   kan_count_text(column->n_rows - column->n_missing, rows));
    kan_yaml_add_scalar(text, column->name);
    add_reason(column, text);
}

static void add_household(const kan_profile_walk *p, kan_text *text) {
    if (!p->has_household)
        return;
    kan_text_print(text,
                   "\n# Identifies the household: who is left out leaves with all rows of it. "
                   "It is left out of the release.\nhousehold: ");
    kan_yaml_add_scalar(text, p->input.columns[p->household]);
    kan_text_print(text, "\n");
}

static void add_people(const kan_profile_walk *p, kan_text *text) {
    size_t person;
    if (kan_profile_counts_people(p, &person))
        return;
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
    if (!kan_input_engine(&p->input)) /* values have types there */
        kan_profile_add_reading(p, text);
    add_quasi(p, quasi, n_taken, text);
    add_person(p, text);
    add_household(p, text);
    add_list(p, "id", KAN_ROLE_ID, "These identify people: they are left out of the release.",
             text);
    add_drops(p, quasi + n_taken, n_quasi - n_taken, text);
    add_list(p, "sensitive", KAN_ROLE_SENSITIVE,
             "What nobody should learn about somebody. To promise that, add `l: 2` or `t: 0.2`.",
             text);
    add_undecided(p, text);
    size_t person;
    kan_text_print(
        text,
        kan_profile_counts_people(p, &person)
            ? "\n# Every released row shares its quasi-identifiers with rows of at least four "
              "other people.\n"
            : "\n# Every released row shares its quasi-identifiers with at least four others.\n");
    add_people(p, text);
    kan_text_print(text, "k: 5\nsuppress: 5%%\nalgorithm: auto\ncost: ncp\n");
    if (n_taken > MOST_SEARCHED)
        kan_text_print(text,
                       "time-limit: %d  # many quasi-identifiers: the best found in a minute\n",
                       TIME_LIMIT_SECONDS);
    return kan_text_status(text);
}

kan_status kan_profile_print_job(const kan_profile_walk *p, const char *path, kan_text *text) {
    size_t *quasi;
    KAN_TRY(check_names(p));
    KAN_TRY(kan_alloc(p->run, p->input.n_columns, sizeof *quasi, &quasi));
    kan_status status = print_job(p, path, quasi, list_quasi(p, quasi), text);
    kan_free(p->run, quasi);
    if (status == KAN_OK && text->size > KAN_JOB_FILE_BYTES)
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

/* A job over the tables that have a place: how they hang together, and for each its suggested roles, as in
 * the job file of one table. What is undecided has no role, and is left out; keys and what points to them
 * have none either, and are released as pseudonyms. */
#include <stdio.h>

#include "job/profile/several.h"

enum { LONG_NAME = 128 };

/* ---- quasi-identifiers ---------------------------------------------------------------------- */

/* One of those that the job generalizes. */
typedef struct {
    size_t table, column;
    const char *spec;
} quasi;

typedef struct {
    const kan_several *s;
    kan_text *text;
    const char *path; /* of the job file */
    quasi *list;
    size_t n;
} writer;

static const kan_profile_column *column_at(const kan_several *s, size_t table, size_t column) {
    return &s->tables[table].walk.columns[column];
}

static kan_role role_of(const kan_several *s, size_t table, size_t column) {
    return kan_several_ties(s, table, column) ? KAN_ROLE_PSEUDONYM
                                              : column_at(s, table, column)->role;
}

/* A column that several tables have gets one level, and so one hierarchy: what the first proposes where the
 * rows of a table do not decide what it is, and values are of one type. */
static const char *shared_spec(const kan_several *s, size_t table, size_t column) {
    const kan_profile_column *own = column_at(s, table, column), *first = NULL;
    bool is_one = true;
    size_t n = 0, other;
    for (size_t i = 0; i < s->tree.n_placed; i++) {
        const kan_input *input = &s->tables[s->order[i]].walk.input;
        if (!kan_input_find(input, kan_slice_of(own->name), &other) ||
            role_of(s, s->order[i], other) != KAN_ROLE_QUASI)
            continue;
        const kan_profile_column *same = column_at(s, s->order[i], other);
        first = first ? first : same;
        is_one &= same->type == first->type;
        n++;
    }
    if (n < 2)
        return own->spec;
    return is_one && !kan_hierarchy_spec_follows_rows(first->spec) ? first->spec : "suppress";
}

static size_t count_columns(const kan_several *s) {
    size_t n = 0;
    for (size_t i = 0; i < s->tree.n_placed; i++)
        n += s->tables[s->order[i]].walk.input.n_columns;
    return n;
}

static bool is_listed(const writer *w, size_t table, size_t column) {
    for (size_t i = 0; i < w->n; i++)
        if (w->list[i].table == table && w->list[i].column == column)
            return true;
    return false;
}

/* Likely ones first, as many as a job can have. */
static void list_quasi(writer *w) {
    for (int certainty = KAN_LIKELY; certainty >= (int)KAN_PERHAPS; certainty--)
        for (size_t i = 0; i < w->s->tree.n_placed; i++) {
            const size_t t = w->s->order[i];
            for (size_t c = 0; c < w->s->tables[t].walk.input.n_columns; c++)
                if (role_of(w->s, t, c) == KAN_ROLE_QUASI && w->n < KAN_MAX_ATTRIBUTES &&
                    (int)column_at(w->s, t, c)->certainty == certainty)
                    w->list[w->n++] = (quasi){t, c, shared_spec(w->s, t, c)};
        }
}

/* ---- a table -------------------------------------------------------------------------------- */

static void add_reason(const kan_profile_column *column, kan_text *text) {
    kan_text_print(text, "  # %s%s\n",
                   column->certainty == KAN_LIKELY ? "" : "perhaps: ", column->reason);
}

static void add_quasi(const writer *w, size_t table) {
    bool is_begun = false;
    for (size_t i = 0; i < w->n; i++) {
        const kan_profile_column *column = column_at(w->s, table, w->list[i].column);
        if (w->list[i].table != table)
            continue;
        if (!is_begun)
            kan_text_print(w->text, "    qi:\n");
        is_begun = true;
        const bool is_long = strlen(column->name) > LONG_NAME; /* YAML asks for a question mark */
        kan_text_print(w->text, is_long ? "      ? " : "      ");
        kan_yaml_add_scalar(w->text, column->name);
        kan_text_print(w->text, "%s%s", is_long ? "\n      : " : ": ", w->list[i].spec);
        add_reason(column, w->text);
    }
}

static void add_list(const writer *w, size_t table, const char *key, kan_role role) {
    bool is_begun = false;
    for (size_t c = 0; c < w->s->tables[table].walk.input.n_columns; c++) {
        const bool is_beyond = role == KAN_ROLE_DROP && !is_listed(w, table, c) &&
                               role_of(w->s, table, c) == KAN_ROLE_QUASI;
        if (role_of(w->s, table, c) != role && !is_beyond)
            continue;
        if (!is_begun)
            kan_text_print(w->text, "    %s:\n", key);
        is_begun = true;
        kan_text_print(w->text, "      - ");
        kan_yaml_add_scalar(w->text, kan_several_column(w->s, table, c));
        if (is_beyond)
            kan_text_print(w->text,
                           "  # others may know it, and a job takes %d quasi-identifiers\n",
                           KAN_MAX_ATTRIBUTES);
        else
            add_reason(column_at(w->s, table, c), w->text);
    }
}

static void add_undecided(const writer *w, size_t table) {
    char quoted[256];
    for (size_t c = 0; c < w->s->tables[table].walk.input.n_columns; c++)
        if (role_of(w->s, table, c) == KAN_ROLE_OTHER)
            kan_text_print(w->text,
                           "    # undecided: %s  -> add it to qi, sensitive, keep, drop or id\n",
                           kan_quote(kan_slice_of(kan_several_column(w->s, table, c)), quoted));
}

/* What was found or said of how a table is written, as far as one of several can have it. */
static void add_reading(const writer *w, size_t table) {
    const kan_options *options = &w->s->tables[table].job->options;
    const char *name;
    for (size_t i = 0; (name = kan_setting_with(KAN_TRAIT_READING, "profile", i)); i++) {
        const kan_setting *setting = kan_setting_find(name);
        const size_t n = kan_options_count_of(options, name);
        if (n == 0 || !(kan_setting_traits(name, "anonymize") & KAN_TRAIT_EACH_TABLE))
            continue;
        kan_text_print(w->text, "    %s: %s", name, setting->repeats ? "[" : "");
        for (size_t v = 0; v < n; v++) {
            kan_text_print(w->text, "%s", v > 0 ? ", " : "");
            kan_yaml_add_scalar(w->text, kan_options_at(options, name, v));
        }
        kan_text_print(w->text, setting->repeats ? "]\n" : "\n");
    }
}

static void add_link(const writer *w, size_t table) {
    const kan_several *s = w->s;
    const kan_link *link = kan_several_link(s, table);
    char quoted[256];
    if (!link)
        return;
    const kan_link_key *key = &s->links.keys[link->key];
    const char *by = kan_several_column(s, table, link->column);
    kan_text_print(w->text, "    of: ");
    kan_yaml_add_scalar(w->text, s->tables[key->table].name);
    if (strcmp(by, kan_several_column(s, key->table, key->column)) == 0) {
        kan_text_print(w->text, "  # its column %s says whose row it is",
                       kan_quote(kan_slice_of(by), quoted));
    } else {
        kan_text_print(w->text, "\n    by: ");
        kan_yaml_add_scalar(w->text, by);
        kan_text_print(w->text, "  # it says whose row it is");
    }
    kan_text_print(w->text, "%s\n", link->kind == KAN_LINK_CLEAR ? "" : ": a guess, by its values");
    if (kan_link_dangling(link) > 0)
        kan_text_print(
            w->text, "    # %llu of %llu rows dangle: they have to be mended before this runs\n",
            (unsigned long long)kan_link_dangling(link), (unsigned long long)link->n_rows);
}

static void add_key(const writer *w, size_t table) {
    const kan_link_key *key = kan_several_key(w->s, table);
    if (!key)
        return;
    kan_text_print(w->text, "    key: ");
    kan_yaml_add_scalar(w->text, kan_several_column(w->s, table, key->column));
    kan_text_print(w->text, "\n");
    if (!kan_link_key_is_sound(key))
        kan_text_print(w->text,
                       "    # %llu rows have no key, %llu that of an earlier row: they have to be "
                       "mended before this runs\n",
                       (unsigned long long)key->n_missing, (unsigned long long)key->n_repeated);
}

static kan_status add_table(const writer *w, size_t table) {
    bool is_named;
    kan_text_print(w->text, "  ");
    kan_yaml_add_scalar(w->text, w->s->tables[table].name);
    kan_text_print(w->text, ":\n    input: ");
    KAN_TRY(kan_profile_add_path(&w->s->tables[table].walk, w->path, w->text, &is_named));
    KAN_ASSERT(is_named); /* no address is taken */
    kan_text_print(w->text, "\n");
    add_reading(w, table);
    add_key(w, table);
    add_link(w, table);
    add_quasi(w, table);
    add_list(w, table, "id", KAN_ROLE_ID);
    add_list(w, table, "drop", KAN_ROLE_DROP);
    add_list(w, table, "sensitive", KAN_ROLE_SENSITIVE);
    add_undecided(w, table);
    return kan_text_status(w->text);
}

/* ---- the file ------------------------------------------------------------------------------- */

static kan_status check_names(const kan_several *s) {
    char quoted[256];
    kan_problems_begin(s->run);
    for (size_t i = 0; i < s->tree.n_placed; i++)
        for (size_t c = 0; c < s->tables[s->order[i]].walk.input.n_columns; c++) {
            const kan_role role = role_of(s, s->order[i], c);
            const char *name = kan_several_column(s, s->order[i], c);
            if (role != KAN_ROLE_OTHER && !kan_profile_is_sayable(name, role == KAN_ROLE_QUASI))
                kan_problem_add(s->run,
                                "--job-out: column %s of %s cannot be named in a job file (bytes "
                                "that are not UTF-8, or \"= in it); rename it in the table",
                                kan_quote(kan_slice_of(name), quoted), s->tables[s->order[i]].name);
        }
    return kan_problems_end(s->run);
}

static kan_status print(const writer *w) {
    kan_text_print(
        w->text,
        "# A start, made by kanon profile. How the tables hang together was counted, the roles "
        "are\n"
        "# suggestions, by names and values alone: read them, and change what you know better. "
        "Keys,\n"
        "# and columns that point to them, are released as pseudonyms. The file serves kanon\n"
        "# anonymize and verify: --job FILE.\n"
        "tables:\n");
    for (size_t i = 0; i < w->s->tree.n_placed; i++)
        KAN_TRY(add_table(w, w->s->order[i]));
    for (size_t t = 0; t < w->s->n; t++)
        if (!kan_link_is_placed(&w->s->tree, t)) {
            kan_text_print(w->text, "# left out, because it hangs on nothing: ");
            kan_yaml_add_scalar(w->text, w->s->tables[t].name);
            kan_text_print(w->text, "\n");
        }
    if (w->n == 0)
        kan_text_print(w->text,
                       "# No column looks like one that others know: add those to `qi`.\n");
    kan_text_print(w->text,
                   "\n# A folder, with a file for each table.\n"
                   "output: release\n"
                   "\n# What a person shows over all tables is shown by at least four others.\n"
                   "k: 5\nsuppress: 5%%\ncost: ncp\n");
    return kan_text_status(w->text);
}

static kan_status write(const kan_several *s, const char *path, quasi *room) {
    kan_text text;
    kan_status status;
    kan_text_init(&text, s->run);
    writer w = {.s = s, .text = &text, .path = path, .list = room};
    list_quasi(&w);
    KAN_TRY_DONE(print(&w));
    if (text.size > KAN_JOB_FILE_BYTES)
        KAN_TRY_DONE(
            kan_fail(s->run, KAN_BAD_INPUT,
                     "--job-out: the tables have too many columns for a job file; leave out "
                     "columns that the release does not need"));
    KAN_TRY_DONE(kan_target_put(s->run, path, kan_options_switch(&s->job->options, "force"),
                                KAN_TARGET_SHARED, text.bytes, text.size));
done:
    kan_text_destroy(&text);
    return status;
}

kan_status kan_several_write_job(kan_several *s) {
    const char *path = kan_options_find(&s->job->options, "job-out");
    quasi *room;
    if (!path)
        return KAN_OK;
    if (s->tree.people == KAN_NO_LINK)
        return kan_fail(
            s->run, KAN_BAD_INPUT,
            "--job-out: nothing ties these tables together, so that there is no job over "
            "them; leave --job-out out to see what was looked at, or write a job for each "
            "table");
    KAN_TRY(check_names(s));
    KAN_TRY(kan_alloc(s->run, count_columns(s) + 1, sizeof *room, &room));
    const kan_status status = write(s, path, room);
    kan_free(s->run, room);
    return status;
}

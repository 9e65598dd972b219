/* From what settings say of columns to the columns of tables. */
#include "job/input/roles.h"

#include <stdio.h>

#include "job/input/mean_column.h"
#include "job/settings/settings.h"

typedef struct {
    kan_job *job;
    const char *command;
    const kan_role_table *tables;
    size_t n_tables;
    const char *flag_of[KAN_ROLES]; /* the setting of the command that gives the role */
    kan_roles *out;
} reader;

/* ---- problems ------------------------------------------------------------------------------- */

/* Means of groups are not quasi-identifiers, though they look like them. */
static void add_unknown(const kan_role_table *table, const char *flag, kan_slice name) {
    char quoted[256];
    if (table->may_have_means && kan_mean_column_is_name(name) &&
        !kan_input_nearest(table->input, name))
        kan_problem_add(
            table->input->run,
            "%s: no column %s (--%s); means of groups need not be named here, use --summary both",
            table->input->name, kan_quote(name, quoted), flag);
    else
        kan_input_add_unknown(table->input, flag, name);
}

/* A column that is kept is not counted, and one that is counted may stay exact: who wants both is told
 * how. */
static void add_two_roles(const reader *r, kan_slice name, kan_role role, kan_role before) {
    const bool wants_exact = (role == KAN_ROLE_KEEP && before == KAN_ROLE_QUASI) ||
                             (role == KAN_ROLE_QUASI && before == KAN_ROLE_KEEP);
    char quoted[256], exact[256] = "";
    kan_quote(name, quoted);
    /* as it would be typed: no sign in it was quoted, and none means something there */
    if (wants_exact && kan_setting_entry_for("level", r->command) &&
        strlen(quoted) == name.size + 2 && !strpbrk(quoted, "=, "))
        snprintf(exact, sizeof exact,
                 "; to count people by it and release it exact, leave --keep out and say --level "
                 "%.*s=0",
                 (int)name.size, name.bytes);
    kan_problem_add(r->job->run, "--%s: column %s is also named by --%s; choose one role%s",
                    r->flag_of[role], quoted, r->flag_of[before], exact);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Where the column is; the first table that has it says what it was before. */
static bool find(const reader *r, kan_role_column *column, kan_role *before) {
    bool is_found = false;
    for (size_t t = 0; t < r->n_tables; t++) {
        column->at[t] = KAN_NO_COLUMN;
        if (!kan_input_find(r->tables[t].input, column->name, &column->at[t]))
            continue;
        if (!is_found)
            *before = r->out->of[t][column->at[t]];
        is_found = true;
    }
    return is_found;
}

static void give_role(const reader *r, const kan_role_column *column, kan_role role) {
    for (size_t t = 0; t < r->n_tables; t++) {
        if (column->at[t] == KAN_NO_COLUMN)
            continue;
        r->out->of[t][column->at[t]] = role;
        if (r->tables[t].reads & KAN_ROLE_SET(role))
            r->tables[t].input->encode[column->at[t]] = true;
    }
}

static void take_name(const reader *r, kan_role_column *column, kan_role role) {
    kan_role before = KAN_ROLE_OTHER;
    char quoted[256];
    const bool is_found = find(r, column, &before);
    for (size_t t = 0; t < r->n_tables; t++)
        if (column->at[t] == KAN_NO_COLUMN && (r->tables[t].needs & KAN_ROLE_SET(role)))
            add_unknown(&r->tables[t], r->flag_of[role], column->name);
    if (!is_found)
        return;
    if (before == KAN_ROLE_PERSON && role == KAN_ROLE_PSEUDONYM)
        r->out->shows_person = true; /* who the person is, under another name */
    else if (before == KAN_ROLE_WEIGHT && role == KAN_ROLE_KEEP)
        r->out->shows_weight = true; /* it is looked at, and released */
    else if (before == role)
        kan_problem_add(r->job->run, "--%s: column %s is named twice", r->flag_of[role],
                        kan_quote(column->name, quoted));
    else if (before != KAN_ROLE_OTHER)
        add_two_roles(r, column->name, role, before);
    else
        give_role(r, column, role);
}

/* A name with * or ? in it, unless a column is called just that. */
static bool is_pattern(const reader *r, const kan_role_setting *setting, kan_slice name) {
    size_t unused;
    bool is_name = !setting->takes_patterns ||
                   !(memchr(name.bytes, '*', name.size) || memchr(name.bytes, '?', name.size));
    for (size_t t = 0; t < r->n_tables && !is_name; t++)
        is_name = kan_input_find(r->tables[t].input, name, &unused);
    return !is_name;
}

static kan_status take_names(const reader *r, const kan_role_setting *setting) {
    const kan_options *options = &r->job->options;
    const size_t n = kan_said_count(options, setting);
    kan_role_list *list = &r->out->named[setting->role];
    KAN_TRY(kan_arena_alloc(&r->job->arena, n, sizeof *list->columns, &list->columns));
    for (size_t i = 0; i < n; i++) {
        const kan_said_column said = kan_said_at(options, setting, i);
        if (is_pattern(r, setting, said.name))
            continue;
        kan_role_column *column = &list->columns[list->n++];
        *column = (kan_role_column){.name = said.name, .hierarchy = said.hierarchy};
        take_name(r, column, setting->role);
    }
    return KAN_OK;
}

/* ---- patterns ------------------------------------------------------------------------------- */

/* The column of an earlier table with the name of one of this table: it was told there. */
static bool is_in_earlier(const reader *r, size_t table, size_t column) {
    const kan_slice name = kan_slice_of(r->tables[table].input->columns[column]);
    size_t unused;
    for (size_t t = 0; t < table; t++)
        if (kan_input_find(r->tables[t].input, name, &unused))
            return true;
    return false;
}

static bool match(const reader *r, size_t table, const char *pattern, kan_role role) {
    const kan_input *input = r->tables[table].input;
    kan_role *of = r->out->of[table];
    bool *by_pattern = r->out->by_pattern[table], is_found = false;
    char quoted[256];
    for (size_t i = 0; i < input->n_columns; i++) {
        if (!kan_name_is_like(input->columns[i], pattern))
            continue;
        is_found = true;
        if (of[i] != KAN_ROLE_OTHER && of[i] != role && by_pattern[i] &&
            !is_in_earlier(r, table, i))
            kan_problem_add(
                r->job->run,
                "column %s matches patterns of --%s and of --%s; name it with one of them",
                kan_quote(kan_slice_of(input->columns[i]), quoted), r->flag_of[of[i]],
                r->flag_of[role]);
        if (of[i] != KAN_ROLE_OTHER)
            continue;
        of[i] = role;
        by_pattern[i] = true;
        if (r->tables[table].reads & KAN_ROLE_SET(role))
            r->tables[table].input->encode[i] = true;
    }
    return is_found;
}

static void take_patterns(const reader *r, const kan_role_setting *setting) {
    const kan_options *options = &r->job->options;
    char quoted[256];
    for (size_t i = 0; i < kan_said_count(options, setting); i++) {
        const kan_said_column said = kan_said_at(options, setting, i);
        if (!is_pattern(r, setting, said.name))
            continue;
        for (size_t t = 0; t < r->n_tables; t++)
            if (!match(r, t, said.name.bytes, setting->role) &&
                (r->tables[t].needs & KAN_ROLE_SET(setting->role)))
                kan_problem_add(r->job->run, "%s: no column matches %s (--%s)",
                                r->tables[t].input->name, kan_quote(said.name, quoted),
                                setting->name);
    }
}

/* ---- all ------------------------------------------------------------------------------------ */

static kan_status make_room(const reader *r) {
    for (size_t t = 0; t < r->n_tables; t++) {
        const size_t n = r->tables[t].input->n_columns;
        KAN_TRY(kan_arena_alloc(&r->job->arena, n, sizeof **r->out->of, &r->out->of[t]));
        KAN_TRY(kan_arena_alloc(&r->job->arena, n, sizeof **r->out->by_pattern,
                                &r->out->by_pattern[t]));
    }
    return KAN_OK;
}

kan_status kan_roles_read(kan_job *job, const char *command, const kan_role_table *tables,
                          size_t n_tables, kan_roles *out) {
    reader r = {.job = job, .command = command, .tables = tables, .n_tables = n_tables, .out = out};
    const kan_role_setting *setting;
    KAN_ASSERT(n_tables <= KAN_ROLE_TABLES);
    *out = (kan_roles){.shows_person = false};
    KAN_TRY(make_room(&r));
    for (size_t i = 0; (setting = kan_role_setting_at(i)) != NULL; i++)
        if (kan_setting_entry_for(setting->name, command)) {
            r.flag_of[setting->role] = setting->name;
            KAN_TRY(take_names(&r, setting));
        }
    for (size_t i = 0; (setting = kan_role_setting_at(i)) != NULL; i++)
        if (setting->takes_patterns && kan_setting_entry_for(setting->name, command))
            take_patterns(&r, setting);
    return KAN_OK;
}

const kan_role_column *kan_roles_only(const kan_roles *roles, kan_role role) {
    return roles->named[role].n > 0 ? &roles->named[role].columns[0] : NULL;
}

/* What the form of the columns says becomes settings: all of it, or nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"

/* ---- the form ------------------------------------------------------------------------------- */

enum { MOST_QUASI = 64 }; /* of a job */

/* What was chosen for a column; borrowed from the draft. */
typedef struct {
    const char *role, *text, *round, *low, *high;
} choice;

typedef struct {
    sv_request *request;
    const json_t *columns;
    size_t n;
    choice *choices;
    size_t person, class, weight, household; /* numbers of columns, from 1; 0: none */
    sv_draft draft;
    json_t *kept; /* texts of settings */
} change;

static bool is_said(const char *text) {
    return text && *text;
}

/* The column that a field names by its number; 0: none. */
static size_t numbered(const change *c, const char *field) {
    const char *value = sv_draft_whole(&c->draft, field);
    const unsigned long number = value ? strtoul(value, NULL, 10) : 0;
    return number <= c->n ? number : 0;
}

/* Settings change while they are applied: what is kept of them is copied. */
static const char *keep(change *c, const char *text) {
    char *copy = text ? strdup(text) : NULL;
    if (copy)
        json_array_append_new(c->kept, json_string(copy));
    free(copy);
    return copy ? json_string_value(json_array_get(c->kept, json_array_size(c->kept) - 1)) : NULL;
}

/* A column that the form does not show stays as the settings have it. */
static void read_setting(change *c, const sv_parts *parts, const json_t *profile, size_t at) {
    const json_t *column = json_array_get(c->columns, at);
    const char *name = sv_json_text(column, "name"), *role = sv_parts_role(parts, name),
               *cap = sv_parts_value(parts, "cap", name), *dots = cap ? strstr(cap, "..") : NULL;
    choice *here = &c->choices[at];
    if (role && strcmp(role, "sampling-weight") == 0 && sv_parts_value(parts, "keep", name))
        role = "keep";
    here->role = role && sv_role_is_choice(role) ? keep(c, role) : NULL;
    here->text = sv_is_called_text(profile, column) ? "yes" : NULL;
    here->round = keep(c, sv_parts_value(parts, "round", name));
    if (dots) {
        sv_text low = {0};
        sv_bytes(&low, cap, (size_t)(dots - cap));
        here->low = keep(c, low.bytes ? low.bytes : "");
        here->high = keep(c, dots + 2);
        sv_text_free(&low);
    }
}

static void read_choices(change *c, const json_t *profile) {
    sv_parts parts = {0};
    const bool is_read = c->draft.is_partial && sv_parts_read(c->request->project, &parts);
    for (size_t i = 0; i < c->n; i++) {
        const char *role = sv_draft_of(&c->draft, "role", i + 1);
        if (!role && is_read) {
            read_setting(c, &parts, profile, i);
            continue;
        }
        c->choices[i] = (choice){.role = role,
                                 .text = sv_draft_of(&c->draft, "text", i + 1),
                                 .round = sv_draft_of(&c->draft, "round", i + 1),
                                 .low = sv_draft_of(&c->draft, "low", i + 1),
                                 .high = sv_draft_of(&c->draft, "high", i + 1)};
    }
    if (is_read)
        sv_parts_free(&parts);
    c->person = numbered(c, "person");
    c->class = numbered(c, "class");
    c->weight = numbered(c, "sampling-weight");
    c->household = numbered(c, "household");
}

/* What was decided of a column that the form does not show is no matter of suggestions. */
static bool is_left(const change *c, size_t at) {
    char field[32];
    snprintf(field, sizeof field, "role-%zu", at + 1);
    const bool is_special =
        at + 1 == c->person || at + 1 == c->class || at + 1 == c->weight || at + 1 == c->household;
    return c->draft.is_partial && !sv_field_of(c->request, field) &&
           (is_special || is_said(c->choices[at].role));
}

/* Those beyond the most that a job takes are left undecided, and so left out. */
static void take_suggestions(change *c) {
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += is_left(c, i) && is_said(c->choices[i].role) && strcmp(c->choices[i].role, "qi") == 0;
    for (size_t i = 0; i < c->n; i++) {
        if (is_left(c, i))
            continue;
        const char *role = sv_suggested_role(json_array_get(c->columns, i));
        c->choices[i].role = strcmp(role, "qi") == 0 && n++ >= MOST_QUASI ? "" : role;
        const json_t *column = json_array_get(c->columns, i);
        if (!sv_draft_of(&c->draft, "role", i + 1) &&
            json_is_true(json_object_get(column, "called_text")))
            c->choices[i].text = "yes";
        if (c->person == 0 &&
            strcmp(sv_json_text(json_object_get(column, "role"), "person"), "suggested") == 0)
            c->person = i + 1;
    }
}

static const char *name_of(const change *c, size_t at) {
    return sv_json_text(json_array_get(c->columns, at), "name");
}

/* Says what is wrong with the choices; true: nothing. */
static bool check(const change *c, sv_text *wrong) {
    size_t n_quasi = 0;
    for (size_t i = 0; i < c->n; i++) {
        const choice *here = &c->choices[i];
        const bool is_treated = is_said(here->round) || is_said(here->low) || is_said(here->high);
        const bool is_special =
            i + 1 == c->person || i + 1 == c->class || i + 1 == c->weight || i + 1 == c->household;
        n_quasi += !is_special && here->role && strcmp(here->role, "qi") == 0;
        if (here->role && !sv_role_is_choice(here->role)) {
            sv_print(wrong, "Column %s: there is no role of that name. Nothing was changed.",
                     name_of(c, i));
            return false;
        }
        if (is_treated && is_said(here->text)) {
            sv_print(wrong,
                     "Column %s: codes cannot be rounded or capped; either call it text, or round "
                     "or cap its numbers. Nothing was changed.",
                     name_of(c, i));
            return false;
        }
        if (is_treated && i + 1 != c->class &&
            (is_special || !here->role ||
             (strcmp(here->role, "keep") != 0 && strcmp(here->role, "sensitive") != 0))) {
            sv_print(
                wrong,
                "Column %s: rounding and capping are for columns that are kept or sensitive. A "
                "quasi-identifier is made coarser by its hierarchy. Nothing was changed.",
                name_of(c, i));
            return false;
        }
    }
    if (n_quasi > MOST_QUASI) {
        sv_print(wrong,
                 "%zu columns are quasi-identifiers, and the maximum is %d. Leave some out. "
                 "Nothing was changed.",
                 n_quasi, MOST_QUASI);
        return false;
    }
    if ((c->person && (c->person == c->class || c->person == c->weight)) ||
        (c->class && c->class == c->weight) ||
        (c->household &&
         (c->household == c->person || c->household == c->class || c->household == c->weight))) {
        sv_print(wrong,
                 "One column can only be one of these: what identifies the person, the class, "
                 "the sampling weight, what identifies the household. Nothing was changed.");
        return false;
    }
    if (c->person && c->household) {
        sv_print(wrong,
                 "With a household each row is somebody else, with a person somebody may have "
                 "several: choose one of the two. Nothing was changed.");
        return false;
    }
    return true;
}

/* ---- settings ------------------------------------------------------------------------------- */

/* The hierarchy that a quasi-identifier had, or has a file for, or that suits its values. */
static bool hierarchy_of(const change *c, size_t at, char *had, sv_text *out) {
    const json_t *column = json_array_get(c->columns, at);
    const char *suggested = sv_json_text(json_object_get(column, "role"), "hierarchy");
    if (had && *had)
        sv_raw(out, sv_spec_relative(c->request->project, had));
    else if (!sv_hierarchy_kept(c->request->project, at + 1, name_of(c, at), out))
        sv_raw(out, *suggested ? suggested : "");
    return !out->failed;
}

static bool set_quasi(const change *c, size_t at, char *had) {
    sv_text spec = {0};
    const bool is_good = hierarchy_of(c, at, had, &spec) &&
                         kan_job_set_column(c->request->project->job, "qi", name_of(c, at),
                                            spec.size > 0 ? spec.bytes : NULL) == KAN_OK;
    sv_text_free(&spec);
    return is_good;
}

static bool set_treatment(const change *c, size_t at) {
    const choice *here = &c->choices[at];
    kan_job *job = c->request->project->job;
    sv_text cap = {0};
    bool is_good = true;
    if (is_said(here->round))
        is_good = kan_job_set_column(job, "round", name_of(c, at), here->round) == KAN_OK;
    if (is_good && (is_said(here->low) || is_said(here->high))) {
        sv_print(&cap, "%s..%s", here->low ? here->low : "", here->high ? here->high : "");
        is_good =
            !cap.failed && kan_job_set_column(job, "cap", name_of(c, at), cap.bytes) == KAN_OK;
    }
    sv_text_free(&cap);
    return is_good;
}

static bool set_column(const change *c, size_t at, char *had) {
    const char *role = c->choices[at].role;
    kan_job *job = c->request->project->job;
    if (is_said(c->choices[at].text) &&
        kan_job_set_column(job, "text", name_of(c, at), NULL) != KAN_OK)
        return false;
    if (at + 1 == c->person)
        return kan_job_set_column(job, "person", name_of(c, at), NULL) == KAN_OK;
    if (at + 1 == c->class)
        return kan_job_set_column(job, "class", name_of(c, at), NULL) == KAN_OK &&
               set_treatment(c, at);
    if (at + 1 == c->weight) /* it may be kept, too */
        return kan_job_set_column(job, "sampling-weight", name_of(c, at), NULL) == KAN_OK &&
               (!role || strcmp(role, "keep") != 0 ||
                kan_job_set_column(job, "keep", name_of(c, at), NULL) == KAN_OK);
    if (at + 1 == c->household)
        return kan_job_set_column(job, "household", name_of(c, at), NULL) == KAN_OK;
    if (!is_said(role))
        return true;
    if (strcmp(role, "qi") == 0)
        return set_quasi(c, at, had);
    return kan_job_set_column(job, role, name_of(c, at), NULL) == KAN_OK && set_treatment(c, at);
}

static bool forget(sv_project *project) {
    const kan_setting *role;
    for (size_t i = 0; (role = sv_role_at(i)) != NULL; i++)
        if (!sv_set(project, role->name, NULL))
            return false;
    return sv_set(project, "class", NULL) && sv_set(project, "person", NULL) &&
           sv_set(project, "sampling-weight", NULL) && sv_set(project, "household", NULL) &&
           sv_set(project, "round", NULL) && sv_set(project, "cap", NULL) &&
           sv_set(project, "text", NULL);
}

static char *copy_of(const char *text) {
    return text ? strdup(text) : NULL;
}

static bool apply_roles(change *c) {
    sv_project *project = c->request->project;
    char **had = calloc(c->n ? c->n : 1, sizeof *had);
    sv_parts parts;
    bool is_good = sv_parts_read(project, &parts) && had;
    for (size_t i = 0; is_good && i < c->n; i++)
        had[i] = copy_of(sv_parts_value(&parts, "qi", name_of(c, i)));
    sv_parts_free(&parts);
    is_good = is_good && forget(project);
    for (size_t i = 0; is_good && i < c->n; i++)
        is_good = set_column(c, i, had[i]);
    for (size_t i = 0; had && i < c->n; i++)
        free(had[i]);
    free(had);
    return is_good;
}

static bool drop_choice(sv_project *project, const char *name, const char *value) {
    const char *chosen = sv_setting(project, name, 0);
    return !chosen || (value && strcmp(chosen, value) != 0) || sv_set_all(project, name, NULL, 0);
}

/* What was chosen for households means nothing where there are none, and so for people. */
static bool drop_choices(sv_project *project) {
    if (sv_setting(project, "household", 0))
        return drop_choice(project, "suppress-by", "person") &&
               drop_choice(project, "count", "people") &&
               drop_choice(project, "person-promise", NULL);
    return drop_choice(project, "suppress-by", "household") &&
           drop_choice(project, "household-promise", NULL);
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* Nothing is saved, and nothing of the form is lost. */
static void show_wrong(sv_request *request, sv_reply *reply, const char *wrong) {
    sv_columns_show(request, reply, wrong);
    reply->status = 400;
}

/* Whether some column is text from now on, or no longer. */
static bool changes_text(const change *c, const json_t *profile) {
    for (size_t i = 0; i < c->n; i++) {
        const json_t *column = json_array_get(c->columns, i);
        if (is_said(c->choices[i].text) != sv_is_called_text(profile, column))
            return true;
    }
    return false;
}

/* The page of columns that a form of a wide table shows. */
static void page_of(const sv_request *request, const char *field, sv_text *out) {
    const char *find = sv_field_of(request, "find"), *page = sv_field_of(request, field);
    sv_raw(out, "columns");
    if (!page)
        return;
    sv_print(out, "?page=%lu", strtoul(page, NULL, 10));
    if (find && *find) {
        sv_raw(out, "&find=");
        sv_url(out, find);
    }
}

static void save(change *c, const json_t *profile, sv_reply *reply) {
    sv_project *project = c->request->project;
    sv_text page = {0};
    bool is_changed = false;
    const bool is_text_changed = changes_text(c, profile);
    if (apply_roles(c) && drop_choices(project) &&
        sv_take_conventions(project, profile, &is_changed) && sv_project_save(project)) {
        sv_draft_drop(project);
        page_of(c->request, "page", &page);
        sv_go_said(reply, project, page.bytes ? page.bytes : "columns",
                   is_changed || is_text_changed
                       ? "Saved, together with how the table is written: it is read once more."
                       : "Saved.");
    } else {
        show_wrong(c->request, reply, kan_run_error(project->run));
    }
    sv_text_free(&page);
}

/* Another page, or other columns: what was chosen so far is kept for them. */
static void turn(const change *c, sv_reply *reply) {
    sv_text to = {0};
    if (!sv_draft_keep(c->request, &c->draft)) {
        show_wrong(c->request, reply, "What was chosen could not be kept: is the disk full?");
        return;
    }
    page_of(c->request, "turn", &to);
    sv_go(reply, c->request->project, to.bytes ? to.bytes : "columns");
    sv_text_free(&to);
}

static void answer(change *c, const json_t *profile, sv_reply *reply) {
    const char *action = sv_field_of(c->request, "action");
    sv_text wrong = {0};
    read_choices(c, profile);
    if (action && strcmp(action, "suggest") == 0)
        take_suggestions(c);
    if (!action && sv_field_of(c->request, "turn"))
        turn(c, reply);
    else if (action && strcmp(action, "look") == 0)
        sv_columns_show(c->request, reply, NULL);
    else if (check(c, &wrong))
        save(c, profile, reply);
    else
        show_wrong(c->request, reply, wrong.bytes ? wrong.bytes : "");
    sv_text_free(&wrong);
}

void sv_columns_change(sv_request *request, sv_reply *reply) {
    const char *stamp = sv_field_of(request, "stamp");
    sv_found profile;
    sv_found_profile(request, &profile);
    const json_t *columns = sv_found_columns(&profile);
    change c = {.request = request, .columns = columns, .n = json_array_size(columns)};
    if (!columns || !stamp || strtoull(stamp, NULL, 10) != sv_columns_stamp(columns)) {
        sv_go_wrong(reply, request->project, "columns",
                    "The table has been read again in the meantime; look at its columns again. "
                    "Nothing was changed.");
    } else if ((c.choices = calloc(c.n ? c.n : 1, sizeof *c.choices))) {
        c.kept = json_array();
        sv_draft_open(request, columns, &c.draft);
        answer(&c, profile.json, reply);
        sv_draft_close(&c.draft);
        json_decref(c.kept);
    } else {
        sv_refuse(request, reply, 500, "Out of memory.");
    }
    free(c.choices);
    sv_found_close(&profile);
}

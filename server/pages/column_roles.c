#include "column_roles.h"

#include <stdlib.h>
#include <string.h>

#include "values.h"

static bool is_role(const kan_setting *setting) {
    const char *role;
    for (size_t i = 0; (role = kan_setting_role_at("anonymize", i)) != NULL; i++)
        if (setting == kan_setting_find(role))
            return true;
    return false;
}

const kan_setting *sv_role_at(size_t index) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (setting->label && is_role(setting) && index-- == 0)
            return setting;
    }
    return NULL;
}

bool sv_role_is_choice(const char *role) {
    const kan_setting *setting = *role ? kan_setting_find(role) : NULL;
    return !*role || (setting && setting->label && is_role(setting));
}

bool sv_is_called_text(const json_t *profile, const json_t *column) {
    const json_t *ways = json_object_get(json_object_get(profile, "conventions"), "columns"), *way;
    size_t i;
    if (!json_is_true(json_object_get(column, "called_text")))
        return false;
    json_array_foreach(ways, i, way) {
        if (json_is_true(json_object_get(way, "codes")) &&
            strcmp(sv_json_text(way, "name"), sv_json_text(column, "name")) == 0)
            return false;
    }
    return true;
}

const char *sv_suggested_role(const json_t *column) {
    const char *role = sv_json_text(json_object_get(column, "role"), "suggestion");
    return strcmp(role, "quasi-identifier") == 0 ? "qi"
           : strcmp(role, "undecided") == 0      ? ""
           : sv_role_is_choice(role)             ? role
                                                 : "";
}

bool sv_has_roles(const sv_project *project) {
    const kan_setting *role;
    for (size_t i = 0; (role = sv_role_at(i)) != NULL; i++)
        if (sv_setting(project, role->name, 0))
            return true;
    return false;
}

static bool is_in_quotes(const char *value) {
    const size_t n = strlen(value);
    return n > 2 && value[0] == '"' && value[n - 1] == '"';
}

bool sv_split_pair(const char *value, char **name, const char **rest) {
    const char *end = value[0] == '"' ? strstr(value + 1, "\"=") : strchr(value, '=');
    const bool is_quoted = value[0] == '"' && end;
    if (!end && is_in_quotes(value)) /* a sign in there is part of the name */
        return false;
    if (!end)
        end = strchr(value, '=');
    if (!end)
        return false;
    *name = strndup(value + is_quoted, (size_t)(end - value) - is_quoted);
    *rest = end + 1 + is_quoted;
    return *name != NULL;
}

bool sv_split_quasi(const char *value, char **name, const char **rest) {
    if (sv_split_pair(value, name, rest))
        return true;
    *name = is_in_quotes(value) ? strndup(value + 1, strlen(value) - 2) : strdup(value);
    *rest = "";
    return *name != NULL;
}

/* ---- what settings say of columns ------------------------------------------------------------ */

/* The values of a setting become parts. `is_pair`: something may stand behind the name. */
static bool add_part(sv_parts *parts, size_t *room, const sv_part *of, bool is_pair,
                     const char *value) {
    sv_part part = *of;
    part.rest = "";
    if (parts->n == *room) {
        const size_t more = *room ? 2 * *room : 64;
        sv_part *list = realloc(parts->list, more * sizeof *list);
        if (!list)
            return false;
        parts->list = list;
        *room = more;
    }
    /* where something may stand behind a name, one with signs of its own stands in double quotes */
    if (!is_pair)
        part.name = strdup(value);
    else if (!sv_split_quasi(value, &part.name, &part.rest))
        part.name = NULL;
    if (!part.name)
        return false;
    parts->list[parts->n++] = part;
    return true;
}

static int by_name(const void *a, const void *b) {
    const sv_part *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static bool add_parts(const sv_project *project, sv_parts *parts, size_t *room, const char *setting,
                      bool is_role) {
    const sv_part of = {.order = parts->n, .setting = setting, .is_role = is_role};
    const bool is_pair = !is_role || strcmp(setting, "qi") == 0;
    const char *value;
    for (size_t i = 0; (value = sv_setting(project, setting, i)); i++)
        if (!add_part(parts, room, &of, is_pair, value))
            return false;
    return true;
}

bool sv_parts_read(const sv_project *project, sv_parts *out) {
    const char *role;
    size_t room = 0;
    bool is_good = true;
    *out = (sv_parts){0};
    for (size_t i = 0; is_good && (role = kan_setting_role_at("anonymize", i)) != NULL; i++)
        is_good = add_parts(project, out, &room, role, true);
    is_good = is_good && add_parts(project, out, &room, "round", false) &&
              add_parts(project, out, &room, "cap", false);
    if (!is_good) {
        sv_parts_free(out);
        return false;
    }
    if (out->n > 1)
        qsort(out->list, out->n, sizeof *out->list, by_name);
    return true;
}

void sv_parts_free(sv_parts *parts) {
    for (size_t i = 0; i < parts->n; i++)
        free(parts->list[i].name);
    free(parts->list);
    *parts = (sv_parts){0};
}

/* The first of that name; the others follow it. NULL: there is none. */
static const sv_part *first_of(const sv_parts *parts, const char *column) {
    size_t low = 0, high = parts->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(parts->list[middle].name, column) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < parts->n && strcmp(parts->list[low].name, column) == 0 ? &parts->list[low] : NULL;
}

const char *sv_parts_role(const sv_parts *parts, const char *column) {
    const sv_part *part = first_of(parts, column);
    return part && part->is_role ? part->setting : NULL;
}

const char *sv_parts_value(const sv_parts *parts, const char *setting, const char *column) {
    const sv_part *part = first_of(parts, column), *end = parts->list + parts->n;
    for (; part && part < end && strcmp(part->name, column) == 0; part++)
        if (strcmp(part->setting, setting) == 0)
            return part->rest;
    return NULL;
}

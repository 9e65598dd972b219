/* Takes the fields of the form over into the settings. A field that is not there leaves its setting
 * as it is, so that a button can add one model and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "promise.h"
#include "server/solutions/solutions.h"

enum { MOST_VALUES = 200 };

typedef struct {
    sv_request *request;
    sv_project *project;
    sv_text *wrong;
} taker;

static bool refuse(taker *t, const char *why) {
    if (t->wrong->size == 0)
        sv_print(t->wrong, "%s", why);
    return false;
}

static bool take(taker *t, bool is_taken) {
    return is_taken || refuse(t, kan_run_error(t->project->run));
}

static bool is_blank(const char *text) {
    return text[strspn(text, " \t\r\n")] == '\0';
}

static const char *numbered(taker *t, const char *name, size_t number) {
    char wanted[128];
    snprintf(wanted, sizeof wanted, "%s.%zu", name, number);
    return sv_field_of(t->request, wanted);
}

static bool take_switch(taker *t, const char *name, const char *field_name) {
    const char *value;
    for (size_t i = 0; (value = sv_field_at(t->request, field_name, i)); i++)
        if (strcmp(value, "true") == 0)
            return take(t, sv_set(t->project, name, "true"));
    return take(t, sv_set_all(t->project, name, NULL, 0));
}

/* One value a line. */
static bool take_lines(taker *t, const char *name, const char *text) {
    const char *values[MOST_VALUES];
    size_t n = 0;
    char *copy = strdup(text), *rest = copy;
    for (char *line; rest && (line = strsep(&rest, "\n")) && n < MOST_VALUES;) {
        line[strcspn(line, "\r")] = '\0';
        if (!is_blank(line))
            values[n++] = line;
    }
    const bool is_good = copy && take(t, sv_set_all(t->project, name, values, n));
    free(copy);
    return is_good;
}

static bool is_sensitive(taker *t, const char *column) {
    const char *one;
    for (size_t i = 0; (one = sv_setting(t->project, "sensitive", i)); i++)
        if (strcmp(one, column) == 0)
            return true;
    return false;
}

/* A number for all columns, and numbers for some. */
static bool take_columns(taker *t, const char *name, const char *for_all) {
    const char *column, *value;
    if (!take(t, is_blank(for_all) ? sv_set_all(t->project, name, NULL, 0)
                                   : sv_set(t->project, name, for_all)))
        return false;
    for (size_t i = 0; (column = numbered(t, "sensitive", i)) && i < MOST_VALUES; i++) {
        char option[96];
        snprintf(option, sizeof option, "o.%s", name);
        value = numbered(t, option, i);
        if (!value || is_blank(value))
            continue;
        if (!is_sensitive(t, column))
            return refuse(t, "A column in the form is no longer marked as sensitive. Look at the "
                             "columns, then fill in the form again.");
        if (!take(t, kan_job_set_column(t->project->job, name, column, value) == KAN_OK))
            return false;
    }
    return true;
}

static bool take_option(taker *t, const json_t *option) {
    const char *name = sv_json_text(option, "name"), *type = sv_json_text(option, "type");
    char wanted[96];
    snprintf(wanted, sizeof wanted, "o.%s", name);
    const char *value = sv_field_of(t->request, wanted);
    if (!value || !sv_option_is_asked(option))
        return true;
    if (strcmp(type, "switch") == 0)
        return take_switch(t, name, wanted);
    if (json_is_true(json_object_get(option, "repeats")))
        return take_lines(t, name, value);
    if (sv_json_is(option, "per_column"))
        return take_columns(t, name, value);
    return take(t, is_blank(value) ? sv_set_all(t->project, name, NULL, 0)
                                   : sv_set(t->project, name, value));
}

static bool take_models(taker *t, const json_t *registry) {
    const json_t *models = json_object_get(registry, "privacy"), *model, *option;
    size_t i, j;
    json_array_foreach(models, i, model) {
        json_array_foreach(json_object_get(model, "options"), j, option) {
            if (!take_option(t, option))
                return false;
        }
    }
    return true;
}

static bool take_limit(taker *t) {
    const char *number = sv_field_of(t->request, "limit"),
               *kind = sv_field_of(t->request, "limit-kind");
    char limit[48];
    if (!number || !kind)
        return true;
    if (strcmp(kind, "all") == 0)
        return take(t, sv_set(t->project, "suppress", "all"));
    if (is_blank(number))
        return take(t, sv_set_all(t->project, "suppress", NULL, 0));
    if (strlen(number) > 32)
        return refuse(t, "The limit of what may be left out is not a number.");
    snprintf(limit, sizeof limit, "%s%s", number, strcmp(kind, "rows") == 0 ? "" : "%");
    return take(t, sv_set(t->project, "suppress", strcmp(limit, "0%") == 0 ? "0" : limit));
}

static bool take_plain(taker *t, const char *name) {
    const char *value = sv_field_of(t->request, name);
    if (!value)
        return true;
    return take(t, is_blank(value) ? sv_set_all(t->project, name, NULL, 0)
                                   : sv_set(t->project, name, value));
}

static bool take_matches(taker *t) {
    return !sv_field_of(t->request, "o." SV_MATCHES) || take_switch(t, SV_MATCHES, "o." SV_MATCHES);
}

/* A release is made with its report, and that shows matches by all columns. */
static bool take_subsets(taker *t) {
    if (!take_plain(t, "subsets"))
        return false;
    return !sv_has_matches(t->project) || !sv_setting(t->project, "subsets", 0) ||
           refuse(t, "Hidden cells that match anything and sets of quasi-identifiers are promised "
                     "together on the command line alone, because there is no report of both: "
                     "take one of the two back.");
}

static bool take_people(taker *t) {
    const kan_setting *setting;
    for (size_t i = 0; (setting = sv_people_setting_at(i)) != NULL; i++)
        if (!take_plain(t, setting->name))
            return false;
    return true;
}

/* A file of the project's folder, and of no other. */
static bool take_population(taker *t) {
    const char *value = sv_field_of(t->request, "population");
    sv_text path = {0};
    if (!value || is_blank(value))
        return take_plain(t, "population");
    const bool is_inside = sv_project_path(t->project, value, &path);
    sv_text_free(&path);
    return is_inside ? take_plain(t, "population")
                     : refuse(t, "The table of the population must be a file in the project’s "
                                 "folder.");
}

static bool is_quasi(taker *t, const char *column) {
    sv_text name = {0};
    bool is_it = false;
    for (size_t i = 0; !is_it && sv_quasi_name(t->project, i, &name); i++) {
        is_it = !name.failed && strcmp(name.bytes, column) == 0;
        sv_text_free(&name);
    }
    sv_text_free(&name);
    return is_it;
}

static bool take_weights(taker *t) {
    const char *column, *value;
    if (!sv_field_of(t->request, "weight.0"))
        return true;
    if (!take(t, sv_set_all(t->project, "weight", NULL, 0)))
        return false;
    for (size_t i = 0; (column = numbered(t, "quasi", i)) && i < MOST_VALUES; i++) {
        value = numbered(t, "weight", i);
        if (!value || is_blank(value) || !is_quasi(t, column))
            continue;
        if (!take(t, kan_job_set_column(t->project->job, "weight", column, value) == KAN_OK))
            return false;
    }
    return true;
}

bool sv_promise_take(sv_request *request, sv_text *wrong) {
    taker t = {request, request->project, wrong};
    json_t *registry = sv_registry(request->project);
    const bool is_good = registry && take_models(&t, registry) && take_limit(&t) &&
                         take_plain(&t, "cost") && take_plain(&t, "for") &&
                         take_plain(&t, "recoding") && take_matches(&t) && take_subsets(&t) &&
                         take_people(&t) && take_population(&t) && take_weights(&t);
    json_decref(registry);
    return is_good || refuse(&t, "Out of memory.");
}

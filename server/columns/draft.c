/* What a form of columns said, on this page and on those before: a JSON file of the project, which another
 * table, a save or a suggestion ends. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

#define FILE_OF_DRAFT "work/columns.json"

enum { MOST_VALUE = 400 };

/* The number of the column that a field is about, 12 of "role-12"; 0: it is about the whole table. */
static size_t number_of(const char *name, size_t n_columns) {
    const char *dash = strrchr(name, '-');
    const size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
    if (digits == 0 || digits > 8 || dash[1 + digits])
        return 0;
    const size_t number = strtoul(dash + 1, NULL, 10);
    return number <= n_columns ? number : 0;
}

/* What turns pages and sends the form is no answer. */
static bool is_answer(const char *name) {
    static const char *const others[] = {"action", "turn", "page", "find", "partial", "stamp"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], name) == 0)
            return false;
    return true;
}

/* A box without a tick is not sent: what was said before of the columns of this form is forgotten. */
static void forget_shown(const sv_request *request, size_t n_columns, json_t *fields) {
    bool *is_shown = calloc(n_columns + 1, sizeof *is_shown);
    const char *name;
    json_t *value;
    void *next;
    for (size_t i = 0; is_shown && i < request->n_fields; i++)
        if (strncmp(request->fields[i].name, "role-", 5) == 0)
            is_shown[number_of(request->fields[i].name, n_columns)] = true;
    json_object_foreach_safe(fields, next, name, value) {
        const size_t number = number_of(name, n_columns);
        if (number > 0 && is_shown && is_shown[number])
            json_object_del(fields, name);
    }
    free(is_shown);
}

static void take_form(const sv_request *request, size_t n_columns, json_t *fields) {
    forget_shown(request, n_columns, fields);
    for (size_t i = 0; i < request->n_fields; i++) {
        const sv_field *field = &request->fields[i];
        if (is_answer(field->name) && strlen(field->value) <= MOST_VALUE)
            json_object_set_new(fields, field->name, json_string(field->value));
    }
}

void sv_draft_open(const sv_request *request, const json_t *columns, sv_draft *out) {
    json_t *kept = sv_project_json(request->project, FILE_OF_DRAFT);
    *out = (sv_draft){.stamp = sv_columns_stamp(columns),
                      .is_partial = request->is_post && sv_field_of(request, "partial")};
    const bool is_of_now = json_is_object(json_object_get(kept, "fields")) &&
                           strtoull(sv_json_text(kept, "stamp"), NULL, 10) == out->stamp;
    if (is_of_now && (out->is_partial || !request->is_post))
        out->fields = json_incref(json_object_get(kept, "fields"));
    else
        out->fields = json_object();
    json_decref(kept);
    if (request->is_post)
        take_form(request, json_array_size(columns), out->fields);
}

void sv_draft_close(sv_draft *draft) {
    json_decref(draft->fields);
}

bool sv_draft_keep(const sv_request *request, const sv_draft *draft) {
    char stamp[32];
    snprintf(stamp, sizeof stamp, "%" PRIu64, draft->stamp);
    json_t *file = json_pack("{s:s, s:O}", "stamp", stamp, "fields", draft->fields);
    char *text = file ? json_dumps(file, JSON_COMPACT) : NULL;
    const bool is_good =
        text && sv_project_write(request->project, FILE_OF_DRAFT, text, strlen(text));
    free(text);
    json_decref(file);
    return is_good;
}

void sv_draft_drop(const sv_project *project) {
    (void)sv_project_remove(project, FILE_OF_DRAFT);
}

const char *sv_draft_of(const sv_draft *draft, const char *field, size_t number) {
    char name[64];
    snprintf(name, sizeof name, "%s-%zu", field, number);
    return json_string_value(json_object_get(draft->fields, name));
}

const char *sv_draft_whole(const sv_draft *draft, const char *field) {
    return json_string_value(json_object_get(draft->fields, field));
}

/* What a form of columns said, on this page and on those before: a JSON file of the project, which another
 * table, a save or a suggestion ends. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

#define FILE_OF_DRAFT "work/columns.json"

enum { MOST_VALUE = 400 };

static const char *const of_column[] = {"role", "text", "round", "low", "high"};
static const char *const of_table[] = {"person", "class", "sampling-weight", "household"};
enum {
    N_OF_COLUMN = sizeof of_column / sizeof *of_column,
    N_OF_TABLE = sizeof of_table / sizeof *of_table
};

/* "role-12" is field 0 of column 12; false: it is another field. */
static bool split(const char *name, size_t n_columns, size_t *field, size_t *number) {
    const char *dash = strrchr(name, '-');
    for (size_t i = 0; dash && i < N_OF_COLUMN; i++) {
        const size_t size = strlen(of_column[i]);
        if ((size_t)(dash - name) != size || strncmp(name, of_column[i], size) != 0)
            continue;
        const size_t digits = strspn(dash + 1, "0123456789");
        if (digits == 0 || digits > 8 || dash[1 + digits])
            return false;
        *field = i;
        *number = strtoul(dash + 1, NULL, 10);
        return *number >= 1 && *number <= n_columns;
    }
    return false;
}

static void forget_column(json_t *fields, size_t number) {
    char name[64];
    for (size_t i = 0; i < N_OF_COLUMN; i++) {
        snprintf(name, sizeof name, "%s-%zu", of_column[i], number);
        json_object_del(fields, name);
    }
}

static bool is_of_table(const char *name) {
    for (size_t i = 0; i < N_OF_TABLE; i++)
        if (strcmp(of_table[i], name) == 0)
            return true;
    return false;
}

/* A box without a tick is not sent: what was said of a column before is forgotten first. */
static void take_form(const sv_request *request, size_t n_columns, json_t *fields) {
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < request->n_fields; i++) {
            const sv_field *field = &request->fields[i];
            size_t kind, number;
            const bool is_its = split(field->name, n_columns, &kind, &number);
            if (pass == 0 && is_its && kind == 0)
                forget_column(fields, number);
            if (pass == 1 && (is_its || is_of_table(field->name)) &&
                strlen(field->value) <= MOST_VALUE)
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

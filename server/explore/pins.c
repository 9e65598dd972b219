/* Pinned nodes, and the releases that are made of them to look at: work/look-LEVELS.csv, .json. */
#include <stdlib.h>
#include <string.h>

#include "explore.h"

#define FILE_NAME "work/pins.json"

/* The quasi-identifiers that pins belong to. */
static json_t *columns_of(const sv_project *project) {
    json_t *columns = json_array();
    sv_text name = {0};
    for (size_t i = 0; sv_quasi_name(project, i, &name); i++) {
        json_array_append_new(columns, name.failed ? NULL : json_string(name.bytes));
        sv_text_free(&name);
    }
    sv_text_free(&name);
    return columns;
}

json_t *sv_pins_read(const sv_project *project) {
    json_t *file = sv_project_json(project, FILE_NAME), *columns = columns_of(project),
           *pins = json_array();
    const json_t *one;
    size_t i;
    if (json_equal(json_object_get(file, "columns"), columns) == 1)
        json_array_foreach(json_object_get(file, "nodes"), i, one) {
            const char *name = json_string_value(one);
            if (name && sv_is_node_name(project, name) && i < SV_MOST_PINS)
                json_array_append_new(pins, json_string(name));
        }
    json_decref(columns);
    json_decref(file);
    return pins;
}

bool sv_pins_write(const sv_project *project, json_t *pins) {
    json_t *file = json_pack("{s:o, s:O}", "columns", columns_of(project), "nodes", pins);
    char *text = file ? json_dumps(file, JSON_INDENT(1)) : NULL;
    const bool is_good = text && sv_project_write(project, FILE_NAME, text, strlen(text));
    free(text);
    json_decref(file);
    return is_good;
}

size_t sv_pin_find(const json_t *pins, const char *name) {
    const json_t *one;
    size_t i;
    json_array_foreach(pins, i, one) if (strcmp(json_string_value(one), name) == 0) return i;
    return SIZE_MAX;
}

void sv_levels_text(const char *name, sv_text *out) {
    for (; *name; name++)
        sv_bytes(out, *name == '-' ? "," : name, 1);
}

const char *sv_looking_costs(const sv_project *project) {
    if (sv_setting(project, "ledger", 0))
        return "No release is made to look at here: with a ledger it would be entered in it, and "
               "later releases would keep to it.";
    if (sv_setting(project, "epsilon", 0))
        return "No release is made to look at here: each one draws rows anew, and spends its own "
               "epsilon.";
    return NULL;
}

void sv_look_words(const sv_project *project, sv_words *words, const char *levels,
                   const char *table) {
    const char *model = sv_recoding_of_levels(project);
    sv_word(words, "anonymize");
    sv_word_pair(words, "--job", "kanon.yaml");
    if (model)
        sv_word_pair(words, "--recoding", model);
    if (sv_has_matches(project))
        sv_word(words, SV_MATCHES_OFF);
    sv_word_pair(words, "--levels", levels);
    sv_word_pair(words, "--output", table);
}

bool sv_look_start(const sv_request *request, const char *name, sv_text *wrong) {
    const sv_project *project = request->project;
    const char *costs = sv_looking_costs(project);
    if (costs) {
        sv_print(wrong, "%s", costs);
        return false;
    }
    sv_text kind = {0}, levels = {0}, table = {0}, page = {0}, json = {0}, key = {0};
    sv_words words = {0};
    sv_print(&kind, "look-%s", name);
    sv_levels_text(name, &levels);
    sv_print(&table, "work/look-%s.csv", name);
    sv_print(&page, "work/look-%s.html", name);
    sv_print(&json, "work/look-%s.json", name);
    sv_project_key(project, true, &key);
    sv_look_words(project, &words, levels.bytes, table.bytes);
    sv_words_aside(project, &words);
    sv_word_pair(&words, "--report", page.bytes);
    sv_word_pair(&words, "--json", json.bytes);
    sv_word(&words, "--force");
    const sv_step step = {words.at};
    bool is_good = !kind.failed && !levels.failed && !table.failed && !page.failed &&
                   !json.failed && !key.failed;
    if (is_good)
        is_good = sv_task_start(sv_server_tasks(request->server), project, kind.bytes,
                                "making a release to look at", key.bytes, &step, 1, false, wrong);
    else
        sv_print(wrong, "Out of memory.");
    sv_text_free(&kind);
    sv_text_free(&levels);
    sv_text_free(&table);
    sv_text_free(&page);
    sv_text_free(&json);
    sv_text_free(&key);
    return is_good;
}

static void start_all(const sv_request *request, const json_t *pins, sv_text *wrong) {
    const json_t *one;
    size_t i;
    json_array_foreach(pins, i,
                       one) if (!sv_look_start(request, json_string_value(one), wrong)) return;
}

/* A release of a large table is large, and can be made again. */
static void remove_look(const sv_project *project, const char *name) {
    static const char *const endings[] = {"csv", "html", "json", "end.json", "txt"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        sv_text file = {0};
        sv_print(&file, "work/look-%s.%s", name, endings[i]);
        if (!file.failed)
            sv_project_remove(project, file.bytes);
        sv_text_free(&file);
    }
}

static void change(const sv_request *request, json_t *pins, const char *name, const char *what,
                   sv_text *wrong) {
    const size_t at = sv_pin_find(pins, name);
    if (strcmp(what, "unpin") == 0) {
        if (at != SIZE_MAX)
            json_array_remove(pins, at);
        remove_look(request->project, name);
    } else if (at == SIZE_MAX && json_array_size(pins) >= SV_MOST_PINS) {
        sv_print(wrong, "%d are already pinned. Unpin one first.", (int)SV_MOST_PINS);
        return;
    } else {
        if (at == SIZE_MAX)
            json_array_append_new(pins, json_string(name));
        if (!sv_look_start(request, name, wrong))
            return;
    }
    if (!sv_pins_write(request->project, pins))
        sv_print(wrong, "The pins could not be written.");
}

void sv_explore_pin(sv_request *request, sv_reply *reply) {
    const char *name = sv_field_of(request, "pin"), *what = sv_field_of(request, "do"),
               *to = sv_field_of(request, "to");
    const char *page = to && strcmp(to, "compare") == 0 ? "explore/compare" : "explore";
    json_t *pins = sv_pins_read(request->project);
    sv_text wrong = {0}, link = {0};
    sv_query query;
    sv_query_read(request, &query);
    if (what && strcmp(what, "again") == 0)
        start_all(request, pins, &wrong);
    else if (!name || !what || !sv_is_node_name(request->project, name))
        sv_print(&wrong, "Which combination is meant? The columns have changed since.");
    else
        change(request, pins, name, what, &wrong);
    if (wrong.size > 0) {
        sv_go_wrong(reply, request->project, page, wrong.bytes);
    } else if (strcmp(page, "explore") == 0) {
        /* Back to where the button was. */
        sv_url(&link, request->project->name);
        sv_redirect(reply, "/p/%s/explore", link.bytes);
        link.size = 0;
        sv_query_plain(&query, &link);
        sv_print(&reply->location, "%s#nodes", link.bytes);
    } else {
        sv_go(reply, request->project, page);
    }
    json_decref(pins);
    sv_text_free(&wrong);
    sv_text_free(&link);
}

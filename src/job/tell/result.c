#include "job/tell/result.h"

#include <stdint.h>
#include <string.h>

#include "job/tell/json.h"

kan_status kan_result_create(kan_run *run, kan_result **out) {
    kan_result *result;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *result, &result));
    result->run = run;
    result->holds = true;
    kan_text_init(&result->json, run);
    kan_text_init(&result->summary, run);
    kan_text_init(&result->unchecked, run);
    *out = result;
    return KAN_OK;
}

void kan_result_destroy(kan_result *result) {
    if (!result)
        return;
    kan_text_destroy(&result->json);
    kan_text_destroy(&result->summary);
    kan_text_destroy(&result->unchecked);
    kan_table_destroy(result->table);
    kan_arrow_destroy(result->arrow);
    kan_free(result->run, result);
}

bool kan_result_holds(const kan_result *result) {
    return result && result->holds;
}

const char *kan_result_unchecked(const kan_result *result) {
    return result && result->unchecked.size > 0 ? result->unchecked.bytes : NULL;
}

const char *kan_result_json(const kan_result *result) {
    return result && result->json.bytes ? result->json.bytes : "";
}

const char *kan_result_summary(const kan_result *result) {
    return result && result->summary.bytes ? result->summary.bytes : "";
}

/* The JSON once more, as programs ask it; NULL: there is none. */
static json_t *read_json(const kan_result *result) {
    return result && result->json.bytes ? json_loads(result->json.bytes, JSON_DECODE_ANY, NULL)
                                        : NULL;
}

int kan_result_level(const kan_result *result, const char *column) {
    json_t *root = read_json(result);
    const json_t *names = json_object_get(root, "quasi_identifiers");
    const json_t *levels = json_object_get(json_object_get(root, "solution"), "levels");
    int level = -1;
    for (size_t i = 0; column && i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const json_t *value = json_array_get(levels, i);
        if (name && strcmp(name, column) == 0 && json_is_integer(value))
            level = (int)json_integer_value(value);
    }
    json_decref(root);
    return level;
}

bool kan_result_metric(const kan_result *result, const char *cost, double *value) {
    if (!cost || !value)
        return false;
    json_t *root = read_json(result);
    const json_t *metric = json_object_get(json_object_get(root, "metrics"), cost);
    const bool is_known = json_is_number(metric);
    if (is_known)
        *value = json_number_value(metric);
    json_decref(root);
    return is_known;
}

const kan_table *kan_result_table(const kan_result *result) {
    return result ? result->table : NULL;
}

static int add_text(const char *bytes, size_t size, void *text) {
    kan_text_add(text, bytes, size);
    return ((kan_text *)text)->failed ? -1 : 0;
}

/* One line per key, so that a person finds what she looks for and a level vector stays on its line.
 */
static bool dump_lines(const json_t *object, kan_text *text) {
    const char *key;
    json_t *value;
    const char *before = "{";
    const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(15);
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        kan_text_print(text, "%s\"%s\": ", before, key);
        if (json_dump_callback(value, add_text, text, flags) != 0)
            return false;
        before = ",\n ";
    }
    kan_text_print(text, "}\n");
    return !text->failed;
}

kan_status kan_result_set_json(kan_result *out, json_t *object) {
    bool is_dumped = object && dump_lines(object, &out->json);
    json_decref(object);
    if (!is_dumped)
        return kan_fail(out->run, KAN_FAILED, "out of memory while the result was written");
    return KAN_OK;
}

const char *kan_result_status_name(const kan_result *result) {
    if (result->holds)
        return "verified";
    return result->unchecked.size > 0 ? "unchecked" : "refuted";
}

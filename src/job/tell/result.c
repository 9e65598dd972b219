#include "job/tell/result.h"

#include <stdint.h>

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

#include "recodings.h"

#include <string.h>

#include "solutions.h"

const char *sv_recoding(const sv_project *project) {
    return sv_setting(project, "recoding", 0);
}

const json_t *sv_recoding_find(const json_t *registry, const char *name) {
    const json_t *models = json_object_get(registry, "recodings"), *model;
    size_t i;
    json_array_foreach(models, i,
                       model) if (strcmp(sv_json_text(model, "name"), name) ==
                                  0) return json_array_size(json_object_get(model, "searches")) > 0
        ? model
        : NULL;
    return NULL;
}

bool sv_recoding_is_made_by(const json_t *model, const char *search) {
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(model, "searches"), i,
                       one) if (strcmp(json_string_value(one), search) == 0) return true;
    return false;
}

bool sv_recoding_has_levels(const json_t *model) {
    return strcmp(sv_json_text(model, "parts"), "levels") == 0;
}

bool sv_recoding_cuts(const json_t *model) {
    return strcmp(sv_json_text(model, "parts"), "cuts") == 0;
}

const char *sv_recoding_of_levels(const sv_project *project) {
    const char *wanted = sv_recoding(project);
    if (!wanted)
        return NULL;
    json_t *registry = sv_registry(project);
    const bool will_do = sv_recoding_has_levels(sv_recoding_find(registry, wanted));
    json_decref(registry);
    return will_do ? NULL : "full-domain";
}

bool sv_has_matches(const sv_project *project) {
    const char *value = sv_setting(project, SV_MATCHES, 0);
    return value && strcmp(value, "true") == 0;
}

/* Another command has a setting of this name that says something else. */
static const char *matches_words(void) {
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        if (strcmp(setting->name, SV_MATCHES) == 0 && kan_setting_is_for(setting, "anonymize"))
            return setting->label;
    }
    return NULL;
}

static void put_matches(const sv_project *project, sv_text *out) {
    sv_html(out,
            "<p class=\"entry\"><input type=\"hidden\" name=\"o.%s\" value=\"\"><label><input "
            "type=\"checkbox\" name=\"o.%s\" value=\"true\"%s> %s</label></p>\n",
            SV_MATCHES, SV_MATCHES, sv_has_matches(project) ? " checked" : "", matches_words());
}

void sv_recoding_choice(const sv_project *project, sv_text *out, const json_t *registry) {
    const json_t *models = json_object_get(registry, "recodings"), *model;
    const char *chosen = sv_recoding(project), *search = sv_setting(project, "algorithm", 0);
    size_t i;
    sv_raw(out,
           "<section><h2>How values may change</h2><p>From one level for a whole column to each "
           "cell on its own: the more freedom there is, the less is lost, and the less regular the "
           "release looks. kanon picks a search that fits the choice; under Explore the models can "
           "be compared on this table.</p><p class=\"entry\"><label for=\"recoding\">recoding "
           "model</label><select name=\"recoding\" id=\"recoding\">\n");
    if (search)
        sv_html(
            out,
            "<option value=\"\">the model of the search %s, which the job file names</option>\n",
            search);
    else
        sv_raw(out, "<option value=\"\">as usual: one level for each column</option>\n");
    json_array_foreach(models, i, model) {
        const char *name = sv_json_text(model, "name");
        if (json_array_size(json_object_get(model, "searches")) > 0)
            sv_html(out, "<option value=\"%s\"%s>%s: %s</option>\n", name,
                    chosen && strcmp(name, chosen) == 0 ? " selected" : "", name,
                    sv_json_text(model, "summary"));
    }
    sv_raw(out, "</select></p>\n");
    put_matches(project, out);
    sv_raw(out, "</section>\n");
}

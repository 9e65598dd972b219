#include "registry.h"

#include <string.h>

#include "values.h"

json_t *sv_registry(const sv_project *project) {
    const char *text = NULL;
    if (kan_list(project->run, true, &text) != KAN_OK)
        return NULL;
    return json_loads(text, 0, NULL);
}

bool sv_option_is_asked(const json_t *option) {
    return strcmp(sv_json_text(option, "type"), "path") != 0 &&
           !kan_setting_is_secret(kan_setting_find(sv_json_text(option, "name")));
}

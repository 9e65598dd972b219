/* What a release can be, and who can make it: the registry, asked. */
#include <string.h>

#include "release.h"

static bool form_of(const json_t *sink, size_t *index, sv_release_form *out) {
    const json_t *files = json_object_get(sink, "files"), *file = json_array_get(files, *index);
    if (!file) {
        *index -= json_array_size(files);
        return false;
    }
    out->ending = sv_json_text(file, "ending");
    out->words = sv_json_text(file, "words");
    out->missing = json_string_value(json_object_get(sink, "missing"));
    return true;
}

bool sv_release_form_at(const json_t *registry, size_t index, sv_release_form *out) {
    const json_t *sinks = json_object_get(registry, "sinks"), *sink;
    size_t i;
    for (int any = 1; any >= 0; any--) {
        json_array_foreach(sinks, i, sink) {
            if (sv_json_is(sink, "takes_any") == any && form_of(sink, &index, out))
                return true;
        }
    }
    return false;
}

bool sv_release_form_find(const json_t *registry, const char *ending, sv_release_form *out) {
    for (size_t i = 0; sv_release_form_at(registry, i, out); i++)
        if (strcmp(out->ending, ending) == 0)
            return true;
    return false;
}

const json_t *sv_search_find(const json_t *registry, const char *name) {
    const json_t *search;
    size_t i;
    json_array_foreach(json_object_get(registry, "searches"), i, search) {
        if (strcmp(sv_json_text(search, "name"), name) == 0)
            return search;
    }
    return NULL;
}

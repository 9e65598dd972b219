/* What the registry says of a model, for the page of the promise. */
#include "promise.h"

const char *sv_model_try(const json_t *model, size_t index) {
    return json_string_value(json_array_get(json_object_get(model, "tries"), index));
}

bool sv_model_fits(const sv_project *project, const json_t *model) {
    return (!sv_json_is(model, "needs_population") || sv_setting(project, "population", 0)) &&
           (!sv_json_is(model, "needs_sensitive") || sv_setting(project, "sensitive", 0)) &&
           (!sv_json_is(model, "needs_weights") || sv_setting(project, "sampling-weight", 0)) &&
           (!sv_json_is(model, "needs_household") || sv_setting(project, "household", 0));
}

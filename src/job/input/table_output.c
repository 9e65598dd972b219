#include "job/input/table_output.h"

static const kan_sink_kind *kind_of(const char *path) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SINK); i++) {
        const kan_sink_kind *kind = (const kan_sink_kind *)kan_registry_at(KAN_FAMILY_SINK, i);
        if (!kind->takes || kind->takes(path))
            return kind;
    }
    return &kan_sink_csv;
}

const kan_sink_kind *kan_output_kind(const kan_job *job) {
    const char *name = kan_options_find(&job->options, "output-format");
    const char *path = kan_options_find(&job->options, "output");
    const kan_kind *named = name ? kan_registry_find(KAN_FAMILY_SINK, name) : NULL;
    if (!path)
        return NULL;
    return named ? (const kan_sink_kind *)named : kind_of(path);
}

bool kan_output_passes(const kan_job *job, const kan_input *input) {
    const kan_sink_kind *kind = kan_output_kind(job);
    return !kind || !input->source || (kind->passes && kind->passes(input->source->kind));
}

/* Releases are written as CSV, whatever they were read from. */
#include "io/sink.h"

#include "io/csv/csv.h"

struct kan_sink {
    kan_run *run;
    kan_csv_sink *csv;
    kan_source_options options;
};

static kan_status check_passing(const kan_release *release, const kan_source *source) {
    for (size_t i = 0; source && source->kind != &kan_source_csv && i < release->n_columns; i++)
        if (release->columns[i].passes_through)
            return kan_fail(source->run, KAN_BAD_INPUT,
                            "%s: column '%s' cannot be released as it is from a table of the kind "
                            "%s; leave it out, or convert the table to CSV",
                            kan_source_name(source), release->columns[i].name,
                            source->kind->kind.name);
    return KAN_OK;
}

kan_status kan_sink_write(kan_run *run, const kan_release *release, kan_source *source,
                          const char *target, bool overwrite, kan_sink **out) {
    kan_csv_source *csv = source && source->kind == &kan_source_csv ? source->state : NULL;
    kan_sink *sink;
    KAN_TRY(check_passing(release, source));
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *sink, &sink));
    sink->run = run;
    sink->options = (kan_source_options){.separator = csv ? kan_csv_separator(csv) : ',',
                                         .is_guarded = release->guards_formulas};
    const kan_status status =
        kan_csv_write(run, release, csv, sink->options.separator, target, overwrite, &sink->csv);
    if (status == KAN_OK)
        *out = sink;
    else
        kan_free(run, sink);
    return status;
}

uint64_t kan_sink_formulas(const kan_sink *sink, const char **column) {
    return kan_csv_sink_formulas(sink->csv, column);
}

const char *kan_sink_path(const kan_sink *sink) {
    return kan_csv_sink_path(sink->csv);
}

const kan_source_kind *kan_sink_kind(const kan_sink *sink) {
    (void)sink;
    return &kan_source_csv;
}

kan_source_options kan_sink_options(const kan_sink *sink) {
    return sink->options;
}

kan_status kan_sink_sync(kan_sink *sink) {
    return kan_csv_sync(sink->csv);
}

kan_status kan_sink_commit(kan_sink *sink) {
    return kan_csv_commit(sink->csv);
}

void kan_sink_close(kan_sink *sink) {
    if (!sink)
        return;
    kan_csv_sink_close(sink->csv);
    kan_free(sink->run, sink);
}

/* CSV as a kind of sink. */
#include "io/csv/csv.h"
#include "io/sink.h"

static bool passes(const kan_source_kind *source) {
    return source == &kan_source_csv;
}

static kan_status write_csv(kan_run *run, const kan_sink_plan *plan, kan_target *target,
                            kan_source_options *readback, kan_formulas *formulas) {
    kan_csv_source *source =
        plan->source && plan->source->kind == &kan_source_csv ? plan->source->state : NULL;
    readback->separator = source ? kan_csv_separator(source) : ',';
    KAN_TRY(kan_target_set_encoding(target, plan->encoding));
    return kan_csv_write(run, plan->release, source, readback->separator, target, formulas);
}

const kan_sink_kind kan_sink_csv = {
    .kind = {.name = "csv",
             .summary = "text in columns, separated like the input; .gz and .zst compress it",
             .is_everyday = true},
    .files = {{"csv", "CSV: text in columns"}, {"csv.gz", "CSV, compressed (.gz)"}},
    .is_text = true,
    .reader = &kan_source_csv,
    .passes = passes,
    .write = write_csv,
};

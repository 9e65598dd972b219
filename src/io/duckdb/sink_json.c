/* JSON lines as a kind of sink: an object per row, on a line of its own. The text of a member is
 * made once per column and code; a row is nothing but these texts. DuckDB is needed to read it
 * back. */
#include <strings.h>

#include "io/duckdb/duck_api.h"
#include "io/duckdb/duck_json.h"
#include "io/duckdb/duckdb.h"

enum { PART = 1 << 20 }; /* bytes that are written at once, or a row more */

/* A column: its members by code, and one more for a cell that is hidden. */
typedef struct {
    const kan_release_column *from;
    kan_text members;
    uint64_t *start; /* n_labels + 2 offsets */
} member_column;

typedef struct {
    kan_run *run;
    const kan_sink_plan *plan;
    kan_target *target;
    member_column *columns;
    size_t n_columns;
    kan_text lines;
} writing;

/* ---- members -------------------------------------------------------------------------------- */

static kan_status check_text(const writing *writer, const char *column, kan_slice text) {
    char name[256], quoted[256];
    for (size_t i = 0, n; i < text.size; i += n) {
        n = kan_utf8_length(text.bytes + i, text.size - i);
        if (n == 0)
            return kan_fail(writer->run, KAN_BAD_INPUT,
                            "%s: column %s has the value %s, which is not UTF-8, as JSON has to "
                            "be; give the table's encoding with --encoding",
                            kan_target_name(writer->target), kan_quote(kan_slice_of(column), name),
                            kan_quote(text, quoted));
    }
    return KAN_OK;
}

static void add_value(const kan_sink_column *column, kan_slice value, kan_text *out) {
    const kan_field_type type = column->field.type;
    if (value.size == 0)
        kan_text_print(out, "null");
    else if ((type == KAN_FIELD_NUMBER && kan_duck_json_is_number(value)) ||
             (type == KAN_FIELD_BOOLEAN &&
              (kan_slice_is(value, "true") || kan_slice_is(value, "false"))))
        kan_text_add(out, value.bytes, value.size);
    else
        kan_duck_json_quote(out, value);
}

static kan_status make_column(const writing *writer, const kan_sink_column *from, bool is_first,
                              member_column *column) {
    const uint32_t n = from->column->n_labels;
    kan_text *members = &column->members;
    column->from = from->column;
    KAN_TRY(kan_alloc(writer->run, (size_t)n + 2, sizeof *column->start, &column->start));
    KAN_TRY(check_text(writer, from->column->name, kan_slice_of(from->column->name)));
    for (uint32_t code = 0; code <= n; code++) {
        const kan_slice value = code < n ? from->values[code] : (kan_slice){"*", 1};
        KAN_TRY(check_text(writer, from->column->name, value));
        column->start[code] = members->size;
        kan_text_add(members, is_first ? "{" : ",", 1);
        kan_duck_json_quote(members, kan_slice_of(from->column->name));
        kan_text_add(members, ":", 1);
        add_value(from, value, members);
    }
    column->start[n + 1] = members->size;
    return kan_text_status(members);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static kan_status write_lines(writing *writer) {
    KAN_TRY(kan_text_status(&writer->lines));
    KAN_TRY(kan_target_write(writer->target, writer->lines.bytes, writer->lines.size));
    writer->lines.size = 0;
    return KAN_OK;
}

static kan_status write_row(void *context, uint64_t row) {
    writing *writer = context;
    const kan_release *release = writer->plan->release;
    for (size_t i = 0; i < writer->n_columns; i++) {
        const member_column *column = &writer->columns[i];
        const uint32_t code = kan_release_hides(release, column->from, row)
                                  ? column->from->n_labels
                                  : kan_release_code(release, column->from, row);
        kan_text_add(&writer->lines, column->members.bytes + column->start[code],
                     column->start[code + 1] - column->start[code]);
    }
    kan_text_add(&writer->lines, "}\n", 2);
    return writer->lines.size < PART ? KAN_OK : write_lines(writer);
}

static kan_status write_release(writing *writer) {
    const kan_release *release = writer->plan->release;
    KAN_TRY(
        kan_alloc_zero(writer->run, release->n_columns, sizeof *writer->columns, &writer->columns));
    for (; writer->n_columns < release->n_columns; writer->n_columns++) {
        member_column *column = &writer->columns[writer->n_columns];
        kan_text_init(&column->members, writer->run);
        KAN_TRY(make_column(writer, &writer->plan->columns[writer->n_columns],
                            writer->n_columns == 0, column));
    }
    KAN_TRY(kan_sink_each_row(writer->run, release, write_row, writer));
    return writer->lines.size ? write_lines(writer) : KAN_OK;
}

static kan_status write_json(kan_run *run, const kan_sink_plan *plan, kan_target *target,
                             kan_source_options *readback, kan_formulas *formulas) {
    writing writer = {.run = run, .plan = plan, .target = target};
    kan_duck_api api;
    (void)formulas;
    /* What cannot be read back is not written. */
    KAN_TRY(kan_duck_load(run, kan_target_name(target), "JSON", plan->given, &api));
    readback->spellings = NULL; /* missing ones are null, numbers are numbers */
    kan_text_init(&writer.lines, run);
    const kan_status status = write_release(&writer);
    for (size_t i = 0; writer.columns && i < plan->release->n_columns; i++) {
        if (writer.columns[i].from)
            kan_text_destroy(&writer.columns[i].members);
        kan_free(run, writer.columns[i].start);
    }
    kan_free(run, writer.columns);
    kan_text_destroy(&writer.lines);
    return status;
}

static kan_status check_json(kan_run *run, const kan_sink_sketch *sketch) {
    kan_duck_api api;
    for (size_t i = 0; i < sketch->n_columns; i++)
        for (size_t j = 0; j < i; j++)
            if (strcasecmp(sketch->columns[i], sketch->columns[j]) == 0)
                return kan_fail(run, KAN_BAD_INPUT,
                                "%s: columns '%s' and '%s' differ by case alone, which DuckDB does "
                                "not tell apart when the release is read back; rename one, or "
                                "write CSV",
                                sketch->target, sketch->columns[j], sketch->columns[i]);
    return kan_duck_load(run, sketch->target, "JSON", sketch->given, &api);
}

static bool takes_json(const char *path) {
    return kan_source_json.takes(path);
}

const kan_sink_kind kan_sink_json = {
    .kind = {.name = "json",
             .summary = "JSON lines, an object per row; .gz and .zst compress it; DuckDB's library "
                        "reads it back",
             .options = kan_duck_options,
             .n_options = KAN_DUCK_N_OPTIONS,
             .is_everyday = true},
    .files = {{"jsonl", "JSON lines"}},
    .missing = kan_duck_missing,
    .takes = takes_json,
    .reader = &kan_source_json,
    .is_typed = true,
    .check = check_json,
    .write = write_json,
};

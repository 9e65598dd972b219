/* Files of statistics programs as kinds of sinks.
 *
 * Order of calls of libreadstat: label sets, then columns, then the beginning, then the rows. It
 * writes nothing of its own accord but a time, which is always the same one here: a release must not
 * depend on the clock. */
#include <readstat.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

#include "io/stat/stat.h"
#include "io/stat/stat_sink.h"

enum { OUT_BYTES = 1 << 18 };

typedef struct {
    readstat_variable_t *variable;
    readstat_label_set_t *set;    /* NULL: none */
    readstat_string_ref_t **refs; /* of long texts, by code */
} stat_written;

typedef struct {
    kan_run *run;
    const kan_sink_plan *plan;
    kan_stat_target to;
    const kan_stat_limits *limits;
    kan_target *target;
    kan_arena arena;
    readstat_writer_t *writer;
    kan_stat_output *outputs;
    stat_written *written;
    size_t n;
    kan_status status; /* of writing bytes */
    char *buffer;
    size_t used;
    uint64_t n_rows;
    bool last_is_blank; /* of the rows so far: nothing but empty texts */
} stat_writing;

/* ---- bytes ---------------------------------------------------------------------------------- */

static bool flush(stat_writing *w) {
    if (w->status == KAN_OK && w->used > 0)
        w->status = kan_target_write(w->target, w->buffer, w->used);
    w->used = 0;
    return w->status == KAN_OK;
}

static ssize_t put_bytes(const void *bytes, size_t size, void *context) {
    stat_writing *w = context;
    if (size > OUT_BYTES - w->used && !flush(w))
        return -1;
    if (size > OUT_BYTES) {
        w->status = kan_target_write(w->target, bytes, size);
        return w->status == KAN_OK ? (ssize_t)size : -1;
    }
    memcpy(w->buffer + w->used, bytes, size);
    w->used += size;
    return (ssize_t)size;
}

static kan_status status_of(stat_writing *w, readstat_error_t error) {
    if (w->status != KAN_OK)
        return w->status;
    if (error == READSTAT_OK)
        return KAN_OK;
    if (error == READSTAT_ERROR_MALLOC)
        return kan_fail(w->run, KAN_FAILED, "out of memory while a %s file was written",
                        w->limits->ending);
    return kan_fail(w->run, KAN_BAD_INPUT,
                    "the release cannot be written as a %s file: %s; write "
                    "another format, such as CSV",
                    w->limits->ending, readstat_error_message(error));
}

/* ---- labels --------------------------------------------------------------------------------- */

static void add_label(const stat_writing *w, readstat_label_set_t *set, const kan_stat_output *out,
                      const kan_value_label *label, const char *value, const char *text) {
    uint64_t word;
    double number;
    if (out->storage == KAN_STAT_STRING) {
        if (label->value.size <= out->width)
            readstat_label_string_value(set, value, text);
        return;
    }
    if (!kan_stat_label_word(w->to, &out->column->field, label->value, &word))
        return;
    memcpy(&number, &word, sizeof number);
    if (kan_stat_is_missing(word))
        readstat_label_tagged_value(set, (char)(word & 0xff), text);
    else if (w->to == KAN_STAT_TO_DTA)
        readstat_label_int32_value(set, (int32_t)number, text);
    else
        readstat_label_double_value(set, number, text);
}

/* Columns that had the same labels share a set again. */
static readstat_label_set_t *find_set(const stat_writing *w, size_t column) {
    const kan_stat_output *out = &w->outputs[column];
    for (size_t i = 0; i < column; i++) {
        const kan_stat_output *other = &w->outputs[i];
        if (w->written[i].set && other->book.labels == out->book.labels &&
            other->column->field.type == out->column->field.type &&
            (out->storage == KAN_STAT_STRING) == (other->storage == KAN_STAT_STRING) &&
            out->storage != KAN_STAT_STRING)
            return w->written[i].set;
    }
    return NULL;
}

static bool is_free(const stat_writing *w, const char *name) {
    for (long i = 0; i < w->writer->label_sets_count; i++)
        if (strcmp(w->writer->label_sets[i]->name, name) == 0)
            return false;
    return strlen(name) <= 32;
}

/* A set is called as it was, if no other is, or as its column. */
static const char *set_name(const stat_writing *w, size_t column, char *room, size_t size) {
    const kan_field *field = &w->outputs[column].column->field;
    const bool has_name = w->to == KAN_STAT_TO_DTA && field->label_set && field->family &&
                          strncmp(field->family, "stata", 5) == 0;
    if (has_name && is_free(w, field->label_set))
        return field->label_set;
    if (is_free(w, field->name))
        return field->name;
    (void)snprintf(room, size, "labels%zu", column + 1);
    return room;
}

static kan_status add_set(stat_writing *w, size_t column) {
    const kan_stat_output *out = &w->outputs[column];
    char room[32];
    if (!out->has_labels)
        return KAN_OK;
    w->written[column].set = find_set(w, column);
    if (w->written[column].set)
        return KAN_OK;
    readstat_label_set_t *set =
        readstat_add_label_set(w->writer,
                               out->storage == KAN_STAT_STRING ? READSTAT_TYPE_STRING
                               : w->to == KAN_STAT_TO_DTA      ? READSTAT_TYPE_INT32
                                                               : READSTAT_TYPE_DOUBLE,
                               set_name(w, column, room, sizeof room));
    for (size_t i = 0; set && i < out->book.n_labels; i++) {
        const kan_value_label *label = &out->book.labels[i];
        const char *value, *text;
        KAN_TRY(kan_arena_copy(&w->arena, label->value.bytes, label->value.size, &value));
        KAN_TRY(kan_arena_copy(&w->arena, label->label.bytes, label->label.size, &text));
        add_label(w, set, out, label, value, text);
    }
    w->written[column].set = set;
    return set ? KAN_OK : status_of(w, READSTAT_ERROR_MALLOC);
}

/* ---- columns -------------------------------------------------------------------------------- */

static readstat_type_t type_of(const kan_stat_output *out) {
    static const readstat_type_t types[] = {
        [KAN_STAT_STRING] = READSTAT_TYPE_STRING, [KAN_STAT_INT8] = READSTAT_TYPE_INT8,
        [KAN_STAT_INT16] = READSTAT_TYPE_INT16,   [KAN_STAT_INT32] = READSTAT_TYPE_INT32,
        [KAN_STAT_FLOAT] = READSTAT_TYPE_FLOAT,   [KAN_STAT_DOUBLE] = READSTAT_TYPE_DOUBLE};
    return out->is_long ? READSTAT_TYPE_STRING_REF : types[out->storage];
}

/* As much of a label as fits, whole characters. Stata counts characters, others bytes. */
static kan_status cut_label(stat_writing *w, const char *label, const char **out) {
    const size_t size = strlen(label), most = w->limits->column_label_bytes;
    size_t at = 0, count = 0;
    while (at < size) {
        const size_t n = kan_utf8_length(label + at, size - at);
        count += w->to == KAN_STAT_TO_DTA ? 1 : n;
        if (n == 0 || count > most || (w->to == KAN_STAT_TO_POR && (label[at] < ' ' || n > 1)))
            break;
        at += n;
    }
    while (at > 0 && label[at - 1] == ' ')
        at--;
    return kan_arena_copy(&w->arena, label, at, out);
}

static void add_missing(const stat_writing *w, readstat_variable_t *variable,
                        const kan_stat_output *out) {
    const kan_stat_codebook *book = &out->book;
    enum { MOST = 3 }; /* a range counts as two */
    size_t n = 0;
    if (!w->limits->has_ranges || out->storage == KAN_STAT_STRING)
        return;
    for (size_t i = 0; i < book->n_missing; i++) {
        const kan_missing_range *range = &book->missing[i];
        const bool is_one = !(range->least < range->most);
        n += is_one ? 1 : 2;
        if (n > MOST)
            return;
        if (is_one)
            (void)readstat_variable_add_missing_double_value(variable, range->least);
        else
            (void)readstat_variable_add_missing_double_range(variable, range->least, range->most);
    }
}

/* Programs choose these by the values of all rows, too. */
static void add_looks(const stat_writing *w, readstat_variable_t *variable,
                      const kan_stat_output *out) {
    const kan_field *field = &out->column->field;
    if (field->measure >= READSTAT_MEASURE_NOMINAL && field->measure <= READSTAT_MEASURE_SCALE &&
        out->storage != KAN_STAT_STRING)
        readstat_variable_set_measure(variable, (readstat_measure_t)field->measure);
    if (field->alignment >= READSTAT_ALIGNMENT_LEFT && field->alignment <= READSTAT_ALIGNMENT_RIGHT)
        readstat_variable_set_alignment(variable, (readstat_alignment_t)field->alignment);
    if (w->limits->vendor == KAN_STAT_SPSS && field->width > 0 && field->width < 256)
        readstat_variable_set_display_width(variable, (int)field->width);
}

static kan_status add_column(stat_writing *w, size_t column) {
    const kan_stat_output *out = &w->outputs[column];
    const kan_field *field = &out->column->field;
    const char *label;
    readstat_variable_t *variable =
        readstat_add_variable(w->writer, field->name, type_of(out), out->width);
    if (!variable)
        return status_of(w, READSTAT_ERROR_MALLOC);
    w->written[column].variable = variable;
    if (field->label) {
        KAN_TRY(cut_label(w, field->label, &label));
        readstat_variable_set_label(variable, label);
    }
    if (out->format)
        readstat_variable_set_format(variable, out->format);
    if (w->written[column].set)
        readstat_variable_set_label_set(variable, w->written[column].set);
    if (out->book.is_public)
        add_looks(w, variable, out);
    add_missing(w, variable, out);
    return KAN_OK;
}

static kan_status add_ref(stat_writing *w, const char *text, readstat_string_ref_t **out) {
    *out = readstat_add_string_ref(w->writer, text);
    return *out ? KAN_OK : status_of(w, READSTAT_ERROR_MALLOC);
}

/* A long text of Stata stands in the file once, however often it is shown. The last one is that of a
 * cell that is hidden. */
static kan_status add_refs(stat_writing *w, size_t column) {
    const kan_stat_output *out = &w->outputs[column];
    const uint32_t n = out->column->column->n_labels;
    readstat_string_ref_t **refs;
    uint32_t *shown, n_shown;
    if (!out->is_long)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&w->arena, (size_t)n + 1, sizeof *refs, &refs));
    memset(refs, 0, ((size_t)n + 1) * sizeof *refs);
    w->written[column].refs = refs;
    KAN_TRY(kan_sink_order_shown(&w->arena, out->column, &shown, &n_shown));
    for (uint32_t i = 0; i < n_shown; i++)
        KAN_TRY(add_ref(w, out->texts[shown[i]], &refs[shown[i]]));
    return w->plan->release->keeps_suppressed ? add_ref(w, "*", &refs[n]) : KAN_OK;
}

static kan_status prepare_columns(stat_writing *w) {
    KAN_TRY(kan_arena_alloc(&w->arena, w->n, sizeof *w->outputs, &w->outputs));
    KAN_TRY(kan_arena_alloc(&w->arena, w->n, sizeof *w->written, &w->written));
    for (size_t i = 0; i < w->n; i++) {
        w->written[i] = (stat_written){.set = NULL};
        KAN_TRY(kan_check_cancel(w->run));
        KAN_TRY(kan_stat_output_make(w->run, &w->arena, w->to, w->plan->release,
                                     &w->plan->columns[i],
                                     kan_stat_codebook_is_public(w->plan->given), &w->outputs[i]));
    }
    for (size_t i = 0; i < w->n; i++) {
        KAN_TRY(add_set(w, i));
        KAN_TRY(add_column(w, i));
        KAN_TRY(add_refs(w, i));
    }
    return KAN_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static readstat_error_t put_number(const stat_writing *w, const readstat_variable_t *variable,
                                   kan_stat_storage storage, uint64_t word) {
    double number;
    memcpy(&number, &word, sizeof number);
    if (kan_stat_is_missing(word)) {
        const char tag = (char)(word & 0xff);
        const char as_sas = (char)(tag - 'a' + 'A');
        return tag == 0 ? readstat_insert_missing_value(w->writer, variable)
                        : readstat_insert_tagged_missing_value(
                              w->writer, variable, w->to == KAN_STAT_TO_XPT ? as_sas : tag);
    }
    switch (storage) {
    case KAN_STAT_INT8:
        return readstat_insert_int8_value(w->writer, variable, (int8_t)number);
    case KAN_STAT_INT16:
        return readstat_insert_int16_value(w->writer, variable, (int16_t)number);
    case KAN_STAT_INT32:
        return readstat_insert_int32_value(w->writer, variable, (int32_t)number);
    case KAN_STAT_FLOAT:
        return readstat_insert_float_value(w->writer, variable, (float)number);
    default:
        return readstat_insert_double_value(w->writer, variable, number);
    }
}

static readstat_error_t put_cell(stat_writing *w, size_t column, uint64_t row) {
    const kan_stat_output *out = &w->outputs[column];
    const stat_written *written = &w->written[column];
    const kan_release *release = w->plan->release;
    const bool is_hidden = kan_release_hides(release, out->column->column, row);
    const uint32_t code = is_hidden ? out->column->column->n_labels
                                    : kan_release_code(release, out->column->column, row);
    if (out->storage != KAN_STAT_STRING) {
        w->last_is_blank = false;
        return put_number(w, written->variable, out->storage, out->words[code]);
    }
    if (out->is_long)
        return readstat_insert_string_ref(w->writer, written->variable, written->refs[code]);
    if (is_hidden) {
        w->last_is_blank = false;
        return readstat_insert_string_value(w->writer, written->variable, "*");
    }
    if (out->texts[code][0])
        w->last_is_blank = false;
    return readstat_insert_string_value(w->writer, written->variable, out->texts[code]);
}

static kan_status put_row(void *context, uint64_t row) {
    stat_writing *w = context;
    enum { ROWS_BETWEEN_REPORTS = 1 << 14 };
    w->last_is_blank = true;
    readstat_error_t error = readstat_begin_row(w->writer);
    for (size_t i = 0; error == READSTAT_OK && i < w->n; i++)
        error = put_cell(w, i, row);
    if (error == READSTAT_OK)
        error = readstat_end_row(w->writer);
    KAN_TRY(status_of(w, error));
    if (++w->n_rows % ROWS_BETWEEN_REPORTS == 0) {
        KAN_TRY(kan_check_cancel(w->run));
        kan_report_units(w->run, "write", "rows", w->n_rows, w->plan->release->n_released);
    }
    return KAN_OK;
}

/* ---- the whole file ------------------------------------------------------------------------- */

/* Formats write local time: the same hour of the same day everywhere. */
static time_t fixed_time(void) {
    struct tm day = {.tm_year = 80, .tm_mon = 0, .tm_mday = 1, .tm_hour = 12, .tm_isdst = 0};
    return mktime(&day);
}

/* The old version of .xpt is read by more programs. */
static bool fits_old_xpt(const stat_writing *w) {
    enum { NAME = 8, LABEL = 40, TEXT = 200 };
    for (size_t i = 0; i < w->n; i++) {
        const kan_field *field = &w->outputs[i].column->field;
        if (strlen(field->name) > NAME || (field->label && strlen(field->label) > LABEL) ||
            w->outputs[i].width > TEXT ||
            (w->outputs[i].format && strlen(w->outputs[i].format) > NAME))
            return false;
    }
    return true;
}

static readstat_error_t begin_writing(stat_writing *w) {
    const long n_rows = (long)w->plan->release->n_released;
    switch (w->to) {
    case KAN_STAT_TO_SAV:
        readstat_writer_set_compression(w->writer, READSTAT_COMPRESS_ROWS);
        return readstat_begin_writing_sav(w->writer, w, n_rows);
    case KAN_STAT_TO_ZSAV:
        readstat_writer_set_compression(w->writer, READSTAT_COMPRESS_BINARY);
        return readstat_begin_writing_sav(w->writer, w, n_rows);
    case KAN_STAT_TO_POR:
        return readstat_begin_writing_por(w->writer, w, n_rows);
    case KAN_STAT_TO_DTA:
        readstat_writer_set_file_format_version(w->writer, 118);
        return readstat_begin_writing_dta(w->writer, w, n_rows);
    case KAN_STAT_TO_XPT:
        readstat_writer_set_file_format_version(w->writer, fits_old_xpt(w) ? 5 : 8);
        return readstat_begin_writing_xport(w->writer, w, n_rows);
    }
    return READSTAT_ERROR_WRITE;
}

static kan_status write_file(stat_writing *w) {
    KAN_TRY(prepare_columns(w));
    readstat_writer_set_file_timestamp(w->writer, fixed_time());
    KAN_TRY(status_of(w, begin_writing(w)));
    KAN_TRY(kan_sink_each_row(w->run, w->plan->release, put_row, w));
    if (w->to == KAN_STAT_TO_XPT && w->last_is_blank && w->n_rows > 0)
        return kan_fail(w->run, KAN_BAD_INPUT,
                        "the last row has no value in any column, which a .xpt file cannot hold; "
                        "write another format, such as CSV");
    KAN_TRY(status_of(w, readstat_end_writing(w->writer)));
    return flush(w) ? KAN_OK : w->status;
}

/* Columns with labels are read as they were written: what the rows that are left tell may be
 * something else. */
static kan_status tell_labels(const stat_writing *w, kan_source_options *readback) {
    kan_arena *arena = kan_run_arena(w->run);
    kan_options *options;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *options, &options));
    *options = (kan_options){.arena = arena};
    KAN_TRY(kan_arena_alloc(arena, w->n, sizeof *options->values, &options->values));
    for (size_t i = 0; i < w->n; i++) {
        const char *name = w->outputs[i].column->field.name;
        const char *how = w->outputs[i].shows_labels ? "labels" : "codes";
        const size_t size = strlen(name) + strlen(how) + 2;
        char *said;
        if (!w->outputs[i].has_labels)
            continue;
        KAN_TRY(kan_arena_alloc(arena, size, 1, &said));
        (void)snprintf(said, size, "%s=%s", name, how);
        options->values[options->n].name = "labels";
        options->values[options->n++].value = said;
    }
    readback->given = options;
    readback->spellings = NULL;
    readback->encoding = NULL;
    return KAN_OK;
}

static kan_status check_encoding(kan_run *run, const kan_sink_plan *plan,
                                 const kan_stat_limits *limits) {
    if (!plan->encoding || strcasecmp(plan->encoding, "UTF-8") == 0)
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT,
                    "a %s file is always written in UTF-8; leave out --output-encoding",
                    limits->ending);
}

static kan_status write_stat(kan_run *run, const kan_sink_plan *plan, kan_target *target,
                             kan_source_options *readback, kan_stat_target to) {
    stat_writing w = {.run = run,
                      .plan = plan,
                      .to = to,
                      .limits = kan_stat_limits_of(to),
                      .target = target,
                      .n = plan->release->n_columns};
    kan_status status;
    kan_arena_init(&w.arena, run);
    KAN_TRY_DONE(check_encoding(run, plan, w.limits));
    KAN_TRY_DONE(kan_alloc(run, OUT_BYTES, 1, &w.buffer));
    w.writer = readstat_writer_init();
    KAN_TRY_DONE(status_of(&w, w.writer ? readstat_set_data_writer(w.writer, put_bytes)
                                        : READSTAT_ERROR_MALLOC));
    KAN_TRY_DONE(write_file(&w));
    KAN_TRY_DONE(tell_labels(&w, readback));
done:
    if (w.writer)
        readstat_writer_free(w.writer);
    kan_free(run, w.buffer);
    kan_arena_destroy(&w.arena);
    return status;
}

/* ---- kinds ---------------------------------------------------------------------------------- */

#define STAT_SINK(id, to, words_, summary_)                                                        \
    static bool id##_takes(const char *path) {                                                     \
        return kan_source_##id.takes(path);                                                        \
    }                                                                                              \
    static kan_status id##_check(kan_run *run, const kan_sink_sketch *sketch) {                    \
        return kan_stat_check(run, to, sketch);                                                    \
    }                                                                                              \
    static kan_status id##_write(kan_run *run, const kan_sink_plan *plan, kan_target *target,      \
                                 kan_source_options *readback, kan_formulas *formulas) {           \
        (void)formulas;                                                                            \
        return write_stat(run, plan, target, readback, to);                                        \
    }                                                                                              \
    const kan_sink_kind kan_sink_##id = {.kind = {.name = #id,                                     \
                                                  .summary = summary_,                             \
                                                  .options = kan_stat_codebook_options,            \
                                                  .n_options = KAN_STAT_CODEBOOK_OPTIONS,          \
                                                  .is_everyday = true},                            \
                                         .files = {{#id, words_ " (." #id ")"}},                   \
                                         .takes = id##_takes,                                      \
                                         .reader = &kan_source_##id,                               \
                                         .is_typed = true,                                         \
                                         .has_codebook = true,                                     \
                                         .check = id##_check,                                      \
                                         .write = id##_write}

STAT_SINK(sav, KAN_STAT_TO_SAV, "SPSS", "SPSS");
STAT_SINK(zsav, KAN_STAT_TO_ZSAV, "SPSS, compressed", "SPSS, compressed");
STAT_SINK(por, KAN_STAT_TO_POR, "SPSS, portable", "SPSS, portable");
STAT_SINK(dta, KAN_STAT_TO_DTA, "Stata", "Stata 14 and later");
STAT_SINK(xpt, KAN_STAT_TO_XPT, "SAS transport", "SAS transport");

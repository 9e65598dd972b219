/* Batches of a stream, checked as far as readers rely on them. The interface has no sizes of buffers:
 * that they are as long as they should be is the producer's word. O(columns) per batch. */
#include <errno.h>
#include <string.h>

#include "io/arrow/arrow_inside.h"

/* ---- making --------------------------------------------------------------------------------- */

kan_status kan_arrow_create(kan_run *run, const char *name, kan_arrow **out) {
    kan_arrow *arrow;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *arrow, &arrow));
    arrow->run = run;
    arrow->name = name;
    kan_arena_init(&arrow->arena, run);
    *out = arrow;
    return KAN_OK;
}

void kan_arrow_destroy(kan_arrow *arrow) {
    if (!arrow)
        return;
    for (size_t i = 0; i < arrow->n_batches; i++)
        if (arrow->batches[i].release)
            arrow->batches[i].release(&arrow->batches[i]);
    if (arrow->schema.release)
        arrow->schema.release(&arrow->schema);
    kan_free(arrow->run, arrow->batches);
    kan_arena_destroy(&arrow->arena);
    kan_free(arrow->run, arrow);
}

uint64_t kan_arrow_n_rows(const kan_arrow *arrow) {
    return arrow->n_rows;
}

size_t kan_arrow_n_columns(const kan_arrow *arrow) {
    return arrow->n_columns;
}

const char *const *kan_arrow_names(const kan_arrow *arrow) {
    return arrow->names;
}

kan_status kan_arrow_broken(const kan_arrow *arrow, const char *what) {
    return kan_fail(arrow->run, KAN_BAD_INPUT,
                    "%s: its Arrow arrays are broken: %s; report it to whoever made them",
                    arrow->name, what);
}

/* ---- the schema ----------------------------------------------------------------------------- */

kan_status kan_arrow_take_schema(kan_arrow *arrow) {
    const struct ArrowSchema *schema = &arrow->schema;
    if (!schema->format || strcmp(schema->format, "+s") != 0 || schema->n_children < 0 ||
        schema->dictionary)
        return kan_fail(arrow->run, KAN_BAD_INPUT,
                        "%s: the Arrow stream has no columns, its type is '%s'; pass a table, not "
                        "a single array",
                        arrow->name, schema->format ? schema->format : "");
    const size_t n = (size_t)schema->n_children;
    KAN_TRY(kan_arena_alloc(&arrow->arena, n, sizeof *arrow->names, &arrow->names));
    KAN_TRY(kan_arena_alloc(&arrow->arena, n, sizeof *arrow->types, &arrow->types));
    KAN_TRY(kan_arena_alloc(&arrow->arena, n, sizeof *arrow->fields, &arrow->fields));
    arrow->n_columns = n;
    for (size_t i = 0; i < n; i++) {
        const struct ArrowSchema *child = schema->children[i];
        if (!child || !child->format || (child->dictionary && !child->dictionary->format))
            return kan_arrow_broken(arrow, "a column has no type");
        arrow->names[i] = child->name ? child->name : "";
        arrow->types[i] = kan_arrow_type_of(child);
        arrow->fields[i] = (kan_field){.name = arrow->names[i],
                                       .type = arrow->types[i].scalar.field,
                                       .is_nested = arrow->types[i].layout == KAN_ARROW_OTHER,
                                       .family = "arrow",
                                       .format = arrow->types[i].name};
    }
    return KAN_OK;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static int64_t n_buffers_of(const kan_arrow_type *type, bool is_index) {
    if (is_index)
        return 2;
    switch (type->layout) {
    case KAN_ARROW_EMPTY:
        return 0;
    case KAN_ARROW_BITS:
    case KAN_ARROW_WORDS:
        return 2;
    default:
        return 3; /* views: and more */
    }
}

/* Sums of both are places in buffers. */
static kan_status check_length(const kan_arrow *arrow, const struct ArrowArray *array) {
    if (array->length < 0 || array->offset < 0)
        return kan_arrow_broken(arrow, "a length is negative");
    if (array->offset >= INT64_MAX - array->length)
        return kan_arrow_broken(arrow, "a length is larger than any memory");
    return KAN_OK;
}

static kan_status check_values(const kan_arrow *arrow, const kan_arrow_type *type, bool is_index,
                               const struct ArrowArray *array) {
    const int64_t n_buffers = n_buffers_of(type, is_index);
    const bool is_view = !is_index && type->layout == KAN_ARROW_VIEWS;
    KAN_TRY(check_length(arrow, array));
    if (is_view ? array->n_buffers < n_buffers : array->n_buffers != n_buffers)
        return kan_arrow_broken(arrow, "the buffers of a column do not match its type");
    if (array->length > 0 && n_buffers >= 2 && !array->buffers[1])
        return kan_arrow_broken(arrow, "a buffer is missing");
    if (is_view && n_buffers < array->n_buffers && !array->buffers[array->n_buffers - 1])
        return kan_arrow_broken(arrow, "the sizes of the buffers of views are missing");
    return KAN_OK;
}

static kan_status check_column(const kan_arrow *arrow, const kan_arrow_type *type,
                               const struct ArrowArray *array, int64_t n_rows) {
    if (!array || !array->release)
        return kan_arrow_broken(arrow, "a column is missing");
    if (array->length < n_rows)
        return kan_arrow_broken(arrow, "a column has fewer values than the batch has rows");
    if (type->layout == KAN_ARROW_OTHER)
        return KAN_OK;
    KAN_TRY(check_values(arrow, type, type->index_size > 0, array));
    if (type->index_size == 0)
        return KAN_OK;
    if (!array->dictionary)
        return kan_arrow_broken(arrow, "a dictionary is missing");
    return check_values(arrow, type, false, array->dictionary);
}

/* Rows that are missing as a whole have no meaning here. */
static bool has_missing_rows(const struct ArrowArray *batch) {
    const uint8_t *bits = batch->n_buffers > 0 ? batch->buffers[0] : NULL;
    if (!bits || batch->null_count == 0)
        return false;
    for (int64_t i = batch->offset; i < batch->offset + batch->length; i++)
        if (!(bits[i / 8] >> i % 8 & 1))
            return true;
    return false;
}

static kan_status check_batch(const kan_arrow *arrow, const struct ArrowArray *batch) {
    KAN_TRY(check_length(arrow, batch));
    if ((size_t)batch->n_children != arrow->n_columns)
        return kan_arrow_broken(arrow, "the columns of a batch do not match the schema");
    if (has_missing_rows(batch))
        return kan_fail(arrow->run, KAN_BAD_INPUT,
                        "%s: a batch has rows that are null as a whole; leave them out",
                        arrow->name);
    for (size_t i = 0; i < arrow->n_columns; i++)
        KAN_TRY(check_column(arrow, &arrow->types[i], batch->children[i],
                             batch->length + batch->offset));
    return KAN_OK;
}

/* ---- the stream ----------------------------------------------------------------------------- */

static kan_status fail_of(const kan_arrow *arrow, struct ArrowArrayStream *stream, int error) {
    const char *text = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    if (error == ENOMEM)
        return kan_fail(arrow->run, KAN_FAILED, "out of memory in whatever makes the rows of %s",
                        arrow->name);
    return kan_fail(arrow->run, KAN_FAILED, "%s: the producer of its rows failed: %s", arrow->name,
                    text && *text ? text : strerror(error));
}

static kan_status take_batches(kan_arrow *arrow, struct ArrowArrayStream *stream) {
    for (;;) {
        struct ArrowArray batch = {0};
        KAN_TRY(kan_check_cancel(arrow->run));
        KAN_TRY(kan_reserve(arrow->run, arrow->n_batches + 1, sizeof *arrow->batches,
                            &arrow->capacity, &arrow->batches));
        const int error = stream->get_next(stream, &batch);
        if (error)
            return fail_of(arrow, stream, error);
        if (!batch.release)
            return KAN_OK;
        arrow->batches[arrow->n_batches++] = batch; /* moved: it is ours to release */
        KAN_TRY(check_batch(arrow, &batch));
        arrow->n_rows += (uint64_t)batch.length;
    }
}

static kan_status take_stream(kan_arrow *arrow, struct ArrowArrayStream *stream) {
    const int error = stream->get_schema(stream, &arrow->schema);
    if (error) {
        arrow->schema.release = NULL;
        return fail_of(arrow, stream, error);
    }
    KAN_TRY(kan_arrow_take_schema(arrow));
    return take_batches(arrow, stream);
}

kan_status kan_arrow_import(kan_run *run, struct ArrowArrayStream *stream, kan_arrow **out) {
    kan_arrow *arrow = NULL;
    if (!stream || !stream->release)
        return kan_fail(run, KAN_BAD_INPUT,
                        "the table: the Arrow stream was already released or used; make a new one");
    kan_status status = kan_arrow_create(run, "the table", &arrow);
    if (status == KAN_OK)
        status = take_stream(arrow, stream);
    stream->release(stream);
    if (status == KAN_OK)
        *out = arrow;
    else
        kan_arrow_destroy(arrow);
    return status;
}

/* ---- values --------------------------------------------------------------------------------- */

static int64_t offset_at(const kan_arrow_values *values, size_t i) {
    return values->type->layout == KAN_ARROW_TEXT32 ? ((const int32_t *)values->offsets)[i]
                                                    : ((const int64_t *)values->offsets)[i];
}

static kan_arrow_values values_of(const kan_arrow_type *type, bool is_index,
                                  const struct ArrowArray *array) {
    kan_arrow_values values = {.type = type,
                               .first = (size_t)array->offset,
                               .n = (size_t)array->length,
                               .dictionary = array->dictionary};
    if (array->n_buffers == 0)
        return values;
    values.validity = array->null_count == 0 ? NULL : array->buffers[0];
    values.data = array->n_buffers > 1 ? array->buffers[1] : NULL;
    if (is_index)
        return values;
    if (type->layout == KAN_ARROW_TEXT32 || type->layout == KAN_ARROW_TEXT64) {
        values.offsets = array->buffers[1];
        values.data = array->buffers[2];
        if (array->length > 0)
            values.n_bytes = offset_at(&values, (size_t)(array->offset + array->length));
    }
    if (type->layout == KAN_ARROW_VIEWS) {
        values.parts = array->buffers + 2;
        values.n_parts = (size_t)array->n_buffers - 3;
        values.part_sizes = array->buffers[array->n_buffers - 1];
    }
    return values;
}

kan_arrow_values kan_arrow_column(const kan_arrow *arrow, size_t batch, size_t column) {
    const struct ArrowArray *rows = &arrow->batches[batch];
    const kan_arrow_type *type = &arrow->types[column];
    kan_arrow_values values = values_of(type, type->index_size > 0, rows->children[column]);
    values.first += (size_t)rows->offset;
    values.n = (size_t)rows->length;
    return values;
}

kan_arrow_values kan_arrow_dictionary(const kan_arrow_values *values) {
    return values_of(values->type, false, values->dictionary);
}

/* A text of up to 12 bytes stands in the view itself. */
typedef struct {
    int32_t size;
    char prefix[4];
    int32_t part, offset;
} text_view;

static bool find_view(const kan_arrow_values *values, size_t i, kan_slice *out) {
    const char *at = values->data + (values->first + i) * sizeof(text_view);
    text_view view;
    memcpy(&view, at, sizeof view);
    if (view.size < 0)
        return false;
    *out = (kan_slice){at + 4, (size_t)view.size};
    if (view.size <= 12)
        return true;
    if (view.part < 0 || (size_t)view.part >= values->n_parts || view.offset < 0 ||
        !values->parts[view.part] ||
        (int64_t)view.offset + view.size > values->part_sizes[view.part])
        return false;
    out->bytes = (const char *)values->parts[view.part] + view.offset;
    return true;
}

bool kan_arrow_text(const kan_arrow_values *values, size_t i, kan_slice *out) {
    const size_t at = values->first + i;
    if (values->type->layout == KAN_ARROW_VIEWS)
        return find_view(values, i, out);
    const int64_t start = offset_at(values, at), end = offset_at(values, at + 1);
    if (start < 0 || end < start || end > values->n_bytes || (end > start && !values->data))
        return false;
    *out =
        end > start ? (kan_slice){values->data + start, (size_t)(end - start)} : (kan_slice){"", 0};
    return true;
}

kan_status kan_arrow_show(const kan_arrow *arrow, const kan_arrow_values *values, size_t i,
                          char room[KAN_SCALAR_ROOM], kan_slice *out) {
    const kan_arrow_type *type = values->type;
    *out = (kan_slice){"", 0};
    if (type->layout == KAN_ARROW_EMPTY || kan_arrow_is_missing(values, i))
        return KAN_OK;
    if (kan_arrow_is_text(type))
        return kan_arrow_text(values, i, out)
                   ? KAN_OK
                   : kan_arrow_broken(arrow, "a text lies outside its buffer");
    const uint8_t bit = type->layout == KAN_ARROW_BITS && kan_arrow_bit(values, i);
    const void *value = type->layout == KAN_ARROW_BITS
                            ? (const void *)&bit
                            : values->data + (values->first + i) * type->scalar.size;
    *out = (kan_slice){room, kan_scalar_text(&type->scalar, value, room)};
    return KAN_OK;
}

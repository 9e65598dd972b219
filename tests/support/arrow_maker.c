#include "support/arrow_maker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "io/arrow/arrow_inside.h"

/* ---- arrays --------------------------------------------------------------------------------- */

static void free_array(struct ArrowArray *array) {
    long *n_live = array->private_data;
    assert_non_null(array->release);
    for (int64_t i = 0; i < array->n_buffers; i++)
        free((void *)(uintptr_t)array->buffers[i]);
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    if (array->dictionary) {
        array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    free(array->buffers);
    free(array->children);
    array->release = NULL;
    --*n_live;
}

static void begin_array(const maker *from, size_t n, size_t n_buffers, struct ArrowArray *out) {
    *out = (struct ArrowArray){.length = (int64_t)n,
                               .null_count = -1,
                               .n_buffers = (int64_t)n_buffers,
                               .buffers = calloc(n_buffers + 1, sizeof *out->buffers),
                               .release = free_array,
                               .private_data = from->n_live};
    ++*from->n_live;
}

static void put_text(struct ArrowArray *array, bool is_wide, const char *const *texts, size_t n) {
    char *bytes = malloc(1);
    size_t size = 0;
    void *offsets = calloc(n + 1, is_wide ? 8 : 4);
    for (size_t i = 0; i < n; i++) {
        const size_t more = texts[i] ? strlen(texts[i]) : 0;
        bytes = realloc(bytes, size + more + 1);
        if (more > 0)
            memcpy(bytes + size, texts[i], more);
        size += more;
        if (is_wide)
            ((int64_t *)offsets)[i + 1] = (int64_t)size;
        else
            ((int32_t *)offsets)[i + 1] = (int32_t)size;
    }
    array->buffers[1] = offsets;
    array->buffers[2] = bytes;
}

/* Long texts lie in one of two buffers. */
static void put_views(struct ArrowArray *array, const char *const *texts, size_t n) {
    char *views = calloc(n + 1, 16), *parts[2] = {malloc(1), malloc(1)};
    int64_t *sizes = calloc(2, sizeof *sizes);
    for (size_t i = 0; i < n; i++) {
        const int32_t size = texts[i] ? (int32_t)strlen(texts[i]) : 0, part = i % 2;
        memcpy(views + i * 16, &size, 4);
        if (size <= 12) {
            memcpy(views + i * 16 + 4, texts[i] ? texts[i] : "", (size_t)size);
            continue;
        }
        const int32_t at = (int32_t)sizes[part];
        parts[part] = realloc(parts[part], (size_t)(at + size));
        memcpy(parts[part] + at, texts[i], (size_t)size);
        memcpy(views + i * 16 + 4, texts[i], 4);
        memcpy(views + i * 16 + 8, &part, 4);
        memcpy(views + i * 16 + 12, &at, 4);
        sizes[part] += size;
    }
    array->buffers[1] = views;
    array->buffers[2] = parts[0];
    array->buffers[3] = parts[1];
    array->buffers[4] = sizes;
}

static void put_words(struct ArrowArray *array, const kan_arrow_type *type,
                      const char *const *texts, size_t n) {
    const size_t size = type->scalar.size;
    char *words = calloc(n + 1, size);
    for (size_t i = 0; i < n; i++) {
        char room[16];
        if (texts[i] && *texts[i]) {
            if (!kan_scalar_value(&type->scalar, (kan_slice){texts[i], strlen(texts[i])}, room))
                fail_msg("no %s: %s", type->name, texts[i]);
            if (type->layout == KAN_ARROW_BITS)
                words[i / 8] = (char)(words[i / 8] | (room[0] != 0) << i % 8);
            else
                memcpy(words + i * size, room, size);
        }
    }
    array->buffers[1] = words;
}

static void put_validity(struct ArrowArray *array, const char *const *texts, size_t n) {
    uint8_t *bits = calloc(n / 8 + 1, 1);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        bits[i / 8] |= (uint8_t)((texts[i] != NULL) << i % 8);
        any |= !texts[i];
    }
    if (!any && n % 2) { /* both ways to say that there is none */
        free(bits);
        bits = NULL;
        array->null_count = 0;
    }
    array->buffers[0] = bits;
}

static void make_values(const maker *from, const char *format, const char *const *texts, size_t n,
                        struct ArrowArray *out) {
    const kan_arrow_type type = kan_arrow_type_find(format);
    const size_t n_buffers = type.layout == KAN_ARROW_EMPTY   ? 0
                             : type.layout == KAN_ARROW_VIEWS ? 5
                             : kan_arrow_is_text(&type)       ? 3
                                                              : 2;
    begin_array(from, n, n_buffers, out);
    if (n_buffers == 0)
        return;
    put_validity(out, texts, n);
    if (type.layout == KAN_ARROW_VIEWS)
        put_views(out, texts, n);
    else if (kan_arrow_is_text(&type))
        put_text(out, type.layout == KAN_ARROW_TEXT64, texts, n);
    else if (type.layout != KAN_ARROW_OTHER)
        put_words(out, &type, texts, n);
    else
        out->buffers[1] = calloc(n + 1, 16);
}

static size_t find_text(const char *const *texts, size_t n, const char *text) {
    size_t i = 0;
    while (i < n && strcmp(texts[i], text) != 0)
        i++;
    return i;
}

/* Indices into the distinct texts, those of `all` first, which nobody may have. */
static void make_indices(const maker *from, const maker_column *column, const char *const *texts,
                         size_t n, const char *const *all, size_t n_all, struct ArrowArray *out) {
    const kan_arrow_type type = kan_arrow_type_find(column->format);
    const char **values = calloc(2 * (n + n_all + 1), sizeof *values);
    char(*numbers)[24] = calloc(n + 1, sizeof *numbers);
    const char **indices = calloc(n + 1, sizeof *indices);
    size_t n_values = 0;
    if (kan_arrow_is_text(&type))
        values[n_values++] = "NOBODY";
    for (size_t i = 0; i < n_all + n; i++) {
        const char *text = i < n_all ? all[i] : texts[i - n_all];
        if (text && find_text(values, n_values, text) == n_values)
            values[n_values++] = text;
    }
    for (size_t i = 0; i < n; i++)
        if (texts[i]) {
            const size_t at = find_text(values, n_values, texts[i]);
            snprintf(numbers[i], sizeof numbers[i], "%zu",
                     from->repeats_values && i % 2 ? at + n_values : at);
            indices[i] = numbers[i];
        }
    for (size_t i = 0; from->repeats_values && i < n_values; i++)
        values[n_values + i] = values[i];
    n_values *= from->repeats_values ? 2 : 1;
    make_values(from, column->index, indices, n, out);
    out->dictionary = malloc(sizeof *out->dictionary);
    make_values(from, column->format, values, n_values, out->dictionary);
    free(values);
    free(numbers);
    free(indices);
}

/* ---- the stream ----------------------------------------------------------------------------- */

typedef struct {
    const maker *from;
    size_t row;
    int n_batches;
    bool was_empty;
} making;

static void free_schema(struct ArrowSchema *schema) {
    long *n_live = schema->private_data;
    assert_non_null(schema->release);
    for (int64_t i = 0; i < schema->n_children; i++) {
        schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    if (schema->dictionary) {
        schema->dictionary->release(schema->dictionary);
        free(schema->dictionary);
    }
    free(schema->children);
    schema->release = NULL;
    --*n_live;
}

static void make_schema(const maker *from, const char *format, const char *name,
                        struct ArrowSchema *out) {
    *out = (struct ArrowSchema){.format = format,
                                .name = name,
                                .flags = ARROW_FLAG_NULLABLE,
                                .release = free_schema,
                                .private_data = from->n_live};
    ++*from->n_live;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const maker *from = ((const making *)stream->private_data)->from;
    make_schema(from, "+s", "", out);
    out->n_children = (int64_t)from->n_columns;
    out->children = calloc(from->n_columns + 1, sizeof *out->children);
    for (size_t i = 0; i < from->n_columns; i++) {
        const maker_column *column = &from->columns[i];
        struct ArrowSchema *child = out->children[i] = calloc(1, sizeof *child);
        make_schema(from, column->index ? column->index : column->format, column->name, child);
        if (column->index) {
            child->flags |= from->ordered == i + 1 ? ARROW_FLAG_DICTIONARY_ORDERED : 0;
            child->dictionary = calloc(1, sizeof *child->dictionary);
            make_schema(from, column->format, "", child->dictionary);
        }
    }
    return 0;
}

static void make_column(const maker *from, size_t column, size_t first, size_t n,
                        struct ArrowArray *out) {
    const size_t before = from->offset + from->row_offset;
    const char **texts = calloc(n + before + 1, sizeof *texts);
    const char **all = calloc(from->n_rows + 1, sizeof *all);
    for (size_t i = 0; i < n; i++)
        texts[before + i] = from->cells[(first + i) * from->n_columns + column];
    for (size_t i = 0; i < from->n_rows; i++)
        all[i] = from->cells[i * from->n_columns + column];
    if (from->columns[column].index)
        make_indices(from, &from->columns[column], texts, n + before, all,
                     from->shares_dictionary ? from->n_rows : 0, out);
    else
        make_values(from, from->columns[column].format, texts, n + before, out);
    out->offset = (int64_t)from->offset;
    out->length -= out->offset;
    free(texts);
    free(all);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    making *m = stream->private_data;
    const maker *from = m->from;
    *out = (struct ArrowArray){0};
    if (from->fails_at && m->n_batches + 1 == from->fails_at)
        return EIO;
    if (m->row >= from->n_rows && (from->n_rows > 0 || m->n_batches > 0))
        return 0;
    size_t n = from->n_rows - m->row;
    if (from->batch_rows && n > from->batch_rows)
        n = from->batch_rows;
    m->was_empty = from->has_empty && !m->was_empty;
    if (m->was_empty)
        n = 0;
    begin_array(from, n, 1, out);
    out->offset = (int64_t)from->row_offset;
    out->n_children = (int64_t)from->n_columns;
    out->children = calloc(from->n_columns + 1, sizeof *out->children);
    for (size_t i = 0; i < from->n_columns; i++) {
        out->children[i] = calloc(1, sizeof **out->children);
        make_column(from, i, m->row, n, out->children[i]);
    }
    m->row += n;
    m->n_batches++;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the cable was pulled";
}

static void release_stream(struct ArrowArrayStream *stream) {
    making *m = stream->private_data;
    assert_non_null(stream->release);
    --*m->from->n_live;
    stream->release = NULL;
    free(m);
}

void maker_stream(const maker *from, struct ArrowArrayStream *out) {
    making *m = calloc(1, sizeof *m);
    m->from = from;
    ++*from->n_live;
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, m};
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct {
    char *bytes;
    size_t size, capacity;
} page;

static void add(page *p, const char *bytes, size_t size) {
    if (p->size + size + 1 > p->capacity) {
        p->capacity = (p->size + size + 1) * 2;
        p->bytes = realloc(p->bytes, p->capacity);
    }
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
    p->bytes[p->size] = '\0';
}

static void add_value(page *p, const struct ArrowSchema *schema, const struct ArrowArray *array,
                      int64_t at) {
    const kan_arrow_type type = kan_arrow_type_find(schema->format);
    const uint8_t *validity = array->n_buffers > 0 ? array->buffers[0] : NULL;
    char room[KAN_SCALAR_ROOM];
    at += array->offset;
    if (array->n_buffers == 0 || (validity && !(validity[at / 8] >> at % 8 & 1))) {
        add(p, "~", 1);
        return;
    }
    const char *data = array->buffers[1];
    if (schema->dictionary) {
        int64_t index = 0;
        memcpy(&index, data + (size_t)at * type.scalar.size, type.scalar.size);
        assert_true(index >= 0 && index < array->dictionary->length);
        add_value(p, schema->dictionary, array->dictionary, index);
    } else if (type.layout == KAN_ARROW_TEXT32) {
        const int32_t *offsets = array->buffers[1];
        add(p, (const char *)array->buffers[2] + offsets[at],
            (size_t)(offsets[at + 1] - offsets[at]));
    } else if (type.layout == KAN_ARROW_TEXT64) {
        const int64_t *offsets = array->buffers[1];
        add(p, (const char *)array->buffers[2] + offsets[at],
            (size_t)(offsets[at + 1] - offsets[at]));
    } else if (type.layout == KAN_ARROW_VIEWS) {
        int32_t view[4];
        memcpy(view, data + at * 16, 16);
        add(p,
            view[0] <= 12 ? data + at * 16 + 4
                          : (const char *)array->buffers[2 + view[2]] + view[3],
            (size_t)view[0]);
    } else if (type.layout == KAN_ARROW_BITS) {
        const bool bit = (uint8_t)data[at / 8] >> at % 8 & 1;
        add(p, bit ? "true" : "false", bit ? 4 : 5);
    } else {
        add(p, room, kan_scalar_text(&type.scalar, data + (size_t)at * type.scalar.size, room));
    }
}

static void add_header(page *p, const struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *child = schema->children[i];
        char line[256];
        snprintf(line, sizeof line, "%s:%s%s%s\n", child->name, child->format,
                 child->dictionary ? "/" : "", child->dictionary ? child->dictionary->format : "");
        add(p, line, strlen(line));
    }
}

static char *read_stream(struct ArrowArrayStream *stream, bool has_header) {
    page p = {0};
    struct ArrowSchema schema;
    add(&p, "", 0);
    assert_int_equal(stream->get_schema(stream, &schema), 0);
    if (has_header)
        add_header(&p, &schema);
    for (;;) {
        struct ArrowArray batch;
        assert_int_equal(stream->get_next(stream, &batch), 0);
        if (!batch.release)
            break;
        for (int64_t row = 0; row < batch.length; row++)
            for (int64_t i = 0; i < batch.n_children; i++) {
                add_value(&p, schema.children[i], batch.children[i], row + batch.offset);
                add(&p, i + 1 < batch.n_children ? "|" : "\n", 1);
            }
        batch.release(&batch);
    }
    schema.release(&schema);
    stream->release(stream);
    return p.bytes;
}

char *maker_text(struct ArrowArrayStream *stream) {
    return read_stream(stream, true);
}

char *maker_rows(struct ArrowArrayStream *stream) {
    return read_stream(stream, false);
}

/* Arrays and schemas that belong to whoever takes them, and the stream that hands them over. All of
 * it is the C library's memory, not the run's: it may live longer. Until it is handed over, the run's
 * account has what lies in buffers. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "io/arrow/arrow_inside.h"

kan_status kan_arrow_alloc(kan_run *run, size_t bytes, void *out) {
    char text[32];
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        return kan_fail(run, KAN_FAILED, "out of memory: %s more were needed for the release",
                        kan_bytes_text(bytes, text));
    memcpy(out, &memory, sizeof memory);
    return KAN_OK;
}

/* ---- buffers -------------------------------------------------------------------------------- */

/* What stands before the bytes. */
typedef union {
    struct {
        kan_run *run; /* that has them in its account; NULL: they were handed over */
        size_t bytes;
    } of;
    max_align_t aligned;
} buffer_head;

static buffer_head *head_of(const void *buffer) {
    return (buffer_head *)(uintptr_t)buffer - 1;
}

static kan_status no_memory(kan_run *run, size_t bytes) {
    char text[32];
    kan_memory_return(run, bytes);
    return kan_fail(run, KAN_FAILED, "out of memory: %s more were needed for the release",
                    kan_bytes_text(bytes, text));
}

kan_status kan_arrow_buffer(kan_run *run, size_t bytes, void *out) {
    KAN_TRY(kan_memory_lend(run, bytes));
    buffer_head *head = calloc(1, sizeof *head + bytes);
    if (!head)
        return no_memory(run, bytes);
    head->of.run = run;
    head->of.bytes = bytes;
    void *buffer = head + 1;
    memcpy(out, &buffer, sizeof buffer);
    return KAN_OK;
}

kan_status kan_arrow_buffer_grow(kan_run *run, size_t bytes, const void **inout) {
    const size_t more = bytes - head_of(*inout)->of.bytes;
    KAN_TRY(kan_memory_lend(run, more));
    buffer_head *head = realloc(head_of(*inout), sizeof *head + bytes);
    if (!head)
        return no_memory(run, more);
    head->of.bytes = bytes;
    *inout = head + 1;
    return KAN_OK;
}

void kan_arrow_buffer_free(const void *buffer) {
    if (!buffer)
        return;
    buffer_head *head = head_of(buffer);
    if (head->of.run)
        kan_memory_return(head->of.run, head->of.bytes);
    free(head);
}

/* The run may end before whoever has the array now. */
static void leave_account(const struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_buffers; i++)
        if (array->buffers[i] && head_of(array->buffers[i])->of.run) {
            buffer_head *head = head_of(array->buffers[i]);
            kan_memory_return(head->of.run, head->of.bytes);
            head->of.run = NULL;
        }
    for (int64_t i = 0; i < array->n_children; i++)
        leave_account(array->children[i]);
    if (array->dictionary)
        leave_account(array->dictionary);
}

/* ---- arrays --------------------------------------------------------------------------------- */

static void release_array(struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_buffers; i++)
        kan_arrow_buffer_free(array->buffers[i]);
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i] && array->children[i]->release)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    if (array->dictionary) {
        if (array->dictionary->release)
            array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    free(array->buffers);
    free(array->children);
    array->release = NULL;
}

kan_status kan_arrow_make_array(kan_run *run, size_t n_buffers, size_t n_children,
                                struct ArrowArray *out) {
    *out = (struct ArrowArray){.release = release_array};
    kan_status status = kan_arrow_alloc(run, n_buffers * sizeof *out->buffers, &out->buffers);
    if (status == KAN_OK) {
        out->n_buffers = (int64_t)n_buffers;
        status = kan_arrow_alloc(run, n_children * sizeof *out->children, &out->children);
    }
    for (size_t i = 0; i < n_children && status == KAN_OK; i++) {
        status = kan_arrow_alloc(run, sizeof **out->children, &out->children[i]);
        out->n_children += status == KAN_OK;
    }
    if (status != KAN_OK)
        release_array(out);
    return status;
}

/* ---- schemas -------------------------------------------------------------------------------- */

static void release_schema(struct ArrowSchema *schema) {
    free((void *)(uintptr_t)schema->format);
    free((void *)(uintptr_t)schema->name);
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    if (schema->dictionary) {
        if (schema->dictionary->release)
            schema->dictionary->release(schema->dictionary);
        free(schema->dictionary);
    }
    free(schema->children);
    schema->release = NULL;
}

static kan_status copy_text(kan_run *run, const char *text, const char **out) {
    char *copy = NULL;
    KAN_TRY(kan_arrow_alloc(run, strlen(text) + 1, &copy));
    strcpy(copy, text);
    *out = copy;
    return KAN_OK;
}

kan_status kan_arrow_make_schema(kan_run *run, const char *format, const char *name,
                                 size_t n_children, struct ArrowSchema *out) {
    *out = (struct ArrowSchema){.flags = ARROW_FLAG_NULLABLE, .release = release_schema};
    kan_status status = copy_text(run, format, &out->format);
    if (status == KAN_OK)
        status = copy_text(run, name, &out->name);
    if (status == KAN_OK)
        status = kan_arrow_alloc(run, n_children * sizeof *out->children, &out->children);
    for (size_t i = 0; i < n_children && status == KAN_OK; i++) {
        status = kan_arrow_alloc(run, sizeof **out->children, &out->children[i]);
        out->n_children += status == KAN_OK;
    }
    if (status != KAN_OK)
        release_schema(out);
    return status;
}

/* ---- the stream ----------------------------------------------------------------------------- */

typedef struct {
    struct ArrowSchema schema;
    struct ArrowArray *batches;
    size_t n_batches, next;
    const char *error;
} handed;

/* A schema may be asked for several times, so that it is copied; false: memory is out. */
static bool copy_schema(const struct ArrowSchema *from, struct ArrowSchema *out) {
    *out = (struct ArrowSchema){.flags = from->flags, .release = release_schema};
    out->format = strdup(from->format);
    out->name = strdup(from->name);
    out->children = calloc(from->n_children ? (size_t)from->n_children : 1, sizeof *out->children);
    bool is_done = out->format && out->name && out->children;
    for (int64_t i = 0; is_done && i < from->n_children; i++) {
        out->children[i] = calloc(1, sizeof **out->children);
        is_done = out->children[i] != NULL;
        out->n_children += is_done;
        is_done = is_done && copy_schema(from->children[i], out->children[i]);
    }
    if (is_done && from->dictionary) {
        out->dictionary = calloc(1, sizeof *out->dictionary);
        is_done = out->dictionary && copy_schema(from->dictionary, out->dictionary);
    }
    if (!is_done)
        release_schema(out);
    return is_done;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    handed *h = stream->private_data;
    h->error = copy_schema(&h->schema, out) ? NULL : "out of memory";
    return h->error ? ENOMEM : 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    handed *h = stream->private_data;
    *out = (struct ArrowArray){0};
    if (h->next < h->n_batches)
        *out = h->batches[h->next++];
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    return ((const handed *)stream->private_data)->error;
}

static void release_stream(struct ArrowArrayStream *stream) {
    handed *h = stream->private_data;
    for (; h->next < h->n_batches; h->next++)
        h->batches[h->next].release(&h->batches[h->next]);
    h->schema.release(&h->schema);
    free(h->batches);
    free(h);
    stream->release = NULL;
}

kan_status kan_arrow_export(kan_arrow *arrow, struct ArrowArrayStream *out) {
    handed *h = NULL;
    struct ArrowArray *batches = NULL;
    KAN_TRY(kan_arrow_alloc(arrow->run, sizeof *h, &h));
    const kan_status status =
        kan_arrow_alloc(arrow->run, arrow->n_batches * sizeof *batches, &batches);
    if (status != KAN_OK) {
        free(h);
        return status;
    }
    memcpy(batches, arrow->batches, arrow->n_batches * sizeof *batches);
    for (size_t i = 0; i < arrow->n_batches; i++)
        leave_account(&batches[i]);
    *h = (handed){.schema = arrow->schema, .batches = batches, .n_batches = arrow->n_batches};
    arrow->n_batches = 0;
    arrow->schema.release = NULL;
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release_stream,
                                     .private_data = h};
    return KAN_OK;
}

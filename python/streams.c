/* Columns of Python as streams of Arrow, and back.
 *
 * A column is a tuple (name, format, flags, length, null_count, offset, buffers, dictionary): buffers
 * are None, bytes, or (address, size, owner); the dictionary is such a tuple, or None. */
#include "streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef PyBUF_READ
#define PyBUF_READ 0x100 /* the stable ABI has the call, and its header not the number */
#endif

PyObject *kanon_text_of(const char *text) {
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

/* ---- columns of Python as a stream ---------------------------------------------------------- */

static void release_our_array(struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    if (array->dictionary) {
        if (array->dictionary->release)
            array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    free(array->children);
    free(array->buffers);
    if (array->private_data) { /* any thread may release it */
        PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF((PyObject *)array->private_data);
        PyGILState_Release(state);
    }
    array->release = NULL;
}

static void release_our_schema(struct ArrowSchema *schema) {
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
    free((void *)(uintptr_t)schema->format);
    free((void *)(uintptr_t)schema->name);
    schema->release = NULL;
}

static int take_buffer(PyObject *from, const void **out) {
    PyObject *address, *size, *owner;
    *out = NULL;
    if (from == Py_None)
        return 0;
    if (PyBytes_Check(from)) {
        *out = PyBytes_AsString(from);
        return *out ? 0 : -1;
    }
    if (!PyArg_ParseTuple(from, "OOO", &address, &size, &owner))
        return -1;
    *out = PyLong_AsVoidPtr(address);
    return PyErr_Occurred() ? -1 : 0;
}

/* One column, without its name. The tuple stays with the array. */
static int make_array(PyObject *column, struct ArrowArray *out) {
    const char *name, *format;
    long long flags, length, nulls, offset;
    PyObject *buffers, *dictionary;
    *out = (struct ArrowArray){0};
    if (!PyArg_ParseTuple(column, "ssLLLLO!O", &name, &format, &flags, &length, &nulls, &offset,
                          &PyList_Type, &buffers, &dictionary))
        return -1;
    const Py_ssize_t n = PyList_Size(buffers);
    *out = (struct ArrowArray){.length = length,
                               .null_count = nulls,
                               .offset = offset,
                               .n_buffers = n,
                               .buffers = calloc((size_t)n + 1, sizeof *out->buffers),
                               .release = release_our_array};
    if (!out->buffers) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (take_buffer(PyList_GetItem(buffers, i), &out->buffers[i]) != 0)
            return -1;
    if (dictionary != Py_None) {
        out->dictionary = calloc(1, sizeof *out->dictionary);
        if (!out->dictionary || make_array(dictionary, out->dictionary) != 0)
            return -1;
    }
    Py_INCREF(column);
    out->private_data = column;
    return 0;
}

static int make_schema(const char *name, const char *format, long long flags, size_t n_children,
                       struct ArrowSchema *out) {
    *out = (struct ArrowSchema){.format = strdup(format),
                                .name = strdup(name),
                                .flags = flags,
                                .children = calloc(n_children + 1, sizeof *out->children),
                                .release = release_our_schema};
    int status = out->format && out->name && out->children ? 0 : -1;
    for (; status == 0 && (size_t)out->n_children < n_children; out->n_children++) {
        out->children[out->n_children] = calloc(1, sizeof **out->children);
        if (!out->children[out->n_children])
            status = -1;
        if (status != 0)
            break;
    }
    return status;
}

static int make_column_schema(PyObject *column, struct ArrowSchema *out) {
    const char *name, *format;
    long long flags, unused;
    PyObject *buffers, *dictionary;
    if (!PyArg_ParseTuple(column, "ssLLLLOO", &name, &format, &flags, &unused, &unused, &unused,
                          &buffers, &dictionary))
        return -1;
    if (make_schema(name, format, flags, 0, out) != 0)
        return -1;
    if (dictionary == Py_None)
        return 0;
    out->dictionary = calloc(1, sizeof *out->dictionary);
    return out->dictionary ? make_column_schema(dictionary, out->dictionary) : -1;
}

/* A stream; what Python gave is in it as a list of batches: (columns, rows). */
typedef struct {
    PyObject *batches;
    Py_ssize_t n_given;
} handed;

/* The columns of a batch, borrowed; NULL with an exception. */
static PyObject *columns_of(PyObject *batches, Py_ssize_t i, long long *n_rows) {
    PyObject *columns;
    return PyArg_ParseTuple(PyList_GetItem(batches, i), "O!L", &PyList_Type, &columns, n_rows)
               ? columns
               : NULL;
}

static int fail_errno(void) {
    PyErr_Clear();
    return ENOMEM; /* all else was checked when the stream was made */
}

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    handed *h = stream->private_data;
    PyGILState_STATE state = PyGILState_Ensure();
    long long n_rows;
    PyObject *columns = columns_of(h->batches, 0, &n_rows);
    const Py_ssize_t n = columns ? PyList_Size(columns) : 0;
    int status = make_schema("", "+s", 0, (size_t)n, out);
    for (Py_ssize_t i = 0; status == 0 && i < n; i++)
        status = make_column_schema(PyList_GetItem(columns, i), out->children[i]);
    if (status != 0) {
        out->release(out);
        status = fail_errno();
    }
    PyGILState_Release(state);
    return status;
}

static int give_batch(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    handed *h = stream->private_data;
    *out = (struct ArrowArray){0};
    PyGILState_STATE state = PyGILState_Ensure();
    if (h->n_given >= PyList_Size(h->batches)) {
        PyGILState_Release(state);
        return 0;
    }
    long long n_rows = 0;
    PyObject *columns = columns_of(h->batches, h->n_given, &n_rows);
    const Py_ssize_t n = columns ? PyList_Size(columns) : 0;
    int status = 0;
    *out = (struct ArrowArray){.length = n_rows,
                               .n_buffers = 1,
                               .buffers = calloc(1, sizeof *out->buffers),
                               .children = calloc((size_t)n + 1, sizeof *out->children),
                               .release = release_our_array};
    if (!out->buffers || !out->children)
        status = -1;
    for (Py_ssize_t i = 0; status == 0 && i < n; i++) {
        out->children[i] = calloc(1, sizeof **out->children);
        if (!out->children[i]) {
            status = -1;
            break;
        }
        out->n_children++;
        status = make_array(PyList_GetItem(columns, i), out->children[i]);
    }
    if (status != 0) {
        out->release(out);
        status = fail_errno();
    } else {
        h->n_given++;
    }
    PyGILState_Release(state);
    return status;
}

static const char *no_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "out of memory";
}

static void release_our_stream(struct ArrowArrayStream *stream) {
    handed *h = stream->private_data;
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(h->batches);
    PyGILState_Release(state);
    free(h);
    stream->release = NULL;
}

static void forget_stream(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, KANON_STREAM);
    if (stream && stream->release)
        stream->release(stream);
    free(stream);
}

PyObject *kanon_make_capsule(struct ArrowArrayStream **out) {
    *out = calloc(1, sizeof **out);
    if (!*out)
        return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(*out, KANON_STREAM, forget_stream);
    if (!capsule)
        free(*out);
    return capsule;
}

/* What is wrong with the columns is said here. */
static int check_columns(PyObject *columns) {
    struct ArrowArray array;
    for (Py_ssize_t i = 0; i < PyList_Size(columns); i++) {
        const int status = make_array(PyList_GetItem(columns, i), &array);
        if (array.release)
            array.release(&array);
        if (status != 0) {
            if (!PyErr_Occurred())
                PyErr_NoMemory();
            return -1;
        }
    }
    return 0;
}

PyObject *kanon_make_stream(PyObject *module, PyObject *args) {
    PyObject *batches;
    long long n_rows;
    struct ArrowArrayStream *stream;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!", &PyList_Type, &batches))
        return NULL;
    if (PyList_Size(batches) == 0) {
        PyErr_SetString(PyExc_ValueError, "a stream needs a batch");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(batches); i++) {
        PyObject *columns = columns_of(batches, i, &n_rows);
        if (!columns || check_columns(columns) != 0)
            return NULL;
    }
    PyObject *capsule = kanon_make_capsule(&stream);
    handed *h = capsule ? calloc(1, sizeof *h) : NULL;
    if (!h) {
        Py_XDECREF(capsule);
        return PyErr_NoMemory();
    }
    Py_INCREF(batches);
    *h = (handed){batches, 0};
    *stream = (struct ArrowArrayStream){give_schema, give_batch, no_error, release_our_stream, h};
    return capsule;
}

/* ---- a stream as columns of Python ---------------------------------------------------------- */

#define BATCH "kanon_batch"

static void forget_batch(PyObject *capsule) {
    struct ArrowArray *batch = PyCapsule_GetPointer(capsule, BATCH);
    if (batch && batch->release)
        batch->release(batch);
    free(batch);
}

/* Bytes of a value; 0: bits, or of no fixed size. */
static int64_t value_size(const char *format) {
    switch (*format) {
    case 'c':
    case 'C':
        return 1;
    case 's':
    case 'S':
        return 2;
    case 'i':
    case 'I':
    case 'f':
        return 4;
    case 'l':
    case 'L':
    case 'g':
        return 8;
    case 't':
        return strcmp(format, "tdD") == 0 || strcmp(format, "tts") == 0 ||
                       strcmp(format, "ttm") == 0
                   ? 4
                   : 8;
    case 'd':
        return strlen(format) > 3 && strcmp(format + strlen(format) - 3, ",32") == 0   ? 4
               : strlen(format) > 3 && strcmp(format + strlen(format) - 3, ",64") == 0 ? 8
                                                                                       : 16;
    case 'v':
        return 16;
    default:
        return 0;
    }
}

/* Bytes of a buffer, as far as `n` values need it. */
static int64_t buffer_size(const struct ArrowArray *array, const char *format, int64_t n,
                           int64_t i) {
    const bool is_text = *format == 'u' || *format == 'U';
    if (i == 0 || (i == 1 && *format == 'b'))
        return (n + 7) / 8;
    if (is_text && i == 1)
        return (n + 1) * (*format == 'u' ? 4 : 8);
    if (is_text && !array->buffers[1])
        return 0;
    if (is_text)
        return *format == 'u' ? ((const int32_t *)array->buffers[1])[n]
                              : ((const int64_t *)array->buffers[1])[n];
    if (i == 1)
        return n * value_size(format);
    if (*format != 'v')
        return 0; /* of no type that is read */
    return i + 1 < array->n_buffers ? ((const int64_t *)array->buffers[array->n_buffers - 1])[i - 2]
                                    : (array->n_buffers - 3) * 8;
}

/* `n` values from `first` on, where buffers begin. */
static PyObject *column_of(const struct ArrowSchema *schema, const struct ArrowArray *array,
                           int64_t first, int64_t n, PyObject *owner) {
    PyObject *buffers = PyList_New(0), *dictionary = NULL;
    for (int64_t i = 0; buffers && i < array->n_buffers; i++) {
        PyObject *item = NULL;
        if (array->buffers[i])
            item =
                Py_BuildValue("(NLO)", PyLong_FromVoidPtr((void *)(uintptr_t)array->buffers[i]),
                              (long long)buffer_size(array, schema->format, first + n, i), owner);
        else {
            Py_INCREF(Py_None);
            item = Py_None;
        }
        if (!item || PyList_Append(buffers, item) != 0)
            Py_CLEAR(buffers);
        Py_XDECREF(item);
    }
    if (!buffers)
        return NULL;
    if (array->dictionary && schema->dictionary) {
        dictionary = column_of(schema->dictionary, array->dictionary, array->dictionary->offset,
                               array->dictionary->length, owner);
        if (!dictionary) {
            Py_DECREF(buffers);
            return NULL;
        }
    } else {
        Py_INCREF(Py_None);
        dictionary = Py_None;
    }
    const long long n_missing =
        array->null_count == 0 || n == array->length ? array->null_count : -1;
    return Py_BuildValue("(NsLLLLNN)", kanon_text_of(schema->name ? schema->name : ""),
                         schema->format, (long long)schema->flags, (long long)n, n_missing,
                         (long long)first, buffers, dictionary);
}

/* A batch as (columns, rows); the columns share its memory. It is taken, also when this fails. */
static PyObject *batch_of(const struct ArrowSchema *schema, struct ArrowArray *taken) {
    struct ArrowArray *batch = malloc(sizeof *batch);
    PyObject *owner = NULL, *list = NULL;
    if (batch) {
        *batch = *taken; /* moved */
        owner = PyCapsule_New(batch, BATCH, forget_batch);
    } else {
        PyErr_NoMemory();
    }
    if (!owner) {
        taken->release(taken);
        free(batch);
        return NULL;
    }
    const int64_t n = batch->length, first = batch->offset;
    bool is_sound = n >= 0 && first >= 0 && batch->n_children == schema->n_children;
    for (int64_t i = 0; is_sound && i < batch->n_children; i++)
        is_sound = batch->children[i] && batch->children[i]->offset >= 0 &&
                   batch->children[i]->length >= first && batch->children[i]->length - first >= n &&
                   schema->children[i] && schema->children[i]->format;
    if (is_sound)
        list = PyList_New(0);
    else
        PyErr_SetString(PyExc_ValueError, "the Arrow arrays are broken: the columns of a batch do "
                                          "not match the schema; report it to whoever made them");
    for (int64_t i = 0; list && i < batch->n_children; i++) {
        PyObject *column = column_of(schema->children[i], batch->children[i],
                                     batch->children[i]->offset + first, n, owner);
        if (!column || PyList_Append(list, column) != 0)
            Py_CLEAR(list);
        Py_XDECREF(column);
    }
    Py_DECREF(owner); /* columns have it; the batch is gone where there are none */
    return list ? Py_BuildValue("(NL)", list, (long long)n) : NULL;
}

static void raise_of(struct ArrowArrayStream *stream, int error) {
    const char *text = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    if (error == ENOMEM && !PyErr_Occurred())
        PyErr_NoMemory();
    else if (!PyErr_Occurred())
        PyErr_Format(PyExc_RuntimeError, "the table: the producer of its rows failed: %s",
                     text && *text ? text : strerror(error));
}

/* The batches of a stream, which is taken. */
PyObject *kanon_read_stream(PyObject *module, PyObject *args) {
    PyObject *capsule, *list;
    struct ArrowSchema schema = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O", &capsule))
        return NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, KANON_STREAM);
    if (!stream)
        return NULL;
    if (!stream->release) {
        PyErr_SetString(PyExc_ValueError,
                        "the Arrow stream was already released or used; make a new one");
        return NULL;
    }
    int error = stream->get_schema(stream, &schema);
    if (error) {
        schema.release = NULL;
        raise_of(stream, error);
    }
    list = error ? NULL : PyList_New(0);
    while (list) {
        struct ArrowArray batch = {0};
        PyObject *item = NULL;
        error = stream->get_next(stream, &batch);
        if (!error && !batch.release)
            break;
        if (error)
            raise_of(stream, error);
        else
            item = batch_of(&schema, &batch);
        if (!item || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    if (schema.release)
        schema.release(&schema);
    stream->release(stream);
    return list;
}

/* The bytes at an address; whoever asks keeps their owner. */
PyObject *kanon_view(PyObject *module, PyObject *args) {
    PyObject *address;
    Py_ssize_t size;
    (void)module;
    if (!PyArg_ParseTuple(args, "On", &address, &size))
        return NULL;
    void *memory = PyLong_AsVoidPtr(address);
    return PyErr_Occurred() ? NULL : PyMemoryView_FromMemory(memory, size, PyBUF_READ);
}

/* ---- texts, each once ----------------------------------------------------------------------- */

/* Where a text is. */
typedef struct {
    const char *bytes;
    size_t size;
    uint64_t hash;
} known_text;

/* The texts that were met, numbered as they came; slots hold a number and 1, or 0. */
typedef struct {
    known_text *texts;
    uint32_t *slots;
    size_t n, room, n_slots;
} known_texts;

static uint64_t hash_of(const char *bytes, size_t size) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

static size_t slot_of(const known_texts *known, const known_text *text) {
    size_t slot = text->hash & (known->n_slots - 1);
    for (; known->slots[slot]; slot = (slot + 1) & (known->n_slots - 1)) {
        const known_text *other = &known->texts[known->slots[slot] - 1];
        if (other->hash == text->hash && other->size == text->size &&
            (text->size == 0 || memcmp(other->bytes, text->bytes, text->size) == 0))
            break;
    }
    return slot;
}

/* Room for one more. */
static int grow(known_texts *known) {
    if (known->n < known->room)
        return 0;
    const size_t room = known->room ? 2 * known->room : 64;
    known_text *texts = realloc(known->texts, room * sizeof *texts);
    if (!texts)
        return -1;
    known->texts = texts;
    uint32_t *slots = calloc(2 * room, sizeof *slots);
    if (!slots)
        return -1;
    free(known->slots);
    known->slots = slots;
    known->n_slots = 2 * room;
    known->room = room;
    for (size_t i = 0; i < known->n; i++)
        known->slots[slot_of(known, &texts[i])] = (uint32_t)i + 1;
    return 0;
}

static int number_all(known_texts *known, const void *offsets, bool is_wide, const char *data,
                      Py_ssize_t n, int32_t *codes) {
    for (Py_ssize_t i = 0; i < n; i++) {
        const int64_t from =
            is_wide ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
        const int64_t to =
            is_wide ? ((const int64_t *)offsets)[i + 1] : ((const int32_t *)offsets)[i + 1];
        known_text text = {data ? data + from : "", to > from && data ? (size_t)(to - from) : 0, 0};
        if (grow(known) != 0)
            return -1;
        text.hash = hash_of(text.bytes, text.size);
        const size_t slot = slot_of(known, &text);
        if (!known->slots[slot]) {
            known->texts[known->n++] = text;
            known->slots[slot] = (uint32_t)known->n;
        }
        codes[i] = (int32_t)known->slots[slot] - 1;
    }
    return 0;
}

/* Numbers the texts between offsets: (numbers as bytes of int32, the texts). Rows that show one text share
 * one object of Python, and it is made once. */
PyObject *kanon_number_texts(PyObject *module, PyObject *args) {
    PyObject *offsets, *data, *codes = NULL, *list = NULL, *both = NULL;
    Py_ssize_t n;
    int is_wide;
    known_texts known = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OpOn", &offsets, &is_wide, &data, &n))
        return NULL;
    const void *from = PyLong_AsVoidPtr(offsets);
    const char *bytes = data == Py_None ? NULL : PyLong_AsVoidPtr(data);
    if (PyErr_Occurred())
        return NULL;
    if (n > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a column of texts has too many rows");
        return NULL;
    }
    codes = PyBytes_FromStringAndSize(NULL, n * (Py_ssize_t)sizeof(int32_t));
    if (!codes)
        return NULL;
    if (number_all(&known, from, is_wide, bytes, n, (int32_t *)(void *)PyBytes_AsString(codes)) !=
        0)
        PyErr_NoMemory();
    else
        list = PyList_New(0);
    for (size_t i = 0; list && i < known.n; i++) {
        PyObject *text = PyUnicode_DecodeUTF8(known.texts[i].bytes, (Py_ssize_t)known.texts[i].size,
                                              "surrogateescape");
        if (!text || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    if (list)
        both = Py_BuildValue("(OO)", codes, list);
    Py_DECREF(codes);
    Py_XDECREF(list);
    free(known.texts);
    free(known.slots);
    return both;
}

/* Columns of R as Arrow: numbers, dates, texts and factors, each read where it is or copied once. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kanon_r.h"

/* Everything of a table that is not R's. */
typedef struct {
    struct ArrowSchema root, *children, **child_pointers, *dictionaries;
    struct ArrowArray batch, *arrays, **array_pointers, *dictionary_arrays;
    const void *(*buffers)[3], *(*dictionary_buffers)[3];
    const void *no_buffer;
    void **owned; /* blocks to be freed */
    size_t n_owned, n_columns;
    int n_uses; /* of the schema, of the batch, of the stream */
    bool was_given;
} frame;

/* ---- memory --------------------------------------------------------------------------------- */

/* A block that is freed with the frame; NULL when memory is out. Room for its address is there. */
static void *own(frame *f, size_t size) {
    void *block = calloc(1, size ? size : 1);
    if (block)
        f->owned[f->n_owned++] = block;
    return block;
}

static void drop(frame *f) {
    if (--f->n_uses > 0)
        return;
    for (size_t i = 0; i < f->n_owned; i++)
        free(f->owned[i]);
    free(f->owned);
    free(f);
}

static void release_child_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void release_child(struct ArrowArray *array) {
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
    frame *f = schema->private_data;
    schema->release = NULL;
    drop(f);
}

static void release_batch(struct ArrowArray *batch) {
    frame *f = batch->private_data;
    batch->release = NULL;
    drop(f);
}

/* ---- bits ----------------------------------------------------------------------------------- */

static void set_bit(unsigned char *bits, size_t i) {
    bits[i >> 3] |= (unsigned char)(1U << (i & 7));
}

/* ---- texts ---------------------------------------------------------------------------------- */

static const char *text_in(SEXP list, const char *name) {
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(list); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return CHAR(STRING_ELT(VECTOR_ELT(list, i), 0));
    return "";
}

static SEXP item_in(SEXP list, const char *name) {
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(list); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(list, i);
    return R_NilValue;
}

/* The bytes of texts, one after the other, and where each begins. */
static bool put_texts(frame *f, const SEXP *texts, size_t n, const void *buffers[3]) {
    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        size += (size_t)LENGTH(texts[i]);
    int64_t *offsets = own(f, (n + 1) * sizeof *offsets);
    char *bytes = own(f, size);
    if (!offsets || !bytes)
        return false;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(bytes + at, CHAR(texts[i]), (size_t)LENGTH(texts[i]));
        at += (size_t)LENGTH(texts[i]);
        offsets[i + 1] = (int64_t)at;
    }
    buffers[0] = NULL;
    buffers[1] = offsets;
    buffers[2] = bytes;
    return true;
}

static size_t hash_of(SEXP text) {
    size_t hash = (size_t)(uintptr_t)text;
    hash ^= hash >> 17;
    hash *= (size_t)0x9E3779B97F4A7C15ULL;
    return hash ^ hash >> 29;
}

/* Each distinct text once, in the order of the first row that has it. R keeps one object for each text of an
 * encoding, and R/columns.R has made all of them UTF-8: so objects are compared. */
typedef struct {
    SEXP *texts;
    size_t n, capacity;
    int32_t *slots; /* open addressing: place + 1; 0 is free */
    size_t n_slots; /* a power of two */
} text_set;

static bool grow(text_set *set) {
    const size_t n_slots = set->n_slots ? 2 * set->n_slots : 1024;
    int32_t *slots = calloc(n_slots, sizeof *slots);
    SEXP *texts = realloc(set->texts, n_slots / 2 * sizeof *texts);
    if (texts)
        set->texts = texts;
    if (!slots || !texts) {
        free(slots);
        return false;
    }
    for (size_t i = 0; i < set->n; i++) {
        size_t slot = hash_of(set->texts[i]) & (n_slots - 1);
        while (slots[slot])
            slot = (slot + 1) & (n_slots - 1);
        slots[slot] = (int32_t)i + 1;
    }
    free(set->slots);
    set->slots = slots;
    set->n_slots = n_slots;
    return true;
}

/* The place of a text, -1 when memory is out. */
static int32_t place_of(text_set *set, SEXP text) {
    if (set->n >= set->n_slots / 2 && !grow(set))
        return -1;
    size_t slot = hash_of(text) & (set->n_slots - 1);
    for (; set->slots[slot]; slot = (slot + 1) & (set->n_slots - 1))
        if (set->texts[set->slots[slot] - 1] == text)
            return set->slots[slot] - 1;
    set->texts[set->n] = text;
    set->slots[slot] = (int32_t)++set->n;
    return (int32_t)set->n - 1;
}

/* ---- columns -------------------------------------------------------------------------------- */

typedef struct {
    frame *f;
    size_t at, n_rows;
    struct ArrowSchema *schema;
    struct ArrowArray *array;
    unsigned char *valid; /* NULL: memory is out */
} column;

static void set_missing(column *c, size_t n_missing) {
    c->array->null_count = (int64_t)n_missing;
    if (n_missing)
        c->f->buffers[c->at][0] = c->valid;
}

static bool put_logicals(column *c, SEXP data) {
    const int *values = LOGICAL_RO(data);
    unsigned char *bits = own(c->f, c->n_rows / 8 + 1);
    size_t n_missing = 0;
    if (!bits)
        return false;
    for (size_t i = 0; i < c->n_rows; i++) {
        if (values[i] == NA_LOGICAL)
            n_missing++;
        else
            set_bit(c->valid, i);
        if (values[i] == 1)
            set_bit(bits, i);
    }
    c->f->buffers[c->at][1] = bits;
    set_missing(c, n_missing);
    return true;
}

/* Also days, and codes of a factor, which begin at 1 in R. */
static bool put_integers(column *c, SEXP data, bool is_factor) {
    const int *values = INTEGER_RO(data);
    int32_t *codes = is_factor ? own(c->f, c->n_rows * sizeof *codes) : NULL;
    size_t n_missing = 0;
    if (is_factor && !codes)
        return false;
    for (size_t i = 0; i < c->n_rows; i++) {
        if (values[i] == NA_INTEGER)
            n_missing++;
        else
            set_bit(c->valid, i);
        if (is_factor)
            codes[i] = values[i] == NA_INTEGER ? 0 : values[i] - 1;
    }
    c->f->buffers[c->at][1] = is_factor ? (const void *)codes : values;
    set_missing(c, n_missing);
    return true;
}

static bool put_reals(column *c, SEXP data) {
    const double *values = REAL_RO(data);
    size_t n_missing = 0;
    for (size_t i = 0; i < c->n_rows; i++)
        if (isnan(values[i]))
            n_missing++;
        else
            set_bit(c->valid, i);
    c->f->buffers[c->at][1] = values;
    set_missing(c, n_missing);
    return true;
}

/* Whole numbers of 64 bits: in the bits of doubles, as bit64 has them, or as doubles. */
static bool put_words(column *c, SEXP data, bool are_bits) {
    const double *values = REAL_RO(data);
    int64_t *words = own(c->f, c->n_rows * sizeof *words);
    size_t n_missing = 0;
    if (!words)
        return false;
    for (size_t i = 0; i < c->n_rows; i++) {
        bool is_there = !isnan(values[i]);
        if (are_bits) {
            memcpy(&words[i], &values[i], sizeof words[i]);
            is_there = words[i] != INT64_MIN;
        } else if (is_there) {
            words[i] = (int64_t)values[i];
        }
        if (is_there)
            set_bit(c->valid, i);
        else
            n_missing++;
    }
    c->f->buffers[c->at][1] = words;
    set_missing(c, n_missing);
    return true;
}

static bool put_dictionary(column *c, const SEXP *texts, size_t n) {
    struct ArrowSchema *schema = &c->f->dictionaries[c->at];
    struct ArrowArray *array = &c->f->dictionary_arrays[c->at];
    *schema = (struct ArrowSchema){
        .format = "U", .name = "", .flags = ARROW_FLAG_NULLABLE, .release = release_child_schema};
    *array = (struct ArrowArray){.length = (int64_t)n,
                                 .n_buffers = 3,
                                 .buffers = c->f->dictionary_buffers[c->at],
                                 .release = release_child};
    c->schema->dictionary = schema;
    c->array->dictionary = array;
    return put_texts(c->f, texts, n, c->f->dictionary_buffers[c->at]);
}

static bool put_strings(column *c, SEXP data) {
    text_set set = {.n = 0};
    int32_t *codes = own(c->f, c->n_rows * sizeof *codes);
    size_t n_missing = 0;
    bool is_done = codes != NULL;
    for (size_t i = 0; i < c->n_rows && is_done; i++) {
        SEXP text = STRING_ELT(data, (R_xlen_t)i);
        if (text == NA_STRING) {
            n_missing++;
            continue;
        }
        set_bit(c->valid, i);
        codes[i] = place_of(&set, text);
        is_done = codes[i] >= 0;
    }
    is_done = is_done && put_dictionary(c, set.texts, set.n);
    free(set.texts);
    free(set.slots);
    c->f->buffers[c->at][1] = codes;
    set_missing(c, n_missing);
    return is_done;
}

static bool put_factor(column *c, SEXP data, SEXP levels) {
    const size_t n = (size_t)Rf_xlength(levels);
    SEXP *texts = malloc((n ? n : 1) * sizeof *texts);
    for (size_t i = 0; texts && i < n; i++)
        texts[i] = STRING_ELT(levels, (R_xlen_t)i);
    const bool is_done = texts && put_integers(c, data, true) && put_dictionary(c, texts, n);
    free(texts);
    return is_done;
}

/* How many buffers the column has; -1 when memory is out. Columns that are not read have none. */
static int put_column(column *c, SEXP from) {
    const char *kind = text_in(from, "kind");
    SEXP data = item_in(from, "data");
    bool is_done;
    if (strcmp(kind, "unread") == 0)
        return 0;
    if (strcmp(kind, "logical") == 0)
        is_done = put_logicals(c, data);
    else if (strcmp(kind, "integer") == 0)
        is_done = put_integers(c, data, false);
    else if (strcmp(kind, "real") == 0)
        is_done = put_reals(c, data);
    else if (strcmp(kind, "words") == 0 || strcmp(kind, "bits") == 0)
        is_done = put_words(c, data, *kind == 'b');
    else if (strcmp(kind, "factor") == 0)
        is_done = put_factor(c, data, item_in(from, "levels"));
    else
        is_done = put_strings(c, data);
    return is_done ? 2 : -1;
}

void kanon_check_columns(SEXP columns, double n_rows) {
    for (R_xlen_t i = 0; i < Rf_xlength(columns); i++) {
        SEXP from = VECTOR_ELT(columns, i), data = item_in(from, "data");
        const char *kind = text_in(from, "kind");
        if (strcmp(kind, "unread") == 0)
            continue;
        const bool is_code = strcmp(kind, "integer") == 0 || strcmp(kind, "factor") == 0;
        const bool is_real =
            strcmp(kind, "real") == 0 || strcmp(kind, "words") == 0 || strcmp(kind, "bits") == 0;
        const int type = strcmp(kind, "logical") == 0 ? LGLSXP
                         : is_code                    ? INTSXP
                         : is_real                    ? REALSXP
                                                      : STRSXP;
        if (TYPEOF(data) != type || (double)Rf_xlength(data) != n_rows ||
            (strcmp(kind, "factor") == 0 && TYPEOF(item_in(from, "levels")) != STRSXP))
            Rf_error("kanon: column '%s' is not what its table has", text_in(from, "name"));
    }
}

static bool put_columns(frame *f, SEXP columns, size_t n_rows) {
    for (size_t i = 0; i < f->n_columns; i++) {
        SEXP from = VECTOR_ELT(columns, (R_xlen_t)i);
        f->child_pointers[i] = &f->children[i];
        f->array_pointers[i] = &f->arrays[i];
        f->children[i] = (struct ArrowSchema){.format = text_in(from, "format"),
                                              .name = text_in(from, "name"),
                                              .flags = ARROW_FLAG_NULLABLE,
                                              .release = release_child_schema};
        if (*text_in(from, "ordered"))
            f->children[i].flags |= ARROW_FLAG_DICTIONARY_ORDERED;
        f->arrays[i] = (struct ArrowArray){
            .length = (int64_t)n_rows, .buffers = f->buffers[i], .release = release_child};
        column c = {f, i, n_rows, &f->children[i], &f->arrays[i], own(f, n_rows / 8 + 1)};
        const int n_buffers = c.valid ? put_column(&c, from) : -1;
        if (n_buffers < 0)
            return false;
        f->arrays[i].n_buffers = n_buffers;
    }
    return true;
}

/* ---- the stream ----------------------------------------------------------------------------- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    frame *f = stream->private_data;
    *out = f->root;
    f->n_uses++;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    frame *f = stream->private_data;
    if (f->was_given) {
        *out = (struct ArrowArray){.release = NULL};
        return 0;
    }
    *out = f->batch;
    f->was_given = true;
    f->n_uses++;
    return 0;
}

static const char *no_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    frame *f = stream->private_data;
    stream->release = NULL;
    drop(f);
}

bool kanon_stream_of(SEXP columns, double n_rows, struct ArrowArrayStream *out) {
    enum { BLOCKS_OF_A_COLUMN = 5, BLOCKS_OF_ALL = 9 };
    const size_t n = (size_t)Rf_xlength(columns), room = n ? n : 1;
    frame *f = calloc(1, sizeof *f);
    if (!f)
        return false;
    f->n_uses = 1;
    f->n_columns = n;
    f->owned = calloc(BLOCKS_OF_ALL + BLOCKS_OF_A_COLUMN * room, sizeof *f->owned);
    bool is_done = f->owned && (f->children = own(f, room * sizeof *f->children)) &&
                   (f->child_pointers = own(f, room * sizeof *f->child_pointers)) &&
                   (f->dictionaries = own(f, room * sizeof *f->dictionaries)) &&
                   (f->arrays = own(f, room * sizeof *f->arrays)) &&
                   (f->array_pointers = own(f, room * sizeof *f->array_pointers)) &&
                   (f->dictionary_arrays = own(f, room * sizeof *f->dictionary_arrays)) &&
                   (f->buffers = own(f, room * sizeof *f->buffers)) &&
                   (f->dictionary_buffers = own(f, room * sizeof *f->dictionary_buffers));
    is_done = is_done && put_columns(f, columns, (size_t)n_rows);
    if (!is_done) {
        drop(f);
        return false;
    }
    f->root = (struct ArrowSchema){.format = "+s",
                                   .name = "",
                                   .n_children = (int64_t)n,
                                   .children = f->child_pointers,
                                   .release = release_schema,
                                   .private_data = f};
    f->batch = (struct ArrowArray){.length = (int64_t)n_rows,
                                   .n_buffers = 1,
                                   .n_children = (int64_t)n,
                                   .buffers = &f->no_buffer,
                                   .children = f->array_pointers,
                                   .release = release_batch,
                                   .private_data = f};
    *out = (struct ArrowArrayStream){get_schema, get_next, no_error, release_stream, f};
    return true;
}

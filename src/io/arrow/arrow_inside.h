/* The inside of the room: types, batches, and how a value is found in them. */
#ifndef KANON_IO_ARROW_ARROW_INSIDE_H
#define KANON_IO_ARROW_ARROW_INSIDE_H

#include "core/memory.h"
#include "data/encoder.h"
#include "io/arrow/arrow.h"
#include "io/scalar.h"

/* ---- types (arrow_type.c) ------------------------------------------------------------------- */

/* How values lie in buffers. */
typedef enum kan_arrow_layout {
    KAN_ARROW_OTHER, /* it cannot be read, only left out */
    KAN_ARROW_EMPTY, /* no buffers: each value is missing */
    KAN_ARROW_BITS,
    KAN_ARROW_WORDS,  /* of scalar.size bytes, 1 to 16 */
    KAN_ARROW_TEXT32, /* offsets of 32 bits, and bytes */
    KAN_ARROW_TEXT64,
    KAN_ARROW_VIEWS /* size with either the bytes, or a prefix and where they are */
} kan_arrow_layout;

typedef struct kan_arrow_type {
    kan_arrow_layout layout;
    kan_scalar_type scalar;
    const char *format;  /* of the values, where it is a dictionary */
    const char *name;    /* what people call it: int64, "a dictionary of text" */
    unsigned index_size; /* of a dictionary: bytes of an index; 0: it has none */
    bool index_is_signed, is_ordered;
} kan_arrow_type;

/* The type that a schema describes. Its format is borrowed from the schema. */
kan_arrow_type kan_arrow_type_of(const struct ArrowSchema *schema);
/* The type of a format that is no dictionary. */
kan_arrow_type kan_arrow_type_find(const char *format);
static inline bool kan_arrow_is_text(const kan_arrow_type *type) {
    return type->layout == KAN_ARROW_TEXT32 || type->layout == KAN_ARROW_TEXT64 ||
           type->layout == KAN_ARROW_VIEWS;
}

/* ---- batches (arrow_import.c) --------------------------------------------------------------- */

struct kan_arrow {
    kan_run *run;
    kan_arena arena;
    const char *name; /* for messages */
    struct ArrowSchema schema;
    size_t n_columns;
    const char **names;
    kan_arrow_type *types;
    kan_field *fields;
    struct ArrowArray *batches;
    size_t n_batches, capacity;
    uint64_t n_rows;
};

/* Names, types and fields from the schema, which is the caller's to set. */
KAN_MUST_USE kan_status kan_arrow_take_schema(kan_arrow *arrow);
/* A kan_arrow without schema and batches. */
KAN_MUST_USE kan_status kan_arrow_create(kan_run *run, const char *name, kan_arrow **out);

/* Some values that follow each other, as they lie there. */
typedef struct kan_arrow_values {
    const kan_arrow_type *type;
    const uint8_t *validity; /* a bit each; NULL: none is missing */
    size_t first;            /* the place of the first in all buffers */
    size_t n;
    const char *data;         /* words, bits, indices, views, or the bytes of texts */
    const void *offsets;      /* of texts */
    int64_t n_bytes;          /* of all texts of the array: where the last one ends */
    const void *const *parts; /* the buffers that views point to */
    size_t n_parts;
    const int64_t *part_sizes;
    const struct ArrowArray *dictionary; /* of indices */
} kan_arrow_values;

/* The values of a column in a batch. */
kan_arrow_values kan_arrow_column(const kan_arrow *arrow, size_t batch, size_t column);
/* The values of the dictionary of such values. */
kan_arrow_values kan_arrow_dictionary(const kan_arrow_values *values);

static inline bool kan_arrow_is_missing(const kan_arrow_values *values, size_t i) {
    const size_t at = values->first + i;
    return values->validity && !(values->validity[at / 8] >> at % 8 & 1);
}

/* The text of a value that lies there as one; false where offsets are broken. */
bool kan_arrow_text(const kan_arrow_values *values, size_t i, kan_slice *out);
/* The word of a value of up to 8 bytes, or of a bit. */
static inline uint64_t kan_arrow_word(const kan_arrow_values *values, size_t i, unsigned size) {
    uint64_t word = 0;
    memcpy(&word, values->data + (values->first + i) * size, size);
    return word;
}
/* An index of a dictionary. The choice costs less than a copy of a size that is not known. */
static inline uint64_t kan_arrow_index(const kan_arrow_values *values, size_t i) {
    switch (values->type->index_size) {
    case 1:
        return kan_arrow_word(values, i, 1);
    case 2:
        return kan_arrow_word(values, i, 2);
    case 4:
        return kan_arrow_word(values, i, 4);
    default:
        return kan_arrow_word(values, i, 8);
    }
}
static inline bool kan_arrow_bit(const kan_arrow_values *values, size_t i) {
    const size_t at = values->first + i;
    return (uint8_t)values->data[at / 8] >> at % 8 & 1;
}
/* Indices from here on are no values of a dictionary: what is negative is as large as that. */
static inline uint64_t kan_arrow_index_limit(const kan_arrow_type *type, uint64_t n_values) {
    const uint64_t limit = (uint64_t)1 << (8 * type->index_size - 1);
    return type->index_is_signed && limit < n_values ? limit : n_values;
}
/* The text of any value that is no index; "" where it is missing. `room` is used for what is no text.
 * KAN_BAD_INPUT where the array is broken. */
KAN_MUST_USE kan_status kan_arrow_show(const kan_arrow *arrow, const kan_arrow_values *values,
                                       size_t i, char room[KAN_SCALAR_ROOM], kan_slice *out);
KAN_MUST_USE kan_status kan_arrow_broken(const kan_arrow *arrow, const char *what);

/* ---- columns (arrow_read.c) ----------------------------------------------------------------- */

/* As kan_source_kind.read. */
KAN_MUST_USE kan_status kan_arrow_read(const kan_arrow *arrow, const bool *encode, kan_table **out);

/* Rows that one task takes: some of one batch. */
typedef struct kan_arrow_unit {
    size_t batch, first, n;
    uint64_t row; /* of the table, the first */
} kan_arrow_unit;
KAN_MUST_USE kan_status kan_arrow_units(const kan_arrow *arrow, kan_arrow_unit **out, size_t *n);

/* A column of a dictionary (arrow_indices.c). */
KAN_MUST_USE kan_status kan_arrow_read_indices(const kan_arrow *arrow, size_t column,
                                               const kan_arrow_unit *units, size_t n_units,
                                               kan_column *out);

/* Whether two dictionaries are one: batches often share it. */
bool kan_arrow_is_same(const struct ArrowArray *a, const struct ArrowArray *b);

/* As kan_source_kind.hash (arrow_take.c). */
KAN_MUST_USE kan_status kan_arrow_hash(const kan_arrow *arrow, const size_t *columns,
                                       size_t n_columns, uint64_t *const *out);
/* The released rows of a column that passes through and is no dictionary; no row is hidden. */
KAN_MUST_USE kan_status kan_arrow_take(const kan_arrow *source, size_t column,
                                       const kan_release *release, struct ArrowArray *out,
                                       const char **format);

typedef kan_status (*kan_arrow_value_fn)(void *context, const kan_arrow_values *rows, size_t batch,
                                         size_t i, size_t at);
/* Each released row in order, the i-th of a batch; `at` is its place among them. */
KAN_MUST_USE kan_status kan_arrow_each_released(const kan_arrow *source, size_t column,
                                                const kan_release *release, kan_arrow_value_fn fn,
                                                void *context);

/* A column of a dictionary that passes through (arrow_take_codes.c). */
#define KAN_ARROW_NULL UINT32_MAX
typedef struct kan_arrow_taken {
    bool is_there;
    kan_encoder values; /* the bytes of each value that some released row has */
    uint32_t *codes;    /* by released row: its value, or KAN_ARROW_NULL */
} kan_arrow_taken;
KAN_MUST_USE kan_status kan_arrow_take_codes(const kan_arrow *source, size_t column,
                                             const kan_release *release, kan_arrow_taken *out);
void kan_arrow_taken_destroy(kan_run *run, kan_arrow_taken *taken);
/* The bytes of a value that is not missing: its text, its word, or a byte for a bit. */
KAN_MUST_USE kan_status kan_arrow_bytes(const kan_arrow *arrow, const kan_arrow_values *values,
                                        size_t i, char room[1], kan_slice *out);

/* ---- what leaves (arrow_export.c) ----------------------------------------------------------- */

/* Memory that outlives the run: its release is left to others. Zeroed. For structs and names, a few per
 * column: the account does not have them. */
KAN_MUST_USE kan_status kan_arrow_alloc(kan_run *run, size_t bytes, void *out);
/* The same for buffers of values. They are in the account until they are handed over. Zeroed, and aligned
 * for any width. */
KAN_MUST_USE kan_status kan_arrow_buffer(kan_run *run, size_t bytes, void *out);
/* With more room; the bytes behind the old ones are not set. */
KAN_MUST_USE kan_status kan_arrow_buffer_grow(kan_run *run, size_t bytes, const void **inout);
void kan_arrow_buffer_free(const void *buffer); /* NULL is none */
/* An array with so many buffers and children, all of them NULL, that frees all it holds. */
KAN_MUST_USE kan_status kan_arrow_make_array(kan_run *run, size_t n_buffers, size_t n_children,
                                             struct ArrowArray *out);
/* A schema whose texts are copied, with so many children, that frees all it holds. */
KAN_MUST_USE kan_status kan_arrow_make_schema(kan_run *run, const char *format, const char *name,
                                              size_t n_children, struct ArrowSchema *out);

/* ---- arrays that are made (arrow_build.c) --------------------------------------------------- */

/* What each code of a column is as a value: by code. */
typedef struct kan_arrow_palette {
    const kan_slice *texts; /* of TEXT32 and TEXT64 */
    const char *words;      /* of the others: scalar.size bytes each, a bit or a view too */
    const bool *is_null;
} kan_arrow_palette;

/* An array of so many values, which come in order. */
typedef struct kan_arrow_builder {
    kan_run *run;
    kan_arrow_type type; /* TEXT32 becomes TEXT64 where that is needed */
    struct ArrowArray *array;
    size_t n, n_most;     /* values so far, and in all */
    size_t n_bytes, room; /* of texts */
} kan_arrow_builder;

/* `type` is that of the values, whatever index it has; a view is a word of 16 bytes here. */
KAN_MUST_USE kan_status kan_arrow_build_begin(kan_run *run, const kan_arrow_type *type, size_t n,
                                              struct ArrowArray *array, kan_arrow_builder *out);
KAN_MUST_USE kan_status kan_arrow_build_add(kan_arrow_builder *builder,
                                            const kan_arrow_palette *palette, const uint32_t *codes,
                                            size_t n);
/* All values are there: what is not needed goes. */
void kan_arrow_build_end(kan_arrow_builder *builder);

#endif

/* Batches in memory as a kind of source. */
#include "io/arrow/arrow_inside.h"

static kan_status open_arrow(kan_run *run, const char *path, const kan_source_options *options,
                             void **out) {
    (void)path;
    if (!options->arrow)
        return kan_fail(run, KAN_FAILED,
                        "internal error: no Arrow batches to read; please report this");
    *out = options->arrow; /* borrowed */
    return KAN_OK;
}

static void close_arrow(void *state) {
    (void)state;
}

static const char *name_of(const void *state) {
    return ((const kan_arrow *)state)->name;
}

static size_t n_columns(const void *state) {
    return ((const kan_arrow *)state)->n_columns;
}

static const char *column_name(const void *state, size_t column) {
    return ((const kan_arrow *)state)->names[column];
}

static const kan_field *field_of(const void *state, size_t column) {
    return &((const kan_arrow *)state)->fields[column];
}

static kan_status read_arrow(void *state, const bool *encode, const bool *as_is, kan_table **out) {
    (void)as_is; /* values are what they are, labels nobody has */
    return kan_arrow_read(state, encode, out);
}

static kan_status hash_arrow(void *state, const size_t *columns, size_t n_columns,
                             uint64_t *const *out) {
    return kan_arrow_hash(state, columns, n_columns, out);
}

const kan_source_kind kan_source_arrow = {
    .kind = {.name = "arrow", .summary = "batches of Arrow in memory"},
    .open = open_arrow,
    .close = close_arrow,
    .name = name_of,
    .n_columns = n_columns,
    .column_name = column_name,
    .field = field_of,
    .read = read_arrow,
    .hash = hash_arrow,
    .find_apart = kan_arrow_find_apart,
    .apart = {"NULL and '', or one that a dictionary has twice",
              "NULL for '', a dictionary with each value once, a column of texts for other types"},
};

#include "io/source.h"

#include "core/hash.h"
#include "io/source_cohort.h"
#include "io/source_spelling.h"

kan_status kan_source_open(kan_run *run, const kan_source_kind *kind, const char *path,
                           const kan_source_options *options, kan_source **out) {
    kan_source *source;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *source, &source));
    source->kind = kind;
    source->run = run;
    source->spellings = options->spellings;
    const kan_status status = kind->open(run, path, options, &source->state);
    if (status == KAN_OK)
        *out = source;
    else
        kan_free(run, source);
    return status;
}

void kan_source_close(kan_source *source) {
    if (!source)
        return;
    source->kind->close(source->state);
    kan_free(source->run, source->rows);
    if (source->cohort)
        kan_arena_destroy(&source->arena);
    kan_free(source->run, source);
}

const char *kan_source_name(const kan_source *source) {
    return source->kind->name(source->state);
}

size_t kan_source_n_columns(const kan_source *source) {
    return source->kind->n_columns(source->state);
}

const char *kan_source_column_name(const kan_source *source, size_t column) {
    return source->kind->column_name(source->state, column);
}

const kan_field *kan_source_field(const kan_source *source, size_t column) {
    return source->kind->field ? source->kind->field(source->state, column) : NULL;
}

kan_status kan_source_list_tables(kan_source *source, kan_source_tables *out) {
    *out = (kan_source_tables){0};
    return source->kind->list_tables ? source->kind->list_tables(source->state, out) : KAN_OK;
}

static kan_status read_rows(kan_source *source, const bool *encode, const bool *as_is,
                            kan_table **out) {
    if (source->kind->read)
        return source->cohort ? kan_source_read_cohort(source, encode, as_is, out)
                              : source->kind->read(source->state, encode, as_is, out);
    kan_table *counted;
    if (source->kind->compare)
        source->kind->compare(source->state, source->compared);
    if (source->some.clock > 0)
        KAN_TRY(source->kind->count_some(source->state, encode, &source->some, &counted));
    else
        KAN_TRY(source->kind->count(source->state, encode, &counted));
    const kan_status status = source->takes_counts ? KAN_OK : kan_table_repeat(counted);
    if (status == KAN_OK)
        *out = counted;
    else
        kan_table_destroy(counted);
    return status;
}

kan_status kan_source_read(kan_source *source, const bool *encode, const bool *as_is,
                           kan_table **out) {
    kan_table *table;
    KAN_TRY(read_rows(source, encode, as_is, &table));
    const kan_status status =
        source->spellings ? kan_source_take_values(source, as_is, table) : KAN_OK;
    if (status == KAN_OK)
        *out = table;
    else
        kan_table_destroy(table);
    return status;
}

/* The same of a kind that has no way of its own: the columns are read, as they are. */
static kan_status hash_read(kan_source *source, const size_t *columns, size_t n_columns,
                            uint64_t *const *out) {
    const size_t n = kan_source_n_columns(source);
    kan_table *table = NULL;
    bool *encode = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(source->run, n, sizeof *encode, &encode));
    for (size_t i = 0; i < n_columns; i++)
        encode[columns[i]] = true;
    KAN_TRY_DONE(read_rows(source, encode, encode, &table));
    for (size_t i = 0; i < n_columns; i++)
        for (uint64_t row = 0; row < table->n_rows; row++) {
            const kan_slice value = kan_column_value(&table->columns[columns[i]], row);
            out[i][row] = kan_hash_bytes(value.bytes, value.size);
        }
done:
    kan_table_destroy(table);
    kan_free(source->run, encode);
    return status;
}

kan_status kan_source_hash(kan_source *source, const size_t *columns, size_t n_columns,
                           uint64_t *const *out) {
    if (!source->kind->hash && source->kind->read)
        return hash_read(source, columns, n_columns, out);
    if (!source->kind->hash)
        return kan_fail(source->run, KAN_BAD_INPUT,
                        "%s: a table of the kind %s has no columns that pass through; leave out "
                        "those that have no role, or convert it to CSV",
                        kan_source_name(source), source->kind->kind.name);
    return source->rows ? kan_source_hash_cohort(source, columns, n_columns, out)
                        : source->kind->hash(source->state, columns, n_columns, out);
}

kan_status kan_source_find_lines(kan_source *source, const uint64_t *rows, size_t n,
                                 uint64_t *lines, bool *is_found) {
    *is_found = false;
    if (!source->kind->find_lines)
        return KAN_OK;
    return source->rows ? kan_source_find_cohort_lines(source, rows, n, lines, is_found)
                        : source->kind->find_lines(source->state, rows, n, lines, is_found);
}

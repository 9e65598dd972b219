/* CSV as a kind of source. */
#include <string.h>

#include "io/csv/csv_source.h"
#include "io/source.h"

static kan_status open_csv(kan_run *run, const char *path, const kan_source_options *options,
                           void **out) {
    kan_csv_source *source;
    const kan_stream_encoding encoding = {.name = options->encoding,
                                          .if_needed = options->encodes_if_needed};
    KAN_TRY(kan_csv_open_encoded(run, path, options->separator, encoding, &source));
    const kan_status status = options->is_guarded ? kan_csv_unguard(source) : KAN_OK;
    if (status == KAN_OK)
        *out = source;
    else
        kan_csv_close(source);
    return status;
}

static void close_csv(void *state) {
    kan_csv_close(state);
}

static const char *csv_name(const void *state) {
    return kan_csv_path(state);
}

static size_t csv_n_columns(const void *state) {
    return kan_csv_n_columns(state);
}

static const char *csv_column_name(const void *state, size_t column) {
    return kan_csv_column_name(state, column);
}

static kan_status read_csv(void *state, const bool *encode, const bool *as_is, kan_table **out) {
    kan_csv_source *source = state;
    source->as_is = as_is;
    const kan_status status = kan_csv_read(source, encode, out);
    source->as_is = NULL;
    return status;
}

static kan_status hash_csv(void *state, const size_t *columns, size_t n_columns,
                           uint64_t *const *out) {
    return kan_csv_hash(state, columns, n_columns, out);
}

static kan_status find_csv_apart(void *state, const bool *columns, bool *found) {
    return kan_csv_find_apart(state, columns, found);
}

typedef struct {
    const uint64_t *rows;
    uint64_t *lines;
    size_t n, next;
    uint64_t n_records; /* with the header */
} line_search;

static kan_status note_line(void *context, uint64_t line, const kan_slice *fields,
                            size_t n_fields) {
    line_search *search = context;
    (void)fields;
    (void)n_fields;
    while (search->next < search->n && search->rows[search->next] + 1 == search->n_records)
        search->lines[search->next++] = line;
    search->n_records++;
    return search->next < search->n ? KAN_OK : KAN_UNSATISFIED; /* enough */
}

/* Values may hold line breaks, so the file is walked once more, as little of it as will do. */
static kan_status find_csv_lines(void *state, const uint64_t *rows, size_t n, uint64_t *lines,
                                 bool *is_found) {
    enum { FIRST_BYTES = 1 << 20, MORE = 8 };
    const kan_csv_source *source = state;
    const size_t size = source->stream.size;
    line_search search;
    kan_status status;
    size_t n_bytes = 0;
    do {
        n_bytes = n_bytes == 0 ? FIRST_BYTES : n_bytes < size / MORE ? n_bytes * MORE : size;
        n_bytes = n_bytes < size ? n_bytes : size;
        search = (line_search){.rows = rows, .lines = lines, .n = n};
        kan_problems_begin(source->run);
        status = kan_csv_walk_records(source, n_bytes, note_line, &search);
    } while (status == KAN_OK && search.next < n && n_bytes < size);
    *is_found = search.next == n;
    return status == KAN_CANCELLED ? status : KAN_OK;
}

const kan_source_kind kan_source_csv = {
    .kind = {.name = "csv",
             .summary = "text in columns, the first line names them; also .gz and .zst",
             .is_everyday = true},
    .title = "CSV",
    .is_text = true,
    .takes_encoding = true,
    .open = open_csv,
    .close = close_csv,
    .name = csv_name,
    .n_columns = csv_n_columns,
    .column_name = csv_column_name,
    .read = read_csv,
    .hash = hash_csv,
    .find_lines = find_csv_lines,
    .find_apart = find_csv_apart,
    .apart = {"the same text with quotes and without them", "quotes in all rows or in none"},
};

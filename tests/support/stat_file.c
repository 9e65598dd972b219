#include "support/stat_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kan_status put_release(kan_run *run, const kan_sink_kind *kind, const kan_release *release,
                              bool book_is_public, const char *path) {
    struct kan_option_value said = {.name = "codebook", .value = "public"};
    const kan_options given = {.n = book_is_public, .values = &said};
    const kan_sink_order order = {
        .kind = kind, .release = release, .target = path, .overwrite = true, .given = &given};
    kan_sink *sink = NULL;
    kan_status status;
    KAN_TRY(kan_sink_write(run, &order, &sink));
    KAN_TRY_DONE(kan_sink_sync(sink));
    KAN_TRY_DONE(kan_sink_commit(sink));
done:
    kan_sink_close(sink);
    return status;
}

static kan_status write_sealed(kan_run *run, const kan_sink_kind *kind, const stat_table *table,
                               const kan_table *sealed, const char *path) {
    kan_release_column columns[STAT_COLUMNS] = {{0}};
    kan_slice *labels[STAT_COLUMNS] = {0};
    kan_status status;
    for (size_t c = 0; c < table->n_columns; c++) {
        const kan_column *column = &sealed->columns[c];
        KAN_TRY_DONE(kan_alloc(run, column->dictionary.n, sizeof *labels[c], &labels[c]));
        for (uint32_t code = 0; code < column->dictionary.n; code++)
            labels[c][code] = kan_dictionary_value(&column->dictionary, code);
        columns[c] = (kan_release_column){.name = table->fields[c].name,
                                          .source_column = c,
                                          .width = column->width,
                                          .codes = column->codes,
                                          .labels = labels[c],
                                          .n_labels = column->dictionary.n,
                                          .field = &table->fields[c],
                                          .shows_values = true,
                                          .is_as_is = !table->is_read};
    }
    const kan_release release = {.n_rows = table->n_rows,
                                 .n_released = table->n_rows,
                                 .n_columns = table->n_columns,
                                 .columns = columns};
    KAN_TRY_DONE(put_release(run, kind, &release, !table->is_released, path));
done:
    for (size_t c = 0; c < table->n_columns; c++)
        kan_free(run, labels[c]);
    return status;
}

kan_status stat_write(kan_run *run, const kan_sink_kind *kind, const stat_table *table,
                      const char *path) {
    const char *names[STAT_COLUMNS];
    kan_table *sealed;
    kan_status status;
    for (size_t c = 0; c < table->n_columns; c++)
        names[c] = table->fields[c].name;
    KAN_TRY(kan_table_create(run, table->n_columns, names, &sealed));
    for (size_t row = 0; row < table->n_rows; row++)
        KAN_TRY_DONE(kan_table_add_row(sealed, table->cells + row * table->n_columns));
    KAN_TRY_DONE(kan_table_seal(sealed));
    KAN_TRY_DONE(write_sealed(run, kind, table, sealed, path));
done:
    kan_table_destroy(sealed);
    return status;
}

kan_status stat_read(kan_run *run, const kan_source_kind *kind, const char *path,
                     const char *labels, bool as_is, kan_source **source, kan_table **table) {
    struct kan_option_value said = {.name = "labels", .value = labels};
    const kan_options given = {.n = labels != NULL, .values = &said};
    const kan_source_options options = {.given = &given};
    bool all[STAT_COLUMNS], as[STAT_COLUMNS];
    memset(all, true, sizeof all);
    memset(as, as_is, sizeof as);
    KAN_TRY(kan_source_open(run, kind, path, &options, source));
    const kan_status status = kan_source_n_columns(*source) > STAT_COLUMNS
                                  ? KAN_BAD_INPUT
                                  : kan_source_read(*source, all, as, table);
    if (status != KAN_OK)
        kan_source_close(*source);
    return status;
}

void stat_assert_column(const kan_table *table, size_t column, const char *const *values) {
    for (uint64_t row = 0; row < table->n_rows; row++) {
        const kan_slice value = kan_column_value(&table->columns[column], row);
        if (!kan_slice_is(value, values[row]))
            fail_msg("row %llu of '%s' is '%.*s', not '%s'", (unsigned long long)row,
                     table->columns[column].name, (int)value.size, value.bytes, values[row]);
    }
}

char *stat_file_bytes(const char *path, size_t *size) {
    enum { ROOM = 1 << 20 };
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(ROOM);
    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, ROOM, file);
    assert_true(*size < ROOM);
    fclose(file);
    return bytes;
}

void stat_put_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

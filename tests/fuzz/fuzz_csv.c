/* Any bytes are read as CSV without a crash, the same way whatever the blocks and the scanner; and
 * what can be read survives being written and read again unchanged.
 *
 * The first byte of the input chooses the separator, the size of the blocks and the columns that
 * pass through; the rest is the file. */
#include <stdio.h>
#include <stdlib.h>

#include "io/csv/csv_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *claim, const kan_run *run) {
    if (!holds) {
        fprintf(stderr, "%s: %s\n", claim, kan_run_error(run));
        abort();
    }
}

static void require_same(const kan_table *a, const kan_table *b, const kan_run *run) {
    require(a->n_rows == b->n_rows && a->n_columns == b->n_columns, "same shape", run);
    for (size_t i = 0; i < a->n_columns; i++) {
        require(strcmp(a->columns[i].name, b->columns[i].name) == 0, "same names", run);
        require(a->columns[i].dictionary.n == b->columns[i].dictionary.n, "same values", run);
        for (uint64_t row = 0; row < a->n_rows; row++) {
            require(kan_column_code(&a->columns[i], row) == kan_column_code(&b->columns[i], row),
                    "same codes", run);
            require(kan_slice_equal(kan_column_value(&a->columns[i], row),
                                    kan_column_value(&b->columns[i], row)),
                    "same value", run);
        }
    }
}

/* Reads all columns; NULL when the file is refused. */
static kan_table *read_all(kan_run *run, kan_csv_source *source, kan_csv_tuning tuning) {
    kan_table *table = NULL;
    bool *encode = malloc(kan_csv_n_columns(source));
    if (!encode)
        return NULL;
    memset(encode, 1, kan_csv_n_columns(source));
    kan_status status = kan_csv_read_tuned(source, encode, tuning, &table);
    require(status == KAN_OK || status == KAN_BAD_INPUT, "only bad input", run);
    require((status == KAN_OK) == (table != NULL), "a table or an error", run);
    free(encode);
    return table;
}

/* Writes a release beside its target, which gets its name with kan_target_commit. */
static kan_status write_target(kan_run *run, const kan_release *release, kan_csv_source *source,
                               char separator, const char *path, bool overwrite, kan_target **out) {
    kan_formulas formulas = {0};
    kan_target *target;
    KAN_TRY(kan_target_open(run, path, overwrite, KAN_TARGET_SHARED, &target));
    kan_status status = kan_csv_write(run, release, source, separator, target, &formulas);
    if (status == KAN_OK)
        status = kan_target_finish(target);
    if (status == KAN_OK)
        *out = target;
    else
        kan_target_close(target);
    return status;
}

static void write_and_read_again(kan_run *run, kan_csv_source *source, const kan_table *table,
                                 unsigned choice) {
    char separator = choice & 4 ? ';' : kan_csv_separator(source);
    kan_release_column *columns = calloc(table->n_columns, sizeof *columns);
    for (size_t i = 0; columns && i < table->n_columns; i++) {
        const kan_column *column = &table->columns[i];
        kan_slice *labels = calloc(column->dictionary.n, sizeof *labels);
        for (uint32_t code = 0; labels && code < column->dictionary.n; code++)
            labels[code] = kan_dictionary_value(&column->dictionary, code);
        columns[i] = (kan_release_column){.name = column->name,
                                          .source_column = i,
                                          .passes_through = choice >> (i % 3) & 1,
                                          .width = column->width,
                                          .codes = column->codes,
                                          .labels = labels,
                                          .n_labels = column->dictionary.n};
    }
    kan_release release = {.n_rows = table->n_rows,
                           .n_released = table->n_rows,
                           .n_columns = table->n_columns,
                           .columns = columns};
    kan_target *sink = NULL;
    kan_csv_source *again = NULL;
    require(write_target(run, &release, source, separator, "-", false, &sink) == KAN_OK,
            "what was read can be written", run);
    require(kan_csv_open(run, kan_target_path(sink), separator, &again) == KAN_OK,
            "what was written can be opened", run);
    kan_table *read = read_all(run, again, (kan_csv_tuning){0, false});
    require(read != NULL, "what was written can be read", run);
    require_same(table, read, run);
    kan_table_destroy(read);
    kan_csv_close(again);
    kan_target_close(sink);
    for (size_t i = 0; i < table->n_columns; i++)
        free((void *)(uintptr_t)columns[i].labels);
    free(columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char separators[4] = {0, ',', ';', '\t'};
    if (size == 0)
        return 0;
    unsigned choice = data[0];
    kan_run *run = kan_run_create();
    kan_csv_source *source;
    if (!run)
        return 0;
    kan_run_set_threads(run, 1);
    /* A few compressed bytes can stand for gigabytes. */
    kan_run_set_memory(run, 64 << 20);
    kan_status status = kan_csv_open_bytes(run, "fuzz.csv", (const char *)data + 1, size - 1,
                                           separators[choice & 3], &source);
    require(status == KAN_OK || status == KAN_BAD_INPUT || status == KAN_FAILED, "a status", run);
    if (status == KAN_OK) {
        size_t block = 1 + (choice >> 2 & 7) * 11;
        kan_table *table = read_all(run, source, (kan_csv_tuning){0, false});
        char *error = strdup(table ? "" : kan_run_error(run));
        kan_table *other = read_all(run, source, (kan_csv_tuning){block, true});
        require((table == NULL) == (other == NULL), "same outcome for any blocks", run);
        if (table) {
            require_same(table, other, run);
            write_and_read_again(run, source, table, choice >> 5);
        } else {
            require(error && strcmp(error, kan_run_error(run)) == 0, "same error", run);
        }
        free(error);
        kan_table_destroy(other);
        kan_table_destroy(table);
        kan_csv_close(source);
    }
    kan_run_destroy(run);
    return 0;
}

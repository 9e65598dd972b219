/* Tables by Arrow beside CSV: what reading all cells costs, in CPU time, and in memory beyond the
 * codes that stay. Nine columns of the synthetic census, ten million rows by default: dictionaries
 * with indices of 8 and 32 bits, as data frames have them, and plain text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_data.h"
#include "data/encoder.h"
#include "io/arrow/arrow.h"
#include "job/settings/settings.h"

enum { RUNS = 3 };
static const double MIB = 1048576;

/* ---- a producer of a table that was read ------------------------------------------------------ */

typedef struct {
    const kan_table *table;
    unsigned index_size; /* 1 or 4; 0: plain text */
    bool is_done;
} producer;

static void forget_array(struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_buffers; i++)
        free((void *)(uintptr_t)array->buffers[i]);
    for (int64_t i = 0; i < array->n_children; i++) {
        array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    if (array->dictionary) {
        array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    free(array->children);
    free(array->buffers);
    array->release = NULL;
}

static void begin_array(uint64_t n, int64_t n_buffers, struct ArrowArray *out) {
    *out = (struct ArrowArray){.length = (int64_t)n,
                               .n_buffers = n_buffers,
                               .buffers = calloc((size_t)n_buffers, sizeof *out->buffers),
                               .release = forget_array};
}

static void make_dictionary(const kan_dictionary *from, struct ArrowArray *out) {
    int32_t *offsets = calloc(from->n + 1, sizeof *offsets);
    char *bytes = malloc(from->start[from->n] + 1);
    for (uint32_t i = 0; i <= from->n; i++)
        offsets[i] = (int32_t)from->start[i];
    memcpy(bytes, from->bytes, from->start[from->n]);
    begin_array(from->n, 3, out);
    out->buffers[1] = offsets;
    out->buffers[2] = bytes;
}

static void make_indices(const kan_column *column, unsigned size, struct ArrowArray *out) {
    char *indices = malloc(column->n_rows * size);
    for (uint64_t row = 0; row < column->n_rows; row++) {
        const uint32_t code = kan_column_code(column, row);
        memcpy(indices + row * size, &code, size);
    }
    begin_array(column->n_rows, 2, out);
    out->buffers[1] = indices;
    out->dictionary = malloc(sizeof *out->dictionary);
    make_dictionary(&column->dictionary, out->dictionary);
}

static void make_texts(const kan_column *column, struct ArrowArray *out) {
    int32_t *offsets = calloc(column->n_rows + 1, sizeof *offsets);
    size_t size = 0;
    for (uint64_t row = 0; row < column->n_rows; row++) {
        size += kan_column_value(column, row).size;
        offsets[row + 1] = (int32_t)size;
    }
    char *bytes = malloc(size + 1);
    for (uint64_t row = 0; row < column->n_rows; row++) {
        const kan_slice value = kan_column_value(column, row);
        memcpy(bytes + offsets[row], value.bytes, value.size);
    }
    begin_array(column->n_rows, 3, out);
    out->buffers[1] = offsets;
    out->buffers[2] = bytes;
}

static void forget_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++) {
        free(schema->children[i]->dictionary);
        free(schema->children[i]);
    }
    free(schema->children);
    schema->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const producer *p = stream->private_data;
    *out = (struct ArrowSchema){.format = "+s",
                                .n_children = (int64_t)p->table->n_columns,
                                .children = calloc(p->table->n_columns, sizeof *out->children),
                                .release = forget_schema};
    for (size_t i = 0; i < p->table->n_columns; i++) {
        struct ArrowSchema *child = out->children[i] = calloc(1, sizeof *child);
        child->format = p->index_size == 1 ? "C" : p->index_size == 4 ? "i" : "u";
        child->name = p->table->columns[i].name;
        if (p->index_size) {
            child->dictionary = calloc(1, sizeof *child->dictionary);
            child->dictionary->format = "u";
        }
    }
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    producer *p = stream->private_data;
    *out = (struct ArrowArray){0};
    if (p->is_done)
        return 0;
    p->is_done = true;
    begin_array(p->table->n_rows, 1, out);
    out->children = calloc(p->table->n_columns, sizeof *out->children);
    for (size_t i = 0; i < p->table->n_columns; i++) {
        out->children[i] = malloc(sizeof **out->children);
        if (p->index_size)
            make_indices(&p->table->columns[i], p->index_size, out->children[i]);
        else
            make_texts(&p->table->columns[i], out->children[i]);
    }
    out->n_children = (int64_t)p->table->n_columns;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static void forget_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

/* ---- measuring -------------------------------------------------------------------------------- */

static uint64_t code_bytes(const kan_table *table) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < table->n_columns; i++)
        bytes += table->n_rows * table->columns[i].width;
    return bytes;
}

static void print_line(const char *what, double ms, const kan_table *table, uint64_t peak) {
    const double cells = (double)table->n_rows * (double)table->n_columns;
    printf("%-28s %9.1f ms CPU %7.2f ns/cell %8.1f MiB of codes %8.1f MiB at most\n", what, ms,
           ms * 1e6 / cells, (double)code_bytes(table) / MIB, (double)peak / MIB);
}

/* The least of several runs; each in a run of its own, whose peak is what reading takes. */
static kan_status measure(const char *what, const kan_source_kind *kind, const char *path,
                          struct kan_arrow *arrow, const bool *encode, kan_run **kept,
                          kan_table **out) {
    double best = 1e30;
    kan_status status = KAN_OK;
    for (int i = 0; i < RUNS && status == KAN_OK; i++) {
        kan_run *run = *kept ? *kept : kan_run_create();
        const kan_source_options options = {.arrow = arrow};
        kan_source *source;
        kan_table_destroy(*out);
        *out = NULL;
        *kept = run;
        const double start = bench_cpu_ms();
        status = kan_source_open(run, kind, path, &options, &source);
        if (status != KAN_OK)
            break;
        status = kan_source_read(source, encode, NULL, out);
        const double ms = bench_cpu_ms() - start;
        best = ms < best ? ms : best;
        kan_source_close(source);
    }
    if (status != KAN_OK)
        fprintf(stderr, "arrow: %s: %s\n", what, kan_run_error(*kept));
    else
        print_line(what, best, *out, kan_run_peak_memory(*kept));
    return status;
}

/* By Arrow, in a run of its own. */
static kan_status measure_arrow(const char *what, const kan_table *table, unsigned index_size,
                                const bool *encode) {
    producer p = {.table = table, .index_size = index_size};
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, forget_stream, &p};
    kan_run *run = kan_run_create();
    kan_arrow *arrow;
    kan_table *read = NULL;
    kan_status status = kan_arrow_import(run, &stream, &arrow);
    if (status == KAN_OK) {
        status = measure(what, &kan_source_arrow, NULL, arrow, encode, &run, &read);
        kan_table_destroy(read);
        kan_arrow_destroy(arrow);
    }
    kan_run_destroy(run);
    return status;
}

int bench_arrow(int argc, char **argv) {
    bench_option options[] = {{"--rows", "N rows instead of 10,000,000", "10000000"}, {0}};
    bench_table table;
    uint64_t rows;
    int status;
    if (!bench_options_read(argc, argv, "reading a table by Arrow, beside CSV", options, &status))
        return status;
    if (!kan_parse_count(bench_option_value(options, "--rows"), &rows) || rows == 0 ||
        bench_table_generate("census", rows, &table) != 0)
        return 1;
    kan_run *run = NULL;
    kan_table *read = NULL;
    bool encode[64];
    memset(encode, true, sizeof encode);
    kan_status done = measure("CSV", &kan_source_csv, table.table, NULL, encode, &run, &read);
    if (done == KAN_OK)
        done = measure_arrow("Arrow, indices of 8 bits", read, 1, encode);
    if (done == KAN_OK)
        done = measure_arrow("Arrow, indices of 32 bits", read, 4, encode);
    if (done == KAN_OK && rows <= 50000000)
        done = measure_arrow("Arrow, text", read, 0, encode);
    kan_table_destroy(read);
    kan_run_destroy(run);
    bench_table_remove(&table);
    return done == KAN_OK ? 0 : 1;
}

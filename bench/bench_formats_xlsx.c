/* How fast a sheet is read: 100,000 rows of nine columns by default, all encoded, beside what unzip
 * and expat alone take for the same parts, without a handler. CPU time on one thread, least of
 * several. The workbook is a release of ours. */
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zip.h>

#include "bench.h"
#include "core/hash.h"
#include "core/memory.h"
#include "io/sink.h"

extern const kan_source_kind kan_source_xlsx;
extern const kan_sink_kind kan_sink_xlsx;

enum { N_COLUMNS = 9, REPEATS = 5, PIECE = 1 << 16 };

static const char *const names[N_COLUMNS] = {"age",        "gender",     "race",
                                             "marital",    "education",  "native-country",
                                             "work-class", "occupation", "born"};
static const unsigned n_values[N_COLUMNS] = {74, 2, 5, 7, 16, 41, 7, 14, 0};

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static kan_status fill(kan_table *table, uint64_t n_rows) {
    uint64_t random = 7;
    for (uint64_t row = 0; row < n_rows; row++) {
        char texts[N_COLUMNS][32];
        const char *values[N_COLUMNS];
        for (size_t i = 0; i < N_COLUMNS; i++) {
            const unsigned x =
                (unsigned)kan_random_below(&random, n_values[i] ? n_values[i] : 20000);
            if (i == 0)
                snprintf(texts[i], sizeof texts[i], "%u", 17 + x);
            else if (n_values[i])
                snprintf(texts[i], sizeof texts[i], "%s %u", names[i], x);
            else
                snprintf(texts[i], sizeof texts[i], "%04u-%02u-%02u", 1930 + x % 80, 1 + x % 12,
                         1 + x % 28);
            values[i] = texts[i];
        }
        KAN_TRY(kan_table_add_row(table, values));
    }
    return kan_table_seal(table);
}

static kan_status write_table(kan_run *run, const kan_table *table, const char *path, double *ms) {
    kan_release_column columns[N_COLUMNS];
    kan_slice *labels[N_COLUMNS] = {NULL};
    kan_sink *sink = NULL;
    kan_status status;
    for (size_t i = 0; i < N_COLUMNS; i++) {
        const kan_column *column = &table->columns[i];
        KAN_TRY_DONE(kan_alloc(run, column->dictionary.n, sizeof *labels[i], &labels[i]));
        for (uint32_t code = 0; code < column->dictionary.n; code++)
            labels[i][code] = kan_dictionary_value(&column->dictionary, code);
        columns[i] = (kan_release_column){.name = names[i],
                                          .source_column = i,
                                          .width = column->width,
                                          .codes = column->codes,
                                          .labels = labels[i],
                                          .n_labels = column->dictionary.n,
                                          .shows_values = true};
    }
    const kan_release release = {.n_rows = table->n_rows,
                                 .n_released = table->n_rows,
                                 .n_columns = N_COLUMNS,
                                 .columns = columns};
    const double start = cpu_ms();
    KAN_TRY_DONE(kan_sink_write(
        run,
        &(kan_sink_order){
            .kind = &kan_sink_xlsx, .release = &release, .target = path, .overwrite = true},
        &sink));
    *ms = cpu_ms() - start;
    KAN_TRY_DONE(kan_sink_sync(sink));
    KAN_TRY_DONE(kan_sink_commit(sink));
done:
    kan_sink_close(sink);
    for (size_t i = 0; i < N_COLUMNS; i++)
        kan_free(run, labels[i]);
    return status;
}

/* One part through unzip and expat; its size unpacked, 0 where that fails. */
static uint64_t parse_part(zip_t *zip, const char *part) {
    uint64_t n = 0;
    zip_int64_t size = 1;
    zip_file_t *file = zip_fopen(zip, part, 0);
    XML_Parser parser = XML_ParserCreate(NULL);
    for (; file && parser && size > 0; n += (uint64_t)(size > 0 ? size : 0)) {
        void *room = XML_GetBuffer(parser, PIECE);
        size = room ? zip_fread(file, room, PIECE) : -1;
        if (size < 0 || XML_ParseBuffer(parser, (int)size, size == 0) != XML_STATUS_OK)
            break;
    }
    XML_ParserFree(parser);
    if (file)
        zip_fclose(file);
    return size == 0 ? n : 0;
}

static uint64_t parse_alone(const char *path, double *ms) {
    const double start = cpu_ms();
    int error;
    zip_t *zip = zip_open(path, ZIP_RDONLY, &error);
    if (!zip)
        return 0;
    const uint64_t n = parse_part(zip, "xl/worksheets/sheet1.xml");
    zip_discard(zip);
    *ms = cpu_ms() - start;
    return n;
}

static kan_status read_all(kan_run *run, const char *path, double *ms) {
    static const bool all[N_COLUMNS] = {true, true, true, true, true, true, true, true, true};
    const kan_source_options options = {.separator = 0};
    kan_source *source;
    kan_table *table = NULL;
    const double start = cpu_ms();
    KAN_TRY(kan_source_open(run, &kan_source_xlsx, path, &options, &source));
    const kan_status status = kan_source_read(source, all, NULL, &table);
    *ms = cpu_ms() - start;
    kan_table_destroy(table);
    kan_source_close(source);
    return status;
}

static kan_status measure(kan_run *run, const char *path, uint64_t n_rows) {
    double alone = 1e30, whole = 1e30, written = 0, ms = 0;
    uint64_t n_bytes = 0;
    kan_table *table;
    KAN_TRY(kan_table_create(run, N_COLUMNS, names, &table));
    kan_status status = fill(table, n_rows);
    if (status == KAN_OK)
        status = write_table(run, table, path, &written);
    kan_table_destroy(table);
    for (int i = 0; i < REPEATS && status == KAN_OK; i++) {
        n_bytes = parse_alone(path, &ms);
        alone = ms < alone ? ms : alone;
        status = n_bytes ? read_all(run, path, &ms)
                         : kan_fail(run, KAN_FAILED, "the workbook cannot be parsed");
        whole = ms < whole ? ms : whole;
    }
    KAN_TRY(status);
    printf("xlsx: %llu rows, %d columns, %.1f MB of XML; CPU time, least of %d\n",
           (unsigned long long)n_rows, N_COLUMNS, (double)n_bytes / 1e6, REPEATS);
    printf("%-28s %8.1f ms\n", "unzip and expat alone", alone);
    printf("%-28s %8.1f ms %6.2f times that; 3 are allowed\n", "read, all columns", whole,
           whole / alone);
    printf("%-28s %8.1f ms %6.2f times that\n", "write and look at all of it", written,
           written / alone);
    return KAN_OK;
}

int bench_formats_xlsx(int argc, char **argv) {
    const uint64_t n_rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    char folder[] = "/tmp/kanon-bench-XXXXXX", path[64];
    kan_run *run = kan_run_create();
    if (!run || n_rows == 0 || !mkdtemp(folder)) {
        fprintf(stderr, "formats_xlsx: no memory, no temporary folder, or no row\n");
        kan_run_destroy(run);
        return 1;
    }
    kan_run_set_threads(run, 1);
    snprintf(path, sizeof path, "%s/table.xlsx", folder);
    const kan_status status = measure(run, path, n_rows);
    if (status != KAN_OK)
        fprintf(stderr, "formats_xlsx: %s\n", kan_run_error(run));
    (void)unlink(path);
    (void)rmdir(folder);
    kan_run_destroy(run);
    return status == KAN_OK ? 0 : 1;
}

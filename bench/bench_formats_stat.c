/* Files of SPSS, Stata and SAS: reading all columns into dictionaries, beside what libreadstat alone
 * takes to walk over the same file. A million rows of nine columns by default: age and four more
 * numbers, four texts; written by libreadstat itself.
 *
 * Wall time and CPU time, that of the child included; the least of several. */
#include <readstat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"
#include "core/hash.h"
#include "io/stat/stat.h"

enum { N_NUMBERS = 5, N_COLUMNS = 9, TEXT_BYTES = 16, RUNS = 3 };

static const struct {
    const char *name;
    const kan_source_kind *kind;
    readstat_error_t (*begin)(readstat_writer_t *writer, void *context, long n_rows);
    readstat_error_t (*parse)(readstat_parser_t *parser, const char *path, void *context);
} formats[] = {
    {"sav", &kan_source_sav, readstat_begin_writing_sav, readstat_parse_sav},
    {"zsav", &kan_source_zsav, readstat_begin_writing_sav, readstat_parse_sav},
    {"dta", &kan_source_dta, readstat_begin_writing_dta, readstat_parse_dta},
    {"xpt", &kan_source_xpt, readstat_begin_writing_xport, readstat_parse_xport},
};

/* ---- the file ------------------------------------------------------------------------------- */

static ssize_t put(const void *bytes, size_t size, void *file) {
    return (ssize_t)fwrite(bytes, 1, size, file);
}

static uint64_t next(uint64_t *random) {
    return kan_hash_word((*random)++);
}

static readstat_error_t put_row(readstat_writer_t *writer, uint64_t *random) {
    char text[TEXT_BYTES + 1];
    readstat_begin_row(writer);
    for (int i = 0; i < N_COLUMNS; i++) {
        const readstat_variable_t *variable = readstat_get_variable(writer, i);
        if (i < N_NUMBERS) {
            const double number = (double)(next(random) % (uint64_t)(100 * (i + 1)));
            readstat_insert_double_value(writer, variable, i == 3 ? number + 0.25 : number);
        } else {
            snprintf(text, sizeof text, "value %d", (int)(next(random) % (uint64_t)(20 * i)));
            readstat_insert_string_value(writer, variable, text);
        }
    }
    return readstat_end_row(writer);
}

static bool make_file(size_t format, const char *path, long n_rows) {
    FILE *file = fopen(path, "wb");
    readstat_writer_t *writer = readstat_writer_init();
    uint64_t random = 24;
    if (!file || !writer)
        return false;
    readstat_set_data_writer(writer, put);
    for (int i = 0; i < N_COLUMNS; i++) {
        char name[16];
        snprintf(name, sizeof name, "V%d", i);
        readstat_add_variable(
            writer, name, i < N_NUMBERS ? READSTAT_TYPE_DOUBLE : READSTAT_TYPE_STRING, TEXT_BYTES);
    }
    if (strcmp(formats[format].name, "sav") == 0)
        readstat_writer_set_compression(writer, READSTAT_COMPRESS_ROWS);
    if (strcmp(formats[format].name, "zsav") == 0)
        readstat_writer_set_compression(writer, READSTAT_COMPRESS_BINARY);
    readstat_error_t error = formats[format].begin(writer, file, n_rows);
    for (long row = 0; error == READSTAT_OK && row < n_rows; row++)
        error = put_row(writer, &random);
    if (error == READSTAT_OK)
        error = readstat_end_writing(writer);
    readstat_writer_free(writer);
    return fclose(file) == 0 && error == READSTAT_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int take_variable(int index, readstat_variable_t *variable, const char *labels,
                         void *context) {
    (void)index;
    (void)variable;
    (void)labels;
    (void)context;
    return READSTAT_HANDLER_OK;
}

static int take_value(int row, readstat_variable_t *variable, readstat_value_t value,
                      void *context) {
    double *sum = context;
    (void)row;
    (void)variable;
    if (readstat_value_type_class(value) == READSTAT_TYPE_CLASS_NUMERIC)
        *sum += readstat_double_value(value);
    else
        *sum += *readstat_string_value(value);
    return READSTAT_HANDLER_OK;
}

static bool walk(size_t format, const char *path) {
    double sum = 0;
    readstat_parser_t *parser = readstat_parser_init();
    readstat_set_variable_handler(parser, take_variable);
    readstat_set_value_handler(parser, take_value);
    const bool is_read = formats[format].parse(parser, path, &sum) == READSTAT_OK;
    readstat_parser_free(parser);
    return is_read && sum > 0;
}

static bool read_all(size_t format, const char *path) {
    bool all[N_COLUMNS];
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    const kan_source_options options = {.given = NULL};
    memset(all, true, sizeof all);
    kan_status status = kan_source_open(run, formats[format].kind, path, &options, &source);
    if (status == KAN_OK) {
        status = kan_source_read(source, all, NULL, &table);
        if (status == KAN_OK)
            kan_table_destroy(table);
        kan_source_close(source);
    }
    if (status != KAN_OK)
        fprintf(stderr, "%s\n", kan_run_error(run));
    kan_run_destroy(run);
    return status == KAN_OK;
}

/* ---- times ---------------------------------------------------------------------------------- */

typedef struct {
    double wall_ms, cpu_ms;
} cost;

static double cpu_now(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static bool measure(bool (*work)(size_t format, const char *path), size_t format, const char *path,
                    cost *out) {
    *out = (cost){1e300, 1e300};
    for (int i = 0; i < RUNS; i++) {
        const double wall = kan_now_ms();
        const double cpu = cpu_now(RUSAGE_SELF) + cpu_now(RUSAGE_CHILDREN);
        if (!work(format, path))
            return false;
        const double took = kan_now_ms() - wall;
        const double used = cpu_now(RUSAGE_SELF) + cpu_now(RUSAGE_CHILDREN) - cpu;
        out->wall_ms = took < out->wall_ms ? took : out->wall_ms;
        out->cpu_ms = used < out->cpu_ms ? used : out->cpu_ms;
    }
    return true;
}

int bench_formats_stat(int argc, char **argv) {
    bench_option options[] = {{"--rows", "N rows instead of 1,000,000", "1000000"},
                              {NULL, NULL, NULL}};
    int status = 0;
    char path[] = "/tmp/kanon-bench-stat-XXXXXX";
    if (!bench_options_read(argc, argv, "Reading .sav, .zsav, .dta and .xpt, ms", options, &status))
        return status;
    const long n_rows = atol(bench_option_value(options, "--rows"));
    const int file = mkstemp(path);
    if (file < 0 || close(file) != 0)
        return 1;
    printf("%ld rows, %d columns; the least of %d\n", n_rows, N_COLUMNS, RUNS);
    for (size_t i = 0; i < sizeof formats / sizeof *formats && status == 0; i++) {
        cost alone, ours;
        if (!make_file(i, path, n_rows) || !measure(walk, i, path, &alone) ||
            !measure(read_all, i, path, &ours))
            status = 1;
        else
            printf("%-5s %6.0f ms, %4.2f of libreadstat alone (%.0f ms); CPU %6.0f ms, %4.2f of it "
                   "(%.0f ms)\n",
                   formats[i].name, ours.wall_ms, ours.wall_ms / alone.wall_ms, alone.wall_ms,
                   ours.cpu_ms, ours.cpu_ms / alone.cpu_ms, alone.cpu_ms);
    }
    unlink(path);
    return status;
}

/* How fast CSV is read and written: an Adult-like table in a temporary file.
 *
 * Prints MB/s of wall time, best of several, beside a plain copy of the same bytes in the same run:
 * the copy is what the memory allows. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/memory.h"
#include "io/csv/csv.h"

int bench_csv(int argc, char **argv);

enum { N_COLUMNS = 9, REPEATS = 5 };

static const char *const names[N_COLUMNS] = {"age",        "gender",     "race",
                                             "marital",    "education",  "native-country",
                                             "work-class", "occupation", "salary-class"};

/* Values by column with how often each comes, of a thousand. */
static const struct {
    const char *value;
    unsigned weight;
} shares[][12] = {
    {{"Male", 670}, {"Female", 330}},
    {{"White", 855},
     {"Black", 95},
     {"Asian-Pac-Islander", 31},
     {"Amer-Indian-Eskimo", 10},
     {"Other", 9}},
    {{"Married-civ-spouse", 459},
     {"Never-married", 328},
     {"Divorced", 137},
     {"Separated", 31},
     {"Widowed", 30},
     {"Married-spouse-absent", 13},
     {"Married-AF-spouse", 2}},
    {{"HS-grad", 322},
     {"Some-college", 223},
     {"Bachelors", 165},
     {"Masters", 53},
     {"Assoc-voc", 42},
     {"11th", 36},
     {"Assoc-acdm", 33},
     {"10th", 28},
     {"7th-8th", 40},
     {"Prof-school", 33},
     {"Doctorate", 25}},
    {{"United-States", 913},
     {"Mexico", 20},
     {"Philippines", 6},
     {"Germany", 14},
     {"Puerto-Rico", 14},
     {"El-Salvador", 13},
     {"Outlying-US(Guam-USVI-etc)", 10},
     {"Dominican-Republic", 10}},
    {{"Private", 736},
     {"Self-emp-not-inc", 83},
     {"Local-gov", 69},
     {"State-gov", 43},
     {"Self-emp-inc", 37},
     {"Federal-gov", 32}},
    {{"Prof-specialty", 133},
     {"Craft-repair", 134},
     {"Exec-managerial", 132},
     {"Adm-clerical", 123},
     {"Sales", 120},
     {"Other-service", 106},
     {"Machine-op-inspct", 65},
     {"Transport-moving", 52},
     {"Handlers-cleaners", 45},
     {"Farming-fishing", 40},
     {"Tech-support", 50}},
    {{"<=50K", 752}, {">50K", 248}},
};

static const char *pick(size_t column, uint64_t *random) {
    unsigned at = (unsigned)kan_random_below(random, 1000), i = 0;
    for (; i < 11 && shares[column][i + 1].value && at >= shares[column][i].weight; i++)
        at -= shares[column][i].weight;
    return shares[column][i].value;
}

static size_t generate(char *out, size_t size) {
    uint64_t random = 7;
    char *at = out;
    for (size_t i = 0; i < N_COLUMNS; i++)
        at += sprintf(at, "%s%c", names[i], i + 1 < N_COLUMNS ? ',' : '\n');
    while ((size_t)(at - out) + 256 < size) {
        at += sprintf(at, "%u", 17 + (unsigned)kan_random_below(&random, 74));
        for (size_t i = 0; i + 1 < N_COLUMNS; i++)
            at += sprintf(at, ",%s", pick(i, &random));
        *at++ = '\n';
    }
    return (size_t)(at - out);
}

static int fail(const kan_run *run, const char *what) {
    fprintf(stderr, "csv: %s: %s\n", what, run ? kan_run_error(run) : "out of memory");
    return 1;
}

static void print_line(const char *what, double ms, double bytes, double cells, double copy_ms) {
    printf("%-34s %8.1f ms %8.0f MB/s %6.2f ns/field %6.1f x copy\n", what, ms, bytes / ms / 1e3,
           ms * 1e6 / cells, ms / copy_ms);
}

static double copy_ms(char *to, const char *from, size_t size) {
    double best = 1e30;
    for (int i = 0; i < REPEATS; i++) {
        double start = kan_now_ms();
        memcpy(to, from, size);
        double ms = kan_now_ms() - start;
        best = ms < best ? ms : best;
    }
    return best;
}

static int read_once(kan_run *run, const char *path, size_t n_encoded, double *ms,
                     kan_csv_source **source, kan_table **table) {
    bool encode[N_COLUMNS] = {0};
    for (size_t i = 0; i < n_encoded; i++)
        encode[i] = true;
    double start = kan_now_ms();
    if (kan_csv_open(run, path, 0, source) != KAN_OK)
        return fail(run, "open");
    if (kan_csv_read(*source, encode, table) != KAN_OK) {
        kan_csv_close(*source);
        return fail(run, "read");
    }
    *ms = kan_now_ms() - start;
    return 0;
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

/* Rows as they were read; the columns from `n_labelled` on pass through. */
static int write_once(kan_run *run, kan_csv_source *source, const kan_table *table,
                      size_t n_labelled, const char *target, double *ms) {
    kan_release_column columns[N_COLUMNS];
    kan_slice *labels[N_COLUMNS] = {NULL};
    for (size_t i = 0; i < N_COLUMNS; i++) {
        const kan_column *column = &table->columns[i];
        columns[i] = (kan_release_column){.name = names[i],
                                          .source_column = i,
                                          .passes_through = i >= n_labelled,
                                          .is_quasi = true,
                                          .width = column->width,
                                          .codes = column->codes,
                                          .n_labels = column->dictionary.n};
        labels[i] = calloc(column->dictionary.n + 1u, sizeof *labels[i]);
        for (uint32_t code = 0; labels[i] && code < column->dictionary.n; code++)
            labels[i][code] = kan_dictionary_value(&column->dictionary, code);
        columns[i].labels = labels[i];
    }
    kan_release release = {.n_rows = table->n_rows,
                           .n_released = table->n_rows,
                           .n_columns = N_COLUMNS,
                           .columns = columns};
    kan_target *sink = NULL;
    double start = kan_now_ms();
    kan_status status = write_target(run, &release, source, ',', target, true, &sink);
    *ms = kan_now_ms() - start;
    for (size_t i = 0; i < N_COLUMNS; i++)
        free(labels[i]);
    kan_target_close(sink);
    return status == KAN_OK ? 0 : fail(run, "write");
}

static int measure(kan_run *run, const char *path, size_t size, unsigned threads, double copy) {
    char what[64];
    double best_read = 1e30, best_scan = 1e30, best_write = 1e30, best_pass = 1e30, ms = 0;
    double cells = 0;
    kan_run_set_threads(run, threads);
    for (int i = 0; i < REPEATS; i++) {
        kan_csv_source *source;
        kan_table *table;
        if (read_once(run, path, 0, &ms, &source, &table))
            return 1;
        best_scan = ms < best_scan ? ms : best_scan;
        kan_table_destroy(table);
        kan_csv_close(source);
        if (read_once(run, path, N_COLUMNS, &ms, &source, &table))
            return 1;
        best_read = ms < best_read ? ms : best_read;
        cells = (double)table->n_rows * N_COLUMNS;
        int failed = write_once(run, source, table, N_COLUMNS, "bench-csv.out", &ms);
        best_write = ms < best_write ? ms : best_write;
        failed |= write_once(run, source, table, N_COLUMNS / 2, "bench-csv.out", &ms);
        best_pass = ms < best_pass ? ms : best_pass;
        kan_table_destroy(table);
        kan_csv_close(source);
        if (failed)
            return 1;
    }
    snprintf(what, sizeof what, "read, nothing encoded, %u thread%s", threads, &"s"[threads == 1]);
    print_line(what, best_scan, (double)size, cells, copy);
    snprintf(what, sizeof what, "read, 9 columns, %u thread%s", threads, &"s"[threads == 1]);
    print_line(what, best_read, (double)size, cells, copy);
    snprintf(what, sizeof what, "write, 9 labelled, %u thread%s", threads, &"s"[threads == 1]);
    print_line(what, best_write, (double)size, cells, copy);
    snprintf(what, sizeof what, "write, 5 passing, %u thread%s", threads, &"s"[threads == 1]);
    print_line(what, best_pass, (double)size, cells, copy);
    return 0;
}

int bench_csv(int argc, char **argv) {
    size_t size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 200) * 1000000;
    char path[] = "/tmp/kanon-bench-XXXXXX";
    char *bytes = malloc(size + 1024), *copy = malloc(size + 1024);
    kan_run *run = kan_run_create();
    int file = -1, failed = 1;
    if (bytes && copy && run && size >= 1000000) {
        size = generate(bytes, size);
        memset(copy, 0, size);
        file = mkstemp(path);
    }
    if (file >= 0 && write(file, bytes, size) == (ssize_t)size) {
        double ms = copy_ms(copy, bytes, size);
        printf("csv: %.0f MB, 9 columns; a plain copy takes %.1f ms (%.1f GB/s)\n",
               (double)size / 1e6, ms, (double)size / ms / 1e6);
        failed = measure(run, path, size, 1, ms) || measure(run, path, size, 2, ms);
        puts("Reading is limited by the walk from field to field and one hash look-up each;\n"
             "writing by the copy into the system's cache, which one thread at a time does.");
    } else {
        fail(NULL, "no memory, no room for a temporary file, or a size below 1 (MB)");
    }
    if (file >= 0) {
        (void)close(file);
        (void)unlink(path);
    }
    kan_run_destroy(run);
    free(bytes);
    free(copy);
    return failed;
}

/* Formats: the program kanon as a process of its own, from a table in a format to a verified
 * release in the same one, beside CSV to CSV. One million rows of the synthetic census by default,
 * nine columns: five quasi-identifiers, four that are kept.
 *
 * The table of each format is made by kanon itself, from the CSV. A format whose library is missing
 * is skipped, and said so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "bench_data.h"
#include "cold.h"

#define QUASI "age,gender,race,marital-status,native-country"

enum { RUNS = 3 };
static const double MIB = 1048576;

/* The first is what the others are held against. */
static const struct {
    const char *name, *ending;
    uint64_t most_rows; /* 0: any number */
} formats[] = {
    {"csv", "csv", 0},
    {"parquet", "parquet", 0},
    {"json", "jsonl", 0},
};

typedef struct {
    bench_table table;
    char kanon[512], input[600], output[600];
} scene;

/* The table in another format: all columns, unchanged. */
static bool make_input(scene *s, const char *ending) {
    snprintf(s->input, sizeof s->input, "%s/table.%s", s->table.dir, ending);
    char *argv[] = {s->kanon,   "anonymize", s->table.table, "--qi", "salary-class=suppress",
                    "--others", "keep",      "--k",          "1",    "-q",
                    "--force",  "-o",        s->input,       NULL};
    return cold_run(argv, NULL).exit_status == 0;
}

static cold_result anonymize(scene *s, const char *ending, char *threads) {
    snprintf(s->output, sizeof s->output, "%s/release.%s", s->table.dir, ending);
    char *argv[] = {s->kanon,
                    "anonymize",
                    s->input,
                    "--hierarchies",
                    s->table.hierarchies,
                    "--qi",
                    QUASI,
                    "--keep",
                    "education,work-class,occupation,salary-class",
                    "--k",
                    "5",
                    "--suppress",
                    "1%",
                    "-q",
                    "--force",
                    "--threads",
                    threads,
                    "-o",
                    s->output,
                    NULL};
    return cold_best(argv, RUNS);
}

static int measure(scene *s, size_t format, char *threads, double *csv_ms, double *csv_cpu) {
    const cold_result result = anonymize(s, formats[format].ending, threads);
    (void)unlink(s->output);
    if (result.exit_status != 0)
        return 1;
    if (format == 0) {
        *csv_ms = result.wall_ms;
        *csv_cpu = result.cpu_ms;
    }
    printf("%-8s %s thread%s %6.0f ms, %4.2f of CSV; CPU %6.0f ms, %4.2f of CSV; %4.0f MiB\n",
           formats[format].name, threads, strcmp(threads, "1") == 0 ? " " : "s", result.wall_ms,
           result.wall_ms / *csv_ms, result.cpu_ms, result.cpu_ms / *csv_cpu,
           (double)result.peak_bytes / MIB);
    return 0;
}

static int measure_all(scene *s, uint64_t rows) {
    double csv_ms[2] = {0}, csv_cpu[2] = {0};
    int failed = 0;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !failed; i++) {
        if (formats[i].most_rows && rows > formats[i].most_rows)
            continue;
        if (!make_input(s, formats[i].ending)) {
            printf("%-8s skipped\n", formats[i].name);
            continue;
        }
        failed = measure(s, i, "1", &csv_ms[0], &csv_cpu[0]) ||
                 measure(s, i, "2", &csv_ms[1], &csv_cpu[1]);
        (void)unlink(s->input);
    }
    return failed;
}

int bench_formats(int argc, char **argv) {
    const uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    scene s;
    char own[480];
    if (!cold_own_path(own, sizeof own) || !strrchr(own, '/') ||
        bench_table_generate("census", rows, &s.table) != 0)
        return 1;
    *strrchr(own, '/') = '\0';
    snprintf(s.kanon, sizeof s.kanon, "%s/kanon", own);
    printf("%s, %llu rows, nine columns, k = 5, 1 %% suppression; the least of %d\n", s.table.name,
           (unsigned long long)rows, RUNS);
    const int failed = measure_all(&s, rows);
    bench_table_remove(&s.table);
    return failed;
}

/* Finding or making the tables of the benchmarks. */
#include "bench_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS(names) (names), sizeof(names) / sizeof *(names)

static const char *const adult_columns[] = {
    "age",        "gender",     "race",        "marital-status", "education", "native-country",
    "work-class", "occupation", "salary-class"};

/* Figure 9's order, as Adult's. */
static const char *const sales_columns[] = {"zipcode", "order-date", "gender", "style",
                                            "price",   "quantity",   "cost",   "shipment"};

double bench_cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

bool bench_data_path(const char *name, char *path, size_t size) {
    const char *data = getenv("KANON_DATA");
    snprintf(path, size, "%s/%s", data ? data : KANON_SOURCE_DIR "/../shared/data", name);
    return access(path, R_OK) == 0;
}

int bench_temporary(char *dir, size_t size) {
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, size, "%s/kanon-bench-XXXXXX", tmp ? tmp : "/tmp");
    if (mkdtemp(dir))
        return 0;
    fprintf(stderr, "kanon-bench: no temporary directory %s\n", dir);
    dir[0] = '\0';
    return 1;
}

static bool find_adult(const char *file, const char *name, bench_table *out) {
    char path[128];
    snprintf(path, sizeof path, "adult/%s", file);
    *out = (bench_table){{0}, {0}, {0}, name, COLUMNS(adult_columns)};
    return bench_data_path(path, out->table, sizeof out->table) &&
           bench_data_path("adult/hierarchies", out->hierarchies, sizeof out->hierarchies);
}

int bench_table_adult(const char *file, const char *name, bench_table *out) {
    if (find_adult(file, name, out))
        return 0;
    fprintf(stderr, "kanon-bench: no adult/%s in $KANON_DATA or ../shared/data\n", file);
    return 1;
}

int bench_table_generate(const char *generator, uint64_t rows, bench_table *out) {
    char count[32];
    const bool is_sales = strcmp(generator, "sales") == 0;
    *out = is_sales ? (bench_table){{0}, {0}, {0}, "synthetic sales", COLUMNS(sales_columns)}
                    : (bench_table){{0}, {0}, {0}, "synthetic census", COLUMNS(adult_columns)};
    if (bench_temporary(out->dir, sizeof out->dir) != 0)
        return 1;
    snprintf(out->table, sizeof out->table, "%s/%s.csv", out->dir, generator);
    snprintf(out->hierarchies, sizeof out->hierarchies, "%s/hierarchies", out->dir);
    snprintf(count, sizeof count, "%llu", (unsigned long long)rows);
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_result *result = NULL;
    int failed =
        !run || kan_job_create(run, &job) || kan_job_set(job, "generator", generator) ||
        (rows > 0 && kan_job_set(job, "rows", count)) || kan_job_set(job, "output", out->table) ||
        kan_job_set(job, "hierarchies", out->hierarchies) || kan_job_run(job, "generate", &result);
    if (failed) {
        fprintf(stderr, "kanon-bench: %s\n", run ? kan_run_error(run) : "out of memory");
        bench_table_remove(out);
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return failed;
}

int bench_table_find(uint64_t rows, bench_table *out) {
    if (rows == 0 && find_adult("adult-30162.csv", "adult, 30,162 rows", out))
        return 0;
    return bench_table_generate("census", rows ? rows : 30162, out);
}

void bench_table_remove(const bench_table *table) {
    char path[800];
    if (!table->dir[0])
        return;
    for (unsigned i = 0; i < table->n_columns; i++) {
        snprintf(path, sizeof path, "%s/%s.csv", table->hierarchies, table->columns[i]);
        unlink(path);
    }
    rmdir(table->hierarchies);
    unlink(table->table);
    rmdir(table->dir);
}

kan_job *bench_job_create(kan_run *run, const bench_table *table, const char *k,
                          const char *suppress, unsigned threads) {
    kan_job *job = NULL;
    char count[16];
    snprintf(count, sizeof count, "%u", threads);
    int failed = kan_job_create(run, &job) || kan_job_set(job, "input", table->table) ||
                 kan_job_set(job, "hierarchies", table->hierarchies) || kan_job_set(job, "k", k) ||
                 kan_job_set(job, "suppress", suppress) || kan_job_set(job, "threads", count);
    for (unsigned i = 0; i < table->n_columns && !failed; i++)
        failed = kan_job_set(job, "qi", table->columns[i]) != KAN_OK;
    if (!failed)
        return job;
    fprintf(stderr, "kanon-bench: %s\n", kan_run_error(run));
    kan_job_destroy(job);
    return NULL;
}

/* Finding or making the tables of the benchmarks. */
#include "bench_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const columns[] = {
    "age",        "gender",     "race",        "marital-status", "education", "native-country",
    "work-class", "occupation", "salary-class"};

double bench_cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int find_adult(bench_table *out) {
    const char *data = getenv("KANON_DATA");
    char base[400];
    snprintf(base, sizeof base, "%s", data ? data : KANON_SOURCE_DIR "/../shared/data");
    snprintf(out->table, sizeof out->table, "%s/adult/adult-30162.csv", base);
    snprintf(out->hierarchies, sizeof out->hierarchies, "%s/adult/hierarchies", base);
    out->dir[0] = '\0';
    out->name = "adult, 30,162 rows";
    return access(out->table, R_OK);
}

static int generate(uint64_t rows, bench_table *out) {
    char count[32];
    const char *tmp = getenv("TMPDIR");
    snprintf(out->dir, sizeof out->dir, "%s/kanon-bench-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(out->dir))
        return 1;
    snprintf(out->table, sizeof out->table, "%s/census.csv", out->dir);
    snprintf(out->hierarchies, sizeof out->hierarchies, "%s/hierarchies", out->dir);
    snprintf(count, sizeof count, "%llu", (unsigned long long)(rows ? rows : 30162));
    out->name = "synthetic census";
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_result *result = NULL;
    int failed = !run || kan_job_create(run, &job) || kan_job_set(job, "generator", "census") ||
                 kan_job_set(job, "rows", count) || kan_job_set(job, "output", out->table) ||
                 kan_job_set(job, "hierarchies", out->hierarchies) ||
                 kan_job_run(job, "generate", &result);
    if (failed)
        fprintf(stderr, "kanon-bench: %s\n", run ? kan_run_error(run) : "out of memory");
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return failed;
}

int bench_table_find(uint64_t rows, bench_table *out) {
    if (rows == 0 && find_adult(out) == 0)
        return 0;
    return generate(rows, out);
}

void bench_table_remove(const bench_table *table) {
    char path[800];
    if (!table->dir[0])
        return;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        snprintf(path, sizeof path, "%s/%s.csv", table->hierarchies, columns[i]);
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
    for (size_t i = 0; i < sizeof columns / sizeof *columns && !failed; i++)
        failed = kan_job_set(job, "qi", columns[i]) != KAN_OK;
    if (!failed)
        return job;
    fprintf(stderr, "kanon-bench: %s\n", kan_run_error(run));
    kan_job_destroy(job);
    return NULL;
}

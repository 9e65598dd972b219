/* The whole job, from CSV to released CSV, stage by stage, the search aside and included.
 *
 * One million rows of the synthetic census by default, nine quasi-identifiers, k = 5. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "bench_data.h"

static double stage(const json_t *result, const char *name) {
    return json_number_value(json_object_get(json_object_get(result, "time_ms"), name));
}

static int run_once(const bench_table *table, const char *output, unsigned threads) {
    kan_run *run = kan_run_create();
    kan_job *job = run ? bench_job_create(run, table, "5", "1%", threads) : NULL;
    kan_result *result = NULL;
    int failed = 1;
    double cpu = bench_cpu_ms();
    if (job && !kan_job_set(job, "output", output) && !kan_job_set(job, "force", "true") &&
        !kan_job_run(job, "anonymize", &result)) {
        json_t *json = json_loads(kan_result_json(result), 0, NULL);
        double total = stage(json, "total"), search = stage(json, "search");
        printf("%u thread%s: %.0f ms without the search: read %.0f, fold %.0f, apply %.0f, write "
               "%.0f, verify %.0f; search %.0f; CPU %.0f ms\n",
               threads, threads == 1 ? " " : "s", total - search, stage(json, "read"),
               stage(json, "fold"), stage(json, "apply"), stage(json, "write"),
               stage(json, "verify"), search, bench_cpu_ms() - cpu);
        json_decref(json);
        failed = 0;
    } else {
        fprintf(stderr, "kanon-bench: %s\n", run ? kan_run_error(run) : "out of memory");
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return failed;
}

int bench_walk(int argc, char **argv) {
    bench_table table;
    char output[800];
    uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    if (bench_table_find(rows, &table) != 0)
        return 1;
    const char *dir = table.dir[0] ? table.dir : "/tmp";
    snprintf(output, sizeof output, "%s/kanon-bench-release.csv", dir);
    printf("%s, %llu rows, k = 5, 1 %% suppression\n", table.name, (unsigned long long)rows);
    int failed = 0;
    for (unsigned threads = 1; threads <= 2 && !failed; threads++)
        for (int round = 0; round < 2 && !failed; round++)
            failed = run_once(&table, output, threads);
    unlink(output);
    bench_table_remove(&table);
    return failed;
}

/* The grouping kernels: nanoseconds per tuple, beside a copy of the same bytes.
 *
 * Folds the table, then rolls the base up along one attribute at each place of the key with every
 * kernel that can do the step. The copy is what the memory allows: keys and counts read and written
 * once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_data.h"
#include "group/freqsets/kernel.h"

enum { ROUNDS = 7 };

static double time_copy(const kan_freqset *set) {
    size_t bytes = set->n * sizeof(uint64_t);
    uint64_t *to = malloc(2 * bytes);
    double best = 0;
    for (int round = 0; to && round < ROUNDS; round++) {
        double start = bench_cpu_ms();
        for (int i = 0; i < 16; i++) {
            memcpy(to, set->keys, bytes);
            memcpy(to + set->n, set->counts, bytes);
            __asm__ volatile("" ::"r"(to) : "memory");
        }
        double ns = (bench_cpu_ms() - start) * 1e6 / 16 / (double)set->n;
        best = round == 0 || ns < best ? ns : best;
    }
    free(to);
    return best;
}

static double time_kernel(const kan_space *space, const kan_freqset *from, const kan_layout *to,
                          kan_kernel kernel, kan_workspace *workspace, kan_freqset *out) {
    double best = -1;
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_cpu_ms();
        if (kan_freqset_regroup(space, from, to, kernel, workspace, out) != KAN_OK)
            return -1;
        double ns = (bench_cpu_ms() - start) * 1e6 / (double)from->n;
        best = best < 0 || ns < best ? ns : best;
    }
    return best;
}

static void measure_step(const kan_space *space, const kan_freqset *from, unsigned attribute,
                         kan_workspace *workspace, kan_freqset *out) {
    static const char *const names[] = {"", "linear", "direct", "hash", "radix"};
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    kan_layout to;
    kan_key_map map;
    levels[attribute] = 1;
    kan_layout_at(space, &from->layout, levels, &to);
    kan_key_map_make(space, &from->layout, &to, &map);
    printf("  roll up %-15s", space->dimensions[attribute].name);
    for (unsigned kernel = KAN_KERNEL_LINEAR; kernel <= KAN_KERNEL_RADIX; kernel++) {
        if (kan_kernel_fits((kan_kernel)kernel, &map, &to))
            printf(" %s %5.1f", names[kernel],
                   time_kernel(space, from, &to, (kan_kernel)kernel, workspace, out));
        else
            printf(" %s     -", names[kernel]);
    }
    printf("   -> %zu groups\n", out->n);
}

static int measure(const bench_table *table) {
    kan_run *run = kan_run_create();
    kan_job *job = run ? bench_job_create(run, table, "2", "0", 1) : NULL;
    kan_workspace *workspace = NULL;
    kan_freqset out;
    kan_setup setup;
    kan_freqset_init(&out);
    if (!job || kan_setup_make(job, &setup) != KAN_OK ||
        kan_workspace_create(run, &workspace) != KAN_OK) {
        fprintf(stderr, "kanon-bench: %s\n", run ? kan_run_error(run) : "out of memory");
        return 1;
    }
    const kan_space *space = &setup.problem.space;
    const kan_freqset *base = &setup.problem.base;
    double fold = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_cpu_ms();
        if (kan_freqset_fold(space, setup.problem.n_rows, &out) != KAN_OK)
            return 1;
        double ms = bench_cpu_ms() - start;
        fold = round == 0 || ms < fold ? ms : fold;
    }
    printf("%s: %llu rows, %zu tuples, %u bits\n", table->name,
           (unsigned long long)setup.problem.n_rows, base->n, base->layout.n_bits);
    printf("  fold %.2f ms, %.1f ns per row; a copy of the tuples %.2f ns each\n", fold,
           fold * 1e6 / (double)setup.problem.n_rows, time_copy(base));
    printf("  ns per tuple:\n");
    for (unsigned a = 0; a < space->n_attributes; a++)
        measure_step(space, base, a, workspace, &out);
    kan_freqset_destroy(run, &out);
    kan_workspace_destroy(workspace);
    kan_setup_destroy(&setup);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return 0;
}

int bench_group(int argc, char **argv) {
    uint64_t sizes[] = {0, argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000};
    int failed = 0;
    for (size_t i = 0; i < 2 && !failed; i++) {
        bench_table table;
        if (bench_table_find(sizes[i], &table) != 0)
            return 1;
        failed = measure(&table);
        bench_table_remove(&table);
    }
    return failed;
}

/* Exhaustive search against a naive prototype, in one run on the same folded table.
 *
 * The prototype is what one would write in an hour: packed keys, one open-addressing hash table,
 * each node's set rolled up along an odometer of levels in the order of the columns. Both look at
 * every node for k = 2. Prints CPU time for one thread, wall time for two, the ratios, and
 * nanoseconds per tuple touched by the prototype's walk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_data.h"
#include "search/levels/levels.h"

enum { ROUNDS = 5, NONE = -1 };

/* ---- the prototype -------------------------------------------------------------------------- */

typedef struct {
    size_t n;
    uint64_t *keys, *counts;
} plain_set;

typedef struct {
    const kan_problem *problem;
    plain_set *sets; /* after each attribute of the odometer */
    int32_t *slots;
    size_t n_slots;
    uint64_t n_nodes, n_anonymous, n_touched;
} prototype;

static void roll_up(prototype *p, plain_set *set, unsigned attribute, unsigned level) {
    const kan_key_field *field = &p->problem->base.layout.fields[attribute];
    const uint32_t *up = p->problem->space.dimensions[attribute].hierarchy->levels[level - 1].up;
    uint64_t mask = ((UINT64_C(1) << field->bits) - 1) << field->shift;
    size_t out = 0;
    memset(p->slots, 0xff, p->n_slots * sizeof *p->slots);
    p->n_touched += set->n;
    for (size_t i = 0; i < set->n; i++) {
        uint64_t value = up[(set->keys[i] & mask) >> field->shift], count = set->counts[i];
        uint64_t key = (set->keys[i] & ~mask) | value << field->shift;
        size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (p->n_slots - 1);
        while (p->slots[at] != NONE && set->keys[p->slots[at]] != key)
            at = (at + 1) & (p->n_slots - 1);
        if (p->slots[at] == NONE) {
            p->slots[at] = (int32_t)out;
            set->keys[out] = key;
            set->counts[out++] = count;
        } else {
            set->counts[p->slots[at]] += count;
        }
    }
    set->n = out;
}

static void copy_set(plain_set *to, const plain_set *from) {
    memcpy(to->keys, from->keys, from->n * sizeof *to->keys);
    memcpy(to->counts, from->counts, from->n * sizeof *to->counts);
    to->n = from->n;
}

static void walk(prototype *p, unsigned attribute) {
    const kan_space *space = &p->problem->space;
    if (attribute == space->n_attributes) {
        const plain_set *set = &p->sets[attribute];
        bool is_anonymous = true;
        for (size_t i = 0; i < set->n; i++)
            is_anonymous &= set->counts[i] >= 2;
        p->n_nodes++;
        p->n_anonymous += is_anonymous;
        return;
    }
    copy_set(&p->sets[attribute + 1], &p->sets[attribute]);
    plain_set *mine = &p->sets[attribute];
    walk(p, attribute + 1);
    for (unsigned level = 1; level <= space->dimensions[attribute].height; level++) {
        roll_up(p, mine, attribute, level);
        copy_set(&p->sets[attribute + 1], mine);
        walk(p, attribute + 1);
    }
}

static double run_prototype(const kan_problem *problem, prototype *p) {
    size_t n = problem->base.n, n_sets = problem->space.n_attributes + 1u;
    *p = (prototype){.problem = problem, .n_slots = 1};
    while (p->n_slots < 3 * n)
        p->n_slots *= 2;
    p->slots = malloc(p->n_slots * sizeof *p->slots);
    p->sets = malloc(n_sets * sizeof *p->sets);
    for (size_t i = 0; i < n_sets; i++)
        p->sets[i] = (plain_set){0, malloc(n * 8), malloc(n * 8)};
    plain_set base = {n, problem->base.keys, problem->base.counts};
    copy_set(&p->sets[0], &base);
    double start = bench_cpu_ms();
    walk(p, 0);
    double ms = bench_cpu_ms() - start;
    for (size_t i = 0; i < n_sets; i++) {
        free(p->sets[i].keys);
        free(p->sets[i].counts);
    }
    free(p->sets);
    free(p->slots);
    return ms;
}

/* ---- ours ----------------------------------------------------------------------------------- */

static int run_ours(const kan_setup *setup, unsigned threads, double *cpu_ms, double *wall_ms,
                    uint64_t *n_anonymous) {
    kan_question question = {.problem = &setup->problem,
                             .promise = &setup->promise,
                             .objective = &setup->objective,
                             .options = &setup->job->options,
                             .wants_all = true};
    kan_run_set_threads(setup->run, threads);
    for (int round = 0; round < ROUNDS; round++) {
        kan_answer answer;
        double cpu = bench_cpu_ms(), wall = kan_now_ms();
        if (kan_search_exhaustive.search(setup->run, &question, &answer) != KAN_OK)
            return 1;
        cpu = bench_cpu_ms() - cpu;
        wall = kan_now_ms() - wall;
        *cpu_ms = round == 0 || cpu < *cpu_ms ? cpu : *cpu_ms;
        *wall_ms = round == 0 || wall < *wall_ms ? wall : *wall_ms;
        *n_anonymous = answer.n_anonymous;
        kan_answer_destroy(setup->run, &answer);
    }
    return 0;
}

static int compare(const kan_setup *setup) {
    prototype naive;
    double naive_ms = 0, cpu1, wall1, cpu2, wall2;
    uint64_t ours1, ours2;
    for (int round = 0; round < 3; round++) {
        double ms = run_prototype(&setup->problem, &naive);
        naive_ms = round == 0 || ms < naive_ms ? ms : naive_ms;
    }
    if (run_ours(setup, 1, &cpu1, &wall1, &ours1) != 0 ||
        run_ours(setup, 2, &cpu2, &wall2, &ours2) != 0)
        return 1;
    printf("prototype     %8.1f ms CPU, %llu nodes, %llu anonymous, %.2f ns per tuple touched\n",
           naive_ms, (unsigned long long)naive.n_nodes, (unsigned long long)naive.n_anonymous,
           naive_ms * 1e6 / (double)naive.n_touched);
    printf("exhaustive    %8.1f ms CPU on one thread: %.2f times as fast\n", cpu1, naive_ms / cpu1);
    printf("two threads   %8.1f ms wall, %.1f ms CPU: %.2f times as fast as one thread (%.1f ms "
           "wall)\n",
           wall2, cpu2, wall1 / wall2, wall1);
    if (ours1 != naive.n_anonymous || ours2 != naive.n_anonymous) {
        fprintf(stderr, "kanon-bench: the answers differ\n");
        return 1;
    }
    return 0;
}

int bench_exhaustive(int argc, char **argv) {
    bench_table table;
    kan_setup setup;
    uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    if (bench_table_find(rows, &table) != 0)
        return 1;
    kan_run *run = kan_run_create();
    kan_job *job = run ? bench_job_create(run, &table, "2", "0", 1) : NULL;
    int failed = 1;
    if (job) {
        if (kan_setup_make(job, &setup) == KAN_OK) {
            printf("%s, %zu tuples, fold %.2f ms\n", table.name, setup.problem.base.n,
                   setup.fold_ms);
            failed = compare(&setup);
        } else {
            fprintf(stderr, "kanon-bench: %s\n", kan_run_error(run));
        }
        kan_setup_destroy(&setup);
        kan_job_destroy(job);
    }
    kan_run_destroy(run);
    bench_table_remove(&table);
    return failed;
}

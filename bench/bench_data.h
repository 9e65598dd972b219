/* Tables to measure on: the Adult data where it can be found, else our synthetic census. */
#ifndef KANON_BENCH_DATA_H
#define KANON_BENCH_DATA_H

#include "job/setup.h"

/* CPU time of the process, in milliseconds. */
double bench_cpu_ms(void);

typedef struct bench_table {
    char dir[256]; /* temporary directory; empty when the table is not ours */
    char table[512], hierarchies[512];
    const char *name;
} bench_table;

/* The 30,162-row Adult from $KANON_DATA/adult or beside the source tree (../shared/data/adult);
 * without it, or with rows given, a census of that many rows in a temporary directory. 0 on
 * success. */
int bench_table_find(uint64_t rows, bench_table *out);
void bench_table_remove(const bench_table *table);

/* A job over all nine columns of such a table. NULL on failure, which it prints. */
kan_job *bench_job_create(kan_run *run, const bench_table *table, const char *k,
                          const char *suppress, unsigned threads);

#endif

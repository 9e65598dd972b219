/* Tables to measure on: the Adult data where it can be found, else our synthetic census; the
 * synthetic sales. Each with its columns in the order in which prefixes of them are measured. */
#ifndef KANON_BENCH_DATA_H
#define KANON_BENCH_DATA_H

#include "job/setup/setup.h"

/* CPU time of the process, in milliseconds. */
double bench_cpu_ms(void);

typedef struct bench_table {
    char dir[256]; /* temporary directory; empty when the table is not ours */
    char table[512], hierarchies[512];
    const char *name;
    const char *const *columns;
    unsigned n_columns;
} bench_table;

/* A file or folder of the shared data: $KANON_DATA/NAME, or beside the source tree
 * (../shared/data/NAME). False when it is not there. */
bool bench_data_path(const char *name, char *path, size_t size);
/* A fresh temporary directory ($TMPDIR or /tmp). 0 on success. */
int bench_temporary(char *dir, size_t size);

/* The 30,162-row Adult from $KANON_DATA/adult or beside the source tree (../shared/data/adult);
 * without it, or with rows given, a census of that many rows in a temporary directory. 0 on
 * success. */
int bench_table_find(uint64_t rows, bench_table *out);
/* One of the two files of the Adult data, adult/FILE; there is no substitute. 0 when it is there,
 * else the failure is printed. */
int bench_table_adult(const char *file, const char *name, bench_table *out);
/* A table of the named generator, census or sales; rows 0: as many as the generator makes. */
int bench_table_generate(const char *generator, uint64_t rows, bench_table *out);
void bench_table_remove(const bench_table *table);

/* A job over all columns of such a table. NULL on failure, which it prints. */
kan_job *bench_job_create(kan_run *run, const bench_table *table, const char *k,
                          const char *suppress, unsigned threads);

#endif

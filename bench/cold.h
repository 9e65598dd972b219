/* Cold processes: a program is started as a child and timed from outside, start and exit included.
 */
#ifndef KANON_BENCH_COLD_H
#define KANON_BENCH_COLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cold_result {
    int exit_status;        /* 127: it could not be started; 128 and more: a signal ended it */
    double wall_ms, cpu_ms; /* CPU: of the process and all its threads, in and outside the kernel */
    uint64_t peak_bytes;    /* most memory that was resident */
} cold_result;

/* Runs argv[0], found along PATH, with its standard output in the file `output`, or nowhere when it
 * is NULL; standard error stays ours. The peak of a child is at least what its parent had resident
 * when it was started: measure before the parent has grown. */
cold_result cold_run(char *const argv[], const char *output);
/* The least of several runs, each figure for itself. Stops at the first that fails, and after the
 * first that takes longer than ten seconds. */
cold_result cold_best(char *const argv[], unsigned runs);

/* The path of the running program; false when it is not known. */
bool cold_own_path(char *path, size_t size);

#endif

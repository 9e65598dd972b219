/* The benchmarks: one function per subject, each in its own file bench_NAME.c.
 *
 * A benchmark prints its figures to standard output, each line with its unit, and returns 0, or 1
 * when it could not run. It takes its sizes from its arguments, with defaults that take seconds. */
#ifndef KANON_BENCH_H
#define KANON_BENCH_H

int bench_csv(int argc, char **argv);
int bench_group(int argc, char **argv);
int bench_exhaustive(int argc, char **argv);
int bench_walk(int argc, char **argv);

#endif

/* The benchmarks: one function per subject, each in its own file bench_NAME.c.
 *
 * A benchmark prints its figures to standard output, each line with its unit, and returns 0, or 1
 * when it could not run. It takes its sizes from its arguments, with defaults that take seconds. */
#ifndef KANON_BENCH_H
#define KANON_BENCH_H

#include <stdbool.h>

/* An argument `--NAME VALUE` of a benchmark. */
typedef struct bench_option {
    const char *name;    /* "--rows" */
    const char *summary; /* "N rows instead of 4,591,581" */
    const char *value;   /* what was said; before that what holds otherwise, NULL: nothing */
} bench_option;

/* Reads the arguments of the benchmark argv[0] into options, which end with a NULL name. `about`
 * says in a line what it prints. False when it is not to run: `--help` was answered, or the
 * arguments were wrong, which is printed; *status is what to return then. */
bool bench_options_read(int argc, char **argv, const char *about, bench_option *options,
                        int *status);
/* What was said to the option of that name. */
const char *bench_option_value(const bench_option *options, const char *name);

int bench_csv(int argc, char **argv);
int bench_formats_stat(int argc, char **argv);
int bench_formats_xlsx(int argc, char **argv);
int bench_group(int argc, char **argv);
int bench_exhaustive(int argc, char **argv);
int bench_walk(int argc, char **argv);
int bench_threads(int argc, char **argv);
int bench_formats(int argc, char **argv);
int bench_arrow(int argc, char **argv);
int bench_nodes(int argc, char **argv);
int bench_figures(int argc, char **argv);
int bench_optimum(int argc, char **argv);
int bench_cuts(int argc, char **argv);
int bench_mondrian(int argc, char **argv);
int bench_local(int argc, char **argv);
int bench_ledger(int argc, char **argv);
int bench_promises(int argc, char **argv);
int bench_taxonomy(int argc, char **argv);
int bench_downcoding(int argc, char **argv);
int bench_wide(int argc, char **argv);

#endif

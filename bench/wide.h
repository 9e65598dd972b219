/* Many quasi-identifiers: what is known after so many CPU seconds, by kanon and by yardsticks that any
 * text book has, on the same probe. */
#ifndef KANON_BENCH_WIDE_H
#define KANON_BENCH_WIDE_H

#include "search/judge/judge.h"

enum { WIDE_MARKS = 2 };

/* A question, and when it is asked what is known. */
typedef struct wide_trial {
    const kan_question *question;
    double seconds[WIDE_MARKS]; /* of CPU time, from the first look on; the last one ends it */
    uint64_t random;            /* of those that draw */
} wide_trial;

typedef struct wide_result {
    kan_found best[WIDE_MARKS];
    uint64_t n_nodes[WIDE_MARKS]; /* that were looked at */
} wide_result;

typedef struct wide_yardstick {
    const char *name;
    kan_status (*run)(const wide_trial *trial, wide_result *out);
} wide_yardstick;

/* Down from the top, by the level that brings most. */
extern const wide_yardstick wide_descent;
/* From there a column lower and another one or two levels higher, and down again; where that brings
 * nothing, four columns rise to the top, and it begins anew. */
extern const wide_yardstick wide_local;
/* A population of nodes: the best stay, others are bred from them and mutate. */
extern const wide_yardstick wide_genetic;
/* The boxes of `bisect`, without walks. */
extern const wide_yardstick wide_boxes;

/* Between the two, anytime searches of the run are stopped once so many seconds of CPU time have passed. */
void wide_stop_after(kan_run *run, double seconds);
/* Whether it was stopped. */
bool wide_stop_end(kan_run *run);

/* CPU time of the process, in milliseconds (bench_data.h). */
double bench_cpu_ms(void);

#endif

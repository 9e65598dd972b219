/* Mondrian measured: how good its groups are, what the paper claims of them, and how fast they are
 * found. The parts of `kanon-bench mondrian`. */
#ifndef KANON_BENCH_MONDRIAN_H
#define KANON_BENCH_MONDRIAN_H

#include "bench_data.h"
#include "job/solution/solution.h"

enum { MONDRIAN_COLUMNS = 8, MONDRIAN_SIZES = 9 };
extern const char *const mondrian_columns[MONDRIAN_COLUMNS]; /* of Adult */

typedef struct mondrian_plan {
    const char *out; /* directory of pictures; NULL: none */
    double budget_s; /* of k-optimize */
    bool goes_far;   /* up to 10^7.6 rows */
} mondrian_plan;

/* Each prints its part. 0 on success, also when a goal is missed. */
int mondrian_quality(const mondrian_plan *plan);
int mondrian_claims(const mondrian_plan *plan);
int mondrian_speed(const mondrian_plan *plan);

/* ---- asking --------------------------------------------------------------------------------- */

/* A table is read and folded for a question, which is told as settings: name, value, .. NULL. */
typedef struct mondrian_case {
    kan_run *run;
    kan_job *job;
    kan_setup setup;
    bool has_setup;
} mondrian_case;

/* 0 on success; failures are printed. Destroy it in either case. */
int mondrian_case_make(const bench_table *table, const char *const *columns, unsigned n_columns,
                       const char *const *settings, mondrian_case *out);
void mondrian_case_destroy(mondrian_case *made);

/* The value of a metric of a solution; NAN when it is not known. */
double mondrian_metric(const kan_solution *solution, const char *name);

const char *mondrian_verdict(bool is_met); /* "ok" or "MISSED" */

/* ---- counting ------------------------------------------------------------------------------- */

/* What groups of rows are worth, counted from the rows themselves. */
typedef struct mondrian_count {
    uint64_t smallest, n_groups;
    double discernibility; /* squares of sizes */
    double average;        /* rows per group */
    double tight_ncp;      /* mean over all cells: numbers, range of the group over that of the
                              table; text, distinct values of the group over those of the table,
                              0 when there is one */
} mondrian_count;

/* Groups are numbered below n_groups; columns are encoded. False when memory is out. */
bool mondrian_count_make(const kan_column *const *columns, unsigned n_columns, uint64_t n_rows,
                         const uint32_t *group_of_row, size_t n_groups, mondrian_count *out);

#endif

/* Local recoding measured: the parts of `kanon-bench local`. */
#ifndef KANON_BENCH_LOCAL_H
#define KANON_BENCH_LOCAL_H

#include "bench_data.h"

enum { LOCAL_KS = 2, LOCAL_POINTS = 8, LOCAL_MOST_BUDGETS = 4 };
extern const char *const local_ks[LOCAL_KS];

typedef struct local_plan {
    const char *out; /* directory of pictures; NULL: none */
    unsigned n_runs; /* of which the median is taken */
    bool has_k[LOCAL_KS];
    size_t n_budgets;
    char budgets[LOCAL_MOST_BUDGETS][16]; /* seconds of improvement, ascending */
} local_plan;

/* Each prints its part. 0 on success, also when a goal is missed. */
int local_figures(const local_plan *plan);
int local_peers(const local_plan *plan);
int local_improve(const local_plan *plan);
int local_promises(const local_plan *plan);

/* ---- the settings of the paper's figures ---------------------------------------------------- */

/* What a figure has on its x axis; the other stands at the paper's default. */
typedef enum local_axis { LOCAL_BY_ALPHA, LOCAL_BY_SIZE, LOCAL_AXES } local_axis;

typedef struct local_point {
    const char *k, *alpha;
    unsigned n_columns; /* the first of the paper's Table 12 */
    double x;
} local_point;

local_point local_point_of(unsigned k, local_axis axis, unsigned i); /* i below LOCAL_POINTS */
const char *local_axis_name(local_axis axis);
/* The 45,222-row Adult with the paper's hierarchies. 0 when it is there. */
int local_table_find(bench_table *out);

/* ---- measuring ------------------------------------------------------------------------------ */

typedef struct local_result {
    double cpu_ms;  /* of the search alone, one thread: the median */
    double wall_ms; /* of the search whose answer was measured */
    double distortion, precision, ncp, discernibility; /* NAN where a cost is not known */
    uint64_t n_groups;
} local_result;

/* Asks a question about the first columns of Table 12: settings as name, value, .. NULL. n_runs 0:
 * the search runs once, for what it finds, and cpu_ms is NAN. 0 on success; failures are printed.
 */
int local_measure(const bench_table *table, unsigned n_columns, const char *const *settings,
                  unsigned n_runs, local_result *out);
/* The same about these columns. */
int local_measure_columns(const bench_table *table, const char *const *columns, unsigned n_columns,
                          const char *const *settings, unsigned n_runs, local_result *out);
/* The question of a point, asked of a search. `improve`: seconds, or NULL. */
int local_measure_point(const bench_table *table, const local_point *point, const char *algorithm,
                        const char *improve, unsigned n_runs, local_result *out);

#endif

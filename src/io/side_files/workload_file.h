/* Workload files: the aggregate queries that a release is to answer, one per line.
 *
 *   # comment
 *   COUNT WHERE sex = Male AND age <= 36
 *   weight 2  AVG(age) WHERE sex = "Male"
 *   SUM(hours) WHERE age BETWEEN 20 AND 30 AND education IN (Bachelors, Masters)
 *
 * Aggregates are COUNT (or COUNT(*)), SUM, AVG, MIN and MAX; predicates, joined by AND, are =, <,
 * <=, >, >=, BETWEEN x AND y (both included) and IN (list). Words of the language may be written in
 * any case. Names and values that hold blanks, ( ) , = < >, or that are words of the language,
 * stand in double or single quotes, doubled inside. A # that begins a word begins a comment.
 *
 * Here is what the file says. What it means for columns is in analyze/workload/workload.h. */
#ifndef KANON_IO_SIDE_FILES_WORKLOAD_FILE_H
#define KANON_IO_SIDE_FILES_WORKLOAD_FILE_H

#include "core/memory.h"
#include "core/text.h"
#include "data/spelling.h"

typedef enum kan_aggregate {
    KAN_AGGREGATE_COUNT,
    KAN_AGGREGATE_SUM,
    KAN_AGGREGATE_AVG,
    KAN_AGGREGATE_MIN,
    KAN_AGGREGATE_MAX
} kan_aggregate;

const char *kan_aggregate_name(kan_aggregate aggregate); /* "COUNT" */

typedef enum kan_comparison {
    KAN_IS_IN, /* = is a list of one */
    KAN_IS_BELOW,
    KAN_IS_AT_MOST,
    KAN_IS_ABOVE,
    KAN_IS_AT_LEAST,
    KAN_IS_BETWEEN
} kan_comparison;

/* A value of a predicate. Bytes in the workload's arena. */
typedef struct kan_constant {
    kan_slice text;
    size_t place; /* in its line, in characters, from 1 */
} kan_constant;

typedef struct kan_predicate {
    uint32_t name; /* of the column */
    size_t place;
    kan_comparison comparison;
    const char *sign;                   /* as it is written: "<=", "IN" */
    size_t first_constant, n_constants; /* one; two of BETWEEN; at least one of = and IN */
} kan_predicate;

typedef struct kan_query {
    uint64_t line;
    kan_slice text; /* the line, without weight, comment and blanks around it */
    double weight;  /* above 0 */
    kan_aggregate aggregate;
    uint32_t name; /* of the column that is aggregated; not for COUNT */
    size_t place;
    size_t first_predicate, n_predicates;
} kan_query;

typedef struct kan_workload {
    kan_run *run;
    kan_arena arena;
    const char *path; /* for messages */
    size_t n_names;   /* columns that are spoken of, in the order of their first mention */
    const char **names;
    size_t n_queries, n_predicates, n_constants;
    kan_query *queries;
    kan_predicate *predicates;
    kan_constant *constants;
} kan_workload;

/* Reads a file ("-" is standard input). What is wrong is told as file:line:place, the first of each
 * line, all lines together: KAN_BAD_INPUT. A file without a query is wrong, too. Linear in the
 * size of the file times the number of columns. */
KAN_MUST_USE kan_status kan_workload_read(kan_run *run, const char *path, kan_workload **out);
/* Values of the column of that number are written as the spelling says (NULL: as kanon writes), and
 * taken so. Once, before anything else is asked of them. */
KAN_MUST_USE kan_status kan_workload_take(kan_workload *workload, uint32_t name,
                                          const kan_spelling *spelling);
void kan_workload_destroy(kan_workload *workload);

#endif

/* The door of analyze/workload: how well a release answers a workload of aggregate queries
 * (Mondrian, section 2.4). May touch core, data, io, recode and analyze/verify.
 *
 * Every query is answered on the original, exactly, and on the release, under the assumption of
 * uniformity: in each row every value that a cell stands for (analyze/workload/workload_cells.h) is
 * as likely as any other, and the columns of a row are independent. A released row counts with the
 * probability that it satisfies the predicates.
 *
 *   COUNT     the sum of these probabilities
 *   SUM       the sum of what each row adds on average: the values of its cell that the predicates
 *             allow; where they allow all of them and the mean of the group was released, that mean
 *   AVG       that SUM, over the sum of the probabilities of rows with a known value
 *   MIN, MAX  the least (greatest) value that a row which may satisfy the predicates may have
 *
 * Unknown values ("" and "?") are rows to COUNT, and nothing to the others. AVG, MIN and MAX of no
 * row have no answer.
 *
 * The error of an estimate is |estimate - truth| / max(|truth|, floor). The floor is 1 row for
 * COUNT, the mean of |x| over the rows of the original for SUM (what one row adds), and a hundredth
 * of it for AVG, MIN and MAX. Where one of the two has no answer the error is 1, where both have
 * none it is 0.
 *
 * A query matches when the cells of each released row lie inside of all its predicates, or outside
 * of one; a predicate, when each cell of its column lies inside or outside of it. Columns that show
 * means of groups match no predicate. */
#ifndef KANON_ANALYZE_WORKLOAD_WORKLOAD_H
#define KANON_ANALYZE_WORKLOAD_WORKLOAD_H

#include "analyze/workload/workload_cells.h"
#include "data/hierarchies/hierarchies.h"

/* A column that the workload speaks of. */
typedef struct kan_asked_column {
    const kan_column *original, *released; /* encoded */
    const kan_column *means;               /* released: the mean of each group; NULL: none */
    const kan_hierarchy *hierarchy;        /* bound to the original; NULL: none is known */
    bool shows_middles; /* means, medians or modes, which are told from values by this alone */
} kan_asked_column;

typedef struct kan_utility_question {
    const kan_workload *workload;
    const kan_asked_column *columns; /* by name of the workload */
    uint64_t n_original, n_released; /* rows */
    const char *release_name;        /* for messages */
} kan_utility_question;

typedef struct kan_query_result {
    bool has_truth, has_estimate;
    double truth, estimate, error;
    bool matches;
    size_t n_matching; /* of its predicates */
} kan_query_result;

typedef struct kan_utility {
    kan_run *run;
    kan_query_result *results; /* by query */
    /* Of the errors, each with the weight of its query. A percentile is the least error that so
     * much of the weight does not exceed. */
    double mean, median, percentile_90, largest;
    size_t n_matching; /* queries */
    size_t n_predicates, n_matching_predicates;
} kan_utility;

/* The workload was checked against the columns of the original (kan_workload_check). A released
 * value that cannot be read is KAN_BAD_INPUT: all columns are told. O(queries * (values of the
 * columns + distinct rows of both tables)). */
KAN_MUST_USE kan_status kan_utility_measure(kan_run *run, const kan_utility_question *question,
                                            kan_utility *out);
void kan_utility_destroy(kan_utility *utility);

/* ---- for workload*.c ------------------------------------------------------------------------ */

/* Fills in the errors of all results, and what is told of them together. `scale` is by name the
 * mean of |x| of a column of numbers. */
KAN_MUST_USE kan_status kan_utility_judge(kan_utility *utility, const kan_workload *workload,
                                          const double *scale);

#endif

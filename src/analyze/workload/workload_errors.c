/* Errors of estimates, and their distribution. */
#include <math.h>
#include <stdlib.h>

#include "analyze/workload/workload.h"

static double find_floor(const kan_query *query, const double *scale) {
    if (query->aggregate == KAN_AGGREGATE_COUNT)
        return 1;
    return query->aggregate == KAN_AGGREGATE_SUM ? scale[query->name] : scale[query->name] / 100;
}

static double find_error(const kan_query_result *result, double floor_) {
    if (!result->has_truth || !result->has_estimate)
        return result->has_truth == result->has_estimate ? 0 : 1;
    const double difference = fabs(result->estimate - result->truth);
    const double over = fmax(fabs(result->truth), floor_);
    return over > 0 ? difference / over : difference > 0;
}

typedef struct {
    double error, weight;
} weighted;

static int compare_errors(const void *a, const void *b) {
    const weighted *x = a, *y = b;
    return (x->error > y->error) - (x->error < y->error);
}

/* The least error that `share` of the weight does not exceed; sums are taken in the same order as
 * the total, so that all of the weight is reached at the last. */
static double find_percentile(const weighted *sorted, size_t n, double share, double total) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += sorted[i].weight;
        if (sum >= share * total)
            return sorted[i].error;
    }
    return sorted[n - 1].error;
}

kan_status kan_utility_judge(kan_utility *utility, const kan_workload *workload,
                             const double *scale) {
    const size_t n = workload->n_queries;
    double total = 0, sum = 0;
    weighted *sorted;
    KAN_TRY(kan_alloc(utility->run, n, sizeof *sorted, &sorted));
    for (size_t i = 0; i < n; i++) {
        const kan_query *query = &workload->queries[i];
        kan_query_result *result = &utility->results[i];
        result->error = find_error(result, find_floor(query, scale));
        sorted[i] = (weighted){result->error, query->weight};
        utility->n_matching += result->matches;
        utility->n_predicates += query->n_predicates;
        utility->n_matching_predicates += result->n_matching;
    }
    qsort(sorted, n, sizeof *sorted, compare_errors);
    for (size_t i = 0; i < n; i++) {
        total += sorted[i].weight;
        sum += sorted[i].weight * sorted[i].error;
    }
    utility->mean = sum / total;
    utility->median = find_percentile(sorted, n, 0.5, total);
    utility->percentile_90 = find_percentile(sorted, n, 0.9, total);
    utility->largest = sorted[n - 1].error;
    kan_free(utility->run, sorted);
    return KAN_OK;
}

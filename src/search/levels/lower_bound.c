/* See lower_bound.h. */
#include "search/levels/lower_bound.h"

kan_status kan_judge_lower_bound(kan_judge *judge, const kan_freqset *base, double *out) {
    const kan_objective *objective = judge->question->objective;
    kan_groups groups;
    *out = 0;
    if (!objective->kind->bound || !kan_promise_is_monotone(judge->question->promise))
        return KAN_OK;
    KAN_TRY(kan_judge_see(judge, base, &groups));
    if (!kan_judge_can_bound(judge, &groups))
        return KAN_OK;
    const double bound = kan_objective_bound(objective, &groups, 0).real;
    *out = bound > 0 ? bound : 0;
    return KAN_OK;
}

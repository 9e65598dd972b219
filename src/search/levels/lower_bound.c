/* See lower_bound.h. */
#include "search/levels/lower_bound.h"

kan_status kan_question_lower_bound(const kan_question *question, kan_viewer *viewer,
                                    const kan_freqset *base, double *out) {
    const kan_objective *objective = question->objective;
    kan_groups groups;
    if (!objective->kind->bound || !kan_promise_is_monotone(question->promise)) {
        *out = 0;
        return KAN_OK;
    }
    KAN_TRY(kan_viewer_groups(viewer, base, &groups));
    kan_promise_check(question->promise, &groups, viewer->is_released);
    const double bound = objective->kind->bound(objective->state, &groups, 0).real;
    *out = bound > 0 ? bound : 0;
    return KAN_OK;
}

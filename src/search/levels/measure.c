/* The best of nodes that are known to satisfy: see judge.h. */
#include "search/levels/boxes.h"

kan_status kan_judge_measure(kan_judge *judge, const kan_lattice *lattice,
                             const uint64_t *satisfies, kan_effort *effort) {
    kan_boxes boxes = {.question = judge->question, .lattice = lattice, .known = satisfies};
    KAN_TRY(kan_boxes_search(&boxes, judge));
    effort->n_measured += boxes.n_checked;
    effort->n_tuples += boxes.effort.n_tuples;
    /* A search that knows every node promises the best of them: time is up without it. */
    return boxes.is_proven ? KAN_OK : kan_check_cancel(judge->question->problem->run);
}

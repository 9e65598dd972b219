/* The answer, and which search finds it. */
#include "search/codes/codes_inside.h"

kan_status kan_codes_search(kan_run *run, const kan_codes_question *question,
                            kan_codes_answer *out) {
    KAN_ASSERT(question->known >= 1 && question->known <= KAN_CODES_KNOWN_MOST);
    *out = (kan_codes_answer){.run = run};
    KAN_TRY(kan_alloc_zero(run, question->tree.n_leaves, 1, &out->levels));
    KAN_TRY(kan_alloc_zero(run, question->people.n, 1, &out->is_left));
    KAN_TRY(kan_codes_search_levels(run, question, out));
    /* the highest level is the coarsest recoding there is: where it fails, all do */
    return question->by_cuts && out->is_found ? kan_codes_search_cuts(run, question, out) : KAN_OK;
}

void kan_codes_answer_destroy(kan_codes_answer *answer) {
    kan_free(answer->run, answer->levels);
    kan_free(answer->run, answer->is_left);
    answer->levels = answer->is_left = NULL;
}

kan_u128 kan_codes_released_cost(const kan_codes_question *question,
                                 const kan_codes_answer *answer) {
    const kan_codes_people *people = &question->people;
    kan_u128 cost = 0;
    for (uint32_t p = 0; p < people->n; p++)
        for (uint64_t i = people->start[p]; !answer->is_left[p] && i < people->start[p + 1]; i++) {
            const uint32_t leaf = people->leaves[i];
            cost += question->tree.prices[answer->levels[leaf]][leaf];
        }
    return cost;
}

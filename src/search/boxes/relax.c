/* See relax.h. */
#include "search/boxes/relax.h"

kan_status kan_relaxed_make(kan_relaxed *out, const kan_question *question) {
    kan_run *run = question->problem->run;
    out->question = *question;
    out->is_part = false;
    kan_arena_init(&out->arena, run);
    kan_promise_init(&out->k_alone, question->promise->limit);
    out->question.promise = &out->k_alone;
    KAN_TRY(kan_promise_add(&out->k_alone, run, &out->arena, &kan_privacy_k_anonymity,
                            question->options, question->problem));
    out->is_part = out->k_alone.least_size <= question->promise->least_size;
    return KAN_OK;
}

void kan_relaxed_destroy(kan_relaxed *relaxed) {
    kan_arena_destroy(&relaxed->arena);
}

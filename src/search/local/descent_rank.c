/* Which rows are hardest to specialize: those whose group passes last when all rows are generalized
 * together, step by step (local_chain.c). For a single attribute that is the level itself, the
 * number of times that a row can be specialized (alpha-k.txt 4.2). */
#include "search/local/descent.h"

/* Of each tuple the first step at which its group passes, when all rows are generalized together;
 * one more than there are where it never does. */
static kan_status find_steps(kan_local_chain *chain, kan_local_tally *tally, kan_kind_rows *counted,
                             uint32_t *step_of, uint32_t *n_steps) {
    const kan_local_space *space = chain->space;
    *n_steps = 0;
    for (size_t t = 0; t < space->n_tuples; t++)
        step_of[t] = UINT32_MAX;
    bool is_there;
    do {
        KAN_TRY(kan_check_cancel(space->run));
        kan_local_chain_group(chain);
        for (size_t g = 0; g < chain->n_groups; g++) {
            bool passes;
            KAN_TRY(kan_local_chain_passes(chain, g, tally, counted, &passes));
            if (!passes)
                continue;
            for (size_t i = chain->start[g]; i < chain->start[g + 1]; i++)
                if (step_of[chain->tuple[i]] == UINT32_MAX)
                    step_of[chain->tuple[i]] = *n_steps;
        }
        ++*n_steps;
        KAN_TRY(kan_local_chain_step(chain, &is_there));
    } while (is_there);
    for (size_t t = 0; t < space->n_tuples; t++)
        if (step_of[t] == UINT32_MAX)
            step_of[t] = *n_steps;
    return KAN_OK;
}

/* The rows of all tuples by their steps, the last ones first. */
static kan_status list_rows(const kan_local_space *space, const uint64_t *rows,
                            const uint32_t *step_of, uint32_t n_steps, kan_bundles *out) {
    size_t *at; /* by step: where its next tuple goes */
    KAN_TRY(kan_alloc_zero(space->run, n_steps + 2u, sizeof *at, &at));
    for (size_t t = 0; t < space->n_tuples; t++)
        if (rows[t] > 0)
            at[n_steps - step_of[t] + 1]++;
    for (uint32_t s = 0; s <= n_steps; s++)
        at[s + 1] += at[s];
    out->n = at[n_steps + 1];
    const kan_status status =
        kan_reserve(space->run, out->n, sizeof *out->bundles, &out->room, &out->bundles);
    for (size_t t = 0; t < space->n_tuples && status == KAN_OK; t++)
        if (rows[t] > 0)
            out->bundles[at[n_steps - step_of[t]]++] = (kan_bundle){(uint32_t)t, rows[t]};
    kan_free(space->run, at);
    return status;
}

kan_status kan_local_rank(const kan_local_space *space, const uint64_t *rows, kan_bundles *out) {
    kan_local_chain chain = {.space = space};
    kan_local_tally tally = {.n_rows = 0};
    kan_kind_rows counted = {.n_used = 0};
    uint32_t *step_of = NULL, n_steps;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(space->run, space->n_tuples, sizeof *step_of, &step_of));
    KAN_TRY_DONE(kan_local_tally_make(space, &tally));
    KAN_TRY_DONE(kan_kind_rows_make(space, &counted));
    KAN_TRY_DONE(kan_local_chain_make(space, rows, &chain));
    KAN_TRY_DONE(find_steps(&chain, &tally, &counted, step_of, &n_steps));
    KAN_TRY_DONE(list_rows(space, rows, step_of, n_steps, out));
done:
    kan_local_chain_destroy(&chain);
    kan_local_tally_destroy(space, &tally);
    kan_kind_rows_destroy(space, &counted);
    kan_free(space->run, step_of);
    return status;
}

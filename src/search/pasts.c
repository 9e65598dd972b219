/* Parts of groups against the promise: see pasts.h. */
#include "search/pasts.h"

#include <string.h>

bool kan_pasts_by_size(const kan_promise *promise) {
    for (unsigned m = 0; m < promise->n_models; m++)
        if (!promise->models[m].kind->size_decides)
            return false;
    return true;
}

/* By part; the caller frees it. */
static kan_status check(kan_past_piles *piles, const kan_promise *promise,
                        const kan_past_rows *rows, const size_t *start, size_t n_piles,
                        kan_groups *parts, uint8_t **passes) {
    *passes = NULL;
    KAN_TRY(kan_past_piles_count(piles, rows, start, n_piles, parts));
    KAN_TRY(kan_alloc(piles->problem->run, parts->n_groups, 1, passes));
    memset(*passes, 1, parts->n_groups);
    kan_promise_check_some(promise, parts, 0, parts->n_groups, *passes);
    return KAN_OK;
}

kan_status kan_pasts_allow(kan_past_piles *piles, const kan_promise *promise,
                           const kan_past_rows *rows, const size_t *start, size_t n_piles,
                           bool *out) {
    kan_groups parts;
    uint8_t *passes;
    const kan_status status = check(piles, promise, rows, start, n_piles, &parts, &passes);
    *out = status == KAN_OK && memchr(passes, 0, parts.n_groups) == NULL;
    kan_free(piles->problem->run, passes);
    return status;
}

kan_status kan_pasts_find_stayers(const kan_problem *problem, const kan_promise *promise,
                                  const kan_past_rows *rows, const size_t *start, size_t n_piles,
                                  uint8_t *stays, uint64_t *n_lost) {
    kan_past_piles piles;
    kan_groups parts;
    uint8_t *passes = NULL;
    *n_lost = 0;
    kan_status status = kan_past_piles_make(problem, promise->needs_tallies, &piles);
    if (status == KAN_OK)
        status = check(&piles, promise, rows, start, n_piles, &parts, &passes);
    for (size_t i = 0; status == KAN_OK && i < start[n_piles]; i++) {
        stays[i] = passes[piles.part_of[i]];
        *n_lost += stays[i] ? 0 : rows[i].n_rows;
    }
    kan_free(problem->run, passes);
    kan_past_piles_destroy(&piles);
    return status;
}

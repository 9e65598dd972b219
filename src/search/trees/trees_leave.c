/* Who leaves at a node. A class of people leaves as a whole: where fewer than k have the tree, or where
 * one of its parts fails a model. */
#include "search/trees/trees_inside.h"

kan_status kan_trees_leavers_init(kan_run *run, const kan_trees_question *question,
                                  kan_trees_leavers *out) {
    const size_t n = question->kin->tables[0].n;
    *out = (kan_trees_leavers){.run = run};
    KAN_TRY(kan_alloc(run, n, 1, &out->is_left));
    KAN_TRY(kan_alloc(run, n, 1, &out->leaves_below));
    KAN_TRY(kan_alloc(run, n, 1, &out->fails));
    return kan_alloc(run, n, 1, &out->fails_below);
}

void kan_trees_leavers_destroy(kan_trees_leavers *leavers) {
    kan_free(leavers->run, leavers->is_left);
    kan_free(leavers->run, leavers->leaves_below);
    kan_free(leavers->run, leavers->fails);
    kan_free(leavers->run, leavers->fails_below);
    kan_free(leavers->run, leavers->passes);
}

/* Whether a part has too few different values for distinct l, as all parts below it have then. */
static bool lacks_values(const kan_promise *promise, const kan_groups *groups, size_t part) {
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        if (promise->least_values[t] > 0 &&
            groups->tallies[t].start[part + 1] - groups->tallies[t].start[part] <
                promise->least_values[t])
            return true;
    return false;
}

static kan_status check_table(const kan_trees_question *question, const kan_kin_space *space,
                              size_t table, kan_trees_leavers *leavers) {
    const kan_promise *promise = question->promises[table];
    const uint32_t *classes;
    kan_groups groups;
    KAN_TRY(kan_kin_parts_groups(question->parts, space, table, &groups, &classes));
    KAN_TRY(kan_reserve(leavers->run, groups.n_groups, 1, &leavers->room, &leavers->passes));
    kan_promise_check(promise, &groups, leavers->passes);
    for (size_t part = 0; part < groups.n_groups; part++) {
        leavers->fails[classes[part]] |= !leavers->passes[part];
        leavers->fails_below[classes[part]] |= lacks_values(promise, &groups, part);
    }
    return KAN_OK;
}

kan_status kan_trees_find_leavers(const kan_trees_question *question, kan_kin_space *space,
                                  const unsigned *levels, kan_trees_leavers *leavers) {
    const size_t n = question->kin->tables[0].n;
    if (question->heads) {
        leavers->n_left = leavers->n_below =
            kan_kin_heads_leave(question->heads, levels, question->k, leavers->leaves_below);
        memcpy(leavers->is_left, leavers->leaves_below, n);
        return KAN_OK;
    }
    KAN_TRY(kan_kin_number(space, levels));
    leavers->n_left = leavers->n_below = kan_kin_leave(space, question->k, leavers->leaves_below);
    memcpy(leavers->is_left, leavers->leaves_below, n);
    if (!question->parts)
        return KAN_OK;
    memset(leavers->fails, 0, n);
    memset(leavers->fails_below, 0, n);
    for (size_t t = 0; t < question->kin->n_tables; t++)
        if (question->promises[t])
            KAN_TRY(check_table(question, space, t, leavers));
    leavers->n_below = kan_kin_leave_classes(space, leavers->fails_below, leavers->leaves_below);
    leavers->n_left = kan_kin_leave_classes(space, leavers->fails, leavers->is_left);
    return KAN_OK;
}

/* Another order of leaves for a bound hierarchy.
 *
 * Groups of every level are numbered again in the order in which the new order of leaves meets
 * them; a group that is met, left and met again is torn apart, and the order does not agree with
 * the tree. Labels, shares and what is known of values that the data lacks stay as they were. */
#include "data/domain/domain.h"

typedef struct {
    kan_hierarchy *hierarchy;
    uint32_t *leaf_of;   /* code -> new leaf */
    uint32_t *code_of;   /* new leaf -> code */
    uint32_t **group_of; /* [level]: old group -> new group */
    kan_level *levels;
} reordering;

/* The new numbers of a level's groups; false when one of them is torn apart. */
static bool number_level(const reordering *r, unsigned level, const uint32_t *order) {
    const kan_hierarchy *h = r->hierarchy;
    const uint32_t *from_leaf = h->levels[level].from_leaf;
    uint32_t *group_of = r->group_of[level], n_met = 0;
    for (uint32_t group = 0; group < h->levels[level].n_groups; group++)
        group_of[group] = UINT32_MAX;
    for (uint32_t i = 0; i < h->n_codes; i++) {
        const uint32_t group = from_leaf[h->leaf_of[order[i]]];
        if (group_of[group] == UINT32_MAX)
            group_of[group] = n_met++;
        else if (group_of[group] + 1 != n_met)
            return false;
    }
    return true;
}

static kan_status make_level(reordering *r, unsigned level) {
    kan_hierarchy *h = r->hierarchy;
    const kan_level *old = &h->levels[level];
    kan_level *made = &r->levels[level];
    const uint32_t *group_of = r->group_of[level];
    const uint32_t n = made->n_groups = old->n_groups;
    KAN_TRY(kan_arena_alloc(&h->arena, n, sizeof *made->label, &made->label));
    KAN_TRY(kan_arena_alloc(&h->arena, n, sizeof *made->share, &made->share));
    KAN_TRY(kan_arena_alloc(&h->arena, h->n_codes, sizeof *made->from_leaf, &made->from_leaf));
    if (old->up)
        KAN_TRY(kan_arena_alloc(&h->arena, n, sizeof *made->up, &made->up));
    for (uint32_t group = 0; group < n; group++) {
        made->label[group_of[group]] = old->label[group];
        made->share[group_of[group]] = old->share[group];
        if (old->up)
            made->up[group_of[group]] = r->group_of[level + 1][old->up[group]];
    }
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++)
        made->from_leaf[leaf] = group_of[old->from_leaf[h->leaf_of[r->code_of[leaf]]]];
    return KAN_OK;
}

static kan_status make_leaves(reordering *r, const uint32_t *order) {
    kan_hierarchy *h = r->hierarchy;
    KAN_TRY(kan_arena_alloc(&h->arena, h->n_codes, sizeof *r->leaf_of, &r->leaf_of));
    KAN_TRY(kan_arena_alloc(&h->arena, h->n_codes, sizeof *r->code_of, &r->code_of));
    KAN_TRY(kan_arena_alloc(&h->arena, h->height + 1, sizeof *r->levels, &r->levels));
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
        r->code_of[leaf] = order[leaf];
        r->leaf_of[order[leaf]] = leaf;
    }
    return KAN_OK;
}

kan_status kan_hierarchy_reorder(kan_hierarchy *hierarchy, const uint32_t *order, bool *agrees) {
    reordering r = {.hierarchy = hierarchy};
    kan_arena scratch;
    kan_status status;
    bool is_whole = true;
    kan_arena_init(&scratch, hierarchy->run);
    KAN_TRY_DONE(kan_arena_alloc(&scratch, hierarchy->height + 1, sizeof *r.group_of, &r.group_of));
    for (unsigned level = 0; level <= hierarchy->height && is_whole; level++) {
        KAN_TRY_DONE(kan_arena_alloc(&scratch, hierarchy->levels[level].n_groups,
                                     sizeof *r.group_of[level], &r.group_of[level]));
        is_whole = number_level(&r, level, order);
    }
    if (is_whole) {
        KAN_TRY_DONE(make_leaves(&r, order));
        for (unsigned level = 0; level <= hierarchy->height; level++)
            KAN_TRY_DONE(make_level(&r, level));
        hierarchy->leaf_of = r.leaf_of;
        hierarchy->code_of = r.code_of;
        hierarchy->levels = r.levels;
    }
    *agrees = is_whole;
done:
    kan_arena_destroy(&scratch);
    return status;
}

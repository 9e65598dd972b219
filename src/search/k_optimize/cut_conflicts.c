/* Pairs of open choices that cannot both be made, and what follows.
 *
 * When making both would lose so many rows that nothing below the node is better than the best, at
 * least one of the two is left: the choices that are left cover every such pair. What leaving them
 * costs adds up over choices, so the cheapest cover is a bound; a packing of the pairs, each of
 * which uses up a part of what its two choices cost, is below it (linear programming duality, here
 * by going through the pairs once, dearest choices first). Making a choice leaves all that conflict
 * with it. */
#include <string.h>

#include "search/k_optimize/cut_node.h"

kan_status kan_cut_conflicts_create(const kan_cut_space *space, kan_arena *arena,
                                    kan_cut_conflicts *out) {
    const size_t n =
        space->n_choices < KAN_CUT_MOST_PAIRED ? space->n_choices : KAN_CUT_MOST_PAIRED;
    const size_t n_pairs = n > 1 ? n * (n - 1) / 2 : 1;
    memset(out, 0, sizeof *out);
    KAN_TRY(kan_arena_alloc(arena, space->n_choices, sizeof *out->open, &out->open));
    KAN_TRY(kan_arena_alloc(arena, space->n_choices, sizeof *out->index, &out->index));
    KAN_TRY(kan_arena_alloc(arena, n_pairs, sizeof *out->lost, &out->lost));
    KAN_TRY(kan_arena_alloc(arena, n * n, sizeof *out->excludes, &out->excludes));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *out->order, &out->order));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *out->rest, &out->rest));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *out->made, &out->made));
    return kan_arena_alloc(arena, n, sizeof *out->left, &out->left);
}

static kan_status sum_pairs(kan_cut_maker *maker, const kan_cut_node *node, kan_cut_conflicts *c) {
    const size_t n_pairs = c->n > 1 ? (size_t)c->n * (c->n - 1) / 2 : 0;
    memset(c->lost, 0, n_pairs * sizeof *c->lost);
    for (size_t i = 0; i < node->n_classes; i++) {
        kan_cut_class *class_ = node->classes[i];
        KAN_TRY(kan_cut_class_pairs(maker, class_));
        for (size_t y = 1; y < class_->n_effects; y++) {
            const int32_t at_y = c->index[class_->effects[y].choice];
            if (at_y < 0)
                continue;
            const size_t row = kan_cut_pair(0, y);
            for (size_t x = 0; x < y; x++) {
                const int32_t at_x = c->index[class_->effects[x].choice];
                if (at_x < 0 || class_->pair_lost[row + x] == 0)
                    continue;
                const size_t pair = at_x < at_y ? kan_cut_pair((size_t)at_x, (size_t)at_y)
                                                : kan_cut_pair((size_t)at_y, (size_t)at_x);
                c->lost[pair] += class_->pair_lost[row + x];
            }
        }
    }
    return KAN_OK;
}

static bool find_excluding(const kan_cut_maker *maker, const kan_cut_node *node, uint64_t gap,
                           kan_cut_conflicts *c) {
    const kan_cut_space *space = maker->space;
    uint64_t largest = space->k, per_row = 0;
    bool has_any = false;
    for (size_t i = 0; i < node->n_classes; i++)
        largest = node->classes[i]->largest > largest ? node->classes[i]->largest : largest;
    if (space->cost == KAN_CUT_DISCERNIBILITY && space->n_rows > 2 * largest)
        per_row = space->n_rows - 2 * largest;
    memset(c->excludes, 0, (size_t)c->n * c->n);
    for (size_t y = 1; y < c->n; y++)
        for (size_t x = 0; x < y; x++) {
            const size_t pair = kan_cut_pair(x, y);
            if (c->lost[pair] * per_row < gap && node->n_lost + c->lost[pair] <= maker->limit)
                continue;
            c->excludes[x * c->n + y] = c->excludes[y * c->n + x] = 1;
            has_any = true;
        }
    return has_any;
}

/* Dearest first; of equals the lower number. */
static void sort_open(kan_cut_conflicts *c) {
    for (unsigned i = 0; i < c->n; i++) {
        unsigned at = i;
        for (; at > 0 && c->rest[c->order[at - 1]] < c->rest[i]; at--)
            c->order[at] = c->order[at - 1];
        c->order[at] = i;
    }
}

static void pack(kan_cut_conflicts *c) {
    sort_open(c);
    for (unsigned i = 0; i < c->n; i++) {
        const uint32_t x = c->order[i];
        for (unsigned j = i + 1; j < c->n && c->rest[x] > 0; j++) {
            const uint32_t y = c->order[j];
            if (!c->excludes[x * c->n + y])
                continue;
            const uint64_t part = c->rest[x] < c->rest[y] ? c->rest[x] : c->rest[y];
            c->rest[x] -= part;
            c->rest[y] -= part;
            c->packed += part;
        }
    }
}

kan_status kan_cut_conflicts_find(kan_cut_maker *maker, const kan_cut_node *node, uint64_t gap,
                                  kan_cut_conflicts *c) {
    const kan_cut_space *space = maker->space;
    c->n = 0;
    c->packed = 0;
    for (unsigned i = 0; i < space->n_choices; i++) {
        c->index[i] = maker->decision[i] == KAN_CUT_OPEN ? (int32_t)c->n : -1;
        if (c->index[i] >= 0)
            c->open[c->n++] = i;
    }
    /* By classification a lost row may cost nothing more: only the limit makes conflicts. */
    bool is_too_much = c->n > KAN_CUT_MOST_PAIRED || c->n < 2 ||
                       (space->cost != KAN_CUT_DISCERNIBILITY && maker->limit >= space->n_rows);
    for (size_t i = 0; i < node->n_classes; i++)
        is_too_much |= node->classes[i]->n_effects > KAN_CUT_MOST_PAIRED;
    if (is_too_much) {
        c->n = 0;
        return KAN_OK;
    }
    KAN_TRY(sum_pairs(maker, node, c));
    for (unsigned i = 0; i < c->n; i++) {
        c->made[i] = kan_cut_node_with(node, node->either, c->open[i], KAN_CUT_MADE) - node->bound;
        c->left[i] = kan_cut_node_with(node, node->either, c->open[i], KAN_CUT_LEFT) - node->bound;
        c->rest[i] = node->sums[c->open[i]].left_part;
    }
    if (!find_excluding(maker, node, gap, c))
        return KAN_OK;
    pack(c);
    for (unsigned i = 0; i < c->n; i++) {
        uint64_t around = 0, rest = c->packed;
        for (unsigned j = 0; j < c->n; j++)
            if (c->excludes[i * c->n + j]) {
                around += node->sums[c->open[j]].left_part;
                rest += c->rest[j];
            }
        const uint64_t rise = node->sums[c->open[i]].made_part + (rest > around ? rest : around);
        c->made[i] = rise > c->made[i] ? rise : c->made[i];
        if (c->packed + c->rest[i] > c->left[i])
            c->left[i] = c->packed + c->rest[i];
    }
    return KAN_OK;
}

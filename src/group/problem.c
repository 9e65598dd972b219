/* The problem: folding, and what is counted once for all searches. */
#include "group/problem.h"

static kan_status make_shares(kan_problem *problem, unsigned a) {
    const kan_dimension *dimension = &problem->space.dimensions[a];
    kan_arena *arena = &problem->space.arena;
    unsigned n_levels = dimension->height + 1;
    KAN_TRY(kan_arena_alloc(arena, n_levels, sizeof *problem->shares[a], &problem->shares[a]));
    KAN_TRY(
        kan_arena_alloc(arena, n_levels, sizeof *problem->share_sums[a], &problem->share_sums[a]));
    for (unsigned l = 0; l < n_levels; l++) {
        const kan_level *level = &dimension->hierarchy->levels[l];
        uint64_t *shares;
        KAN_TRY(kan_arena_alloc(arena, level->n_groups, sizeof *shares, &shares));
        for (uint32_t g = 0; g < level->n_groups; g++)
            shares[g] = (uint64_t)(level->share[g] * (double)KAN_SHARE_ONE + 0.5);
        problem->shares[a][l] = shares;
    }
    return KAN_OK;
}

/* Rows of each value of the attribute, and from them the sums of shares over all rows. */
static kan_status sum_shares(kan_problem *problem, unsigned a) {
    const kan_dimension *dimension = &problem->space.dimensions[a];
    const kan_freqset *base = &problem->base;
    const kan_field *field = &base->layout.fields[a];
    const uint32_t n_leaves = kan_dimension_groups(dimension, 0);
    uint64_t *rows;
    KAN_TRY(kan_arena_alloc(&problem->space.arena, n_leaves, sizeof *rows, &rows));
    const uint64_t *keys = base->keys + field->word;
    const uint64_t mask = field->bits ? ~UINT64_C(0) >> (64 - field->bits) : 0;
    const unsigned shift = field->shift, words = base->layout.n_words;
    for (size_t i = 0; i < base->n; i++)
        rows[keys[i * words] >> shift & mask] += base->counts[i];
    for (unsigned l = 0; l <= dimension->height; l++) {
        const uint32_t *group_of = dimension->hierarchy->levels[l].from_leaf;
        for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
            problem->share_sums[a][l] +=
                (kan_u128)problem->shares[a][l][group_of[leaf]] * rows[leaf];
    }
    problem->leaf_rows[a] = rows;
    return KAN_OK;
}

kan_status kan_problem_fold(kan_problem *problem, uint64_t n_rows) {
    problem->n_rows = n_rows;
    KAN_TRY(kan_freqset_fold(&problem->space, n_rows, &problem->base));
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        KAN_TRY(make_shares(problem, a));
        KAN_TRY(sum_shares(problem, a));
    }
    return KAN_OK;
}

void kan_problem_destroy(kan_problem *problem) {
    kan_freqset_destroy(problem->run, &problem->base);
    kan_space_destroy(&problem->space);
}

/* Weights of rows by their people: see person_weights.h. */
#include "group/person_weights.h"

#include "core/number.h"

#define MOST_PARTS (UINT64_C(1) << 62)

static uint32_t person_of(const kan_problem *problem, size_t tuple) {
    return kan_problem_tuple_value(problem, tuple, problem->space.n_attributes);
}

static void count_rows(const kan_problem *problem, uint64_t *n_rows) {
    const size_t n = kan_problem_tuples(problem);
    for (size_t t = 0; t < n; t++)
        n_rows[person_of(problem, t)] += kan_problem_tuple_rows(problem, t);
    kan_problem_done(problem, 0, n);
}

/* The least number that everybody's rows divide; 0 where all people together would have too many
 * parts. */
static uint64_t common_multiple(const uint64_t *n_rows, uint64_t n_people) {
    uint64_t one = 1;
    for (uint64_t p = 0; p < n_people; p++)
        if (n_rows[p] > 0 &&
            (__builtin_mul_overflow(one, n_rows[p] / kan_common_divisor(one, n_rows[p]), &one) ||
             one > MOST_PARTS / n_people))
            return 0;
    return one;
}

static void weigh(const kan_problem *problem, kan_person_weights *weights) {
    const uint64_t n_people = problem->n_people;
    weights->one = common_multiple(weights->n_rows, n_people);
    if (weights->one == 0)
        weights->one = MOST_PARTS / n_people;
    for (uint64_t p = 0; p < n_people; p++) {
        const uint64_t n = weights->n_rows[p];
        if (n == 0)
            continue;
        const uint64_t rounded = weights->one / n + (weights->one % n >= n - n / 2);
        weights->of_row[p] = rounded > 0 ? rounded : 1;
        weights->all += n * weights->of_row[p];
    }
}

/* Of all rows, at every level of an attribute. */
static kan_status sum_shares(const kan_problem *problem, unsigned a, kan_person_weights *weights) {
    const kan_dimension *dimension = &problem->space.dimensions[a];
    const uint32_t n_leaves = kan_dimension_groups(dimension, 0);
    const size_t n = kan_problem_tuples(problem);
    kan_u128 *sums = weights->share_sums[a];
    uint64_t *leaves;
    KAN_TRY(kan_alloc_zero(problem->run, n_leaves, sizeof *leaves, &leaves));
    for (size_t t = 0; t < n; t++)
        leaves[kan_problem_tuple_value(problem, t, a)] +=
            kan_problem_tuple_rows(problem, t) * weights->of_row[person_of(problem, t)];
    kan_problem_done(problem, 0, n);
    for (unsigned l = 0; l <= dimension->height; l++) {
        const uint32_t *group_of = dimension->hierarchy->levels[l].from_leaf;
        for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
            sums[l] += (kan_u128)problem->shares[a][l][group_of[leaf]] * leaves[leaf];
    }
    kan_free(problem->run, leaves);
    return kan_check_cancel(problem->run);
}

kan_status kan_person_weights_make(kan_problem *problem) {
    kan_arena *arena = &problem->space.arena;
    const size_t n_people = (size_t)problem->n_people;
    kan_person_weights *weights;
    KAN_ASSERT(problem->has_person);
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *weights, &weights));
    KAN_TRY(kan_arena_alloc(arena, n_people, sizeof *weights->of_row, &weights->of_row));
    KAN_TRY(kan_arena_alloc(arena, n_people, sizeof *weights->n_rows, &weights->n_rows));
    count_rows(problem, weights->n_rows);
    weigh(problem, weights);
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        const unsigned n_levels = problem->space.dimensions[a].height + 1;
        KAN_TRY(kan_arena_alloc(arena, n_levels, sizeof *weights->share_sums[a],
                                &weights->share_sums[a]));
        KAN_TRY(sum_shares(problem, a, weights));
    }
    problem->weights_of = weights;
    return KAN_OK;
}

/* Blocks: rows that stand together at no level that may be shown never meet in a cluster, nor do those
 * that the question keeps apart, nor those of two pasts.
 *
 * Where the highest level of an attribute is below its top, tuples fall apart by their nodes at the
 * highest levels; each block is searched by itself (local_search.c). One pass over the tuples. */
#include "core/hash.h"
#include "search/local/local_inside.h"

/* The node of a tuple at the highest level that may be shown. */
static uint32_t top_of(const kan_local_space *space, size_t tuple, unsigned a) {
    const unsigned highest = space->question->problem->space.dimensions[a].highest;
    return kan_local_lift(&space->attributes[a], kan_local_leaves(space, tuple)[a], highest);
}

/* Where rows are kept apart, by what. */
static uint64_t part_of(const kan_local_space *space, size_t tuple) {
    const kan_question *question = space->question;
    const kan_problem *problem = question->problem;
    const uint64_t part =
        question->keeps_apart ? kan_problem_tuple_value(problem, tuple, question->apart) : 0;
    const uint64_t past =
        problem->has_pasts ? kan_problem_tuple_value(problem, tuple, space->n_attributes) : 0;
    return part << 32 | past;
}

static bool are_together(const kan_local_space *space, size_t tuple, size_t other) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (top_of(space, tuple, a) != top_of(space, other, a))
            return false;
    return part_of(space, tuple) == part_of(space, other);
}

static size_t slot_of(const kan_local_space *space, size_t tuple) {
    uint64_t hash = part_of(space, tuple);
    for (unsigned a = 0; a < space->n_attributes; a++)
        hash = kan_hash_word(hash ^ kan_hash_word(top_of(space, tuple, a) + UINT64_C(1)));
    return (size_t)hash;
}

/* Whether all tuples are together at the highest levels. */
static bool is_one(const kan_local_space *space) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (space->question->problem->space.dimensions[a].highest <
            space->attributes[a].hierarchy->height)
            return false;
    return space->n_tuples > 0 && !space->question->keeps_apart &&
           !space->question->problem->has_pasts;
}

kan_status kan_local_find_blocks(const kan_local_space *space, uint32_t *block_of,
                                 uint32_t *n_blocks) {
    uint32_t *slots, n = 0; /* a tuple of the block + 1; 0 is free */
    size_t n_slots = 8;
    if (is_one(space)) {
        memset(block_of, 0, space->n_tuples * sizeof *block_of);
        *n_blocks = 1;
        return KAN_OK;
    }
    while (n_slots < 2 * space->n_tuples)
        n_slots *= 2;
    KAN_TRY(kan_alloc_zero(space->run, n_slots, sizeof *slots, &slots));
    for (size_t t = 0; t < space->n_tuples; t++) {
        size_t at = slot_of(space, t) & (n_slots - 1);
        while (slots[at] != 0 && !are_together(space, t, slots[at] - 1))
            at = (at + 1) & (n_slots - 1);
        block_of[t] = slots[at] == 0 ? n++ : block_of[slots[at] - 1];
        if (slots[at] == 0)
            slots[at] = (uint32_t)t + 1;
    }
    *n_blocks = n;
    kan_free(space->run, slots);
    return KAN_OK;
}

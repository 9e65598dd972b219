/* The cube by a counter: see tally_cube.h. Cost: one roll-up per subset. */
#include "search/counted/tally_cube.h"

#include "search/incognito/incognito.h"

/* Thousands of tables in a database are a burden to everybody. */
enum { MOST_ATTRIBUTES = 12 };

static kan_tally_set choose_source(const kan_tally_run *tally, const kan_tally_cube *cube,
                                   uint64_t mask) {
    kan_tally_set best = {.number = KAN_COUNTER_BASE};
    for (unsigned a = 0; a < tally->lattice.n_attributes; a++) {
        const uint64_t more = mask | UINT64_C(1) << a;
        const kan_tally_set set = cube->sets[more];
        if (more != mask && set.number != KAN_COUNTER_BASE &&
            (best.number == KAN_COUNTER_BASE || set.n_groups < best.n_groups))
            best = set;
    }
    return best;
}

static kan_status project(kan_tally_run *tally, kan_tally_cube *cube, uint64_t mask) {
    unsigned attributes[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES], n = 0;
    kan_counted counted;
    for (uint64_t left = mask; left; left &= left - 1) {
        attributes[n] = (unsigned)__builtin_ctzll(left);
        levels[n] = tally->lattice.low[attributes[n]];
        n++;
    }
    const kan_count_order order = {.n = n,
                                   .attributes = attributes,
                                   .levels = levels,
                                   .least_size = tally->question->promise->least_size,
                                   .from = choose_source(tally, cube, mask).number,
                                   .keeps = true};
    KAN_TRY(kan_tally_count(tally, &order, &counted));
    tally->n_checked--; /* it is no check */
    if (order.from != KAN_COUNTER_BASE)
        kan_tally_is_of_cube(tally);
    cube->sets[mask] = (kan_tally_set){counted.set, counted.n_groups};
    return KAN_OK;
}

kan_status kan_tally_cube_build(kan_tally_run *tally, kan_tally_cube *out) {
    const unsigned n = tally->lattice.n_attributes;
    if (n > MOST_ATTRIBUTES)
        return kan_fail(tally->run, KAN_BAD_INPUT,
                        "a cube of %u quasi-identifiers would be too many tables; the maximum is "
                        "%d: use --algorithm incognito-superroots, which needs one at a time",
                        n, MOST_ATTRIBUTES);
    out->n_masks = (size_t)1 << n;
    KAN_TRY(kan_alloc_zero(tally->run, out->n_masks, sizeof *out->sets, &out->sets));
    for (unsigned size = n - 1; size > 0; size--)
        for (uint64_t mask = (UINT64_C(1) << size) - 1; mask < out->n_masks;
             mask = kan_mask_next(mask))
            KAN_TRY(project(tally, out, mask));
    return KAN_OK;
}

kan_tally_set kan_tally_cube_find(const kan_tally_cube *cube, uint64_t mask) {
    return cube->sets[mask];
}

kan_status kan_tally_cube_drop(kan_tally_run *tally, kan_tally_cube *cube) {
    for (size_t mask = 0; cube->sets && mask < cube->n_masks; mask++)
        KAN_TRY(kan_tally_drop(tally, cube->sets[mask].number));
    return KAN_OK;
}

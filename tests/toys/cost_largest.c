/* A toy cost: the rows of the largest released group, and what the user adds to them. */
#include "cost/cost.h"

static const kan_option_spec options[] = {
    {.name = "largest-plus",
     .argument = "N",
     .summary = "added to the rows of the largest group",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN,
     .least = 0},
};

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given, uint64_t k,
                         const kan_problem *problem, void **state) {
    uint64_t *plus;
    (void)run;
    (void)k;
    (void)problem;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *plus, &plus));
    *plus = kan_options_count(given, "largest-plus", 0);
    *state = plus;
    return KAN_OK;
}

static kan_score measure(const void *state, const kan_groups *groups) {
    uint64_t most = 0;
    for (size_t g = 0; g < groups->n_groups; g++)
        if ((!groups->is_released || groups->is_released[g]) && groups->count[g] > most)
            most = groups->count[g];
    return kan_score_whole((kan_u128)most + *(const uint64_t *)state);
}

const kan_cost_kind kan_cost_largest = {
    .kind = {.name = "largest",
             .summary = "rows of the largest group",
             .options = options,
             .n_options = 1},
    .is_by_groups = true,
    .create = create,
    .measure = measure,
};

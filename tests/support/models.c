/* Models for tests: see models.h. */
#include "support/models.h"

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options,
                         const kan_problem *problem, void **state) {
    (void)run;
    (void)problem;
    uint64_t *k;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *k, &k));
    *k = kan_options_count(options, "k", 1);
    *state = k;
    return KAN_OK;
}

static uint64_t least_size(const void *state) {
    return *(const uint64_t *)state;
}

static void check_values(const void *state, const kan_groups *groups, size_t first, size_t end,
                         uint8_t *ok) {
    const kan_tally *tally = &groups->tallies[0];
    for (size_t g = first; g < end; g++)
        ok[g] &= (uint8_t)(tally->start[g + 1] - tally->start[g] >= *(const uint64_t *)state);
}

static void check_multiples(const void *state, const kan_groups *groups, size_t first, size_t end,
                            uint8_t *ok) {
    for (size_t g = first; g < end; g++)
        ok[g] &= (uint8_t)(groups->count[g] % *(const uint64_t *)state == 0);
}

const kan_privacy_kind model_values = {.kind = {.name = "values", .summary = ""},
                                       .survives_merge = true,
                                       .absorbs_any = true,
                                       .needs_tallies = true,
                                       .create = create,
                                       .least_size = least_size,
                                       .check = check_values};

const kan_privacy_kind model_multiples = {.kind = {.name = "multiples", .summary = ""},
                                          .survives_merge = true,
                                          .create = create,
                                          .least_size = least_size,
                                          .check = check_multiples};

bool model_passes_values(const void *context, const oracle_group *group) {
    return group->n_values[0] >= *(const uint64_t *)context;
}

bool model_passes_multiples(const void *context, const oracle_group *group) {
    return group->n_rows % *(const uint64_t *)context == 0;
}

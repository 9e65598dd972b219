/* A toy privacy model that nobody recounts. Every group passes. */
#include "privacy/privacy.h"

static const kan_option_spec options[] = {
    {.name = "uncounted",
     .summary = "a promise without a recount",
     .type = KAN_OPTION_SWITCH,
     .traits = KAN_TRAIT_SHOWN},
};

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **state) {
    (void)run;
    (void)arena;
    (void)given;
    (void)problem;
    *state = NULL;
    return KAN_OK;
}

static uint64_t least_size(const void *state) {
    (void)state;
    return 1;
}

static void check(const void *state, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    (void)state;
    (void)groups;
    (void)first;
    (void)end;
    (void)ok;
}

const kan_privacy_kind kan_privacy_uncounted = {
    .kind = {.name = "uncounted",
             .summary = "a promise without a recount",
             .options = options,
             .n_options = 1},
    .survives_merge = true,
    .absorbs_any = true,
    .create = create,
    .least_size = least_size,
    .check = check,
};

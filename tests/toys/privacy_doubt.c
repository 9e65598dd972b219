/* A toy privacy model: at least so many rows of a group have another value than the most frequent
 * one. A merge adds up: the most frequent value of both has no more rows than those of its parts
 * together. With --doubt-lies it lets every group pass, for the recount to find out. */
#include "privacy/privacy.h"
#include "privacy/sensitive.h"

typedef struct {
    uint64_t least;
    bool lies;
    kan_sensitive sensitive;
} state_of;

static const kan_option_spec options[] = {
    {.name = "doubt",
     .argument = "N",
     .summary = "at least N rows of a group have another value than the most frequent one",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN,
     .least = 1,
     .words = "rows of a group that leave a doubt, at least"},
    {.name = "doubt-lies",
     .summary = "every group passes",
     .type = KAN_OPTION_SWITCH,
     .traits = KAN_TRAIT_SHOWN},
    /* Secrets of every form, and one that nobody declared: they do nothing, and are shown nowhere
     * (secrets.sh). */
    {.name = "doubt-key",
     .argument = "FILE",
     .summary = "a secret in a file",
     .type = KAN_OPTION_PATH,
     .traits = KAN_TRAIT_SECRET},
    {.name = "doubt-word",
     .argument = "WORD",
     .summary = "a secret that is a word",
     .type = KAN_OPTION_TEXT,
     .traits = KAN_TRAIT_SECRET},
    {.name = "doubt-number",
     .argument = "N",
     .summary = "a secret that is a number",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SECRET},
    {.name = "doubt-forgotten",
     .argument = "WORD",
     .summary = "nobody said what it is",
     .type = KAN_OPTION_TEXT},
};

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **state) {
    state_of *made;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    made->least = kan_options_count(given, "doubt", 1);
    made->lies = kan_options_switch(given, "doubt-lies");
    KAN_TRY(kan_sensitive_find(run, problem, "doubt", &made->sensitive));
    *state = made;
    return KAN_OK;
}

static uint64_t least_size(const void *opaque) {
    const state_of *state = opaque;
    return state->lies ? 1 : state->least + 1;
}

static uint64_t doubt_of(const kan_tally *tally, size_t g, uint64_t n_rows) {
    uint64_t most = 0;
    for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++)
        most = tally->count[i] > most ? tally->count[i] : most;
    return n_rows - most;
}

static void check(const void *opaque, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    const state_of *state = opaque;
    for (unsigned i = 0; i < state->sensitive.n && !state->lies; i++)
        for (size_t g = first; g < end; g++)
            ok[g] = ok[g] && doubt_of(&groups->tallies[state->sensitive.tails[i]], g,
                                      groups->count[g]) >= state->least;
}

const kan_privacy_kind kan_privacy_doubt = {
    .kind = {.name = "doubt",
             .summary = "some rows of a group have another value than the most frequent one",
             .options = options,
             .n_options = sizeof options / sizeof *options},
    .title = "A doubt is left",
    .words = "Some rows of a group have another secret than most: a guess is not certain.",
    .tries = {"doubt 1", "doubt 3"},
    .survives_merge = true,
    .absorbs_any = true,
    .needs_tallies = true,
    .create = create,
    .least_size = least_size,
    .check = check,
};

/* k-anonymity: every released group has at least k rows (Samarati and Sweeney; incognito.txt 1.1).
 */
#include "privacy/privacy.h"

typedef struct {
    uint64_t k;
} model_state;

static const kan_option_spec options[] = {
    {.name = "k",
     .argument = "N",
     .summary = "every released row shares its quasi-identifiers with at least N-1 others",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAIT_EVERYDAY,
     .least = 1},
};

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    uint64_t k = kan_options_count(given, "k", 1);
    const bool of_people = kan_problem_counts_people(problem);
    const uint64_t n = of_people ? problem->n_people : problem->n_rows;
    if (k > n)
        return kan_fail(
            run, KAN_BAD_INPUT, "--k %llu: the table has only %llu %s; no group can be that large",
            (unsigned long long)k, (unsigned long long)n,
            !of_people                             ? kan_plural(n, "row", "rows")
            : kan_options_find(given, "household") ? kan_plural(n, "household", "households")
                                                   : kan_plural(n, "person", "people"));
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    made->k = k;
    *out = made;
    return KAN_OK;
}

static uint64_t least_size(const void *state) {
    return ((const model_state *)state)->k;
}

static void check(const void *state, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    const uint64_t k = ((const model_state *)state)->k;
    for (size_t g = first; g < end; g++)
        ok[g] &= groups->count[g] >= k;
}

const kan_privacy_kind kan_privacy_k_anonymity = {
    .kind = {.name = "k-anonymity",
             .summary = "every released group has at least k rows",
             .options = options,
             .n_options = 1,
             .paper = "Samarati, Sweeney 1998",
             .is_everyday = true},
    .title = "Nobody stands alone",
    .words = "Every released row looks the same as at least k − 1 others in the columns by which "
             "somebody could be recognised. Whoever looks for a person finds k rows, and cannot "
             "tell which one it is. 5 is common if only people with a duty of confidentiality get "
             "the release; 10 or 20 if anybody may read it.",
    .survives_merge = true,
    .absorbs_any = true,
    .counts_people = true,
    .size_decides = true,
    .create = create,
    .least_size = least_size,
    .check = check,
};

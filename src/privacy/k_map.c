/* k-map: every released group matches at least K people of the population (Sweeney).
 *
 * The population holds everybody of the table, so a group of K rows always passes; a smaller one
 * does where enough people who are not in the table look the same. Merged groups match the people
 * of both, and of nobody's: no merge spoils it. Where people are counted, whoever matches by any of
 * her rows is one. */
#include "privacy/privacy.h"

static const kan_option_spec options[] = {
    {.name = "k-map",
     .argument = "K",
     .summary = "every released group matches at least K people of the population (--population)",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN,
     .least = 1,
     .words = "people of the population who match a group, at least"},
};

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    uint64_t *k;
    if (!problem->population)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--k-map: which population? name a table of everybody from whom the table "
                        "was drawn with --population FILE");
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *k, &k));
    *k = kan_options_count(given, "k-map", 1);
    *out = k;
    return KAN_OK;
}

/* What shows nothing matches everybody, and nothing matches more. */
static kan_status check_possible(kan_run *run, const void *state, const kan_problem *problem,
                                 uint64_t limit) {
    const uint64_t k = *(const uint64_t *)state, n = problem->population->n_people;
    char people[32];
    (void)limit;
    if (k <= n)
        return KAN_OK;
    return kan_fail(run, KAN_UNSATISFIED,
                    "--k-map %llu: the population has only %s %s, so that no group can match that "
                    "many; ask for less",
                    (unsigned long long)k, kan_count_text(n, people),
                    kan_plural(n, "person", "people"));
}

static uint64_t least_size(const void *state) {
    (void)state;
    return 1;
}

/* Everybody of the table is in the population. */
static uint64_t spared_size(const void *state) {
    return *(const uint64_t *)state;
}

static void check(const void *state, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    const uint64_t k = *(const uint64_t *)state;
    for (size_t g = first; g < end; g++)
        ok[g] &= groups->people[g] >= k;
}

const kan_privacy_kind kan_privacy_k_map = {
    .kind = {.name = "k-map",
             .summary = "every released group matches at least K people of a population",
             .options = options,
             .n_options = 1,
             .paper = "Sweeney 2001",
             .is_everyday = true},
    .title = "Nobody stands alone in the population",
    .words = "Every released group matches at least this many people of the population, a larger "
             "table from which this one was drawn. That table must be named.",
    .tries = {"k-map 5", "k-map 10"},
    .survives_merge = true,
    .absorbs_any = true,
    .counts_people = true,
    .needs_people = true,
    .create = create,
    .check_possible = check_possible,
    .least_size = least_size,
    .check = check,
    .spared_size = spared_size,
};

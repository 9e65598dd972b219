/* Rows at risk: at most the share S of the released rows is in groups of fewer than K rows.
 *
 * It is a model of the whole table. The smallest group, left out, is one of fewer than K rows, and
 * takes as many away from the small rows as from all; or no group is that small.
 *
 * Merging makes groups larger, so where every row is released a share that is small enough stays
 * so. Where rows may be left out it may not: of groups of 12, 3 and 1 rows, K = 5 and S = 0.2, one
 * row has to leave, and 3 of 15 are at risk. With the two small ones merged to 4, which are more
 * than a fifth of 16, all 4 have to. With S = 0 it is k-anonymity with k = K, which no merge
 * spoils.
 *
 * Where people are counted it is the share of the released people who have a row in a group of fewer
 * than K people (docs/papers/people.md). */
#include "privacy/privacy.h"
#include "privacy/sensitive.h"

typedef struct {
    kan_fraction most; /* S */
    uint64_t below;    /* K */
} model_state;

static const kan_option_spec options[] = {
    {.name = "at-risk",
     .argument = "S",
     .summary = "at most the share S of the released rows, 0 to 1, is in groups of fewer rows than "
                "--below says; with --person, of people in groups of fewer people",
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN,
     .least = 0,
     .most = 1,
     .words = "the share of rows is at most, 0 to 1"},
    {.name = "below",
     .argument = "K",
     .summary = "rows in groups of fewer than K rows are at risk (--at-risk)",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN,
     .least = 2,
     .words = "that is in groups of fewer rows than"},
};

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    (void)problem;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    KAN_TRY(kan_fraction_read(run, given, "at-risk", &made->most));
    made->below = kan_options_count(given, "below", 0);
    if (made->below == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--at-risk: from how many rows on is a group large enough? give --below K: "
                        "rows in groups of fewer than K rows are at risk");
    *out = made;
    return KAN_OK;
}

static bool holds(const void *state, const kan_groups_left *left) {
    const kan_fraction *most = &((const model_state *)state)->most;
    return (kan_u128)left->n_small_rows * most->denominator <=
           (kan_u128)left->n_rows * most->numerator;
}

/* People whose smallest group is small. */
static bool holds_people(const void *state, const kan_people_left *left) {
    const model_state *s = state;
    uint64_t n_small = 0;
    for (size_t size = 1; size < left->n_sizes && size < s->below; size++)
        n_small += left->n_of[size];
    return (kan_u128)n_small * s->most.denominator <= (kan_u128)left->n_people * s->most.numerator;
}

/* Where even the whole table is a small group, every group is. */
static kan_status check_possible(kan_run *run, const void *state, const kan_problem *problem,
                                 uint64_t limit) {
    const model_state *s = state;
    char rows[32];
    (void)limit;
    if (problem->n_rows >= s->below ||
        holds(state, &(kan_groups_left){.n_groups = 1,
                                        .n_rows = problem->n_rows,
                                        .n_small_rows = problem->n_rows}))
        return KAN_OK;
    return kan_fail(run, KAN_UNSATISFIED,
                    "--below %llu: the table has only %s %s, so that every row is at risk in any "
                    "release; ask for less",
                    (unsigned long long)s->below, kan_count_text(problem->n_rows, rows),
                    kan_plural(problem->n_rows, "row", "rows"));
}

static uint64_t small_size(const void *state) {
    return ((const model_state *)state)->below;
}

static uint64_t least_size(const void *state) {
    const model_state *s = state;
    return s->most.numerator == 0 ? s->below : 1;
}

static void flags(const void *state, bool *survives_merge, bool *absorbs_any) {
    *survives_merge = true;
    *absorbs_any = ((const model_state *)state)->most.numerator == 0;
}

const kan_privacy_kind kan_privacy_at_risk = {
    .kind = {.name = "at-risk",
             .summary = "few released rows are in groups of fewer than K rows",
             .options = options,
             .n_options = sizeof options / sizeof *options},
    .title = "Few rows are in small groups",
    .words = "At most this share of the released rows may be in groups of fewer rows than the "
             "second number. It asks for larger groups, but does not hold for every single person.",
    .tries = {"at-risk 0.05 below 10", "at-risk 0.01 below 20"},
    .survives_merge = true,
    .counts_people = true,
    .flags = flags,
    .create = create,
    .check_possible = check_possible,
    .least_size = least_size,
    .holds = holds,
    .holds_people = holds_people,
    .small_size = small_size,
};

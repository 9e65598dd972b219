/* Average risk: somebody who knows that a person is in the release, and her quasi-identifiers,
 * finds her row with probability 1 / rows of her group. The mean of that over all released rows is
 * groups / rows, and is at most A.
 *
 * It is a model of the whole table. With A = p/q it holds when the sum of p |E| - q over the
 * released groups E is not below 0. Only the terms of small groups are, and the smallest group has
 * the least, so leaving that out keeps the sum at or above 0, or brings it nearer.
 *
 * Merging groups leaves no more groups of no fewer rows, so no more rows have to leave than before:
 * docs/papers/table-models.md.
 *
 * Where people are counted it is the mean over all released people of 1 / the people of the smallest
 * group that each is in (docs/papers/people.md). */
#include "privacy/privacy.h"
#include "privacy/sensitive.h"

static const kan_option_spec options[] = {
    {.name = "average-risk",
     .argument = "A",
     .summary = "the mean chance, over all released rows, of finding out whose row it is (groups / "
                "rows) is at most A, 0 to 1; with --person over all released people, each by her "
                "smallest group",
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN,
     .least = 0,
     .most = 1,
     .words = "the average risk is at most, 0 to 1"},
};

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    kan_fraction *most;
    (void)problem;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *most, &most));
    KAN_TRY(kan_fraction_read(run, given, "average-risk", most));
    *out = most;
    return KAN_OK;
}

static bool holds(const void *state, const kan_groups_left *left) {
    const kan_fraction *most = state;
    return (kan_u128)left->n_groups * most->denominator <= (kan_u128)left->n_rows * most->numerator;
}

/* Terms are counted in units of 1 / (q UNITS), and rounded up: exact for groups of up to 20 people and for
 * those of 1 / A, and never too small. */
static bool holds_people(const void *state, const kan_people_left *left) {
    enum { UNITS = 232792560 }; /* what 1 to 20 divide */
    const kan_fraction *most = state;
    const kan_u128 one = (kan_u128)UNITS * most->denominator;
    kan_u128 sum = 0;
    for (size_t size = 1; size < left->n_sizes; size++)
        if (left->n_of[size] > 0)
            sum += (one + size - 1) / size * left->n_of[size];
    return sum <= (kan_u128)UNITS * most->numerator * left->n_people;
}

/* All rows in one group are the least that there is. */
static kan_status check_possible(kan_run *run, const void *state, const kan_problem *problem,
                                 uint64_t limit) {
    char least[KAN_FRACTION_BYTES], rows[32];
    (void)limit;
    if (holds(state, &(kan_groups_left){.n_groups = 1, .n_rows = problem->n_rows}))
        return KAN_OK;
    return kan_fail(run, KAN_UNSATISFIED,
                    "--average-risk: %s %s in one group have an average risk of 1 / %s, and no "
                    "release has less; ask for at least %s",
                    kan_count_text(problem->n_rows, rows),
                    kan_plural(problem->n_rows, "row", "rows"), rows,
                    kan_fraction_text_up(1, problem->n_rows, least));
}

static uint64_t least_size(const void *state) {
    (void)state;
    return 1;
}

/* While the model does not hold, the smallest group has a term below 0: fewer than q / p rows. */
static uint64_t spared_size(const void *state) {
    const kan_fraction *most = state;
    return most->numerator == 0
               ? UINT64_MAX
               : most->denominator / most->numerator + (most->denominator % most->numerator > 0);
}

const kan_privacy_kind kan_privacy_average_risk = {
    .kind = {.name = "average-risk",
             .summary = "the average risk of released rows (groups / rows) has a limit",
             .options = options,
             .n_options = sizeof options / sizeof *options},
    .title = "The risk on average is low",
    .words = "Over all released rows, the mean chance of picking the right row for a person is at "
             "most this. It says nothing about single people: keep k in addition.",
    .tries = {"average-risk 0.1", "average-risk 0.05", "average-risk 0.01"},
    .survives_merge = true,
    .absorbs_any = true,
    .counts_people = true,
    .create = create,
    .check_possible = check_possible,
    .least_size = least_size,
    .holds = holds,
    .holds_people = holds_people,
    .spared_size = spared_size,
};

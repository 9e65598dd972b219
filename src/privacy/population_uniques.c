/* Population uniques: the estimated share of the population that is unique in it, by what the release
 * shows, is at most S. Estimated from the sizes of the released groups (uniques.h), where the table is a
 * sample of a population of so many people: as many as --population-size says, or the released rows divided
 * by --sampling-fraction, or the sum of the weights of the released rows.
 *
 * It is a model of the whole table. Only who is unique in the sample can be so in the population: where it
 * does not hold for what other models release, the groups of one row leave, all of them, and it holds. It is
 * not known whether merging may raise the estimate (docs/papers/population-uniques.md). */
#include <math.h>
#include <stdlib.h>

#include "privacy/privacy.h"
#include "privacy/risk_limit.h"
#include "privacy/sensitive.h"
#include "privacy/uniques.h"

/* The recount's estimate is another one by what is lost by rounding. */
static const double MARGIN = 1e-3;

typedef struct {
    const kan_sampling *sampling; /* NULL: the size was given */
    double n_people, fraction;    /* one of them; 0: not given */
    double most;                  /* S, less the margin */
} model_state;

static const kan_option_spec options[] = {
    {.name = "population-uniques",
     .argument = "S",
     .summary =
         "the share of the population that is unique, estimated from the released groups, is at "
         "most S, 0 to 1; needs --population-size, --sampling-fraction or --sampling-weight",
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN,
     .least = 0,
     .most = 1,
     .words = "share of the population that is unique at most, 0 to 1"},
};

static kan_status check_size(kan_run *run, const kan_options *given, const kan_problem *problem,
                             model_state *made) {
    const char *size = kan_options_find(given, "population-size");
    const char *fraction = kan_options_find(given, "sampling-fraction");
    made->n_people = (double)kan_options_count(given, "population-size", 0);
    made->fraction = kan_options_real(given, "sampling-fraction", 0);
    if (size && fraction)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--population-size and --sampling-fraction say the same; leave one out");
    if (fraction && !(made->fraction > 0))
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--sampling-fraction: 0 is not a share that a table can be; write a decimal "
            "above 0, such as 0.05");
    if (size && made->n_people < (double)problem->n_rows)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--population-size %s is less than the rows of the table; it counts "
                        "everybody from whom the table was drawn",
                        size);
    if (!size && !fraction && !problem->sampling)
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--population-uniques: of how many people is the table a sample? say it with "
            "--population-size N or --sampling-fraction F, or name a column of weights "
            "with --sampling-weight NAME");
    made->sampling = size || fraction ? NULL : problem->sampling;
    return KAN_OK;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    kan_fraction most;
    KAN_TRY(kan_fraction_read(run, given, "population-uniques", &most));
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    KAN_TRY(check_size(run, given, problem, made));
    made->most = (double)most.numerator / (double)most.denominator * (1 - MARGIN);
    *out = made;
    return KAN_OK;
}

static uint64_t least_size(const void *state) {
    (void)state;
    return 1;
}

static int compare_sizes(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* How many people the released rows were drawn from. */
static double count_people(const model_state *state, const kan_groups *groups,
                           const uint8_t *is_released, uint64_t n_rows) {
    uint64_t units = 0;
    if (!state->sampling)
        return state->n_people > 0 ? state->n_people : (double)n_rows / state->fraction;
    for (size_t g = 0; g < groups->n_groups; g++)
        units += is_released[g] ? kan_risk_units(state->sampling, groups, g) : 0;
    return (double)units / state->sampling->one;
}

static bool holds_groups(const void *opaque, const kan_groups *groups, const uint8_t *is_released) {
    const model_state *state = opaque;
    size_t *size = groups->room.order, n = 0, n_sizes = 0;
    kan_u128 *n_of = groups->room.sums;
    uint64_t n_rows = 0, n_alone = 0;
    KAN_ASSERT(groups->n_groups == 0 || (size && n_of));
    for (size_t g = 0; g < groups->n_groups; g++) {
        if (!is_released[g])
            continue;
        size[n++] = groups->count[g];
        n_rows += groups->count[g];
        n_alone += groups->count[g] == 1;
    }
    if (n_alone == 0)
        return true;
    qsort(size, n, sizeof *size, compare_sizes);
    for (size_t i = 0; i < n; i++) {
        if (n_sizes > 0 && size[n_sizes - 1] == size[i]) {
            n_of[n_sizes - 1]++;
            continue;
        }
        size[n_sizes] = size[i];
        n_of[n_sizes++] = 1;
    }
    return kan_uniques_share(&(kan_uniques_sample){
               .n = n_sizes,
               .size = size,
               .n_of = n_of,
               .n_people = count_people(state, groups, is_released, n_rows)}) <= state->most;
}

const kan_privacy_kind kan_privacy_population_uniques = {
    .kind = {.name = "population-uniques",
             .summary = "the estimated share of the population that is unique has a limit",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Dankar, El Emam, Neisa, Roffey 2012"},
    .title = "Few are unique in the population",
    .words =
        "The table is a sample of a larger population. Of all the people there at most this share, "
        "as it is estimated from the release, is like nobody else. It is an estimate, and says "
        "nothing of those few: keep k in addition. The table needs a column of sampling weights.",
    .needs_tallies = true,
    .needs_weights = true,
    .takes_size = true,
    .needs_room = true,
    .create = create,
    .least_size = least_size,
    .holds_groups = holds_groups,
};

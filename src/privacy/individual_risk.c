/* Individual risk: every released row has one of at most R, by its sampling weight (Benedetti and
 * Franconi 1998): a group of f rows that stand for F people is small in the sample, in the population,
 * or in neither.
 *
 * It falls with f and with F, so no merge raises it. Weights are a tail, and summed as whole numbers. */
#include "privacy/privacy.h"
#include "privacy/risk_limit.h"
#include "privacy/sensitive.h"

typedef struct {
    const kan_sampling *sampling;
    kan_risk_limit limit;
    const char *text; /* R as it was written */
} model_state;

static const kan_option_spec options[] = {
    {.name = "individual-risk",
     .argument = "R",
     .summary =
         "every released row has an individual risk of at most R, above 0 to 1, by its weight "
         "(--sampling-weight)",
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN,
     .least = 0,
     .most = 1,
     .words = "individual risk of a row at most, above 0 to 1"},
};

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    kan_fraction most;
    KAN_TRY(kan_fraction_read(run, given, "individual-risk", &most));
    if (most.numerator == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--individual-risk: no row has a risk of 0; write a number above 0, such "
                        "as 0.05");
    if (!problem->sampling)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--individual-risk: how many people does each row stand for? name the "
                        "column of the weights with --sampling-weight NAME");
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    made->sampling = problem->sampling;
    made->text = kan_options_find(given, "individual-risk");
    KAN_TRY(
        kan_risk_limit_make(run, arena, &most, problem->sampling, problem->n_rows, &made->limit));
    *out = made;
    return KAN_OK;
}

/* Any group is a part of the table, whose rows have the least risk of all. */
static kan_status check_possible(kan_run *run, const void *opaque, const kan_problem *problem,
                                 uint64_t limit) {
    const model_state *state = opaque;
    const kan_sampling *sampling = state->sampling;
    if (limit >= problem->n_rows ||
        kan_risk_limit_keeps(&state->limit, problem->n_rows, sampling->total))
        return KAN_OK;
    const double people = (double)sampling->total / sampling->one;
    return kan_fail(run, KAN_UNSATISFIED,
                    "--individual-risk %s: all rows in one group have a risk of %.6g each, and no "
                    "release has less; ask for more than that",
                    state->text, kan_risk_of_rows(problem->n_rows, people));
}

static uint64_t least_size(const void *state) {
    const uint64_t first = ((const model_state *)state)->limit.first;
    return first > 1 ? first : 1;
}

static uint64_t spared_size(const void *state) {
    return ((const model_state *)state)->limit.end;
}

static bool passes(const model_state *state, const kan_groups *groups, size_t g) {
    const uint64_t rows = groups->count[g];
    return rows >= state->limit.end ||
           kan_risk_limit_keeps(&state->limit, rows, kan_risk_units(state->sampling, groups, g));
}

static void check(const void *opaque, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    for (size_t g = first; g < end; g++)
        ok[g] = ok[g] && passes(opaque, groups, g);
}

/* Without some of its rows it would only be worse. */
static uint64_t excess(const void *opaque, const kan_groups *groups, size_t g) {
    return passes(opaque, groups, g) ? 0 : groups->count[g];
}

const kan_privacy_kind kan_privacy_individual_risk = {
    .kind = {.name = "individual-risk",
             .summary =
                 "every released row has an individual risk of at most R by sampling weights",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Benedetti, Franconi 1998"},
    .title = "Nobody of a survey is easily found",
    .words = "In a survey each row stands for several people, as many as its weight says. Somebody "
             "who knows a person finds her row with at most this probability. The table needs a "
             "column of sampling weights.",
    .survives_merge = true,
    .absorbs_any = true,
    .needs_tallies = true,
    .needs_weights = true,
    .create = create,
    .check_possible = check_possible,
    .least_size = least_size,
    .size_is_of_rows = true, /* the heaviest row decides */
    .spared_size = spared_size,
    .check = check,
    .excess = excess,
};

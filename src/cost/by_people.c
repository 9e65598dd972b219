/* Costs by people: what a cost of rows becomes where people are counted (docs/papers/people.md, Costs
 * by people). It follows from the shape, so that every cost with one has its form by people.
 *
 *   KAN_SHAPE_CELLS     each row by its weight
 *   KAN_SHAPE_CLASSES   the same
 *   KAN_SHAPE_SIZES     people in place of rows
 *   KAN_SHAPE_NUMBER    the same
 *   KAN_SHAPE_LEVELS    as it is: it counts neither
 *
 * What is made has no shape: searches that count, bound or prove by one do so for rows. */
#include <stdio.h>
#include <string.h>

#include "cost/cost.h"
#include "group/person_sums.h"

typedef struct {
    const kan_cost_kind *of_rows;
    void *state; /* of that, over `weighed` */
    uint64_t k, all;
    kan_problem weighed; /* the problem, were each row there as often as it weighs parts */
} people_cost;

/* ---- what it measures ----------------------------------------------------------------------- */

static const kan_person_sums *sums_of(const kan_groups *groups) {
    KAN_ASSERT(groups->sums != NULL);
    return groups->sums;
}

/* The cost of rows over so many more of them. */
static kan_score measure_cells(const void *state, const kan_groups *groups) {
    const people_cost *cost = state;
    const kan_person_sums *sums = sums_of(groups);
    const kan_groups weighed = {
        .n_rows = sums->n_rows, .n_suppressed = sums->n_suppressed, .loss = sums->loss};
    return cost->of_rows->measure(cost->state, &weighed);
}

/* Every row weighs something, and none gives up less above `low`, or when it is left out. Which rows
 * are lost is not looked at. */
static kan_score bound_cells(const void *state, const kan_groups *low, uint64_t n_lost) {
    const people_cost *cost = state;
    const kan_groups weighed = {.n_rows = cost->all, .levels = low->levels};
    (void)n_lost;
    return cost->of_rows->bound(cost->state, &weighed, 0);
}

static kan_score measure_classes(const void *state, const kan_groups *groups) {
    const kan_person_sums *sums = sums_of(groups);
    const kan_u128 parts = (kan_u128)sums->minority + sums->n_suppressed;
    (void)state;
    return kan_score_units(parts, (double)parts / (double)sums->one);
}

static kan_score measure_sizes(const void *state, const kan_groups *groups) {
    const kan_person_sums *sums = sums_of(groups);
    (void)state;
    return kan_score_whole(sums->squares + (kan_u128)sums->n_left * sums->n_people);
}

static kan_score measure_number(const void *state, const kan_groups *groups) {
    const people_cost *cost = state;
    const kan_person_sums *sums = sums_of(groups);
    const uint64_t n_classes = sums->n_groups + (sums->n_left > 0);
    const uint64_t heads = sums->heads + sums->n_left;
    return kan_score_real(n_classes > 0 ? (double)heads / (double)n_classes / (double)cost->k : 0);
}

/* ---- how it is made ------------------------------------------------------------------------- */

/* What a shape becomes; without a measure: nothing that is known. */
static kan_cost_kind form_of(const kan_cost_kind *kind) {
    kan_cost_kind form = {.kind = kind->kind, .of_rows = kind, .needs_class = kind->needs_class};
    switch (kind->shape) {
    case KAN_SHAPE_CELLS:
        form.measure = measure_cells;
        form.bound = kind->bound && kind->bound_is_by_levels ? bound_cells : NULL;
        form.bound_is_by_levels = form.bound != NULL;
        form.grows_with_losses = kind->grows_with_losses;
        form.uses_weights = kind->uses_weights;
        break;
    case KAN_SHAPE_CLASSES:
        form.measure = measure_classes;
        form.grows_with_losses = kind->grows_with_losses;
        break;
    case KAN_SHAPE_SIZES:
        form.measure = measure_sizes;
        form.kind.summary = "for each person of a group, how many people are in it, summed up; all "
                            "people for each of whom a row was left out";
        break;
    case KAN_SHAPE_NUMBER:
        form.measure = measure_number;
        form.kind.summary = "people per group, divided by k; all of whom a row was left out count "
                            "as one group";
        break;
    default:
        break;
    }
    return form;
}

/* What costs of single rows are called, whose words say nothing of people. */
static kan_status say_weighed(kan_arena *arena, const char *summary, const char **out) {
    static const char by[] = "; a row is weighed by 1 / the rows of its person";
    const size_t size = strlen(summary) + sizeof by;
    char *text;
    KAN_TRY(kan_arena_alloc(arena, size, 1, &text));
    snprintf(text, size, "%s%s", summary, by);
    *out = text;
    return KAN_OK;
}

kan_status kan_cost_by_people(kan_arena *arena, const kan_cost_kind *kind,
                              const kan_cost_kind **out) {
    const kan_cost_kind form = form_of(kind);
    kan_cost_kind *made;
    *out = kind->shape == KAN_SHAPE_LEVELS ? kind : NULL;
    if (!form.measure)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    *made = form;
    if (kind->shape == KAN_SHAPE_CELLS || kind->shape == KAN_SHAPE_CLASSES)
        KAN_TRY(say_weighed(arena, kind->kind.summary, &made->kind.summary));
    *out = made;
    return KAN_OK;
}

kan_status kan_people_cost_create(kan_run *run, kan_arena *arena, const kan_cost_kind *kind,
                                  const kan_options *options, uint64_t k,
                                  const kan_problem *problem, void **out) {
    people_cost *cost;
    KAN_ASSERT(problem->weights_of != NULL);
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *cost, &cost));
    *cost = (people_cost){
        .of_rows = kind->of_rows, .k = k, .all = problem->weights_of->all, .weighed = *problem};
    cost->weighed.n_rows = cost->all;
    for (unsigned a = 0; a < problem->space.n_attributes; a++)
        cost->weighed.share_sums[a] = problem->weights_of->share_sums[a];
    KAN_TRY(kind->of_rows->create(run, arena, options, k, &cost->weighed, &cost->state));
    *out = cost;
    return KAN_OK;
}

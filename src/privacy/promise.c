/* The promise: several models at once. */
#include <string.h>

#include "privacy/privacy.h"

void kan_promise_init(kan_promise *promise, uint64_t limit) {
    *promise = (kan_promise){.limit = limit,
                             .least_size = 1,
                             .least_told = 1,
                             .k = 1,
                             .spared_size = 1,
                             .size_decides = true,
                             .people_decide = true,
                             .survives_merge = true,
                             .absorbs_any = true};
}

void kan_privacy_flags(const kan_privacy_kind *kind, const void *state, bool *survives_merge,
                       bool *absorbs_any) {
    *survives_merge = kind->survives_merge;
    *absorbs_any = kind->absorbs_any;
    if (kind->flags)
        kind->flags(state, survives_merge, absorbs_any);
}

/* A model of which the state is there. */
/* Whoever may leave with rows of other groups makes these smaller, whether people or rows are counted. */
static void add_made(kan_promise *promise, const kan_privacy_kind *kind, void *state,
                     bool has_person, bool counts_people) {
    promise->models[promise->n_models].kind = kind;
    promise->models[promise->n_models].state = state;
    promise->n_models++;
    uint64_t least = kind->least_size(state);
    promise->least_size = least > promise->least_size ? least : promise->least_size;
    if (!kind->size_is_of_rows)
        promise->least_told = least > promise->least_told ? least : promise->least_told;
    promise->k = kind->size_decides && least > promise->k ? least : promise->k;
    const uint64_t spared = kind->spared_size    ? kind->spared_size(state)
                            : kind->size_decides ? least
                                                 : UINT64_MAX;
    promise->spared_size = spared > promise->spared_size ? spared : promise->spared_size;
    promise->size_decides &= kind->size_decides && !has_person;
    promise->people_decide &=
        counts_people &&
        (kind->size_decides ||
         (kind->values_decide && kind->values_decide(state, promise->least_values)));
    promise->needs_tallies |= kind->needs_tallies;
    bool survives_merge, absorbs_any;
    kan_privacy_flags(kind, state, &survives_merge, &absorbs_any);
    /* Whoever is left out by a node, and by one above it not, may raise what all have on average. */
    absorbs_any &= !(has_person && kind->holds_people);
    survives_merge &= absorbs_any || !counts_people || kind->holds_people;
    promise->survives_merge &= survives_merge;
    promise->absorbs_any &= absorbs_any;
    promise->is_of_table |= kan_privacy_is_of_table(kind) && !has_person;
    KAN_ASSERT(!(kind->risk_of && promise->is_by_risk));
    promise->is_by_risk |= kind->risk_of != NULL;
    promise->needs_room |= kind->needs_room;
    promise->weighs_people |= kind->holds_people && has_person;
    promise->holds_households |= kind->household_part != NULL;
    promise->is_relative |= kind->is_relative;
}

kan_status kan_promise_add(kan_promise *promise, kan_run *run, kan_arena *arena,
                           const kan_privacy_kind *kind, const kan_options *options,
                           const kan_problem *problem) {
    if (promise->n_models == KAN_MAX_MODELS)
        return kan_fail(run, KAN_BAD_INPUT, "more than %d privacy models at once", KAN_MAX_MODELS);
    const bool has_person = problem && problem->has_person;
    void *state;
    const bool counts_people = problem && kan_problem_counts_people(problem);
    if (counts_people && !kind->counts_people)
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--person: %s counts rows, and has no meaning for people yet; leave one of the two out",
            kind->kind.name);
    KAN_TRY(kind->create(run, arena, options, problem, &state));
    add_made(promise, kind, state, has_person, counts_people);
    return KAN_OK;
}

/* Who leaves at a node left below it, and a group of as many rows keeps all of it by itself. */
void kan_promise_take_subsets(kan_promise *promise, const kan_column_sets *subsets) {
    const uint64_t most = kan_column_sets_most_k(subsets);
    promise->subsets = subsets;
    promise->size_decides = promise->people_decide = false;
    promise->spared_size = most > promise->spared_size ? most : promise->spared_size;
}

void kan_promise_by_size(const kan_promise *promise, kan_promise *out) {
    kan_promise_init(out, promise->limit);
    for (unsigned m = 0; m < promise->n_models; m++)
        if (promise->models[m].kind->size_decides)
            add_made(out, promise->models[m].kind, promise->models[m].state, false, false);
}

kan_status kan_promise_check_possible(const kan_promise *promise, kan_run *run,
                                      const kan_problem *problem) {
    for (unsigned m = 0; m < promise->n_models; m++) {
        const kan_privacy_kind *kind = promise->models[m].kind;
        /* What is certain of the table as a whole is certain because its groups add up to it. */
        if (kind->check_possible && !problem->has_person)
            KAN_TRY(kind->check_possible(run, promise->models[m].state, problem, promise->limit));
    }
    return KAN_OK;
}

bool kan_promise_is_monotone(const kan_promise *promise) {
    return promise->absorbs_any || (promise->survives_merge && promise->limit == 0);
}

bool kan_promise_limits(const kan_promise *promise, unsigned tail, uint32_t value) {
    for (unsigned m = 0; m < promise->n_models; m++) {
        const kan_privacy_kind *kind = promise->models[m].kind;
        if (!kind->size_decides &&
            (!kind->limits || kind->limits(promise->models[m].state, tail, value)))
            return true;
    }
    return false;
}

uint64_t kan_promise_small_rows(const kan_promise *promise, const kan_groups *groups,
                                uint64_t enough) {
    enum { BLOCK = 1024 };
    const uint64_t least = promise->least_size;
    uint64_t rows = 0;
    KAN_ASSERT(kan_groups_is_fresh(groups));
    for (size_t first = 0; first < groups->n_groups && rows <= enough; first += BLOCK) {
        size_t end = groups->n_groups - first < BLOCK ? groups->n_groups : first + BLOCK;
        for (size_t g = first; g < end; g++)
            rows += groups->count[g] < least ? groups->count[g] : 0;
    }
    return rows;
}

void kan_promise_check_some(const kan_promise *promise, const kan_groups *groups, size_t first,
                            size_t end, uint8_t *ok) {
    KAN_ASSERT(kan_groups_is_fresh(groups));
    for (unsigned m = 0; m < promise->n_models; m++)
        if (promise->models[m].kind->check)
            promise->models[m].kind->check(promise->models[m].state, groups, first, end, ok);
}

bool kan_promise_weighs(const kan_promise *promise, const kan_people_left *left) {
    for (unsigned m = 0; m < promise->n_models; m++)
        if (promise->models[m].kind->holds_people &&
            !promise->models[m].kind->holds_people(promise->models[m].state, left))
            return false;
    return true;
}

static bool model_passes(const kan_promise *promise, unsigned m, const kan_groups *groups, size_t g,
                         uint8_t *ok) {
    ok[g] = 1;
    promise->models[m].kind->check(promise->models[m].state, groups, g, g + 1, ok);
    const bool passes = ok[g];
    ok[g] = 0;
    return passes;
}

/* Of one model. What absorbs anything, and fails, has no part that passes. */
static uint64_t model_excess(const kan_promise *promise, unsigned m, const kan_groups *groups,
                             size_t g, uint8_t *ok) {
    const kan_privacy_kind *kind = promise->models[m].kind;
    bool survives_merge, absorbs_any;
    kan_privacy_flags(kind, promise->models[m].state, &survives_merge, &absorbs_any);
    if (!kind->check || !survives_merge)
        return 0;
    if (kind->excess && !absorbs_any)
        return kind->excess(promise->models[m].state, groups, g);
    if (model_passes(promise, m, groups, g, ok))
        return 0;
    return absorbs_any ? groups->count[g] : 1;
}

/* Where merges are survived, all parts that pass would pass together: one row at least is in none. */
uint64_t kan_promise_excess(const kan_promise *promise, const kan_groups *groups, size_t g,
                            uint8_t *ok) {
    uint64_t most = 0;
    KAN_ASSERT(kan_groups_is_fresh(groups));
    if (groups->count[g] < promise->least_size)
        return groups->count[g];
    for (unsigned m = 0; m < promise->n_models; m++) {
        const uint64_t here = model_excess(promise, m, groups, g, ok);
        most = here > most ? here : most;
    }
    most = most == 0 && promise->survives_merge ? 1 : most;
    return most < groups->count[g] ? most : groups->count[g];
}

static bool holds_groups(const kan_promise *promise, const kan_groups *groups,
                         const uint8_t *is_released) {
    for (unsigned m = 0; m < promise->n_models; m++) {
        const kan_privacy_kind *kind = promise->models[m].kind;
        if (kind->holds_groups &&
            !kind->holds_groups(promise->models[m].state, groups, is_released))
            return false;
    }
    return true;
}

/* Without the groups of one row others may not hold any more, and leave out further ones. */
static void settle(const kan_promise *promise, const kan_groups *groups, uint8_t *is_released) {
    kan_promise_settle(promise, groups, is_released);
    if (holds_groups(promise, groups, is_released))
        return;
    for (size_t g = 0; g < groups->n_groups; g++)
        if (groups->count[g] == 1)
            is_released[g] = 0;
    kan_promise_settle(promise, groups, is_released);
}

void kan_promise_check(const kan_promise *promise, kan_groups *groups, uint8_t *is_released) {
    memset(is_released, 1, groups->n_groups);
    kan_promise_check_some(promise, groups, 0, groups->n_groups, is_released);
    if (promise->is_of_table)
        settle(promise, groups, is_released);
    groups->is_released = is_released;
    groups->n_released_groups = 0;
    groups->n_suppressed = 0;
    for (size_t g = 0; g < groups->n_groups; g++) {
        groups->n_released_groups += is_released[g];
        groups->n_suppressed += is_released[g] ? 0 : groups->count[g];
    }
    groups->n_left_out = groups->n_suppressed;
}

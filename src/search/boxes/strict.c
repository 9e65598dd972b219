/* Checking single nodes against the whole promise: see strict.h. */
#include "search/boxes/strict.h"

#include <math.h>
#include <string.h>

static bool has_model_of_people(const kan_promise *promise) {
    for (unsigned m = 0; m < promise->n_models; m++)
        if (promise->models[m].kind->needs_people)
            return true;
    return false;
}

/* Values can be counted without sets, and groups pass or fail each by itself. */
static bool counts_values(const kan_question *question) {
    return question->promise->needs_tallies && !question->promise->is_of_table &&
           !question->promise->subsets && !question->problem->has_person &&
           !has_model_of_people(question->promise);
}

bool kan_strict_fits(const kan_question *question) {
    const kan_cost_kind *cost = question->objective->kind;
    return counts_values(question) && cost->grows_with_losses && !cost->needs_class;
}

kan_status kan_strict_init(kan_strict *strict, const kan_question *question,
                           kan_workspace *workspace) {
    const kan_problem *problem = question->problem;
    *strict = (kan_strict){.question = question,
                           .workspace = workspace,
                           .is_monotone = kan_promise_is_monotone(question->promise),
                           .looks_early = counts_values(question),
                           .base = &problem->base};
    for (unsigned t = 0; t < problem->space.n_tails; t++)
        if (problem->class_tail != (int)t || question->objective->kind->needs_class)
            strict->wanted |= 1u << t;
    kan_viewer_init(&strict->viewer, problem);
    kan_tallies_init(&strict->tallies, problem);
    return KAN_OK;
}

void kan_strict_destroy(kan_strict *strict) {
    if (!strict->question)
        return;
    kan_run *run = strict->question->problem->run;
    for (size_t i = 0; strict->sets && i < strict->set_room; i++)
        kan_freqset_destroy(run, &strict->sets[i].set);
    kan_free(run, strict->sets);
    kan_freqset_destroy(run, &strict->scratch);
    kan_tallies_destroy(&strict->tallies);
    kan_viewer_destroy(&strict->viewer);
    kan_free(run, strict->is_released);
    *strict = (kan_strict){.question = NULL};
}

void kan_strict_restart(kan_strict *strict) {
    strict->n_sets = 0;
    strict->n_asked = 0;
    strict->n_kept = strict->n_broken = 0;
    strict->is_checked = false;
}

bool kan_strict_has(const kan_strict *strict, const unsigned *levels) {
    return strict->is_checked &&
           memcmp(strict->levels, levels,
                  strict->question->problem->space.n_attributes * sizeof *levels) == 0;
}

/* ---- sets ----------------------------------------------------------------------------------- */

/* Whether every attribute of a set stands at or below levels[]; and whether all stand there. */
static bool is_below(const kan_space *space, const kan_freqset *set, const unsigned *levels,
                     bool *is_there) {
    *is_there = true;
    for (unsigned f = 0; f < set->layout.n_fields; f++) {
        const kan_key_field *field = &set->layout.fields[f];
        if (field->dimension >= space->n_attributes)
            continue;
        if (field->level > levels[field->dimension])
            return false;
        *is_there &= field->level == levels[field->dimension];
    }
    return true;
}

/* The set at or below a node that was made last. */
static const kan_freqset *last_set(const kan_strict *strict) {
    return strict->n_sets > 0 ? &strict->sets[strict->n_sets - 1].set : strict->base;
}

/* How many groups its attributes make, at most. */
static size_t last_groups(const kan_strict *strict) {
    return strict->n_sets > 0 ? strict->sets[strict->n_sets - 1].n_groups : strict->base->n;
}

static kan_status push_set(kan_strict *strict, const unsigned *levels, size_t n_groups,
                           kan_effort *effort) {
    const kan_problem *problem = strict->question->problem;
    const size_t room = strict->set_room;
    KAN_TRY(kan_reserve(problem->run, strict->n_sets + 1, sizeof *strict->sets, &strict->set_room,
                        &strict->sets));
    if (strict->set_room > room)
        memset(strict->sets + room, 0, (strict->set_room - room) * sizeof *strict->sets);
    const kan_freqset *from = last_set(strict);
    effort->n_rollups++;
    effort->n_tuples += from->n;
    kan_freqset *made = &strict->sets[strict->n_sets].set;
    KAN_TRY(kan_freqset_rollup(&problem->space, from, levels, strict->workspace, made));
    strict->sets[strict->n_sets++].n_groups = n_groups;
    return kan_run_memory_budget(problem->run) > 0 ? kan_freqset_trim(problem->run, made) : KAN_OK;
}

/* Whether somebody has asked from there so often that a set pays, which costs several counts. Groups
 * merge sooner than pairs of a group and a value: where a share r of the groups is left, about the
 * root of r is left of the pairs. */
static bool is_asked_often(kan_strict *strict, const unsigned *levels, size_t n_groups) {
    enum { OFTEN = 2 };
    const double left = sqrt((double)n_groups / (double)last_groups(strict));
    const size_t size = strict->question->problem->space.n_attributes * sizeof *levels;
    if (memcmp(strict->near, levels, size) != 0)
        strict->n_asked = 0;
    memcpy(strict->near, levels, size);
    return ++strict->n_asked * (1 - left) >= OFTEN;
}

/* The set with values to count from: the one at the levels of `near`, where it is there or pays, or
 * the last one below them. */
static kan_status find_set(kan_strict *strict, const kan_freqset *near, kan_effort *effort,
                           const kan_freqset **out) {
    const kan_problem *problem = strict->question->problem;
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    bool is_there;
    for (unsigned f = 0; f < near->layout.n_fields; f++)
        if (near->layout.fields[f].dimension < problem->space.n_attributes)
            levels[near->layout.fields[f].dimension] = near->layout.fields[f].level;
    while (!is_below(&problem->space, last_set(strict), levels, &is_there))
        strict->n_sets--;
    const kan_freqset *last = last_set(strict);
    const uint64_t bytes =
        10 * (uint64_t)(last->n + 1) * (last->layout.n_words + 1) * sizeof(uint64_t);
    if (!is_there && is_asked_often(strict, levels, near->n) &&
        kan_run_memory_left(problem->run) >= bytes)
        KAN_TRY(push_set(strict, levels, near->n, effort));
    *out = last_set(strict);
    return KAN_OK;
}

/* ---- checking ------------------------------------------------------------------------------- */

/* What the groups first .. end-1 that are large enough add to what fails. */
static void add_failing(kan_strict *strict, size_t first, size_t end) {
    const kan_groups *groups = &strict->groups;
    const kan_promise *promise = strict->question->promise;
    for (size_t g = first; g < end; g++) {
        if (strict->is_released[g] || groups->count[g] < promise->least_size)
            continue;
        strict->n_failing += groups->count[g];
        strict->n_least += strict->is_monotone
                               ? groups->count[g]
                               : kan_promise_excess(promise, groups, g, strict->is_released);
    }
}

/* Small groups fail at once, the others a few at a time, until more fail than is of interest. */
static void check_groups(kan_strict *strict, uint64_t enough) {
    enum { BLOCK = 32 };
    const kan_promise *promise = strict->question->promise;
    const size_t n = strict->groups.n_groups;
    for (size_t g = 0; g < n; g++) {
        const uint64_t rows = strict->groups.count[g];
        strict->is_released[g] = rows >= promise->least_size;
        strict->n_failing += rows >= promise->least_size ? 0 : rows;
    }
    strict->n_least = strict->n_failing;
    for (size_t first = 0, end; first < n && strict->n_least <= enough; first = end) {
        end = n - first < BLOCK ? n : first + BLOCK;
        if (strict->is_by_tallies)
            kan_tallies_list(&strict->tallies, end);
        kan_promise_check_some(promise, &strict->groups, first, end, strict->is_released);
        add_failing(strict, first, end);
    }
}

/* The node's groups, counted from a set with values. */
static kan_status count_node(kan_strict *strict, const kan_freqset *from, const unsigned *levels,
                             kan_effort *effort) {
    bool fits;
    effort->n_rollups++;
    effort->n_tuples += from->n;
    KAN_TRY(kan_tallies_count(&strict->tallies, from, levels, strict->wanted, strict->workspace,
                              &fits));
    if (fits)
        KAN_TRY(kan_tallies_tell(&strict->tallies, strict->question->promise->least_size, &fits));
    strict->is_by_tallies = fits;
    strict->groups = (kan_groups){.n_groups = strict->tallies.n,
                                  .n_rows = strict->question->problem->n_rows,
                                  .count = strict->tallies.counts,
                                  .tallies = strict->tallies.tallies,
                                  .levels = strict->levels};
    kan_groups_borrow(&strict->groups, &strict->tallies.edition);
    return KAN_OK;
}

/* The node's groups, seen in its set. */
static kan_status make_node(kan_strict *strict, const unsigned *levels, kan_effort *effort) {
    effort->n_rollups++;
    effort->n_tuples += strict->base->n;
    KAN_TRY(kan_freqset_rollup(&strict->question->problem->space, strict->base, levels,
                               strict->workspace, &strict->scratch));
    return kan_viewer_groups(&strict->viewer, &strict->scratch, &strict->groups);
}

static void check_by_set(kan_strict *strict) {
    kan_promise_check(strict->question->promise, &strict->groups, strict->is_released);
    strict->n_failing = strict->n_least = strict->groups.n_left_out;
    if (strict->is_monotone || strict->n_failing == 0)
        return;
    strict->n_least = 0;
    for (size_t g = 0; g < strict->groups.n_groups && strict->looks_early; g++)
        if (!strict->is_released[g])
            strict->n_least += kan_promise_excess(strict->question->promise, &strict->groups, g,
                                                  strict->is_released);
}

kan_status kan_strict_check_from(kan_strict *strict, const kan_freqset *from,
                                 const unsigned *levels, uint64_t enough, kan_effort *effort) {
    const kan_problem *problem = strict->question->problem;
    strict->is_checked = strict->is_by_tallies = false;
    strict->n_failing = strict->n_least = 0;
    memcpy(strict->levels, levels, problem->space.n_attributes * sizeof *levels);
    if (from)
        KAN_TRY(count_node(strict, from, levels, effort));
    if (!strict->is_by_tallies)
        KAN_TRY(make_node(strict, levels, effort));
    KAN_TRY(kan_reserve(problem->run, strict->groups.n_groups + 1, 1, &strict->flag_room,
                        &strict->is_released));
    if (strict->is_by_tallies)
        check_groups(strict, enough);
    else
        check_by_set(strict);
    strict->is_checked = true;
    const bool is_kept = strict->n_failing <= strict->question->promise->limit;
    strict->n_kept += is_kept;
    strict->n_broken += !is_kept;
    return KAN_OK;
}

kan_status kan_strict_check(kan_strict *strict, const kan_freqset *near, const unsigned *levels,
                            uint64_t enough, kan_effort *effort) {
    const kan_freqset *from = NULL;
    if (strict->looks_early)
        KAN_TRY(find_set(strict, near, effort, &from));
    return kan_strict_check_from(strict, from, levels, enough, effort);
}

void kan_strict_note_dear(kan_strict *strict) {
    KAN_ASSERT(strict->is_checked);
    strict->n_kept -= strict->n_kept > 0;
    strict->n_broken++;
}

const kan_groups *kan_strict_groups(kan_strict *strict) {
    const kan_cost_kind *cost = strict->question->objective->kind;
    kan_groups *groups = &strict->groups;
    KAN_ASSERT(strict->is_checked && kan_groups_is_fresh(groups));
    if (!strict->is_by_tallies) {
        if (cost->needs_loss)
            kan_viewer_loss(&strict->viewer, &strict->scratch, groups);
        return groups;
    }
    groups->is_released = strict->is_released;
    groups->n_suppressed = groups->n_left_out = strict->n_failing;
    groups->n_released_groups = 0;
    for (size_t g = 0; g < groups->n_groups; g++)
        groups->n_released_groups += strict->is_released[g];
    if (cost->needs_loss) {
        kan_tallies_loss(&strict->tallies, groups, strict->loss);
        groups->loss = strict->loss;
    }
    return groups;
}

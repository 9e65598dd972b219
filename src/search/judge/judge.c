/* The judge: checking, measuring, concluding. */
#include "search/judge/judge.h"

#include <math.h>
#include <string.h>

bool kan_found_is_better(const kan_found *a, const kan_found *b) {
    if (!a->is_found || !b->is_found)
        return a->is_found;
    int order = kan_score_compare(&a->score, &b->score);
    if (order != 0)
        return order < 0;
    if (a->height != b->height)
        return a->height < b->height;
    return memcmp(a->levels, b->levels, sizeof a->levels) < 0;
}

void kan_judge_init(kan_judge *judge, const kan_question *question) {
    *judge = (kan_judge){.question = question, .least_suppressed = UINT64_MAX};
    kan_viewer_init(&judge->viewer, question->problem);
    kan_leavers_init(&judge->leavers, question->problem);
    kan_person_summer_init(&judge->summer, question->problem);
}

void kan_judge_destroy(kan_judge *judge) {
    if (!judge->question)
        return;
    kan_viewer_destroy(&judge->viewer);
    kan_leavers_destroy(&judge->leavers);
    kan_person_summer_destroy(&judge->summer);
}

uint64_t kan_judge_enough(const kan_judge *judge) {
    const uint64_t limit = judge->question->promise->limit;
    return limit < judge->least_suppressed ? judge->least_suppressed : limit;
}

/* Counting small groups settles most nodes, and all of them when size decides. Beyond `enough` the
 * number of failing rows need not be exact. */
static uint64_t count_failing(kan_judge *judge, kan_groups *groups, uint64_t enough) {
    const kan_promise *promise = judge->question->promise;
    uint64_t failing = kan_promise_small_rows(promise, groups, enough);
    bool is_open =
        promise->size_decides ? failing > 0 && failing <= promise->limit : failing <= enough;
    if (!is_open)
        return failing;
    kan_promise_check(promise, groups, judge->viewer.is_released);
    return groups->n_left_out;
}

/* Groups that are checked as far as `enough`, and what they leave out. */
static kan_status check(kan_judge *judge, const kan_freqset *set, uint64_t enough, kan_groups *out,
                        uint64_t *n_failing) {
    if (kan_leavers_decide(judge->question->problem, judge->question->promise)) {
        KAN_TRY(kan_leavers_check(&judge->leavers, judge->question->promise, set, enough,
                                  &judge->viewer, out));
        *n_failing = out->n_left_out;
        return KAN_OK;
    }
    KAN_TRY(kan_viewer_groups(&judge->viewer, set, out));
    *n_failing = count_failing(judge, out, enough);
    return KAN_OK;
}

kan_status kan_judge_see(kan_judge *judge, const kan_freqset *set, kan_groups *out) {
    return kan_leavers_see(&judge->leavers, judge->question->promise, set, &judge->viewer, out);
}

/* What a row costs at least follows from the size of its group. Where people leave, some rows of a
 * group may stay while others do not; the bound then holds while the group is no more than half of
 * the table, because a row that leaves costs all of it. */
bool kan_judge_can_bound(const kan_judge *judge, const kan_groups *low) {
    const kan_promise *promise = judge->question->promise;
    if (!kan_leavers_thin(judge->question->problem, promise) || promise->limit == 0 ||
        judge->question->objective->kind->bound_is_by_levels)
        return true;
    KAN_ASSERT(kan_groups_is_fresh(low));
    for (size_t g = 0; g < low->n_groups; g++)
        if (low->count[g] > low->n_rows / 2)
            return false;
    return true;
}

bool kan_judge_is_hopeless(const kan_judge *judge, const kan_score *bound, const uint8_t *low) {
    const kan_found *best = &judge->best;
    const unsigned n = judge->question->problem->space.n_attributes;
    if (!best->is_found)
        return false;
    /* Scores that were rounded are compared with a margin. */
    if (!bound->is_exact || !best->score.is_exact)
        return bound->real > best->score.real + fabs(best->score.real) * 1e-9;
    if (bound->whole != best->score.whole)
        return bound->whole > best->score.whole;
    unsigned height = 0;
    for (unsigned a = 0; a < n; a++)
        height += low[a];
    /* Among equal costs height and vector decide, and `low` is first in both. */
    return height != best->height ? height > best->height : memcmp(low, best->levels, n) >= 0;
}

void kan_judge_measure_groups(kan_judge *judge, const kan_groups *groups) {
    const kan_objective *objective = judge->question->objective;
    const unsigned n = judge->question->problem->space.n_attributes;
    KAN_ASSERT(groups->n_left_out <= judge->question->promise->limit);
    if (groups->n_released_groups == 0 && judge->question->wants_release)
        return;
    kan_found here = {.is_found = true, .score = kan_objective_measure(objective, groups)};
    for (unsigned a = 0; a < n; a++) {
        here.levels[a] = (uint8_t)groups->levels[a];
        here.height += groups->levels[a];
    }
    if (kan_found_is_better(&here, &judge->best))
        judge->best = here;
}

kan_status kan_judge_sum_people(kan_judge *judge, kan_groups *groups) {
    return judge->question->problem->weights_of ? kan_person_summer_groups(&judge->summer, groups)
                                                : KAN_OK;
}

static kan_status measure(kan_judge *judge, const kan_freqset *set, kan_groups *groups) {
    const bool needs_loss = judge->question->objective->kind->needs_loss;
    if (kan_leavers_thin(judge->question->problem, judge->question->promise) &&
        groups->n_suppressed > 0) {
        const kan_freqset *kept;
        KAN_TRY(kan_leavers_keep(&judge->leavers, set, &judge->viewer, groups, &kept));
        if (needs_loss)
            kan_viewer_sum_loss(&judge->viewer, kept, groups);
    } else if (needs_loss) {
        kan_viewer_loss(&judge->viewer, set, groups);
    }
    if (judge->question->objective->kind->of_rows)
        KAN_TRY(kan_judge_sum_people(judge, groups));
    kan_judge_measure_groups(judge, groups);
    return KAN_OK;
}

kan_status kan_judge_node(kan_judge *judge, const kan_freqset *set, bool *satisfies) {
    kan_groups groups;
    uint64_t failing;
    KAN_TRY(check(judge, set, kan_judge_enough(judge), &groups, &failing));
    if (failing < judge->least_suppressed)
        judge->least_suppressed = failing;
    *satisfies = failing <= judge->question->promise->limit;
    return *satisfies ? measure(judge, set, &groups) : KAN_OK;
}

kan_status kan_judge_subset(kan_judge *judge, const kan_freqset *set, bool *satisfies) {
    kan_groups groups;
    const uint64_t limit = judge->question->promise->limit;
    uint64_t failing;
    KAN_TRY(check(judge, set, limit, &groups, &failing));
    *satisfies = failing <= limit;
    return KAN_OK;
}

void kan_judge_merge(kan_judge *judge, const kan_judge *other) {
    if (kan_found_is_better(&other->best, &judge->best))
        judge->best = other->best;
    if (other->least_suppressed < judge->least_suppressed)
        judge->least_suppressed = other->least_suppressed;
}

void kan_judge_answer(const kan_judge *judge, bool is_optimal, kan_answer *answer) {
    const kan_found *best = &judge->best;
    const unsigned n = judge->question->problem->space.n_attributes;
    answer->is_found = best->is_found;
    answer->is_optimal = best->is_found && is_optimal;
    answer->score = best->score;
    answer->bound = best->score.real;
    answer->least_suppressed = judge->least_suppressed;
    answer->recoding = (kan_recoding){.type = KAN_RECODING_LEVELS, .n_attributes = n};
    for (unsigned a = 0; a < n; a++)
        answer->recoding.levels[a] = best->levels[a];
}

/* The first of the nodes that satisfy, as many as are wanted. */
static kan_status list_nodes(const kan_judge *judge, const kan_lattice *lattice,
                             const uint64_t *satisfies, kan_answer *answer) {
    const size_t wanted = judge->question->n_wanted, width = lattice->n_attributes;
    const size_t n = wanted < answer->n_anonymous ? wanted : (size_t)answer->n_anonymous;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    KAN_TRY(kan_alloc(judge->question->problem->run, n * width, 1, &answer->satisfying));
    for (uint64_t node = 0; answer->n_satisfying < n; node++) {
        if (!kan_bit(satisfies, node))
            continue;
        kan_lattice_levels(lattice, node, levels);
        for (unsigned a = 0; a < lattice->n_attributes; a++)
            answer->satisfying[answer->n_satisfying * width + a] = (uint8_t)levels[a];
        answer->n_satisfying++;
    }
    return KAN_OK;
}

kan_status kan_judge_space(const kan_judge *judge, const kan_lattice *lattice,
                           const uint64_t *satisfies, kan_answer *answer) {
    kan_run *run = judge->question->problem->run;
    answer->is_complete = true;
    answer->n_nodes = lattice->n_nodes;
    answer->n_anonymous = 0;
    for (uint64_t word = 0; word <= lattice->n_nodes / 64; word++)
        answer->n_anonymous += (uint64_t)__builtin_popcountll(satisfies[word]);
    const bool is_monotone = kan_promise_is_monotone(judge->question->promise);
    kan_status status = KAN_OK;
    KAN_ASSERT(answer->n_anonymous <= lattice->n_nodes);
    if (judge->question->wants_failing)
        status = is_monotone ? kan_lattice_border(run, lattice, satisfies, false,
                                                  &answer->n_failing, &answer->failing)
                             : kan_lattice_failing(run, lattice, satisfies, &answer->n_failing,
                                                   &answer->failing);
    if (status == KAN_OK)
        status = is_monotone ? kan_lattice_border(run, lattice, satisfies, true, &answer->n_minimal,
                                                  &answer->minimal)
                             : kan_lattice_minimal(run, lattice, satisfies, &answer->n_minimal,
                                                   &answer->minimal);
    if (status == KAN_OK && judge->question->n_wanted > 0)
        status = list_nodes(judge, lattice, satisfies, answer);
    if (status != KAN_OK)
        kan_answer_destroy(run, answer);
    return status;
}

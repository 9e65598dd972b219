/* What a search over regions found, where people are counted: the groups as piles of people, made of
 * the base again. Every group has to keep the promise, and whoever is left out is within the limit
 * and, by person, has no released row. O(tuples). */
#include <stdlib.h>

#include "group/piles.h"
#include "job/solution/solution.h"

/* The tuples of each group, each as often as it has portions there. */
typedef struct {
    size_t *start; /* by group, and one more */
    uint32_t *tuples;
} tuple_lists;

static kan_status list_tuples(const kan_solution *solution, tuple_lists *out) {
    kan_run *run = solution->setup->run;
    kan_group_parts of = {NULL, NULL};
    kan_status status = kan_solution_list_parts(solution, &of);
    const size_t n = status == KAN_OK ? of.start[solution->by_group.n_groups] : 0;
    if (status == KAN_OK)
        status = kan_alloc(run, n, sizeof *out->tuples, &out->tuples);
    for (size_t i = 0; status == KAN_OK && i < n; i++)
        out->tuples[i] = (uint32_t)of.parts[i].tuple;
    kan_free(run, of.parts);
    out->start = of.start;
    return status;
}

/* The people of the smallest group of each, and of the smallest of all. */
static kan_status find_near(kan_solution *solution, const kan_owners *owners,
                            const tuple_lists *lists, const kan_groups *heads, size_t n_released) {
    KAN_TRY(kan_alloc_zero(solution->setup->run, (size_t)solution->problem->n_people,
                           sizeof *solution->people_near, &solution->people_near));
    solution->fewest_people = 0;
    for (size_t g = 0; g < n_released; g++) {
        const uint64_t n = heads->count[g];
        if (solution->fewest_people == 0 || n < solution->fewest_people)
            solution->fewest_people = n;
        for (size_t i = lists->start[g]; i < lists->start[g + 1]; i++) {
            uint64_t *near = &solution->people_near[owners->person[lists->tuples[i]]];
            *near = *near == 0 || n < *near ? n : *near;
        }
    }
    return KAN_OK;
}

static int compare_owners(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The rows of each person in a group, once for each; pairs[]: person and tuple, in their order. */
static void step_group(const kan_solution *solution, uint64_t *pairs, size_t n, uint32_t group,
                       kan_histories *histories) {
    qsort(pairs, n, sizeof *pairs, compare_owners);
    for (size_t first = 0, end; first < n; first = end) {
        uint64_t n_rows = 0;
        for (end = first; end < n && pairs[end] >> 32 == pairs[first] >> 32; end++)
            n_rows += kan_problem_tuple_rows(solution->problem, (uint32_t)pairs[end]);
        kan_histories_step(histories, (uint32_t)(pairs[first] >> 32), group, n_rows);
    }
}

static kan_status compare_histories(const kan_solution *solution, const kan_owners *owners,
                                    const tuple_lists *lists, size_t n_released,
                                    kan_histories *histories, uint64_t *pairs) {
    const size_t n_people = (size_t)solution->problem->n_people;
    KAN_TRY(kan_histories_begin(histories, lists->start[n_released], n_people));
    for (size_t g = 0; g < n_released; g++) {
        for (size_t i = lists->start[g]; i < lists->start[g + 1]; i++)
            pairs[i] = (uint64_t)owners->person[lists->tuples[i]] << 32 | lists->tuples[i];
        step_group(solution, pairs + lists->start[g], lists->start[g + 1] - lists->start[g],
                   (uint32_t)g, histories);
    }
    return kan_histories_count(histories, n_people);
}

/* Histories: whoever has rows is near those who have the same. No tuple is divided. */
static kan_status check_histories(kan_solution *solution, const kan_owners *owners,
                                  const tuple_lists *lists, size_t n_released) {
    kan_run *run = solution->setup->run;
    kan_histories histories;
    uint64_t *pairs;
    KAN_ASSERT(solution->answer.recoding.regions->n_splits == 0);
    KAN_TRY(kan_alloc(run, lists->start[n_released], sizeof *pairs, &pairs));
    kan_histories_init(&histories, solution->problem);
    kan_status status = compare_histories(solution, owners, lists, n_released, &histories, pairs);
    solution->fewest_people = 0;
    for (uint32_t p = 0; status == KAN_OK && p < solution->problem->n_people; p++) {
        const uint64_t n = kan_histories_like(&histories, p);
        if (solution->people_near[p] == 0)
            continue;
        if (n < solution->setup->promise.k)
            status = kan_solution_fail_region(solution, "a history is that of too few people");
        solution->people_near[p] = n;
        if (solution->fewest_people == 0 || n < solution->fewest_people)
            solution->fewest_people = n;
    }
    kan_histories_destroy(&histories);
    kan_free(run, pairs);
    return status;
}

/* Of the rows in the last group, which are left out. */
static kan_status check_lost(kan_solution *solution, const kan_owners *owners,
                             const tuple_lists *lists, const kan_groups *heads, size_t lost) {
    const kan_promise *promise = &solution->setup->promise;
    kan_groups *groups = &solution->groups;
    groups->n_suppressed = groups->count[lost];
    groups->n_left_out = promise->by_person ? heads->count[lost] : groups->n_suppressed;
    if (groups->n_left_out > promise->limit)
        return kan_solution_fail_region(solution, "more is left out than may be");
    for (size_t i = lists->start[lost]; promise->by_person && i < lists->start[lost + 1]; i++)
        if (solution->people_near[owners->person[lists->tuples[i]]] > 0)
            return kan_solution_fail_region(solution,
                                            "somebody is left out with some of her rows alone");
    return KAN_OK;
}

static kan_status check(kan_solution *solution, const kan_owners *owners, const tuple_lists *lists,
                        kan_groups *heads, uint8_t *ok) {
    const kan_promise *promise = &solution->setup->promise;
    const bool has_lost = solution->answer.recoding.regions->has_lost;
    kan_groups *groups = &solution->groups;
    const size_t n_released = groups->n_groups - has_lost;
    kan_promise_check(promise, heads, ok);
    for (size_t g = 0; g < groups->n_groups; g++) {
        if (g < n_released && !ok[g])
            return kan_solution_fail_region(solution, "a region does not keep the promise");
        solution->viewer.is_released[g] = g < n_released;
    }
    groups->is_released = solution->viewer.is_released;
    groups->n_released_groups = n_released;
    groups->n_suppressed = groups->n_left_out = 0;
    KAN_TRY(find_near(solution, owners, lists, heads, n_released));
    if (promise->histories)
        KAN_TRY(check_histories(solution, owners, lists, n_released));
    return has_lost ? check_lost(solution, owners, lists, heads, n_released) : KAN_OK;
}

kan_status kan_solution_check_piles(kan_solution *solution) {
    kan_run *run = solution->setup->run;
    const size_t n_groups = solution->groups.n_groups;
    tuple_lists lists = {NULL, NULL};
    kan_owners owners = {.problem = NULL};
    kan_piles piles = {.owners = NULL};
    kan_groups heads;
    uint8_t *ok = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, n_groups, 1, &ok));
    KAN_TRY_DONE(list_tuples(solution, &lists));
    KAN_TRY_DONE(
        kan_owners_make(solution->problem, solution->setup->promise.needs_tallies, &owners));
    KAN_TRY_DONE(kan_piles_make(&owners, &piles));
    KAN_TRY_DONE(kan_piles_count(&piles, lists.tuples, lists.start, n_groups, &heads));
    KAN_TRY_DONE(check(solution, &owners, &lists, &heads, ok));
done:
    kan_piles_destroy(&piles);
    kan_owners_destroy(&owners);
    kan_free(run, lists.start);
    kan_free(run, lists.tuples);
    kan_free(run, ok);
    return status;
}

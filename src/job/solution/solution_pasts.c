/* A solution where rows have pasts: the parts of its groups, worked out from the base again. */
#include "group/past_piles.h"
#include "job/solution/solution.h"

/* ---- groups of a set ------------------------------------------------------------------------ */

/* Tuples of the set stand by group and past. */
static void count_in_set(const kan_solution *solution, uint64_t *released, uint64_t *smallest) {
    const kan_freqset *set = &solution->set;
    const unsigned words = set->layout.n_words, n = solution->problem->space.n_attributes;
    const uint64_t *before = NULL;
    uint64_t rows = 0;
    unsigned n_fields = 0;
    while (set->layout.fields[n_fields].dimension < n)
        n_fields++;
    KAN_ASSERT(set->layout.fields[n_fields].dimension == n);
    for (size_t i = 0; i <= set->n; i++) {
        const uint64_t *key = i < set->n ? set->keys + i * words : NULL;
        bool is_same = before && key;
        for (unsigned f = 0; is_same && f <= n_fields; f++)
            is_same = kan_key_field_value(&set->layout.fields[f], before) ==
                      kan_key_field_value(&set->layout.fields[f], key);
        if (!is_same) {
            *smallest = rows > 0 && (*smallest == 0 || rows < *smallest) ? rows : *smallest;
            rows = 0;
        }
        if (key) {
            rows += set->counts[i];
            released[kan_key_field_value(&set->layout.fields[n_fields], key)] += set->counts[i];
        }
        before = key;
    }
}

/* ---- groups of regions ---------------------------------------------------------------------- */

/* The rows of each group with their pasts; the caller frees both, also when this fails. */
static kan_status list_rows(const kan_solution *solution, size_t **start, kan_past_rows **rows) {
    const kan_problem *problem = solution->problem;
    kan_group_parts of = {NULL, NULL};
    kan_status status = kan_solution_list_parts(solution, &of);
    const size_t n = status == KAN_OK ? of.start[solution->by_group.n_groups] : 0;
    *rows = NULL;
    if (status == KAN_OK)
        status = kan_alloc(problem->run, n, sizeof **rows, rows);
    for (size_t i = 0; status == KAN_OK && i < n; i++) {
        const size_t tuple = of.parts[i].tuple;
        (*rows)[i] = (kan_past_rows){
            (uint32_t)tuple, kan_problem_tuple_value(problem, tuple, problem->space.n_attributes),
            of.parts[i].n_rows};
    }
    kan_free(problem->run, of.parts);
    *start = of.start;
    return status;
}

static size_t count_released(const kan_solution *solution) {
    return solution->by_group.n_groups - solution->answer.recoding.regions->has_lost;
}

kan_status kan_solution_check_pasts(kan_solution *solution) {
    const kan_promise *promise = &solution->setup->promise;
    kan_run *run = solution->problem->run;
    kan_past_piles piles = {.problem = NULL};
    kan_past_rows *rows;
    size_t *start;
    kan_groups parts;
    uint8_t *passes = NULL;
    kan_status status;
    KAN_TRY_DONE(list_rows(solution, &start, &rows));
    KAN_TRY_DONE(kan_past_piles_make(solution->problem, promise->needs_tallies, &piles));
    KAN_TRY_DONE(kan_past_piles_count(&piles, rows, start, count_released(solution), &parts));
    KAN_TRY_DONE(kan_alloc(run, parts.n_groups, 1, &passes));
    kan_promise_check(promise, &parts, passes);
    if (parts.n_suppressed > 0)
        status =
            kan_solution_fail_region(solution, "the people of one past in a region are too few");
done:
    kan_past_piles_destroy(&piles);
    kan_free(run, passes);
    kan_free(run, rows);
    kan_free(run, start);
    return status;
}

static kan_status count_in_regions(const kan_solution *solution, uint64_t *released,
                                   uint64_t *smallest) {
    kan_run *run = solution->problem->run;
    kan_past_piles piles = {.problem = NULL};
    kan_past_rows *rows;
    size_t *start;
    kan_groups parts;
    kan_status status;
    KAN_TRY_DONE(list_rows(solution, &start, &rows));
    KAN_TRY_DONE(kan_past_piles_make(solution->problem, false, &piles));
    KAN_TRY_DONE(kan_past_piles_count(&piles, rows, start, count_released(solution), &parts));
    for (size_t i = 0; i < start[count_released(solution)]; i++)
        released[rows[i].past] += rows[i].n_rows;
    for (size_t p = 0; p < parts.n_groups; p++)
        if (*smallest == 0 || parts.count[p] < *smallest)
            *smallest = parts.count[p];
done:
    kan_past_piles_destroy(&piles);
    kan_free(run, rows);
    kan_free(run, start);
    return status;
}

kan_status kan_solution_count_pasts(const kan_solution *solution, uint64_t *released,
                                    uint64_t *smallest) {
    *smallest = 0;
    if (kan_recoding_has_regions(&solution->answer.recoding))
        return count_in_regions(solution, released, smallest);
    count_in_set(solution, released, smallest);
    return KAN_OK;
}

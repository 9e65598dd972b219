/* What a release in which hidden cells match anything has to keep, for the search that shows cells again. */
#include <string.h>

#include "job/solution/solution.h"

/* The next larger number with as many bits. */
static uint64_t next_set(uint64_t set) {
    const uint64_t lowest = set & (0 - set), ripple = set + lowest;
    return ripple | (((ripple ^ set) >> 2) / lowest);
}

/* Every set of so many of the quasi-identifiers, each size with its k. */
static kan_status list_sets(const kan_setup *setup, size_t n, kan_fits_set **out) {
    const uint64_t end = UINT64_C(1) << setup->n_quasi;
    size_t at = 0;
    KAN_TRY(kan_alloc(setup->run, n, sizeof **out, out));
    for (unsigned i = 0; i < setup->subsets.n; i++) {
        const kan_column_set *size = &setup->subsets.sizes[i];
        for (uint64_t set = (UINT64_C(1) << size->m) - 1; set < end && at < n; set = next_set(set))
            (*out)[at++] = (kan_fits_set){set, size->k};
    }
    KAN_ASSERT(at == n);
    return KAN_OK;
}

kan_status kan_solution_match(const kan_question *question, kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    kan_fits_wants wants = {.n_ranks = setup->n_ranks};
    kan_fits_set *sets = NULL;
    solution->answer.is_optimal = false; /* it was, perhaps, among groups */
    solution->answer.bound = 0;
    memcpy(wants.rank, setup->rank, sizeof wants.rank);
    wants.n_sets = kan_setup_count_sets(setup);
    if (wants.n_sets > 0)
        KAN_TRY(list_sets(setup, wants.n_sets, &sets));
    wants.sets = sets;
    const kan_status status =
        kan_fits_improve(setup->run, question, &wants, &solution->answer, &solution->fits);
    kan_free(setup->run, sets);
    return status;
}

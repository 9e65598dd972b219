/* A population: a second table that holds everybody of the first, and others. How many of its
 * people match each group of a frequency set.
 *
 * It has a space and a base of its own, with the same hierarchies bound to its own values. Where a
 * node is looked at, its base is rolled up to the same levels, and each of its groups is the same
 * as one of the table's, or as none: people whom no row of the table is like. */
#ifndef KANON_GROUP_POPULATION_H
#define KANON_GROUP_POPULATION_H

#include "group/freqsets/freqsets.h"
#include "group/view.h"

/* No row of the table is in that group. */
#define KAN_NOBODY UINT32_MAX

typedef struct kan_population {
    uint64_t n_people;
    kan_space space; /* the attributes of the problem, in its order; no tails */
    kan_freqset base;
    /* maps[a][level][group of the population]: the group of the problem, or KAN_NOBODY. */
    uint32_t **maps[KAN_MAX_ATTRIBUTES];
} kan_population;

/* Counts people; one for each thread. */
typedef struct kan_population_counter {
    const kan_population *population;
    kan_workspace *workspace; /* NULL until it counts */
    kan_freqset sets[2];      /* the population at the levels that were counted last, and before */
    unsigned last;            /* which of them is the last */
    uint64_t *people;
    size_t room;
    uint64_t edition; /* of `people`: see group/view.h */
} kan_population_counter;

void kan_population_counter_init(kan_population_counter *counter, const kan_population *population);
void kan_population_counter_destroy(kan_population_counter *counter, kan_run *run);

/* Sets groups->people, which is valid until the next call. The groups are those of groups->set,
 * which has all attributes of the problem or some. O(tuples of the population). */
KAN_MUST_USE kan_status kan_population_count(kan_population_counter *counter, kan_run *run,
                                             kan_groups *groups);

#endif

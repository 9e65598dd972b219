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
    bool has_person; /* somebody may have several rows, and counts once for each group */
    kan_space space; /* the attributes of the problem, in its order; the person is the only tail */
    kan_freqset base;
    /* maps[a][level][group of the population]: the group of the problem, or KAN_NOBODY. */
    uint32_t **maps[KAN_MAX_ATTRIBUTES];
    /* Both tables in one set of the population's space, so that one pass counts both: each count is that
     * of the table's rows, times 2^32, and that of people. */
    kan_freqset joint;
    bool has_joint;
} kan_population;

static inline uint64_t kan_joint_rows(uint64_t count) {
    return count >> 32;
}
static inline uint64_t kan_joint_people(uint64_t count) {
    return count & UINT32_MAX;
}

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

/* Makes the joint set, where both tables are small enough for that and the population knows all values of
 * the table's base, whose first dimensions are the attributes of `space`. */
KAN_MUST_USE kan_status kan_population_join(kan_population *population, const kan_space *space,
                                            const kan_freqset *base);

void kan_population_counter_init(kan_population_counter *counter, const kan_population *population);
void kan_population_counter_destroy(kan_population_counter *counter, kan_run *run);

/* Sets groups->people, which is valid until the next call. The groups are those of groups->set,
 * which has all attributes of the problem or some. O(tuples of the population). */
KAN_MUST_USE kan_status kan_population_count(kan_population_counter *counter, kan_run *run,
                                             kan_groups *groups);

#endif

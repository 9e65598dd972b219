/* A counter: frequency sets that are made and kept where the rows are, such as in a database. What
 * comes here is a few numbers of each set; no tuple does.
 *
 * Sets are numbered from 1; number 0 is the base, all attributes at the lowest levels that may be
 * chosen. What is counted from a set has some of its attributes, at its levels or higher. */
#ifndef KANON_GROUP_COUNTER_H
#define KANON_GROUP_COUNTER_H

#include "core/hash.h"
#include "core/run.h"

enum { KAN_COUNTER_BASE = 0 };

/* A node: attributes as the problem numbers them, ascending, each at a level of its hierarchy. */
typedef struct kan_count_order {
    unsigned n;
    const unsigned *attributes, *levels;
    uint64_t least_size; /* smaller groups are small */
    uint32_t from;       /* the set to count from */
    bool keeps;          /* the node's own set stays, as kan_counted.set, until it is dropped */
} kan_count_order;

typedef struct kan_counted {
    uint64_t n_groups;
    uint64_t n_small_rows;   /* rows of groups that are small */
    uint64_t n_large_groups; /* groups that are not */
    kan_u128 squares;        /* of the rows of each group that is not small, summed */
    uint64_t smallest;       /* rows of the smallest such group; 0: there is none */
    uint32_t set;            /* where it was to be kept */
} kan_counted;

typedef struct kan_counter {
    void *context;
    kan_status (*count)(void *context, const kan_count_order *order, kan_counted *out);
    /* Of a set that is kept, or of the base: the rows of small groups by what they are in
     * order->attributes[place]. A group of values is called by the code of one of them: `rows` has
     * room for all values of the column, and is all 0 before. `order` is the set's own node. */
    kan_status (*count_small)(void *context, const kan_count_order *order, unsigned place,
                              uint64_t *rows);
    /* Of a set that is kept; nobody asks for it again. */
    kan_status (*drop)(void *context, uint32_t set);
} kan_counter;

#endif

/* The lower bounds of k-optimize.txt 5.2: what no set between a head and its allset costs less
 * than.
 *
 * Whoever is suppressed by the head stays so (Observation 5.1). Everybody else is together with all
 * of his class of the allset at least (Observation 5.2), and with k - 1 others. */
#ifndef KANON_SEARCH_SET_ENUM_SET_ENUM_ALLSET_H
#define KANON_SEARCH_SET_ENUM_SET_ENUM_ALLSET_H

#include "search/set_enum/set_enum_classes.h"

typedef struct kan_set_allset {
    kan_set_classes *classes;                 /* of the head */
    uint32_t *number[KAN_MAX_ATTRIBUTES];     /* by place: its interval under the allset */
    uint32_t *place_rows[KAN_MAX_ATTRIBUTES]; /* rows of each place */
    unsigned n_attributes;                    /* that the tail cuts, */
    unsigned attributes[KAN_MAX_ATTRIBUTES];  /* those first that tell most rows apart */
    uint32_t *keys;                           /* scratch by place in the order: interval in hand */
    uint32_t *moved_keys, *moved;             /* scratch: keys and tuples while they are sorted */
    struct kan_set_interval *counts;          /* scratch by interval */
    uint64_t *weights;        /* by tuple: its part of the bound, for classification (below) */
    unsigned specialize_most; /* tails up to this length are specialized, longer ones sorted: */
    unsigned insert_most;     /* up to so many tuples by insertion, more by counting */
} kan_set_allset;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_set_allset_make(kan_set_classes *classes, kan_set_allset *out);
void kan_set_allset_destroy(kan_set_allset *allset);

/* COMPUTE-LOWER-BOUND for the head of the classes and this tail; UINT64_MAX when no set with that
 * head is allowed. When the run wants an end in the midst of it, less than the bound.
 *
 * For classification the minority of each class of the allset is left in `weights` at one of its
 * tuples, with 0 at the others: as every value of the tail keeps such a class together, the weights
 * of a part that a value makes of a head class add up to what the part contributes. For
 * discernibility that is k for each row of a part below k, so it needs no weights. */
uint64_t kan_set_allset_bound(kan_set_allset *allset, const kan_set_value *tail, size_t n);

#endif

/* Tails of a set enumeration: what each value of a tail does to the head's classes, and which of
 * them can go (k-optimize.txt 5.1, 5.3, 5.5, Figure 5).
 *
 * A value whose parent is neither in the head nor in the tail can never be made. One whose parent
 * is in the tail stays in the tail, and so in the allset, but becomes a child only after its
 * parent. */
#ifndef KANON_SEARCH_SET_ENUM_SET_ENUM_TAIL_H
#define KANON_SEARCH_SET_ENUM_SET_ENUM_TAIL_H

#include "search/set_enum/set_enum_allset.h"

/* What a value does to the classes that the head releases; the first three as in kan_set_value. */
typedef struct kan_set_effect {
    uint32_t n_split;
    bool is_useful; /* some class is split in a way that a useless value would not (5.3) */
    uint64_t lost, gain;
    uint64_t kept; /* weights in the parts that are lost */
} kan_set_effect;

typedef struct kan_set_tail {
    kan_set_classes *classes; /* of the head */
    kan_set_allset *allset;
    uint8_t *is_made;        /* by choice: the head */
    uint8_t *is_in;          /* by choice: the tail in hand; all 0 between calls */
    kan_set_effect *effects; /* by choice */
    uint32_t *depths;        /* by choice: how many parents it has */
    uint32_t most_depth;
    uint32_t *n_children; /* by choice: those in the tail in hand; all 0 between calls */
    uint32_t *rows;       /* scratch by place, all 0: rows of a class below it */
    uint64_t *weights;    /* the same of weights */
} kan_set_tail;

/* For the empty head. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_set_tail_make(kan_set_classes *classes, kan_set_allset *allset,
                                          kan_set_tail *out);
void kan_set_tail_destroy(kan_set_tail *tail);

/* Whether the value may be added to the head at once. */
static inline bool kan_set_tail_can_add(const kan_set_tail *tail, unsigned choice) {
    const int parent = tail->classes->space->choices[choice].parent;
    return parent < 0 || tail->is_made[parent];
}

/* Finds out what each value does to the head's classes, without splitting them (6.3). */
void kan_set_tail_look(kan_set_tail *tail, kan_set_value *values, size_t n);

/* The calls below shorten a tail, keep its order, and return how many values are left. */

/* PRUNE-USELESS-VALUES: drops values without which some best set between head and allset can do.
 * After kan_set_tail_look. */
size_t kan_set_tail_drop_useless(kan_set_tail *tail, kan_set_value *values, size_t n);

/* PRUNE: drops values that lead to no set that costs less than `best`; all of them when there is no
 * such set. *bound is what no set of head and remaining tail costs less than, when any is left. The
 * `lost` of the values is that of this head. */
size_t kan_set_tail_prune(kan_set_tail *tail, uint64_t best, kan_set_value *values, size_t n,
                          uint64_t *bound);

/* Drops the value at `index`, and all that need it. */
size_t kan_set_tail_drop(kan_set_tail *tail, kan_set_value *values, size_t n, size_t index);

/* REORDER-TAIL, after kan_set_tail_look: the most classes split, then the least sum of squares,
 * then the least choice. */
void kan_set_tail_reorder(kan_set_value *values, size_t n);

#endif

/* The equivalence classes of a set enumeration (k-optimize.txt 6.2), split and merged in place.
 *
 * All tuples stand in one permutation, and a class is a range of it: adding a value to the set
 * splits ranges, and taking the last values back merges them again, without a look at any tuple.
 * For set_enum_*.c and k_optimize_paper.c, which speak as the paper does: a value is a choice of
 * the cut space, the head is the set in hand, the tail are the values that may still be added, and
 * the allset is both together. Nothing is allocated after the classes have been made. */
#ifndef KANON_SEARCH_SET_ENUM_SET_ENUM_CLASSES_H
#define KANON_SEARCH_SET_ENUM_SET_ENUM_CLASSES_H

#include "search/cuts/cuts.h"

typedef struct kan_set_class {
    uint32_t first, n; /* its tuples are order[first] .. order[first + n - 1] */
    uint32_t rows;
    bool is_lost; /* the head suppresses it */
} kan_set_class;

typedef struct kan_set_classes {
    const kan_cut_space *space;
    uint32_t *order; /* the tuples */
    size_t n;
    kan_set_class *classes; /* [0 .. n-1], in no order */
    /* The stack for recovery: classes[1 + i] came off classes[came_off[i]]. */
    uint32_t *came_off;
    uint8_t *is_cut[KAN_MAX_ATTRIBUTES]; /* by place: an interval of the set begins there */
    uint64_t n_lost;                     /* rows that the head suppresses */
    uint64_t *sums;                      /* scratch: rows by class value */
    uint64_t work;                       /* tuples passed since the last look at the clock */
    bool is_over;                        /* the run wants an end: what comes out is not complete */
} kan_set_classes;

/* A value of a tail, and what it would do to the classes of the head. */
typedef struct kan_set_value {
    uint32_t choice;
    uint32_t lost;    /* rows that it suppresses, beyond those that the head does */
    uint32_t n_split; /* classes that it splits */
    uint64_t gain;    /* by how much it lowers the sum of squares of their rows */
} kan_set_value;

/* The classes of the empty set. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_set_classes_make(const kan_cut_space *space, kan_set_classes *out);
void kan_set_classes_destroy(kan_set_classes *classes);

/* Adds a value to the head: its classes with k rows or more are split. What is lost stays lost
 * (Observation 5.1) and is not split any more. */
void kan_set_classes_add(kan_set_classes *classes, unsigned choice);
/* Adds it for the sake of an allset: classes that the head releases are split, if they have at
 * least that many rows, and what comes about is not lost, however small. */
void kan_set_classes_refine(kan_set_classes *classes, unsigned choice, uint64_t least_rows);
/* Takes back the last value, which made the classes from number n on. */
void kan_set_classes_recover(kan_set_classes *classes, unsigned choice, size_t n);

/* What the head costs; UINT64_MAX when it is not allowed. */
uint64_t kan_set_classes_cost(kan_set_classes *classes);
/* The rows of n tuples of `order` that are not of their majority class. */
uint64_t kan_set_classes_minority(kan_set_classes *classes, size_t first, size_t n);

/* Whether so many lost rows are too many. */
static inline bool kan_set_is_refused(const kan_cut_space *space, uint64_t n_lost) {
    return n_lost > space->limit || (space->wants_release && n_lost == space->n_rows);
}

/* What a suppressed row costs. */
static inline uint64_t kan_set_penalty(const kan_cut_space *space) {
    return space->cost == KAN_CUT_DISCERNIBILITY ? space->n_rows : 1;
}

/* Counts work and looks at the clock now and then: less than a millisecond apart, unless one class
 * is so large that a pass over it takes longer. */
bool kan_set_classes_tick(kan_set_classes *classes, uint64_t n_tuples);

#endif

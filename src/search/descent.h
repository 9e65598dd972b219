/* Specializing classes, for `top-down`: see descent.c. */
#ifndef KANON_SEARCH_DESCENT_H
#define KANON_SEARCH_DESCENT_H

#include "search/local.h"

typedef struct kan_class_at_work {
    kan_parts rows;    /* those that are hardest to specialize first */
    uint64_t excluded; /* attributes that were tried on these rows */
} kan_class_at_work;

/* What specializing one class after the other needs. */
typedef struct kan_descent {
    kan_local_classes *classes; /* those that can be specialized no further */
    const kan_local_space *space;
    kan_class_at_work *stack; /* those that are still to be looked at */
    size_t n, room;
    uint32_t nodes[KAN_MAX_ATTRIBUTES]; /* of the class at work */
    /* Of the trial: */
    uint32_t most_branches;
    kan_kind_rows counted, gone;
    uint64_t *cells; /* [branch * n_kinds + kind]; all 0 between trials */
    size_t n_cells;
    kan_census above, *branches; /* rows that move up; rows of each branch */
    uint8_t *fails;              /* by branch */
    uint32_t *used;              /* the branches that have rows */
    uint32_t *branch;            /* by part */
    uint64_t *moved;             /* by part: rows that move up */
} kan_descent;

/* Room for classes of n_parts parts at the most. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_descent_make(const kan_local_space *space, size_t n_parts,
                                         kan_descent *out);
void kan_descent_destroy(kan_descent *d);
/* A class for the stack, which owns its rows from here on, also when this fails. */
KAN_MUST_USE kan_status kan_descent_push(kan_descent *d, kan_parts *rows, uint64_t excluded);
/* Specializes a class, whose branches and leftover go on the stack, or gives it to `classes`. */
KAN_MUST_USE kan_status kan_descent_specialize(kan_descent *d, const kan_class_at_work *work);

/* The rows of all tuples, those first that are hardest to specialize. */
KAN_MUST_USE kan_status kan_local_rank(const kan_local_space *space, const uint64_t *rows,
                                       kan_parts *out);

#endif

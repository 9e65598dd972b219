/* Specializing classes, for `top-down`: see descent.c. */
#ifndef KANON_SEARCH_LOCAL_DESCENT_H
#define KANON_SEARCH_LOCAL_DESCENT_H

#include "search/local/local_inside.h"

typedef struct kan_class_at_work {
    kan_bundles rows;  /* those that are hardest to specialize first */
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
    uint64_t *cells; /* [branch * n_kinds + kind]: rows of each branch; all 0 between trials */
    size_t n_cells;
    bool has_cells;              /* they were counted: kinds are few */
    uint64_t *spare;             /* by branch: free rows that it can do without */
    kan_census above, *branches; /* rows that move up; rows of each branch */
    kan_census traded;           /* rows of a trade */
    uint8_t *fails;              /* by branch */
    uint32_t *used;              /* the branches that have rows */
    uint32_t *branch;            /* by bundle */
    uint32_t *by_branch;         /* bundles, branch by branch */
    size_t *first;               /* by branch: where its bundles begin there; one more entry */
    uint64_t *moved;             /* by bundle: rows that move up */
} kan_descent;

/* Room for classes of at most n_bundles bundles. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_descent_make(const kan_local_space *space, size_t n_bundles,
                                         kan_descent *out);
void kan_descent_destroy(kan_descent *d);
/* A class for the stack, which owns its rows from here on, also when this fails. */
KAN_MUST_USE kan_status kan_descent_push(kan_descent *d, kan_bundles *rows, uint64_t excluded);
/* Specializes a class, whose branches and leftover go on the stack, or gives it to `classes`. */
KAN_MUST_USE kan_status kan_descent_specialize(kan_descent *d, const kan_class_at_work *work);

/* ---- for descent*.c ------------------------------------------------------------------------- */

/* One attribute tried on a class: where its rows go. */
typedef struct kan_split {
    const kan_bundles *rows;
    unsigned attribute;
    uint32_t n_branches, n_used; /* below the node; those with rows */
} kan_split;

/* Rows of bundle `i` move up from their branch. */
KAN_MUST_USE kan_status kan_descent_move_up(kan_descent *d, const kan_split *s, size_t i,
                                            uint32_t branch, uint64_t n);
/* The rows above fail: others move up until they pass; in the end all. */
KAN_MUST_USE kan_status kan_descent_complete(kan_descent *d, const kan_split *s);

/* ---- descent_rank.c -------------------------------------------------------------------------- */

/* The rows of all tuples, those first that are hardest to specialize. */
KAN_MUST_USE kan_status kan_local_rank(const kan_local_space *space, const uint64_t *rows,
                                       kan_bundles *out);

#endif

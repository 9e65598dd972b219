/* Specializing clusters, for `top-down`: see descent.c. */
#ifndef KANON_SEARCH_LOCAL_DESCENT_H
#define KANON_SEARCH_LOCAL_DESCENT_H

#include "search/local/local_inside.h"

typedef struct kan_cluster_at_work {
    kan_bundles rows;  /* those that are hardest to specialize first */
    uint64_t excluded; /* attributes that were tried on these rows */
} kan_cluster_at_work;

/* What specializing one cluster after the other needs. */
typedef struct kan_descent {
    kan_local_clusters *clusters; /* those that can be specialized no further */
    const kan_local_space *space;
    kan_cluster_at_work *stack; /* those that are still to be looked at */
    size_t n, room;
    uint32_t nodes[KAN_MAX_ATTRIBUTES]; /* of the cluster at work */
    /* Of the trial: */
    uint32_t most_branches;
    kan_kind_rows counted, gone;
    uint64_t *cells; /* [branch * n_kinds + kind]: rows of each branch; all 0 between trials */
    size_t n_cells;
    bool has_cells;  /* they were counted: kinds are few */
    bool is_partial; /* branches that do not fail have people in part: as many as they need */
    uint64_t *spare; /* by branch: free rows that it can do without */
    kan_local_tally above, *branches; /* rows that move up; rows of each branch */
    kan_local_tally traded;           /* rows of a trade */
    uint8_t *fails;                   /* by branch */
    uint8_t *passes;                  /* by branch, while people are counted */
    uint32_t *used;                   /* the branches that have rows */
    uint32_t *branch;                 /* by bundle */
    uint32_t *by_branch;              /* bundles, branch by branch */
    size_t *first;                    /* by branch: where its bundles begin there; one more entry */
    uint64_t *moved;                  /* by bundle: rows that move up */
} kan_descent;

/* Room for clusters of at most n_bundles bundles. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_descent_make(const kan_local_space *space, size_t n_bundles,
                                         kan_descent *out);
void kan_descent_destroy(kan_descent *d);
/* A cluster for the stack, which owns its rows from here on, also when this fails. */
KAN_MUST_USE kan_status kan_descent_push(kan_descent *d, kan_bundles *rows, uint64_t excluded);
/* Specializes a cluster, whose branches and leftover go on the stack, or gives it to `clusters`. */
KAN_MUST_USE kan_status kan_descent_specialize(kan_descent *d, const kan_cluster_at_work *work);

/* ---- for descent*.c -------------------------------------------------------------------------- */

/* One attribute tried on a cluster: where its rows go. */
typedef struct kan_split {
    const kan_bundles *rows;
    unsigned attribute;
    uint32_t n_branches, n_used; /* below the node; those with rows */
} kan_split;

/* Rows of bundle `i` move up from their branch. */
KAN_MUST_USE kan_status kan_descent_move_up(kan_descent *d, const kan_split *s, size_t i,
                                            uint32_t branch, uint64_t n);
/* The rows of each branch, of all of their people. */
KAN_MUST_USE kan_status kan_descent_count_people(kan_descent *d, const kan_split *s);
/* The rows above fail: others move up until they pass; in the end all. */
KAN_MUST_USE kan_status kan_descent_complete(kan_descent *d, const kan_split *s);

/* ---- descent_rank.c -------------------------------------------------------------------------- */

/* The rows of all tuples, those first that are hardest to specialize. */
KAN_MUST_USE kan_status kan_local_rank(const kan_local_space *space, const uint64_t *rows,
                                       kan_bundles *out);

#endif

/* What `forest` and `cover` share: the tuples at hand side by side, and how far they are apart.
 *
 * The distance of two tuples is what a row gives up, over all attributes, at the lowest nodes that
 * cover both. By attribute it is an ultrametric: what covers a and b, and b and c, covers a and c.
 * So what covers rows that are joined by a tree of pairs costs no more than all of its edges. */
#ifndef KANON_SEARCH_CELLS_CELLS_INSIDE_H
#define KANON_SEARCH_CELLS_CELLS_INSIDE_H

#include "search/local/local.h"

/* Places: the tuples that have rows, in the order of the base. */
typedef struct kan_cell_tuples {
    const kan_local_space *space;
    size_t n;
    uint64_t n_rows, least_size;
    uint32_t *tuple;                    /* by place */
    uint64_t *rows;                     /* by place */
    uint32_t *leaf[KAN_MAX_ATTRIBUTES]; /* by place */
    uint32_t n_leaves[KAN_MAX_ATTRIBUTES];
} kan_cell_tuples;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_cell_tuples_make(const kan_local_space *space, const uint64_t *rows,
                                             kan_cell_tuples *out);
void kan_cell_tuples_destroy(kan_cell_tuples *tuples);

/* All of them as one cluster: where they are too few to be divided. */
KAN_MUST_USE kan_status kan_cell_tuples_join(const kan_cell_tuples *tuples,
                                             kan_local_clusters *clusters);

/* What a thread needs to measure distances from one place. */
typedef struct kan_cell_ruler {
    const kan_cell_tuples *tuples;
    double *loss[KAN_MAX_ATTRIBUTES]; /* by leaf: joined with that of the place */
    uint32_t from[KAN_MAX_ATTRIBUTES];
    double *distance; /* by place, or by place of a list */
} kan_cell_ruler;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_cell_ruler_make(const kan_cell_tuples *tuples, kan_cell_ruler *out);
void kan_cell_ruler_destroy(kan_cell_ruler *ruler);
/* ruler->distance from a place to every one: O(places * attributes). */
void kan_cell_measure(kan_cell_ruler *ruler, size_t place);
/* The same to the places of a list; distance[i] is that of list[i]. */
void kan_cell_measure_some(kan_cell_ruler *ruler, size_t place, const uint32_t *list, size_t n);

/* ---- cover_all.c ----------------------------------------------------------------------------- */

/* Clusters of all rows, which are k or more, by the greedy cover over all sets. */
KAN_MUST_USE kan_status kan_cover_by_all_sets(const kan_cell_tuples *tuples,
                                              kan_local_clusters *clusters);

/* ---- forest_divide.c ------------------------------------------------------------------------- */

/* Trees of rows. A vertex is a row; of a tuple's rows the first is joined with other tuples, and
 * the others hang on it. */
typedef struct kan_row_trees {
    const kan_cell_tuples *tuples;
    kan_local_clusters *clusters; /* what pieces become */
    size_t n;                     /* vertices */
    uint32_t *place;              /* by vertex; those of one stand together */
    uint32_t *parent;             /* by vertex; KAN_NO_VERTEX: a root */
    double *weight;               /* by vertex: of the edge to its parent */
    size_t room;
    uint32_t *order, *size, *first_child, *sibling; /* scratch by vertex */
    size_t stack_n, stack_room;
    uint32_t *list; /* vertices of the trees at work, one after the other */
    struct kan_row_tree {
        size_t first, n; /* in list */
    } * stack;
} kan_row_trees;

#define KAN_NO_VERTEX UINT32_MAX

void kan_row_trees_destroy(kan_row_trees *trees);
/* Room for a tree of so many vertices; what stood there is forgotten. */
KAN_MUST_USE kan_status kan_row_trees_begin(kan_row_trees *trees, size_t n);
/* Divides the tree of the vertices 0 .. n-1 into pieces of at least k rows each, and of at most
 * max(2k-1, 3k-5); each becomes a cluster. Its vertices are above k. */
KAN_MUST_USE kan_status kan_row_trees_divide(kan_row_trees *trees);

#endif

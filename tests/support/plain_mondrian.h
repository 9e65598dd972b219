/* Mondrian as one would write it down: rows in plain arrays, every cut tried, nothing remembered
 * from one region to the next. Slow, and meant to be read.
 *
 * What it takes over from the searches is what they document: ties go to the column with the fewest
 * values, then to the first; of cuts that divide equally well to the one with more rows on the
 * left; of cuts that gain the same to the more even one, then to the one found first (columns in
 * that order, cuts from the left, cuts of the most frequent values after those by place). */
#ifndef KANON_TESTS_PLAIN_MONDRIAN_H
#define KANON_TESTS_PLAIN_MONDRIAN_H

#include "support/region_problem.h"

/* Whether some rows may be a region. */
typedef bool (*plain_passes)(const void *context, const region_problem *problem, const size_t *rows,
                             size_t n);

typedef struct plain_plan {
    bool is_relaxed, is_global;
    const char *split;      /* widest, entropy, cost, purpose; workload is cut by nobody here */
    const char *categories; /* order, any, tree; NULL: whatever is the default */
    const kan_cost_kind *cost;
    uint64_t k;
    plain_passes passes; /* NULL: k rows are enough */
    const void *context;
    const kan_purpose *purpose; /* of split purpose: the problem has a class */
    bool counts_bounds;         /* shares of sets are counted from the first to the last value */
} plain_plan;

typedef enum plain_cutting { PLAIN_VALUES, PLAIN_ORDER, PLAIN_ANY, PLAIN_TREE } plain_cutting;

plain_cutting plain_cutting_of(const plain_plan *plan, const region_axis *axis);

typedef struct plain_bound {
    uint32_t low, high; /* places */
    unsigned level;     /* PLAIN_TREE: that of the node */
    uint32_t leaf;      /* one of its leaves */
} plain_bound;

typedef struct plain_region {
    size_t n, *rows;
    plain_bound bounds[REGION_ATTRIBUTES]; /* of the cuts that made it */
} plain_region;

typedef struct plain_regions {
    size_t n, room;
    plain_region *regions;
    /* Two scores were nearly the same: which is the greater is a matter of rounding. */
    bool is_close;
} plain_regions;

/* No regions when all rows together do not pass. */
void plain_mondrian(const region_problem *problem, const plain_plan *plan, plain_regions *out);
void plain_regions_destroy(plain_regions *regions);

/* A purpose for split purpose, if the problem has a class: some of the attributes, and a category or
 * numbers, some of them unknown. */
typedef struct plain_purpose {
    kan_purpose purpose;
    uint32_t *steps;
} plain_purpose;
void plain_purpose_make(const region_problem *problem, uint64_t *random, plain_purpose *out);
void plain_purpose_destroy(plain_purpose *purpose);

/* The level of the lowest node that all these rows lie in. */
unsigned plain_cover(const region_axis *axis, const size_t *rows, size_t n);
bool plain_is_allowed(const region_problem *problem, const plain_plan *plan, const size_t *rows,
                      size_t n);

/* Models of tests/support/models.h; the context is a uint64_t: k. */
bool plain_has_values(const void *context, const region_problem *problem, const size_t *rows,
                      size_t n);
bool plain_has_multiple(const void *context, const region_problem *problem, const size_t *rows,
                        size_t n);

#endif

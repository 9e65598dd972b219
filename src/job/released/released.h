/* The door of job/released: what released rows had before, figures for what may be shared.
 *
 * A figure over all rows depends on every suppressed one, and whoever knows the others can solve
 * for it. So whatever goes with a release is counted over released rows alone, as if the suppressed
 * ones had never been in the table; their number is all that is told of them. Where nobody was
 * suppressed the figures are those of the table.
 *
 * Where a person may have several rows, how many rows were left out says how many somebody has, to
 * whoever knows the others: not even that is told, only how many people left. */
#ifndef KANON_JOB_RELEASED_RELEASED_H
#define KANON_JOB_RELEASED_RELEASED_H

#include "job/solution/solution.h"

typedef struct kan_released {
    const kan_solution *solution;
    bool is_all;           /* nobody was suppressed */
    bool hides_rows;       /* how many rows were suppressed is not told, either */
    uint64_t n_people;     /* where people are counted: who has a released row */
    size_t n_sizes;        /* different combinations of quasi-identifiers that released rows had; 0
                              where the table is too large to be folded, or was counted at levels */
    const uint64_t *sizes; /* how many released rows had each; NULL where is_all */
    const uint64_t
        *leaf_rows[KAN_MAX_ATTRIBUTES]; /* released rows of each value, by level-0 group */
    const uint64_t *leaf_people[KAN_MAX_ATTRIBUTES]; /* people who have one of those; NULL: rows are
                                                        counted */
    uint64_t *room, *people_room;                    /* of all arrays that are its own */
    /* Where costs count people, and rows were suppressed: what released rows of each value weigh, each 1 /
     * the released rows of its person, and those of each region. */
    const double *leaf_weights[KAN_MAX_ATTRIBUTES], *region_weights;
    double *weights; /* of both */
} kan_released;

/* Borrows the solution. O(tuples * (attributes + log groups)) where rows were suppressed, else
 * nothing. Always destroy it, also when this failed. */
KAN_MUST_USE kan_status kan_released_make(const kan_solution *solution, kan_released *out);
void kan_released_destroy(kan_released *released);

/* Makes leaf_weights and region_weights. */
KAN_MUST_USE kan_status kan_released_weigh(const kan_solution *solution, kan_released *out);
/* The sum of the levels at which the cells of an attribute stand, by these weights. */
double kan_released_levels_of_people(const kan_released *released, unsigned a);

/* How many have a value, in what the promise counts: released rows, or people with one. */
static inline uint64_t kan_released_have(const kan_released *released, unsigned a, uint32_t leaf) {
    return released->leaf_people[a] ? released->leaf_people[a][leaf] : released->leaf_rows[a][leaf];
}

/* Values, or places of a domain, that released rows have of attribute `a`. */
uint32_t kan_released_values(const kan_released *released, unsigned a);
uint32_t kan_released_places(const kan_released *released, unsigned a);

/* What a column holds, as far as released rows tell: one suppressed word makes numbers no text. */
kan_type kan_released_type(const kan_released *released, unsigned a);

/* Whether levels and heights of a column can be told: those of hierarchies that are built by how
 * many rows have each value, and of those that an order can tear apart, depend on suppressed rows,
 * too. */
bool kan_released_knows_levels(const kan_released *released, unsigned a);
/* Whether the order of its labels can be told: that of rare values follows how many rows have each. */
bool kan_released_knows_order(const kan_released *released, unsigned a);
/* What became of an attribute, as released rows see it, whatever the recoding: every one shows its
 * own value, every one shows *, or neither. What a level is called depends on everybody where a
 * hierarchy is built by how many rows have each value. */
typedef enum { KAN_RELEASED_SAME, KAN_RELEASED_COARSER, KAN_RELEASED_STAR } kan_released_change;
kan_released_change kan_released_became(const kan_released *released, unsigned a);
/* The height of a hierarchy, and the level that an attribute shows, as released rows see them: a
 * top that `digits` adds for longer values counts where one of theirs needs it. */
unsigned kan_released_height(const kan_released *released, unsigned a);
unsigned kan_released_level(const kan_released *released, unsigned a);
/* How much of that height an attribute gave up, 0 .. 1: see kan_solution_distortion. */
double kan_released_given_up(const kan_released *released, unsigned a);

/* ---- a column by itself --------------------------------------------------------------------- */

/* One of a table that was released over levels, whatever chose them. */
typedef struct kan_released_column {
    const kan_column *column; /* for its type */
    const kan_hierarchy *hierarchy;
    const uint64_t *leaf_rows; /* released rows of each value, by level-0 group */
    unsigned level;
} kan_released_column;

kan_type kan_released_column_type(const kan_released_column *column);
bool kan_released_column_knows_levels(const kan_released_column *column);
unsigned kan_released_column_height(const kan_released_column *column);
unsigned kan_released_column_level(const kan_released_column *column);
kan_released_change kan_released_column_became(const kan_released_column *column);
/* The sum over released rows of the share of the domain that each shows: see kan_level.share. */
double kan_released_column_shares(const kan_released_column *column);

/* ---- costs ---------------------------------------------------------------------------------- */

/* A cost of the solution, by its place in solution->metrics; *is_told is false where it is not
 * known, or says something of suppressed rows. */
KAN_MUST_USE kan_status kan_released_metric(const kan_released *released, size_t metric,
                                            bool *is_told, kan_score *out);

#endif

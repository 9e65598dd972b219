/* Rows in groups of numbers, and the moves that change which row is in which group.
 *
 *   mdav_crowd.c    rows, groups, what a move changes; rows that are near each other
 *   mdav_anneal.c   which moves are made, how long
 *
 * Coordinates and their sums are whole numbers, as in mdav_inside.h. What is lowered is the sum over
 * rows of the squared distance from the mean of their group, of columns in standard deviations. */
#ifndef KANON_SEARCH_MICROAGGREGATE_MDAV_ANNEAL_H
#define KANON_SEARCH_MICROAGGREGATE_MDAV_ANNEAL_H

#include "search/microaggregate/mdav_inside.h"

enum { KAN_MDAV_NEAR = 24 };

/* The tuples that are near one, the nearest first. */
typedef struct kan_mdav_near {
    uint32_t n, tuple[KAN_MDAV_NEAR];
} kan_mdav_near;

typedef struct kan_mdav_crowd {
    kan_run *run;
    const kan_mdav_scale *scale;
    unsigned d;         /* coordinates */
    uint32_t n_rows, k; /* a group has k rows at least, */
    uint32_t most;      /* and at most 2k - 1 */
    int64_t *at;        /* [row * d + coordinate] */
    uint32_t *tuple;    /* by row; rows of a tuple stand side by side */
    uint32_t *first;    /* by tuple: its first row; one more entry */
    uint32_t *group;    /* by row */
    uint32_t *place;    /* by row: in its group */
    uint32_t n_groups, n_room;
    uint32_t *size;         /* by group */
    uint32_t *member;       /* [group * most + place]: a row */
    int64_t *sum;           /* [group * d + coordinate] */
    kan_mdav_near **near;   /* by tuple; NULL: nobody asked yet */
    kan_mdav_blocks blocks; /* of tuples that are looked at for near ones */
    uint32_t *block_of;     /* by tuple */
    kan_arena arena;        /* of near ones */
    uint32_t *rows, *from;  /* scratch: rows that are moved together, and their groups */
} kan_mdav_crowd;

/* Rows as groups have them, each of k to 2k - 1 rows. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_mdav_crowd_make(const kan_mdav_scale *scale,
                                            const kan_mdav_groups *groups, kan_mdav_crowd *out);
void kan_mdav_crowd_destroy(kan_mdav_crowd *crowd);
/* Puts all rows into groups anew: group_of[row], below n_groups. */
void kan_mdav_crowd_place(kan_mdav_crowd *crowd, const uint32_t *group_of, uint32_t n_groups);
/* The groups, with rows by tuple; `out` is empty. */
KAN_MUST_USE kan_status kan_mdav_crowd_groups(const kan_mdav_crowd *crowd, kan_mdav_groups *out);
/* The sum of squares of all groups. */
double kan_mdav_crowd_squares(const kan_mdav_crowd *crowd);
/* Of a row to the mean of a group, squared. */
double kan_mdav_crowd_distance(const kan_mdav_crowd *crowd, uint32_t row, uint32_t group);
void kan_mdav_crowd_take(kan_mdav_crowd *crowd, uint32_t row);
void kan_mdav_crowd_put(kan_mdav_crowd *crowd, uint32_t row, uint32_t group);
/* Borrowed until the crowd is destroyed. */
KAN_MUST_USE kan_status kan_mdav_crowd_near(kan_mdav_crowd *crowd, uint32_t tuple,
                                            const kan_mdav_near **out);

/* Lowers the sum of squares of groups until nothing much is gained, or the time is up
 * (kan_now_ms() > end_ms), or `most_steps` moves were tried. Groups stay of k to 2k - 1 rows. */
KAN_MUST_USE kan_status kan_mdav_improve(const kan_mdav_scale *scale, double end_ms,
                                         uint64_t most_steps, kan_mdav_groups *groups);

#endif

/* What the files of mdav share.
 *
 *   mdav_scale.c   columns as coordinates, so that their distances can be added up
 *   mdav_points.c  the tuples of a block that are left: how far each is from one, or from the mean
 *   mdav_blocks.c  tables with too many tuples in blocks
 *   mdav_groups.c  groups; those that break the promise are joined with the nearest
 *   mdav_crowd.c, mdav_anneal.c   groups that are improved (mdav_anneal.h)
 *   mdav.c         the search
 *
 * Coordinates are whole numbers, so that sums, means and squares are exact: no order of summing
 * changes which row is nearer, and equal distances are equal. */
#ifndef KANON_SEARCH_MICROAGGREGATE_MDAV_INSIDE_H
#define KANON_SEARCH_MICROAGGREGATE_MDAV_INSIDE_H

#include "search/neighbours.h"
#include "search/regions/regions.h"

/* Numbers have one coordinate, and one more that tells unknown ones where there are any. */
enum { KAN_MDAV_COORDINATES = 2 * KAN_MAX_ATTRIBUTES };

/* A standard deviation, and the distance of categories that have nothing in common. */
#define KAN_MDAV_UNIT 4096.0

/* ---- mdav_scale.c ---------------------------------------------------------------------------- */

typedef struct kan_mdav_scale {
    const kan_partition_space *space;
    unsigned n_coordinates;
    struct {
        unsigned dimension;
        double *at; /* by place: a whole number */
    } coordinates[KAN_MDAV_COORDINATES];
    unsigned n_categories;
    struct {
        unsigned dimension;
        double weight; /* of its squared distances */
    } categories[KAN_MAX_ATTRIBUTES];
    kan_arena arena;
} kan_mdav_scale;

/* Destroy it also when this fails. KAN_BAD_INPUT where text has no hierarchy. */
KAN_MUST_USE kan_status kan_mdav_scale_make(const kan_partition_space *space, kan_mdav_scale *out);
void kan_mdav_scale_destroy(kan_mdav_scale *scale);

static inline uint32_t kan_mdav_place(const kan_mdav_scale *scale, size_t tuple,
                                      unsigned dimension) {
    return kan_partition_lane(kan_partition_record(scale->space, tuple), scale->space->is_wide,
                              dimension);
}

/* ---- mdav_points.c --------------------------------------------------------------------------- */

/* Tuples with rows that are in no group yet, in no order. */
typedef struct kan_mdav_points {
    const kan_mdav_scale *scale;
    kan_run *run;
    size_t n;
    uint64_t n_rows;
    uint32_t *tuple;
    uint64_t *rows;
    double *coordinate[KAN_MDAV_COORDINATES];
    uint32_t *place[KAN_MAX_ATTRIBUTES]; /* of categories */
    double *distance;                    /* squared, from the last centre */
    /* Of the rows that are left: */
    int64_t sum[KAN_MDAV_COORDINATES];
    uint64_t *count[KAN_MAX_ATTRIBUTES]; /* of categories, by place */
    double *table[KAN_MAX_ATTRIBUTES];   /* of categories, by place: distance from the centre */
    uint64_t *node_rows;                 /* scratch by node */
    kan_neighbours nearest;
} kan_mdav_points;

/* The tuples of a list, with all their rows. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_mdav_points_make(const kan_mdav_scale *scale, const uint32_t *tuples,
                                             size_t n, kan_mdav_points *out);
void kan_mdav_points_destroy(kan_mdav_points *points);
/* points->distance from the mean of all rows that are left; from a point. */
void kan_mdav_measure_mean(kan_mdav_points *points);
void kan_mdav_measure_point(kan_mdav_points *points, size_t point);
/* The farthest by these distances; of equal ones the first tuple. */
size_t kan_mdav_farthest(const kan_mdav_points *points);
/* The nearest rows by these distances, into points->nearest; they are still there. */
KAN_MUST_USE kan_status kan_mdav_nearest(kan_mdav_points *points, uint64_t n_rows);
/* Takes rows of a point away; one without rows is replaced by the last one. */
void kan_mdav_take(kan_mdav_points *points, size_t point, uint64_t n_rows);

/* ---- mdav_blocks.c --------------------------------------------------------------------------- */

typedef struct kan_mdav_blocks {
    kan_run *run;
    uint32_t *tuples; /* block by block */
    size_t n, room;
    size_t *start; /* one more entry */
} kan_mdav_blocks;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_mdav_blocks_make(const kan_mdav_scale *scale, size_t most_tuples,
                                             kan_mdav_blocks *out);
void kan_mdav_blocks_destroy(kan_mdav_blocks *blocks);

/* ---- mdav_groups.c --------------------------------------------------------------------------- */

typedef struct kan_mdav_member {
    uint32_t tuple;
    uint64_t n_rows;
} kan_mdav_member;

typedef struct kan_mdav_group {
    size_t n, room;
    kan_mdav_member *members;
    uint64_t n_rows; /* 0: it was joined with another */
} kan_mdav_group;

typedef struct kan_mdav_groups {
    kan_run *run;
    size_t n, room;
    kan_mdav_group *groups;
} kan_mdav_groups;

void kan_mdav_groups_destroy(kan_mdav_groups *groups);
KAN_MUST_USE kan_status kan_mdav_groups_add(kan_mdav_groups *groups, size_t *out);
KAN_MUST_USE kan_status kan_mdav_group_add(kan_mdav_groups *groups, size_t g, uint32_t tuple,
                                           uint64_t n_rows);
/* Takes over all groups of another, which has none then. */
KAN_MUST_USE kan_status kan_mdav_groups_take(kan_mdav_groups *groups, kan_mdav_groups *other);
/* Groups that break the promise are joined with the nearest by their means, until none does, or
 * one is left. */
KAN_MUST_USE kan_status kan_mdav_groups_keep_promise(kan_mdav_groups *groups,
                                                     const kan_mdav_scale *scale);

#endif

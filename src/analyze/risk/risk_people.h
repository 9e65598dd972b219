/* Risk where somebody may have several rows: the people of each row's group, and of the smallest
 * group that each person is in. */
#ifndef KANON_ANALYZE_RISK_RISK_PEOPLE_H
#define KANON_ANALYZE_RISK_RISK_PEOPLE_H

#include "analyze/risk/risk_groups.h"

typedef struct kan_people_near {
    kan_run *run;
    uint64_t *in_group; /* by row: the different people of its group */
    size_t n_numbers;   /* numbers of people are below */
    uint64_t *least;    /* by person: the least of these over her rows; 0: she has none */
} kan_people_near;

/* Groups the rows of a sealed table by encoded columns. O(rows * log rows). */
KAN_MUST_USE kan_status kan_people_near_find(kan_run *run, const kan_table *table,
                                             const size_t *columns, size_t n_columns,
                                             const uint32_t *person_of, kan_people_near *out);
void kan_people_near_destroy(kan_people_near *near);

/* A size for each person who has a row. */
KAN_MUST_USE kan_status kan_people_near_sizes(const kan_people_near *near, kan_group_sizes *out);

/* The risk where each size is that of one person: rows are then people, and groups are not told. */
void kan_people_risk(const kan_group_sizes *sizes, uint64_t threshold, kan_risk *out);

#endif

/* Counting people again, where a person may have several rows: by sorting, while searches count
 * along the way. For src/analyze alone. */
#ifndef KANON_ANALYZE_VERIFY_RECOUNT_PEOPLE_H
#define KANON_ANALYZE_VERIFY_RECOUNT_PEOPLE_H

#include "analyze/tuples/tuples.h"
#include "analyze/verify/verify_release.h"

/* Who has which rows: of n_rows rows the group and the person of each. */
typedef struct kan_people_rows {
    uint64_t n_rows;
    const size_t *group_of;
    const uint32_t *person_of;
    size_t n_groups;
} kan_people_rows;

/* The different people of each group, into n_people[0 .. n_groups-1]. O(rows * log rows), and 16
 * bytes per row. */
KAN_MUST_USE kan_status kan_people_count(kan_run *run, const kan_people_rows *rows,
                                         uint64_t *n_people);

/* Of each person who has a row, in some order, the least number of people of her groups; the caller's,
 * n of them. */
KAN_MUST_USE kan_status kan_people_least(kan_run *run, const kan_people_rows *rows,
                                         const uint64_t *n_people, uint64_t **least, size_t *n);

/* Adds to `pairs` (kan_model_pairs_init) a pair of group and place for each different person who
 * has it there; place_of is by code of the column. */
KAN_MUST_USE kan_status kan_people_pairs(kan_run *run, const kan_people_rows *rows,
                                         const kan_column *column, const size_t *place_of,
                                         kan_tuples *pairs);

/* Compares what all rows of each person show: the groups of her rows, each as often as she has it.
 * history_of, by row: a number, from 0 on, that rows of people with one history share. */
KAN_MUST_USE kan_status kan_people_histories(kan_run *run, const kan_people_rows *rows, uint64_t k,
                                             size_t *history_of, kan_history_recount *out);

/* What models are held against where they are promised of histories: a part of a group is its rows
 * of people who share a history. */
typedef struct kan_people_part {
    size_t history, group;
} kan_people_part;

/* The parts (kan_tuples_at), which this call initialises, with their people as counts, and part_of, by
 * row. */
KAN_MUST_USE kan_status kan_people_divide(kan_run *run, const kan_people_rows *rows,
                                          const size_t *history_of, size_t *part_of,
                                          kan_tuples *parts);

#endif

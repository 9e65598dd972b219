/* The crowd: who has rows of which tuple, both ways, and with which sensitive values. Made once for a
 * search, then read only, by every thread: with it people are counted at any node without a set that
 * carries them. 16 bytes for each pair of tuple and person (where values matter, for each of the
 * values that she has there) and 4 for each value, 8 more for each tuple and person. */
#ifndef KANON_GROUP_CROWD_H
#define KANON_GROUP_CROWD_H

#include "group/problem.h"

typedef struct kan_crowd {
    kan_run *run;
    kan_freqset tuples; /* attributes alone */
    size_t n_people;
    size_t *of_tuple; /* where the people of each tuple begin, and the end */
    uint32_t *people; /* each once per tuple, or once for each of the values that she has there */
    uint32_t *values[KAN_MAX_TAILS]; /* beside `people`; NULL where a tail is not looked at */
    size_t *of_person;               /* where the tuples of each person begin, and the end */
    uint32_t *tuple;                 /* each as often as she is among its people */
    uint64_t *rows;                  /* how many rows she has of it */
    uint64_t most_rows;              /* of one person; at least 1 */
} kan_crowd;

static inline void kan_crowd_init(kan_crowd *crowd, kan_run *run) {
    *crowd = (kan_crowd){.run = run};
}
void kan_crowd_destroy(kan_crowd *crowd);

/* Makes the crowd (initialised) of a set whose first tail is the person. */
KAN_MUST_USE kan_status kan_crowd_make(kan_crowd *crowd, const kan_problem *problem,
                                       const kan_freqset *set, kan_workspace *workspace);

/* No `n` people have more rows together. Near to the least such number. */
KAN_MUST_USE kan_status kan_crowd_rows_of(const kan_crowd *crowd, uint64_t n, uint64_t *rows);

#endif

/* Sums over the groups of a release by people, which is all that costs by people look at
 * (docs/papers/people.md, Costs by people). One summer per thread. */
#ifndef KANON_GROUP_PERSON_SUMS_H
#define KANON_GROUP_PERSON_SUMS_H

#include "group/person_weights.h"

typedef struct kan_person_sums {
    uint64_t n_rows, n_suppressed;          /* what all rows weigh, and those that are left out */
    uint64_t minority;                      /* released rows outside the majority of their group */
    kan_cell_loss loss[KAN_MAX_ATTRIBUTES]; /* kan_groups.loss, each row by its weight */
    uint64_t one;                           /* all of these are in parts of so many to a person */
    kan_u128 squares;                       /* of the people of each released group */
    uint64_t heads;                         /* the people of each released group, summed up */
    uint64_t n_groups;                      /* that are released */
    uint64_t n_people, n_left;              /* all; those of whom a row is left out */
} kan_person_sums;

typedef struct kan_person_summer {
    const kan_problem *problem;
    uint64_t n_looks; /* what `met` is measured in */
    uint64_t *met;    /* by person: the group that she was met in last */
    uint64_t *kept;   /* by person: her released rows */
    /* By value of the class, what its rows of the group in hand weigh; and those that have any. */
    uint64_t *dense;
    uint32_t *values;
    size_t n_values;
    uint64_t heads, weight; /* of the group in hand */
    kan_person_sums sums;
} kan_person_summer;

void kan_person_summer_init(kan_person_summer *summer, const kan_problem *problem);
void kan_person_summer_destroy(kan_person_summer *summer);

/* Of groups of a frequency set that carries the person, and the class where there is one and its cost
 * is wanted: checked, with what is left out by is_released or taken out of the set. Sets
 * groups->sums, valid until the next call. O(tuples + people). */
KAN_MUST_USE kan_status kan_person_summer_groups(kan_person_summer *summer, kan_groups *groups);

/* The same by hand, of any groups: begins, takes rows of a person into the group in hand, closes that, and
 * concludes. Losses are the caller's. The class is KAN_NO_TAIL's where there is none: any number. */
KAN_MUST_USE kan_status kan_person_summer_begin(kan_person_summer *summer);
uint64_t kan_person_summer_take(kan_person_summer *summer, uint32_t person, uint32_t class_value,
                                uint64_t n_rows);
void kan_person_summer_close(kan_person_summer *summer);
void kan_person_summer_end(kan_person_summer *summer);

#endif

/* Sets of choices where people are counted (kan_problem.has_person): what each of them costs, and who
 * is left out, as search/leavers.h says. The space has the tuples of each person; a counter counts
 * one set of choices at a time, all anew, because whoever leaves may take others along.
 *
 * Cost of a set: the tuples times the attributes that are cut, and for each round of leaving the
 * units. Memory of a counter: about 50 bytes for each unit. Proofs: docs/papers/people.md. */
#ifndef KANON_SEARCH_CUTS_CUT_PEOPLE_H
#define KANON_SEARCH_CUTS_CUT_PEOPLE_H

#include "search/cuts/cut_space.h"

/* A unit is the rows of a person that share a tuple, and their class where there is one. With pasts
 * (kan_problem.has_pasts) a past is in the place of a person, and the rows of one in a group leave by themselves where
 * they are too few. */
struct kan_cut_people {
    bool by_person, histories, has_pasts;
    size_t n_people, n_units, most_units;       /* of one person */
    size_t *start;                              /* by person, and the end */
    uint32_t *person, *tuple, *rows, *class_of; /* by unit */
};

/* Of a space that has its tuples; of[i] is the tuple of the base's i-th. */
KAN_MUST_USE kan_status kan_cut_people_make(kan_cut_space *space, const uint32_t *of);

/* One thread at a time; nothing is allocated after it was made. */
typedef struct kan_cut_counter {
    const kan_cut_space *space;
    size_t n_groups;
    uint32_t *group_of; /* by tuple */
    uint32_t *people;   /* by group: those who stay */
    uint8_t *is_gone;   /* by person; by row nobody is */
    uint8_t *stays;     /* with pasts, by unit */
    uint64_t cost;      /* of a set that was measured, whatever the limit says */
    uint64_t n_lost;    /* rows that are left out, or by person people */
    /* Scratch: */
    uint32_t *interval; /* by place */
    uint64_t *pairs;    /* of group and interval, by open addressing */
    uint32_t *numbers;  /* of them, from 1; 0 is free */
    size_t n_slots;
    uint32_t *met;               /* by group */
    uint64_t *group_rows;        /* by group: those who stay */
    uint32_t *class_rows;        /* [group * n_classes + class] */
    struct kan_cut_step *steps;  /* histories: what leads to each class of people */
    struct kan_cut_shown *shown; /* of one person */
    uint32_t *history, *n_alike; /* by person; by class */
} kan_cut_counter;

KAN_MUST_USE kan_status kan_cut_counter_create(const kan_cut_space *space, kan_cut_counter **out);
void kan_cut_counter_destroy(kan_cut_counter *counter);

/* The groups of a set of choices alone. */
void kan_cut_counter_group(kan_cut_counter *counter, const uint8_t *is_made);
/* Those, who is left out, and n_lost. */
void kan_cut_counter_count(kan_cut_counter *counter, const uint8_t *is_made);
/* All of it with the cost. */
void kan_cut_counter_measure(kan_cut_counter *counter, const uint8_t *is_made);

/* After counting: whether a unit is released. */
static inline bool kan_cut_unit_stays(const kan_cut_counter *counter, size_t unit) {
    const kan_cut_people *people = counter->space->people;
    if (people->has_pasts)
        return counter->stays[unit];
    if (people->by_person)
        return !counter->is_gone[people->person[unit]];
    return counter->people[counter->group_of[people->tuple[unit]]] >= counter->space->k;
}

#endif

/* Histories: what all rows of a person show together, as a multiset. Two people have the same one
 * when they have rows in the same groups, and in each of them equally many.
 *
 * Groups are met in order. A class is the people with the same history so far: all are in the first
 * one, and a person who has n rows in a group goes on to the class that follows hers for this group
 * and this n. So classes are the nodes of a tree, and no two histories are ever confused. One
 * look-up per tuple; memory for a node per tuple. */
#ifndef KANON_SEARCH_HISTORIES_H
#define KANON_SEARCH_HISTORIES_H

#include "group/head_count.h"

typedef struct kan_histories {
    kan_run *run;
    /* The tree, from 1 on: what leads to each class. 0 is that of people without rows so far. */
    size_t n_classes, class_room;
    struct kan_history_step {
        uint32_t before; /* the class that it follows */
        uint32_t group;
        uint64_t n_rows;
    } * steps;
    uint32_t *slots; /* open addressing: a class, or 0 */
    size_t n_slots;  /* a power of two, or 0 */
    size_t slot_room;
    uint32_t *class_of; /* by person */
    size_t person_room;
    uint64_t *n_people; /* by class */
    size_t size_room;
} kan_histories;

void kan_histories_init(kan_histories *histories, kan_run *run);
void kan_histories_destroy(kan_histories *histories);

/* Marks everybody whose history fewer than k people have, and counts them. The set in hand of
 * `heads` has fewer than 2^31 tuples. */
KAN_MUST_USE kan_status kan_histories_mark_rare(kan_histories *histories,
                                                const kan_head_count *heads, uint64_t k,
                                                uint8_t *is_rare, uint64_t *n_rare);
/* After that: how many people have her history, she included. */
static inline uint64_t kan_histories_like(const kan_histories *histories, uint32_t person) {
    return histories->n_people[histories->class_of[person]];
}

#endif

/* Histories: what all rows of a person show together, as a multiset. Two people have the same one
 * when they have rows in the same groups, and in each of them equally many.
 *
 * Groups are met in order. A class is the people with the same history so far: all are in the first
 * one, and a person who has n rows in a group goes on to the class that follows hers for this group
 * and this n. So classes are the nodes of a tree, and no two histories are ever confused. One
 * look-up per tuple; memory for a node per tuple.
 *
 * Where earlier releases are known (kan_problem.pasts) people of different pasts begin in different classes, so that
 * they never have one history.
 *
 * A history keeps a promise when what its people have in each of its rows does: a part of a group is
 * the people of one class in it, and models look at parts as they look at groups. All of a class are
 * in each of its parts, so that a part has k people when the class does. */
#ifndef KANON_SEARCH_HISTORIES_H
#define KANON_SEARCH_HISTORIES_H

#include "group/head_count.h"
#include "privacy/privacy.h"

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
    uint64_t *n_people; /* by class; nobody ends in some of them */
    uint8_t *fails;     /* by class; of a check */
    size_t size_room, fail_room;
    kan_head_count parts; /* of groups, where models look at values */
    uint8_t *passes;      /* by part */
    size_t pass_room;
} kan_histories;

void kan_histories_init(kan_histories *histories, const kan_problem *problem);
void kan_histories_destroy(kan_histories *histories);

/* Finds the classes of all people with rows. The set in hand of `heads` has fewer than 2^31 tuples. */
KAN_MUST_USE kan_status kan_histories_find(kan_histories *histories, const kan_head_count *heads);
/* The same, and marks everybody whose history does not keep the promise, and counts them. Nobody is marked
 * before. */
KAN_MUST_USE kan_status kan_histories_check(kan_histories *histories, const kan_head_count *heads,
                                            const kan_promise *promise, uint8_t *is_gone,
                                            uint64_t *n_gone);
/* Whether nothing counts but how many people have a history. */
bool kan_histories_of_size(const kan_promise *promise);
/* After kan_histories_check: fails[] becomes 1 of classes in which what is left of a part, without those who are
 * gone, does not keep every model. */
KAN_MUST_USE kan_status kan_histories_check_parts(kan_histories *histories,
                                                  const kan_head_count *heads,
                                                  const kan_promise *promise,
                                                  const uint8_t *is_gone);
/* Classes step by step: n_steps at most, of a person's rows in a group, groups one after the other,
 * each person once in each. Then it is counted. */
KAN_MUST_USE kan_status kan_histories_begin(kan_histories *histories, size_t n_steps,
                                            size_t n_people);
void kan_histories_step(kan_histories *histories, uint32_t person, uint32_t group, uint64_t n_rows);
KAN_MUST_USE kan_status kan_histories_count(kan_histories *histories, size_t n_people);
/* After that: how many people have her history, she included. */
static inline uint64_t kan_histories_like(const kan_histories *histories, uint32_t person) {
    return histories->n_people[histories->class_of[person]];
}

#endif

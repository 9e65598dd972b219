/* Who is in which group, where people are counted (group/head_count.h): people overlap, so that what
 * a group has does not follow from what its points have. A table has, for each group and everybody
 * in it, how many of her tuples are there; and the same for pairs of a person and a sensitive value.
 * So a tuple that comes or goes takes constant time, and a group as much room as it has people.
 *
 * Histories (search/histories.h) are sums: each group has a random number, and a person that of each
 * of her rows. Equal histories have equal sums; different ones do, too, once in 2^64 pairs, and then
 * the solution that it leads to is refused, as all are checked by histories themselves. */
#ifndef KANON_SEARCH_MAPS_MAPS_PEOPLE_H
#define KANON_SEARCH_MAPS_MAPS_PEOPLE_H

#include "core/memory.h"

/* Somebody, or a pair of a tail, in a group. */
typedef struct kan_maps_head {
    uint32_t group, id;
    uint32_t tail; /* 0: a person; else the tail of the pair */
    uint32_t n;    /* tuples; 0: the slot is free */
} kan_maps_head;

typedef struct kan_maps_heads {
    size_t n, n_slots;
    kan_maps_head *slots;
} kan_maps_heads;

/* Room for so many, of any. */
KAN_MUST_USE kan_status kan_maps_heads_reserve(kan_run *run, kan_maps_heads *heads, size_t n);
/* One tuple more, where there is room for one; the number of them now. */
uint32_t kan_maps_heads_put(kan_maps_heads *heads, uint32_t group, unsigned tail, uint32_t id);
/* The same; *is_new: the first. */
KAN_MUST_USE kan_status kan_maps_heads_add(kan_run *run, kan_maps_heads *heads, uint32_t group,
                                           unsigned tail, uint32_t id, bool *is_new);
/* How many there are. */
uint32_t kan_maps_heads_count(const kan_maps_heads *heads, uint32_t group, unsigned tail,
                              uint32_t id);
/* One less, which is there; true: it was the last. */
bool kan_maps_heads_remove(kan_maps_heads *heads, uint32_t group, unsigned tail, uint32_t id);

typedef struct kan_maps_histories {
    uint64_t k;
    uint64_t *sum;         /* by person; NULL: they are not counted */
    kan_maps_heads people; /* of a sum, how many have it */
    uint64_t n_rare;       /* people whose sum fewer than k have */
} kan_maps_histories;

/* Of those who are not gone, by person; NULL: nobody is. Destroy them also when this fails. */
KAN_MUST_USE kan_status kan_maps_histories_make(kan_run *run, uint64_t k, uint64_t n_people,
                                                const uint8_t *is_gone, kan_maps_histories *out);
/* Also of those that are all 0. */
void kan_maps_histories_destroy(kan_run *run, kan_maps_histories *histories);
/* Rows of a person come to a group; they go. */
void kan_maps_histories_add(kan_maps_histories *histories, uint32_t person, uint32_t group,
                            uint64_t n_rows);
void kan_maps_histories_remove(kan_maps_histories *histories, uint32_t person, uint32_t group,
                               uint64_t n_rows);
bool kan_maps_histories_is_rare(const kan_maps_histories *histories, uint32_t person);

#endif

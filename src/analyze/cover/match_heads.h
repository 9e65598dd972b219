/* The different people who match a group, where somebody of the population may have several rows.
 * For src/analyze alone.
 *
 * Whoever matches a group by several of her rows is one person, so that numbers of rows do not add
 * up. Each pair of a group and a tuple of the population that matches it is kept, and people are
 * counted group by group at the end. */
#ifndef KANON_ANALYZE_COVER_MATCH_HEADS_H
#define KANON_ANALYZE_COVER_MATCH_HEADS_H

#include "core/memory.h"

typedef struct kan_match_heads {
    kan_run *run;
    size_t n_tuples;  /* of the population */
    size_t *start;    /* by tuple, and the end: its rows' people */
    uint32_t *person; /* by place; somebody may stand there twice */
    size_t n_numbers; /* numbers of people are below */
    uint64_t n_people;
    struct kan_match_pair_found {
        size_t group, tuple;
    } * pairs;
    size_t n_pairs, room;
} kan_match_heads;

/* By row of the population its tuple and its person. O(rows). The caller destroys, also after a
 * failure. */
KAN_MUST_USE kan_status kan_match_heads_begin(kan_run *run, uint64_t n_rows, const size_t *tuple_of,
                                              const uint32_t *person_of, size_t n_tuples,
                                              kan_match_heads *out);
void kan_match_heads_destroy(kan_match_heads *heads);

/* A group that a tuple matches. */
KAN_MUST_USE kan_status kan_match_heads_add(kan_match_heads *heads, size_t group, size_t tuple);

/* people[0 .. n_groups - 1]: the different people of each group's tuples. O(their rows). */
KAN_MUST_USE kan_status kan_match_heads_count(kan_match_heads *heads, size_t n_groups,
                                              uint64_t *people);

#endif

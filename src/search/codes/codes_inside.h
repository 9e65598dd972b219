/* The inside of search/codes. */
#ifndef KANON_SEARCH_CODES_CODES_INSIDE_H
#define KANON_SEARCH_CODES_CODES_INSIDE_H

#include "search/codes/codes.h"

/* ---- who is left out (codes_count.c) --------------------------------------------------------- */

typedef struct kan_codes_counter kan_codes_counter;
/* At most n_items different items are shown. */
KAN_MUST_USE kan_status kan_codes_counter_create(kan_run *run, const kan_codes_question *question,
                                                 uint32_t n_items, kan_codes_counter **out);
void kan_codes_counter_destroy(kan_codes_counter *counter); /* NULL is none */

/* A recoding, and what is known of it. */
typedef struct kan_codes_shown {
    const uint32_t *items; /* by leaf: what is shown; equal ones of neighbours alone */
    /* Only these leaves are shown otherwise than in a recoding above it, for which is_left is the answer. */
    uint32_t from, to;
    bool is_new; /* there is no such recoding, or is_left is not known to be its answer */
} kan_codes_shown;

/* Who of those not in is_left has a set of up to M items that fewer than k others, who are not
 * left out either, have: they are added to is_left, until there are none. left[] gets the people who
 * are added, *n_left how many. Whoever is in is_left before must be left out by the recoding, too.
 * Gives up when more than `most` are to be added: *n_left is above it, and is_left as before. */
KAN_MUST_USE kan_status kan_codes_leave(kan_codes_counter *counter, const kan_codes_shown *shown,
                                        uint64_t most, uint8_t *is_left, uint32_t *left,
                                        uint64_t *n_left);
/* Whether it was broken off, because kan_should_stop said so: what it found is worth nothing then. */
bool kan_codes_is_broken(const kan_codes_counter *counter);

/* ---- searches -------------------------------------------------------------------------------- */

KAN_MUST_USE kan_status kan_codes_search_levels(kan_run *run, const kan_codes_question *question,
                                                kan_codes_answer *answer);
/* Begins with what is in the answer, that of levels. */
KAN_MUST_USE kan_status kan_codes_search_cuts(kan_run *run, const kan_codes_question *question,
                                              kan_codes_answer *answer);

#endif

/* A walk over the lattice that looks for something good, and proves nothing.
 *
 * It leaps: some attributes rise, and from there it goes down, each time by the level that brings most, to a
 * node from which no level less is better. There it stays if that costs less than where it was, or not much
 * more; what is not much falls as it walks. What it does depends on where it begins and on its number alone: not on threads, nor on time.
 * A step is a node that it tries; nodes that it remembers are not looked at again. */
#ifndef KANON_SEARCH_BOXES_WALK_H
#define KANON_SEARCH_BOXES_WALK_H

#include "search/boxes/probe.h"
#include "search/boxes/trail.h"

/* Where a walk begins. */
typedef enum kan_walk_start {
    KAN_WALK_FROM_BEST, /* that is known */
    KAN_WALK_FROM_TOP,  /* down from the highest node, by what brings most */
    KAN_WALK_VAGUE,     /* the same, more or less: another way each time */
    KAN_WALK_FRUGAL     /* the same, by what brings most for the rows that it loses */
} kan_walk_start;

typedef struct kan_walk {
    const kan_question *question;
    const kan_question *strict; /* as in boxes.h */
    const kan_crowd *crowd;     /* where people are counted without sets; else NULL */
    const uint8_t *low, *high;  /* the nodes that may be chosen are between them */
    kan_found best;             /* what is known */
    kan_walk_start start;
    uint64_t random;      /* any number: its walk is its own */
    uint64_t n_steps;     /* by which it has cooled down */
    uint64_t most_steps;  /* that are wanted of them */
    unsigned temperature; /* what is not much at first: so many thousandths of the best's cost */

    /* What was found: */
    kan_trail trail; /* the caller's */
    uint64_t n_made; /* steps: all that were wanted unless it was stopped */
    uint64_t n_checked;
    kan_effort effort;
} kan_walk;

KAN_MUST_USE kan_status kan_walk_go(kan_walk *walk, kan_run *run);

#endif

/* Hill climbing over cut sets (k-optimize.txt 7.3), for the searches that climb.
 *
 * A climb goes down to a local minimum in two phases: it removes choices, always the one that
 * improves most, until none does; then it adds them in the same way; and so on until neither phase
 * improves anything. */
#ifndef KANON_SEARCH_CUTS_CLIMB_H
#define KANON_SEARCH_CUTS_CLIMB_H

#include "search/cuts/cut_record.h"
#include "search/cuts/cut_state.h"

/* When a climb has to end before its time. */
typedef struct kan_climb_watch {
    const kan_run *run;
    double until_ms;   /* by kan_now_ms; 0: the run alone says when */
    uint64_t n_states; /* sets of choices that were looked at */
} kan_climb_watch;

bool kan_climb_is_over(const kan_climb_watch *watch);

/* The phase that adds, and both in turn. The state is at a local minimum, or as far as it came. */
void kan_climb_add(kan_cut_state *state, kan_climb_watch *watch);
void kan_climb_down(kan_cut_state *state, kan_climb_watch *watch);

/* Drops choices whose parent is not made. */
void kan_climb_close(const kan_cut_space *space, uint8_t *is_made);
/* Draws a set of choices: each is made `odds` times out of `of`, as far as its parent is. */
void kan_climb_draw(const kan_cut_space *space, uint64_t odds, uint64_t of, uint64_t *random,
                    uint8_t *is_made);
/* Once out of `of`, or more seldom where choices are very many. */
void kan_climb_draw_any(const kan_cut_space *space, uint64_t of, uint64_t *random,
                        uint8_t *is_made);

typedef struct kan_climb_plan {
    uint64_t seed;
    uint64_t n_climbs;  /* how many at most; 0: until it is stopped */
    uint64_t patience;  /* not 0: ends when it is tired, see below */
    double until_ms;    /* by kan_now_ms; 0: no limit but the run's */
    bool from_the_best; /* begin near the best so far instead of anywhere */
    bool recuts;        /* where a climb ended, the best cuts of one attribute after another; only
                           where rows are counted */
} kan_climb_plan;

/* The climbs of all calls so far, and how many there were when the best was found. */
typedef struct kan_climb_tally {
    uint64_t n_climbs, n_at_best;
} kan_climb_tally;

/* Whether so many climbs were without effect, beside as many as it took to find the best. */
bool kan_climb_is_tired(const kan_climb_tally *tally, uint64_t patience);

/* Climbs again and again on all threads. From the same record and tally, and with a number of
 * climbs or a patience, the result does not depend on threads: climbs are numbered, have seeds of
 * their own, and are taken in the order of their numbers. Returns when it is done, when until_ms
 * has come, or when kan_should_stop says so, which is not a failure. */
KAN_MUST_USE kan_status kan_climb(const kan_climb_plan *plan, kan_climb_tally *tally,
                                  kan_cut_record *record);

#endif

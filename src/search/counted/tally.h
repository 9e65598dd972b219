/* A tally: one question, the counter that answers for its nodes, and the judge of what it says. */
#ifndef KANON_SEARCH_COUNTED_TALLY_H
#define KANON_SEARCH_COUNTED_TALLY_H

#include "search/counted/counted.h"
#include "search/levels/levels.h"

typedef struct kan_tally_run {
    kan_run *run;
    const kan_question *question;
    const kan_counter *counter;
    const kan_space *space;
    kan_lattice lattice;
    kan_judge judge;
    kan_effort effort;
    uint64_t n_checked;
    uint64_t *small_rows; /* scratch: by value of a column */
    size_t small_room;
} kan_tally_run;

void kan_tally_init(kan_tally_run *tally, kan_run *run, const kan_question *question,
                    const kan_counter *counter);
void kan_tally_destroy(kan_tally_run *tally);

/* Whether a node is that of the base, whose set need not be kept once more. */
bool kan_tally_is_base(const kan_tally_run *tally, unsigned n, const unsigned *levels);
/* Counts a node of some attributes. */
KAN_MUST_USE kan_status kan_tally_count(kan_tally_run *tally, const kan_count_order *order,
                                        kan_counted *out);
/* What was counted last came from a set of the cube. */
static inline void kan_tally_is_of_cube(kan_tally_run *tally) {
    tally->effort.n_rollups--;
    tally->effort.n_cube++;
}
/* Counts a node of all attributes, and measures it where it satisfies and may be the best. The set of
 * the base itself is not kept: out->set is KAN_COUNTER_BASE. */
KAN_MUST_USE kan_status kan_tally_look(kan_tally_run *tally, const uint8_t *node, uint32_t from,
                                       bool keeps, kan_counted *out);
/* Drops a set that was kept; the base stays. */
KAN_MUST_USE kan_status kan_tally_drop(kan_tally_run *tally, uint32_t set);

/* No node at or above `low` that suppresses at least `n_lost` rows costs less; `counted` may be NULL
 * where the bound is by levels. */
kan_score kan_tally_bound(const kan_tally_run *tally, const uint8_t *low,
                          const kan_counted *counted, uint64_t n_lost);

#endif

/* The best set of choices where people are counted, proven by branch and bound.
 *
 * A node is what is decided about each choice. Below it every set makes at least what is made there,
 * and at most what is not left: its groups lie between those of the two. Whoever leaves at the
 * coarser one leaves at all of them, and rows that the finer one has together stay together. Two
 * such counts bound all sets below (docs/papers/people.md). Depth first, one thread, the same walk in
 * every run. Cost: for each node two counts for each open choice (cut_people.h). */
#ifndef KANON_SEARCH_CUTS_CUT_PEOPLE_TREE_H
#define KANON_SEARCH_CUTS_CUT_PEOPLE_TREE_H

#include "search/cuts/cut_record.h"

typedef struct kan_cut_people_plan {
    bool in_order;   /* choices as they are numbered, each first made and then left; else whichever
                        raises the bound most */
    uint64_t n_work; /* give up when so many units were looked at, about; 0: never */
    uint64_t below;  /* only what costs less is of interest; UINT64_MAX: anything is */
    const kan_proof *from; /* begins with its open parts; NULL: with all there is */
    kan_proof *to;         /* what is open in the end is put there (kan_proof_make); or NULL */
    /* With `to`: called with what is open when so many milliseconds have passed since it was called
     * last; NULL: never */
    kan_status (*keep)(void *keep_context, kan_proof *proof);
    void *keep_context;
    double keep_ms;
} kan_cut_people_plan;

/* Explores with the best of the record to beat, and improves it. *is_complete: nothing better is
 * left. A stop (kan_should_stop) is not a failure. */
KAN_MUST_USE kan_status kan_cut_people_explore(const kan_cut_people_plan *plan,
                                               kan_cut_record *record, bool *is_complete);

#endif

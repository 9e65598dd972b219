/* The whole of the branch and bound over cut sets: open nodes by their bound, explored in waves.
 *
 * A wave takes the open nodes of the lowest bounds, a fixed number of them, and explores each up to
 * an amount of work, on all threads; what they leave open goes back to the others. Every task of a
 * wave knows the best of the waves before it and nothing of its neighbours, so the answer, and the
 * number of states, do not depend on threads. The lowest bound of all open nodes is what nothing
 * costs less than. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_WAVES_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_WAVES_H

#include "search/cuts/cuts.h"
#include "search/proof.h"

typedef struct kan_cut_waves_plan {
    uint64_t limit;    /* of suppressed rows: the space's, or less */
    int axis;          /* as in kan_cut_tree_create */
    uint64_t n_states; /* give up after so many, about; 0: never */
    uint64_t n_work;   /* give up when so many tuples were looked at; 0: never */
    uint64_t below;    /* only what costs less is of interest; UINT64_MAX: anything is */
    bool is_whole;     /* the limit is the space's: what is proven holds for the record */
    /* Called after each wave with the tuples it looked at; may improve the record. NULL: nothing */
    kan_status (*between)(void *context, uint64_t n_work);
    void *context;
    const kan_proof *from; /* begins with its open parts; NULL: with all there is */
    kan_proof *to;         /* what is open in the end is put there (kan_proof_make); or NULL */
    /* With `to`: called between waves with what is open then, when so many milliseconds have passed
     * since it was called last; NULL: never */
    kan_status (*keep)(void *keep_context, kan_proof *proof);
    void *keep_context;
    double keep_ms;
} kan_cut_waves_plan;

/* Explores with the best of the record to beat, and improves it. *is_complete: nothing better is
 * left. A stop (kan_should_stop) is not a failure. */
KAN_MUST_USE kan_status kan_cut_waves_explore(const kan_cut_waves_plan *plan,
                                              kan_cut_record *record, bool *is_complete);

#endif

/* The record of a search over cut sets: the best so far, how it came about, and what nothing can
 * beat. Every such search keeps one, so that all of them break ties and tell their story alike. */
#ifndef KANON_SEARCH_CUTS_CUT_RECORD_H
#define KANON_SEARCH_CUTS_CUT_RECORD_H

#include "search/cuts/cut_space.h"

typedef struct kan_cut_record {
    const kan_cut_space *space;
    bool is_found;
    uint64_t cost;     /* of the best; when is_found */
    uint8_t *is_made;  /* the best, by choice; the empty set until there is one */
    uint64_t n_states; /* sets of choices whose cost has been looked at */
    bool counts_nodes; /* n_states are nodes of a proof alone: climbs do not count */
    bool is_aside;     /* of a question that nobody asked: nothing is reported */
    uint64_t bound;    /* nothing costs less */
    bool is_optimal;   /* the best is proven to be so */
    uint64_t n_least;  /* fewest rows that any set of choices suppresses */
    size_t n_moments, room;
    kan_moment *moments; /* one for each improvement */
    kan_proof proof;     /* where the question wants it */
} kan_cut_record;

/* By discernibility: what rows that share their places cost at least, together, where up to `stay`
 * of them are released, and no others. By row all or none are; by person, and with pasts, any of them may be lost. */
uint64_t kan_cut_cell_bound(const kan_cut_space *space, uint64_t rows, uint64_t stay);

/* Begins with the empty set, which suppresses the fewest rows of all, and with a bound that the
 * tuples alone give. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_cut_record_make(const kan_cut_space *space, kan_cut_record *out);
void kan_cut_record_destroy(kan_cut_record *record);

/* Whether the first of two sets is the lesser as a sorted list of choices: {} < {1} < {1,2} < {2}.
 */
bool kan_cut_set_is_less(const kan_cut_space *space, const uint8_t *a, const uint8_t *b);

/* Takes a set of choices that is within the limit, if it is better than the best so far: cheaper,
 * or as cheap and less. */
KAN_MUST_USE kan_status kan_cut_record_offer(kan_cut_record *record, const uint8_t *is_made,
                                             uint64_t cost);
/* Nothing costs less than `bound`: kept when it is more than was known, as a moment when it is much
 * more. */
KAN_MUST_USE kan_status kan_cut_record_prove(kan_cut_record *record, uint64_t bound);
/* Tells progress. */
void kan_cut_record_report(const kan_cut_record *record);

/* Becomes the answer of a search that proved nothing beyond the bound; hands over the moments and
 * the proof. The status of kan_check_cancel when the run was cancelled, or stopped before anything
 * was found. */
KAN_MUST_USE kan_status kan_cut_record_answer(kan_cut_record *record, kan_answer *out);

/* A whole search: makes the space and its record, offers what the question knows, lets `look`
 * improve the record until it is satisfied or has to stop, and answers. The options are those of
 * record->space->question. */
KAN_MUST_USE kan_status kan_cut_search(kan_run *run, const kan_question *question,
                                       kan_status (*look)(kan_cut_record *record), kan_answer *out);

#endif

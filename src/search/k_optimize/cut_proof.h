/* Proofs of searches over cut sets: which question one is about, whether it can be continued,
 * and what becomes of it. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_PROOF_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_PROOF_H

#include "search/cuts/cuts.h"
#include "search/proof.h"

/* Of all that decides the answer: tuples, choices, k, limit, cost. */
uint64_t kan_cut_fingerprint(const kan_cut_space *space);

/* Begins where the proof ended: its best, its bound, its states. KAN_BAD_INPUT when it is about
 * another question, or says what cannot be. */
KAN_MUST_USE kan_status kan_cut_proof_resume(const kan_proof *proof, kan_cut_record *record);

/* Fills in what a run of the search has come to, but for the open parts. `before` is the proof that
 * it began with, or NULL. */
void kan_cut_proof_conclude(const kan_cut_record *record, const kan_proof *before, uint64_t below,
                            kan_proof *out);

#endif

/* A proof as far as it has come: the parts of all sets of choices that are not ruled out yet, and
 * the best set that was found. The next run of the same question goes on from there.
 *
 * What a proof says is true for every version of the searches: a set that lies in no open part does
 * not cost less than the best. */
#ifndef KANON_SEARCH_PROOF_H
#define KANON_SEARCH_PROOF_H

#include "core/memory.h"

/* What is decided about a choice in a part of the sets. */
typedef enum kan_cut_decision { KAN_CUT_OPEN, KAN_CUT_MADE, KAN_CUT_LEFT } kan_cut_decision;

typedef struct kan_proof {
    const char *name;  /* of its file, for messages; not owned */
    uint64_t question; /* fingerprint of the space (cut_proof.h): which question it is about */
    unsigned n_choices;
    uint64_t n_runs, n_states; /* that it took so far */
    uint64_t n_ms;             /* milliseconds of these runs, by the clock */
    uint64_t below;            /* only what costs less was looked for; UINT64_MAX: anything was */
    bool is_found;
    uint64_t cost;    /* of the best, when is_found */
    uint8_t *is_made; /* the best, by choice; all 0 when nothing is found */
    size_t n_open;
    uint64_t *bounds;   /* by open part: nothing in it costs less; ascending */
    uint8_t *decisions; /* [part * n_choices + choice]: kan_cut_decision */
} kan_proof;

/* Room for the best and for n_open parts, all 0. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_proof_make(kan_run *run, unsigned n_choices, size_t n_open,
                                       kan_proof *out);
void kan_proof_destroy(kan_run *run, kan_proof *proof);

/* Of everything in it: a damaged file does not pass. */
uint64_t kan_proof_checksum(const kan_proof *proof);

#endif

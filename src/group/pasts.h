/* What each person went through in earlier releases (--ledger), where the first tail of the space is the
 * person: people may have several rows, or who leaves is decided one by one. Histories begin with the past
 * then (search/histories.h), and people are told apart by it. Where each row is somebody else, and all of a
 * part leave together, the past itself is the first tail (kan_problem.has_pasts), which takes less.
 *
 * Borrowed; made once, then read only. */
#ifndef KANON_GROUP_PASTS_H
#define KANON_GROUP_PASTS_H

#include "core/run.h"

enum {
    KAN_NEWCOMERS = 0
}; /* the past of those who were in no release, whether there are any or not */

typedef struct kan_pasts {
    uint32_t n;
    const uint32_t *of_person;
    const uint64_t *n_gone; /* by past: people of it who are not in the table */
    /* Of earlier cells of k or more of whom fewer than k are out others leave, until k are (search/repair.h).
     * By person: her place among all by a keyed hash, which no value of hers has a part in. NULL: it is not
     * asked for. */
    const uint32_t *rank;
    /* Whether the earlier groups of a past would take in a newcomer. Then she needs none who are new with her where
     * people of this past are in her group. NULL: all newcomers need k. */
    bool (*covers)(const struct kan_pasts *pasts, uint32_t past, uint32_t newcomer);
    const void *context; /* of this */
} kan_pasts;

#endif

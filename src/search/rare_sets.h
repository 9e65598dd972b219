/* Groups by sets of columns: which groups of a node have to leave so that in every set of so many
 * attributes whatever stays shows what enough rows show (kan_promise.subsets).
 *
 * A group that shows something too rare in some set leaves with all its rows. Then what it showed
 * elsewhere is rarer, and others may have to leave; it is repeated until nobody has. What is left is the
 * greatest set of groups that keeps the promise: see docs/papers/subsets.md.
 *
 * Each round goes over all sets of attributes, depth first, and tells groups apart by one attribute more
 * at a time: O(groups) each, with memory for one number per group and attribute. Groups of which a set
 * has fewer attributes than a set of columns (Incognito's) are held against its own columns, which
 * all that is asked of larger sets implies. */
#ifndef KANON_SEARCH_RARE_SETS_H
#define KANON_SEARCH_RARE_SETS_H

#include "core/column_sets.h"
#include "group/problem.h"

typedef struct kan_rare_sets {
    const kan_problem *problem;
    uint32_t *codes; /* [attribute * groups + group]: what it shows */
    size_t code_room;
    uint32_t *parts; /* [depth * groups + group]: which part of the set down to there it is in */
    size_t part_room;
    uint64_t *rows; /* by part: those that stay */
    size_t row_room;
    uint32_t *part_of; /* by part above and code: its number, or none */
    size_t part_of_room;
    struct kan_rare_slot {
        uint64_t key;
        uint32_t part;
    } * slots; /* the same where there would be too many of these */
    size_t slot_room;
} kan_rare_sets;

void kan_rare_sets_init(kan_rare_sets *rare, const kan_problem *problem);
void kan_rare_sets_destroy(kan_rare_sets *rare);

/* Clears is_released of the groups that have to leave; those that are cleared already are not there. The
 * groups are those of the set. Stops soon after more than `enough` rows have left. */
KAN_MUST_USE kan_status kan_rare_sets_leave(kan_rare_sets *rare, const kan_column_sets *subsets,
                                            const kan_freqset *set, const kan_groups *groups,
                                            uint64_t enough, uint8_t *is_released);

#endif

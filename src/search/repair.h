/* Repair (--leavers repair): of an earlier cell of k people or more, those who are out are nobody or at least k.
 *
 * An earlier cell are the people of one past, whether they are in the table or not; its parts are those of one
 * history who stay. Where 1 to k - 1 of it are out, others leave until k are out:
 *
 *   - one by one where the parts have that many more than k each: from the largest part, and of it who has the
 *     greatest keyed hash. Where a model then fails in what is left of a part, they all come back;
 *   - else the smallest part, whole.
 *
 * Every part that is left is good, and no other earlier cell changes. Where k alone is promised nobody leaves
 * who need not (docs/papers/over-time.md); who it is follows from hashes and from no value. */
#ifndef KANON_SEARCH_REPAIR_H
#define KANON_SEARCH_REPAIR_H

#include "search/histories.h"

/* Of the node in hand. */
typedef struct kan_repair {
    const kan_problem *problem;
    uint64_t *n_out; /* by past: people who are out, and all of it */
    uint64_t *n_all;
    struct kan_repair_stayer {
        uint32_t past, class, rank, person;
    } * stayers; /* those of cells that need it: by past, then by part, then by hash */
    size_t n_stayers, stayer_room;
    struct kan_repair_part {
        size_t first, n; /* of the stayers; they leave from behind */
        size_t n_before;
    } * parts; /* of one cell after the other */
    size_t n_parts, part_room;
    struct kan_repair_cell {
        size_t first, end; /* of the parts */
        bool is_thinned;   /* people left one by one */
    } * cells;
    size_t n_cells, cell_room;
    uint64_t n_gone; /* who left for others */
} kan_repair;

static inline void kan_repair_init(kan_repair *repair, const kan_problem *problem) {
    *repair = (kan_repair){.problem = problem};
}
void kan_repair_destroy(kan_repair *repair);

/* After kan_histories_check of this set, with who is gone then: marks those who leave, too. */
KAN_MUST_USE kan_status kan_repair_leave(kan_repair *repair, kan_histories *histories,
                                         const kan_head_count *heads, const kan_promise *promise,
                                         uint8_t *is_gone);

#endif

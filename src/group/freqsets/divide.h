/* One step among threads: grouping a large set, or counting its tuples, by all threads of a run.
 *
 * Elsewhere a thread makes a set or counts a node alone, and threads have nodes of their own. Where
 * one node has to be looked at before any other, as the first ones of a search have, the others
 * would wait. So the tuples are taken in parts of neighbours, as many as the size of the set says,
 * whatever the number of threads. What comes out is the same, as it is without. */
#ifndef KANON_GROUP_FREQSETS_DIVIDE_H
#define KANON_GROUP_FREQSETS_DIVIDE_H

#include "group/freqsets/bitslices.h"

enum { KAN_MOST_PARTS = 64 };

/* Whether a step over the set is divided, when it takes that many bytes of scratch: the workspace
 * may (kan_workspace_divide), there are threads and tuples enough, and memory is not short. */
bool kan_divides(const kan_workspace *workspace, const kan_freqset *set, uint64_t bytes);

/* Whether a loop over n groups is, into KAN_MOST_PARTS: it takes no scratch. */
bool kan_divides_loop(const kan_workspace *workspace, size_t n);
kan_run *kan_workspace_run(const kan_workspace *workspace);

/* Parts of a set, and where part p of them begins; part n_parts, where the last one ends. */
size_t kan_count_parts(const kan_workspace *workspace, size_t n_tuples);
static inline size_t kan_part_start(size_t n_tuples, size_t n_parts, size_t p) {
    return (size_t)((kan_u128)n_tuples * p / n_parts);
}

/* As kan_freqset_regroup does, where kan_divides. */
KAN_MUST_USE kan_status kan_regroup_divided(const kan_space *space, const kan_freqset *from,
                                            const kan_layout *to, kan_workspace *workspace,
                                            kan_freqset *out);
uint64_t kan_regroup_bytes(const kan_freqset *from, const kan_layout *to);

/* Adds up the counts of the tuples by the numbers that `map` gives their keys, below n_cells: sums
 * of 64 bits, or of 32 where these suffice. `fits` is false, and nothing was counted, where that is not
 * divided, or numbers are too many for counters in each part. */
typedef struct kan_cell_sums {
    size_t n_cells;
    uint64_t *wide; /* either one */
    uint32_t *narrow;
} kan_cell_sums;
KAN_MUST_USE kan_status kan_count_divided(kan_workspace *workspace, const kan_freqset *from,
                                          const kan_bitslices *map, const kan_cell_sums *sums,
                                          bool *fits);

/* What a workspace keeps for that. */
typedef struct kan_division {
    unsigned n_workers;
    kan_workspace **workspaces;  /* by worker; made when they are needed */
    uint64_t *keys, *counts;     /* of all tuples, at another place */
    size_t key_room, count_room; /* of these */
    uint64_t *samples, *sample_rows;
    size_t sample_room, sample_row_room;
    uint64_t *cells; /* counters, part after part */
    size_t cell_room;
} kan_division;

KAN_MUST_USE kan_status kan_division_make(kan_workspace *workspace);
void kan_division_destroy(kan_run *run, kan_division *division);

#endif

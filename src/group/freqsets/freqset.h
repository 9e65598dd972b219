/* Frequency sets: distinct packed tuples with their numbers of rows, sorted by key.
 *
 * Everything a search does with the data is one operation, kan_freqset_regroup: map the keys to
 * another layout (fewer dimensions, higher levels) and merge equal ones. Roll-up along one
 * attribute or several and projection to a subset are cases of it. Four kernels do the merging:
 *
 *   linear  the mapped keys are still sorted (the last field was rolled up), so neighbours are
 *           merged in one pass
 *   direct  a counter per possible key, with marks over them, so that reading them out in order
 *           costs no more than what was put in; done segment by segment where the leading fields
 *           are still in order, so that only the bits below them need counters
 *   hash    open addressing with key and count inline, then the groups are sorted
 *   radix   least significant digit first, on key and count together, then neighbours are merged
 *
 * `kanon-bench group` prints what each costs per tuple.
 *
 * Counts have 64 bits, and no set counts more rows than its source: they cannot overflow. */
#ifndef KANON_GROUP_FREQSETS_FREQSET_H
#define KANON_GROUP_FREQSETS_FREQSET_H

#include "group/freqsets/space.h"

typedef struct kan_freqset {
    kan_layout layout;
    size_t n;         /* distinct tuples */
    uint64_t *keys;   /* n keys of layout.n_words words, ascending */
    uint64_t *counts; /* rows of each */
    size_t key_room, count_room;
    uint64_t edition; /* counted up when it is filled: see group/view.h */
} kan_freqset;

typedef enum kan_kernel {
    KAN_KERNEL_AUTO,
    KAN_KERNEL_LINEAR,
    KAN_KERNEL_DIRECT,
    KAN_KERNEL_HASH,
    KAN_KERNEL_RADIX
} kan_kernel;

/* What a thread needs beside its sets: scratch that is kept between calls. */
typedef struct kan_workspace kan_workspace;
KAN_MUST_USE kan_status kan_workspace_create(kan_run *run, kan_workspace **out);
void kan_workspace_destroy(kan_workspace *workspace);
/* Steps with it over at least so many tuples (16 or more) may be divided among the threads of the run from
 * here on: while none of these is at anything else, and never inside a task. What comes out is the same.
 * 0: none are, and what dividing took is given back. */
void kan_workspace_divide(kan_workspace *workspace, size_t least);
/* What pays. */
enum { KAN_LEAST_DIVIDED = 1 << 15 };

static inline void kan_freqset_init(kan_freqset *set) {
    *set = (kan_freqset){.n = 0};
}
void kan_freqset_destroy(kan_run *run, kan_freqset *set);
/* Whether its keys ascend and each has rows, as those of every set must. For assertions. */
bool kan_freqset_is_sound(const kan_freqset *set);
/* Whether it is sound, has room for its tuples, and they have that many rows together. For assertions. */
bool kan_freqset_has_rows(const kan_freqset *set, uint64_t n_rows);
/* The rows of all of its tuples. */
uint64_t kan_freqset_rows(const kan_freqset *set);
/* Makes room for n tuples of the set's layout. */
KAN_MUST_USE kan_status kan_freqset_reserve(kan_run *run, kan_freqset *set, size_t n);

/* Gives back the room that the set does not need. */
KAN_MUST_USE kan_status kan_freqset_trim(kan_run *run, kan_freqset *set);
/* Puts a set that is walked in order from here on aside on disk, where the budget does not hold what a
 * search needs beside it. */
KAN_MUST_USE kan_status kan_freqset_put_aside(kan_run *run, kan_freqset *set);

/* Whether a kernel can do that step; radix and hash can do any. */
bool kan_kernel_fits(kan_kernel kernel, const kan_key_map *map, const kan_layout *to);

/* `out` (initialised; its room is reused) becomes the frequency set of `from` in the layout `to`,
 * whose dimensions are among those of `from`, at the same or higher levels. `out` is not `from`.
 * The result does not depend on the kernel. */
KAN_MUST_USE kan_status kan_freqset_regroup(const kan_space *space, const kan_freqset *from,
                                            const kan_layout *to, kan_kernel kernel,
                                            kan_workspace *workspace, kan_freqset *out);
/* The same dimensions at levels[d] for each attribute d. */
KAN_MUST_USE kan_status kan_freqset_rollup(const kan_space *space, const kan_freqset *from,
                                           const unsigned *levels, kan_workspace *workspace,
                                           kan_freqset *out);
/* Only the dimensions dimensions[0..n-1], in that order, at the levels that they have. */
KAN_MUST_USE kan_status kan_freqset_project(const kan_space *space, const kan_freqset *from,
                                            const unsigned *dimensions, unsigned n,
                                            kan_workspace *workspace, kan_freqset *out);

/* Folds the rows of the space's columns: the base, the frequency set at zero generalization. Uses
 * all threads of the run. `kanon-bench group` prints what a row costs. */
KAN_MUST_USE kan_status kan_freqset_fold(const kan_space *space, uint64_t n_rows, kan_freqset *out);

#endif

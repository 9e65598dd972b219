/* Rows to packed keys, and rows whose group is wanted. */
#ifndef KANON_GROUP_FREQSETS_ROW_KEYS_H
#define KANON_GROUP_FREQSETS_ROW_KEYS_H

#include "group/freqsets/freqset.h"

/* How rows are packed in a layout: for each field a table from the codes of its column to groups.
 */
typedef struct kan_row_keys {
    const kan_space *space;
    const kan_layout *layout;
    const uint32_t *group_of[KAN_MAX_FIELDS]; /* by field; NULL: the code itself */
    kan_arena arena;
} kan_row_keys;

KAN_MUST_USE kan_status kan_row_keys_init(kan_row_keys *rows, const kan_space *space,
                                          const kan_layout *layout);
void kan_row_keys_destroy(kan_row_keys *rows);
/* The keys of n rows from `first` on. */
void kan_row_keys_make(const kan_row_keys *rows, uint64_t first, size_t n, uint64_t *keys);

/* Sets is_marked[row] to 1 for each row whose tuple is in the set and has wanted[tuple] 0, to 0 for
 * the others. Uses all threads of the run. */
KAN_MUST_USE kan_status kan_freqset_mark_rows(const kan_space *space, const kan_freqset *set,
                                              const uint8_t *wanted, uint64_t n_rows,
                                              uint8_t *is_marked);

/* Sets tuple_of[row] to the place of the row's tuple in the set, which has fewer than 2^32 - 1 of
 * them. KAN_FAILED when it does not have one of them. Uses all threads of the run; 12 bytes per
 * tuple at most beside the result, one look-up per row. */
KAN_MUST_USE kan_status kan_freqset_find_rows(const kan_space *space, const kan_freqset *set,
                                              uint64_t n_rows, uint32_t *tuple_of);

#endif

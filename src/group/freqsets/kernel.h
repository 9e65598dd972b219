/* The inside of the grouping kernels; for group/freqsets alone. Each kernel takes tuples whose keys have
 * been mapped already, and writes distinct keys, ascending, with the sums of their counts. */
#ifndef KANON_GROUP_FREQSETS_KERNEL_H
#define KANON_GROUP_FREQSETS_KERNEL_H

#include "group/freqsets/bitslices.h"

/* Counters for keys of up to DIRECT_BITS bits: 2 MB, what a core's own cache holds. */
enum { KAN_DIRECT_BITS = 18 };

struct kan_workspace {
    kan_run *run;
    uint64_t *keys, *counts;             /* mapped tuples */
    uint64_t *other_keys, *other_counts; /* the other side of a radix pass */
    size_t key_room, count_room, other_key_room, other_count_room;
    uint64_t *cells;    /* direct: a count per key, zero between calls */
    unsigned cell_bits; /* of keys that have one */
    uint8_t *marks[3];  /* direct: which counters are in use, which blocks of 64, of 4096 */
    struct kan_hash_table *table;
    kan_bitslices slices; /* maps of keys that are neither a roll-up nor a move */
    size_t least_divided; /* tuples of a step that is divided; 0: none is. See divide.h */
    struct kan_division *division;
};

/* Sorted mapped keys: merges neighbours while it maps. Returns the number of groups. */
size_t kan_kernel_linear(const kan_key_map *map, const uint64_t *keys, const uint64_t *counts,
                         size_t n, uint64_t *out_keys, uint64_t *out_counts);

/* Keys of one word, ascending after the map but for their lowest `loose_bits` <= KAN_DIRECT_BITS. A
 * map of one field in place is done on the way, for any other the keys have been mapped. At least
 * one tuple. */
KAN_MUST_USE kan_status kan_kernel_direct(kan_workspace *workspace, const kan_key_map *map,
                                          const uint64_t *keys, const uint64_t *counts, size_t n,
                                          unsigned loose_bits, uint64_t *out_keys,
                                          uint64_t *out_counts, size_t *n_out);

/* Sorts n tuples in place, by the bits of the layout's fields, and merges equal neighbours. Uses
 * the workspace's other side. */
KAN_MUST_USE kan_status kan_kernel_radix(kan_workspace *workspace, const kan_layout *layout,
                                         uint64_t *keys, uint64_t *counts, size_t n, size_t *n_out);

/* The same for rows: each key counts once; writes the counts. At least one row. */
KAN_MUST_USE kan_status kan_kernel_radix_rows(kan_workspace *workspace, const kan_layout *layout,
                                              uint64_t *keys, size_t n, uint64_t *counts,
                                              size_t *n_out);

/* Below, equal or above 0, word 0 first. */
static inline int kan_key_compare(const uint64_t *a, const uint64_t *b, const unsigned words) {
    for (unsigned w = 0; w < words; w++)
        if (a[w] != b[w])
            return a[w] < b[w] ? -1 : 1;
    return 0;
}

/* ---- hash table ----------------------------------------------------------------------------- */

/* Keys of `n_words` words with their counts; grows at half full. */
typedef struct kan_hash_table kan_hash_table;
KAN_MUST_USE kan_status kan_hash_table_create(kan_run *run, unsigned n_words, kan_hash_table **out);
void kan_hash_table_destroy(kan_hash_table *table);
/* Forgets everything, keeps the room unless it is far too large. */
KAN_MUST_USE kan_status kan_hash_table_clear(kan_hash_table *table, unsigned n_words);
/* Adds n tuples; counts NULL means one row each. */
KAN_MUST_USE kan_status kan_hash_table_add(kan_hash_table *table, const uint64_t *keys,
                                           const uint64_t *counts, size_t n);
size_t kan_hash_table_size(const kan_hash_table *table);
/* For each of n keys: 1 when the table has it, else 0. */
void kan_hash_table_mark(const kan_hash_table *table, const uint64_t *keys, size_t n,
                         uint8_t *is_there);
/* Writes all tuples, in no particular order. */
void kan_hash_table_list(const kan_hash_table *table, uint64_t *keys, uint64_t *counts);

#endif

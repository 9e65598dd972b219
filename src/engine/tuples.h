/* Rows of codes, each with how often it counts, as they come from an engine: put in order, and those
 * that are the same made one.
 *
 * While they come they are packed in blocks: 1 to 4 bytes per code, 1 to 8 per count, on disk where
 * memory is short (core/spill.h). Sorting takes 8 bytes per row beside the columns, and hands them over
 * as a table has them. */
#ifndef KANON_ENGINE_TUPLES_H
#define KANON_ENGINE_TUPLES_H

#include "data/table.h"

typedef struct kan_engine_tuples {
    kan_run *run;
    size_t n_columns;
    uint64_t n;
    /* While they come. */
    bool has_row;     /* the last one is in `row`, which its adder fills in */
    uint32_t *row;    /* n_columns */
    uint64_t count;   /* of it */
    uint32_t *staged; /* codes of the block that is being filled, column after column */
    uint64_t *staged_counts;
    size_t n_staged;
    struct kan_tuple_block *blocks;
    size_t n_blocks, capacity;
    /* Once they are sorted: codes of 1, 2 or 4 bytes, and counts, none of which is 0. */
    struct kan_tuple_column {
        void *codes;
        unsigned width;
    } * columns;
    uint64_t *counts;
} kan_engine_tuples;

void kan_engine_tuples_init(kan_engine_tuples *tuples, kan_run *run, size_t n_columns);
void kan_engine_tuples_destroy(kan_engine_tuples *tuples);
/* One more; *codes are its own, to be filled in before the next call. */
KAN_MUST_USE kan_status kan_engine_tuples_add(kan_engine_tuples *tuples, uint64_t count,
                                              uint32_t **codes);
/* By their codes, the first column before the others; n_codes[i] is above all codes of column i. Where
 * maps is not NULL, a code of column i becomes maps[i][code] first. O(n) per column. Nothing can be
 * added from here on. */
KAN_MUST_USE kan_status kan_engine_tuples_sort(kan_engine_tuples *tuples, const uint32_t *n_codes,
                                               uint32_t *const *maps);

/* Of sorted ones. */
static inline uint32_t kan_engine_tuples_code(const kan_engine_tuples *tuples, uint64_t row,
                                              size_t column) {
    const void *const codes = tuples->columns[column].codes;
    switch (tuples->columns[column].width) {
    case 1:
        return ((const uint8_t *)codes)[row];
    case 2:
        return ((const uint16_t *)codes)[row];
    default:
        return ((const uint32_t *)codes)[row];
    }
}

/* Whether two sorted ones have the same codes in the first `n` columns. */
bool kan_engine_tuples_are_alike(const kan_engine_tuples *tuples, uint64_t a, uint64_t b, size_t n);
/* Hands over the codes of a column, or the counts, of sorted ones. */
void kan_engine_tuples_give(kan_engine_tuples *tuples, size_t column, kan_column *out);
KAN_MUST_USE kan_status kan_engine_tuples_give_counts(kan_engine_tuples *tuples, kan_table *out);

#endif

/* The door of analyze/tuples: distinct tuples with their numbers of rows, the grouping of the
 * verification, its own.
 *
 * A tuple is a fixed number of bytes, and two tuples are the same when these bytes are. Tuples are
 * numbered in the order in which they were first added. For src/analyze alone. */
#ifndef KANON_ANALYZE_TUPLES_TUPLES_H
#define KANON_ANALYZE_TUPLES_TUPLES_H

#include "core/memory.h"
#include "data/table.h"

typedef struct kan_tuples {
    kan_run *run;
    size_t size;         /* bytes of a tuple */
    size_t n;            /* distinct tuples */
    char *bytes;         /* n * size */
    uint64_t *count;     /* rows of each */
    uint64_t *first_row; /* the row that showed it first */
    size_t capacity;     /* of the arrays above, in tuples */
    uint64_t *slots;     /* open addressing: upper part of the hash, index + 1 below; 0 is free */
    size_t n_slots;      /* power of two */
    size_t slots_last;   /* tuples for which the slots suffice */
} kan_tuples;

void kan_tuples_init(kan_tuples *tuples, kan_run *run, size_t size);
void kan_tuples_destroy(kan_tuples *tuples);

enum { KAN_TUPLES_BLOCK = 256 };

/* Counts one row, or what a row of a counted table counts; `*out` is the number of its tuple. */
KAN_MUST_USE kan_status kan_tuples_add(kan_tuples *tuples, const void *tuple, uint64_t row,
                                       size_t *out);
KAN_MUST_USE kan_status kan_tuples_add_rows(kan_tuples *tuples, const void *tuple, uint64_t row,
                                            uint64_t n_rows, size_t *out);
/* Counts n <= KAN_TUPLES_BLOCK rows, from `row` on, whose tuples stand one after the other. The
 * same as adding each, with less waiting for memory. `counts` is by row of the table; NULL: each
 * counts once. */
KAN_MUST_USE kan_status kan_tuples_add_block(kan_tuples *tuples, const char *block, size_t n,
                                             uint64_t row, const uint64_t *counts);
/* The same, and numbers[i] is the number of the i-th row's tuple. */
KAN_MUST_USE kan_status kan_tuples_number_block(kan_tuples *tuples, const char *block, size_t n,
                                                uint64_t row, const uint64_t *counts,
                                                size_t *numbers);
bool kan_tuples_find(const kan_tuples *tuples, const void *tuple, size_t *index);

static inline const void *kan_tuples_at(const kan_tuples *tuples, size_t index) {
    return tuples->bytes + index * tuples->size;
}

/* ---- rows of a table ------------------------------------------------------------------------ */

typedef struct kan_recount_groups {
    uint64_t n_rows;   /* of the input, where the table is a counted one */
    kan_tuples tuples; /* a group is a tuple */
    size_t star;       /* the group of rows that show nothing but *; SIZE_MAX: there is none */
} kan_recount_groups;

/* Is told the groups of n <= KAN_TUPLES_BLOCK rows, from `row` on, block by block. */
typedef struct kan_recount_follower {
    kan_status (*follow)(void *context, uint64_t row, size_t n, const size_t *groups);
    void *context;
} kan_recount_follower;

/* Groups the rows by the columns. `follower` may be NULL. The caller destroys out->tuples. */
KAN_MUST_USE kan_status kan_recount_group(kan_run *run, const kan_table *table,
                                          const size_t *columns, size_t n_columns,
                                          const kan_recount_follower *follower,
                                          kan_recount_groups *out);

#endif

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

/* ---- all rows at once, on all threads ------------------------------------------------------- */

/* Where tuples come from. Both are called from any thread. */
typedef struct kan_tuples_source {
    const void *context;
    uint64_t n_rows;
    /* Puts the tuples of n <= KAN_TUPLES_BLOCK rows into `block`, one after the other. The bytes
     * that it leaves alone are zero, or what it wrote there before. */
    void (*lay_out)(const void *context, uint64_t row, size_t n, char *block);
    void (*done)(const void *context, uint64_t row, uint64_t n); /* not needed soon; may be NULL */
    const uint64_t *counts; /* by row; NULL: each counts once */
} kan_tuples_source;

/* The same as adding row by row to `tuples`, which is empty: the same numbers, for any number of
 * threads. */
KAN_MUST_USE kan_status kan_tuples_count(kan_tuples *tuples, const kan_tuples_source *source);

/* ---- rows of a table ------------------------------------------------------------------------ */

typedef struct kan_recount_groups {
    uint64_t n_rows;      /* of the input, where the table is a counted one */
    kan_tuples tuples;    /* a group is a tuple */
    size_t star;          /* the group of rows that show nothing but *; SIZE_MAX: there is none */
    uint64_t n_star_rows; /* of that group, also once its size is that of its people */
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

/* The groups, and how often each stands with each combination of what other columns show. */
typedef struct kan_recount_joined {
    kan_tuples tuples; /* by group and the others' codes */
    size_t *group_of;  /* by tuple */
    size_t at;         /* where the others' codes begin in a tuple */
} kan_recount_joined;

/* Whether the budget has room for it, whatever the rows show. */
bool kan_recount_can_join(kan_run *run, const kan_table *table, size_t n_columns);
/* Groups the rows by the columns, and by those and the others. `out` and `joined` are initialised
 * also when it fails: the caller destroys out->tuples, and `joined`. */
KAN_MUST_USE kan_status kan_recount_join(kan_run *run, const kan_table *table,
                                         const size_t *columns, size_t n_columns,
                                         const kan_column *const *others, size_t n_others,
                                         kan_recount_groups *out, kan_recount_joined *joined);
void kan_recount_joined_destroy(kan_run *run, kan_recount_joined *joined);
/* What a tuple shows of an other column; `at` is where its code begins. */
uint32_t kan_recount_joined_code(const kan_recount_joined *joined, size_t tuple, size_t at,
                                 unsigned width);

#endif

/* Somebody puts releases of the same people together: rows with the same key are taken for the same person's.
 *
 * A key links where each release has it in exactly one row. Whoever knows the quasi-identifiers of a person knows
 * her group in each release: a cell is what is in the same groups everywhere. Its crowd is at most as large as the
 * sum, over all keys, of the least number of rows that any release has with it in the cell's group: linked
 * keys, and others that might be there. So a linked row in a crowd below k is found among fewer than k people. */
#ifndef KANON_ANALYZE_INTRUDER_JOIN_H
#define KANON_ANALYZE_INTRUDER_JOIN_H

#include "data/table.h"

#define KAN_NO_KEY UINT32_MAX

typedef struct kan_join_side {
    const kan_table *table; /* sealed; the columns are encoded */
    const size_t *quasi;    /* columns that make its groups */
    size_t n_quasi;
    const uint32_t *key_of; /* by row; KAN_NO_KEY: it is not looked at */
} kan_join_side;

typedef struct kan_join_question {
    const kan_join_side *sides;
    size_t n_sides;
    uint32_t n_keys;
    const size_t *sensitive; /* columns of the first side */
    size_t n_sensitive;
    const uint8_t *hides; /* by row of the first side: it shows nothing; NULL: none does */
    uint64_t k;
} kan_join_question;

/* Somebody in a small crowd. */
typedef struct kan_join_exposed {
    uint64_t row, crowd; /* of the first side */
} kan_join_exposed;

enum { KAN_JOIN_MOST_EXPOSED = 10 };

typedef struct kan_join {
    kan_run *run;
    uint64_t n_linked; /* keys that link; all figures below are of these people */
    uint64_t n_cells;
    uint64_t smallest; /* crowd; 0: nothing links */
    uint64_t n_unique; /* people in a crowd of one */
    uint64_t n_below;  /* of less than k */
    uint64_t *certain; /* by sensitive column: people in whose cell all have one value */
    /* The first rows of the smallest crowds. */
    kan_join_exposed exposed[KAN_JOIN_MOST_EXPOSED];
    size_t n_exposed;
    /* The same by the groups of the first side alone: what was there before. Rows that show nothing are found by
     * nobody. */
    uint64_t n_unique_alone, n_below_alone;
    uint64_t *certain_alone;
} kan_join;

/* O(rows * columns), and a look at each key that does not link for each cell of its group. */
KAN_MUST_USE kan_status kan_join_releases(kan_run *run, const kan_join_question *question,
                                          kan_join *out);
void kan_join_destroy(kan_join *join);

/* Numbers for what rows show in some columns of several tables, the same where they show the same: by row of
 * each, into keys[side]. columns[side] are as many in each. */
typedef struct kan_join_columns {
    const kan_table *table;
    const size_t *columns;
    uint32_t *keys; /* by row, out; those that are KAN_NO_KEY stay so */
} kan_join_columns;

KAN_MUST_USE kan_status kan_join_number(kan_run *run, const kan_join_columns *sides, size_t n_sides,
                                        size_t n_columns, uint32_t *n_keys);

#endif

/* --subsets: groups are promised for every set of so many of the quasi-identifiers, in place of all of
 * them at once. "2": for every pair, with the k of --k; "2:5,3:3": k = 5 for every pair, k = 3 for
 * every three. docs/papers/subsets.md. */
#ifndef KANON_CORE_COLUMN_SETS_H
#define KANON_CORE_COLUMN_SETS_H

#include <stdbool.h>
#include <stdint.h>

enum { KAN_COLUMN_SETS = 64 };

typedef struct kan_column_set {
    uint64_t m; /* columns of a set, at least 1 */
    uint64_t k; /* rows that show the same in them; 0: that of --k */
} kan_column_set;

typedef struct kan_column_sets {
    unsigned n;                            /* 0: groups by all columns are promised, as ever */
    kan_column_set sizes[KAN_COLUMN_SETS]; /* m ascending, each once */
} kan_column_sets;

/* Reads the setting; otherwise *why is what is wrong with it, and the remedy. */
bool kan_column_sets_parse(const char *text, kan_column_sets *out, const char **why);

/* Whether each size says its k, so that there is no --k. */
static inline bool kan_column_sets_say_k(const kan_column_sets *subsets) {
    return subsets->n > 0 && subsets->sizes[0].k > 0;
}

/* Gives the k of --k to what says none. */
void kan_column_sets_take_k(kan_column_sets *subsets, uint64_t k);

/* The largest k of all sizes: rows that look alike in all columns, as many as that, keep the promise. */
uint64_t kan_column_sets_most_k(const kan_column_sets *subsets);

/* The largest m. */
uint64_t kan_column_sets_most_columns(const kan_column_sets *subsets);

#endif

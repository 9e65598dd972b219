/* The table of recounts: one line per kind. Its order is the order in which `kanon risk` tells
 * their figures.
 *
 * It stands by itself, and recount_table.c makes nothing but an array of it, so that a test can add
 * lines of its own (tests/toys/). */
#ifndef KANON_ANALYZE_VERIFY_RECOUNT_TABLE_H
#define KANON_ANALYZE_VERIFY_RECOUNT_TABLE_H

#include "analyze/verify/recount_kind.h"

#define KAN_RECOUNT_KINDS(KIND)                                                                    \
    KIND(kan_recount_alpha)                                                                        \
    KIND(kan_recount_diversity)                                                                    \
    KIND(kan_recount_closeness)                                                                    \
    KIND(kan_recount_disclosure)                                                                   \
    KIND(kan_recount_likeness)                                                                     \
    KIND(kan_recount_average_risk)                                                                 \
    KIND(kan_recount_at_risk)                                                                      \
    KIND(kan_recount_k_map)                                                                        \
    KIND(kan_recount_presence)

/* What a line becomes. */
#define KAN_RECOUNT_DECLARE(kind) extern const kan_recount_kind kind;
#define KAN_RECOUNT_ENTRY(kind)   &kind,

extern const struct kan_recount_table {
    size_t n;
    const kan_recount_kind *const *kinds;
} kan_recount_table;

#endif

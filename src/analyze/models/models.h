/* The door of analyze/models: the definition of every privacy model a second time, to recount by.
 * One file per model, recount_NAME.c, and one line of the table below. Its order is the order in
 * which `kanon risk` tells their figures. May touch analyze/verify, and shares nothing with privacy.
 *
 * The table stands by itself, and models.c makes nothing but an array of it, so that a test can add
 * lines of its own (tests/toys/). */
#ifndef KANON_ANALYZE_MODELS_MODELS_H
#define KANON_ANALYZE_MODELS_MODELS_H

#include "analyze/models/uniques.h"
#include "analyze/verify/verify.h"

/* All of them. */
extern const struct kan_recount_table {
    size_t n;
    const kan_recount_kind *const *kinds;
} kan_recount_table;

size_t kan_recount_count(void);
const kan_recount_kind *kan_recount_at(size_t index);
/* The kind of that name, or NULL. */
const kan_recount_kind *kan_recount_find(const char *name);

#define KAN_RECOUNT_KINDS(KIND)                                                                    \
    KIND(kan_recount_alpha)                                                                        \
    KIND(kan_recount_diversity)                                                                    \
    KIND(kan_recount_closeness)                                                                    \
    KIND(kan_recount_disclosure)                                                                   \
    KIND(kan_recount_likeness)                                                                     \
    KIND(kan_recount_average_risk)                                                                 \
    KIND(kan_recount_at_risk)                                                                      \
    KIND(kan_recount_k_map)                                                                        \
    KIND(kan_recount_presence)                                                                     \
    KIND(kan_recount_individual_risk)                                                              \
    KIND(kan_recount_household_risk)                                                               \
    KIND(kan_recount_global_risk)                                                                  \
    KIND(kan_recount_population_uniques)                                                           \
    KIND(kan_recount_subsets)

/* What a line becomes. */
#define KAN_RECOUNT_DECLARE(kind) extern const kan_recount_kind kind;
#define KAN_RECOUNT_ENTRY(kind)   &kind,

#endif

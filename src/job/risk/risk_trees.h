/* Risk of several tables that belong together, over people: what each shows in all of them (her tree), and what
 * one of her rows shows by itself. */
#ifndef KANON_JOB_RISK_RISK_TREES_H
#define KANON_JOB_RISK_RISK_TREES_H

#include <jansson.h>

#include "analyze/forest/forest.h"
#include "analyze/risk/risk.h"

typedef struct kan_risk_trees {
    kan_group_sizes trees; /* groups are people who have the same tree */
    kan_risk risk;         /* of these; its rows are people */
    kan_group_sizes near;  /* a size for each person: kan_forest_nearest */
    kan_risk near_risk;
} kan_risk_trees;

/* Always destroy it. O(bytes log rows). */
KAN_MUST_USE kan_status kan_risk_trees_measure(const kan_forest *forest, uint64_t threshold,
                                               kan_risk_trees *out);
void kan_risk_trees_destroy(kan_risk_trees *risk);

/* {"people", "trees", "smallest", "largest", "mean_size", "median_size", "threshold", "uniques",
 *  "share_unique", "prosecutor": {...}, "marketer": {"average", "expected"}, "by_row": {...},
 *  "sizes": [{"size", "groups"}]}; NULL when memory runs out. */
json_t *kan_json_risk_trees(const kan_risk_trees *risk);
/* Figures, what they mean, and bars; `before` may be NULL. */
void kan_risk_trees_summary(const kan_risk_trees *after, const kan_risk_trees *before,
                            kan_text *text);

#endif

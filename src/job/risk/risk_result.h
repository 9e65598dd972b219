/* Risk as results show it: JSON of what src/analyze measured, for `kanon risk` and for reports. */
#ifndef KANON_JOB_RISK_RISK_RESULT_H
#define KANON_JOB_RISK_RISK_RESULT_H

#include <jansson.h>

#include "analyze/risk/risk.h"

/* What is known of one table. NULL members were not asked for. */
typedef struct kan_risk_side {
    const kan_group_sizes *sizes;
    const kan_risk *risk;
    const kan_kmap *kmap;
    const kan_estimates *estimates;
    const kan_sensitive_risks *sensitive;
    const kan_crowds *crowds; /* hidden values match any */
    const kan_risk *person;   /* of people, each once; see risk_people.h */
    const kan_individual_risks *individual;
    double weights_sum; /* NAN: there are no weights */
    bool hides_values;  /* no value is named: for a table that is not the release itself */
} kan_risk_side;

/* All of a side as one object; every function here gives NULL when memory runs out:
 *   {"rows", "suppressed", "groups", "smallest", "largest", "mean_size", "median_size",
 *    "threshold", "uniques", "share_unique",
 *    "prosecutor": {"highest", "average", "rows_at_risk", "groups_at_risk", "share_at_risk"},
 *    "marketer": {"average"},            with a population: what its owner gets right
 *    "journalist": null or {"population", "k", "highest", "average", "rows_at_risk", ...},
 *    "population_uniques": null or {"population", "fraction", "chosen", "estimates": [...]},
 *    "sensitive": [{"column", "alpha", "l", "entropy", "recursive", "t", "values": [...]}],
 *    "sizes": [{"size", "groups"}],
 *    "missing_matches": {"rows", "rows_hiding", "smallest", ...}, where that was asked for,
 *    "individual": {"weights_sum", "rows": {"highest", ...}, "households": {...}, "n_households",
 *                   "households_alone"}, where weights, households or a tolerated risk are given,
 *    "person": {"people", "highest", "average", ...}, where people are counted} */
json_t *kan_json_risk(const kan_risk_side *side);

json_t *kan_json_crowds(const kan_crowds *crowds);
json_t *kan_json_sizes(const kan_group_sizes *sizes);
/* Each person once, by the smallest group that she is in. */
json_t *kan_json_risk_person(const kan_risk *risk);
json_t *kan_json_kmap(const kan_kmap *kmap);
json_t *kan_json_estimates(const kan_estimates *estimates);
json_t *kan_json_sensitive(const kan_sensitive_risks *risks, bool hides_values);

#endif

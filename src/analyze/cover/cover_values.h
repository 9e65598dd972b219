/* Which values of a column each label of a release leaves open. */
#ifndef KANON_ANALYZE_COVER_COVER_VALUES_H
#define KANON_ANALYZE_COVER_COVER_VALUES_H

#include "analyze/cover/cover_rows.h"

typedef struct kan_covered_values {
    kan_run *run;
    size_t *start;   /* by code of the release, and one more: where its values begin */
    uint32_t *codes; /* of the original's column, ascending */
} kan_covered_values;

/* As kan_verify_cover reads quasi-identifiers; of the question only the tables and reads_intervals are
 * looked at. O(labels * values * levels). */
KAN_MUST_USE kan_status kan_cover_list_values(kan_run *run, const kan_cover_question *question,
                                              const kan_cover_pair *pair, kan_covered_values *out);
void kan_covered_values_destroy(kan_covered_values *values);

#endif

/* Applying a recoding in memory: the quasi-identifiers of the released rows as a table
 * of their own, for the recount of a solution that is not written anywhere. */
#ifndef KANON_RECODE_APPLY_H
#define KANON_RECODE_APPLY_H

#include "recode/recoding.h"

typedef struct kan_apply_source {
    const kan_table *table;
    const size_t *columns;  /* of the quasi-identifiers */
    const kan_shown *shown; /* what the recoding shows in each */
    unsigned n_attributes;
    const uint8_t *is_suppressed; /* per row; NULL: none is */
} kan_apply_source;

/* A sealed table with one column per attribute, suppressed rows left out. */
KAN_MUST_USE kan_status kan_apply_shown(kan_run *run, const kan_apply_source *source,
                                        kan_table **out);

#endif

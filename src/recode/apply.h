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

/* A sealed table with one column per attribute, suppressed rows left out; counted where the source
 * is. */
KAN_MUST_USE kan_status kan_apply_shown(kan_run *run, const kan_apply_source *source,
                                        kan_table **out);

/* A column that rows show by the group that they are in. */
typedef struct kan_group_column {
    const char *name;
    const kan_slice *labels; /* by code */
    uint32_t n_labels;
    const uint32_t *codes; /* by group */
} kan_group_column;

/* The same for a recoding of whole rows: every row shows what its group does. `counts` is copied;
 * NULL: the table is not a counted one. */
KAN_MUST_USE kan_status kan_apply_groups(kan_run *run, const kan_group_column *columns,
                                         size_t n_columns, const uint32_t *group_of_row,
                                         const uint64_t *counts, uint64_t n_rows, kan_table **out);

#endif

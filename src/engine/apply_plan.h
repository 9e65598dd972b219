/* What an order asks of the engine, found out from the counted table and the release over it.
 *
 * A released column is one of three:
 *   raw      every label is its value: the input's own column, of its own type
 *   value    the label follows from the value: one mapping of the column's values
 *   group    it follows from the row's outcome, below
 * Where nothing needs more, suppressed rows are those whose labels of the quasi-identifiers are in a
 * list. Otherwise (regions; rows of one label of which some are suppressed) each distinct tuple of
 * values has an outcome: suppressed, or a group of labels. It is looked for by the quasi-identifiers
 * alone, then by all encoded columns; where rows alike in all of them have several outcomes, so many
 * rows get each, by their number among those that are alike (`divides`).
 *
 * What is claimed here is looked at for each row of the table, and taken from nobody. O(rows) for
 * each column. */
#ifndef KANON_ENGINE_APPLY_PLAN_H
#define KANON_ENGINE_APPLY_PLAN_H

#include "engine/engine_state.h"
#include "engine/tuples.h"

typedef enum kan_apply_way { KAN_APPLY_RAW, KAN_APPLY_VALUE, KAN_APPLY_GROUP } kan_apply_way;

enum { KAN_OUTCOME_UNKNOWN, KAN_OUTCOME_SUPPRESSED, KAN_OUTCOME_FIRST }; /* of a tuple */

typedef struct kan_apply_column {
    const kan_release_column *release;
    size_t source; /* its column of the table */
    bool passes;   /* nobody looked at it: raw, and not counted again */
    kan_apply_way way;
    bool has_empty;            /* a label is "", which becomes NULL */
    kan_encoder texts;         /* the distinct labels */
    bool has_texts;            /* which is made */
    uint32_t *number_of_label; /* by label: which of `texts` */
    uint32_t *number_of_value; /* value: the same by the source's code; UINT32_MAX: no row */
} kan_apply_column;

typedef struct kan_apply_plan {
    kan_run *run;
    const kan_engine_order *order;
    const kan_sql_table *input;
    const uint32_t *const *stand_ins; /* of the engine */
    size_t n_columns;
    kan_apply_column *columns; /* in the order of the release */
    /* Suppression by labels: for each tested column of the release the number of its label, or, of a
     * raw one, the source's code, both from 1; behind them 1 where that is suppressed, else 0. */
    bool has_suppressed;
    size_t n_tested;
    size_t *tested; /* columns of the release */
    kan_engine_tuples suppressed;
    /* Outcomes by tuples: codes of the keys, then the outcome. */
    bool has_outcomes, divides;
    size_t n_keys;
    size_t *keys; /* columns of the table */
    kan_engine_tuples outcomes;
    size_t n_grouped;
    size_t *grouped;    /* columns of the release */
    kan_encoder groups; /* n_grouped numbers of labels as bytes: outcome KAN_OUTCOME_FIRST + code */
    bool has_groups;    /* which is made */
} kan_apply_plan;

/* KAN_BAD_INPUT where the order has what an engine cannot do. */
KAN_MUST_USE kan_status kan_apply_plan_make(kan_engine *engine, const kan_engine_order *order,
                                            kan_apply_plan *out);
void kan_apply_plan_destroy(kan_apply_plan *plan);

/* The numbers of labels of an outcome, by grouped column. */
const uint32_t *kan_apply_plan_group(const kan_apply_plan *plan, uint32_t outcome, uint32_t *room);

#endif

/* What a group is held against a model with: the values of a column, and those that one group has.
 * For recount_models.c, for the kinds of models, and for risk_*.c, which tell what groups reach.
 *
 *   recount_pairs.c    how often each value stands in each group
 *   recount_values.c   a column's values in the order in which their groups are looked through
 *   recount_kind.h     a model, each in a file of its own
 */
#ifndef KANON_ANALYZE_VERIFY_RECOUNT_MODEL_H
#define KANON_ANALYZE_VERIFY_RECOUNT_MODEL_H

#include "analyze/verify/recount_kind.h"
#include "analyze/verify/recount_meant.h"
#include "analyze/verify/recount_people.h"
#include "analyze/verify/verify_release.h"

/* A column's values in places: by rank for ordered distance, as leaves of the tree for hierarchical
 * distance, else as they come. Behind those that the whole table has stand the released ones that
 * it does not have. Where the column is numbers or dates, by its released values, all spellings of
 * one have one place. */
typedef struct kan_model_values {
    kan_run *run;
    const kan_claim_column *column;
    kan_claim_settled settled;
    size_t n_places;
    size_t n_known;   /* places of values that the whole table has */
    size_t *place_of; /* by code of the released column */
    size_t
        *index_of; /* by known place: the value's number in the claim, that of its first spelling */
    uint64_t *rows;  /* by known place: rows of the whole table that have it, or people */
    uint64_t n_rows; /* their sum */
    kan_u128 *up_to; /* ordered: by rank, rows of the whole table with this rank or a lower one */
    kan_u128 *sum_up_to; /* ordered: by rank, the sum of up_to over this rank and all lower ones */
    /* Hierarchical: by level, then by known place, rows of the node in the whole table; one block.
     */
    uint64_t *node_rows;
} kan_model_values;

/* `released` is looked at in n_rows rows, those of its table. */
KAN_MUST_USE kan_status kan_model_values_make(kan_run *run, const kan_claim_column *column,
                                              bool uses_distance, const kan_column *released,
                                              uint64_t n_rows, kan_model_values *out);
void kan_model_values_destroy(kan_model_values *values);

/* The values of one group, in the order of their places. */
typedef struct kan_model_tally {
    size_t column;   /* of the claim */
    uint64_t n_rows; /* of the group, or its people */
    uint64_t total;  /* the sum of the counts: more than n_rows where people have several values */
    size_t n;
    const struct kan_model_count {
        size_t place;
        uint64_t count;
    } * counts;
    uint64_t *room; /* n words, for whoever needs to put them into another order */
} kan_model_tally;

/* The groups of the rows of each household: group[start[h]] .. group[start[h+1] - 1]. */
typedef struct kan_households_recount {
    size_t n;
    size_t *start, *group;
} kan_households_recount;

/* All groups, for a model that looks at no sensitive column. */
typedef struct kan_groups_recount {
    size_t n;
    const uint64_t *rows;      /* of each group */
    const uint64_t *first_row; /* that shows it */
    size_t star;               /* the group of rows that show nothing but *; SIZE_MAX: none */
    const uint64_t *people;    /* of the population, who match it; NULL: there is none */
    const double *weights;     /* how many people its rows stand for; NULL: there are no weights */
    /* What sets of columns show (recount_sets.c): by group, whether some of that is too rare, and how many
     * rows show the rarest; NULL: no model asks. */
    const uint8_t *is_rare;
    uint64_t fewest_of_sets;
    uint64_t *size_room; /* two words for each, for who puts sizes in order */
    /* Where people are counted: of each person the people of the smallest group that she is in; NULL: rows
     * are counted. */
    const uint64_t *near;
    size_t n_near;
    const kan_households_recount *households; /* NULL: no model asks */
} kan_groups_recount;

static inline uint64_t kan_model_total(const struct kan_model_count *counts, size_t n) {
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += counts[i].count;
    return total;
}

/* ---- recount_pairs.c ------------------------------------------------------------------------ */

/* A table that counts pairs of a group and the place of a value. */
void kan_model_pairs_init(kan_tuples *pairs, kan_run *run);
/* Counts the values of n rows (at most KAN_TUPLES_BLOCK), whose groups are known. `counts` is that
 * of their table. */
KAN_MUST_USE kan_status kan_model_pairs_add(kan_tuples *pairs, const kan_column *column,
                                            const kan_model_values *values, uint64_t row, size_t n,
                                            const size_t *groups, const uint64_t *counts);
/* The pairs by group, then place: those of group g are counts[start[g]] .. counts[start[g+1]-1].
 * `start` is all zero, and has two entries more than there are groups. */
void kan_model_pairs_sort(const kan_tuples *pairs, size_t n_groups, size_t *start,
                          struct kan_model_count *counts);

/* ---- recount_weights.c ---------------------------------------------------------------------- */

/* How many people the rows of each group stand for; the caller's. `groups` are the tuples of the
 * question's quasi-identifiers. KAN_FAILED where a row has no weight above 0. */
KAN_MUST_USE kan_status kan_recount_weights(kan_run *run, const kan_models_question *question,
                                            const kan_tuples *groups, double **out);

/* ---- recount_sets.c ------------------------------------------------------------------------- */

typedef struct kan_set_recount {
    uint8_t *is_rare; /* by group, and one more: it shows something too rare; the caller's */
    uint64_t fewest;  /* rows that show the same in a set; 0: there are no rows */
} kan_set_recount;

/* Counts what every set of the claim's sizes shows. `groups` are the tuples of the question's
 * quasi-identifiers. KAN_BAD_INPUT where there are fewer of these. */
KAN_MUST_USE kan_status kan_recount_sets(kan_run *run, const kan_models_question *question,
                                         const kan_tuples *groups, kan_set_recount *out);

/* ---- recount_people.c ----------------------------------------------------------------------- */

/* The households of the question, initialised by this call, also when it fails. `groups` are the tuples of its
 * quasi-identifiers. */
KAN_MUST_USE kan_status kan_recount_households(kan_run *run, const kan_models_question *question,
                                               const kan_tuples *groups,
                                               kan_households_recount *out);
void kan_households_recount_destroy(kan_run *run, kan_households_recount *households);

/* ---- groups, values and pairs --------------------------------------------------------------- */

/* The groups of a table, and for each sensitive column its values and the pairs. */
typedef struct kan_model_groups {
    kan_run *run;
    kan_model_values *values; /* by column of the claim */
    kan_tuples *pairs;        /* by column: of group and place of a value */
    size_t n_made;            /* columns whose values and pairs are there */
    const kan_column *const *sensitive;
    const uint64_t *counts;    /* of the table; NULL: every row counts once */
    kan_recount_groups groups; /* sizes are of rows, or of people */
    bool has_groups;
    size_t *group_of; /* by row, where people are counted */
    kan_people_rows people;
    /* Where models are promised of histories: they are held against parts of groups. */
    bool has_parts;
    kan_tuples parts; /* of kan_people_part */
    kan_history_recount histories;
} kan_model_groups;

typedef struct kan_model_rows {
    const kan_table *table;
    const size_t *quasi;
    size_t n_quasi;
    const kan_claim_column *columns;
    const kan_column *const *sensitive; /* what the rows show of each column */
    size_t n_columns;
    bool uses_distance;
    const uint32_t *person_of; /* by row; NULL: rows are counted */
    bool by_history;           /* models look at people who share a history */
    uint64_t k;                /* with histories: how many people should */
} kan_model_rows;

/* Groups the rows and counts the pairs; KAN_FAILED with 2^47 rows or more. `out` is initialised by this call, also when it fails:
 * always destroy it. */
KAN_MUST_USE kan_status kan_model_groups_make(kan_run *run, const kan_model_rows *rows,
                                              kan_model_groups *out);
void kan_model_groups_destroy(kan_model_groups *groups);
/* What models are held against: groups, or parts of them. */
static inline const kan_tuples *kan_model_units(const kan_model_groups *groups) {
    return groups->has_parts ? &groups->parts : &groups->groups.tuples;
}

/* ---- for the kinds -------------------------------------------------------------------------- */

/* One more group that fails, or is why all of them do. */
void kan_model_add_failing(const kan_groups_recount *groups, size_t group,
                           struct kan_model_recount *out);

/* Whether the value at a place is one of the named ones; only those of the claim can be. */
static inline bool kan_model_is_named(const bool *is_named, const kan_model_values *values,
                                      size_t place) {
    return place < values->n_known && is_named[values->index_of[place]];
}

/* a/b against c/d, exactly: below 0, 0 or above 0. b and d are not 0. */
int kan_model_compare(kan_u128 a, kan_u128 b, kan_u128 c, kan_u128 d);

#endif

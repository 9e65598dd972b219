/* The SQL of a release: tables that say what values become, and the SELECT that applies them.
 *
 * The tables are loaded row by row (apply.c). All of their columns are own names (sql.h), with P for
 * the prefix:
 *   a map of a column     Pv its text; Pi its code from 1; PlJ the label in column J of the release;
 *                         PgJ what the list of the suppressed has for it
 *   the suppressed        PkJ for each column J that decides it
 *   outcomes of tuples    PiC the code from 1 of each key C; Plo and Phi, where rows are divided, the
 *                         first and the last of the tuple's rows that it takes; Pg the outcome. Where
 *                         a dialect maps by transform, Pu stands in place of the PiC: see
 *                         kan_sql_tuple_key
 *   groups of labels      Pg the outcome; PlJ the label in column J
 * Where a dialect maps by transform, only columns of many values have a map.
 * A value that no map has gives no outcome and the label NULL, and its row stays: the recount finds
 * it. */
#ifndef KANON_ENGINE_APPLY_SQL_H
#define KANON_ENGINE_APPLY_SQL_H

#include "engine/apply_plan.h"

/* Where the tables are, as SQL has them; NULL: it is not needed. */
typedef struct kan_apply_places {
    const char **maps; /* by column of the input */
    const char *suppressed, *outcomes, *groups;
    const char *secret; /* the key of the order of rows: Pv in one row */
} kan_apply_places;

/* What a map of a column of the input has to say. */
typedef struct kan_map_needs {
    bool has_code;   /* it is a key of outcomes */
    size_t label_of; /* the column of the release whose labels it gives; SIZE_MAX: none */
    size_t test_of;  /* the same of what decides suppression */
} kan_map_needs;
kan_map_needs kan_apply_map_needs(const kan_apply_plan *plan, size_t source);
bool kan_map_is_needed(const kan_map_needs *needs);
/* Whether the suppressed are told by this column's own text: it needs no map for that. */
bool kan_apply_tests_text(const kan_apply_plan *plan, const kan_apply_column *column);

/* Columns of the tables, as they stand in CREATE TABLE, in the order in which they are loaded. */
void kan_sql_map_columns(kan_text *sql, const kan_apply_plan *plan, size_t source);
void kan_sql_suppressed_columns(kan_text *sql, const kan_apply_plan *plan);
void kan_sql_outcome_columns(kan_text *sql, const kan_apply_plan *plan);
void kan_sql_group_columns(kan_text *sql, const kan_apply_plan *plan);
void kan_sql_secret_columns(kan_text *sql, const kan_apply_plan *plan);

/* The rows of the release, out of `from`. */
void kan_sql_apply(kan_text *sql, const kan_apply_plan *plan, const kan_apply_places *places,
                   const char *from);
/* The same for dialects that map by transform (apply_transform.c): values and labels are texts of the
 * statement, where they are not too many, and each SELECT has one JOIN. */
void kan_sql_apply_transform(kan_text *sql, const kan_engine *engine, const kan_apply_plan *plan,
                             const kan_apply_places *places, const char *from);
/* Whether the map of a column is a part of that statement, and needs no table. */
bool kan_map_is_transform(const kan_engine *engine, const kan_apply_plan *plan, size_t source);
/* Whether codes of all keys fit into one number; else their texts are joined. */
bool kan_apply_key_is_number(const kan_apply_plan *plan);

/* A column of the input that is released as it is. NULL and '' are both the missing value to whoever
 * counted, so that both are NULL here. */
void kan_sql_raw(kan_text *sql, const kan_apply_plan *plan, const kan_apply_column *column,
                 const char *of);

#endif

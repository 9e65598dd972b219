/* The door of engine/sql: SQL as text, made of a dialect. Everything that a user or a table named goes through kan_sql_name or
 * kan_sql_text; nothing else of theirs is ever a part of a statement.
 *
 * Own names are a prefix and a number. The prefix is chosen so that no column of the table begins
 * with it (kan_sql_prefix), whatever case an engine takes for the same: so they need no quotes, and
 * mean the same wherever an engine looks for columns and aliases. */
#ifndef KANON_ENGINE_SQL_SQL_H
#define KANON_ENGINE_SQL_SQL_H

#include "core/memory.h"
#include "core/text.h"
#include "engine/sql/dialect.h"

typedef struct kan_sql_column {
    const char *name, *type; /* the type as the engine calls it */
    const kan_sql_form *form;
    bool may_be_null;
} kan_sql_column;

typedef struct kan_sql_table {
    const kan_dialect *dialect;
    const char *place; /* as it stands behind FROM: quoted, with its schema */
    size_t n_columns;
    const kan_sql_column *columns;
    const char *prefix; /* of own names */
} kan_sql_table;

/* ---- pieces --------------------------------------------------------------------------------- */

/* A name of a table or column, quoted. */
void kan_sql_name(kan_text *sql, const kan_dialect *dialect, const char *name);
/* SCHEMA.NAME, both quoted; schema may be NULL. */
void kan_sql_place(kan_text *sql, const kan_dialect *dialect, const char *schema, const char *name);
/* A text, quoted. It has no byte 0, which SQL cannot write. */
void kan_sql_text(kan_text *sql, const kan_dialect *dialect, kan_slice text);
/* A pattern of the dialect, with `piece` in place of each ?. */
void kan_sql_pattern(kan_text *sql, const char *pattern, const char *piece);
/* KAN_BAD_INPUT where the engine would cut the name of a new table or refuse it. */
KAN_MUST_USE kan_status kan_sql_check_name(kan_run *run, const kan_dialect *dialect,
                                           const char *name);
/* A prefix that begins none of the names. */
KAN_MUST_USE kan_status kan_sql_prefix(kan_arena *arena, size_t n_columns,
                                       const kan_sql_column *columns, const char **out);
/* The text of a column: the dialect's form around its quoted name, behind `of` and a point where
 * that is not NULL. */
void kan_sql_column_text(kan_text *sql, const kan_sql_table *table, size_t column, const char *of);
/* The same, with '' for NULL: what joins compare. */
void kan_sql_column_key(kan_text *sql, const kan_sql_table *table, size_t column, const char *of);

/* Whether the text of a real is that of no number. */
bool kan_sql_text_is_nan(kan_slice text);

/* ---- statements ----------------------------------------------------------------------------- */

/* The distinct combinations of columns with encode[i], as texts in their order, and behind them the
 * text of how many rows each has. NULL may come as a text, and the same texts twice. */
void kan_sql_fold(kan_text *sql, const kan_sql_table *table, const bool *encode);

/* The same of combinations that have a row before some time (io/source.h). The dialect can draw. */
typedef struct kan_sql_some {
    double clock;
    uint64_t n_most; /* no combination has more rows; 0: not known */
    const bool
        *by_row; /* rows are drawn, by the columns of which it is true; NULL: combinations are */
} kan_sql_some;
void kan_sql_fold_some(kan_text *sql, const kan_sql_table *table, const bool *encode,
                       const kan_sql_some *some);
/* One row of texts: known values of a column, those of one row, all rows, rows of NULL and '', of '?', and
 * of the most frequent value. */
enum { KAN_SQL_SUMS = 6 };
void kan_sql_sum_up(kan_text *sql, const kan_sql_table *table, size_t column);
/* One row: the texts of its least and its greatest value, as the engine orders them. */
void kan_sql_range(kan_text *sql, const kan_sql_table *table, size_t column);

/* The inner part of that: groups by what the engine itself compares, each column P and its number, and
 * Pn how many rows, with P for the prefix. And the text of such a column, '' for NULL, `of` before it. */
void kan_sql_groups(kan_text *sql, const kan_sql_table *table, const bool *encode);
/* The same of rows for which a condition holds; NULL: of all. */
void kan_sql_groups_where(kan_text *sql, const kan_sql_table *table, const bool *encode,
                          const char *condition);
void kan_sql_group_text(kan_text *sql, const kan_sql_table *table, size_t column, const char *of);

/* The distinct pairs of a column's text, '' for NULL, and of what tells its values apart (kan_sql_form):
 * of all its values, or of '' alone where other texts say all. */
void kan_sql_apart(kan_text *sql, const kan_sql_table *table, size_t column);

/* A row that says what is the matter for each pair of literals that
 * the engine takes for the same though their bytes differ.
 * `form` is how columns become text. No row: texts are compared by bytes. */
void kan_sql_probe(kan_text *sql, const kan_dialect *dialect, const kan_sql_form *form,
                   const char *prefix);

/* A row where there is a table of that name. */
void kan_sql_exists(kan_text *sql, const kan_dialect *dialect, const char *schema,
                    const char *name);
/* Tables by their place, as SQL has it. */
void kan_sql_drop(kan_text *sql, const kan_dialect *dialect, const char *place);
void kan_sql_rename(kan_text *sql, const kan_dialect *dialect, const char *place,
                    const char *schema, const char *name);

#endif

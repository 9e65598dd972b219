/* The door of engine/script: a release as statements, for a database that kanon cannot reach.
 *
 * A script is an engine whose transport runs nothing. What would be executed is written down, in order;
 * what would be counted comes from a file: the result of the GROUP BY that kan_script_counts writes. So the
 * release is planned and made into SQL by the same code as elsewhere (engine/apply.c), and what nobody can
 * recount here is recounted by whoever runs the statements:
 *
 *   the probe       a query that gives a row where texts are not compared by bytes
 *   mapping tables  which are temporary where the dialect has such
 *   the working table   CREATE TABLE AS, under a name of ours
 *   the recount     a query that gives a row for each group of it that has not as many rows as it has here
 *   the release     CREATE TABLE AS, all of the working table, or no row where a query above gives one
 *
 * The types of columns are not known: what was counted is released as its text, and what passes through as
 * it is. A recoding that has to put rows in an order, to divide those that are alike, is refused.
 *
 * The statements have the values of the input and what becomes of each: the file is for those who may see
 * the table. script.c is the transport, write.c the statements and their file, expect.c the recount. */
#ifndef KANON_ENGINE_SCRIPT_SCRIPT_H
#define KANON_ENGINE_SCRIPT_SCRIPT_H

#include "engine/engine.h"

/* A column of a file of counts that says how many rows there are. */
#define KAN_SCRIPT_ROWS "kanon_rows"

/* The statements that count: one GROUP BY of these columns. */
KAN_MUST_USE kan_status kan_script_counts(kan_engine *engine, const bool *encode, kan_text *out);
/* Adds the recount to the script, after kan_engine_apply, and the release itself. `expected` has what it
 * shows, a column for each of its columns that do not pass through; it was verified. */
KAN_MUST_USE kan_status kan_script_expect(kan_engine *engine, const kan_table *expected);

#endif

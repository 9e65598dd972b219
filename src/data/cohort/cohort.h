/* The door of data/cohort: which rows of a table an expression chooses (--where), and a table of these.
 *
 *   age >= 18 and region = "North" or not (died is missing)
 *
 * An expression is made of tests, joined by and, or, not and parentheses; `and` binds closer than `or`. A
 * test is about one column, whose name stands on the left, in quotes where it is no plain word:
 *
 *   COLUMN = VALUE, and != < <= > >=      COLUMN in (VALUE, ...)      COLUMN is missing
 *   ("==" and "<>" are = and !=)          COLUMN not in (VALUE, ...)  COLUMN is not missing
 *
 * The value says how a column is compared:
 *   a number  18, -0.5    by value, exactly: 18 is 18.0. Each value of the column must be a number, or missing
 *   a date    2020-01-31  by time: a date is the first moment of its day. Each must be a date, or missing
 *   a text    "North"     by bytes, with = and != and in alone: text has no order
 * The values of the column are those that kanon has in its own form, whatever the table writes: 70,5 of a
 * table with --decimal , is 70.5. A quote within quotes stands there twice.
 *
 * What a missing value is compared with is unknown, as in SQL: the test does not hold, nor does it with `not`
 * before it. `is missing` alone always says yes or no. A row is chosen where the whole holds.
 *
 * So `not` can be moved to the tests, which is done when the expression is read: what is left joins tests by
 * `and` and `or`, and for that it does not matter whether a test fails or is unknown. May touch core and data. */
#ifndef KANON_DATA_COHORT_COHORT_H
#define KANON_DATA_COHORT_COHORT_H

#include "data/table.h"

typedef enum kan_cohort_relation {
    KAN_COHORT_AMONG, /* the values */
    KAN_COHORT_BELOW, /* the value */
    KAN_COHORT_UP_TO,
    KAN_COHORT_MISSING
} kan_cohort_relation;

typedef struct kan_cohort_test {
    kan_slice column;
    kan_cohort_relation relation;
    bool is_negated; /* > is not UP_TO, and so on */
    kan_type type;   /* of the values; text is compared by bytes */
    const kan_slice *values;
    size_t n_values; /* in order, without repetitions */
    size_t at;       /* the column's place in the table, set by kan_cohort_bind */
} kan_cohort_test;

/* Tests and what joins them, each behind what it joins; the last is the whole. */
typedef enum kan_cohort_joint { KAN_COHORT_TEST, KAN_COHORT_AND, KAN_COHORT_OR } kan_cohort_joint;
typedef struct kan_cohort_step {
    kan_cohort_joint joint;
    size_t left, right; /* steps; of a test `left` is its number */
} kan_cohort_step;

enum { KAN_COHORT_TESTS = 256, KAN_COHORT_STEPS = 2 * KAN_COHORT_TESTS };

typedef struct kan_cohort {
    const char *text; /* as it was written */
    kan_cohort_test *tests;
    size_t n_tests;
    kan_cohort_step *steps;
    size_t n_steps;
} kan_cohort;

/* Reads an expression, into the arena; KAN_BAD_INPUT says at which character it is wrong, and the remedy. */
KAN_MUST_USE kan_status kan_cohort_parse(kan_run *run, kan_arena *arena, const char *text,
                                         kan_cohort **out);

/* What a test says of a value in kanon's own form. */
typedef enum kan_cohort_answer {
    KAN_COHORT_NO, /* or unknown */
    KAN_COHORT_YES,
    KAN_COHORT_MISFIT /* no number, or no date, where the test is about these */
} kan_cohort_answer;
kan_cohort_answer kan_cohort_ask(const kan_cohort_test *test, kan_slice value);

/* How messages name rows. NULL: by their number in the table. */
typedef struct kan_cohort_places {
    kan_status (*find)(void *context, uint64_t row, uint64_t *line, bool *is_found);
    void *context;
} kan_cohort_places;

/* The rows of a table that the expression chooses, ascending, for the caller to free. Its columns are encoded,
 * and its tests know them. KAN_BAD_INPUT where values do not fit, or no row is chosen; `origin` is the table in messages. O(rows *
 * tests). */
KAN_MUST_USE kan_status kan_cohort_choose(kan_run *run, const kan_cohort *cohort,
                                          const kan_table *table, const char *origin,
                                          const kan_cohort_places *places, uint64_t **rows,
                                          uint64_t *n_rows);
/* KAN_BAD_INPUT of a value that does not fit; `place` says where it stands: "people.csv:7". */
kan_status kan_cohort_fail_misfit(kan_run *run, const kan_cohort_test *test, const char *place,
                                  kan_slice value);

/* The table becomes one of these rows alone, as if no others had been read: its dictionaries hold the values
 * of these. Columns have no spelling yet that was settled by their values. When it fails, the table can only
 * be destroyed. */
KAN_MUST_USE kan_status kan_cohort_cut(kan_table *table, const uint64_t *rows, uint64_t n_rows);

#endif

/* Sources: where the rows of a table come from. A kind of source is one file and one line of the
 * registry; code that reads a table calls the functions below, and knows no kind.
 *
 * What a source cannot do it says itself: a function of its kind that is NULL. */
#ifndef KANON_IO_SOURCE_H
#define KANON_IO_SOURCE_H

#include "core/options.h"
#include "data/cohort/cohort.h"
#include "data/spelling.h"
#include "data/table.h"
#include "io/beside.h"
#include "io/field.h"

/* How a table is to be read, as far as its user said. */
typedef struct kan_source_options {
    char separator;                 /* of text in columns; 0: found out */
    bool is_guarded;                /* it was written with a guard against formulas (io/guard.h) */
    bool is_quiet;                  /* nothing is noted: it is a release that was just written */
    const char *encoding;           /* of text, as iconv calls it; NULL: UTF-8 */
    bool encodes_if_needed;         /* only where the text is not UTF-8 */
    const kan_spellings *spellings; /* how values are written; NULL: as kanon writes them */
    const kan_options *given;       /* the options that a kind lists; NULL: none was given */
    /* Of a file that holds several tables: the name of this one, and those of all that are looked at;
     * they outlive the source. NULL: it holds one, or `given` says which it is. */
    const char *table;
    const char *const *tables;
    size_t n_tables;
    struct kan_arrow *arrow; /* rows in memory, for the kind that reads them; no path then */
    /* Of engines: the path is that of a schema, which is opened as a place of tables and has no columns. And
     * such a one that is open, of which `table` is wanted, as its rows are stored; no path then. */
    bool is_schema;
    struct kan_engine *schema;
    /* Of a table that nobody can look at: columns that settings name. */
    const char *const *said;
    size_t n_said;
} kan_source_options;

/* For messages: some values of one text, and how they are made one. */
typedef struct kan_apart_words {
    const char *examples, *remedy;
} kan_apart_words;

/* Which rows are wanted of a table that is counted where it is. */
typedef struct kan_source_some {
    double clock;    /* see kan_source_kind.count_some; 0: all */
    uint64_t n_most; /* no combination has more rows than this; 0: not known */
    /* Of single rows: those that come before the clock, by a column that is different in every row. Then
     * combinations have as many rows as these. */
    bool is_by_row;
    size_t row_column;
} kan_source_some;

/* What a column has. "" and "?" are missing, as NULL is. */
typedef struct kan_source_sum {
    bool can_draw;
    uint64_t n_rows, n_missing;
    uint64_t n_distinct, n_once; /* known values, and those that one row has */
    uint64_t n_most;             /* rows of the most frequent value */
    /* Of numbers and dates by their type: the least and the greatest, where their texts are short. */
    bool has_range;
    char least[64], greatest[64];
} kan_source_sum;

/* One of the tables of a file that holds several. */
typedef struct kan_source_table {
    const char *name;
    uint64_t n_rows, n_columns; /* as the file says it, with the row of the names; 0: it does not */
    bool is_hidden;
    bool is_this; /* the one that was opened */
} kan_source_table;

typedef struct kan_source_tables {
    const kan_source_table *list; /* in the order of the file; it lives as long as the source */
    size_t n;
} kan_source_tables;

typedef struct kan_source_kind {
    kan_kind kind;
    const char *title;   /* what people call such tables: "SPSS"; NULL: its name */
    bool is_text;        /* its bytes are text in some encoding, which can be found by looking */
    bool takes_encoding; /* --encoding is about it */
    bool is_for_engine;  /* with --engine, that counts its files, and makes releases of its kind */
    /* Whether a path is one of this kind, by its ending. The first of the registry that says so
     * opens it, unless its user named a kind. NULL: any is. */
    bool (*takes)(const char *path);
    /* Reads what comes before the rows: the names of the columns. KAN_BAD_INPUT says what is wrong
     * with the file, and what helps. "-" is standard input. */
    kan_status (*open)(kan_run *run, const char *path, const kan_source_options *options,
                       void **out);
    void (*close)(void *state);
    const char *(*name)(const void *state); /* for messages */
    size_t (*n_columns)(const void *state);
    const char *(*column_name)(const void *state, size_t column);
    /* What is known of a column; it lives as long as the source. NULL: text, of no known type. */
    const kan_field *(*field)(const void *state, size_t column);
    /* Before a reading: the column shows its labels, or its codes, as `like` does, which is what
     * another table has under its name; what its user said about it stays. NULL: columns show
     * themselves in one way. */
    void (*show_like)(void *state, size_t column, const kan_field *like);
    /* Reads all rows, on all threads of the run. Columns with encode[i] get dictionary and codes;
     * of these, columns with as_is[i] (NULL: none) will be written again as they are: they have
     * codes, not labels, and each missing code by itself; spellings do not touch them. It may be
     * called several times, for different columns. See io/gather.h. */
    kan_status (*read)(void *state, const bool *encode, const bool *as_is, kan_table **out);
    /* In place of `read`, for what folds rows where they are, such as a database: a counted table
     * (kan_table.counts) of the distinct combinations of the encoded columns. A search needs no
     * more, and who counted does not matter. `read` is NULL then. */
    kan_status (*count)(void *state, const bool *encode, kan_table **out);
    /* The same, of some combinations, each with all of its rows: as if every row came at a time drawn
     * from an exponential distribution, those that have a row before some->clock, which are
     * 1 - exp(-n clock) of those with n rows. Which they are follows from what they hold: the same
     * table gives the same. NULL: all come. */
    kan_status (*count_some)(void *state, const bool *encode, const kan_source_some *some,
                             kan_table **out);
    /* What all rows have in a column, in numbers, counted where they are; where there is count_some.
     * Where out->can_draw is false nothing was counted, and all have to come. The ends are looked for
     * where it has more than `most` values. */
    kan_status (*sum_up)(void *state, size_t column, uint64_t most, kan_source_sum *out);
    /* Before `count`: columns that are only held against the same column of another table, so that any
     * text that tells their values apart will do; NULL: none are. NULL: all texts do. */
    void (*compare)(void *state, const bool *columns);
    /* out[i][row] becomes a number for what a row has in columns[i]: the same where the values are
     * the same, and another where they are not, but for one chance in 2^64. The columns are in
     * ascending order, and the rows were read. NULL: `read` is asked for the columns. */
    kan_status (*hash)(void *state, const size_t *columns, size_t n_columns, uint64_t *const *out);
    /* The line of the file on which each of n rows, ascending, begins; *is_found is false where
     * that cannot be told. NULL: there are no lines. */
    kan_status (*find_lines)(void *state, const uint64_t *rows, size_t n, uint64_t *lines,
                             bool *is_found);
    /* Sets found[i] of each of these columns that has values which are one text here, and which
     * whoever opens the table can tell apart, such as an empty text and no value. The rows were
     * read. NULL: nothing is known of a value but its text. */
    kan_status (*find_apart)(void *state, const bool *columns, bool *found);
    kan_apart_words apart; /* where there is find_apart */
    /* Lists what the file has beside its table. With `book_is_public`, labels and missing codes of
     * values that no row shows are not listed. NULL: there is nothing but the table. */
    kan_status (*find_beside)(void *state, bool book_is_public, kan_beside *out);
    /* Lists the tables of the file, without looking at their rows. NULL: a file holds one. */
    kan_status (*list_tables)(void *state, kan_source_tables *out);
    /* From here on the table has the rows alone that an expression chooses, wherever they are counted. NULL:
     * rows that were read are chosen here. */
    kan_status (*choose)(void *state, const kan_cohort *cohort);
} kan_source_kind;

extern const kan_source_kind kan_source_csv;

typedef struct kan_source {
    const kan_source_kind *kind;
    kan_run *run;
    void *state;
    const kan_spellings *spellings; /* of its values; they may be changed before it is read */
    const bool *compared; /* by column: who reads it only compares it with another's; NULL: none */
    bool takes_counts;    /* who reads it knows counted tables; else each row stands for itself */
    kan_source_some some; /* the rows that its reader wants where they are counted */
    /* Rows that are chosen here (io/source_cohort.c): everything that is said of rows is about these. */
    kan_cohort *cohort; /* in `arena`, which it alone has; NULL: all are */
    kan_arena arena;
    uint64_t *rows;         /* those of the file that are in it, once the first were read; NULL */
    uint64_t n_rows, n_all; /* how many, and how many the file has */
} kan_source;

KAN_MUST_USE kan_status kan_source_open(kan_run *run, const kan_source_kind *kind, const char *path,
                                        const kan_source_options *options, kan_source **out);
void kan_source_close(kan_source *source); /* NULL is none */
const char *kan_source_name(const kan_source *source);
size_t kan_source_n_columns(const kan_source *source);
const char *kan_source_column_name(const kan_source *source, size_t column);
/* From here on the table is that of the rows which the expression chooses (data/cohort), whose columns it
 * has. What `spellings` say when it is first read says also what the expression is held against. */
KAN_MUST_USE kan_status kan_source_choose(kan_source *source, const char *expression);
/* NULL: text, of no known type. */
const kan_field *kan_source_field(const kan_source *source, size_t column);
/* All rows, in no order where the source counts them, and counted where its reader takes that. Values of encoded columns are taken as their
 * spelling says, save those that are to be as they are (io/source_spelling.c). KAN_BAD_INPUT where
 * a column was said by name to be written in some way, and is not. */
KAN_MUST_USE kan_status kan_source_read(kan_source *source, const bool *encode, const bool *as_is,
                                        kan_table **out);
/* KAN_BAD_INPUT where the kind cannot look at columns that are not encoded. */
KAN_MUST_USE kan_status kan_source_hash(kan_source *source, const size_t *columns, size_t n_columns,
                                        uint64_t *const *out);
/* None where a file of its kind holds one table alone. */
KAN_MUST_USE kan_status kan_source_list_tables(kan_source *source, kan_source_tables *out);
KAN_MUST_USE kan_status kan_source_find_lines(kan_source *source, const uint64_t *rows, size_t n,
                                              uint64_t *lines, bool *is_found);

#endif

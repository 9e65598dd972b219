/* Sinks: what a release is written to. A kind of sink is one file and one line of the registry; code
 * that writes a release calls the functions below, and knows no kind.
 *
 * The bytes stand beside the target, under no name or another one, until they are committed. */
#ifndef KANON_IO_SINK_H
#define KANON_IO_SINK_H

#include "data/release.h"
#include "io/source.h"
#include "io/streams/streams.h"

/* A column as it will be written. */
typedef struct kan_sink_column {
    const kan_release_column *column;
    /* Its name, type and labels. The type is one that all values can be written as and read back
     * the same; text where there is none, and where suppressed rows show *. */
    kan_field field;
    /* What is written for each code of the column, in the form of field.type: its labels, or, where
     * the field shows codes, the codes behind them. What no released row shows is not here: it must
     * not get into a file, not even into a list of values that nobody has. */
    const kan_slice *values;
    const bool *is_shown; /* by code; of a column that passes through NULL, as are the values */
} kan_sink_column;

typedef struct kan_sink_plan {
    const kan_release *release;
    const kan_sink_column *columns; /* those of the release; NULL unless the kind is typed */
    kan_source *source;             /* of the fields that pass through; NULL: none does */
    const kan_options *given;       /* the options that a kind lists */
    const char *encoding;           /* of text; NULL: UTF-8 */
} kan_sink_plan;

/* What a release will have at most, before it is searched for. */
typedef struct kan_sink_sketch {
    const char *target; /* for messages */
    const char *table;  /* its name, in a file of several; NULL: the file has no other */
    size_t n_columns;
    const char *const *columns; /* their names */
    uint64_t n_rows;
    const kan_options *given; /* the options that a kind lists */
} kan_sink_sketch;

/* Cells that a spreadsheet would run as formulas. */
typedef struct kan_formulas {
    uint64_t n;
    const char *column; /* the first with one; NULL: none */
} kan_formulas;

/* Files of a kind, as people choose between them. */
typedef struct kan_sink_file {
    const char *ending; /* "csv.gz", which the kind takes */
    const char *words;  /* "CSV, compressed (.gz)" */
} kan_sink_file;

enum { KAN_SINK_FILES = 3 };

typedef struct kan_sink_kind {
    kan_kind kind;
    kan_sink_file
        files[KAN_SINK_FILES]; /* an ending NULL ends them; none: its name is its ending */
    /* What it needs and does not find on this machine, for people; NULL: it has all. NULL instead of a
     * function: it needs nothing. */
    const char *(*missing)(void);
    bool is_text; /* --output-encoding is about it */
    /* Whether a path is one of this kind, by its ending. NULL: any is. */
    bool (*takes)(const char *path);
    const kan_source_kind *reader; /* reads what was written */
    /* Whether it can write the fields of such a source again by itself. NULL: it never can, and
     * columns that pass through are read as they are. */
    bool (*passes)(const kan_source_kind *source);
    bool is_typed; /* it has types, and gets kan_sink_column; else the release is all it needs */
    /* Typed: it has a code book, and gets the codes behind labels. Others get the labels themselves. */
    bool has_codebook;
    /* There is no target: what is written is left in readback->arrow, and goes by `forget`. */
    bool in_memory;
    void (*forget)(struct kan_arrow *arrow);
    /* The same: rows go into tables of readback->schema, which whoever made them names. */
    bool in_engine;
    /* Typed: columns of text have their values as the input writes them (data/spelling.h), and its
     * reader takes them so. Without types all columns have. */
    bool is_spelled;
    /* KAN_BAD_INPUT where it cannot hold a table with these columns and rows. NULL: it holds all. */
    kan_status (*check)(kan_run *run, const kan_sink_sketch *sketch);
    /* Writes all of it with kan_target_write, or to kan_target_path; the target is finished by the
     * caller. What it cannot hold is KAN_BAD_INPUT, with the column and a remedy. `readback` is how
     * its reader gets the same values; it is filled with the caller's options before, and texts in
     * it must live as long as the plan. `formulas` may count cells that a spreadsheet would run. */
    kan_status (*write)(kan_run *run, const kan_sink_plan *plan, kan_target *target,
                        kan_source_options *readback, kan_formulas *formulas);
    /* Several tables in one file, each under its name. NULL: a file holds one. */
    kan_status (*write_several)(kan_run *run, const kan_sink_plan *plans, const char *const *names,
                                size_t n, kan_target *target, kan_source_options *readbacks);
} kan_sink_kind;

extern const kan_sink_kind kan_sink_csv;

typedef struct kan_sink kan_sink;

/* What is asked of a sink. */
typedef struct kan_sink_order {
    const kan_sink_kind *kind;
    const kan_release *release;
    kan_source *source; /* where the rows came from; NULL: they are in memory */
    const char *target; /* "-": standard output; the bytes wait in a temporary file. NULL: memory */
    bool overwrite;     /* without it an existing target is KAN_BAD_INPUT, before any writing */
    bool is_private;    /* if it is new, nobody but its owner may read it */
    const kan_options *given;
    const char *encoding;      /* of text; NULL: UTF-8 */
    struct kan_engine *schema; /* of a kind in an engine: where its tables are made */
} kan_sink_order;

/* Writes the whole release. */
KAN_MUST_USE kan_status kan_sink_write(kan_run *run, const kan_sink_order *order, kan_sink **out);
/* The same of several releases, for one target, each under its name; the first order says what holds for
 * the file. Of kinds that have write_several. */
KAN_MUST_USE kan_status kan_sink_write_several(kan_run *run, const kan_sink_order *orders,
                                               const char *const *names, size_t n, kan_sink **out);
/* Cells, those of the header included, that a spreadsheet would run as formulas without a guard;
 * *column (NULL: none) is the name of the first column with one, borrowed from the release. */
uint64_t kan_sink_formulas(const kan_sink *sink, const char **column);
/* Where the bytes can be read before they are committed (NULL: they are in memory), and how. */
const char *kan_sink_path(const kan_sink *sink);
const kan_source_kind *kan_sink_reader(const kan_sink *sink);
kan_source_options kan_sink_options(const kan_sink *sink);
/* The same of one of several tables. */
kan_source_options kan_sink_options_of(const kan_sink *sink, size_t table);
/* Waits until the bytes have reached the disk: the slow part of a commit. */
KAN_MUST_USE kan_status kan_sink_sync(kan_sink *sink);
/* Gives the bytes their final name, or copies them to standard output. After kan_sink_sync. */
KAN_MUST_USE kan_status kan_sink_commit(kan_sink *sink);
/* Removes what was not committed. NULL is none. */
void kan_sink_close(kan_sink *sink);
/* Of a kind in memory: what was written becomes the caller's. In place of sync and commit. */
struct kan_arrow *kan_sink_take(kan_sink *sink);

/* ---- for kinds ------------------------------------------------------------------------------ */

/* Calls `fn` for each row that is written, in the order of writing; `row` is that of the input. What
 * it returns ends the walk. */
typedef kan_status (*kan_sink_row_fn)(void *context, uint64_t row);
KAN_MUST_USE kan_status kan_sink_each_row(kan_run *run, const kan_release *release,
                                          kan_sink_row_fn fn, void *context);
/* Codes of a column that are shown, *n of them, by their values: what is written once per value is in
 * this order. That of the codes will not do: it depends on values that nobody released has, too. */
KAN_MUST_USE kan_status kan_sink_order_shown(kan_arena *arena, const kan_sink_column *column,
                                             uint32_t **codes, uint32_t *n);
/* The value of a column in an input row: "*" where a suppressed row hides it. */
static inline kan_slice kan_sink_value(const kan_release *release, const kan_sink_column *column,
                                       uint64_t row) {
    return kan_release_hides(release, column->column, row)
               ? (kan_slice){"*", 1}
               : column->values[kan_release_code(release, column->column, row)];
}

#endif

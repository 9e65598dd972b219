/* The inside of a CSV source; for the CSV files of src/io and their tests. */
#ifndef KANON_IO_CSV_CSV_SOURCE_H
#define KANON_IO_CSV_CSV_SOURCE_H

#include "data/spelling.h"
#include "io/csv/csv.h"
#include "io/csv/csv_walk.h"

struct kan_csv_source {
    kan_run *run;
    kan_stream stream;
    char separator;
    size_t n_columns;
    const char **names;
    kan_arena arena;  /* names */
    size_t header_at; /* behind a byte order mark, and a line sep=; as spreadsheets write it */
    unsigned header_line;
    size_t data_at;  /* the first byte of the first row */
    size_t data_end; /* blank lines at the end are not rows */
    /* After kan_csv_read: where the rows are, for the columns that pass through. */
    kan_csv_block *blocks;
    size_t n_blocks;
    uint64_t n_rows;
    bool is_guarded;   /* kan_csv_unguard was called */
    bool takes_empty;  /* kan_csv_take_empty was */
    const bool *as_is; /* by column, as in io/source.h; borrowed; NULL: none */
};

/* Reads the rest of a stream of which only the beginning was needed so far, and finds its end. */
KAN_MUST_USE kan_status kan_csv_complete(kan_csv_source *source);

/* As kan_csv_open, with bytes that are in memory; they are copied. `name` is borrowed. */
KAN_MUST_USE kan_status kan_csv_open_bytes(kan_run *run, const char *name, const char *bytes,
                                           size_t size, char separator, kan_csv_source **out);

/* How to read; the table that comes out is the same whatever is chosen. */
typedef struct kan_csv_tuning {
    size_t block_bytes; /* 0: chosen by the size of the file and the threads */
    bool is_portable;   /* the plain C scanner */
} kan_csv_tuning;

KAN_MUST_USE kan_status kan_csv_read_tuned(kan_csv_source *source, const bool *encode,
                                           kan_csv_tuning tuning, kan_table **out);

/* Shows a walk the records of a block, whole: from its first to where the first of another block
 * begins. The starts of all blocks must be known. */
KAN_MUST_USE kan_status kan_csv_show_block(const kan_csv_source *source,
                                           const kan_csv_block *blocks, size_t n_blocks,
                                           size_t index, kan_csv_walk *walk);

/* Fields of columns, in ascending order, once the rows were read: `take` gets them block by block, on all
 * threads, in walk->places. */
typedef struct kan_csv_visit {
    const size_t *columns;
    size_t n_columns;
    bool quoted_alone; /* blocks without any quote are left out */
    kan_status (*take)(void *context, const kan_csv_block *block, kan_csv_walk *walk,
                       unsigned worker);
    void *context;
} kan_csv_visit;

KAN_MUST_USE kan_status kan_csv_visit_fields(kan_csv_source *source, const kan_csv_visit *visit);
/* As find_apart of io/source.h. */
KAN_MUST_USE kan_status kan_csv_find_apart(kan_csv_source *source, const bool *columns,
                                           bool *found);

/* KAN_BAD_INPUT for a byte that cannot separate fields. */
KAN_MUST_USE kan_status kan_csv_check_separator(kan_run *run, char separator);
/* KAN_BAD_INPUT that names the line of a NUL byte. */
KAN_MUST_USE kan_status kan_csv_fail_binary(kan_run *run, const kan_stream *stream, size_t nul_at);

#endif

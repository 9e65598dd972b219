/* The fast walk over the records of one block: encodes the fields of the columns that are wanted,
 * or notes where they stand. */
#ifndef KANON_IO_CSV_CSV_WALK_H
#define KANON_IO_CSV_CSV_WALK_H

#include "data/encoder.h"
#include "io/csv/csv_record.h"

/* A part of the file. Its records are those that begin in begin .. end-1; the last may reach far
 * into the blocks behind. */
typedef struct kan_csv_block {
    size_t begin, end;
    size_t start;         /* of its first record; at least `end` when none begins here */
    size_t start_if[2];   /* the same if the block begins outside quotes, and inside */
    bool has_quote_or_cr; /* between begin and end */
    bool has_odd_quotes;
    size_t nul_at; /* offset of its first NUL byte, SIZE_MAX when there is none */
    uint64_t first_row;
    size_t n_rows;
} kan_csv_block;

/* Problems of a block that are told in full; the run shows as many. */
enum { KAN_WALK_PROBLEMS = 20 };

typedef struct kan_csv_walk {
    /* What is shown of the file: places are counted from its first byte, but for those of problems.
     */
    const char *bytes; /* KAN_STREAM_PAD more than size can be read */
    size_t base;       /* where in the file the bytes begin */
    size_t size;       /* where the records end */
    char separator;
    size_t n_columns;
    /* What is wanted of it: one of the two, of n_columns + 1 entries, the last being none. */
    kan_encoder **encoders; /* NULL for a column that is not wanted */
    const bool *is_located;
    size_t n_wanted; /* columns */
    bool is_portable;
    /* What was found in the block. */
    size_t n_rows;
    uint32_t **codes;      /* n_wanted arrays of n_rows codes */
    kan_csv_field *places; /* n_rows times n_wanted */
    size_t capacity;       /* in rows */
    size_t n_problems;
    kan_csv_problem problems[KAN_WALK_PROBLEMS];
    bool is_broken; /* a fault after which nothing behind can be trusted */
    /* Scratch. */
    kan_window window; /* for callers that show it bytes of a stream */
    uint32_t *ends;    /* of the fields that were found and not yet taken */
    size_t ends_capacity;
    kan_csv_cursor cursor;
    kan_text unquoted;
} kan_csv_walk;

void kan_csv_walk_init(kan_csv_walk *walk, kan_run *run, char separator, size_t n_columns);
void kan_csv_walk_destroy(kan_csv_walk *walk);
/* The bytes that the next block is walked in; they are borrowed. */
void kan_csv_walk_show(kan_csv_walk *walk, const char *bytes, size_t base, size_t size);

/* Fills in has_quote_or_cr, has_odd_quotes, nul_at and start_if. `bytes` are those of the block;
 * `is_first`: a record begins with it, if it begins outside quotes. */
void kan_csv_block_survey(const char *bytes, bool is_first, bool is_portable, kan_csv_block *block);

/* Walks over the block's records, which must be shown whole. Malformed ones are noted in
 * walk->problems and are not rows. */
KAN_MUST_USE kan_status kan_csv_walk_block(kan_csv_walk *walk, const kan_csv_block *block);

/* What a walk over the block touched of the stream is not needed for a while (kan_stream_done). */
static inline void kan_csv_block_done(const kan_stream *stream, const kan_csv_block *block) {
    enum { BEHIND = 1 << 16 }; /* its last record reaches further, most often not as far */
    kan_stream_done(stream, block->begin, block->end + BEHIND);
}

#endif

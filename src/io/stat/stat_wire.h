/* What the child that reads a statistics file says to its parent: frames of a kind, a size and that
 * many bytes, in this order:
 *
 *   SHAPE     rows that the file says it has (-1: it does not say), columns, its label
 *   VARIABLE  once per column
 *   LABEL     a value and what people call it, in a set that variables name
 *   TEXT      bytes of texts, row by row, of the block that follows
 *   BLOCK     so many rows; per wanted column a word for each: a number, or the size of a text
 *   END       rows in all
 *   FAULT     instead of all that would follow: what is wrong, where
 *
 * Numbers are in the order of the machine. The parent trusts none of them: stat_wire.c reads them
 * within bounds. */
#ifndef KANON_IO_STAT_STAT_WIRE_H
#define KANON_IO_STAT_STAT_WIRE_H

#include "core/memory.h"
#include "core/text.h"

typedef enum kan_stat_frame {
    KAN_STAT_SHAPE = 1,
    KAN_STAT_VARIABLE,
    KAN_STAT_LABEL,
    KAN_STAT_TEXT,
    KAN_STAT_BLOCK,
    KAN_STAT_END,
    KAN_STAT_FAULT
} kan_stat_frame;

/* How a column is stored. */
typedef enum kan_stat_storage {
    KAN_STAT_STRING,
    KAN_STAT_INT8,
    KAN_STAT_INT16,
    KAN_STAT_INT32,
    KAN_STAT_FLOAT,
    KAN_STAT_DOUBLE,
    KAN_STAT_DECIMAL, /* a double that was made of digits of another base: 15 decimal ones hold */
    KAN_STAT_N_STORAGES
} kan_stat_storage;

enum {
    KAN_STAT_FRAME_MOST = 1 << 26,   /* bytes of a frame */
    KAN_STAT_COLUMNS_MOST = 1 << 20, /* no format has as many */
    KAN_STAT_MISSING_MOST = 32       /* codes or ranges of them that a column may have */
};
/* A text of this size or more is refused. */
#define KAN_STAT_TEXT_MOST ((uint64_t)1 << 28)

/* Missing numbers are words of their own, which no number has: system-missing, and .a to .z with the
 * letter in the last byte. */
#define KAN_STAT_MISSING 0x7ff8000000005300u

static inline bool kan_stat_is_missing(uint64_t word) {
    return (word & ~(uint64_t)0xff) == KAN_STAT_MISSING;
}

/* Rows of a block with so many wanted columns. */
static inline size_t kan_stat_block_rows(size_t n_wanted) {
    enum { CELLS = 1 << 17, MOST_ROWS = 1 << 13 };
    const size_t rows = CELLS / (n_wanted > 0 ? n_wanted : 1);
    return rows < 1 ? 1 : rows > MOST_ROWS ? MOST_ROWS : rows;
}

typedef struct kan_stat_header {
    uint32_t kind, size;
} kan_stat_header;

/* ---- the parent's side ---------------------------------------------------------------------- */

/* The content of a frame that has not been taken yet. What is beyond its end is 0 or "", and makes
 * it broken. */
typedef struct kan_stat_cursor {
    const char *at;
    size_t left;
    bool is_broken;
} kan_stat_cursor;

uint32_t kan_stat_take_u32(kan_stat_cursor *cursor);
uint64_t kan_stat_take_u64(kan_stat_cursor *cursor);
kan_slice kan_stat_take_text(kan_stat_cursor *cursor);

typedef struct kan_stat_range {
    uint64_t least, most; /* words of numbers */
    kan_slice text;       /* of a column of texts */
} kan_stat_range;

typedef struct kan_stat_variable {
    kan_stat_storage storage;
    unsigned width, decimals;
    int measure, alignment;
    kan_slice name, format, label, set;
    size_t n_missing;
    kan_stat_range missing[KAN_STAT_MISSING_MOST];
} kan_stat_variable;

/* False where the frame is not one of these. */
bool kan_stat_take_variable(kan_stat_cursor *cursor, kan_stat_variable *out);

typedef struct kan_stat_label {
    kan_slice set, text, label; /* `text` is the value, where it is one */
    bool is_text;
    uint64_t word;
} kan_stat_label;

bool kan_stat_take_label(kan_stat_cursor *cursor, kan_stat_label *out);

/* Rows: n_rows words per wanted column, one column after the other. */
typedef struct kan_stat_block {
    size_t n_rows;
    const char *words; /* not aligned */
} kan_stat_block;

bool kan_stat_take_block(kan_stat_cursor *cursor, size_t n_wanted, kan_stat_block *out);

static inline uint64_t kan_stat_block_word(const kan_stat_block *block, size_t column, size_t row) {
    uint64_t word;
    memcpy(&word, block->words + (column * block->n_rows + row) * sizeof word, sizeof word);
    return word;
}

#endif

/* Tables of dictionary-encoded columns.
 *
 * A column's values are stored once, in its dictionary, in value order: numbers by value, dates by
 * date, text by bytes, and values that count as equal ("7" and "07") by bytes. A row holds the
 * index of its value, its code, in 1, 2 or 4 bytes. So codes are small, dense, ordered, and the
 * same however many threads read the file.
 *
 * A table is sealed: once made it never changes. Columns that nobody looks at (those that are
 * kept or left out) have no codes and cost no memory; the sink takes them from the source again. */
#ifndef KANON_DATA_TABLE_H
#define KANON_DATA_TABLE_H

#include "core/memory.h"
#include "data/value.h"

/* Quasi-identifiers that a table may have. */
enum { KAN_MAX_ATTRIBUTES = 64 };

typedef enum kan_role {
    KAN_ROLE_OTHER, /* nobody decided about it: left out, unless all such columns are kept */
    KAN_ROLE_ID,    /* names people: left out of the release */
    KAN_ROLE_QUASI, /* quasi-identifier */
    KAN_ROLE_SENSITIVE,
    KAN_ROLE_CLASS,
    KAN_ROLE_PERSON,    /* identifies the person: left out of the release */
    KAN_ROLE_PSEUDONYM, /* released as keyed pseudonyms (data/treatment.h) */
    KAN_ROLE_CODES,     /* a set of codes in each cell */
    KAN_ROLE_KEEP,      /* released as it is */
    KAN_ROLE_DROP,      /* left out of the release */
    KAN_ROLE_WEIGHT,    /* how many people of the population the row stands for */
    KAN_ROLE_HOUSEHOLD, /* identifies the household */
    KAN_ROLES
} kan_role;

/* What results call a role: "quasi-identifier"; "none" where nobody decided. */
const char *kan_role_word(kan_role role);

/* The distinct values of a column, in value order. */
typedef struct kan_dictionary {
    uint32_t n;
    char *bytes;     /* the values' bytes, one after the other */
    uint64_t *start; /* n + 1 offsets into bytes */
    kan_type type;
} kan_dictionary;

static inline kan_slice kan_dictionary_value(const kan_dictionary *dictionary, uint32_t code) {
    KAN_ASSERT(code < dictionary->n);
    return (kan_slice){dictionary->bytes + dictionary->start[code],
                       dictionary->start[code + 1] - dictionary->start[code]};
}

/* The code of a value; false when the dictionary does not have it. Binary search; needs the type's
 * order, so O(log n) value comparisons. */
bool kan_dictionary_find(const kan_dictionary *dictionary, kan_slice value, uint32_t *out);

typedef struct kan_column {
    const char *name;
    bool is_encoded; /* false: no dictionary, no codes */
    kan_dictionary dictionary;
    unsigned width;         /* bytes of a code: 1, 2 or 4 */
    void *codes;            /* n_rows codes; on disk where memory is short (core/spill.h) */
    uint64_t n_rows;        /* those of the table; 0 for a dictionary without rows */
    const uint64_t *counts; /* kan_table.counts, borrowed: by row; NULL: each counts once */
    /* How its values are written where they came from (data/spelling.h); NULL: as they are here. */
    const struct kan_spelling *spelling;
    /* By row, where missing values are written in several ways: which of the spelling's it is, from
     * 1; 0 for others, and for "". NULL: there are no several. */
    uint8_t *missing_of;
    bool joins_values; /* by its spelling: values that were two where they came from are one here */
    /* It is text, though what was said of the whole table would change some of its values, were it not for others: if
     * these are left out, those that are released are numbers, or dates, to who reads them so. */
    bool is_undecided;
    /* It is capped: its ends, also where no row has them. NULL: it is not. */
    const kan_ends *ends;
} kan_column;

struct kan_table {
    kan_run *run;
    uint64_t n_rows;
    /* Counted tables (of a source that folds rows where they are): how many rows of the input each
     * row here stands for, none of them 0, and their sum. NULL: one each. */
    uint64_t *counts;
    uint64_t n_counted;
    size_t n_columns;
    kan_column *columns;
    struct kan_table_filler *filler; /* while rows are being added; NULL once sealed */
    kan_arena arena;                 /* names */
    /* Rows that lie in the memory of another program (io/arrow), and how they are given back: the
     * columns have no codes, and who wants some reads them as those of a file. NULL: none do. */
    struct kan_arrow *arrow;
    void (*arrow_free)(struct kan_arrow *arrow);
};

/* Rows of the input that a table stands for, and one of its rows. */
static inline uint64_t kan_table_total(const kan_table *table) {
    return table->counts ? table->n_counted : table->n_rows;
}
static inline uint64_t kan_table_count(const kan_table *table, uint64_t row) {
    return table->counts ? table->counts[row] : 1;
}

/* The same of a row of a column. */
static inline uint64_t kan_column_rows(const kan_column *column, uint64_t row) {
    return column->counts ? column->counts[row] : 1;
}

/* Rows of the input that a column stands for. O(rows) where they are counted. */
uint64_t kan_column_total(const kan_column *column);

/* The code of a value as the table writes it; false when the column does not have it. */
bool kan_column_find_value(const kan_column *column, kan_slice text, uint32_t *out);

static inline uint32_t kan_column_code(const kan_column *column, uint64_t row) {
    KAN_ASSERT(column->is_encoded && row < column->n_rows);
    switch (column->width) {
    case 1:
        return ((const uint8_t *)column->codes)[row];
    case 2:
        return ((const uint16_t *)column->codes)[row];
    default:
        return ((const uint32_t *)column->codes)[row];
    }
}

/* The value of a row; the column must be encoded. */
static inline kan_slice kan_column_value(const kan_column *column, uint64_t row) {
    return kan_dictionary_value(&column->dictionary, kan_column_code(column, row));
}

/* Rows that have each code, those of the input where the table is a counted one. */
KAN_MUST_USE kan_status kan_column_count_codes(kan_run *run, const kan_column *column,
                                               uint64_t *rows);

/* The codes of n rows from `first` on are not needed for a while: a walk over rows in order calls
 * it for the rows that it has passed, some ten thousand at a time, so that a table that lies on
 * disk does not gather in memory. Any thread. */
void kan_column_done(kan_run *run, const kan_column *column, uint64_t first, uint64_t n);
/* The same for all encoded columns. */
void kan_table_done(const kan_table *table, uint64_t first, uint64_t n);

/* A table of columns without codes and of no rows, for a source to fill; names are copied. Fails
 * with KAN_BAD_INPUT on a repeated or empty name. */
KAN_MUST_USE kan_status kan_table_make(kan_run *run, size_t n_columns, const char *const *names,
                                       kan_table **out);

/* The column of that name, or NULL; `*index` (may be NULL) is its place. */
const kan_column *kan_table_find(const kan_table *table, const char *name, size_t *index);

/* A table that was filled with kan_table_add_row takes no more rows from here on, and gets its
 * dictionaries. Sealing twice does nothing. kan_table_value can be asked before and after; what it
 * returned before holds until the next row is added or the table is sealed. For a column that is
 * not encoded it returns NULL. */
KAN_MUST_USE kan_status kan_table_seal(kan_table *table);
/* Makes a sealed table a counted one; `counts` becomes its own, also when this fails. KAN_FAILED
 * where one is 0, or their sum too large. */
KAN_MUST_USE kan_status kan_table_take_counts(kan_table *table, uint64_t *counts);
/* A copy of a sealed table, with its counts. */
KAN_MUST_USE kan_status kan_table_copy(kan_run *run, const kan_table *table, kan_table **out);
/* Another counted table of the same rows: row i is `row_of[i]` of before, and counts counts[i], so
 * that what a row stood for can be divided among several, which stand for all of it together and
 * count no more. `counts` becomes the table's own, also when this fails; then the table can only be
 * destroyed. */
KAN_MUST_USE kan_status kan_table_divide(kan_table *table, const uint64_t *row_of, uint64_t n_rows,
                                         uint64_t *counts);
/* The same of one column that the table does not have itself. */
KAN_MUST_USE kan_status kan_column_divide(kan_run *run, kan_column *column, const uint64_t *row_of,
                                          uint64_t n_rows);
/* The way back: each row stands there as often as it counts, one after the other, for who looks at
 * single rows. When it fails, the table can only be destroyed. */
KAN_MUST_USE kan_status kan_table_repeat(kan_table *table);

#endif

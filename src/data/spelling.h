/* Spellings: how people write values, and how kanon does.
 *
 * kanon writes 70.5, 1980-03-14, and nothing for what is missing. A table may have 70,5 and
 * 14.03.1980 and NA. Values are taken in kanon's own form when a table or a hierarchy is read
 * (kan_spelling_take), and written in the table's form (kan_spelling_put). For every value that was
 * taken, putting it and taking it again gives the same: what a release shows can be read again. */
#ifndef KANON_DATA_SPELLING_H
#define KANON_DATA_SPELLING_H

#include "core/memory.h"
#include "core/text.h"

typedef struct kan_spelling {
    const kan_slice *missing; /* what stands for a missing value, beside "" */
    size_t n_missing;
    char decimal;            /* between whole and fraction; 0: a point */
    char thousands;          /* between groups of three digits; 0: none */
    const char *date_format; /* as strftime has it; NULL: dates are year-month-day */
    int pivot; /* years of two digits below it are of this century; -1: they are refused */
} kan_spelling;

/* The spellings of a table: one for all columns, and some of columns by name. */
typedef struct kan_spellings {
    kan_spelling all;
    size_t n;
    const struct kan_column_spelling {
        kan_slice column;
        kan_spelling spelling; /* whole: what was not said of the column is that of all */
    } * columns;
} kan_spellings;

/* The spelling of a column; NULL where it is kanon's own. */
const kan_spelling *kan_spellings_find(const kan_spellings *spellings, const char *column);

#endif

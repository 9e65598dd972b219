/* Spellings: how people write values, and how kanon does.
 *
 * kanon writes 70.5, 1980-03-14, and nothing for what is missing. A table may have 70,5 and
 * 14.03.1980 and NA. Values are taken in kanon's own form when a table or a hierarchy is read
 * (kan_spelling_take), and written in the table's form (kan_spelling_put). For every value that was
 * taken, putting it and taking it again gives the same: what a release shows can be read again.
 *
 * What users say is a wish: --decimal , for a whole table does not make numbers of names. When a
 * table is read, each column settles what it is (kan_spelling_settle): dates, where every value
 * that is not missing is one in the format; else numbers, where every one is; else text, which
 * stays byte for byte but for what is missing. A column that was called text by name is text, also
 * where all its values are numbers: they are codes then. Hierarchies, orders and releases of the column are
 * then taken and put by the settled spelling, value by value. */
#ifndef KANON_DATA_SPELLING_H
#define KANON_DATA_SPELLING_H

#include "data/date_format.h"
#include "data/table.h"

typedef struct kan_spelling {
    const kan_slice *missing; /* what stands for a missing value, beside "" */
    size_t n_missing;
    char decimal;   /* between whole and fraction; 0: a point */
    char thousands; /* between groups of three digits; 0: none. A blank, and an apostrophe, are
                             also their relatives in Unicode */
    kan_date_format date; /* its text is NULL: dates are year-month-day */
    bool names_numbers;   /* said of the column by name: it must hold numbers written so, */
    bool names_dates;     /* or dates */
    bool names_text;      /* or text, whatever its values look like */
    bool is_lenient;      /* a release: it may also hold labels */
    bool has_ends;        /* of a capped column: what follows < and >= is written so, too */
    /* Settled: */
    bool is_settled;
    const kan_slice *taken;  /* the missing ones in kanon's own form, n_missing of them */
    kan_slice shown_missing; /* what is written for one */
} kan_spelling;

/* The spellings of a table: one for all columns, and some of columns by name. */
typedef struct kan_spellings {
    kan_spelling all;
    size_t n;
    struct kan_column_spelling {
        const char *column;
        kan_spelling spelling; /* whole: what was not said of the column is that of all */
    } * columns;
} kan_spellings;

/* The spelling of a column; NULL where it is kanon's own. `spellings` may be NULL. */
const kan_spelling *kan_spellings_find(const kan_spellings *spellings, const char *column);

enum { KAN_SPELLING_ROOM = KAN_DATE_ROOM };

/* Whether a text is a number, or a date, that is written so. */
bool kan_spelling_is_number(const kan_spelling *spelling, kan_slice text);
bool kan_spelling_is_date(const kan_spelling *spelling, kan_slice text);

/* A value in kanon's own form: in `room`, or the text itself. The spelling is settled; NULL is
 * kanon's own. */
kan_slice kan_spelling_take(const kan_spelling *spelling, kan_slice text,
                            char room[KAN_SPELLING_ROOM]);
/* The way back. */
kan_slice kan_spelling_put(const kan_spelling *spelling, kan_slice value,
                           char room[KAN_SPELLING_ROOM]);
/* Whether a label survives being written and read. All that was taken do; one that was made up,
 * "other", may stand for something missing. */
bool kan_spelling_holds(const kan_spelling *spelling, kan_slice label);

/* ---- settling ------------------------------------------------------------------------------- */

typedef enum kan_spelled { KAN_SPELLED_TEXT, KAN_SPELLED_NUMBER, KAN_SPELLED_DATE } kan_spelled;

/* The spelling as one of text, numbers or dates: the others' signs are left out. What it refers to
 * is in the arena, or in `spelling`. */
KAN_MUST_USE kan_status kan_spelling_settle(kan_arena *arena, const kan_spelling *spelling,
                                            kan_spelled as, kan_spelling *out);

/* How many of the values of a column fit. Missing ones do not count. */
typedef struct kan_spelling_fit {
    uint32_t n_known, n_numbers, n_dates;
} kan_spelling_fit;

kan_spelling_fit kan_spelling_count(const kan_spelling *spelling, const kan_dictionary *values);
/* What a column is by that; what was said by name is so. */
kan_spelled kan_spelling_choose(const kan_spelling *spelling, const kan_spelling_fit *fit);

/* The ends of a capped column, as a release shows it, count as numbers or dates from here on; they
 * must outlive it. Nothing changes where other values are text. */
KAN_MUST_USE kan_status kan_column_take_ends(kan_run *run, kan_column *column,
                                             const kan_ends *ends);

/* Whether somebody called the column text: then it stays so, whichever values are left of it. */
bool kan_column_is_called_text(const kan_column *column);

/* Takes all values of a column, by a spelling that is settled; shown_missing becomes the first of
 * those that occur, "" where that alone does. Time: that of its dictionary, and of its codes where
 * some value changed. */
KAN_MUST_USE kan_status kan_column_take(kan_run *run, kan_column *column, kan_spelling *spelling);

#endif

/* What a column would be, but for the way it is written: dates that are not written as kanon reads
 * them, or numbers and dates with a few values between them that are none.
 *
 * Such a column has the type text (or, for 19800314, number), and builders that look at characters
 * would do harm: masking the last digits of 14.03.1980 hides the year and keeps the day. */
#ifndef KANON_DATA_MIXTURE_H
#define KANON_DATA_MIXTURE_H

#include "data/table.h"

typedef enum kan_mixture_kind {
    KAN_MIXTURE_NONE,
    KAN_MIXTURE_NUMBERS,       /* but for a few values */
    KAN_MIXTURE_DATES,         /* but for a few values */
    KAN_MIXTURE_OTHER_NUMBERS, /* 3,5 */
    KAN_MIXTURE_OTHER_DATES    /* 14.03.1980, 03/14/1980, 19800314, 1980-03-14 10:30 */
} kan_mixture_kind;

typedef struct kan_mixture {
    kan_mixture_kind kind; /* NONE: n_codes and code tell of numbers below zero that look like codes
                              for missing values, -9 in a column of ages */
    uint32_t n_fitting;    /* different values that are what the kind says */
    uint32_t n_codes;      /* that are well-known codes for a missing value */
    uint32_t n_odd;        /* that are neither */
    const char *code;      /* one of the codes, from a list: no text of the table; NULL: none */
} kan_mixture;

/* Looks at the values of a dictionary; unknown ones ("" and "?") aside. O(values). */
kan_mixture kan_mixture_find(const kan_column *column);

enum { KAN_MIXTURE_BYTES = 240 };

/* In plain words, without a value of the table: what the column is, "dates, but for 3 values such
 * as NA", and what to do about it, "write ...". The kind is not NONE. */
const char *kan_mixture_text(const kan_mixture *mixture, char room[KAN_MIXTURE_BYTES]);
const char *kan_mixture_remedy(const kan_mixture *mixture);

/* NA, n/a, -, unknown, -9 and so on: as the list spells it; NULL when the value is none of them. */
const char *kan_missing_code(kan_slice value);

/* 14.03.1980 and the like: a date, but not written as 1980-03-14. */
bool kan_value_is_other_date(kan_slice value);

#endif

/* Guessing how a column is written, by looking at its values: what stands for missing ones, decimal
 * signs, groups of thousands, formats of dates.
 *
 * A guess is something to suggest to whoever holds the data, and nothing is done by it alone. It
 * refers to values of the table: what is shared must not hold it. */
#ifndef KANON_DATA_SPELLING_GUESS_H
#define KANON_DATA_SPELLING_GUESS_H

#include "data/spelling.h"

enum { KAN_GUESS_MOST = 8, KAN_GUESS_FORMAT = 48 };

/* Different values, the most frequent first, and how many there are of them. */
typedef struct kan_guess_values {
    uint32_t n;                       /* different ones, all of them */
    uint64_t n_rows;                  /* that have them */
    kan_slice values[KAN_GUESS_MOST]; /* the first of them; bytes of the dictionary */
} kan_guess_values;

typedef struct kan_spelling_guess {
    kan_type type;  /* what the column is when it is read as below; TEXT: nothing is known */
    bool is_plain;  /* its numbers or dates are written as kanon writes them */
    char decimal;   /* as in kan_spelling, 0: none is needed */
    char thousands; /* the same */
    char date_format[KAN_GUESS_FORMAT]; /* as --date-format takes it; "": none is needed */
    /* All of them could as well be written so; "" and 0: there is no doubt. */
    char other_format[KAN_GUESS_FORMAT];
    char other_decimal, other_thousands;
    bool has_other_numbers;
    uint32_t n_fitting; /* different values that are of the type, written so */
    uint64_t n_fitting_rows;
    kan_guess_values missing;  /* well-known words for missing values: NA, -, unknown */
    kan_guess_values suspects; /* of the type, but perhaps codes for missing ones: -9, 999 */
    kan_guess_values odd;      /* none of these */
    kan_slice example;         /* one that fits */
    unsigned percent;          /* of the rows that are not empty and not missing that fit */
    bool is_sure;              /* all of them fit, in one way alone, and no two digits are a year */
} kan_spelling_guess;

/* `counts` are rows by code; NULL: one each. A tenth of the known values, and of their rows, may be
 * odd; beyond that the column is text. Linear in the number of values. */
kan_spelling_guess kan_spelling_guess_find(const kan_dictionary *dictionary,
                                           const uint64_t *counts);

/* Whether reading the column otherwise would make it something else. */
bool kan_spelling_guess_helps(const kan_spelling_guess *guess);

/* The values of settings, without NAME=: "NA,-" with quotes where they are needed, as --missing
 * takes them. */
void kan_missing_add(kan_text *text, const kan_guess_values *values);

#endif

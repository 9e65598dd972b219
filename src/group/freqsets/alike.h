/* Which values of a sensitive column are one: 1, 1.0 and 1e0 are three spellings of a number, and
 * who counts the different values of a group must not count three.
 *
 * A column is numbers, or dates, when all its known values are; with a zero before one of them, as
 * in 007, it is codes, which are text. Spellings are one value in numbers and dates alone. In text
 * they are two, but what is left of it when rows were left out may be numbers: so both ways to count
 * are found here, and job/setup/setup_sensitive.c says when both are held to a promise. */
#ifndef KANON_GROUP_FREQSETS_ALIKE_H
#define KANON_GROUP_FREQSETS_ALIKE_H

#include "data/table.h"

typedef struct kan_alike {
    kan_type kind;    /* what the column is; codes are text, and nothing known is a number */
    bool has_several; /* some number or date is spelled in several ways */
    bool has_plain;   /* some value is a number or a date that is no code */
    uint32_t n_values;
    /* By code, the value; by value, the first code. Values stand in the order of these codes. NULL
     * where has_several is false: every code is a value. */
    const uint32_t *value_of, *code_of;
} kan_alike;

/* Looks at the values of an encoded column. What is found lives in the arena. O(values * log
 * values). */
KAN_MUST_USE kan_status kan_alike_find(kan_run *run, kan_arena *arena, const kan_column *column,
                                       kan_alike *out);

/* Whether two texts are spellings of one number or date, or the same. */
bool kan_alike_is(kan_slice a, kan_slice b);
/* Whether a value of the column is the one that the user names, who writes as the table does. */
bool kan_alike_is_named(const kan_column *column, kan_slice value, const char *named);

#endif

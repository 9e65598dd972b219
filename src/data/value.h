/* Types of columns, and the order of values within them. */
#ifndef KANON_DATA_VALUE_H
#define KANON_DATA_VALUE_H

#include "core/text.h"

/* A column is a number (or a date) when every value is one, "" and "?" (unknown values, which come
 * first) aside, and at least one value is known. Otherwise it is text, ordered by bytes. */
typedef enum kan_type { KAN_TYPE_TEXT, KAN_TYPE_NUMBER, KAN_TYPE_DATE } kan_type;

const char *kan_type_name(kan_type type);

static inline bool kan_value_is_unknown(kan_slice value) {
    return value.size == 0 || (value.size == 1 && value.bytes[0] == '?');
}

/* A calendar date, year-month-day ("2003-11-16", year of four digits), checked: month 1..12, day
 * within its month. */
typedef struct kan_date {
    int year, month, day;
} kan_date;

/* Also of a date with a time of day, kan_instant_parse. */
bool kan_date_parse(kan_slice value, kan_date *out);
/* Days since 1970-01-01: dates in order. */
double kan_date_days(kan_date date);
/* Days of a month, 1..12. */
int kan_days_of_month(int year, int month);

/* A date, or one with a time of day: "2003-11-16 13:45:00", up to nine digits of a second behind a
 * point, and "+00" behind all of it when it is UTC rather than the time of some place. */
typedef struct kan_instant {
    kan_date date;
    bool has_time, has_zone;
    int hour, minute, second;
    kan_slice fraction; /* digits of a second, of the value's own bytes */
} kan_instant;

bool kan_instant_parse(kan_slice value, kan_instant *out);

/* A number's value, a date's days and the share of the day that is over; false for text and unknown
 * values. */
bool kan_value_exact(kan_type type, kan_slice value, double *out);

/* ---- ends ------------------------------------------------------------------------------------ */

/* A capped column (--cap) shows "<20" for all that is below 20, and ">=90" for all from 90 on.
 * These are its ends: they are no numbers, but stand in the order of numbers, before and behind all
 * others. A column has them because somebody said so, never because of what it looks like. */
typedef struct kan_ends {
    kan_slice low, high; /* with their signs; empty: no such end */
} kan_ends;

typedef enum kan_end { KAN_END_NONE, KAN_END_LOW, KAN_END_HIGH } kan_end;

/* Which end a text is, by its sign; `bound` (may be NULL) is what follows the sign. */
kan_end kan_value_end(kan_slice value, kan_slice *bound);

/* As kan_value_exact, for values of a column that is known to be of the type, and may have ends:
 * "<20" is the number before 20, ">=90" is 90. */
bool kan_value_number(kan_type type, kan_slice value, double *out);

/* The order of two numbers, or of two dates, exactly, however many digits they have; 0 for two
 * spellings of one: 1 and 1.0, 2003-11-16 and 2003-11-16 00:00:00. kan_value_exact takes both. */
int kan_value_order(kan_type type, kan_slice a, kan_slice b);

/* The order of a column's values: below 0, 0 or above 0. Unknown values come first, then numbers
 * and dates by value; what counts as equal is told apart by bytes, so only the same bytes give 0.
 */
int kan_value_compare(kan_type type, kan_slice a, kan_slice b);

#endif

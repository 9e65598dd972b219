/* Numbers that are dates, timestamps or times, by the format that a statistics program shows them
 * in. SPSS counts seconds from 14 October 1582, Stata days or milliseconds and SAS days or seconds
 * from 1 January 1960. */
#ifndef KANON_IO_STAT_STAT_CLOCK_H
#define KANON_IO_STAT_STAT_CLOCK_H

#include "io/field.h"

typedef enum kan_stat_vendor { KAN_STAT_SPSS, KAN_STAT_STATA, KAN_STAT_SAS } kan_stat_vendor;

typedef enum kan_stat_unit { KAN_STAT_DAYS, KAN_STAT_SECONDS, KAN_STAT_MILLISECONDS } kan_stat_unit;

typedef struct kan_stat_clock {
    kan_field_type type; /* KAN_FIELD_NUMBER: it is just a number */
    kan_stat_unit unit;
    int64_t epoch; /* in days since 1970-01-01; of a time of day that of its date */
} kan_stat_clock;

/* What numbers of a format mean, such as DATE11, %td or DATETIME22.3. */
kan_stat_clock kan_stat_clock_of(kan_stat_vendor vendor, const char *format);
/* What a column of this type is best written as, and the format that shows it. */
kan_stat_clock kan_stat_clock_for(kan_stat_vendor vendor, kan_field_type type, const char **format);
/* A format that shows moments, with a width that shows every one of them, whatever width it has; false
 * where it shows something else, or its width is not known. */
enum { KAN_STAT_FORMAT_ROOM = 64 };
bool kan_stat_clock_format(kan_stat_vendor vendor, const char *format,
                           char room[KAN_STAT_FORMAT_ROOM]);

/* The text of a number, in the form of io/field.h, from which kan_stat_clock_parse makes the same
 * number; a date where it is a whole day of a date, else a timestamp. `room` needs
 * KAN_STAT_CLOCK_ROOM bytes. Returns its size; 0 where there is no such text. */
enum { KAN_STAT_CLOCK_ROOM = 48 };
size_t kan_stat_clock_text(const kan_stat_clock *clock, double number, char *room);
/* The number of a text; false when it is none. */
bool kan_stat_clock_parse(const kan_stat_clock *clock, kan_slice text, double *out);

#endif

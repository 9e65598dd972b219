/* Formats of dates, as strptime and strftime have them: %d.%m.%Y is 14.03.1980.
 *
 *   %d %e %-d   day of the month: 04, " 4", 4        %m %-m   month: 03, 3
 *   %b %B       name of the month, in English: Mar, March
 *   %Y          year of four digits                  %y       of two, with a stated first year
 *   %H %-H      hour: 0 to 23                        %I %-I %p   hour: 1 to 12, AM or PM
 *   %M %S %f    minute, second, digits of a second   %z       zone: +0100, +01:00 or Z
 *   %%          a percent sign
 *
 * All else stands for itself. Whether a number is padded shows when it is written; both are read.
 * Letters are read in either case. The calendar is checked: 31.02. is no date. */
#ifndef KANON_DATA_DATE_FORMAT_H
#define KANON_DATA_DATE_FORMAT_H

#include "core/text.h"

enum { KAN_DATE_FORMAT_MOST = 64, KAN_DATE_ROOM = 512 };

typedef struct kan_date_format {
    const char *text; /* NULL: none */
    int first_year;   /* years of two digits are the hundred from here on; -1: none has two */
} kan_date_format;

/* Takes a setting apart: a format, and behind an @ the first year of those of two digits, such as
 * %d.%m.%y@1930. `format` is cut out into `room`, which `out` refers to. Returns NULL, or what is
 * wrong and what to write instead. A format must tell day, month and year, so that a label such as
 * 1980 or 1980-03 is never taken for a date. */
const char *kan_date_format_parse(kan_slice setting, char room[KAN_DATE_FORMAT_MOST + 1],
                                  kan_date_format *out);

/* A text in the format as kanon writes it: 1980-03-14, or 1980-03-14 13:45:00 with digits of a
 * second where it has some, and with +00 behind it, in UTC, where the format has a zone. Returns
 * its size; 0 when the text is not in the format. */
size_t kan_date_format_read(const kan_date_format *format, kan_slice text,
                            char room[KAN_DATE_ROOM]);
/* The way back; 0 when the format cannot tell it. Reading what was written gives the same. */
size_t kan_date_format_write(const kan_date_format *format, kan_slice value,
                             char room[KAN_DATE_ROOM]);

#endif

#include "io/stat/stat_clock.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "data/value.h"

enum {
    SPSS_EPOCH = -141428, /* 1582-10-14 */
    EPOCH_1960 = -3653,
    DAY_SECONDS = 86400,
    MOST_DIGITS = 9 /* of a second */
};

/* ---- formats -------------------------------------------------------------------------------- */

typedef struct {
    const char *names; /* each between blanks */
    kan_field_type type;
    kan_stat_unit unit;
} format_family;

static const format_family spss_formats[] = {
    {" DATE ADATE EDATE SDATE JDATE QYR MOYR WKYR ", KAN_FIELD_DATE, KAN_STAT_SECONDS},
    {" DATETIME YMDHMS ", KAN_FIELD_TIMESTAMP, KAN_STAT_SECONDS},
    {" TIME DTIME MTIME ", KAN_FIELD_TIME, KAN_STAT_SECONDS},
};

/* Formats that show a part of a date, such as YEAR, are also put on plain numbers by mistake: those
 * stay numbers. */
static const format_family sas_formats[] = {
    {" DATE DDMMYY DDMMYYB DDMMYYC DDMMYYD DDMMYYN DDMMYYP DDMMYYS MMDDYY MMDDYYB MMDDYYC MMDDYYD "
     "MMDDYYN MMDDYYP MMDDYYS YYMMDD YYMMDDB YYMMDDC YYMMDDD YYMMDDN YYMMDDP YYMMDDS E8601DA "
     "B8601DA "
     "IS8601DA NLDATE WEEKDATE WEEKDATX WORDDATE WORDDATX JULIAN MONYY YYMON MMYY YYMM YYQ ",
     KAN_FIELD_DATE, KAN_STAT_DAYS},
    {" DATETIME DATEAMPM E8601DT B8601DT IS8601DT NLDATM DTDATE ", KAN_FIELD_TIMESTAMP,
     KAN_STAT_SECONDS},
    {" TIME TIMEAMPM TOD HHMM E8601TM B8601TM IS8601TM NLTIME ", KAN_FIELD_TIME, KAN_STAT_SECONDS},
};

/* The name of a format without its width and decimals, in capitals. */
static size_t format_name(const char *format, char *room, size_t size) {
    size_t n = strlen(format);
    while (n > 0 && (isdigit((unsigned char)format[n - 1]) || format[n - 1] == '.'))
        n--;
    if (n == 0 || n + 3 > size)
        return 0;
    room[0] = ' ';
    for (size_t i = 0; i < n; i++)
        room[i + 1] = (char)toupper((unsigned char)format[i]);
    room[n + 1] = ' ';
    room[n + 2] = '\0';
    return n;
}

static kan_stat_clock find_format(const format_family *families, size_t n, int64_t epoch,
                                  const char *format) {
    char name[32];
    if (format_name(format, name, sizeof name) > 0)
        for (size_t i = 0; i < n; i++)
            if (strstr(families[i].names, name))
                return (kan_stat_clock){families[i].type, families[i].unit, epoch};
    return (kan_stat_clock){.type = KAN_FIELD_NUMBER};
}

/* %tc is milliseconds, and a time where its format shows no part of a date; %tC counts leap seconds,
 * and weeks, months and so on are not dates: those stay numbers. */
static kan_stat_clock stata_clock(const char *format) {
    const char *at = format;
    if (*at++ != '%')
        return (kan_stat_clock){.type = KAN_FIELD_NUMBER};
    if (*at == '-')
        at++;
    if (*at == 't')
        at++;
    else if (*at != 'd')
        return (kan_stat_clock){.type = KAN_FIELD_NUMBER};
    if (*at == 'd')
        return (kan_stat_clock){KAN_FIELD_DATE, KAN_STAT_DAYS, EPOCH_1960};
    if (*at != 'c')
        return (kan_stat_clock){.type = KAN_FIELD_NUMBER};
    at++;
    const bool is_time = *at && strspn(at, "HhMmSs:.+_aA") == strlen(at) && strpbrk(at, "HhSs");
    return (kan_stat_clock){is_time ? KAN_FIELD_TIME : KAN_FIELD_TIMESTAMP, KAN_STAT_MILLISECONDS,
                            EPOCH_1960};
}

kan_stat_clock kan_stat_clock_of(kan_stat_vendor vendor, const char *format) {
    if (vendor == KAN_STAT_STATA)
        return stata_clock(format);
    if (vendor == KAN_STAT_SPSS)
        return find_format(spss_formats, sizeof spss_formats / sizeof *spss_formats, SPSS_EPOCH,
                           format);
    return find_format(sas_formats, sizeof sas_formats / sizeof *sas_formats, EPOCH_1960, format);
}

kan_stat_clock kan_stat_clock_for(kan_stat_vendor vendor, kan_field_type type,
                                  const char **format) {
    static const char *const formats[][3] = {
        [KAN_STAT_SPSS] = {"DATE11", "DATETIME20", "TIME8"},
        [KAN_STAT_STATA] = {"%td", "%tc", "%tcHH:MM:SS"},
        [KAN_STAT_SAS] = {"DATE9", "DATETIME20", "TIME8"},
    };
    *format = formats[vendor][type == KAN_FIELD_DATE ? 0 : type == KAN_FIELD_TIMESTAMP ? 1 : 2];
    return kan_stat_clock_of(vendor, *format);
}

/* Names and widths, each between blanks. */
static const char *const widths[] = {
    [KAN_STAT_SPSS] =
        " DATE 11 ADATE 10 EDATE 10 SDATE 10 JDATE 7 QYR 8 MOYR 8 WKYR 10 DATETIME 20 "
        "YMDHMS 19 TIME 8 DTIME 11 MTIME 5 ",
    [KAN_STAT_SAS] =
        " DATE 9 DDMMYY 10 MMDDYY 10 YYMMDD 10 DDMMYYP 10 E8601DA 10 B8601DA 8 MONYY 7 "
        "DATETIME 20 E8601DT 19 TIME 8 E8601TM 8 "};

bool kan_stat_clock_format(kan_stat_vendor vendor, const char *format,
                           char room[KAN_STAT_FORMAT_ROOM]) {
    char name[32];
    if (vendor == KAN_STAT_STATA) { /* what follows %t is no width: it says what is shown */
        const char *at = format + (format[0] == '%') + (format[0] == '%' && format[1] == '-');
        const int n = snprintf(room, KAN_STAT_FORMAT_ROOM, "%s", format);
        return at > format && (*at == 't' || *at == 'd') && n < KAN_STAT_FORMAT_ROOM;
    }
    const size_t n = format_name(format, name, sizeof name);
    const char *found = n > 0 ? strstr(widths[vendor], name) : NULL;
    if (!found)
        return false;
    const int width = atoi(found + n + 2);
    (void)snprintf(room, KAN_STAT_FORMAT_ROOM, "%.*s%d", (int)n, name + 1, width);
    return true;
}

/* ---- moments -------------------------------------------------------------------------------- */

/* A day since 1970-01-01, and the time of that day in units of 10^-digits seconds. A time alone has
 * day 0, is any number of hours, and may be negative. */
typedef struct {
    int64_t day, time;
    unsigned digits;
    bool is_negative;
} moment;

static const int64_t powers[MOST_DIGITS + 1] = {1,      10,      100,      1000,      10000,
                                                100000, 1000000, 10000000, 100000000, 1000000000};

static double number_of(const kan_stat_clock *clock, const moment *at) {
    const int64_t unit = powers[at->digits];
    const int64_t days = clock->type == KAN_FIELD_TIME ? 0 : at->day - clock->epoch;
    const int64_t seconds = at->time / unit, rest = at->time % unit;
    double number = 0;
    if (clock->unit == KAN_STAT_DAYS)
        number = (double)days + ((double)seconds + (double)rest / (double)unit) / DAY_SECONDS;
    else if (clock->unit == KAN_STAT_SECONDS)
        number = (double)(days * DAY_SECONDS + seconds) + (double)rest / (double)unit;
    else
        number =
            (double)((days * DAY_SECONDS + seconds) * 1000) + (double)(rest * 1000) / (double)unit;
    return at->is_negative ? -number : number;
}

/* Days and the seconds of the day that a number means; false where no calendar goes so far. */
static bool split(const kan_stat_clock *clock, double number, int64_t *day, double *second) {
    const double per_day = clock->unit == KAN_STAT_DAYS      ? 1
                           : clock->unit == KAN_STAT_SECONDS ? DAY_SECONDS
                                                             : DAY_SECONDS * 1000.0;
    if (!(fabs(number) < 5e6 * per_day))
        return false;
    const double days = floor(number / per_day);
    *day = (int64_t)days;
    *second = (number - days * per_day) / (per_day / DAY_SECONDS);
    return true;
}

static kan_date date_of(int64_t day) {
    /* Years that begin in March: the day that is not always there is the last one. */
    const int64_t since = day + 719468, era = (since >= 0 ? since : since - 146096) / 146097;
    const int64_t of_era = since - era * 146097;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const int64_t month = (5 * of_year + 2) / 153;
    return (kan_date){.year = (int)(year + era * 400 + (month >= 10)),
                      .month = (int)(month < 10 ? month + 3 : month - 9),
                      .day = (int)(of_year - (153 * month + 2) / 5 + 1)};
}

static size_t print_date(int64_t day, char *room) {
    const kan_date date = date_of(day);
    if (date.year < 1 || date.year > 9999)
        return 0;
    return (size_t)snprintf(room, KAN_STAT_CLOCK_ROOM, "%04d-%02d-%02d", date.year, date.month,
                            date.day);
}

static size_t print_time(const moment *at, char *room, size_t size) {
    const int64_t unit = powers[at->digits], seconds = at->time / unit;
    int n = snprintf(room, size, "%s%02lld:%02lld:%02lld", at->is_negative ? "-" : "",
                     (long long)(seconds / 3600), (long long)(seconds / 60 % 60),
                     (long long)(seconds % 60));
    if (at->digits > 0)
        n += snprintf(room + n, size - (size_t)n, ".%0*lld", (int)at->digits,
                      (long long)(at->time % unit));
    return (size_t)n;
}

/* The least digits with which the time is exact; false where none are enough. */
static bool find_digits(const kan_stat_clock *clock, double number, double second, moment *at) {
    for (at->digits = 0; at->digits <= MOST_DIGITS; at->digits++) {
        const double time = second * (double)powers[at->digits];
        if (!(time < 4e18))
            return false;
        at->time = (int64_t)llround(time);
        if (clock->type != KAN_FIELD_TIME && at->time >= DAY_SECONDS * powers[at->digits])
            continue;
        if (number_of(clock, at) == number)
            return true;
    }
    return false;
}

static size_t time_text(const kan_stat_clock *clock, double number, char *room) {
    moment at = {.is_negative = number < 0};
    const double second = fabs(number) / (clock->unit == KAN_STAT_MILLISECONDS ? 1000 : 1);
    if (!(second < 3.6e9) || !find_digits(clock, number, second, &at))
        return 0;
    return print_time(&at, room, KAN_STAT_CLOCK_ROOM);
}

size_t kan_stat_clock_text(const kan_stat_clock *clock, double number, char *room) {
    moment at = {0};
    double second;
    if (clock->type == KAN_FIELD_TIME)
        return time_text(clock, number, room);
    if (!split(clock, number, &at.day, &second))
        return 0;
    at.day += clock->epoch;
    const size_t n = print_date(at.day, room);
    if (n == 0 || !find_digits(clock, number, second, &at))
        return 0;
    if (clock->type == KAN_FIELD_DATE && at.time == 0)
        return n;
    room[n] = ' ';
    return n + 1 + print_time(&at, room + n + 1, KAN_STAT_CLOCK_ROOM - n - 1);
}

/* ---- texts ---------------------------------------------------------------------------------- */

static bool take_number(kan_slice *text, size_t most_digits, int64_t *out) {
    size_t n = 0;
    *out = 0;
    while (n < text->size && n < most_digits && isdigit((unsigned char)text->bytes[n]))
        *out = *out * 10 + (text->bytes[n++] - '0');
    text->bytes += n;
    text->size -= n;
    return n > 0;
}

static bool take_byte(kan_slice *text, char byte) {
    if (text->size == 0 || text->bytes[0] != byte)
        return false;
    text->bytes++;
    text->size--;
    return true;
}

static bool parse_time(kan_slice text, moment *out) {
    int64_t hour, minute, second, rest = 0;
    if (!take_number(&text, 7, &hour) || !take_byte(&text, ':') ||
        !take_number(&text, 2, &minute) || !take_byte(&text, ':') ||
        !take_number(&text, 2, &second))
        return false;
    out->digits = 0;
    if (take_byte(&text, '.')) {
        out->digits = (unsigned)(text.size < MOST_DIGITS ? text.size : MOST_DIGITS);
        if (!take_number(&text, MOST_DIGITS, &rest))
            return false;
    }
    out->time = (hour * 3600 + minute * 60 + second) * powers[out->digits] + rest;
    return text.size == 0;
}

bool kan_stat_clock_parse(const kan_stat_clock *clock, kan_slice text, double *out) {
    moment at = {0};
    kan_date date;
    if (clock->type == KAN_FIELD_TIME) {
        at.is_negative = take_byte(&text, '-');
        if (!parse_time(text, &at))
            return false;
    } else {
        if (text.size < 10 || !kan_date_parse((kan_slice){text.bytes, 10}, &date))
            return false;
        at.day = (int64_t)kan_date_days(date);
        if (text.size > 10 && (text.bytes[10] != ' ' ||
                               !parse_time((kan_slice){text.bytes + 11, text.size - 11}, &at)))
            return false;
    }
    *out = number_of(clock, &at);
    return true;
}

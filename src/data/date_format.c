/* Reading and writing dates by a format: one walk over the format for each value, nothing is
 * compiled. Formats are short, and only the different values of a column come here. */
#include "data/date_format.h"

#include <stdio.h>
#include <strings.h>

#include "core/signs.h"
#include "data/value.h"

static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

/* ---- the parts of a format ------------------------------------------------------------------ */

typedef struct {
    char letter;      /* of a field; 0: a literal byte */
    char literal;     /* %% is one */
    bool is_unpadded; /* %-d */
} part;

/* The part at *at, which moves behind it; false where it is none that is known, and at the end. */
static bool next_part(const char **at, part *out) {
    const char *from = *at;
    *out = (part){0};
    if (*from == '\0')
        return false;
    if (*from != '%') {
        out->literal = *from;
        *at = from + 1;
        return true;
    }
    from++;
    if (*from == '%') {
        out->literal = '%';
        *at = from + 1;
        return true;
    }
    out->is_unpadded = *from == '-';
    from += out->is_unpadded;
    out->letter = *from;
    if (*from == '\0' || !strchr(out->is_unpadded ? "dmHI" : "demYybBHIpMSfz", *from))
        return false;
    *at = from + 1;
    return true;
}

static bool is_number_part(part p) {
    return p.letter && strchr("demYyHIMSf", p.letter);
}

/* Whether a number stands at this place of a format. */
static bool begins_with_number(const char *at) {
    part p;
    return next_part(&at, &p) && is_number_part(p);
}

/* ---- is it a format? ------------------------------------------------------------------------ */

typedef struct {
    unsigned n[128];  /* how often a letter occurs */
    bool is_together; /* two numbers of the date without a sign between them */
    bool is_apart;    /* two of them with one */
} letter_counts;

static const char *count_letters(const char *format, letter_counts *out) {
    bool is_behind_number = false, has_number = false;
    for (part p; *format; is_behind_number = is_number_part(p)) {
        if (!next_part(&format, &p))
            return "has an unknown character after %; write %d day, %m month, %b its name, %Y "
                   "year, %H %M %S time, %z zone";
        if (!p.letter && (kan_is_digit(p.literal) || strchr("*[]{}", p.literal)))
            return "has a digit, a star or a bracket of its own, which cannot be told apart from "
                   "what a release shows; write only the characters between the numbers";
        out->n[(unsigned char)p.letter]++;
        const bool is_of_date = p.letter && strchr("demYy", p.letter);
        if (is_of_date && has_number) {
            out->is_together |= is_behind_number;
            out->is_apart |= !is_behind_number;
        }
        has_number |= is_of_date;
    }
    return NULL;
}

static const char *check_counts(const letter_counts *c, int first_year) {
    const unsigned n_days = c->n['d'] + c->n['e'], n_months = c->n['m'] + c->n['b'] + c->n['B'],
                   n_years = c->n['Y'] + c->n['y'], n_hours = c->n['H'] + c->n['I'];
    if (n_days != 1 || n_months != 1 || n_years != 1)
        return "must have day, month and year, each once, such as %d.%m.%Y";
    if (c->n['y'] && first_year < 0)
        return "has two-digit years, and nothing says which century; write the first year after an "
               "@, such as %d.%m.%y@1930 for 1930 to 2029";
    if (!c->n['y'] && first_year >= 0)
        return "has no two-digit years, so no first year can follow an @";
    if (c->n['y'] && c->is_together && c->is_apart)
        return "has two-digit years, and numbers that run into each other; put a character between "
               "all of them, or between none";
    if (n_hours > 1 || c->n['M'] > 1 || c->n['S'] > 1 || c->n['f'] > 1 || c->n['z'] > 1 ||
        c->n['p'] > 1)
        return "has a part of the time twice; write it once";
    if ((c->n['M'] && !n_hours) || (c->n['S'] && !c->n['M']) || (c->n['f'] && !c->n['S']) ||
        (c->n['z'] && !n_hours))
        return "has a part of the time without the larger one; write, for example, %H:%M:%S";
    if (c->n['I'] != c->n['p'])
        return "must have %I, an hour of 1 to 12, together with %p, AM or PM; %H is an hour of 0 "
               "to 23";
    return NULL;
}

const char *kan_date_format_parse(kan_slice setting, char room[KAN_DATE_FORMAT_MOST + 1],
                                  kan_date_format *out) {
    kan_date_format made = {room, -1};
    size_t size = setting.size;
    if (size >= 5 && setting.bytes[size - 5] == '@') {
        int year = 0;
        for (size_t i = size - 4; i < size; i++) {
            if (!kan_is_digit(setting.bytes[i]))
                return "has no four-digit year after its @; write, for example, %d.%m.%y@1930";
            year = year * 10 + setting.bytes[i] - '0';
        }
        made.first_year = year;
        size -= 5;
    }
    if (size > KAN_DATE_FORMAT_MOST || memchr(setting.bytes, '\0', size))
        return "is too long for a format; write, for example, %d.%m.%Y";
    memcpy(room, setting.bytes, size);
    room[size] = '\0';
    letter_counts c = {.is_apart = false};
    const char *problem = count_letters(room, &c);
    problem = problem ? problem : check_counts(&c, made.first_year);
    if (problem)
        return problem;
    if (made.first_year > 9900)
        return "has a first year above 9900; years end with 9999";
    *out = made;
    return NULL;
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct {
    int year, month, day, hour, minute, second;
    int zone; /* minutes east of UTC */
    bool is_afternoon;
    kan_slice fraction;
} reading;

/* `least` to `most` digits, as many as there are. */
static bool read_digits(kan_slice *rest, size_t least, size_t most, int *out) {
    size_t n = 0;
    int value = 0;
    for (; n < most && n < rest->size && kan_is_digit(rest->bytes[n]); n++)
        value = value * 10 + (rest->bytes[n] - '0');
    if (n < least)
        return false;
    *rest = (kan_slice){rest->bytes + n, rest->size - n};
    *out = value;
    return true;
}

static bool read_word(kan_slice *rest, const char *word, size_t size) {
    if (rest->size < size || strncasecmp(rest->bytes, word, size) != 0)
        return false;
    *rest = (kan_slice){rest->bytes + size, rest->size - size};
    return true;
}

static bool read_month(kan_slice *rest, int *month) {
    for (int i = 0; i < 12; i++)
        if (read_word(rest, months[i], strlen(months[i])) || read_word(rest, months[i], 3)) {
            *month = i + 1;
            return true;
        }
    return false;
}

static bool read_zone(kan_slice *rest, int *zone) {
    int hours, minutes;
    if (read_word(rest, "Z", 1)) {
        *zone = 0;
        return true;
    }
    if (rest->size < 3 || (rest->bytes[0] != '+' && rest->bytes[0] != '-'))
        return false;
    const int sign = rest->bytes[0] == '-' ? -1 : 1;
    *rest = (kan_slice){rest->bytes + 1, rest->size - 1};
    if (!read_digits(rest, 2, 2, &hours))
        return false;
    minutes = 0;
    if (read_word(rest, ":", 1) ? !read_digits(rest, 2, 2, &minutes)
                                : rest->size > 0 && rest->bytes[0] >= '0' &&
                                      rest->bytes[0] <= '9' && !read_digits(rest, 2, 2, &minutes))
        return false;
    *zone = sign * (hours * 60 + minutes);
    return hours <= 15 && minutes <= 59;
}

static bool read_fraction(kan_slice *rest, kan_slice *out) {
    int value;
    const char *from = rest->bytes;
    if (!read_digits(rest, 1, 9, &value))
        return false;
    *out = (kan_slice){from, (size_t)(rest->bytes - from)};
    return true;
}

static bool read_part(const kan_date_format *format, part p, bool is_alone, kan_slice *rest,
                      reading *r) {
    const size_t least = is_alone ? 1 : 2; /* without signs around it the zero has to stand */
    int year;
    switch (p.letter) {
    case 'e':
        return read_word(rest, " ", 1) ? read_digits(rest, 1, is_alone ? 2 : 1, &r->day)
                                       : read_digits(rest, least, 2, &r->day);
    case 'd':
        return read_digits(rest, least, 2, &r->day);
    case 'm':
        return read_digits(rest, least, 2, &r->month);
    case 'b':
    case 'B':
        return read_month(rest, &r->month);
    case 'Y':
        return read_digits(rest, 4, 4, &r->year);
    case 'y':
        if (!read_digits(rest, 2, 2, &year))
            return false;
        r->year = format->first_year / 100 * 100 + year;
        r->year += r->year < format->first_year ? 100 : 0;
        return true;
    case 'H':
    case 'I':
        return read_digits(rest, least, 2, &r->hour) &&
               (p.letter == 'H' || (r->hour >= 1 && r->hour <= 12));
    case 'p':
        r->is_afternoon = read_word(rest, "PM", 2);
        return r->is_afternoon || read_word(rest, "AM", 2);
    case 'M':
        return read_digits(rest, 2, 2, &r->minute);
    case 'S':
        return read_digits(rest, 2, 2, &r->second);
    case 'f':
        return read_fraction(rest, &r->fraction);
    case 'z':
        return read_zone(rest, &r->zone);
    default:
        return read_word(rest, &p.literal, 1);
    }
}

static bool is_in_calendar(const reading *r) {
    return r->year >= 0 && r->year <= 9999 && r->month >= 1 && r->month <= 12 && r->day >= 1 &&
           r->day <= kan_days_of_month(r->year, r->month) && r->hour <= 23 && r->minute <= 59 &&
           r->second <= 59;
}

static void step_day(reading *r, int step) {
    r->day += step;
    if (r->day < 1) {
        r->month--;
        if (r->month < 1) {
            r->month = 12;
            r->year--;
        }
        r->day = kan_days_of_month(r->year, r->month);
    } else if (r->day > kan_days_of_month(r->year, r->month)) {
        r->day = 1;
        r->month++;
        if (r->month > 12) {
            r->month = 1;
            r->year++;
        }
    }
}

/* From the time of a zone to UTC: at most a day to either side. */
static void move_to_utc(reading *r) {
    int minutes = r->hour * 60 + r->minute - r->zone;
    if (minutes < 0) {
        step_day(r, -1);
        minutes += 24 * 60;
    } else if (minutes >= 24 * 60) {
        step_day(r, 1);
        minutes -= 24 * 60;
    }
    r->hour = minutes / 60;
    r->minute = minutes % 60;
}

static size_t write_plain(const reading *r, bool has_time, bool has_zone, char *room) {
    kan_slice fraction = r->fraction;
    while (fraction.size > 0 && fraction.bytes[fraction.size - 1] == '0')
        fraction.size--;
    int size = snprintf(room, KAN_DATE_ROOM, "%04d-%02d-%02d", r->year, r->month, r->day);
    if (has_time)
        size +=
            snprintf(room + size, KAN_DATE_ROOM - (size_t)size, " %02d:%02d:%02d%s%.*s%s", r->hour,
                     r->minute, r->second, fraction.size ? "." : "", (int)fraction.size,
                     fraction.size ? fraction.bytes : "", has_zone ? "+00" : "");
    return (size_t)size;
}

size_t kan_date_format_read(const kan_date_format *format, kan_slice text,
                            char room[KAN_DATE_ROOM]) {
    reading r = {.hour = 0};
    kan_slice rest = text;
    const char *at = format->text;
    bool is_behind_number = false, has_half = false, has_time = false, has_zone = false;
    for (part p; *at; is_behind_number = is_number_part(p)) {
        if (!next_part(&at, &p) ||
            !read_part(format, p, !is_behind_number && !begins_with_number(at), &rest, &r))
            return 0;
        has_half |= p.letter == 'I';
        has_time |= p.letter == 'H' || p.letter == 'I';
        has_zone |= p.letter == 'z';
    }
    if (has_half)
        r.hour = r.hour % 12 + (r.is_afternoon ? 12 : 0);
    if (rest.size > 0 || !is_in_calendar(&r))
        return 0;
    if (has_zone)
        move_to_utc(&r);
    return is_in_calendar(&r) ? write_plain(&r, has_time, has_zone, room) : 0;
}

/* ---- writing -------------------------------------------------------------------------------- */

static int write_part(part p, const kan_instant *m, char *room, size_t left) {
    const int hour = m->hour % 12 ? m->hour % 12 : 12;
    const int width = p.is_unpadded ? 1 : 2;
    switch (p.letter) {
    case 'e':
        return snprintf(room, left, "%2d", m->date.day);
    case 'd':
        return snprintf(room, left, "%0*d", width, m->date.day);
    case 'm':
        return snprintf(room, left, "%0*d", width, m->date.month);
    case 'b':
        return snprintf(room, left, "%.3s", months[m->date.month - 1]);
    case 'B':
        return snprintf(room, left, "%s", months[m->date.month - 1]);
    case 'Y':
        return snprintf(room, left, "%04d", m->date.year);
    case 'y':
        return snprintf(room, left, "%02d", m->date.year % 100);
    case 'H':
        return snprintf(room, left, "%0*d", width, m->hour);
    case 'I':
        return snprintf(room, left, "%0*d", width, hour);
    case 'p':
        return snprintf(room, left, "%s", m->hour < 12 ? "AM" : "PM");
    case 'M':
        return snprintf(room, left, "%02d", m->minute);
    case 'S':
        return snprintf(room, left, "%02d", m->second);
    case 'f':
        return snprintf(room, left, "%.*s", m->fraction.size ? (int)m->fraction.size : 1,
                        m->fraction.size ? m->fraction.bytes : "0");
    case 'z':
        return snprintf(room, left, "+0000");
    default:
        return snprintf(room, left, "%c", p.literal);
    }
}

size_t kan_date_format_write(const kan_date_format *format, kan_slice value,
                             char room[KAN_DATE_ROOM]) {
    kan_instant instant;
    char again[KAN_DATE_ROOM];
    size_t size = 0;
    const char *at = format->text;
    if (!kan_instant_parse(value, &instant))
        return 0;
    for (part p; *at;) {
        if (!next_part(&at, &p))
            return 0;
        size += (size_t)write_part(p, &instant, room + size, KAN_DATE_ROOM - size);
        KAN_ASSERT(size < KAN_DATE_ROOM);
    }
    /* seconds, a century or a zone that the format has no place for */
    const size_t back = kan_date_format_read(format, (kan_slice){room, size}, again);
    return kan_slice_equal((kan_slice){again, back}, value) ? size : 0;
}

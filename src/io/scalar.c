/* Values of typed formats as text, and back. */
#include "io/scalar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/hash.h"
#include "core/signs.h"

__extension__ typedef __int128 wide;

enum {
    EXACT_DIGITS = 15, /* of a decimal that a double gives back */
    MOST_DIGITS = KAN_SCALAR_MOST_DIGITS
};

/* ---- numbers -------------------------------------------------------------------------------- */

static int64_t load_signed(const void *value, unsigned size) {
    int8_t one;
    int16_t two;
    int32_t four;
    int64_t eight;
    switch (size) {
    case 1:
        memcpy(&one, value, 1);
        return one;
    case 2:
        memcpy(&two, value, 2);
        return two;
    case 4:
        memcpy(&four, value, 4);
        return four;
    default:
        memcpy(&eight, value, 8);
        return eight;
    }
}

static uint64_t load_unsigned(const void *value, unsigned size) {
    const uint64_t mask = size < 8 ? ((uint64_t)1 << size * 8) - 1 : UINT64_MAX;
    return (uint64_t)load_signed(value, size) & mask;
}

static wide load_wide(const void *value, unsigned size) {
    wide number;
    if (size < 16)
        return load_signed(value, size);
    memcpy(&number, value, 16);
    return number;
}

/* The digits of a whole number, `least` of them at least; their number. */
static unsigned write_digits(kan_u128 number, unsigned least, char *out) {
    char backwards[48];
    unsigned n = 0;
    for (; number > 0 || n < least; number /= 10)
        backwards[n++] = (char)('0' + (int)(number % 10));
    for (unsigned i = 0; i < n; i++)
        out[i] = backwards[n - 1 - i];
    return n;
}

/* Whether it has no more digits, zeros at its end aside, than a double gives back. */
static bool is_short(kan_u128 number) {
    unsigned n = 0;
    while (number > 0 && number % 10 == 0)
        number /= 10;
    for (; number > 0; number /= 10)
        n++;
    return n <= EXACT_DIGITS;
}

/* As a double has it where a double has it exactly, so that 0.5 is the same text in either; else
 * all digits. */
static size_t decimal_text(const kan_scalar_type *type, const void *value, char *room) {
    const wide number = load_wide(value, type->size);
    const kan_u128 size = number < 0 ? -(kan_u128)number : (kan_u128)number;
    char *at = room;
    if (number < 0)
        *at++ = '-';
    const unsigned n = write_digits(size, type->digits + 1, at);
    memmove(at + n - type->digits + 1, at + n - type->digits, type->digits);
    at[n - type->digits] = '.';
    at += n + 1;
    while (at[-1] == '0' && type->digits > 0)
        at--;
    if (at[-1] == '.')
        at--;
    const size_t length = (size_t)(at - room);
    double plain;
    if (is_short(size) && kan_parse_real(room, length, &plain))
        return kan_number_text(plain, room);
    return length;
}

/* [-]12.5[e-05] times ten to the `scale`; false where that is not whole, or has too many digits. */
static bool parse_decimal(kan_slice text, unsigned scale, wide *out) {
    const char *at = text.bytes, *end = at + text.size;
    const bool is_negative = at < end && *at == '-';
    int64_t shift = scale;
    kan_u128 number = 0;
    unsigned n = 0;
    bool is_behind = false;
    for (at += is_negative; at < end && (kan_is_digit(*at) || (*at == '.' && !is_behind)); at++) {
        if (*at == '.') {
            is_behind = true;
            continue;
        }
        if (++n > MOST_DIGITS)
            return false;
        number = number * 10 + (unsigned)(*at - '0');
        shift -= is_behind;
    }
    if (at < end && *at == 'e') {
        char exponent[8] = {0};
        if (end - at > 6 || n == 0)
            return false;
        memcpy(exponent, at + 1, (size_t)(end - at - 1));
        shift += strtol(exponent, NULL, 10);
        at = end;
    }
    for (; shift < 0 && number % 10 == 0 && number > 0; shift++)
        number /= 10;
    for (; shift > 0 && number > 0 && n < MOST_DIGITS; shift--, n++)
        number *= 10;
    if (at != end || n == 0 || (shift != 0 && number > 0))
        return false;
    *out = is_negative ? -(wide)number : (wide)number;
    return true;
}

static bool has_digits(wide number, unsigned most) {
    while (number != 0 && most > 0) {
        number /= 10;
        most--;
    }
    return number == 0;
}

static size_t double_text(double number, char *room) {
    if (isnan(number))
        return 0;
    if (isinf(number))
        return (size_t)snprintf(room, KAN_SCALAR_ROOM, number < 0 ? "-inf" : "inf");
    return kan_number_text(number, room);
}

/* The fewest digits that give the same float. */
static size_t float_text(float number, char *room) {
    double plain = (double)number;
    for (int digits = 6; isfinite(number) && digits <= 9; digits++) {
        const int size = snprintf(room, KAN_SCALAR_ROOM, "%.*g", digits, (double)number);
        for (int i = 0; i < size; i++)
            if (room[i] == ',')
                room[i] = '.';
        if (kan_parse_real(room, (size_t)size, &plain) && (float)plain == number)
            break;
        plain = (double)number;
    }
    return double_text(plain, room);
}

static bool parse_double(kan_slice text, double *out) {
    if (kan_slice_is(text, "inf") || kan_slice_is(text, "-inf")) {
        *out = text.size == 3 ? (double)INFINITY : -(double)INFINITY;
        return true;
    }
    return kan_parse_real(text.bytes, text.size, out);
}

/* ---- dates and times ------------------------------------------------------------------------ */

enum {
    DAYS_OF_400_YEARS = 146097,
    DAYS_TO_1970 = 719468, /* from March of year 0 */
    MS_OF_DAY = 86400000
};

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* Years begin in March here, so that the leap day is the last one. */
static size_t date_text(int64_t days, char *room) {
    days += DAYS_TO_1970;
    const int64_t era = floor_div(days, DAYS_OF_400_YEARS), day = days - era * DAYS_OF_400_YEARS;
    const int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const int64_t of_year = day - (365 * year + year / 4 - year / 100);
    const int64_t month = (5 * of_year + 2) / 153; /* 0: March */
    return (size_t)snprintf(
        room, KAN_SCALAR_ROOM, "%04" PRId64 "-%02d-%02d", era * 400 + year + (month >= 10),
        (int)(month < 10 ? month + 3 : month - 9), (int)(of_year - (153 * month + 2) / 5 + 1));
}

static int64_t days_of(int64_t year, unsigned month, unsigned day) {
    year -= month <= 2;
    const int64_t era = floor_div(year, 400), of_era = year - era * 400;
    const int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * DAYS_OF_400_YEARS + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           DAYS_TO_1970;
}

static unsigned two_digits(const char *at) {
    return kan_is_digit(at[0]) && kan_is_digit(at[1])
               ? (unsigned)((at[0] - '0') * 10 + (at[1] - '0'))
               : 99;
}

/* A date at the beginning of a text; *rest is what follows. What is no date of the calendar does
 * not give the same text again. */
static bool parse_date(kan_slice text, int64_t *days, kan_slice *rest) {
    const size_t first = text.size > 0 && text.bytes[0] == '-'; /* before the year 0 */
    size_t n = first;
    int64_t year = 0;
    for (; n < text.size && n < 10 && kan_is_digit(text.bytes[n]); n++)
        year = year * 10 + (text.bytes[n] - '0');
    if (n < 4 || text.size < n + 6 || text.bytes[n] != '-' || text.bytes[n + 3] != '-')
        return false;
    const unsigned month = two_digits(text.bytes + n + 1), day = two_digits(text.bytes + n + 4);
    if (month < 1 || month > 12 || day > 31)
        return false;
    *days = days_of(first ? -year : year, month, day);
    *rest = (kan_slice){text.bytes + n + 6, text.size - n - 6};
    return true;
}

static int64_t units_of_second(const kan_scalar_type *type) {
    int64_t units = 1;
    for (unsigned i = 0; i < type->digits; i++)
        units *= 10;
    return units;
}

/* hh:mm:ss, and the digits of a second that are not 0 up to the end. */
static size_t time_text(const kan_scalar_type *type, int64_t time, char *room) {
    if (time < 0) { /* no time of day, but a producer may have it */
        *room = '-';
        return 1 + time_text(type, time == INT64_MIN ? INT64_MAX : -time, room + 1);
    }
    const int64_t units = units_of_second(type), second = time / units;
    size_t size = (size_t)snprintf(room, KAN_SCALAR_ROOM, "%02d:%02d:%02d", (int)(second / 3600),
                                   (int)(second / 60 % 60), (int)(second % 60));
    if (time % units == 0)
        return size;
    room[size++] = '.';
    size += write_digits((kan_u128)(time % units), type->digits, room + size);
    while (room[size - 1] == '0')
        size--;
    return size;
}

static bool parse_time(const kan_scalar_type *type, kan_slice text, int64_t *out) {
    if (text.size < 8 || text.bytes[2] != ':' || text.bytes[5] != ':')
        return false;
    const unsigned hour = two_digits(text.bytes), minute = two_digits(text.bytes + 3),
                   second = two_digits(text.bytes + 6);
    int64_t unit = units_of_second(type), fraction = 0;
    if (hour > 24 || minute > 59 || second > 59)
        return false;
    *out = (((int64_t)hour * 60 + minute) * 60 + second) * unit;
    for (size_t i = 9; i < text.size; i++) {
        unit /= 10;
        if (!kan_is_digit(text.bytes[i]))
            return false;
        fraction += unit * (text.bytes[i] - '0');
    }
    *out += fraction;
    return true;
}

static size_t timestamp_text(const kan_scalar_type *type, int64_t stamp, char *room) {
    const int64_t day = units_of_second(type) * 86400, days = floor_div(stamp, day);
    size_t size = date_text(days, room);
    room[size++] = ' ';
    size += time_text(type, stamp - days * day, room + size);
    if (type->is_zoned) {
        memcpy(room + size, "+00", 3);
        size += 3;
    }
    return size;
}

static bool parse_timestamp(const kan_scalar_type *type, kan_slice text, int64_t *out) {
    int64_t days, time, day = units_of_second(type) * 86400;
    kan_slice rest;
    if (!parse_date(text, &days, &rest) || rest.size < 9 || rest.bytes[0] != ' ')
        return false;
    rest = (kan_slice){rest.bytes + 1, rest.size - 1 - (type->is_zoned ? 3 : 0)};
    return parse_time(type, rest, &time) && !__builtin_mul_overflow(days, day, out) &&
           !__builtin_add_overflow(*out, time, out);
}

/* The two ends of time; DuckDB has them for dates and timestamps. */
static size_t endless_text(bool is_first, char *room) {
    return (size_t)snprintf(room, KAN_SCALAR_ROOM, is_first ? "-infinity" : "infinity");
}

static bool parse_endless(const kan_scalar_type *type, kan_slice text, int64_t *out) {
    const int64_t most = type->size == 4 ? INT32_MAX : INT64_MAX;
    if (!type->has_ends || (!kan_slice_is(text, "infinity") && !kan_slice_is(text, "-infinity")))
        return false;
    *out = text.bytes[0] == '-' ? -most : most;
    return true;
}

/* ---- all of them ---------------------------------------------------------------------------- */

size_t kan_scalar_text(const kan_scalar_type *type, const void *value, char room[KAN_SCALAR_ROOM]) {
    double number;
    float small;
    int64_t time;
    switch (type->form) {
    case KAN_SCALAR_BOOLEAN:
        return (size_t)snprintf(room, KAN_SCALAR_ROOM, load_signed(value, 1) ? "true" : "false");
    case KAN_SCALAR_SIGNED:
        return (size_t)snprintf(room, KAN_SCALAR_ROOM, "%" PRId64, load_signed(value, type->size));
    case KAN_SCALAR_UNSIGNED:
        return (size_t)snprintf(room, KAN_SCALAR_ROOM, "%" PRIu64,
                                load_unsigned(value, type->size));
    case KAN_SCALAR_DECIMAL:
        return decimal_text(type, value, room);
    case KAN_SCALAR_FLOAT:
        memcpy(&small, value, sizeof small);
        return float_text(small, room);
    case KAN_SCALAR_DOUBLE:
        memcpy(&number, value, sizeof number);
        return double_text(number, room);
    case KAN_SCALAR_DATE:
        time = load_signed(value, type->size);
        if (type->size == 8)
            return date_text(floor_div(time, MS_OF_DAY), room);
        return type->has_ends && (time == INT32_MAX || time == -INT32_MAX)
                   ? endless_text(time < 0, room)
                   : date_text(time, room);
    case KAN_SCALAR_TIME:
        return time_text(type, load_signed(value, type->size), room);
    case KAN_SCALAR_TIMESTAMP:
        time = load_signed(value, 8);
        return type->has_ends && (time == INT64_MAX || time == -INT64_MAX)
                   ? endless_text(time < 0, room)
                   : timestamp_text(type, time, room);
    case KAN_SCALAR_TEXT:
    case KAN_SCALAR_CAST:
    case KAN_SCALAR_NONE:
        break;
    }
    return 0;
}

static bool parse_value(const kan_scalar_type *type, kan_slice text, void *out) {
    double number;
    float small;
    wide digits;
    int64_t time;
    kan_slice rest;
    switch (type->form) {
    case KAN_SCALAR_BOOLEAN:
        *(uint8_t *)out = kan_slice_is(text, "true");
        return true;
    case KAN_SCALAR_SIGNED:
    case KAN_SCALAR_UNSIGNED:
    case KAN_SCALAR_DECIMAL:
        if (!parse_decimal(text, type->digits, &digits) ||
            (type->width && !has_digits(digits, type->width)))
            return false;
        memcpy(out, &digits, type->size); /* what does not fit reads back as another */
        return true;
    case KAN_SCALAR_FLOAT:
        if (!parse_double(text, &number))
            return false;
        small = (float)number;
        memcpy(out, &small, sizeof small);
        return true;
    case KAN_SCALAR_DOUBLE:
        if (!parse_double(text, &number))
            return false;
        memcpy(out, &number, sizeof number);
        return true;
    case KAN_SCALAR_DATE:
        if (!parse_endless(type, text, &time) &&
            !(parse_date(text, &time, &rest) && rest.size == 0))
            return false;
        if (type->size == 8 && __builtin_mul_overflow(time, (int64_t)MS_OF_DAY, &time))
            return false;
        memcpy(out, &time, type->size); /* what does not fit reads back as another */
        return true;
    case KAN_SCALAR_TIME:
        if (!parse_time(type, text, &time))
            return false;
        memcpy(out, &time, type->size);
        return true;
    case KAN_SCALAR_TIMESTAMP:
        if (!parse_endless(type, text, &time) && !parse_timestamp(type, text, &time))
            return false;
        memcpy(out, &time, 8);
        return true;
    case KAN_SCALAR_TEXT:
    case KAN_SCALAR_CAST:
    case KAN_SCALAR_NONE:
        break;
    }
    return false;
}

bool kan_scalar_value(const kan_scalar_type *type, kan_slice text, void *out) {
    char room[KAN_SCALAR_ROOM];
    if (!parse_value(type, text, out))
        return false;
    return kan_slice_equal(text, (kan_slice){room, kan_scalar_text(type, out, room)});
}

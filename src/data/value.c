/* Types of columns: parsing dates, and the order of values. Nothing here allocates; a comparison
 * parses both values, so sorts that care compute their keys once (see dictionary.c). */
#include "data/value.h"

#include <math.h>

#include "core/signs.h"
#include "data/decimal.h"

const char *kan_type_name(kan_type type) {
    switch (type) {
    case KAN_TYPE_NUMBER:
        return "number";
    case KAN_TYPE_DATE:
        return "date";
    case KAN_TYPE_TEXT:
        break;
    }
    return "text";
}

/* The number that `n` digits spell; -1 when one of them is not a digit. */
static int digits_value(const char *digits, size_t n) {
    int value = 0;
    for (size_t i = 0; i < n; i++) {
        if (!kan_is_digit(digits[i]))
            return -1;
        value = value * 10 + (digits[i] - '0'); /* nine of them fit */
    }
    return value;
}

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int kan_days_of_month(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* The first ten bytes. */
static bool parse_day(const char *bytes, kan_date *out) {
    if (bytes[4] != '-' || bytes[7] != '-')
        return false;
    kan_date date = {digits_value(bytes, 4), digits_value(bytes + 5, 2),
                     digits_value(bytes + 8, 2)};
    if (date.year < 0 || date.month < 1 || date.month > 12 || date.day < 1 ||
        date.day > kan_days_of_month(date.year, date.month))
        return false;
    *out = date;
    return true;
}

/* What follows the day: " 13:45:00", a fraction, a zone. */
static bool parse_time(kan_slice value, kan_instant *instant) {
    enum { SECONDS_END = 19, FRACTION_MOST = 9 };
    const char *bytes = value.bytes;
    size_t size = value.size;
    if (size < SECONDS_END || bytes[10] != ' ' || bytes[13] != ':' || bytes[16] != ':')
        return false;
    instant->has_time = true;
    instant->hour = digits_value(bytes + 11, 2);
    instant->minute = digits_value(bytes + 14, 2);
    instant->second = digits_value(bytes + 17, 2);
    if (instant->hour < 0 || instant->hour > 23 || instant->minute < 0 || instant->minute > 59 ||
        instant->second < 0 || instant->second > 59)
        return false;
    instant->has_zone = size > SECONDS_END && memcmp(bytes + size - 3, "+00", 3) == 0;
    size -= instant->has_zone ? 3 : 0;
    if (size == SECONDS_END)
        return true;
    instant->fraction = (kan_slice){bytes + SECONDS_END + 1, size - SECONDS_END - 1};
    return bytes[SECONDS_END] == '.' && instant->fraction.size >= 1 &&
           instant->fraction.size <= FRACTION_MOST &&
           digits_value(instant->fraction.bytes, instant->fraction.size) >= 0;
}

bool kan_instant_parse(kan_slice value, kan_instant *out) {
    kan_instant instant = {.has_time = false};
    if (value.size < 10 || !parse_day(value.bytes, &instant.date) ||
        (value.size > 10 && !parse_time(value, &instant)))
        return false;
    *out = instant;
    return true;
}

bool kan_date_parse(kan_slice value, kan_date *out) {
    kan_instant instant;
    if (!kan_instant_parse(value, &instant))
        return false;
    *out = instant.date;
    return true;
}

double kan_date_days(kan_date date) {
    /* Whole years before this one, each with its leap day; year 0 of the calendar has one. */
    int years = date.year;
    int leap_days = years > 0 ? (years - 1) / 4 - (years - 1) / 100 + (years - 1) / 400 + 1 : 0;
    int days = years * 365 + leap_days;
    for (int month = 1; month < date.month; month++)
        days += kan_days_of_month(date.year, month);
    enum { DAYS_BEFORE_1970 = 719528 };
    return days + date.day - 1 - DAYS_BEFORE_1970;
}

/* The share of the day that is over. */
static double share_of_day(const kan_instant *instant) {
    double seconds = (instant->hour * 60 + instant->minute) * 60 + instant->second, digit = 0.1;
    for (size_t i = 0; i < instant->fraction.size; i++, digit /= 10)
        seconds += (instant->fraction.bytes[i] - '0') * digit;
    return seconds / 86400;
}

bool kan_value_exact(kan_type type, kan_slice value, double *out) {
    kan_instant instant;
    switch (type) {
    case KAN_TYPE_NUMBER:
        return kan_parse_real(value.bytes, value.size, out);
    case KAN_TYPE_DATE:
        if (!kan_instant_parse(value, &instant))
            return false;
        *out = kan_date_days(instant.date) + share_of_day(&instant);
        return true;
    case KAN_TYPE_TEXT:
        break;
    }
    return false;
}

kan_end kan_value_end(kan_slice value, kan_slice *bound) {
    const bool is_low = value.size > 1 && value.bytes[0] == '<';
    const bool is_high = value.size > 2 && value.bytes[0] == '>' && value.bytes[1] == '=';
    const size_t sign = is_low ? 1 : is_high ? 2 : 0;
    if (bound)
        *bound = (kan_slice){value.bytes + sign, value.size - sign};
    return is_low ? KAN_END_LOW : is_high ? KAN_END_HIGH : KAN_END_NONE;
}

bool kan_value_number(kan_type type, kan_slice value, double *out) {
    kan_slice bound;
    double number;
    const kan_end end = kan_value_end(value, &bound);
    if (!kan_value_exact(type, bound, &number))
        return false;
    *out = end == KAN_END_LOW ? nextafter(number, -INFINITY) : number;
    return true;
}

static int compare_ints(int a, int b) {
    return (a > b) - (a < b);
}

/* Digits behind a point, of which those that are missing are 0. */
static int compare_fractions(kan_slice a, kan_slice b) {
    for (size_t i = 0; i < a.size || i < b.size; i++) {
        const int order =
            compare_ints(i < a.size ? a.bytes[i] : '0', i < b.size ? b.bytes[i] : '0');
        if (order)
            return order;
    }
    return 0;
}

static int compare_instants(kan_slice a, kan_slice b) {
    kan_instant x = {.has_time = false}, y = {.has_time = false};
    (void)kan_instant_parse(a, &x);
    (void)kan_instant_parse(b, &y);
    int order = compare_ints(x.date.year, y.date.year);
    order = order ? order : compare_ints(x.date.month, y.date.month);
    order = order ? order : compare_ints(x.date.day, y.date.day);
    order = order ? order : compare_ints(x.hour, y.hour);
    order = order ? order : compare_ints(x.minute, y.minute);
    order = order ? order : compare_ints(x.second, y.second);
    return order ? order : compare_fractions(x.fraction, y.fraction);
}

int kan_value_order(kan_type type, kan_slice a, kan_slice b) {
    return type == KAN_TYPE_NUMBER ? kan_decimal_compare(a, b) : compare_instants(a, b);
}

/* Of two whose places on the line are one, by the last bit that a double has: numbers before ends,
 * and exactly by value. */
static int compare_near(kan_type type, kan_slice a, kan_slice b) {
    const bool a_is_end = kan_value_end(a, NULL) != KAN_END_NONE;
    const bool b_is_end = kan_value_end(b, NULL) != KAN_END_NONE;
    if (a_is_end != b_is_end)
        return a_is_end ? 1 : -1;
    const int order = a_is_end ? 0 : kan_value_order(type, a, b);
    return order ? order : kan_slice_compare(a, b);
}

int kan_value_compare(kan_type type, kan_slice a, kan_slice b) {
    double x, y;
    if (type == KAN_TYPE_TEXT)
        return kan_slice_compare(a, b);
    bool a_is_known = kan_value_number(type, a, &x), b_is_known = kan_value_number(type, b, &y);
    if (a_is_known != b_is_known)
        return a_is_known ? 1 : -1;
    if (a_is_known && x != y)
        return x < y ? -1 : 1;
    return a_is_known ? compare_near(type, a, b) : kan_slice_compare(a, b);
}

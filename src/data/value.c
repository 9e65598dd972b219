/* Types of columns: parsing dates, and the order of values. Nothing here allocates; a comparison
 * parses both values, so sorts that care compute their keys once (see dictionary.c). */
#include "data/value.h"

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
        if (digits[i] < '0' || digits[i] > '9')
            return -1;
        value = value * 10 + (digits[i] - '0');
    }
    return value;
}

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_of_month(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

bool kan_date_parse(kan_slice value, kan_date *out) {
    if (value.size != 10 || value.bytes[4] != '-' || value.bytes[7] != '-')
        return false;
    kan_date date = {digits_value(value.bytes, 4), digits_value(value.bytes + 5, 2),
                     digits_value(value.bytes + 8, 2)};
    if (date.year < 0 || date.month < 1 || date.month > 12 || date.day < 1 ||
        date.day > days_of_month(date.year, date.month))
        return false;
    *out = date;
    return true;
}

double kan_date_days(kan_date date) {
    /* Whole years before this one, each with its leap day; year 0 of the calendar has one. */
    int years = date.year;
    int leap_days = years > 0 ? (years - 1) / 4 - (years - 1) / 100 + (years - 1) / 400 + 1 : 0;
    int days = years * 365 + leap_days;
    for (int month = 1; month < date.month; month++)
        days += days_of_month(date.year, month);
    enum { DAYS_BEFORE_1970 = 719528 };
    return days + date.day - 1 - DAYS_BEFORE_1970;
}

bool kan_value_number(kan_type type, kan_slice value, double *out) {
    kan_date date;
    switch (type) {
    case KAN_TYPE_NUMBER:
        return kan_parse_real(value.bytes, value.size, out);
    case KAN_TYPE_DATE:
        if (!kan_date_parse(value, &date))
            return false;
        *out = kan_date_days(date);
        return true;
    case KAN_TYPE_TEXT:
        break;
    }
    return false;
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
    return kan_slice_compare(a, b);
}

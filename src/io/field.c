/* Values of known types as text. */
#include "io/field.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/signs.h"
#include "data/value.h"

size_t kan_number_text(double number, char *room) {
    if (number == 0) {
        memcpy(room, "0", 2);
        return 1;
    }
    /* Below 2^63 a whole number is exact as such. */
    if (fabs(number) < 9.2e18 && number == floor(number))
        return (size_t)snprintf(room, KAN_NUMBER_ROOM, "%" PRId64, (int64_t)number);
    int size = 0;
    for (int digits = 15; digits <= 17; digits++) {
        double again;
        size = snprintf(room, KAN_NUMBER_ROOM, "%.*g", digits, number);
        /* A program may have set a locale with another decimal point. */
        for (int i = 0; i < size; i++)
            if (room[i] == ',')
                room[i] = '.';
        if (kan_parse_real(room, (size_t)size, &again) && again == number)
            break;
    }
    return (size_t)size;
}

/* ---- forms ---------------------------------------------------------------------------------- */

static bool is_number(kan_slice text) {
    double number;
    char room[KAN_NUMBER_ROOM];
    if (!kan_parse_real(text.bytes, text.size, &number))
        return false;
    return kan_slice_equal(text, (kan_slice){room, kan_number_text(number, room)});
}

static bool is_date(kan_slice text) {
    kan_date date;
    return text.size == 10 && kan_date_parse(text, &date); /* which takes a time of day, too */
}

static bool digits_below(const char *at, int most) {
    return kan_is_digit(at[0]) && kan_is_digit(at[1]) && (at[0] - '0') * 10 + (at[1] - '0') < most;
}

/* hh:mm:ss, and digits of a second of which the last is not 0. */
static bool is_time(kan_slice text) {
    const char *at = text.bytes;
    if (text.size < 8 || !digits_below(at, 24) || at[2] != ':' || !digits_below(at + 3, 60) ||
        at[5] != ':' || !digits_below(at + 6, 60))
        return false;
    if (text.size == 8)
        return true;
    if (at[8] != '.' || text.size < 10 || text.size > 18 || at[text.size - 1] == '0')
        return false;
    for (size_t i = 9; i < text.size; i++)
        if (!kan_is_digit(at[i]))
            return false;
    return true;
}

static bool is_timestamp(kan_slice text) {
    if (text.size < 19 || text.bytes[10] != ' ' || !is_date((kan_slice){text.bytes, 10}))
        return false;
    if (memcmp(text.bytes + text.size - 3, "+00", 3) == 0)
        text.size -= 3;
    return is_time((kan_slice){text.bytes + 11, text.size - 11});
}

bool kan_field_holds(kan_field_type type, kan_slice text) {
    switch (type) {
    case KAN_FIELD_TEXT:
        return true;
    case KAN_FIELD_NUMBER:
        return text.size == 0 || is_number(text);
    case KAN_FIELD_DATE:
        return text.size == 0 || is_date(text);
    case KAN_FIELD_TIMESTAMP:
        return text.size == 0 || is_timestamp(text);
    case KAN_FIELD_TIME:
        return text.size == 0 || is_time(text);
    case KAN_FIELD_BOOLEAN:
        return text.size == 0 || kan_slice_is(text, "true") || kan_slice_is(text, "false");
    }
    return false;
}

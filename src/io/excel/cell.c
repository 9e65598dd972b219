/* Dates are days since the end of 1899, or since 1904; the clock is the fraction of a day. The year
 * 1900 has a 29th of February there, day 60, so days before it are counted from one day later. */
#include "io/excel/cell.h"

#include <math.h>
#include <stdio.h>

#include "core/signs.h"
#include "data/value.h"

enum {
    MS_PER_SECOND = 1000,
    MS_PER_DAY = 86400000,
    LAST_DAY_1900 = 2958465,
    LAST_DAY_1904 = 2957003
};

const char *kan_cell_name(uint32_t row, uint32_t column, char *room) {
    char letters[8];
    size_t n = 0;
    for (uint32_t left = column + 1; left > 0; left = (left - 1) / 26)
        letters[n++] = (char)('A' + (left - 1) % 26);
    size_t at = 0;
    while (n > 0)
        room[at++] = letters[--n];
    (void)snprintf(room + at, 16 - at, "%u", row + 1);
    return room;
}

/* ---- days and clocks ------------------------------------------------------------------------ */

/* The date that is so many days after 1970-01-01. */
static kan_date date_of(int64_t days) {
    kan_date date = {(int)(1970 + floor((double)days / 365.2425)), 1, 1};
    while ((int64_t)kan_date_days(date) > days)
        date.year--;
    while ((int64_t)kan_date_days((kan_date){date.year + 1, 1, 1}) <= days)
        date.year++;
    while (date.month < 12 &&
           (int64_t)kan_date_days((kan_date){date.year, date.month + 1, 1}) <= days)
        date.month++;
    date.day += (int)(days - (int64_t)kan_date_days(date));
    return date;
}

/* The text of a day; false where the calendar has no such day. */
static bool put_day(const kan_cell_world *world, int64_t day, char *room, size_t size, int *n) {
    enum { DAY_1900 = -25569, DAY_1904 = -24107 };    /* day 0, from 1970-01-01 */
    if (!world->is_1904 && (day == 0 || day == 60)) { /* as it is shown */
        *n = snprintf(room, size, "%s", day == 0 ? "1900-01-00" : "1900-02-29");
        return false;
    }
    const kan_date date =
        date_of(day + (world->is_1904 ? DAY_1904 : DAY_1900) + (!world->is_1904 && day < 60));
    *n = snprintf(room, size, "%04d-%02d-%02d", date.year, date.month, date.day);
    return true;
}

static int put_clock(int64_t ms, char *room, size_t size) {
    const int64_t seconds = ms / MS_PER_SECOND;
    int n = snprintf(room, size, "%02d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60),
                     (int)(seconds % 60));
    if (ms % MS_PER_SECOND) {
        n += snprintf(room + n, size - (size_t)n, ".%03d", (int)(ms % MS_PER_SECOND));
        while (room[n - 1] == '0')
            n--;
    }
    return n;
}

static void set_text(kan_cell *cell, kan_field_type type, int size) {
    cell->type = type;
    cell->text = (kan_slice){cell->room, (size_t)size};
}

static void read_moment(const kan_cell_world *world, kan_number_style style, int64_t ms,
                        kan_cell *out) {
    const int64_t day = ms / MS_PER_DAY, clock = ms % MS_PER_DAY;
    const bool is_clock_alone =
        day == 0 &&
        (style == KAN_STYLE_TIME || (!world->is_1904 && (clock > 0 || style != KAN_STYLE_DATE)));
    int n = 0;
    if (style == KAN_STYLE_ELAPSED) {
        set_text(out, day == 0 ? KAN_FIELD_TIME : KAN_FIELD_TEXT,
                 put_clock(ms, out->room, sizeof out->room));
    } else if (is_clock_alone) {
        set_text(out, KAN_FIELD_TIME, put_clock(clock, out->room, sizeof out->room));
    } else {
        const bool is_day = put_day(world, day, out->room, sizeof out->room, &n);
        const bool has_clock = clock > 0 || style == KAN_STYLE_TIMESTAMP || style == KAN_STYLE_TIME;
        if (has_clock) {
            out->room[n++] = ' ';
            n += put_clock(clock, out->room + n, sizeof out->room - (size_t)n);
        }
        set_text(out,
                 !is_day     ? KAN_FIELD_TEXT
                 : has_clock ? KAN_FIELD_TIMESTAMP
                             : KAN_FIELD_DATE,
                 n);
    }
}

bool kan_cell_number(kan_slice text, double *out) {
    while (text.size > 0 && strchr(" \t\r\n", text.bytes[text.size - 1]))
        text.size--;
    for (; text.size > 0 && strchr(" \t\r\n", text.bytes[0]); text.bytes++)
        text.size--;
    return kan_parse_real(text.bytes, text.size, out);
}

static bool read_number(const kan_cell_world *world, kan_number_style style, kan_slice text,
                        kan_cell *out) {
    double number;
    const double most = world->is_1904 ? LAST_DAY_1904 : LAST_DAY_1900;
    if (!kan_cell_number(text, &number))
        return false;
    const double ms = nearbyint(number * MS_PER_DAY);
    if (style == KAN_STYLE_NUMBER || number < 0 || ms >= (most + 1) * MS_PER_DAY)
        set_text(out, KAN_FIELD_NUMBER, (int)kan_number_text(number, out->room));
    else
        read_moment(world, style, (int64_t)ms, out);
    return true;
}

/* ---- other cells ---------------------------------------------------------------------------- */

static bool read_shared(const kan_cell_world *world, kan_slice text, kan_cell *out) {
    uint64_t index = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (!kan_is_digit(text.bytes[i]) || i >= 10)
            return false;
        index = index * 10 + (uint64_t)(text.bytes[i] - '0');
    }
    if (!world->strings || index >= world->strings->n)
        return false;
    out->type = KAN_FIELD_TEXT;
    out->text = kan_strings_at(world->strings, index);
    return true;
}

static bool read_boolean(kan_slice text, kan_cell *out) {
    const bool is_true = kan_slice_is(text, "1") || kan_slice_is(text, "true");
    out->type = KAN_FIELD_BOOLEAN;
    out->text = kan_slice_of(is_true ? "true" : "false");
    return is_true || kan_slice_is(text, "0") || kan_slice_is(text, "false");
}

/* 1980-03-14, 1980-03-14T13:45:00, or a clock alone; with a Z where it has a zone. */
static void read_iso(kan_slice text, kan_cell *out) {
    kan_date date;
    const bool has_day = text.size >= 10 && kan_date_parse((kan_slice){text.bytes, 10}, &date);
    out->type = KAN_FIELD_TEXT;
    out->text = text;
    if (has_day && text.size == 10) {
        out->type = KAN_FIELD_DATE;
    } else if (has_day && text.bytes[10] == 'T' && text.size + 3 < sizeof out->room) {
        const bool has_zone = text.bytes[text.size - 1] == 'Z';
        const int n =
            snprintf(out->room, sizeof out->room, "%.10s %.*s%s", text.bytes,
                     (int)text.size - 11 - has_zone, text.bytes + 11, has_zone ? "+00" : "");
        set_text(out, KAN_FIELD_TIMESTAMP, n);
    } else if (text.size >= 8) {
        out->type = KAN_FIELD_TIME;
    }
    if (!kan_field_holds(out->type, out->text))
        out->type = KAN_FIELD_TEXT;
}

bool kan_cell_read(const kan_cell_world *world, kan_slice key, kan_cell *out, const char **why) {
    const kan_slice text = {key.bytes + 1, key.size - 1};
    *out = (kan_cell){.text = {"", 0}};
    if (key.size == 0)
        return true;
    switch (key.bytes[0]) {
    case KAN_CELL_SHARED:
        *why = "names a shared string that the workbook does not have";
        return read_shared(world, text, out);
    case KAN_CELL_TEXT:
        out->text = text;
        return true;
    case KAN_CELL_BOOLEAN:
        *why = "is neither true nor false";
        return read_boolean(text, out);
    case KAN_CELL_ISO:
        read_iso(text, out);
        return true;
    default:
        *why = "should be a number, but is not";
        return read_number(world, (kan_number_style)key.bytes[0], text, out);
    }
}

/* Ticks of scales. Days are turned into dates by trying: months are few. */
#include "report/axis_ticks.h"

#include <math.h>
#include <stdio.h>

#include "report/svg.h"

typedef struct {
    kan_arena *arena;
    const kan_axis_scale *scale;
    kan_axis_tick *ticks;
    size_t n, most;
} listing;

static bool is_inside(const listing *list, double at) {
    const double slack = 1e-9 * (list->scale->high - list->scale->low);
    return at >= list->scale->lo - slack && at <= list->scale->hi + slack;
}

static kan_status add(listing *list, double at, const char *label) {
    const kan_axis_scale *scale = list->scale;
    const char *copy;
    if (list->n == list->most || !is_inside(list, at))
        return KAN_OK;
    KAN_TRY(kan_arena_copy(list->arena, label, strlen(label), &copy));
    list->ticks[list->n++] =
        (kan_axis_tick){(at - scale->low) / (scale->high - scale->low), kan_slice_of(copy)};
    return KAN_OK;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static kan_status add_number(listing *list, double at, double unit) {
    kan_text text;
    const int decimals = unit < 1 ? (int)ceil(-log10(unit) - 1e-9) : 0;
    kan_text_init(&text, list->arena->run);
    kan_text_print(&text, "%.*f", decimals, at + 0.0); /* never -0 */
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = add(list, at, text.bytes);
    kan_text_destroy(&text);
    return status;
}

static kan_status add_numbers(listing *list) {
    const kan_axis_scale *scale = list->scale;
    const double length = scale->hi - scale->lo;
    const double step = length > 0 ? fmax(kan_svg_step(length), scale->unit) : 1;
    const size_t n_before = list->n;
    const double first = ceil(scale->lo / step - 1e-9);
    for (int i = 0; length > 0 && i < KAN_AXIS_MOST_TICKS; i++)
        KAN_TRY(add_number(list, (first + i) * step, step));
    if (list->n - n_before >= 2)
        return KAN_OK;
    list->n = n_before;
    KAN_TRY(add_number(list, scale->lo, scale->unit));
    return length > 0 ? add_number(list, scale->hi, scale->unit) : KAN_OK;
}

/* ---- dates ---------------------------------------------------------------------------------- */

static int year_of(double days) {
    int year = 1970 + (int)floor(days / 365.2425);
    while (kan_date_days((kan_date){year, 1, 1}) > days)
        year--;
    while (kan_date_days((kan_date){year + 1, 1, 1}) <= days)
        year++;
    return year;
}

static kan_date date_of(double days) {
    kan_date date = {year_of(days), 12, 1};
    while (kan_date_days(date) > days)
        date.month--;
    date.day += (int)(days - kan_date_days(date));
    return date;
}

static kan_status add_date(listing *list, kan_date date, int n_parts) {
    char label[64];
    if (n_parts == 1)
        snprintf(label, sizeof label, "%04d", date.year);
    else if (n_parts == 2)
        snprintf(label, sizeof label, "%04d-%02d", date.year, date.month);
    else
        snprintf(label, sizeof label, "%04d-%02d-%02d", date.year, date.month, date.day);
    return add(list, kan_date_days(date), label);
}

static kan_status add_dates(listing *list) {
    const kan_axis_scale *scale = list->scale;
    const int first = year_of(scale->lo), last = year_of(scale->hi);
    const size_t n_before = list->n;
    const double years = (scale->hi - scale->lo) / 365.2425;
    if (years > 4) {
        const int step = (int)fmax(1, kan_svg_step(years));
        for (int year = first - first % step; year <= last; year += step)
            KAN_TRY(add_date(list, (kan_date){year, 1, 1}, 1));
    } else {
        const int step = years > 2 ? 6 : years > 0.8 ? 3 : 1;
        for (int year = first; year <= last; year++)
            for (int month = 1; month <= 12; month += step)
                KAN_TRY(add_date(list, (kan_date){year, month, 1}, 2));
    }
    if (list->n - n_before >= 2)
        return KAN_OK;
    list->n = n_before;
    KAN_TRY(add_date(list, date_of(scale->lo), 3));
    return scale->hi > scale->lo ? add_date(list, date_of(scale->hi), 3) : KAN_OK;
}

kan_status kan_axis_ticks(kan_arena *arena, const kan_axis_scale *scale, kan_axis_tick *ticks,
                          size_t *n) {
    listing list = {arena, scale, ticks, *n, *n + KAN_AXIS_MOST_TICKS};
    KAN_ASSERT(scale->low < scale->high);
    KAN_TRY(scale->is_date ? add_dates(&list) : add_numbers(&list));
    *n = list.n;
    return KAN_OK;
}

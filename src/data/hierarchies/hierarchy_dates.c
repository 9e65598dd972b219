/* Builders of dates: `date`, the parts of the calendar, and `age`, the age on a day.
 *
 * month 2003-01, quarter 2003-Q1, half 2003-H1, year 2003, five-years 2000-2004, decade 2000s lie in
 * each other in this order; any of them may be left out. A week (2003-W07, ISO 8601: from Monday, and of the year that
 * has its Thursday) can lie in two months and in two years, so nothing but the top can follow it.
 * Dates come in order, and every part of the calendar is an interval of dates: the preorder is the
 * order of time.
 *
 * An age is the number of whole years from a date of birth to a day that the spec names, never to
 * today: the same input gives the same release. Who was born on 29 February is a year older from 1
 * March on. Widths divide each other, so each age group lies in one of the next; each is an interval
 * of dates, too. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "data/hierarchies/hierarchy_build.h"

typedef enum {
    PART_WEEK,
    PART_MONTH,
    PART_QUARTER,
    PART_HALF,
    PART_YEAR,
    PART_FIVE_YEARS,
    PART_DECADE
} date_part;

enum { N_PARTS = PART_DECADE + 1, PART_BYTES = 32 };

static const char *const part_names[N_PARTS] = {"week", "month",      "quarter", "half",
                                                "year", "five-years", "decade"};

static bool part_find(kan_slice name, date_part *out) {
    for (int part = 0; part < N_PARTS; part++)
        if (kan_slice_is(name, part_names[part])) {
            *out = (date_part)part;
            return true;
        }
    return false;
}

static kan_status parse_parts(const kan_hierarchy_plan *plan, date_part *parts, unsigned *n_parts) {
    const char *rest = plan->arguments;
    kan_slice piece;
    unsigned n = 0;
    while (kan_plan_next(&rest, &piece)) {
        char quoted[256];
        date_part part;
        if (!part_find(piece, &part)) {
            kan_problem_add(plan->run,
                            "%s (column %s): %s is not a part of a date; write some of month, "
                            "quarter, half, year, five-years, decade, or week alone, such as "
                            "date:month,year",
                            plan->spec, plan->column->name, kan_quote(piece, quoted));
            return KAN_BAD_INPUT;
        }
        if (n > 0 && part == parts[n - 1]) {
            kan_problem_add(plan->run, "%s (column %s): %s is named twice; name it once",
                            plan->spec, plan->column->name, part_names[part]);
            return KAN_BAD_INPUT;
        }
        if (n > 0 && parts[n - 1] == PART_WEEK) {
            kan_problem_add(plan->run,
                            "%s (column %s): a week can lie in two parts of the calendar, so no %s "
                            "can follow it; write date:week, or leave week out",
                            plan->spec, plan->column->name, part_names[part]);
            return KAN_BAD_INPUT;
        }
        if (n > 0 && part < parts[n - 1]) {
            kan_problem_add(
                plan->run,
                "%s (column %s): a %s does not lie in one %s; write the parts from "
                "small to large: month, quarter, half, year, five-years, decade, or week "
                "alone",
                plan->spec, plan->column->name, part_names[parts[n - 1]], part_names[part]);
            return KAN_BAD_INPUT;
        }
        parts[n++] = part;
    }
    *n_parts = n;
    return KAN_OK;
}

static void write_week(kan_date date, char *room) {
    double days = kan_date_days(date);
    double weekday = fmod(days + 3, 7); /* 1970-01-01 was a Thursday; Monday is 0 */
    if (weekday < 0)
        weekday += 7;
    double thursday = days - weekday + 3;
    int year = date.year;
    if (thursday < kan_date_days((kan_date){year, 1, 1}))
        year--;
    else if (thursday >= kan_date_days((kan_date){year + 1, 1, 1}))
        year++;
    int week = (int)((thursday - kan_date_days((kan_date){year, 1, 1})) / 7) + 1;
    snprintf(room, PART_BYTES, "%04d-W%02d", year, week);
}

static void write_part(date_part part, kan_date date, char *room) {
    switch (part) {
    case PART_WEEK:
        write_week(date, room);
        break;
    case PART_MONTH:
        snprintf(room, PART_BYTES, "%04d-%02d", date.year, date.month);
        break;
    case PART_QUARTER:
        snprintf(room, PART_BYTES, "%04d-Q%d", date.year, (date.month - 1) / 3 + 1);
        break;
    case PART_HALF:
        snprintf(room, PART_BYTES, "%04d-H%d", date.year, (date.month - 1) / 6 + 1);
        break;
    case PART_YEAR:
        snprintf(room, PART_BYTES, "%04d", date.year);
        break;
    case PART_FIVE_YEARS:
        snprintf(room, PART_BYTES, "%04d-%04d", date.year / 5 * 5, date.year / 5 * 5 + 4);
        break;
    case PART_DECADE:
        snprintf(room, PART_BYTES, "%04ds", date.year / 10 * 10);
        break;
    }
}

kan_status kan_build_dates(const kan_hierarchy_plan *plan) {
    date_part parts[N_PARTS] = {PART_WEEK};
    unsigned n_parts = 0;
    KAN_TRY(parse_parts(plan, parts, &n_parts));
    KAN_TRY(kan_plan_check_type(plan, KAN_TYPE_DATE, "a date such as 2003-11-16",
                                "dates such as 2003-11-16"));
    for (uint32_t code = 0; code < plan->column->dictionary.n; code++) {
        kan_slice value = kan_dictionary_value(&plan->column->dictionary, code);
        kan_slice labels[N_PARTS];
        char room[N_PARTS][PART_BYTES];
        kan_date date;
        bool is_known = !kan_value_is_unknown(value) && kan_date_parse(value, &date);
        for (unsigned i = 0; i < n_parts; i++) {
            labels[i] = value;
            if (is_known) {
                write_part(parts[i], date, room[i]);
                labels[i] = kan_slice_of(room[i]);
            }
        }
        KAN_TRY(kan_plan_add(plan, code, labels, n_parts, true));
    }
    return KAN_OK;
}

/* ---- ages ----------------------------------------------------------------------------------- */

typedef struct {
    uint64_t widths[KAN_HEIGHT_MOST];
    unsigned n_widths;
    kan_date day;
} age_plan;

static kan_status parse_day(const kan_hierarchy_plan *plan, const char *at, age_plan *ages) {
    if (at && kan_date_parse(kan_slice_of(at + 1), &ages->day) && strlen(at + 1) == 10)
        return KAN_OK;
    kan_problem_add(plan->run,
                    "%s (column %s): the day on which people have their age stands at the end, "
                    "such as age:1,5,10@2025-12-31",
                    plan->spec, plan->column->name);
    return KAN_BAD_INPUT;
}

static kan_status parse_ages(const kan_hierarchy_plan *plan, age_plan *ages) {
    const char *at = strchr(plan->arguments, '@');
    char widths[256];
    const size_t size = at ? (size_t)(at - plan->arguments) : 0;
    KAN_TRY(parse_day(plan, at, ages));
    snprintf(widths, sizeof widths, "%.*s", (int)(size < sizeof widths ? size : sizeof widths - 1),
             plan->arguments);
    const char *rest = widths;
    kan_slice piece;
    while (kan_plan_next(&rest, &piece)) {
        uint64_t *here = &ages->widths[ages->n_widths];
        char quoted[256];
        if (ages->n_widths == KAN_HEIGHT_MOST - 1 || size >= sizeof widths ||
            !kan_plan_count(piece, 1, 1000, here)) {
            kan_problem_add(plan->run,
                            "%s (column %s): %s is not a number of years; write at most %d whole "
                            "numbers, such as age:1,5,10@2025-12-31",
                            plan->spec, plan->column->name, kan_quote(piece, quoted),
                            KAN_HEIGHT_MOST - 1);
            return KAN_BAD_INPUT;
        }
        if (ages->n_widths > 0 && (*here <= here[-1] || *here % here[-1] != 0)) {
            kan_problem_add(plan->run,
                            "%s (column %s): %" PRIu64 " years are followed by %" PRIu64
                            "; write increasing numbers that divide each other, such as "
                            "age:1,5,10@2025-12-31",
                            plan->spec, plan->column->name, here[-1], *here);
            return KAN_BAD_INPUT;
        }
        ages->n_widths++;
    }
    return KAN_OK;
}

/* Whole years; below 0 for who was born later. */
static int age_on(kan_date born, kan_date day) {
    const bool is_before =
        day.month < born.month || (day.month == born.month && day.day < born.day);
    return day.year - born.year - is_before;
}

/* Somebody who is not born yet has no age: it would be another column, or the wrong day. */
static kan_status check_births(const kan_hierarchy_plan *plan, const age_plan *ages) {
    const kan_dictionary *dictionary = &plan->column->dictionary;
    uint32_t n_later = 0, first = 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        kan_date date;
        if (kan_date_parse(kan_dictionary_value(dictionary, code), &date) &&
            age_on(date, ages->day) < 0 && n_later++ == 0)
            first = code;
    }
    if (n_later == 0)
        return KAN_OK;
    char quoted[256];
    kan_problem_add(plan->run,
                    "%s: %" PRIu32 " of the %" PRIu32 " %s of column %s %s behind that day, %s %s; "
                    "name a later day, or use date:year if these are no dates of birth",
                    plan->spec, n_later, dictionary->n,
                    kan_plural(dictionary->n, "value", "values"), plan->column->name,
                    kan_plural(n_later, "lies", "lie"),
                    kan_plural(n_later, "namely", "the first is"),
                    kan_quote(kan_dictionary_value(dictionary, first), quoted));
    return KAN_BAD_INPUT;
}

kan_status kan_build_ages(const kan_hierarchy_plan *plan) {
    age_plan ages = {.n_widths = 0};
    KAN_TRY(parse_ages(plan, &ages));
    KAN_TRY(kan_plan_check_type(plan, KAN_TYPE_DATE, "a date such as 2003-11-16",
                                "dates such as 2003-11-16"));
    KAN_TRY(check_births(plan, &ages));
    for (uint32_t code = 0; code < plan->column->dictionary.n; code++) {
        kan_slice value = kan_dictionary_value(&plan->column->dictionary, code);
        kan_slice labels[KAN_HEIGHT_MOST];
        char room[KAN_HEIGHT_MOST][PART_BYTES];
        kan_date date;
        const bool is_known = !kan_value_is_unknown(value) && kan_date_parse(value, &date);
        const int age = is_known ? age_on(date, ages.day) : 0;
        for (unsigned i = 0; i < ages.n_widths; i++) {
            const int width = (int)ages.widths[i], least = age / width * width;
            labels[i] = value;
            if (is_known) {
                if (width == 1)
                    snprintf(room[i], PART_BYTES, "%d", age);
                else
                    snprintf(room[i], PART_BYTES, "%d-%d", least, least + width - 1);
                labels[i] = kan_slice_of(room[i]);
            }
        }
        KAN_TRY(kan_plan_add(plan, code, labels, ages.n_widths, true));
    }
    return KAN_OK;
}

/* Builder `date`: the parts of a calendar date.
 *
 * month 2003-01, quarter 2003-Q1, half 2003-H1, year 2003, decade 2000s lie in each other in this
 * order; any of them may be left out. A week (2003-W07, ISO 8601: from Monday, and of the year that
 * has its Thursday) can lie in two months and in two years, so nothing but the top can follow it.
 * Dates come in order, and every part of the calendar is an interval of dates: the preorder is the
 * order of time. */
#include <math.h>
#include <stdio.h>

#include "data/hierarchies/hierarchy_build.h"

typedef enum { PART_WEEK, PART_MONTH, PART_QUARTER, PART_HALF, PART_YEAR, PART_DECADE } date_part;

enum { N_PARTS = PART_DECADE + 1, PART_BYTES = 32 };

static const char *const part_names[N_PARTS] = {"week", "month", "quarter",
                                                "half", "year",  "decade"};

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
                            "quarter, half, year, decade, or week alone, such as date:month,year",
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
            kan_problem_add(plan->run,
                            "%s (column %s): a %s does not lie in one %s; write the parts from "
                            "small to large: month, quarter, half, year, decade, or week alone",
                            plan->spec, plan->column->name, part_names[parts[n - 1]],
                            part_names[part]);
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

/* Builder `intervals`: numbers in intervals of growing widths.
 *
 * Nothing here is rounded. With s the decimals of the widths and the origin, every bound is a whole
 * number of units of 10^-s. The text of a value is cut down to whole units (floor), which does not
 * move it over any bound, and the rest is integer arithmetic: 0.3 lies in [0.3, 0.4), which binary
 * fractions get wrong. An interval is named by its lower bound; widths divide each other, so each
 * interval lies in one of the next width.
 *
 * Of a capped column the interval in which an end lies has no bound on that side: >=80, <20. That
 * follows from --cap alone, whether or not any row has the end.
 *
 * Values, widths and origin may have up to 36 digits before and after the point together, as far
 * as units are concerned: far beyond what a double tells apart. */
#include "data/decimal.h"
#include "data/hierarchies/hierarchy_build.h"

enum { LABEL_BYTES = 2 * KAN_DECIMAL_BYTES };

typedef struct {
    unsigned scale; /* decimals of a unit */
    unsigned n_widths;
    kan_wide widths[KAN_HEIGHT_MOST], origin; /* in units */
    bool is_whole;                            /* values, widths and origin are whole numbers */
    bool has_low, has_high;                   /* the column is capped: the units in which */
    kan_wide low, high;                       /* its ends lie */
} interval_plan;

/* ---- the spec ------------------------------------------------------------------------------- */

static kan_status tell_number(const kan_hierarchy_plan *plan, kan_slice piece, const char *what) {
    char quoted[256];
    kan_problem_add(plan->run,
                    "%s (column %s): %s is not %s; write numbers of at most %d decimals, such as "
                    "intervals:5,10,20 or intervals:5,10@2",
                    plan->spec, plan->column->name, kan_quote(piece, quoted), what,
                    KAN_DECIMAL_SCALE_MOST);
    return KAN_BAD_INPUT;
}

static kan_status check_widths(const kan_hierarchy_plan *plan, const interval_plan *intervals) {
    for (unsigned i = 1; i < intervals->n_widths; i++) {
        kan_wide before = intervals->widths[i - 1], here = intervals->widths[i];
        char text[2][64];
        *kan_decimal_write(before, intervals->scale, text[0]) = '\0';
        *kan_decimal_write(here, intervals->scale, text[1]) = '\0';
        if (here > before && here % before == 0)
            continue;
        kan_problem_add(plan->run,
                        here <= before
                            ? "%s (column %s): width %s is followed by %s; write increasing widths"
                            : "%s (column %s): width %s does not divide the next one, %s, so that "
                              "an interval would lie in two; write widths that divide each other, "
                              "such as 5,10,20",
                        plan->spec, plan->column->name, text[0], text[1]);
        return KAN_BAD_INPUT;
    }
    return KAN_OK;
}

/* Reads widths and origin twice: first for the scale that all of them need, then in its units. */
static kan_status parse_spec(const kan_hierarchy_plan *plan, interval_plan *intervals) {
    const char *at = strchr(plan->arguments, '@');
    kan_slice origin = at ? kan_slice_of(at + 1) : kan_slice_of("0");
    size_t widths_size = at ? (size_t)(at - plan->arguments) : strlen(plan->arguments);
    bool is_exact;
    if (!kan_decimal_scale(origin, &intervals->scale))
        return tell_number(plan, origin, "a number to start from");
    for (int pass = 0; pass < 2; pass++) {
        unsigned n = 0;
        for (size_t start = 0; start <= widths_size; n++) {
            size_t size = 0;
            while (start + size < widths_size && plan->arguments[start + size] != ',')
                size++;
            kan_slice piece = {plan->arguments + start, size};
            if (n == KAN_HEIGHT_MOST - 1) {
                kan_problem_add(plan->run, "%s (column %s): more than %d widths; leave some out",
                                plan->spec, plan->column->name, KAN_HEIGHT_MOST - 1);
                return KAN_BAD_INPUT;
            }
            if (pass == 0 ? !kan_decimal_scale(piece, &intervals->scale)
                          : !kan_decimal_floor(piece, intervals->scale, &intervals->widths[n],
                                               &is_exact) ||
                                intervals->widths[n] <= 0)
                return tell_number(plan, piece, "a width above 0");
            start += size + 1;
        }
        intervals->n_widths = n;
    }
    if (!kan_decimal_floor(origin, intervals->scale, &intervals->origin, &is_exact))
        return tell_number(plan, origin, "a number to start from");
    return check_widths(plan, intervals);
}

/* ---- the lines ------------------------------------------------------------------------------ */

/* The units of a value; an end lies in the unit right below its bound, or in that of its bound. */
static bool units_of(kan_slice value, unsigned scale, kan_wide *units, bool *is_exact) {
    kan_slice bound;
    const kan_end end = kan_value_end(value, &bound);
    if (!kan_decimal_floor(bound, scale, units, is_exact))
        return false;
    *units -= end == KAN_END_LOW && *is_exact;
    return true;
}

static kan_wide lower_bound(const interval_plan *intervals, kan_wide units, kan_wide width) {
    const kan_wide past = (units - intervals->origin) % width;
    return units - (past < 0 ? past + width : past);
}

static kan_status place_ends(const kan_hierarchy_plan *plan, interval_plan *intervals) {
    const kan_ends *ends = plan->column->ends;
    bool is_exact;
    char width[64];
    if (!ends)
        return KAN_OK;
    intervals->has_low = units_of(ends->low, intervals->scale, &intervals->low, &is_exact);
    intervals->has_high = units_of(ends->high, intervals->scale, &intervals->high, &is_exact);
    for (unsigned i = 0; intervals->has_low && intervals->has_high && i < intervals->n_widths;
         i++) {
        if (lower_bound(intervals, intervals->low, intervals->widths[i]) !=
            lower_bound(intervals, intervals->high, intervals->widths[i]))
            continue;
        *kan_decimal_write(intervals->widths[i], intervals->scale, width) = '\0';
        kan_problem_add(plan->run,
                        "%s (column %s): both ends of --cap lie in one interval of width %s, which "
                        "would hold everything; leave that width out",
                        plan->spec, plan->column->name, width);
        return KAN_BAD_INPUT;
    }
    return KAN_OK;
}

/* Whether every known value is a whole number; a problem when one has too many digits. */
static kan_status check_values(const kan_hierarchy_plan *plan, interval_plan *intervals) {
    const kan_dictionary *dictionary = &plan->column->dictionary;
    intervals->is_whole = intervals->scale == 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        kan_slice value = kan_dictionary_value(dictionary, code);
        kan_wide units;
        bool is_exact;
        if (kan_value_is_unknown(value))
            continue;
        if (!units_of(value, intervals->scale, &units, &is_exact)) {
            char quoted[256];
            kan_problem_add(plan->run,
                            "%s: the value %s of column %s is too large for intervals; use a "
                            "hierarchy file",
                            plan->spec, kan_quote(value, quoted), plan->column->name);
            return KAN_BAD_INPUT;
        }
        intervals->is_whole &= is_exact || kan_value_end(value, NULL) != KAN_END_NONE;
    }
    return place_ends(plan, intervals);
}

/* `30-39` for whole numbers (`-10..-1` below zero, `30` for a width of 1), else `[30, 32.5)`; `<20`
 * and `>=80` where an end lies in it. */
static kan_slice interval_label(const interval_plan *intervals, kan_wide lo, kan_wide width,
                                char *room) {
    char *end = room;
    if (intervals->has_low && lower_bound(intervals, intervals->low, width) == lo) {
        *end++ = '<';
        end = kan_decimal_write(lo + width, intervals->scale, end);
    } else if (intervals->has_high && lower_bound(intervals, intervals->high, width) == lo) {
        memcpy(end, ">=", 2);
        end = kan_decimal_write(lo, intervals->scale, end + 2);
    } else if (intervals->is_whole) {
        end = kan_decimal_write(lo, 0, end);
        if (width > 1) {
            const char *dash = lo < 0 ? ".." : "-";
            memcpy(end, dash, strlen(dash));
            end = kan_decimal_write(lo + width - 1, 0, end + strlen(dash));
        }
    } else {
        *end++ = '[';
        end = kan_decimal_write(lo, intervals->scale, end);
        *end++ = ',';
        *end++ = ' ';
        end = kan_decimal_write(lo + width, intervals->scale, end);
        *end++ = ')';
    }
    return (kan_slice){room, (size_t)(end - room)};
}

static kan_status add_value(const kan_hierarchy_plan *plan, const interval_plan *intervals,
                            uint32_t code) {
    kan_slice value = kan_dictionary_value(&plan->column->dictionary, code);
    kan_slice labels[KAN_HEIGHT_MOST];
    char room[KAN_HEIGHT_MOST][LABEL_BYTES];
    kan_wide units = 0;
    bool is_exact;
    bool is_known =
        !kan_value_is_unknown(value) && units_of(value, intervals->scale, &units, &is_exact);
    for (unsigned i = 0; i < intervals->n_widths; i++) {
        const kan_wide width = intervals->widths[i], lo = lower_bound(intervals, units, width);
        labels[i] = is_known ? interval_label(intervals, lo, width, room[i]) : value;
    }
    return kan_plan_add(plan, code, labels, intervals->n_widths, true);
}

kan_status kan_build_intervals(const kan_hierarchy_plan *plan) {
    interval_plan intervals = {0};
    KAN_TRY(parse_spec(plan, &intervals));
    KAN_TRY(kan_plan_check_type(plan, KAN_TYPE_NUMBER, "a number", "numbers"));
    KAN_TRY(check_values(plan, &intervals));
    for (uint32_t code = 0; code < plan->column->dictionary.n; code++)
        KAN_TRY(add_value(plan, &intervals, code));
    return KAN_OK;
}

/* ---- names ---------------------------------------------------------------------------------- */

bool kan_value_is_whole(kan_slice value) {
    kan_wide units;
    bool is_exact;
    return kan_value_end(value, NULL) != KAN_END_NONE ||
           (kan_decimal_floor(value, 0, &units, &is_exact) && is_exact);
}

/* Takes "[30, 40)" apart; false for all other labels. */
static bool read_open(kan_slice label, kan_wide *lo, kan_wide *hi) {
    size_t comma = 1;
    bool is_whole[2];
    if (label.size < 6 || label.bytes[0] != '[' || label.bytes[label.size - 1] != ')')
        return false;
    while (comma < label.size && label.bytes[comma] != ',')
        comma++;
    if (comma + 3 >= label.size || label.bytes[comma + 1] != ' ')
        return false;
    return kan_decimal_floor((kan_slice){label.bytes + 1, comma - 1}, 0, lo, &is_whole[0]) &&
           kan_decimal_floor((kan_slice){label.bytes + comma + 2, label.size - comma - 3}, 0, hi,
                             &is_whole[1]) &&
           is_whole[0] && is_whole[1] && *lo < *hi;
}

bool kan_hierarchy_has_open_names(const kan_hierarchy *hierarchy) {
    kan_wide lo, hi;
    if (!hierarchy->origin || !kan_hierarchy_is_spec(hierarchy->origin) ||
        (strncmp(hierarchy->origin, "intervals:", 10) != 0 &&
         strncmp(hierarchy->origin, "quantiles:", 10) != 0))
        return false;
    for (unsigned level = 1; level <= hierarchy->height; level++)
        for (uint32_t g = 0; g < hierarchy->levels[level].n_groups; g++)
            if (read_open(hierarchy->levels[level].label[g], &lo, &hi))
                return true;
    return false;
}

kan_status kan_hierarchy_name_whole(kan_hierarchy *hierarchy) {
    const interval_plan whole = {.is_whole = true};
    kan_wide lo, hi;
    for (unsigned level = 1; level <= hierarchy->height; level++)
        for (uint32_t g = 0; g < hierarchy->levels[level].n_groups; g++) {
            kan_slice *label = &hierarchy->levels[level].label[g];
            char room[LABEL_BYTES];
            const char *bytes;
            if (!read_open(*label, &lo, &hi))
                continue;
            const kan_slice made = interval_label(&whole, lo, hi - lo, room);
            KAN_TRY(kan_arena_copy(&hierarchy->arena, made.bytes, made.size, &bytes));
            *label = (kan_slice){bytes, made.size};
        }
    hierarchy->names_whole = true;
    return KAN_OK;
}

kan_status kan_hierarchy_fit_names(kan_hierarchy *hierarchy, const kan_column *released) {
    kan_wide lo, hi;
    if (!kan_hierarchy_has_open_names(hierarchy))
        return KAN_OK;
    for (uint32_t code = 0; code < released->dictionary.n; code++)
        if (read_open(kan_dictionary_value(&released->dictionary, code), &lo, &hi))
            return KAN_OK;
    return kan_hierarchy_name_whole(hierarchy);
}

/* Builder `intervals`: numbers in intervals of growing widths.
 *
 * Nothing here is rounded. With s the decimals of the widths and the origin, every bound is a whole
 * number of units of 10^-s. The text of a value is cut down to whole units (floor), which does not
 * move it over any bound, and the rest is integer arithmetic: 0.3 lies in [0.3, 0.4), which binary
 * fractions get wrong. An interval is named by its lower bound; widths divide each other, so each
 * interval lies in one of the next width.
 *
 * Values, widths and origin may have up to 36 digits before and behind the point together, as far
 * as units are concerned: far beyond what a double tells apart. */
#include "data/hierarchy_build.h"

__extension__ typedef __int128 wide;

enum { SCALE_MOST = 18, DIGITS_MOST = 36, LABEL_BYTES = 128 };

typedef struct {
    unsigned scale; /* decimals of a unit */
    unsigned n_widths;
    wide widths[KAN_HEIGHT_MOST], origin; /* in units */
    bool is_whole;                        /* values, widths and origin are whole numbers */
} interval_plan;

/* ---- exact decimals ------------------------------------------------------------------------- */

typedef struct {
    bool is_negative;
    const char *digits; /* with the point among them */
    size_t n_chars, n_digits;
    long exponent; /* of the last digit */
} decimal;

/* Takes a number apart; the text has passed kan_parse_real. */
static decimal decimal_parse(kan_slice text) {
    decimal d = {0};
    size_t at = 0;
    if (at < text.size && (text.bytes[at] == '-' || text.bytes[at] == '+'))
        d.is_negative = text.bytes[at++] == '-';
    d.digits = text.bytes + at;
    bool is_fraction = false;
    for (; at < text.size && text.bytes[at] != 'e' && text.bytes[at] != 'E'; at++) {
        d.n_chars++;
        if (text.bytes[at] == '.') {
            is_fraction = true;
        } else {
            d.n_digits++;
            d.exponent -= is_fraction;
        }
    }
    if (at < text.size) {
        bool is_down = ++at < text.size && text.bytes[at] == '-';
        at += at < text.size && (text.bytes[at] == '-' || text.bytes[at] == '+');
        long exponent = 0;
        for (; at < text.size && exponent < 100000; at++)
            exponent = exponent * 10 + (text.bytes[at] - '0');
        d.exponent += is_down ? -exponent : exponent;
    }
    return d;
}

/* floor(text * 10^scale); *is_exact tells whether nothing was cut. False when it has too many
 * digits, or is no number. */
static bool decimal_floor(kan_slice text, unsigned scale, wide *out, bool *is_exact) {
    double unused;
    if (!kan_parse_real(text.bytes, text.size, &unused))
        return false;
    decimal d = decimal_parse(text);
    long shift = d.exponent + (long)scale;                  /* of the last digit, in units */
    long kept = (long)d.n_digits + (shift < 0 ? shift : 0); /* digits that reach a unit */
    wide units = 0, most = 1;
    for (int i = 0; i < DIGITS_MOST; i++)
        most *= 10;
    bool was_cut = false;
    for (size_t i = 0; i < d.n_chars; i++) {
        if (d.digits[i] == '.')
            continue;
        if (kept-- > 0) {
            units = units * 10 + (d.digits[i] - '0');
            if (units >= most)
                return false;
        } else {
            was_cut |= d.digits[i] != '0';
        }
    }
    for (; units != 0 && shift > 0; shift--) {
        units *= 10;
        if (units >= most)
            return false;
    }
    *is_exact = !was_cut;
    *out = d.is_negative ? -units - was_cut : units;
    return true;
}

/* The least scale at which the number is whole; false when SCALE_MOST is not enough. */
static bool decimal_scale(kan_slice text, unsigned *scale) {
    for (unsigned s = 0; s <= SCALE_MOST; s++) {
        wide unused;
        bool is_exact;
        if (!decimal_floor(text, s, &unused, &is_exact))
            return false;
        if (is_exact) {
            *scale = s > *scale ? s : *scale;
            return true;
        }
    }
    return false;
}

/* Writes units as a decimal without trailing zeros; returns the end. */
static char *decimal_write(wide units, unsigned scale, char *out) {
    char digits[64];
    unsigned n = 0;
    wide left = units < 0 ? -units : units;
    for (; scale > 0 && left % 10 == 0; scale--)
        left /= 10;
    while (left > 0 || n <= scale) {
        digits[n++] = (char)('0' + (int)(left % 10));
        left /= 10;
    }
    if (units < 0)
        *out++ = '-';
    while (n-- > 0) {
        *out++ = digits[n];
        if (n == scale && n > 0)
            *out++ = '.';
    }
    return out;
}

/* ---- the spec ------------------------------------------------------------------------------- */

static kan_status tell_number(const kan_hierarchy_plan *plan, kan_slice piece, const char *what) {
    char quoted[256];
    kan_problem_add(plan->run,
                    "%s (column %s): %s is not %s; write numbers of at most %d decimals, such as "
                    "intervals:5,10,20 or intervals:5,10@2",
                    plan->spec, plan->column->name, kan_quote(piece, quoted), what, SCALE_MOST);
    return KAN_BAD_INPUT;
}

static kan_status check_widths(const kan_hierarchy_plan *plan, const interval_plan *intervals) {
    for (unsigned i = 1; i < intervals->n_widths; i++) {
        wide before = intervals->widths[i - 1], here = intervals->widths[i];
        char text[2][64];
        *decimal_write(before, intervals->scale, text[0]) = '\0';
        *decimal_write(here, intervals->scale, text[1]) = '\0';
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
    if (!decimal_scale(origin, &intervals->scale))
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
            if (pass == 0
                    ? !decimal_scale(piece, &intervals->scale)
                    : !decimal_floor(piece, intervals->scale, &intervals->widths[n], &is_exact) ||
                          intervals->widths[n] <= 0)
                return tell_number(plan, piece, "a width above 0");
            start += size + 1;
        }
        intervals->n_widths = n;
    }
    if (!decimal_floor(origin, intervals->scale, &intervals->origin, &is_exact))
        return tell_number(plan, origin, "a number to start from");
    return check_widths(plan, intervals);
}

/* ---- the lines ------------------------------------------------------------------------------ */

/* Whether every known value is a whole number; a problem when one has too many digits. */
static kan_status check_values(const kan_hierarchy_plan *plan, interval_plan *intervals) {
    const kan_dictionary *dictionary = &plan->column->dictionary;
    intervals->is_whole = intervals->scale == 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        kan_slice value = kan_dictionary_value(dictionary, code);
        wide units;
        bool is_exact;
        if (kan_value_is_unknown(value))
            continue;
        if (!decimal_floor(value, intervals->scale, &units, &is_exact)) {
            char quoted[256];
            kan_problem_add(plan->run,
                            "%s: the value %s of column %s is too large for intervals; use a "
                            "hierarchy file",
                            plan->spec, kan_quote(value, quoted), plan->column->name);
            return KAN_BAD_INPUT;
        }
        intervals->is_whole &= is_exact;
    }
    return KAN_OK;
}

/* `30-39` for whole numbers (`-10..-1` below zero, `30` for a width of 1), else `[30, 32.5)`. */
static kan_slice interval_label(const interval_plan *intervals, wide lo, wide width, char *room) {
    char *end = room;
    if (intervals->is_whole) {
        end = decimal_write(lo, 0, end);
        if (width > 1) {
            const char *dash = lo < 0 ? ".." : "-";
            memcpy(end, dash, strlen(dash));
            end = decimal_write(lo + width - 1, 0, end + strlen(dash));
        }
    } else {
        *end++ = '[';
        end = decimal_write(lo, intervals->scale, end);
        *end++ = ',';
        *end++ = ' ';
        end = decimal_write(lo + width, intervals->scale, end);
        *end++ = ')';
    }
    return (kan_slice){room, (size_t)(end - room)};
}

static kan_status add_value(const kan_hierarchy_plan *plan, const interval_plan *intervals,
                            uint32_t code) {
    kan_slice value = kan_dictionary_value(&plan->column->dictionary, code);
    kan_slice labels[KAN_HEIGHT_MOST];
    char room[KAN_HEIGHT_MOST][LABEL_BYTES];
    wide units = 0;
    bool is_exact;
    bool is_known =
        !kan_value_is_unknown(value) && decimal_floor(value, intervals->scale, &units, &is_exact);
    for (unsigned i = 0; i < intervals->n_widths; i++) {
        wide width = intervals->widths[i], past = (units - intervals->origin) % width;
        wide lo = units - (past < 0 ? past + width : past);
        labels[i] = is_known ? interval_label(intervals, lo, width, room[i]) : value;
    }
    return kan_plan_add(plan, code, labels, intervals->n_widths, true);
}

kan_status kan_build_intervals(const kan_hierarchy_plan *plan) {
    interval_plan intervals = {0};
    KAN_TRY(parse_spec(plan, &intervals));
    KAN_TRY(kan_plan_check_type(plan, KAN_TYPE_NUMBER, "numbers"));
    KAN_TRY(check_values(plan, &intervals));
    for (uint32_t code = 0; code < plan->column->dictionary.n; code++)
        KAN_TRY(add_value(plan, &intervals, code));
    return KAN_OK;
}

/* Rounding and capping one value. All is exact: numbers are whole units of a power of ten
 * (data/decimal.h), and are cut down to units, which moves none over a bound that is a whole
 * number of them. */
#include "data/decimal.h"
#include "data/treat/treat_inside.h"

/* ---- bounds --------------------------------------------------------------------------------- */

static bool is_day(kan_slice text) {
    kan_date date;
    return text.size == 10 && kan_date_parse(text, &date);
}

bool kan_cap_bound_parse(kan_slice text, bool *day) {
    unsigned scale = 0;
    *day = is_day(text);
    return *day || kan_decimal_scale(text, &scale);
}

/* Whether a number is below a bound. */
static bool is_number_below(kan_slice number, kan_slice bound) {
    unsigned scale = 0;
    kan_wide here, there;
    bool is_exact;
    double x = 0, y = 0;
    if (kan_decimal_scale(bound, &scale) && kan_decimal_floor(bound, scale, &there, &is_exact) &&
        kan_decimal_floor(number, scale, &here, &is_exact))
        return here < there;
    /* more than 36 digits: far from any bound */
    (void)kan_parse_real(number.bytes, number.size, &x);
    (void)kan_parse_real(bound.bytes, bound.size, &y);
    return x < y;
}

static bool is_date_below(kan_slice value, kan_slice bound) {
    kan_date here, there;
    return kan_date_parse(value, &here) && kan_date_parse(bound, &there) &&
           kan_date_days(here) < kan_date_days(there);
}

bool kan_cap_is_below(kan_slice low, kan_slice high) {
    return is_day(low) ? is_date_below(low, high) : is_number_below(low, high);
}

kan_slice kan_cap_bound_text(kan_slice bound, char room[KAN_TREATED_ROOM]) {
    unsigned scale = 0;
    kan_wide units;
    bool is_exact;
    if (is_day(bound) || !kan_decimal_scale(bound, &scale) ||
        !kan_decimal_floor(bound, scale, &units, &is_exact))
        return bound;
    return (kan_slice){room, (size_t)(kan_decimal_write(units, scale, room) - room)};
}

/* ---- rounding ------------------------------------------------------------------------------- */

/* The nearest multiple of the step. With one decimal more than the step has, half of it is a whole
 * number of units. */
static bool round_value(kan_slice step, kan_slice value, char *room, kan_slice *out) {
    unsigned scale = 0;
    kan_wide width, units;
    bool is_exact;
    double unused;
    if (!kan_parse_real(value.bytes, value.size, &unused) || !kan_decimal_scale(step, &scale) ||
        !kan_decimal_floor(step, ++scale, &width, &is_exact))
        return false;
    const bool is_negative = value.bytes[0] == '-';
    if (is_negative)
        value = (kan_slice){value.bytes + 1, value.size - 1};
    if (!kan_decimal_floor(value, scale, &units, &is_exact))
        return false;
    const kan_wide nearest = (units + width / 2) / width * width;
    *out = (kan_slice){
        room, (size_t)(kan_decimal_write(is_negative ? -nearest : nearest, scale, room) - room)};
    return true;
}

/* ---- capping -------------------------------------------------------------------------------- */

static bool cap_value(const kan_treatment *t, kan_slice value, kan_slice *out) {
    const bool has_days = is_day(t->low.size ? t->low : t->high);
    bool (*is_below)(kan_slice, kan_slice) = has_days ? is_date_below : is_number_below;
    double unused;
    if (!kan_value_exact(has_days ? KAN_TYPE_DATE : KAN_TYPE_NUMBER, value, &unused))
        return false;
    *out = value;
    if (t->low.size > 0 && is_below(value, t->low))
        *out = t->ends.low;
    else if (t->high.size > 0 && !is_below(value, t->high))
        *out = t->ends.high;
    return true;
}

bool kan_treat_value(const kan_treatment *treatment, kan_slice value, char room[KAN_TREATED_ROOM],
                     kan_slice *out) {
    *out = value;
    if (kan_value_is_unknown(value))
        return true;
    if (treatment->is_pseudonym) {
        *out = kan_treat_pseudonym(treatment, value, room);
        return true;
    }
    if (treatment->step.size > 0 && !round_value(treatment->step, value, room, out))
        return false;
    return !kan_treatment_caps(treatment) || cap_value(treatment, *out, out);
}

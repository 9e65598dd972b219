/* Values of the settings that treat columns: --cap, --round, --within. */
#include <string.h>

#include "data/decimal.h"
#include "data/treat/treat.h"
#include "job/settings/settings.h"

/* "NAME=REST": the last = splits. */
static bool split(const char *text, kan_slice *name, kan_slice *rest) {
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return false;
    *name = (kan_slice){text, (size_t)(equals - text)};
    *rest = kan_slice_of(equals + 1);
    return true;
}

static bool bounds_are_right(kan_slice low, kan_slice high) {
    bool low_is_day = false, high_is_day = false;
    if ((low.size > 0 && !kan_cap_bound_parse(low, &low_is_day)) ||
        (high.size > 0 && !kan_cap_bound_parse(high, &high_is_day)))
        return false;
    if (low.size == 0 || high.size == 0)
        return low.size + high.size > 0;
    return low_is_day == high_is_day && kan_cap_is_below(low, high);
}

bool kan_cap_parse(const char *text, kan_slice *name, kan_slice *low, kan_slice *high) {
    kan_slice rest;
    if (!split(text, name, &rest))
        return false;
    for (size_t at = 0; at + 2 <= rest.size; at++) {
        const kan_slice left = {rest.bytes, at};
        const kan_slice right = {rest.bytes + at + 2, rest.size - at - 2};
        if (memcmp(rest.bytes + at, "..", 2) != 0 || !bounds_are_right(left, right))
            continue;
        *low = left;
        *high = right;
        return true;
    }
    return false;
}

bool kan_days_parse(const char *text, uint64_t *days) {
    return kan_parse_count(text, days) && *days >= 1 && *days <= KAN_DAYS_MOST;
}

bool kan_step_parse(const char *text, kan_slice *name, kan_slice *step) {
    unsigned scale = 0;
    double number;
    return split(text, name, step) && kan_parse_real(step->bytes, step->size, &number) &&
           number > 0 && kan_decimal_scale(*step, &scale) && scale < KAN_DECIMAL_SCALE_MOST;
}

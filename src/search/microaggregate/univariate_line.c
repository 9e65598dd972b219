/* Values as whole numbers. Decimals are taken in units of the last digit that any of them has, dates
 * in days or nanoseconds; the least becomes 0, and the greatest common divisor of all a step. So a
 * sum of squares is a fraction with a denominator below 2k, and counted in steps squared over a
 * common multiple of k to 2k - 1 it is a whole number. Where that does not fit into 128 bits, they
 * are counted in a power of two, rounded up, and steps are made larger where they must: then how
 * far off this is at most is known, and told (docs/papers/univariate.md). */
#include "data/decimal.h"
#include "data/value.h"
#include "search/microaggregate/univariate_inside.h"

/* Squares of differences of steps, times the rows of a group, times the multiple, stay below 2 to
 * the power of this. */
enum { MOST_BITS = 125, LEAST_MULTIPLE_BITS = 20 };

typedef struct {
    const kan_partition_space *space;
    const kan_domain *domain;
    unsigned scale; /* digits behind the point of numbers */
    kan_wide *units;
} reading;

/* ---- units ----------------------------------------------------------------------------------- */

static kan_status refuse_value(const reading *r, kan_slice value, const char *why) {
    return kan_fail(r->space->run, KAN_BAD_INPUT,
                    "--algorithm univariate: column '%s' has the value '%.*s', %s; use --algorithm "
                    "mdav",
                    r->domain->column->name, (int)value.size, value.bytes, why);
}

static bool find_date_units(kan_slice value, kan_wide *out) {
    kan_instant instant;
    kan_wide fraction = 0;
    if (!kan_instant_parse(value, &instant))
        return false;
    for (size_t i = 0; i < 9; i++)
        fraction =
            fraction * 10 + (i < instant.fraction.size ? instant.fraction.bytes[i] - '0' : 0);
    const kan_wide seconds = (kan_wide)kan_date_days(instant.date) * 86400 +
                             ((instant.hour * 60 + instant.minute) * 60 + instant.second);
    *out = seconds * 1000000000 + fraction;
    return true;
}

static bool find_units(const reading *r, kan_slice value, kan_wide *out) {
    bool is_exact;
    if (r->domain->column->dictionary.type == KAN_TYPE_DATE)
        return find_date_units(value, out);
    return kan_decimal_floor(value, r->scale, out, &is_exact) && is_exact;
}

static kan_status read_units(reading *r) {
    const uint32_t n = r->domain->n_places;
    const bool is_date = r->domain->column->dictionary.type == KAN_TYPE_DATE;
    for (uint32_t p = 0; p < n; p++) {
        const kan_slice value = r->domain->least[p];
        if (kan_value_is_unknown(value))
            return refuse_value(r, value, "which is unknown and stands nowhere in order");
        if (kan_value_end(value, NULL) != KAN_END_NONE)
            return refuse_value(r, value, "which stands for many numbers");
        if (!is_date && !kan_decimal_scale(value, &r->scale))
            return refuse_value(r, value, "which has too many digits to add up exactly");
    }
    for (uint32_t p = 0; p < n; p++)
        if (!find_units(r, r->domain->least[p], &r->units[p]))
            return refuse_value(r, r->domain->least[p],
                                "which has too many digits to add up exactly");
    return KAN_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static kan_u128 common_divisor(kan_u128 a, kan_u128 b) {
    while (b != 0) {
        const kan_u128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static unsigned bits_of(kan_u128 number) {
    unsigned bits = 0;
    for (; number != 0; number >>= 1)
        bits++;
    return bits;
}

/* The least common multiple of k to 2k - 1; 0 where it has more bits than that. */
static kan_u128 multiple_of(uint64_t k, unsigned most_bits) {
    kan_u128 multiple = 1;
    for (uint64_t n = k; n < 2 * k; n++) {
        const uint64_t factor = n / (uint64_t)common_divisor(n, multiple);
        if (bits_of(multiple) + bits_of(factor) > most_bits)
            return 0;
        multiple *= factor;
    }
    return multiple;
}

/* Groups have fewer than 2k rows, so that rows times squares are below k^2 times the square of the
 * greatest difference, and the best sum of all rows is, too. */
static void find_multiple(const reading *r, kan_u128 longest, unsigned *cut,
                          kan_univariate_line *out) {
    const uint64_t k = r->space->least_size;
    const unsigned size_bits = 2 * bits_of(k);
    unsigned bits = 2 * bits_of(longest) + size_bits;
    *cut = 0;
    out->multiple = bits < MOST_BITS ? multiple_of(k, MOST_BITS - bits) : 0;
    out->is_divisible = out->multiple > 0;
    for (; !out->is_divisible && bits + LEAST_MULTIPLE_BITS > MOST_BITS; bits -= 2)
        (*cut)++;
    if (!out->is_divisible)
        out->multiple = (kan_u128)1 << (MOST_BITS - bits);
    out->is_rounded = *cut > 0;
}

static void take_steps(const reading *r, kan_univariate_line *out) {
    const uint32_t n = r->domain->n_places;
    kan_u128 divisor = 0;
    unsigned cut;
    for (uint32_t p = 1; p < n; p++)
        divisor = common_divisor((kan_u128)(r->units[p] - r->units[0]), divisor);
    if (divisor == 0)
        divisor = 1;
    const kan_u128 longest = n > 0 ? (kan_u128)(r->units[n - 1] - r->units[0]) / divisor : 0;
    find_multiple(r, longest, &cut, out);
    for (uint32_t p = 0; p < n; p++)
        out->at[p] = (uint64_t)(((kan_u128)(r->units[p] - r->units[0]) / divisor) >> cut);
}

kan_status kan_univariate_line_make(const kan_partition_space *space, unsigned d,
                                    kan_univariate_line *out) {
    reading r = {.space = space, .domain = space->dimensions[d].domain};
    kan_status status;
    *out = (kan_univariate_line){.at = NULL};
    KAN_TRY(kan_alloc(space->run, r.domain->n_places, sizeof *out->at, &out->at));
    KAN_TRY(kan_alloc(space->run, r.domain->n_places, sizeof *r.units, &r.units));
    status = read_units(&r);
    if (status == KAN_OK)
        take_steps(&r, out);
    kan_free(space->run, r.units);
    return status;
}

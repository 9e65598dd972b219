/* Is a treated value what it should be? Each definition is written anew, as a condition on the two
 * values; nothing is shared with data/treat. Numbers are compared as whole numbers of 10^-18, or,
 * where they are too long for that, as binary ones. */
#include "analyze/verify/treated.h"

#include "analyze/verify/treated_inside.h"
#include "data/decimal.h"

/* ---- numbers -------------------------------------------------------------------------------- */

enum { SCALE = KAN_DECIMAL_SCALE_MOST };

/* Below 0, 0 or above 0; *is_number is false where one of them is none. */
static int compare_numbers(kan_slice a, kan_slice b, bool *is_number) {
    kan_wide x, y;
    double p = 0, q = 0;
    bool unused;
    *is_number = kan_parse_real(a.bytes, a.size, &p) && kan_parse_real(b.bytes, b.size, &q);
    if (!*is_number)
        return 0;
    if (kan_decimal_floor(a, SCALE, &x, &unused) && kan_decimal_floor(b, SCALE, &y, &unused))
        return (x > y) - (x < y);
    return (p > q) - (p < q);
}

/* By their days: bounds are days, and a time of day does not count. */
static int compare_days(kan_slice a, kan_slice b, bool *is_date) {
    kan_date x, y;
    *is_date = kan_date_parse(a, &x) && kan_date_parse(b, &y);
    if (!*is_date)
        return 0;
    if (x.year != y.year)
        return x.year < y.year ? -1 : 1;
    return x.month != y.month ? (x.month < y.month ? -1 : 1) : (x.day > y.day) - (x.day < y.day);
}

static int compare(kan_slice a, kan_slice b, bool *is_known) {
    const int order = compare_days(a, b, is_known);
    return *is_known ? order : compare_numbers(a, b, is_known);
}

/* ---- rounding ------------------------------------------------------------------------------- */

/* The multiple of the step that is nearest, by the rest of the division. With a decimal more than
 * the step has, cutting a value down to units does not move it over the middle of two multiples. */
static bool nearest_multiple(kan_slice value, kan_slice step, unsigned *scale, kan_wide *out) {
    kan_wide width, units;
    bool unused;
    const bool is_negative = value.size > 0 && value.bytes[0] == '-';
    const kan_slice size = {value.bytes + is_negative, value.size - is_negative};
    *scale = 0;
    if (!kan_decimal_scale(step, scale) || !kan_decimal_floor(step, ++*scale, &width, &unused) ||
        !kan_decimal_floor(size, *scale, &units, &unused))
        return false;
    const kan_wide rest = units % width;
    const kan_wide multiple = units - rest + (2 * rest >= width ? width : 0);
    *out = is_negative ? -multiple : multiple;
    return true;
}

/* The value that a cap looks at: the rounded one, in `room`, or the value itself. */
static bool round_anew(const kan_treatment *t, kan_slice value, char *room, kan_slice *out) {
    unsigned scale;
    kan_wide multiple;
    *out = value;
    if (t->step.size == 0)
        return true;
    if (!nearest_multiple(value, t->step, &scale, &multiple))
        return false;
    *out = (kan_slice){room, (size_t)(kan_decimal_write(multiple, scale, room) - room)};
    return true;
}

/* ---- capping -------------------------------------------------------------------------------- */

/* Whether `shown` is the sign and a bound that is the same as this one. */
static bool is_end(kan_slice shown, const char *sign, kan_slice bound) {
    const size_t size = strlen(sign);
    bool is_known = false;
    if (bound.size == 0 || shown.size <= size || memcmp(shown.bytes, sign, size) != 0)
        return false;
    const kan_slice said = {shown.bytes + size, shown.size - size};
    return compare(said, bound, &is_known) == 0 && is_known;
}

/* Whether a value lies below the lower bound (-1), from the upper one on (1), or between (0). */
static int side_of(const kan_treatment *t, kan_slice value, bool *is_known) {
    *is_known = true;
    if (t->low.size > 0 && compare(value, t->low, is_known) < 0)
        return -1;
    return *is_known && t->high.size > 0 && compare(value, t->high, is_known) >= 0 && *is_known;
}

/* ---- values --------------------------------------------------------------------------------- */

static bool is_unknown(kan_slice value) {
    return value.size == 0 || kan_slice_is(value, "?");
}

static bool number_is_right(const kan_treatment *t, kan_slice raw, kan_slice shown) {
    char room[KAN_DECIMAL_BYTES];
    kan_slice value;
    bool is_known;
    if (!round_anew(t, raw, room, &value))
        return false;
    const int side = side_of(t, value, &is_known);
    if (!is_known)
        return false;
    if (side != 0)
        return side < 0 ? is_end(shown, "<", t->low) : is_end(shown, ">=", t->high);
    return kan_slice_equal(shown, value);
}

static kan_status check_value(const kan_treatment *t, kan_slice raw, kan_slice shown,
                              kan_text *room, bool *is_right) {
    if (is_unknown(raw))
        *is_right = kan_slice_equal(raw, shown);
    else if (t->is_pseudonym)
        return kan_verify_pseudonym(t, raw, shown, room, is_right);
    else
        *is_right = number_is_right(t, raw, shown);
    return KAN_OK;
}

/* ---- shifted dates -------------------------------------------------------------------------- */

/* What a date must have become: the day that is so many days away, found by walking over months. */
static bool move_anew(kan_slice raw, int64_t days, char room[64], kan_slice *out) {
    kan_date d;
    if (raw.size >= 64 || !kan_date_parse(raw, &d))
        return false;
    int64_t day = d.day + days;
    while (day < 1) {
        d.month--;
        if (d.month == 0) {
            d.month = 12;
            d.year--;
        }
        if (d.year < 0)
            return false;
        day += kan_days_of_month(d.year, d.month);
    }
    while (day > kan_days_of_month(d.year, d.month)) {
        day -= kan_days_of_month(d.year, d.month);
        d.month++;
        if (d.month == 13) {
            d.month = 1;
            d.year++;
        }
    }
    if (d.year > 9999)
        return false;
    memcpy(room, raw.bytes, raw.size);
    const int parts[] = {d.year, d.month, (int)day};
    static const int ends[] = {4, 7, 10}, sizes[] = {4, 2, 2};
    for (int p = 0; p < 3; p++)
        for (int i = 0, left = parts[p]; i < sizes[p]; i++, left /= 10)
            room[ends[p] - 1 - i] = (char)('0' + left % 10);
    *out = (kan_slice){room, raw.size};
    return true;
}

static kan_status find_shifts(kan_run *run, const kan_treatment *t, const kan_dictionary *people,
                              kan_text *room, int64_t *shifts) {
    for (uint32_t code = 0; code < people->n; code++) {
        KAN_TRY(kan_check_cancel(run));
        KAN_TRY(kan_verify_shift(t, kan_dictionary_value(people, code), room, &shifts[code]));
    }
    return KAN_OK;
}

static bool date_is_right(const kan_treatment *t, kan_slice raw, int64_t shift, kan_slice shown) {
    char room[64];
    kan_slice moved;
    if (is_unknown(raw))
        return kan_slice_equal(raw, shown);
    return move_anew(raw, shift, room, &moved) && number_is_right(t, moved, shown);
}

static kan_status check_dates(kan_run *run, const kan_treatment *t, const kan_column *raw,
                              const kan_column *people, const kan_column *treated, bool *is_right) {
    enum { WINDOW = 1 << 18 };
    int64_t *shifts = NULL;
    kan_text room;
    kan_status status;
    kan_text_init(&room, run);
    KAN_TRY_DONE(kan_alloc(run, people->dictionary.n, sizeof *shifts, &shifts));
    KAN_TRY_DONE(find_shifts(run, t, &people->dictionary, &room, shifts));
    for (uint64_t row = 0; row < raw->n_rows && *is_right; row++) {
        if (row % WINDOW == 0)
            KAN_TRY_DONE(kan_check_cancel(run));
        *is_right =
            date_is_right(t, kan_column_value(raw, row), shifts[kan_column_code(people, row)],
                          kan_column_value(treated, row));
    }
done:
    kan_text_destroy(&room);
    kan_free(run, shifts);
    return status;
}

/* ---- columns -------------------------------------------------------------------------------- */

enum { ROWS_BETWEEN_CHECKS = 1 << 20 };

/* What each raw code became, in shown[]; *is_right is false where one became two things. */
static kan_status follow_codes(kan_run *run, const kan_column *raw, const kan_column *treated,
                               uint32_t *shown, bool *is_right) {
    for (uint32_t code = 0; code < raw->dictionary.n; code++)
        shown[code] = UINT32_MAX;
    for (uint64_t row = 0; row < raw->n_rows && *is_right; row++) {
        uint32_t *here = &shown[kan_column_code(raw, row)];
        const uint32_t code = kan_column_code(treated, row);
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(run));
        *is_right = *here == UINT32_MAX || *here == code;
        *here = code;
    }
    return KAN_OK;
}

static kan_status check_values(kan_run *run, const kan_treatment *t, const kan_column *raw,
                               const kan_column *treated, bool *is_right) {
    uint32_t *shown;
    KAN_TRY(kan_alloc(run, raw->dictionary.n, sizeof *shown, &shown));
    kan_text room;
    kan_text_init(&room, run);
    kan_status status = follow_codes(run, raw, treated, shown, is_right);
    for (uint32_t code = 0; code < raw->dictionary.n && status == KAN_OK && *is_right; code++)
        if (shown[code] != UINT32_MAX)
            status = check_value(t, kan_dictionary_value(&raw->dictionary, code),
                                 kan_dictionary_value(&treated->dictionary, shown[code]), &room,
                                 is_right);
    kan_text_destroy(&room);
    kan_free(run, shown);
    return status;
}

static kan_status check_column(kan_run *run, const kan_treatment *t, const kan_table *table,
                               const kan_column *treated, bool *is_right) {
    const kan_column *raw = &table->columns[t->column];
    const kan_column *people = t->whose ? t->whose : &table->columns[t->person];
    *is_right = raw->is_encoded && treated->is_encoded && raw->n_rows == treated->n_rows &&
                (!t->is_shifted || (people->is_encoded && people->n_rows == raw->n_rows));
    if (!*is_right)
        return KAN_OK;
    return t->is_shifted ? check_dates(run, t, raw, people, treated, is_right)
                         : check_values(run, t, raw, treated, is_right);
}

kan_status kan_verify_treated(kan_run *run, const kan_table *raw, const kan_table *treated,
                              const kan_treatment *treatments, size_t n, const char **fault) {
    const char *found = NULL;
    for (size_t i = 0; i < n && !found; i++) {
        const kan_treatment *t = &treatments[i];
        bool is_right;
        KAN_TRY(check_column(run, t, raw, &treated->columns[t->column], &is_right));
        found = is_right ? NULL : t->name;
    }
    *fault = found;
    return KAN_OK;
}

bool kan_verify_is_treated(const kan_column *released, const kan_treatment *t) {
    for (uint32_t code = 0; code < released->dictionary.n; code++) {
        const kan_slice shown = kan_dictionary_value(&released->dictionary, code);
        char room[KAN_DECIMAL_BYTES];
        kan_slice value;
        bool is_known, is_number;
        if (t->is_pseudonym) {
            if (!is_unknown(shown) && !kan_slice_is(shown, "*") &&
                !kan_verify_looks_pseudonym(shown))
                return false;
            continue;
        }
        (void)compare(shown, shown, &is_known);
        (void)compare_numbers(shown, shown, &is_number);
        if (!is_known)
            continue;
        if (is_number && round_anew(t, shown, room, &value) && !kan_slice_equal(shown, value))
            return false;
        if (side_of(t, shown, &is_known) != 0 && is_known)
            return false;
    }
    return true;
}

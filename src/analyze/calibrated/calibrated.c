/* Calibrated weights, held against their definition. See calibrated.h. */
#include "analyze/calibrated/calibrated.h"

#include "analyze/tuples/tuples.h"
#include "data/decimal.h"

/* ---- whole numbers of any length ------------------------------------------------------------ */

enum { LIMBS = 24, LIMB_BITS = 32, DIGITS = 15, MOST_POWER = 60 };

/* The least limb first; none of the n is above the last that is not 0. 768 bits are more than any product
 * here has. */
typedef struct {
    size_t n;
    uint32_t limbs[LIMBS];
} whole;

static whole whole_of(kan_wide value) {
    whole out = {.n = 0};
    for (kan_u128 left = (kan_u128)value; left > 0; left >>= LIMB_BITS)
        out.limbs[out.n++] = (uint32_t)left;
    return out;
}

static whole times(const whole *a, kan_wide value) {
    const whole b = whole_of(value);
    whole out = {.n = a->n + b.n};
    KAN_ASSERT(out.n <= LIMBS);
    for (size_t i = 0; i < a->n; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b.n; j++) {
            carry += (uint64_t)a->limbs[i] * b.limbs[j] + out.limbs[i + j];
            out.limbs[i + j] = (uint32_t)carry;
            carry >>= LIMB_BITS;
        }
        out.limbs[i + b.n] = (uint32_t)carry;
    }
    while (out.n > 0 && out.limbs[out.n - 1] == 0)
        out.n--;
    return out;
}

static whole times_power(whole a, int power) {
    enum { AT_ONCE = 18 };
    while (power > 0) {
        kan_wide factor = 1;
        for (int i = 0; i < AT_ONCE && power > 0; i++, power--)
            factor *= 10;
        a = times(&a, factor);
    }
    return a;
}

static int compare(const whole *a, const whole *b) {
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* ---- one weight ----------------------------------------------------------------------------- */

/* digits * 10^power, of exactly DIGITS digits. */
typedef struct {
    kan_wide digits;
    int power;
} rounded;

/* False where the text is no number above 0, or has more digits than are written. */
static bool read_rounded(kan_slice text, rounded *out) {
    unsigned scale = 0;
    bool is_exact;
    kan_wide units = 0;
    double unused;
    if (!kan_parse_real(text.bytes, text.size, &unused))
        return false;
    /* small numbers have more decimals than are looked for elsewhere */
    while (!(kan_decimal_floor(text, scale, &units, &is_exact) && is_exact))
        if (++scale > MOST_POWER)
            return false;
    if (units <= 0)
        return false;
    *out = (rounded){units, -(int)scale};
    for (; out->digits % 10 == 0; out->power++)
        out->digits /= 10;
    kan_wide most = 1;
    for (int i = 0; i < DIGITS; i++)
        most *= 10;
    if (out->digits >= most)
        return false;
    for (; out->digits < most / 10; out->power--)
        out->digits *= 10;
    return true;
}

typedef struct {
    kan_wide units, all, left;
    unsigned scale;
} fraction; /* units * all / left, in units of 10^-scale */

/* The order of twice the fraction and digits * 10^power. */
static int compare_twice(const fraction *f, kan_wide digits, int power) {
    const int shift = power + (int)f->scale;
    whole a = whole_of(2), b = whole_of(digits);
    a = times(&a, f->units);
    a = times(&a, f->all);
    b = times(&b, f->left);
    if (shift > 0)
        b = times_power(b, shift);
    else
        a = times_power(a, -shift);
    return compare(&a, &b);
}

/* From half a digit below, which is rounded upwards, to less than half a digit above. Below the first number
 * of as many digits, ten times as many have a place. */
static bool is_rounded(const fraction *f, const rounded *shown) {
    kan_wide least = 1;
    for (int i = 1; i < DIGITS; i++)
        least *= 10;
    if (shown->power > MOST_POWER || shown->power < -MOST_POWER)
        return false;
    const bool is_first = shown->digits == least;
    return compare_twice(f, shown->digits * 2 + 1, shown->power) < 0 &&
           (is_first ? compare_twice(f, shown->digits * 20 - 1, shown->power - 1)
                     : compare_twice(f, shown->digits * 2 - 1, shown->power)) >= 0;
}

/* ---- strata --------------------------------------------------------------------------------- */

typedef struct {
    const kan_calibrated_claim *claim;
    const kan_column *released;
    const uint64_t *row_of;
    kan_tuples strata;
    size_t *stratum_of; /* by row of the original */
    kan_wide *units;    /* by code of the weights */
    unsigned scale;
    kan_wide *all, *left; /* by stratum */
    uint64_t *n_all, *n_left;
} checking;

static kan_status find_strata(kan_run *run, checking *c) {
    const kan_calibrated_claim *claim = c->claim;
    uint32_t *codes;
    KAN_TRY(kan_alloc(run, (size_t)claim->weight->n_rows, sizeof *c->stratum_of, &c->stratum_of));
    KAN_TRY(kan_alloc(run, claim->n_strata, sizeof *codes, &codes));
    kan_tuples_init(&c->strata, run, claim->n_strata * sizeof *codes);
    kan_status status = KAN_OK;
    for (uint64_t row = 0; row < claim->weight->n_rows && status == KAN_OK; row++) {
        for (size_t i = 0; i < claim->n_strata; i++)
            codes[i] = kan_column_code(claim->strata[i], row);
        status = kan_tuples_add(&c->strata, codes, row, &c->stratum_of[row]);
    }
    kan_free(run, codes);
    return status;
}

static bool read_units(checking *c) {
    const kan_dictionary *dictionary = &c->claim->weight->dictionary;
    bool is_exact;
    for (uint32_t code = 0; code < dictionary->n; code++)
        if (!kan_decimal_floor(kan_dictionary_value(dictionary, code), c->scale, &c->units[code],
                               &is_exact))
            return false;
    return true;
}

static kan_status sum_up(kan_run *run, checking *c) {
    const kan_column *weight = c->claim->weight;
    KAN_TRY(kan_alloc(run, weight->dictionary.n, sizeof *c->units, &c->units));
    KAN_TRY(kan_alloc_zero(run, c->strata.n, sizeof *c->all, &c->all));
    KAN_TRY(kan_alloc_zero(run, c->strata.n, sizeof *c->left, &c->left));
    KAN_TRY(kan_alloc_zero(run, c->strata.n, sizeof *c->n_all, &c->n_all));
    KAN_TRY(kan_alloc_zero(run, c->strata.n, sizeof *c->n_left, &c->n_left));
    c->scale = KAN_DECIMAL_SCALE_MOST;
    while (!read_units(c) && c->scale > 0)
        c->scale--;
    for (uint64_t row = 0; row < weight->n_rows; row++) {
        c->all[c->stratum_of[row]] += c->units[kan_column_code(weight, row)];
        c->n_all[c->stratum_of[row]]++;
    }
    for (uint64_t i = 0; i < c->released->n_rows; i++) {
        const uint64_t row = c->row_of[i];
        c->left[c->stratum_of[row]] += c->units[kan_column_code(weight, row)];
        c->n_left[c->stratum_of[row]]++;
    }
    return KAN_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool is_right(const checking *c, uint64_t i) {
    const uint64_t row = c->row_of[i];
    const size_t stratum = c->stratum_of[row];
    const kan_slice shown = kan_column_value(c->released, i);
    rounded read;
    if (c->n_left[stratum] == c->n_all[stratum])
        return kan_slice_equal(shown, kan_column_value(c->claim->weight, row));
    const fraction f = {c->units[kan_column_code(c->claim->weight, row)], c->all[stratum],
                        c->left[stratum], c->scale};
    return read_rounded(shown, &read) && is_rounded(&f, &read);
}

static void look(const checking *c, kan_calibrated_found *out) {
    *out = (kan_calibrated_found){.holds = false};
    for (uint64_t i = 0; i < c->released->n_rows; i++)
        if (!is_right(c, i) && out->n_wrong++ == 0)
            out->first_wrong = i;
    for (size_t s = 0; s < c->strata.n; s++) {
        const uint64_t n_lost = c->n_all[s] - c->n_left[s];
        out->n_empty += c->n_left[s] == 0;
        out->n_small += n_lost > 0 && n_lost < c->claim->k;
    }
    out->holds = out->n_wrong == 0 && out->n_empty == 0 && out->n_small == 0;
}

kan_status kan_verify_calibrated(kan_run *run, const kan_calibrated_claim *claim,
                                 const kan_column *released, const uint64_t *row_of,
                                 kan_calibrated_found *out) {
    checking c = {.claim = claim, .released = released, .row_of = row_of};
    kan_status status = find_strata(run, &c);
    if (status == KAN_OK)
        status = sum_up(run, &c);
    if (status == KAN_OK)
        look(&c, out);
    if (c.strata.run)
        kan_tuples_destroy(&c.strata);
    kan_free(run, c.stratum_of);
    kan_free(run, c.units);
    kan_free(run, c.all);
    kan_free(run, c.left);
    kan_free(run, c.n_all);
    kan_free(run, c.n_left);
    return status;
}

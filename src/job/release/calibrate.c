/* Calibrated weights; see calibrate.h. O(rows * log rows) for the strata and for the different weights in
 * them. */
#include "job/release/calibrate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/wording.h"
#include "data/decimal.h"

enum { DIGITS = 15 };

typedef struct {
    uint64_t key, row;
} keyed_row;

/* Different weights of a stratum, and what they become. */
typedef struct {
    uint64_t key;
    kan_slice text;
    uint32_t label;
} made_weight;

typedef struct {
    const kan_setup *setup;
    kan_run *run;
    const kan_column *weight;
    const uint8_t *is_suppressed;
    uint64_t n_rows;
    unsigned scale;  /* decimals of a unit */
    kan_wide *units; /* by code of the weights */
    uint32_t *stratum_of;
    uint32_t n_strata;
    uint64_t *first_row, *n_lost, *n_left; /* by stratum, and so are the next */
    kan_wide *all, *left;
    made_weight *made;
    size_t n_made;
} calibrating;

static bool is_left_out(const calibrating *c, uint64_t row) {
    return c->is_suppressed && c->is_suppressed[row];
}

/* ---- strata --------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b) {
    const keyed_row *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->row < y->row ? -1 : x->row > y->row;
}

/* Takes one more column to the strata, which are numbered in the order of its values. */
static uint32_t refine(const calibrating *c, const kan_column *column, keyed_row *rows) {
    uint32_t n = 0;
    for (uint64_t row = 0; row < c->n_rows; row++)
        rows[row] = (keyed_row){(uint64_t)c->stratum_of[row] * column->dictionary.n +
                                    kan_column_code(column, row),
                                row};
    qsort(rows, (size_t)c->n_rows, sizeof *rows, by_key);
    for (uint64_t i = 0; i < c->n_rows; i++) {
        n += i > 0 && rows[i].key != rows[i - 1].key;
        c->stratum_of[rows[i].row] = n;
    }
    return n + 1;
}

static kan_status find_strata(calibrating *c) {
    keyed_row *rows;
    KAN_TRY(kan_alloc_zero(c->run, (size_t)c->n_rows, sizeof *c->stratum_of, &c->stratum_of));
    KAN_TRY(kan_alloc(c->run, (size_t)c->n_rows, sizeof *rows, &rows));
    for (size_t i = 0; i < c->setup->n_strata; i++)
        c->n_strata = refine(c, kan_setup_stratum(c->setup, i), rows);
    kan_free(c->run, rows);
    return kan_check_cancel(c->run);
}

/* ---- sums ----------------------------------------------------------------------------------- */

static bool read_units(calibrating *c) {
    const kan_dictionary *dictionary = &c->weight->dictionary;
    bool is_exact;
    for (uint32_t code = 0; code < dictionary->n; code++)
        if (!kan_decimal_floor(kan_dictionary_value(dictionary, code), c->scale, &c->units[code],
                               &is_exact))
            return false;
    return true;
}

/* What is cut to nothing would be released as no weight at all. */
static kan_status check_units(const calibrating *c) {
    char quoted[256];
    for (uint64_t row = 0; row < c->n_rows; row++) {
        const uint32_t code = kan_column_code(c->weight, row);
        if (c->units[code] == 0)
            return kan_fail(c->run, KAN_BAD_INPUT,
                            "--calibrate: the weight %s of column '%s' is too small: weights are "
                            "counted by %u decimals; correct it, or take the row out",
                            kan_quote(kan_dictionary_value(&c->weight->dictionary, code), quoted),
                            c->weight->name, c->scale);
    }
    return KAN_OK;
}

/* Weights were read before: each is a number above 0, and all add up to less than 2^62 people, in units of
 * 10^-18 to less than 2^122. */
static kan_status sum_up(calibrating *c) {
    KAN_TRY(kan_alloc(c->run, c->weight->dictionary.n, sizeof *c->units, &c->units));
    KAN_TRY(kan_alloc_zero(c->run, c->n_strata, sizeof *c->first_row, &c->first_row));
    KAN_TRY(kan_alloc_zero(c->run, c->n_strata, sizeof *c->n_lost, &c->n_lost));
    KAN_TRY(kan_alloc_zero(c->run, c->n_strata, sizeof *c->n_left, &c->n_left));
    KAN_TRY(kan_alloc_zero(c->run, c->n_strata, sizeof *c->all, &c->all));
    KAN_TRY(kan_alloc_zero(c->run, c->n_strata, sizeof *c->left, &c->left));
    c->scale = KAN_DECIMAL_SCALE_MOST;
    while (!read_units(c) && c->scale > 0)
        c->scale--;
    KAN_TRY(check_units(c));
    for (uint64_t row = c->n_rows; row-- > 0;) {
        const uint32_t stratum = c->stratum_of[row];
        const kan_wide units = c->units[kan_column_code(c->weight, row)];
        c->all[stratum] += units;
        c->left[stratum] += is_left_out(c, row) ? 0 : units;
        c->n_lost[stratum] += is_left_out(c, row);
        c->n_left[stratum] += !is_left_out(c, row);
        c->first_row[stratum] = row;
    }
    return KAN_OK;
}

/* "region 'N', size 'large'": who chooses other strata has to know which. Not for others: a message goes nowhere
 * with a release. */
static void add_stratum(const calibrating *c, uint32_t stratum, kan_text *text) {
    char quoted[256];
    for (size_t i = 0; i < c->setup->n_strata; i++) {
        const kan_column *column = kan_setup_stratum(c->setup, i);
        kan_text_print(text, "%s%s %s", i > 0 ? ", " : "", column->name,
                       kan_quote(kan_column_value(column, c->first_row[stratum]), quoted));
    }
}

static kan_status refuse_empty(const calibrating *c, uint32_t stratum, uint64_t n_empty) {
    kan_text text;
    char more[64] = "";
    kan_text_init(&text, c->run);
    add_stratum(c, stratum, &text);
    if (n_empty > 1)
        snprintf(more, sizeof more, " (and of %" PRIu64 " %s)", n_empty - 1,
                 kan_plural(n_empty - 1, "other", "others"));
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_fail(
            c->run, KAN_UNSATISFIED,
            "--calibrate: no row is left of the stratum %s%s: there is nobody to stand for "
            "those who were left out. Allow fewer rows to be left out with --suppress, take "
            "coarser strata, or leave --calibrate out",
            text.bytes, more);
    kan_text_destroy(&text);
    return status;
}

static kan_status refuse_small(const calibrating *c, uint32_t stratum, uint64_t n_small,
                               uint64_t k) {
    kan_text text;
    char small[32];
    kan_text_init(&text, c->run);
    add_stratum(c, stratum, &text);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_fail(
            c->run, KAN_UNSATISFIED,
            "--calibrate: %s %s fewer than %" PRIu64
            " rows, such as %s, and calibrated weights would tell what these stand for: whoever "
            "knows the others could find out about one; take coarser strata (fewer columns, or "
            "one of larger areas, which need not be released), leave out nobody (--suppress 0), or "
            "leave --calibrate out",
            kan_count_text(n_small, small),
            kan_plural(n_small, "stratum lost some, but", "strata lost some, but"), k, text.bytes);
    kan_text_destroy(&text);
    return status;
}

uint64_t kan_calibrate_fewest(const kan_setup *setup) {
    const uint64_t least = kan_setup_least_told(setup);
    return least > 2 ? least : 2;
}

/* What the weights of a stratum tell of those who were left out is their sum: of k of them, or of nobody. */
static kan_status check_strata(const calibrating *c) {
    const uint64_t k = kan_calibrate_fewest(c->setup);
    uint64_t n_empty = 0, n_small = 0;
    uint32_t empty = 0, small = 0;
    for (uint32_t s = c->n_strata; s-- > 0;) {
        const bool is_small = c->n_lost[s] > 0 && c->n_lost[s] < k;
        n_small += is_small;
        small = is_small ? s : small;
        n_empty += c->n_left[s] == 0;
        empty = c->n_left[s] == 0 ? s : empty;
    }
    if (n_empty > 0)
        return refuse_empty(c, empty, n_empty);
    return n_small > 0 ? refuse_small(c, small, n_small, k) : KAN_OK;
}

/* ---- weights -------------------------------------------------------------------------------- */

static kan_wide power_of_ten(unsigned n) {
    kan_wide power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

/* units * all / left, rounded to 15 digits: `*scale` is that of the result. Both sums are below 2^122, and
 * units are not more than `left`. Digit by digit, so that nothing is ever cut before the end. */
static kan_wide scale_up(kan_wide units, kan_wide all, kan_wide left, unsigned *scale) {
    kan_wide power = 1, quotient = 0, rest = 0;
    unsigned n_digits = 0;
    while (units / power >= 10)
        power *= 10;
    for (; power > 0; power /= 10) {
        rest = rest * 10 + units / power % 10 * all;
        quotient = quotient * 10 + rest / left;
        rest %= left;
    }
    for (kan_wide n = quotient; n > 0; n /= 10)
        n_digits++;
    for (; n_digits < DIGITS; n_digits++, ++*scale) {
        quotient = quotient * 10 + rest * 10 / left;
        rest = rest * 10 % left;
    }
    if (n_digits == DIGITS)
        return quotient + (rest * 2 >= left);
    const kan_wide cut = power_of_ten(n_digits - DIGITS);
    return (quotient / cut + (quotient % cut >= cut / 2)) * cut;
}

/* As other numbers of a release are written (io/field.h). Above 2^53 that would be another number, of more
 * digits; so large a weight stays as it was rounded. */
static kan_status write_weight(const calibrating *c, uint32_t stratum, uint32_t code,
                               kan_slice *out) {
    char room[KAN_DECIMAL_BYTES], number[KAN_NUMBER_ROOM];
    unsigned scale = c->scale;
    double value;
    const kan_wide units = scale_up(c->units[code], c->all[stratum], c->left[stratum], &scale);
    kan_slice text = {room, (size_t)(kan_decimal_write(units, scale, room) - room)};
    if (!kan_field_holds(KAN_FIELD_NUMBER, text) && kan_parse_real(text.bytes, text.size, &value) &&
        value < 1)
        text = (kan_slice){number, kan_number_text(value, number)};
    const char *copy;
    KAN_TRY(kan_arena_copy(&c->setup->job->arena, text.bytes, text.size, &copy));
    *out = (kan_slice){copy, text.size};
    return KAN_OK;
}

/* Weights of strata that lost nobody are what they are, wherever they stand. */
static uint64_t key_of(const calibrating *c, uint64_t row) {
    const uint64_t stratum = c->stratum_of[row], code = kan_column_code(c->weight, row);
    return c->n_lost[stratum] == 0 ? code : (stratum + 1) * c->weight->dictionary.n + code;
}

static int by_made(const void *a, const void *b) {
    const made_weight *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int by_text(const void *a, const void *b) {
    const made_weight *x = a, *y = b;
    const int order = kan_decimal_compare(x->text, y->text);
    return order != 0 ? order : kan_slice_compare(x->text, y->text);
}

static kan_status make_weights(calibrating *c) {
    const uint32_t n_codes = c->weight->dictionary.n;
    size_t n = 0;
    KAN_TRY(kan_alloc(c->run, (size_t)c->n_rows, sizeof *c->made, &c->made));
    for (uint64_t row = 0; row < c->n_rows; row++)
        if (!is_left_out(c, row))
            c->made[n++].key = key_of(c, row);
    qsort(c->made, n, sizeof *c->made, by_made);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || c->made[i].key != c->made[c->n_made - 1].key)
            c->made[c->n_made++].key = c->made[i].key;
    for (size_t i = 0; i < c->n_made; i++) {
        made_weight *made = &c->made[i];
        const uint32_t code = (uint32_t)(made->key % n_codes);
        if (made->key < n_codes)
            made->text = kan_dictionary_value(&c->weight->dictionary, code);
        else
            KAN_TRY(write_weight(c, (uint32_t)(made->key / n_codes - 1), code, &made->text));
    }
    return kan_check_cancel(c->run);
}

/* Two weights may become the same. */
static kan_status make_labels(calibrating *c, kan_calibration *out) {
    qsort(c->made, c->n_made, sizeof *c->made, by_text);
    KAN_TRY(kan_arena_alloc(&c->setup->job->arena, c->n_made, sizeof *out->labels, &out->labels));
    for (size_t i = 0; i < c->n_made; i++) {
        if (out->n_labels == 0 || !kan_slice_equal(c->made[i].text, out->labels[out->n_labels - 1]))
            out->labels[out->n_labels++] = c->made[i].text;
        c->made[i].label = out->n_labels - 1;
    }
    qsort(c->made, c->n_made, sizeof *c->made, by_made);
    KAN_TRY(kan_alloc_zero(c->run, (size_t)c->n_rows, sizeof *out->codes, &out->codes));
    for (uint64_t row = 0; row < c->n_rows; row++) {
        if (is_left_out(c, row))
            continue;
        const made_weight asked = {.key = key_of(c, row)};
        const made_weight *found = bsearch(&asked, c->made, c->n_made, sizeof *c->made, by_made);
        KAN_ASSERT(found);
        out->codes[row] = found->label;
    }
    return KAN_OK;
}

static void tell(const calibrating *c, kan_calibrated *out) {
    *out = (kan_calibrated){.is_made = true, .n_strata = c->n_strata, .most = 1};
    for (uint32_t s = 0; s < c->n_strata; s++) {
        const double factor = (double)c->all[s] / (double)c->left[s];
        out->n_changed += c->n_lost[s] > 0;
        out->most = factor > out->most ? factor : out->most;
    }
}

kan_status kan_calibration_make(const kan_setup *setup, const uint8_t *is_suppressed,
                                kan_calibration *out) {
    kan_status status;
    calibrating c = {.setup = setup,
                     .run = setup->run,
                     .weight = &setup->table->columns[setup->calibrated],
                     .is_suppressed = is_suppressed,
                     .n_rows = setup->table->n_rows};
    KAN_TRY_DONE(find_strata(&c));
    KAN_TRY_DONE(sum_up(&c));
    KAN_TRY_DONE(check_strata(&c));
    KAN_TRY_DONE(make_weights(&c));
    KAN_TRY_DONE(make_labels(&c, out));
    tell(&c, &out->told);
done:
    kan_free(c.run, c.units);
    kan_free(c.run, c.stratum_of);
    kan_free(c.run, c.first_row);
    kan_free(c.run, c.n_lost);
    kan_free(c.run, c.n_left);
    kan_free(c.run, c.all);
    kan_free(c.run, c.left);
    kan_free(c.run, c.made);
    return status;
}

void kan_calibration_destroy(kan_run *run, kan_calibration *calibration) {
    kan_free(run, calibration->codes);
    *calibration = (kan_calibration){.codes = NULL};
}

/* What a column holds, counted.
 *
 * One pass over the rows counts each code; all else is read off the dictionary, whose values stand
 * in order. O(rows + values) time, a counter per value of memory. */
#include <math.h>

#include "analyze/profile/profile.h"
#include "core/memory.h"
#include "data/spelling.h"

enum { WALK_ROWS = 1 << 16 };

static kan_status count_rows(kan_run *run, const kan_column *column, uint64_t *counts) {
    const uint64_t n_rows = column->n_rows;
    if (column->counts) {
        for (uint64_t row = 0; row < n_rows; row++)
            counts[kan_column_code(column, row)] += column->counts[row];
        return kan_check_cancel(run);
    }
    for (uint64_t row = 0; row < n_rows; row += WALK_ROWS) {
        const uint64_t end = n_rows - row < WALK_ROWS ? n_rows : row + WALK_ROWS;
        KAN_TRY(kan_check_cancel(run));
        switch (column->width) {
        case 1:
            for (uint64_t i = row; i < end; i++)
                counts[((const uint8_t *)column->codes)[i]]++;
            break;
        case 2:
            for (uint64_t i = row; i < end; i++)
                counts[((const uint16_t *)column->codes)[i]]++;
            break;
        default:
            for (uint64_t i = row; i < end; i++)
                counts[((const uint32_t *)column->codes)[i]]++;
        }
        kan_column_done(run, column, row, end - row);
    }
    return KAN_OK;
}

/* Whole characters of the value, as many as there is room for. */
static void keep_value(kan_slice value, kan_profile_value *out) {
    size_t size = value.size;
    out->is_cut = size > KAN_PROFILE_KEPT;
    if (out->is_cut) {
        size = KAN_PROFILE_KEPT;
        while (size > KAN_PROFILE_KEPT - 4 && ((unsigned char)value.bytes[size] & 0xc0) == 0x80)
            size--;
    }
    if (size)
        memcpy(out->bytes, value.bytes, size);
    out->size = (unsigned)size;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Takes the value in where it is more frequent than one of those kept; values come in order, so
 * that equals keep it. */
static void offer_top(uint32_t code, uint64_t n_rows, const uint64_t *counts, uint32_t *top,
                      unsigned *n_top) {
    unsigned at = *n_top;
    if (at == KAN_PROFILE_TOP && n_rows <= counts[top[at - 1]])
        return;
    if (at < KAN_PROFILE_TOP)
        ++*n_top;
    else
        at--;
    for (; at > 0 && counts[top[at - 1]] < n_rows; at--)
        top[at] = top[at - 1];
    top[at] = code;
}

static void measure_length(kan_slice value, kan_profile_column *out) {
    const size_t columns = value.size > 4096 ? 4096 : kan_text_columns(value.bytes, value.size);
    if (columns < out->shortest || out->n_distinct == 1)
        out->shortest = (unsigned)columns;
    if (columns > out->longest)
        out->longest = (unsigned)columns;
}

static void read_values(const kan_column *column, const uint64_t *counts, kan_profile_column *out) {
    const kan_dictionary *dictionary = &column->dictionary;
    uint32_t top[KAN_PROFILE_TOP];
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        const uint64_t n = counts[code];
        out->n_together += n ? (kan_u128)n * (n - 1) / 2 : 0;
        if (n == 0)
            continue;
        if (kan_value_is_unknown(value)) {
            out->n_missing += n;
            continue;
        }
        out->n_distinct++;
        out->n_once += n == 1;
        measure_length(value, out);
        offer_top(code, n, counts, top, &out->n_top);
    }
    for (unsigned i = 0; i < out->n_top; i++) {
        keep_value(kan_dictionary_value(dictionary, top[i]), &out->top[i]);
        out->top_rows[i] = counts[top[i]];
    }
}

/* ---- numbers and dates ---------------------------------------------------------------------- */

static void find_range(const kan_column *column, const uint64_t *counts, uint64_t n_known,
                       kan_profile_column *out) {
    const kan_dictionary *dictionary = &column->dictionary;
    const uint64_t half = (n_known + 1) / 2;
    uint64_t n_before = 0;
    bool has_least = false, has_median = false;
    out->is_whole = true;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        double number;
        if (counts[code] == 0 || !kan_value_number(column->dictionary.type, value, &number))
            continue;
        out->is_whole = out->is_whole && number == floor(number);
        if (!has_least) {
            keep_value(value, &out->least);
            out->least_number = number;
            has_least = true;
        }
        n_before += counts[code];
        if (!has_median && n_before >= half) {
            keep_value(value, &out->median);
            has_median = true;
        }
        out->greatest_number = number;
    }
    for (uint32_t code = dictionary->n; code-- > 0;)
        if (counts[code] && !kan_value_is_unknown(kan_dictionary_value(dictionary, code))) {
            keep_value(kan_dictionary_value(dictionary, code), &out->greatest);
            break;
        }
}

/* Bins of equal width; few whole numbers have one each. Halves, because the difference of two
 * numbers may be too large for one. */
static void fill_bins(const kan_column *column, const uint64_t *counts, kan_profile_column *out) {
    const double half_width = out->greatest_number / 2 - out->least_number / 2;
    const bool is_short = out->is_whole && 2 * half_width < KAN_PROFILE_BINS;
    out->n_bins = half_width <= 0 ? 1
                  : is_short      ? (unsigned)(2 * half_width + 0.5) + 1
                                  : KAN_PROFILE_BINS;
    if (out->n_bins > KAN_PROFILE_BINS)
        out->n_bins = KAN_PROFILE_BINS;
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        double number;
        if (counts[code] == 0 ||
            !kan_value_number(column->dictionary.type,
                              kan_dictionary_value(&column->dictionary, code), &number))
            continue;
        const double from_least = number / 2 - out->least_number / 2;
        const double at = half_width <= 0 ? 0
                          : is_short      ? 2 * from_least + 0.5
                                          : from_least / half_width * KAN_PROFILE_BINS;
        const unsigned bin = at > 0 && at < KAN_PROFILE_BINS ? (unsigned)at : 0;
        out->bins[at >= out->n_bins ? out->n_bins - 1 : bin] += counts[code];
    }
}

/* ---- some of the values --------------------------------------------------------------------- */

/* The rows of each value stand for those of the values like it that are not here, and so do pairs of
 * rows. Returns the rows of known values. */
static uint64_t weigh_rows(const kan_column *column, double clock, uint64_t *counts,
                           kan_profile_column *out) {
    uint64_t n_known = 0;
    out->n_together = 0;
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        const double n = (double)counts[code], share = -expm1(-n * clock);
        if (counts[code] == 0)
            continue;
        counts[code] = (uint64_t)(n / share + 0.5);
        out->n_together += (kan_u128)(n * (n - 1) / 2 / share);
        if (!kan_value_is_unknown(kan_dictionary_value(&column->dictionary, code)))
            n_known += counts[code];
    }
    return n_known;
}

/* What is known of all rows, in place of what was counted of some. Missing values that somebody writes as
 * words were counted here alone. */
static void take_whole(const kan_profile_whole *whole, kan_profile_column *out) {
    const uint64_t n_missing = out->n_missing;
    out->n_looked_at = out->n_distinct;
    out->n_rows = whole->n_rows;
    out->n_missing = n_missing > whole->n_missing ? n_missing : whole->n_missing;
    out->n_distinct = (uint32_t)(whole->n_distinct < UINT32_MAX ? whole->n_distinct : UINT32_MAX);
    out->n_once = whole->n_once;
}

/* The ends, unless they are read as something else. */
static void take_ends(const kan_profile_whole *whole, kan_profile_column *out) {
    double least, greatest;
    if (whole->least.size == 0 || !kan_value_number(out->type, whole->least, &least) ||
        !kan_value_number(out->type, whole->greatest, &greatest) || least > out->least_number ||
        greatest < out->greatest_number)
        return;
    keep_value(whole->least, &out->least);
    keep_value(whole->greatest, &out->greatest);
    out->least_number = least;
    out->greatest_number = greatest;
}

/* Bins of all known rows, in the shares that were found. */
static void scale_bins(uint64_t n_counted, kan_profile_column *out) {
    const uint64_t n_known = out->n_rows - out->n_missing;
    for (unsigned i = 0; i < out->n_bins && n_counted > 0; i++)
        out->bins[i] = (uint64_t)((kan_u128)out->bins[i] * n_known / n_counted);
}

/* ---- the column ----------------------------------------------------------------------------- */

static void describe(const kan_column *column, const kan_profile_whole *whole, uint64_t *counts,
                     kan_profile_column *out) {
    read_values(column, counts, out);
    uint64_t n_known = out->n_rows - out->n_missing;
    if (whole) {
        take_whole(whole, out);
        n_known = weigh_rows(column, whole->clock, counts, out);
    }
    if (out->type != KAN_TYPE_TEXT && out->n_distinct > 0) {
        find_range(column, counts, n_known, out);
        if (whole)
            take_ends(whole, out);
        fill_bins(column, counts, out);
        if (whole)
            scale_bins(n_known, out);
    }
    out->mixture = kan_mixture_find(column);
    out->shape = kan_profile_shape_find(column, out);
}

static kan_status make(kan_run *run, const kan_column *column, uint64_t n_rows,
                       const kan_profile_whole *whole, kan_profile_column *out) {
    uint64_t *counts;
    KAN_TRY(kan_alloc_zero(run, column->dictionary.n, sizeof *counts, &counts));
    const kan_status status = count_rows(run, column, counts);
    if (status == KAN_OK) {
        *out = (kan_profile_column){.name = column->name,
                                    .type = column->dictionary.type,
                                    .is_called_text = kan_column_is_called_text(column),
                                    .n_rows = n_rows};
        describe(column, whole, counts, out);
    }
    kan_free(run, counts);
    return status;
}

kan_status kan_profile_column_make(kan_run *run, const kan_column *column, uint64_t n_rows,
                                   kan_profile_column *out) {
    return make(run, column, n_rows, NULL, out);
}

kan_status kan_profile_column_make_some(kan_run *run, const kan_column *column,
                                        const kan_profile_whole *whole, kan_profile_column *out) {
    return make(run, column, whole->n_rows, whole, out);
}

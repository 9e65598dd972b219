/* Columns that show bins of one width: see extents.h.
 *
 * What --bins made shows ranges alone, whose bounds stand on a grid; of those on which they do, the
 * widest is taken. A bin is to such a column what a value is to others: it is never divided, and two
 * regions that share a border share one bin. The width is not told in a release, and need not be:
 * where bounds stand on no grid wider than a unit, a bin is a whole number.
 *
 * Unknown values are a bin of their own, and so is each end of a capped column. Bounds are decimals,
 * so that they are compared as whole numbers of a small unit. */
#include <math.h>
#include <stdlib.h>

#include "analyze/recodings/extents.h"

enum { MOST_DIGITS = 9 };
#define MOST_UNITS 9e15 /* doubles tell all whole numbers below it apart */
#define LOW_END    INT64_MIN
#define HIGH_END   INT64_MAX

typedef struct {
    kan_label_range range;
    bool has_range, has_end;
    int64_t first,
        last; /* bins, from that of the grid's first bound on, or ends of a capped column */
} shown_range;

typedef struct {
    kan_extents *e;
    kan_label_reader reader;
    shown_range *of; /* by code of the release */
    uint32_t code;   /* that is read */
    bool fails;      /* some label is nothing that bins show */
    bool has_any;    /* it holds anything */
    double unit;     /* so many units are 1 */
    int64_t first_bound, width;
    int64_t *places; /* bins that some label begins or ends with, ascending */
    size_t n_places;
} binning;

/* ---- labels --------------------------------------------------------------------------------- */

/* An end of a capped column is a bin. */
static void take_end(binning *b, bool is_low) {
    shown_range *to = &b->of[b->code];
    b->fails |= to->has_range || to->has_end;
    to->has_end = true;
    to->first = to->last = is_low ? LOW_END : HIGH_END;
}

/* Values that are known are none. */
static kan_status take_codes(void *context, uint32_t first, uint32_t end) {
    binning *b = context;
    b->has_any = true;
    for (uint32_t value = first; value < end && !b->fails; value++) {
        const kan_end side = kan_value_end(kan_dictionary_value(b->reader.dictionary, value), NULL);
        if (value >= b->reader.n_unknown && side == KAN_END_NONE)
            b->fails = true;
        else if (value >= b->reader.n_unknown)
            take_end(b, side == KAN_END_LOW);
    }
    return KAN_OK;
}

static kan_status take_range(void *context, const kan_label_range *range) {
    binning *b = context;
    shown_range *to = &b->of[b->code];
    b->has_any = true;
    if (range->is_end) {
        take_end(b, range->lo_is_none);
        return KAN_OK;
    }
    b->fails |= to->has_range || to->has_end || range->lo_is_open;
    to->range = *range;
    to->has_range = true;
    return KAN_OK;
}

/* Ranges, unknown values, and lists of both; * aside. */
static kan_status read_label(binning *b, uint32_t code) {
    const kan_slice label = kan_dictionary_value(&b->e->labels->column->dictionary, code);
    uint32_t value;
    b->code = code;
    b->has_any = false;
    if (kan_dictionary_find(b->reader.dictionary, label, &value))
        return take_codes(b, value, value + 1);
    KAN_TRY(kan_label_read_ranges(&b->reader, label, take_codes, take_range, b));
    b->fails |= !b->has_any;
    return KAN_OK;
}

static kan_status read_labels(binning *b) {
    const kan_labels *l = b->e->labels;
    KAN_TRY(kan_alloc_zero(b->e->run, l->n, sizeof *b->of, &b->of));
    for (uint32_t code = 0; code < l->n && !b->fails; code++)
        if (l->first_row[code] && !kan_labels_is_star(l, code))
            KAN_TRY(read_label(b, code));
    return KAN_OK;
}

/* ---- the grid ------------------------------------------------------------------------------- */

static bool is_exact(double number, double unit) {
    const double units = round(number * unit);
    return fabs(units) < MOST_UNITS && units / unit == number;
}

/* Where the next range may begin: behind the last whole number, or at the bound that is left out. */
static double end_of(const kan_label_range *range) {
    return range->hi_is_open ? range->hi : range->hi + 1;
}

/* Whether all bounds are whole numbers of a unit; those that are in their range of 1. */
static bool find_unit(binning *b) {
    bool fits = false;
    b->unit = 1;
    for (unsigned digits = 0; digits <= MOST_DIGITS && !fits; digits++) {
        b->unit = digits == 0 ? 1 : b->unit * 10;
        fits = true;
        for (uint32_t code = 0; code < b->e->labels->n && fits; code++) {
            const kan_label_range *r = &b->of[code].range;
            if (!b->of[code].has_range)
                continue;
            fits = (r->lo_is_none || is_exact(r->lo, b->unit)) &&
                   (r->hi_is_none || is_exact(r->hi, r->hi_is_open ? b->unit : 1));
        }
    }
    return fits;
}

static int64_t units_of(const binning *b, double number) {
    return (int64_t)round(number * b->unit);
}

static void add_bound(binning *b, int64_t bound, bool *is_first) {
    if (*is_first)
        b->first_bound = bound;
    *is_first = false;
    int64_t rest = llabs(bound - b->first_bound);
    while (rest != 0) { /* the greatest divisor of both */
        const int64_t next = b->width % rest;
        b->width = rest;
        rest = next;
    }
}

/* The widest grid on which all bounds stand; false where there is none. Where no label has a bound, as * and
 * unknown values have none, bins are units: of the known values * alone shows any. */
static bool find_grid(binning *b) {
    bool is_first = true;
    if (!find_unit(b))
        return false;
    for (uint32_t code = 0; code < b->e->labels->n; code++) {
        const kan_label_range *r = &b->of[code].range;
        if (b->of[code].has_range && !r->lo_is_none)
            add_bound(b, units_of(b, r->lo), &is_first);
        if (b->of[code].has_range && !r->hi_is_none)
            add_bound(b, units_of(b, end_of(r)), &is_first);
    }
    if (is_first)
        b->width = 1;
    return b->width > 0;
}

/* The bin that a value is in. */
static int64_t bin_of(const binning *b, uint32_t value) {
    const kan_end end = kan_value_end(kan_dictionary_value(b->reader.dictionary, value), NULL);
    if (end != KAN_END_NONE)
        return end == KAN_END_LOW ? LOW_END : HIGH_END;
    const double bin =
        floor((b->reader.numbers[value] * b->unit - (double)b->first_bound) / (double)b->width);
    /* beyond all bounds, as these are below MOST_UNITS: no whole number need tell such bins apart */
    return bin > 2 * MOST_UNITS ? HIGH_END : bin < -2 * MOST_UNITS ? LOW_END : (int64_t)bin;
}

/* ---- places --------------------------------------------------------------------------------- */

static int compare_bins(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void find_bins(binning *b) {
    const kan_label_reader *reader = &b->reader;
    for (uint32_t code = 0; code < b->e->labels->n; code++) {
        shown_range *shown = &b->of[code];
        const kan_label_range *r = &shown->range;
        if (!shown->has_range && !shown->has_end)
            continue;
        if (shown->has_range) {
            shown->first =
                r->lo_is_none ? LOW_END : (units_of(b, r->lo) - b->first_bound) / b->width;
            shown->last =
                r->hi_is_none ? HIGH_END : (units_of(b, end_of(r)) - b->first_bound) / b->width - 1;
        }
        b->places[b->n_places++] = shown->first;
        b->places[b->n_places++] = shown->last;
    }
    /* what * holds */
    if (reader->n_unknown < reader->dictionary->n) {
        b->places[b->n_places++] = bin_of(b, reader->n_unknown);
        b->places[b->n_places++] = bin_of(b, reader->dictionary->n - 1);
    }
    if (b->n_places > 0)
        qsort(b->places, b->n_places, sizeof *b->places, compare_bins);
    size_t n = 0;
    for (size_t i = 0; i < b->n_places; i++)
        if (n == 0 || b->places[n - 1] != b->places[i])
            b->places[n++] = b->places[i];
    b->n_places = n;
}

static uint32_t place_of(const binning *b, int64_t bin) {
    const int64_t *found = bsearch(&bin, b->places, b->n_places, sizeof bin, compare_bins);
    KAN_ASSERT(found);
    return (uint32_t)(found - b->places);
}

static bool has_unknown(const kan_extents *e, uint32_t code) {
    for (uint32_t value = 0; value < e->n_unknown; value++)
        if (kan_relation_covers(&e->labels->relation, code, value))
            return true;
    return false;
}

/* How far a label reaches: unknown values are one bin, and stand before all others. */
static void reach(binning *b, uint32_t code) {
    kan_extent *extent = &b->e->of[code];
    kan_bin_run *run = &b->e->bins[code];
    const bool is_star = kan_labels_is_star(b->e->labels, code);
    *run = (kan_bin_run){1, 0};
    if (is_star && b->n_places > 0)
        *run = (kan_bin_run){0, (uint32_t)b->n_places - 1};
    else if (b->of[code].has_range || b->of[code].has_end)
        *run = (kan_bin_run){place_of(b, b->of[code].first), place_of(b, b->of[code].last)};
    const bool is_unknown = has_unknown(b->e, code), has_bins = run->first <= run->last;
    extent->lower = is_unknown ? 1 : has_bins ? 2 * run->first + 3 : UINT32_MAX;
    extent->upper = has_bins ? 2 * run->last + 3 : is_unknown ? 1 : 0;
}

static kan_status take_places(binning *b) {
    const kan_labels *l = b->e->labels;
    KAN_TRY(kan_alloc(b->e->run, 2 * (size_t)l->n + 2, sizeof *b->places, &b->places));
    KAN_TRY(kan_alloc_zero(b->e->run, (size_t)l->n + 1, sizeof *b->e->bins, &b->e->bins));
    find_bins(b);
    for (uint32_t code = 0; code < l->n; code++)
        if (l->first_row[code])
            reach(b, code);
    return KAN_OK;
}

kan_status kan_extents_take_bins(kan_extents *e) {
    binning b = {.e = e};
    kan_status status;
    if (e->labels->relation.original->dictionary.type != KAN_TYPE_NUMBER)
        return KAN_OK;
    KAN_TRY_DONE(kan_label_reader_init(&b.reader, e->run, e->labels->relation.original));
    KAN_TRY_DONE(read_labels(&b));
    if (!b.fails && find_grid(&b))
        KAN_TRY_DONE(take_places(&b));
done:
    kan_label_reader_destroy(&b.reader);
    kan_free(e->run, b.of);
    kan_free(e->run, b.places);
    return status;
}

unsigned kan_bins_share(const kan_extents *e, uint32_t a, uint32_t b) {
    enum { MANY = 2 };
    const kan_bin_run x = e->bins[a], y = e->bins[b];
    const uint32_t first = x.first > y.first ? x.first : y.first;
    const uint32_t last = x.last < y.last ? x.last : y.last;
    const unsigned n = first > last ? 0 : first == last ? 1 : MANY;
    if (n == MANY || !has_unknown(e, a) || !has_unknown(e, b))
        return n;
    return n + 1; /* they are one bin */
}

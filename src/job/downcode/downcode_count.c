/* Counting what else could have stood there: for each unit that is looked at, how many of its others make
 * the same release.
 *
 * Where all units with all of their others are no more than the probes, all are tried. Else units are drawn
 * without putting any back, and of a unit with many others a sample of them. How many units that are is
 * decided before the first is tried, from the mean number of others: stopping where the probes are used up
 * would favour units with few. */
#include <math.h>

#include "job/downcode/downcode_inside.h"

enum { MOST_OTHERS = 16 };

static uint64_t others_tried(const kan_downcode_unit *unit, bool is_all) {
    return is_all || unit->n_others < MOST_OTHERS ? unit->n_others : MOST_OTHERS;
}

/* How many units are looked at. */
static uint64_t plan(const kan_downcode_source *source, kan_downcode_count *out) {
    const kan_downcode *d = source->d;
    double all = 0, few = 0;
    for (uint64_t i = 0; i < source->n; i++) {
        const kan_downcode_unit unit = source->unit(source->context, i);
        all += (double)unit.n_others;
        few += (double)others_tried(&unit, false);
    }
    out->n = source->n;
    out->open = source->n > 0 ? 1 + all / (double)source->n : 0;
    out->is_all = d->has_no_limit || all <= (double)d->most_probes;
    if (out->is_all || few <= (double)d->most_probes)
        return source->n;
    const double n = (double)d->most_probes / (few / (double)source->n);
    return n < 1 ? 1 : (uint64_t)n;
}

typedef struct {
    uint64_t n_tried, n_same;
} tally;

static kan_status try_other(const kan_downcode_source *source, const kan_downcode_unit *unit,
                            uint64_t j, kan_downcode_count *count, tally *out) {
    bool is_same, is_refused;
    source->put(source->context, unit, j, false);
    const kan_status status =
        kan_downcode_is_same(source->d, source->by_row, &is_same, &is_refused);
    source->put(source->context, unit, j, true);
    KAN_TRY(status);
    count->n_probes++;
    count->n_refused += is_refused;
    out->n_tried++;
    out->n_same += is_same;
    return KAN_OK;
}

/* All others; or n of them, drawn so that none comes twice (Floyd). */
static kan_status try_unit(const kan_downcode_source *source, const kan_downcode_unit *unit,
                           bool is_all, uint64_t *random, kan_downcode_count *count, tally *out) {
    const uint64_t n = others_tried(unit, is_all);
    uint64_t drawn[MOST_OTHERS];
    *out = (tally){0, 0};
    if (n == unit->n_others) {
        for (uint64_t j = 0; j < n; j++)
            KAN_TRY(try_other(source, unit, j, count, out));
        return KAN_OK;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t last = unit->n_others - n + i;
        uint64_t j = kan_random_below(random, last + 1);
        for (uint64_t seen = 0; seen < i; seen++)
            j = drawn[seen] == j ? last : j;
        drawn[i] = j;
        KAN_TRY(try_other(source, unit, j, count, out));
    }
    return KAN_OK;
}

static void take(const kan_downcode_unit *unit, const tally *found, kan_downcode_count *out) {
    const double open = 1 + (double)unit->n_others;
    const double left = found->n_tried == 0 ? 1
                                            : 1 + (double)unit->n_others * (double)found->n_same /
                                                      (double)found->n_tried;
    out->n_tried++;
    out->n_partly += found->n_tried < unit->n_others;
    out->sum_left += left;
    out->sum_open += open;
    out->sum_left_squares += left * left;
    out->sum_open_squares += open * open;
    out->sum_products += left * open;
    out->sum_bits_open += log2(open);
    out->sum_bits_left += log2(left);
    if (found->n_same > 0)
        return;
    out->n_determined++;
    if (found->n_tried == unit->n_others && out->n_exposed < KAN_MOST_EXPOSED) {
        out->exposed_row[out->n_exposed] = unit->row;
        out->exposed_column[out->n_exposed++] = unit->at;
    }
}

static kan_status count_drawn(const kan_downcode_source *source, uint64_t *places, uint64_t n,
                              uint64_t random, kan_downcode_count *out) {
    for (uint64_t i = 0; i < n; i++) {
        tally found;
        if (n < source->n) {
            const uint64_t j = i + kan_random_below(&random, source->n - i), place = places[j];
            places[j] = places[i];
            places[i] = place;
        }
        const kan_downcode_unit unit = source->unit(source->context, places[i]);
        kan_report_units(source->d->run, source->stage, "cells", i, n);
        KAN_TRY(try_unit(source, &unit, out->is_all, &random, out, &found));
        take(&unit, &found, out);
    }
    return KAN_OK;
}

kan_status kan_downcode_count_units(const kan_downcode_source *source, uint64_t seed,
                                    kan_downcode_count *out) {
    kan_run *run = source->d->run;
    uint64_t *places;
    *out = (kan_downcode_count){.is_wanted = true};
    const uint64_t n = plan(source, out);
    KAN_TRY(kan_alloc(run, (size_t)source->n, sizeof *places, &places));
    for (uint64_t i = 0; i < source->n; i++)
        places[i] = i;
    const kan_status status = count_drawn(source, places, n, seed, out);
    kan_free(run, places);
    out->is_all = out->is_all && status == KAN_OK;
    return status;
}

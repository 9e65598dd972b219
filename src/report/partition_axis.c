/* Axes of a partition: see partition_axis.h.
 *
 * First the runs of neighbouring values that each cell holds are found, and its label is read as a
 * stranger would: which values and numbers does it name? Bounds of runs are then places between two
 * values of the domain; each gets its place on the axis, and the runs become spans. */
#include "report/partition_axis.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/verify/verify.h"
#include "report/axis_ticks.h"

/* Neighbouring values that a cell holds: the leaves first .. end - 1. */
typedef struct {
    uint32_t first, end;
} run_of_leaves;

/* What the label of a cell names of its column's numbers. */
typedef struct {
    bool is_known;
    bool is_open; /* hi is not in it */
    double lo, hi;
} named_range;

typedef struct {
    kan_run *run;
    const kan_domain *domain;
    const kan_hierarchy *hierarchy;
    const kan_cells *cells;
    const kan_cell_names *names;
    kan_label_reader reader;
    bool has_reader;
    uint32_t n_leaves;
    bool *is_named;       /* by leaf: some label names it */
    size_t n_runs, room;  /* of all cells, one after the other */
    run_of_leaves *runs;  /* as first_span counts them */
    named_range *ranges;  /* by cell; numbers and dates alone */
    named_range *reading; /* that of the cell in hand */
    uint32_t n_apart;     /* unknown values that stand beside the scale: the first leaves */
    double half;          /* half the unit of the numbers: a value is as wide as a unit */
    double *begin, *end;  /* by place between two leaves: where runs begin and end; NAN: nowhere */
    bool *begins, *ends;  /* whether any does */
    kan_partition_axis *axis;
} building;

/* ---- what cells hold ------------------------------------------------------------------------ */

static kan_status add_run(building *b, uint32_t first, uint32_t end) {
    if (first < b->n_apart && end > b->n_apart) {
        KAN_TRY(add_run(b, first, b->n_apart));
        first = b->n_apart;
    }
    KAN_TRY(kan_reserve(b->run, b->n_runs + 1, sizeof *b->runs, &b->room, &b->runs));
    b->runs[b->n_runs++] = (run_of_leaves){first, end};
    return KAN_OK;
}

static kan_status find_runs(building *b, uint32_t cell) {
    const kan_cell *c = &b->cells->cells[cell];
    const uint32_t *set = b->cells->set;
    uint32_t first = c->a, end = c->b + 1;
    if (b->cells->type == KAN_CELL_SET) {
        for (uint32_t i = c->a, from = c->a; i < c->b; i++)
            if (i + 1 == c->b || set[i + 1] != set[i] + 1) {
                KAN_TRY(add_run(b, set[from], set[i] + 1));
                from = i + 1;
            }
        return KAN_OK;
    }
    if (b->cells->type == KAN_CELL_NODE) {
        first = kan_hierarchy_first_leaf(b->hierarchy, c->a, c->b);
        end = kan_hierarchy_first_leaf(b->hierarchy, c->a, c->b + 1);
    }
    if (b->domain->has_bins) { /* a bin is shown as a whole */
        first = b->domain->first_leaf[b->domain->place_of[first]];
        end = b->domain->first_leaf[b->domain->place_of[end - 1] + 1];
    }
    const uint32_t unknown = kan_cell_unknown(b->cells, cell);
    for (uint32_t leaf = 0; leaf < 32; leaf++)
        if (unknown >> leaf & 1)
            KAN_TRY(add_run(b, leaf, leaf + 1));
    return add_run(b, first, end);
}

/* ---- what labels name ----------------------------------------------------------------------- */

/* The labels are our own: none leaves its first bound out. */
static kan_status take_range(void *context, const kan_label_range *told) {
    named_range *range = ((building *)context)->reading;
    if (!range->is_known || told->hi > range->hi)
        range->is_open = told->hi_is_open;
    range->lo = !range->is_known || told->lo < range->lo ? told->lo : range->lo;
    range->hi = !range->is_known || told->hi > range->hi ? told->hi : range->hi;
    range->is_known = true;
    return KAN_OK;
}

static kan_status take_codes(void *context, uint32_t first, uint32_t end) {
    building *b = context;
    const kan_dictionary *dictionary = b->reader.dictionary;
    for (uint32_t code = first; code < end; code++) {
        double number;
        b->is_named[b->hierarchy->leaf_of[code]] = true;
        if (b->axis->is_scale &&
            kan_value_number(dictionary->type, kan_dictionary_value(dictionary, code), &number))
            KAN_TRY(take_range(b, &(kan_label_range){.lo = number, .hi = number}));
    }
    return KAN_OK;
}

static kan_status read_label(building *b, uint32_t cell) {
    const kan_slice label = b->names->label[cell];
    const kan_dictionary *dictionary = b->reader.dictionary;
    uint32_t code;
    b->reading = &b->ranges[cell];
    /* A label that is a value means it: none is one that means something else. */
    if (kan_dictionary_find(dictionary, label, &code) &&
        kan_cell_holds(b->cells, cell, b->hierarchy, b->hierarchy->leaf_of[code]))
        return take_codes(b, code, code + 1);
    return kan_label_read_ranges(&b->reader, label, take_codes, take_range, b);
}

static bool is_shown(const building *b, uint32_t cell) {
    return b->names->shown[cell] == cell;
}

static kan_status read_labels(building *b) {
    for (uint32_t cell = 0; cell < b->cells->n; cell++)
        if (is_shown(b, cell))
            KAN_TRY(read_label(b, cell));
    /* Unknown values stand beside the scale where a label says that there are any. */
    const uint32_t n_unknown = b->axis->is_scale ? b->domain->first_leaf[b->domain->n_unknown] : 0;
    for (uint32_t leaf = 0; leaf < n_unknown; leaf++)
        if (b->is_named[leaf])
            b->n_apart = n_unknown;
    for (uint32_t cell = 0; cell < b->cells->n; cell++) {
        b->axis->first_span[cell] = b->n_runs;
        if (is_shown(b, cell))
            KAN_TRY(find_runs(b, cell));
    }
    b->axis->first_span[b->cells->n] = b->n_runs;
    return KAN_OK;
}

/* ---- categories ----------------------------------------------------------------------------- */

static kan_status add_tick(building *b, double at, kan_slice label) {
    kan_partition_axis *axis = b->axis;
    if (label.size == 0)
        label = kan_slice_of("(empty)");
    axis->ticks[axis->n_ticks++] = (kan_axis_tick){at, label};
    return KAN_OK;
}

/* Numbers the places where something begins or ends: step[p] is how many steps lie before it. */
static void number_steps(building *b, uint32_t *step) {
    for (size_t i = 0; i < b->n_runs; i++)
        b->begins[b->runs[i].first] = b->begins[b->runs[i].end] = true;
    for (uint32_t leaf = 0; leaf < b->n_leaves; leaf++)
        if (b->is_named[leaf])
            b->begins[leaf] = b->begins[leaf + 1] = true;
    uint32_t n = 0;
    for (uint32_t p = 1; p <= b->n_leaves; p++) {
        n += b->begins[p];
        step[p] = n;
    }
    b->axis->n_steps = n > 0 ? n : 1;
}

/* A step is called like its one value, or like the cell that is all of it. */
static kan_status name_steps(building *b, const uint32_t *step) {
    kan_partition_axis *axis = b->axis;
    kan_slice *labels;
    bool *has_label;
    KAN_TRY(kan_arena_alloc(&axis->arena, axis->n_steps, sizeof *labels, &labels));
    KAN_TRY(kan_arena_alloc(&axis->arena, axis->n_steps, sizeof *has_label, &has_label));
    memset(has_label, 0, axis->n_steps * sizeof *has_label);
    for (uint32_t leaf = 0; leaf < b->n_leaves; leaf++)
        if (b->is_named[leaf]) {
            labels[step[leaf]] =
                kan_dictionary_value(b->reader.dictionary, b->hierarchy->code_of[leaf]);
            has_label[step[leaf]] = true;
        }
    for (uint32_t cell = 0; cell < b->cells->n; cell++) {
        const size_t first = axis->first_span[cell];
        if (axis->first_span[cell + 1] != first + 1)
            continue;
        const run_of_leaves *r = &b->runs[first];
        if (step[r->end] == step[r->first] + 1 && !has_label[step[r->first]]) {
            labels[step[r->first]] = b->names->label[cell];
            has_label[step[r->first]] = true;
        }
    }
    KAN_TRY(kan_arena_alloc(&axis->arena, axis->n_steps, sizeof *axis->ticks, &axis->ticks));
    for (size_t i = 0; i < axis->n_steps; i++)
        if (has_label[i])
            KAN_TRY(add_tick(b, ((double)i + 0.5) / (double)axis->n_steps, labels[i]));
    return KAN_OK;
}

static kan_status place_categories(building *b) {
    uint32_t *step;
    KAN_TRY(kan_alloc_zero(b->run, (size_t)b->n_leaves + 1, sizeof *step, &step));
    number_steps(b, step);
    for (size_t i = 0; i < b->n_runs; i++)
        b->axis->spans[i] =
            (kan_axis_span){(double)step[b->runs[i].first] / (double)b->axis->n_steps,
                            (double)step[b->runs[i].end] / (double)b->axis->n_steps};
    kan_status status = name_steps(b, step);
    kan_free(b->run, step);
    return status;
}

/* ---- numbers and dates ---------------------------------------------------------------------- */

/* The largest of 1, 0.1 .. 0.000001 of which all bounds are multiples. */
static double find_unit(const building *b) {
    int decimals = 0;
    for (uint32_t cell = 0; cell < b->cells->n; cell++) {
        const double bounds[2] = {b->ranges[cell].lo, b->ranges[cell].hi};
        for (int i = 0; i < 2 && b->ranges[cell].is_known; i++)
            while (decimals < 6 && fabs(bounds[i] * pow(10, decimals) -
                                        nearbyint(bounds[i] * pow(10, decimals))) > 1e-6)
                decimals++;
    }
    return pow(10, -decimals);
}

static void mark_bounds(building *b) {
    for (uint32_t cell = 0; cell < b->cells->n; cell++) {
        const named_range *range = &b->ranges[cell];
        for (size_t i = b->axis->first_span[cell]; i < b->axis->first_span[cell + 1]; i++) {
            const run_of_leaves *r = &b->runs[i];
            b->begins[r->first] = b->ends[r->end] = true;
            if (!range->is_known || r->end <= b->n_apart)
                continue;
            const double half = range->is_open ? 0 : b->half;
            /* NAN is neither less nor more. */
            if (!(b->begin[r->first] <= range->lo - half))
                b->begin[r->first] = range->lo - half;
            if (!(b->end[r->end] >= range->hi + half))
                b->end[r->end] = range->hi + half;
        }
    }
}

/* Where one run ends and the next begins they may well touch. */
static void join_bounds(building *b) {
    for (uint32_t p = 0; p <= b->n_leaves; p++) {
        if (!b->begins[p] || !b->ends[p] || (p == b->n_apart && p > 0))
            continue;
        if (isnan(b->begin[p]))
            b->begin[p] = b->end[p];
        else if (isnan(b->end[p]))
            b->end[p] = b->begin[p];
    }
}

/* The bounds in order: what ends at a place, then what begins there. Those that are at one place,
 * and not known, are one. */
typedef struct {
    double *at[2]; /* begin and end of a place; the second may be NULL */
} bound;

static size_t list_bounds(const building *b, bound *bounds) {
    size_t n = 0;
    for (uint32_t p = 0; p <= b->n_leaves; p++) {
        const bool is_one = b->begins[p] && b->ends[p] && isnan(b->begin[p]) && isnan(b->end[p]) &&
                            (p != b->n_apart || p == 0);
        if (b->ends[p])
            bounds[n++] = (bound){{&b->end[p], is_one ? &b->begin[p] : NULL}};
        if (b->begins[p] && !is_one)
            bounds[n++] = (bound){{&b->begin[p], NULL}};
    }
    return n;
}

static void set_bound(const bound *which, double at) {
    *which->at[0] = at;
    if (which->at[1])
        *which->at[1] = at;
}

/* Bounds that nobody names: evenly between those that are named, and in steps beyond them. */
static void fill_bounds(const bound *bounds, size_t n, double step) {
    size_t first = 0, last = n;
    while (first < n && isnan(*bounds[first].at[0]))
        first++;
    while (last > first && isnan(*bounds[last - 1].at[0]))
        last--;
    if (first == n) {
        for (size_t i = 0; i < n; i++)
            set_bound(&bounds[i], (double)i);
        return;
    }
    for (size_t i = first; i-- > 0;)
        set_bound(&bounds[i], *bounds[i + 1].at[0] - step);
    for (size_t i = last; i < n; i++)
        set_bound(&bounds[i], *bounds[i - 1].at[0] + step);
    for (size_t i = first; i < last; i++) {
        size_t to = i;
        if (!isnan(*bounds[i].at[0]))
            continue;
        while (isnan(*bounds[to].at[0]))
            to++;
        const double from = *bounds[i - 1].at[0];
        const double part = (*bounds[to].at[0] - from) / (double)(to - i + 1);
        for (size_t j = i; j < to; j++)
            set_bound(&bounds[j], from + part * (double)(j - i + 1));
    }
}

/* The least and the greatest number that a label names; false when there is none. */
static bool find_named(const building *b, double *lo, double *hi) {
    bool is_found = false;
    for (uint32_t cell = 0; cell < b->cells->n; cell++) {
        const named_range *range = &b->ranges[cell];
        if (!range->is_known)
            continue;
        *lo = !is_found || range->lo < *lo ? range->lo : *lo;
        *hi = !is_found || range->hi > *hi ? range->hi : *hi;
        is_found = true;
    }
    return is_found;
}

/* The spans in the unit of the scale. A cell whose numbers are named has its own bounds; others
 * have those that lie where they begin and end. */
static void span_runs(const building *b) {
    for (uint32_t cell = 0; cell < b->cells->n; cell++) {
        const named_range *range = &b->ranges[cell];
        const double half = range->is_open ? 0 : b->half;
        for (size_t i = b->axis->first_span[cell]; i < b->axis->first_span[cell + 1]; i++) {
            const run_of_leaves *r = &b->runs[i];
            const bool has_own = range->is_known && r->end > b->n_apart;
            b->axis->spans[i] = has_own ? (kan_axis_span){range->lo - half, range->hi + half}
                                        : (kan_axis_span){b->begin[r->first], b->end[r->end]};
        }
    }
}

/* Numbers near the greatest that there are become smaller ones, so that their differences are
 * numbers, too. True: they did, and the scale is not theirs any more. */
static bool shrink_ranges(building *b, double *lo, double *hi) {
    enum { PART = 64 };
    if (fmax(fabs(*lo), fabs(*hi)) < DBL_MAX / PART)
        return false;
    for (uint32_t cell = 0; cell < b->cells->n; cell++) {
        b->ranges[cell].lo /= PART;
        b->ranges[cell].hi /= PART;
    }
    *lo /= PART;
    *hi /= PART;
    return true;
}

/* Half a unit, and more where numbers are so large that a unit is nothing to them. */
static double find_half(double unit, double lo, double hi) {
    return fmax(unit / 2, fmax(fabs(lo), fabs(hi)) * DBL_EPSILON);
}

static kan_status place_numbers(building *b) {
    kan_status status;
    bound *bounds = NULL;
    kan_partition_axis *axis = b->axis;
    double lo = 0, hi = 0, low = INFINITY, high = -INFINITY;
    const bool has_numbers = find_named(b, &lo, &hi);
    const double unit = find_unit(b);
    const bool is_shrunk = shrink_ranges(b, &lo, &hi);
    b->half = find_half(unit, lo, hi);
    mark_bounds(b);
    join_bounds(b);
    KAN_TRY_DONE(kan_alloc(b->run, 2 * ((size_t)b->n_leaves + 1), sizeof *bounds, &bounds));
    fill_bounds(bounds, list_bounds(b, bounds), fmax((hi - lo) / 16, 2 * b->half));
    span_runs(b);
    for (size_t i = 0; i < b->n_runs; i++) {
        low = fmin(low, axis->spans[i].from);
        high = fmax(high, axis->spans[i].to);
    }
    for (size_t i = 0; i < b->n_runs; i++) {
        axis->spans[i].from = (axis->spans[i].from - low) / (high - low);
        axis->spans[i].to = (axis->spans[i].to - low) / (high - low);
    }
    KAN_TRY_DONE(
        kan_arena_alloc(&axis->arena, KAN_AXIS_MOST_TICKS + 1, sizeof *axis->ticks, &axis->ticks));
    if (b->n_apart > 0)
        KAN_TRY_DONE(add_tick(b, (b->begin[0] + b->end[b->n_apart] - 2 * low) / 2 / (high - low),
                              kan_slice_of("unknown")));
    if (has_numbers && !is_shrunk) {
        const kan_axis_scale scale = {
            low, high, lo, hi, unit, b->domain->column->dictionary.type == KAN_TYPE_DATE};
        KAN_TRY_DONE(kan_axis_ticks(&axis->arena, &scale, axis->ticks, &axis->n_ticks));
    }
done:
    kan_free(b->run, bounds);
    return status;
}

/* ---- the axis ------------------------------------------------------------------------------- */

static kan_status build(building *b) {
    const size_t n_places = (size_t)b->n_leaves + 1;
    kan_partition_axis *axis = b->axis;
    KAN_TRY(kan_label_reader_init(&b->reader, b->run, b->domain->column));
    b->has_reader = true;
    KAN_TRY(kan_alloc_zero(b->run, b->n_leaves, sizeof *b->is_named, &b->is_named));
    KAN_TRY(kan_alloc_zero(b->run, b->cells->n, sizeof *b->ranges, &b->ranges));
    KAN_TRY(kan_alloc_zero(b->run, n_places, sizeof *b->begins, &b->begins));
    KAN_TRY(kan_alloc_zero(b->run, n_places, sizeof *b->ends, &b->ends));
    KAN_TRY(kan_alloc(b->run, n_places, sizeof *b->begin, &b->begin));
    KAN_TRY(kan_alloc(b->run, n_places, sizeof *b->end, &b->end));
    for (size_t p = 0; p < n_places; p++)
        b->begin[p] = b->end[p] = NAN;
    KAN_TRY(kan_arena_alloc(&axis->arena, (size_t)b->cells->n + 1, sizeof *axis->first_span,
                            &axis->first_span));
    KAN_TRY(read_labels(b));
    KAN_TRY(kan_arena_alloc(&axis->arena, b->n_runs, sizeof *axis->spans, &axis->spans));
    return axis->is_scale ? place_numbers(b) : place_categories(b);
}

kan_status kan_partition_axis_make(kan_run *run, const kan_domain *domain, const kan_cells *cells,
                                   const kan_cell_names *names, kan_partition_axis *out) {
    kan_partition_axis axis = {.is_scale = domain->is_by_value};
    building b = {.run = run,
                  .domain = domain,
                  .hierarchy = domain->hierarchy,
                  .cells = cells,
                  .names = names,
                  .n_leaves = domain->hierarchy->n_codes,
                  .axis = &axis};
    kan_arena_init(&axis.arena, run);
    const kan_status status = build(&b);
    if (b.has_reader)
        kan_label_reader_destroy(&b.reader);
    kan_free(run, b.is_named);
    kan_free(run, b.runs);
    kan_free(run, b.ranges);
    kan_free(run, b.begins);
    kan_free(run, b.ends);
    kan_free(run, b.begin);
    kan_free(run, b.end);
    if (status == KAN_OK)
        *out = axis;
    else
        kan_arena_destroy(&axis.arena);
    return status;
}

void kan_partition_axis_destroy(kan_partition_axis *axis) {
    if (axis->arena.run)
        kan_arena_destroy(&axis->arena);
    *axis = (kan_partition_axis){.n_ticks = 0};
}

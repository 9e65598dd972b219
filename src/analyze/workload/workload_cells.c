/* Reading released values, and cutting them by filters. Reading sorts one pair for each original
 * value and level; cutting costs a look at each value that a cell stands for, a range counts as
 * one. */
#include "analyze/workload/workload_cells.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/verify/verify.h"

/* ---- reading -------------------------------------------------------------------------------- */

static kan_status add_run(kan_released_cells *cells, uint32_t cell, uint32_t first, uint32_t end) {
    KAN_TRY(kan_reserve(cells->run, cells->n_runs + 1, sizeof *cells->runs, &cells->run_room,
                        &cells->runs));
    cells->runs[cells->n_runs++] = (kan_cell_run){cell, first, end};
    return KAN_OK;
}

static kan_status add_point(kan_released_cells *cells, uint32_t cell, double number) {
    KAN_TRY(kan_reserve(cells->run, cells->n_points + 1, sizeof *cells->points, &cells->point_room,
                        &cells->points));
    cells->points[cells->n_points++] = (kan_number_point){cell, number};
    return KAN_OK;
}

typedef struct {
    kan_released_cells *cells;
    const kan_value_column *values;
    uint32_t cell;
} label_parts;

static kan_status take_codes(void *context, uint32_t first, uint32_t end) {
    label_parts *parts = context;
    return add_run(parts->cells, parts->cell, first, end);
}

/* A number of a range, its end where that is in it. */
static double point_of(const kan_label_range *range) {
    return !range->lo_is_open   ? range->lo
           : !range->hi_is_open ? range->hi
                                : range->lo + (range->hi - range->lo) / 2;
}

static kan_status take_range(void *context, const kan_label_range *told) {
    label_parts *parts = context;
    kan_released_cells *cells = parts->cells;
    const double first = kan_value_units(parts->values, told->lo);
    const double last = kan_value_units(parts->values, told->hi);
    const kan_unit_range range = {parts->cell, told->lo_is_open ? floor(first) + 1 : ceil(first),
                                  told->hi_is_open ? ceil(last) - 1 : floor(last)};
    if (range.lo > range.hi) /* between two units */
        return add_point(cells, parts->cell, point_of(told));
    KAN_TRY(kan_reserve(cells->run, cells->n_ranges + 1, sizeof *cells->ranges, &cells->range_room,
                        &cells->ranges));
    cells->ranges[cells->n_ranges++] = range;
    return KAN_OK;
}

/* Pairs of a cell and an original code that it may stand for, as one number each. */
typedef struct {
    uint64_t *pairs;
    size_t n;
} pair_list;

static int compare_pairs(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add_level(const kan_dictionary *released, const kan_hierarchy *hierarchy,
                      unsigned level, pair_list *list) {
    const kan_level *here = &hierarchy->levels[level];
    uint32_t group = UINT32_MAX, cell = 0;
    bool is_shown = false;
    for (uint32_t leaf = 0; leaf < hierarchy->n_codes; leaf++) {
        if (here->from_leaf[leaf] != group) {
            group = here->from_leaf[leaf];
            is_shown = kan_dictionary_find(released, here->label[group], &cell);
        }
        if (is_shown)
            list->pairs[list->n++] = (uint64_t)cell << 32 | hierarchy->code_of[leaf];
    }
}

/* What is a value, or a label of the hierarchy. */
static kan_status read_known(kan_run *run, const kan_dictionary *original,
                             const kan_dictionary *released, const kan_hierarchy *hierarchy,
                             pair_list *list) {
    const size_t n_levels = hierarchy ? (size_t)hierarchy->height + 1 : 1;
    KAN_TRY(kan_alloc(run, original->n * n_levels, sizeof *list->pairs, &list->pairs));
    for (uint32_t code = 0; code < original->n; code++) {
        uint32_t cell;
        if (kan_dictionary_find(released, kan_dictionary_value(original, code), &cell))
            list->pairs[list->n++] = (uint64_t)cell << 32 | code;
    }
    for (unsigned level = 1; level < n_levels; level++)
        add_level(released, hierarchy, level, list);
    qsort(list->pairs, list->n, sizeof *list->pairs, compare_pairs);
    return KAN_OK;
}

/* The pairs of one cell, from *at on, as runs of codes. */
static kan_status take_pairs(kan_released_cells *cells, const pair_list *list, uint32_t cell,
                             size_t *at) {
    while (*at < list->n && list->pairs[*at] >> 32 == cell) {
        const uint32_t first = (uint32_t)list->pairs[*at];
        uint32_t end = first + 1;
        for (++*at;
             *at < list->n && list->pairs[*at] >> 32 == cell && (uint32_t)list->pairs[*at] <= end;
             ++*at)
            end = (uint32_t)list->pairs[*at] + 1;
        KAN_TRY(add_run(cells, cell, first, end));
    }
    return KAN_OK;
}

/* A value that is neither one of the original nor a label: an interval, a list, or the mean of a
 * group. */
static kan_status read_unknown(kan_released_cells *cells, kan_label_reader *reader,
                               const kan_value_column *values, uint32_t cell, kan_slice text,
                               bool *is_read) {
    label_parts parts = {cells, values, cell};
    const size_t before = cells->n_runs + cells->n_ranges + cells->n_points;
    double number;
    KAN_TRY(kan_label_read_ranges(reader, text, take_codes, take_range, &parts));
    *is_read = cells->n_runs + cells->n_ranges + cells->n_points > before;
    if (*is_read || !kan_value_number(reader->dictionary->type, text, &number))
        return KAN_OK;
    *is_read = cells->shows_means = true;
    return add_point(cells, cell, number);
}

static kan_status read_all(kan_released_cells *cells, kan_label_reader *reader,
                           const kan_value_column *values, const kan_dictionary *released,
                           const pair_list *list, const char *table) {
    size_t at = 0, n_unread = 0;
    uint32_t first_unread = 0;
    for (uint32_t cell = 0; cell < released->n; cell++) {
        const kan_slice text = kan_dictionary_value(released, cell);
        const size_t before = at;
        bool is_read = true;
        if (kan_slice_is(text, "*")) {
            while (at < list->n && list->pairs[at] >> 32 == cell)
                at++;
            KAN_TRY(add_run(cells, cell, 0, values->dictionary->n));
            continue;
        }
        KAN_TRY(take_pairs(cells, list, cell, &at));
        if (at == before)
            KAN_TRY(read_unknown(cells, reader, values, cell, text, &is_read));
        if (!is_read && n_unread++ == 0)
            first_unread = cell;
    }
    if (n_unread == 0)
        return KAN_OK;
    char quoted[256];
    kan_problem_add(
        cells->run,
        "%s: column '%s' shows %s%s, which is neither a value of the original, nor an interval or "
        "a list, nor a known label; give the hierarchy that it was made with: "
        "--hierarchies DIR or --qi %s=HIERARCHY",
        table, values->name, kan_quote(kan_dictionary_value(released, first_unread), quoted),
        n_unread > 1 ? " (and others like it)" : "", values->name);
    return KAN_BAD_INPUT;
}

kan_status kan_released_cells_read(kan_released_cells *cells, const kan_value_column *values,
                                   const kan_column *original, const kan_column *released,
                                   const kan_hierarchy *hierarchy, const char *table) {
    kan_label_reader reader;
    pair_list list = {NULL, 0};
    kan_run *run = values->run;
    *cells = (kan_released_cells){.run = run, .n = released->dictionary.n};
    kan_status status = kan_label_reader_init(&reader, run, original);
    if (status == KAN_OK)
        status = read_known(run, &original->dictionary, &released->dictionary, hierarchy, &list);
    if (status == KAN_OK)
        status = read_all(cells, &reader, values, &released->dictionary, &list, table);
    kan_free(run, list.pairs);
    kan_label_reader_destroy(&reader);
    if (status != KAN_OK)
        kan_released_cells_destroy(cells);
    return status;
}

void kan_released_cells_destroy(kan_released_cells *cells) {
    kan_free(cells->run, cells->runs);
    kan_free(cells->run, cells->ranges);
    kan_free(cells->run, cells->points);
    *cells = (kan_released_cells){.run = cells->run};
}

/* ---- cutting -------------------------------------------------------------------------------- */

static void add_number(kan_cell_part *part, double number, bool is_allowed) {
    part->n++;
    part->n_known++;
    if (!is_allowed)
        return;
    part->n_allowed++;
    part->n_valued++;
    part->sum += number;
    part->least = fmin(part->least, number);
    part->greatest = fmax(part->greatest, number);
}

static void cut_run(const kan_cell_run *run, const kan_value_column *values,
                    const kan_filter *filter, kan_cell_part *part) {
    for (uint32_t code = run->first; code < run->end; code++) {
        if (values->numbers && !isnan(values->numbers[code])) {
            add_number(part, values->numbers[code], filter->allows[code]);
        } else {
            part->n++;
            part->n_allowed += filter->allows[code];
        }
    }
}

/* The units from lo to hi, as numbers. */
static void allow_units(kan_cell_part *part, double lo, double hi, double per_unit) {
    const double n = hi - lo + 1;
    part->n_allowed += n;
    part->n_valued += n;
    part->sum += (lo + hi) / 2 * n / per_unit;
    part->least = fmin(part->least, lo / per_unit);
    part->greatest = fmax(part->greatest, hi / per_unit);
}

/* The whole units that the bounds of a filter leave. */
static kan_unit_range find_bounds(const kan_value_column *values, const kan_filter *filter) {
    const double lo = kan_value_units(values, filter->lo), hi = kan_value_units(values, filter->hi);
    return (kan_unit_range){.lo = filter->lo_is_open ? floor(lo) + 1 : ceil(lo),
                            .hi = filter->hi_is_open ? ceil(hi) - 1 : floor(hi)};
}

static void cut_range(const kan_unit_range *range, const kan_value_column *values,
                      const kan_filter *filter, const kan_unit_range *bounds, kan_cell_part *part) {
    const double lo = fmax(range->lo, bounds->lo), hi = fmin(range->hi, bounds->hi);
    part->n += range->hi - range->lo + 1;
    part->n_known += range->hi - range->lo + 1;
    if (!filter->has_list) {
        if (lo <= hi)
            allow_units(part, lo, hi, values->per_unit);
        return;
    }
    for (size_t i = 0; i < filter->n_list; i++) {
        const double units = kan_value_units(values, filter->list[i]);
        if (units >= range->lo && units <= range->hi && units == nearbyint(units))
            allow_units(part, units, units, values->per_unit);
    }
}

void kan_released_cells_filter(const kan_released_cells *cells, const kan_value_column *values,
                               const kan_filter *filter, kan_cell_part *parts) {
    const kan_unit_range bounds = find_bounds(values, filter);
    for (uint32_t cell = 0; cell < cells->n; cell++)
        parts[cell] = (kan_cell_part){.least = INFINITY, .greatest = -INFINITY};
    for (size_t i = 0; i < cells->n_runs; i++)
        cut_run(&cells->runs[i], values, filter, &parts[cells->runs[i].cell]);
    for (size_t i = 0; i < cells->n_ranges; i++)
        cut_range(&cells->ranges[i], values, filter, &bounds, &parts[cells->ranges[i].cell]);
    for (size_t i = 0; i < cells->n_points; i++)
        add_number(&parts[cells->points[i].cell], cells->points[i].number,
                   kan_filter_allows_number(filter, cells->points[i].number));
}

/* Mondrian as one would write it down: see plain_mondrian.h. */
#include "support/plain_mondrian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *take(size_t n, size_t size) {
    void *memory = calloc(n + 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- rows ----------------------------------------------------------------------------------- */

typedef struct {
    const region_problem *problem;
    const plain_plan *plan;
    plain_regions *out;
} maker;

bool plain_is_allowed(const region_problem *problem, const plain_plan *plan, const size_t *rows,
                      size_t n) {
    return n >= plan->k && (!plan->passes || plan->passes(plan->context, problem, rows, n));
}

bool plain_has_values(const void *context, const region_problem *problem, const size_t *rows,
                      size_t n) {
    uint64_t n_values = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = problem->values[0][rows[j]] != problem->values[0][rows[i]];
        n_values += is_new;
    }
    return n_values >= *(const uint64_t *)context;
}

bool plain_has_multiple(const void *context, const region_problem *problem, const size_t *rows,
                        size_t n) {
    (void)problem;
    (void)rows;
    return n % *(const uint64_t *)context == 0;
}

unsigned plain_cover(const region_axis *axis, const size_t *rows, size_t n) {
    for (unsigned level = 0;; level++) {
        bool is_one = true;
        for (size_t i = 1; i < n && is_one; i++)
            is_one =
                axis->node[level][axis->leaf[rows[i]]] == axis->node[level][axis->leaf[rows[0]]];
        if (is_one)
            return level;
    }
}

plain_cutting plain_cutting_of(const plain_plan *plan, const region_axis *axis) {
    const char *name = plan->categories;
    const bool is_tree = axis->has_tree && axis->height > 1;
    if (axis->kind == REGION_NUMBERS || axis->kind == REGION_DATES)
        return PLAIN_VALUES;
    if (!name)
        name = strcmp(plan->split, "cost") == 0 && !plan->is_relaxed ? "any"
               : strcmp(plan->split, "workload") == 0                ? "order"
                                                                     : "tree";
    if (strcmp(name, "tree") == 0)
        return is_tree ? PLAIN_TREE : PLAIN_ORDER;
    return strcmp(name, "any") == 0 && !plan->is_relaxed && !plan->is_global ? PLAIN_ANY
                                                                             : PLAIN_ORDER;
}

/* ---- places of a region --------------------------------------------------------------------- */

typedef struct {
    uint32_t n;
    uint32_t *place; /* ascending, distinct */
    size_t *rows;    /* how many */
} place_list;

static int compare_places(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static place_list list_places(const region_axis *axis, const size_t *rows, size_t n) {
    place_list list = {0, take(n, sizeof *list.place), take(n, sizeof *list.rows)};
    uint32_t *sorted = take(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = axis->place[rows[i]];
    qsort(sorted, n, sizeof *sorted, compare_places);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || sorted[i] != sorted[i - 1])
            list.place[list.n++] = sorted[i];
        list.rows[list.n - 1]++;
    }
    free(sorted);
    return list;
}

static void free_list(place_list *list) {
    free(list->place);
    free(list->rows);
}

/* ---- a cut ---------------------------------------------------------------------------------- */

/* Parts by row: part[i] of rows[i]. */
typedef struct {
    unsigned axis, n_parts; /* 0: there is none */
    uint32_t place;         /* cuts at a place: the last of the first part */
    unsigned level;         /* nodes: the level of the parts */
    uint32_t *part;         /* NULL, or n of them */
    double gain;
    size_t uneven;
} plain_cut;

static size_t count_part(const uint32_t *part, size_t n, uint32_t wanted) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += part[i] == wanted;
    return count;
}

static size_t *rows_of_part(const size_t *rows, const uint32_t *part, size_t n, uint32_t wanted,
                            size_t *n_out) {
    size_t *out = take(n, sizeof *out);
    *n_out = 0;
    for (size_t i = 0; i < n; i++)
        if (part[i] == wanted)
            out[(*n_out)++] = rows[i];
    return out;
}

static bool parts_are_allowed(const maker *m, const plain_region *region, const uint32_t *part,
                              unsigned n_parts) {
    bool is_allowed = true;
    for (uint32_t p = 0; p < n_parts && is_allowed; p++)
        is_allowed = count_part(part, region->n, p) >= m->plan->k;
    for (uint32_t p = 0; p < n_parts && is_allowed && m->plan->passes; p++) {
        size_t n;
        size_t *rows = rows_of_part(region->rows, part, region->n, p, &n);
        is_allowed = plain_is_allowed(m->problem, m->plan, rows, n);
        free(rows);
    }
    return is_allowed;
}

static size_t difference(size_t a, size_t b) {
    return a > b ? a - b : b - a;
}

static void take_cut(plain_cut *best, const plain_cut *cut, size_t n) {
    uint32_t *part = best->part ? best->part : take(n, sizeof *part);
    memcpy(part, cut->part, n * sizeof *part);
    *best = *cut;
    best->part = part;
}

/* The parts of the cut behind `place`. */
static void part_at(const region_axis *axis, const plain_region *region, uint32_t place,
                    uint32_t *part) {
    for (size_t i = 0; i < region->n; i++)
        part[i] = axis->place[region->rows[i]] > place;
}

/* Halves: rows at the median go to the left, in their order, until it has its half. */
static uint32_t part_in_half(const region_axis *axis, const plain_region *region, uint32_t *part) {
    const place_list list = list_places(axis, region->rows, region->n);
    size_t up_to = 0, left = region->n - region->n / 2;
    uint32_t median = 0;
    for (uint32_t i = 0; i < list.n && up_to < left; i++) {
        median = list.place[i];
        up_to += list.rows[i];
    }
    for (size_t i = 0; i < region->n; i++)
        if (axis->place[region->rows[i]] < median)
            left--;
    for (size_t i = 0; i < region->n; i++) {
        const uint32_t place = axis->place[region->rows[i]];
        part[i] = place > median || (place == median && left == 0);
        left -= place == median && left > 0;
    }
    free(list.place);
    free(list.rows);
    return median;
}

/* The children of the node that covers the region, numbered in their order. */
static unsigned part_by_child(const region_axis *axis, const plain_region *region, uint32_t *part,
                              unsigned *level) {
    const place_list list = list_places(axis, region->rows, region->n);
    uint32_t *child = take(axis->n_places, sizeof *child);
    unsigned n_parts = 0;
    *level = plain_cover(axis, region->rows, region->n) - 1;
    for (uint32_t i = 0; i < list.n; i++) {
        const uint32_t *node = axis->node[*level];
        n_parts += i == 0 || node[axis->first_leaf[list.place[i]]] !=
                                 node[axis->first_leaf[list.place[i - 1]]];
        child[list.place[i]] = n_parts - 1;
    }
    for (size_t i = 0; i < region->n; i++)
        part[i] = child[axis->place[region->rows[i]]];
    free(child);
    free(list.place);
    free(list.rows);
    return n_parts;
}

/* ---- by score ------------------------------------------------------------------------------- */

static double width_of(const maker *m, unsigned a, const plain_region *region) {
    const region_axis *axis = &m->problem->axes[a];
    place_list list = list_places(axis, region->rows, region->n);
    double width = axis->position[list.place[list.n - 1]] - axis->position[list.place[0]];
    if (plain_cutting_of(m->plan, axis) == PLAIN_TREE)
        width =
            axis->share[plain_cover(axis, region->rows, region->n)][axis->leaf[region->rows[0]]];
    free_list(&list);
    return width;
}

static double entropy_of(const maker *m, unsigned a, const plain_region *region) {
    const region_axis *axis = &m->problem->axes[a];
    place_list list = list_places(axis, region->rows, region->n);
    double sum = 0;
    for (uint32_t i = 0; i < list.n; i++)
        sum += (double)list.rows[i] * log((double)list.rows[i]);
    const bool is_one = list.n == 1;
    free_list(&list);
    return is_one
               ? 0
               : (log((double)region->n) - sum / (double)region->n) / log((double)axis->n_places);
}

/* Whether two scores differ by no more than rounding. */
static bool are_close(double a, double b) {
    return a != b && fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

/* The most even of the cuts that were not tried: the number of the last place on its left, list.n
 * when there is none that leaves k rows on both sides. Of equally even ones the last. */
static uint32_t most_even(const maker *m, const place_list *list, const bool *is_tried, size_t n) {
    uint32_t best = list->n;
    size_t left = 0, least = SIZE_MAX;
    for (uint32_t i = 0; i + 1 < list->n; i++) {
        left += list->rows[i];
        if (is_tried[i] || left < m->plan->k || n - left < m->plan->k ||
            difference(left, n - left) > least)
            continue;
        least = difference(left, n - left);
        best = i;
    }
    return best;
}

/* The allowed cut that divides most evenly, with more rows on the left where two do. */
static void cut_evenly(const maker *m, unsigned a, const plain_region *region, plain_cut *best) {
    const region_axis *axis = &m->problem->axes[a];
    place_list list = list_places(axis, region->rows, region->n);
    bool *is_tried = take(list.n, sizeof *is_tried);
    plain_cut cut = {.axis = a, .n_parts = 2, .part = take(region->n, sizeof *cut.part)};
    uint32_t i;
    while (best->n_parts == 0 && (i = most_even(m, &list, is_tried, region->n)) < list.n) {
        is_tried[i] = true;
        cut.place = list.place[i];
        part_at(axis, region, cut.place, cut.part);
        if (parts_are_allowed(m, region, cut.part, 2))
            take_cut(best, &cut, region->n);
    }
    free(cut.part);
    free(is_tried);
    free_list(&list);
}

static void cut_axis(const maker *m, unsigned a, const plain_region *region, plain_cut *best) {
    const region_axis *axis = &m->problem->axes[a];
    plain_cut cut = {.axis = a, .n_parts = 2};
    if (plain_cutting_of(m->plan, axis) != PLAIN_TREE && !m->plan->is_relaxed) {
        cut_evenly(m, a, region, best);
        return;
    }
    cut.part = take(region->n, sizeof *cut.part);
    if (plain_cutting_of(m->plan, axis) == PLAIN_TREE)
        cut.n_parts = part_by_child(axis, region, cut.part, &cut.level);
    else
        cut.place = part_in_half(axis, region, cut.part);
    if (parts_are_allowed(m, region, cut.part, cut.n_parts))
        take_cut(best, &cut, region->n);
    free(cut.part);
}

static bool has_several(const region_axis *axis, const plain_region *region) {
    for (size_t i = 1; i < region->n; i++)
        if (axis->place[region->rows[i]] != axis->place[region->rows[0]])
            return true;
    return false;
}

/* Whether axis a comes before b where nothing else decides. */
static bool is_coarser(const region_problem *problem, unsigned a, unsigned b) {
    const uint32_t n = problem->axes[a].n_places, other = problem->axes[b].n_places;
    return n != other ? n < other : a < b;
}

/* Whether a choice may take the axis: any, or by its use for the purpose. */
typedef enum { ALL_AXES, USED_AXES, OTHER_AXES } axes_wanted;

static bool is_wanted(const maker *m, unsigned a, axes_wanted wanted) {
    return wanted == ALL_AXES || m->plan->purpose->is_used[a] == (wanted == USED_AXES);
}

static void choose_by_score(maker *m, const plain_region *region, axes_wanted wanted,
                            plain_cut *best) {
    const unsigned n = m->problem->n_attributes;
    double score[REGION_ATTRIBUTES];
    bool is_done[REGION_ATTRIBUTES] = {false};
    for (unsigned a = 0; a < n; a++)
        score[a] = strcmp(m->plan->split, "entropy") == 0 ? entropy_of(m, a, region)
                                                          : width_of(m, a, region);
    for (unsigned a = 0; a < n; a++)
        is_done[a] = !is_wanted(m, a, wanted);
    for (unsigned round = 0; round < n && best->n_parts == 0; round++) {
        unsigned next = n;
        for (unsigned a = 0; a < n; a++)
            if (!is_done[a] && (next == n || score[a] > score[next] ||
                                (score[a] == score[next] && is_coarser(m->problem, a, next))))
                next = a;
        if (next == n)
            return;
        for (unsigned a = 0; a < n; a++)
            m->out->is_close |= !is_done[a] && are_close(score[a], score[next]);
        is_done[next] = true;
        if (has_several(&m->problem->axes[next], region))
            cut_axis(m, next, region, best);
    }
}

/* ---- by gain -------------------------------------------------------------------------------- */

static double loss_of_axis(const maker *m, const region_axis *axis, const size_t *rows, size_t n) {
    const plain_cutting cutting = plain_cutting_of(m->plan, axis);
    const unsigned level = plain_cover(axis, rows, n);
    if (m->plan->cost == &kan_cost_precision)
        return axis->weight / axis->height * level;
    if (m->plan->cost == &kan_cost_distortion)
        return axis->weight * level;
    if (cutting == PLAIN_TREE)
        return axis->weight * axis->share[level][axis->leaf[rows[0]]];
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t place = axis->place[rows[i]];
        low = place < low ? place : low;
        high = place > high ? place : high;
    }
    if (cutting == PLAIN_VALUES)
        return axis->weight * (axis->position[high] - axis->position[low]);
    if (m->plan->counts_bounds)
        return axis->weight * ((double)(high - low + 1) / axis->n_places);
    place_list list = list_places(axis, rows, n);
    const double share = (double)list.n / axis->n_places;
    free_list(&list);
    return axis->weight * share;
}

static double loss_of(const maker *m, const size_t *rows, size_t n) {
    double loss = 0;
    for (unsigned a = 0; a < m->problem->n_attributes; a++) {
        const region_axis *axis = &m->problem->axes[a];
        bool is_one = true;
        for (size_t i = 1; i < n && is_one; i++)
            is_one = axis->place[rows[i]] == axis->place[rows[0]];
        if (!is_one)
            loss += loss_of_axis(m, axis, rows, n);
    }
    return loss;
}

static double majority_of(const maker *m, const size_t *rows, size_t n) {
    const uint32_t *class = m->problem->values[m->problem->class_tail];
    size_t most = 0, n_classes = 0;
    for (size_t i = 0; i < n; i++)
        n_classes = class[rows[i]] >= n_classes ? (size_t) class[rows[i]] + 1 : n_classes;
    size_t *same = take(n_classes, sizeof *same);
    for (size_t i = 0; i < n; i++) {
        same[class[rows[i]]]++;
        most = same[class[rows[i]]] > most ? same[class[rows[i]]] : most;
    }
    free(same);
    return (double)most;
}

static bool counts_cells(const plain_plan *plan) {
    return plan->cost == &kan_cost_ncp || plan->cost == &kan_cost_precision ||
           plan->cost == &kan_cost_distortion;
}

/* The code of the class of a row. */
static uint32_t class_of(const maker *m, size_t row) {
    const kan_space *space = &m->problem->made.problem.space;
    const unsigned d = space->n_attributes + (unsigned)m->problem->class_tail;
    return kan_column_code(space->dimensions[d].column, row);
}

/* x log2 x in steps of 1/65536. */
static double steps_of(size_t x) {
    return x < 2 ? 0 : (double)llround((double)x * log2((double)x) * 65536);
}

static size_t count_class(const maker *m, const size_t *rows, size_t n, uint32_t class) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += class_of(m, rows[i]) == class;
    return count;
}

static double lack_of(const maker *m, const size_t *rows, size_t n) {
    double lack = steps_of(n);
    for (size_t i = 0; i < n; i++) {
        bool is_first = true;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = class_of(m, rows[j]) != class_of(m, rows[i]);
        if (is_first)
            lack -= steps_of(count_class(m, rows, n, class_of(m, rows[i])));
    }
    return lack;
}

static bool is_like(const maker *m, const plain_region *region, const size_t *rows, size_t n) {
    for (size_t i = 0; i < region->n; i++) {
        const uint32_t class = class_of(m, region->rows[i]);
        if (count_class(m, rows, n, class) * region->n !=
            count_class(m, region->rows, region->n, class) * n)
            return false;
    }
    return true;
}

/* The known numbers of rows, and their sum. */
static int64_t sum_of(const maker *m, const size_t *rows, size_t n, int64_t *known) {
    int64_t sum = 0;
    *known = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t step = m->plan->purpose->steps[class_of(m, rows[i])];
        sum += step == KAN_PURPOSE_UNKNOWN ? 0 : step;
        *known += step != KAN_PURPOSE_UNKNOWN;
    }
    return sum;
}

static double square_of(const maker *m, const plain_region *region, const size_t *rows, size_t n) {
    int64_t n_all, n_part;
    const int64_t all = sum_of(m, region->rows, region->n, &n_all);
    const int64_t part = sum_of(m, rows, n, &n_part);
    const double off = (double)(n_all * part - n_part * all);
    return n_part > 0 ? off / (double)n_part * off : 0;
}

/* What is told of the outcome. */
static double outcome_gain_of(const maker *m, const plain_region *region, const uint32_t *part,
                              unsigned n_parts) {
    bool are_like = true;
    double lack = 0, squares = 0;
    for (uint32_t p = 0; p < n_parts; p++) {
        size_t n;
        size_t *rows = rows_of_part(region->rows, part, region->n, p, &n);
        if (m->plan->purpose->steps) {
            squares += square_of(m, region, rows, n);
        } else {
            lack += lack_of(m, rows, n);
            are_like = are_like && is_like(m, region, rows, n);
        }
        free(rows);
    }
    if (m->plan->purpose->steps)
        return squares;
    return are_like ? 0 : lack_of(m, region->rows, region->n) - lack;
}

static bool has_purpose(const maker *m) {
    return strcmp(m->plan->split, "purpose") == 0;
}

/* What the parts gain; `part` says which part a row counts with. */
static double gain_of(const maker *m, const plain_region *region, const uint32_t *part,
                      unsigned n_parts) {
    double gain = 0;
    if (has_purpose(m))
        return outcome_gain_of(m, region, part, n_parts);
    if (counts_cells(m->plan))
        gain = (double)region->n * loss_of(m, region->rows, region->n);
    for (uint32_t p = 0; p < n_parts; p++) {
        size_t n;
        size_t *rows = rows_of_part(region->rows, part, region->n, p, &n);
        if (counts_cells(m->plan))
            gain -= (double)n * loss_of(m, rows, n);
        else if (m->plan->cost == &kan_cost_classification)
            gain += majority_of(m, rows, n);
        else
            gain += (double)n * (double)(region->n - n) / 2;
        free(rows);
    }
    return gain;
}

static void offer(maker *m, const plain_region *region, plain_cut *cut, double gain,
                  plain_cut *best) {
    const size_t left = count_part(cut->part, region->n, 0);
    cut->gain = gain;
    cut->uneven = difference(left, region->n - left);
    if ((has_purpose(m) && !(gain > 0)) || !parts_are_allowed(m, region, cut->part, cut->n_parts))
        return;
    if (best->n_parts > 0) {
        m->out->is_close |= are_close(gain, best->gain);
        if (gain < best->gain || (gain == best->gain && cut->uneven >= best->uneven))
            return;
    }
    take_cut(best, cut, region->n);
}

static void try_places(maker *m, unsigned a, const plain_region *region, plain_cut *best) {
    const region_axis *axis = &m->problem->axes[a];
    place_list list = list_places(axis, region->rows, region->n);
    plain_cut cut = {.axis = a, .n_parts = 2, .part = take(region->n, sizeof *cut.part)};
    size_t left = 0;
    for (uint32_t i = 0; i + 1 < list.n; i++) {
        cut.place = list.place[i];
        left += list.rows[i];
        if (left < m->plan->k || region->n - left < m->plan->k)
            continue;
        part_at(axis, region, list.place[i], cut.part);
        offer(m, region, &cut, gain_of(m, region, cut.part, 2), best);
    }
    free(cut.part);
    free_list(&list);
}

/* The mean outcome of the rows at a place, in whole steps, or 0; or the share of the class that is most
 * frequent in the region, in whole parts of 2^32 - 1. */
static uint64_t outcome_at(const maker *m, unsigned a, const plain_region *region, uint32_t place) {
    const region_axis *axis = &m->problem->axes[a];
    uint32_t most = UINT32_MAX;
    size_t n = 0, n_most = 0;
    size_t *rows = take(region->n, sizeof *rows);
    int64_t known, sum;
    for (size_t i = 0; i < region->n; i++)
        if (axis->place[region->rows[i]] == place)
            rows[n++] = region->rows[i];
    for (size_t i = 0; i < region->n && !m->plan->purpose->steps; i++) {
        const uint32_t class = class_of(m, region->rows[i]);
        const size_t count = count_class(m, region->rows, region->n, class);
        if (count > n_most || (count == n_most && class < most)) {
            n_most = count;
            most = class;
        }
    }
    if (m->plan->purpose->steps)
        sum = sum_of(m, rows, n, &known);
    else {
        sum = (int64_t)count_class(m, rows, n, most) * UINT32_MAX;
        known = (int64_t)n;
    }
    free(rows);
    return known > 0 ? (uint64_t)(sum / known) : 0;
}

/* The values of the lowest outcomes against the others; of equal ones the first. */
static void try_outcomes(maker *m, unsigned a, const plain_region *region, plain_cut *best) {
    const region_axis *axis = &m->problem->axes[a];
    place_list list = list_places(axis, region->rows, region->n);
    plain_cut cut = {.axis = a, .n_parts = 2, .part = take(region->n, sizeof *cut.part)};
    uint64_t *outcome = take(list.n, sizeof *outcome);
    for (uint32_t i = 0; i < list.n; i++)
        outcome[i] = outcome_at(m, a, region, list.place[i]);
    for (size_t i = 0; i < region->n; i++)
        cut.part[i] = 1;
    for (uint32_t n_left = 1; n_left < list.n && list.n > 2; n_left++) {
        uint32_t least = 0;
        for (uint32_t i = 0; i < list.n; i++)
            if (outcome[i] < outcome[least])
                least = i;
        for (size_t i = 0; i < region->n; i++)
            if (axis->place[region->rows[i]] == list.place[least])
                cut.part[i] = 0;
        outcome[least] = UINT64_MAX;
        offer(m, region, &cut, gain_of(m, region, cut.part, 2), best);
    }
    free(outcome);
    free(cut.part);
    free_list(&list);
}

/* The most frequent values against the others; of equally frequent ones the first. */
static void try_frequent(maker *m, unsigned a, const plain_region *region, plain_cut *best) {
    const region_axis *axis = &m->problem->axes[a];
    place_list list = list_places(axis, region->rows, region->n);
    plain_cut cut = {.axis = a, .n_parts = 2, .part = take(region->n, sizeof *cut.part)};
    for (size_t i = 0; i < region->n; i++)
        cut.part[i] = 1;
    for (uint32_t n_left = 1; n_left < list.n && list.n > 2; n_left++) {
        uint32_t most = 0;
        for (uint32_t i = 0; i < list.n; i++)
            if (list.rows[i] > list.rows[most])
                most = i;
        for (size_t i = 0; i < region->n; i++)
            if (axis->place[region->rows[i]] == list.place[most])
                cut.part[i] = 0;
        list.rows[most] = 0;
        offer(m, region, &cut, gain_of(m, region, cut.part, 2), best);
    }
    free(cut.part);
    free_list(&list);
}

/* Cells are counted as the halves will have them. Whatever else is gained is that of the cut behind
 * the median: of halves it would be the same for every column. */
static void try_half(maker *m, unsigned a, const plain_region *region, plain_cut *best) {
    const region_axis *axis = &m->problem->axes[a];
    plain_cut cut = {.axis = a, .n_parts = 2, .part = take(region->n, sizeof *cut.part)};
    uint32_t *counted = take(region->n, sizeof *counted);
    double gain;
    cut.place = part_in_half(axis, region, cut.part);
    part_at(axis, region, cut.place, counted);
    const size_t left = count_part(counted, region->n, 0);
    if (counts_cells(m->plan) && !has_purpose(m)) {
        /* both halves are taken to have all that stands at the median */
        size_t n_first, n_second;
        for (size_t i = 0; i < region->n; i++)
            counted[i] = axis->place[region->rows[i]] < cut.place ? 1 : 0;
        size_t *second = rows_of_part(region->rows, counted, region->n, 0, &n_second);
        part_at(axis, region, cut.place, counted);
        size_t *first = rows_of_part(region->rows, counted, region->n, 0, &n_first);
        const size_t half = region->n - region->n / 2;
        gain = (double)region->n * loss_of(m, region->rows, region->n) -
               (double)half * loss_of(m, first, n_first) -
               (double)(region->n - half) * loss_of(m, second, n_second);
        free(first);
        free(second);
    } else if (!has_purpose(m) && m->plan->cost != &kan_cost_classification && left == region->n) {
        gain = (double)(region->n - 1);
    } else {
        gain = gain_of(m, region, counted, 2);
    }
    offer(m, region, &cut, gain, best);
    free(counted);
    free(cut.part);
}

static void try_children(maker *m, unsigned a, const plain_region *region, plain_cut *best) {
    plain_cut cut = {.axis = a, .part = take(region->n, sizeof *cut.part)};
    cut.n_parts = part_by_child(&m->problem->axes[a], region, cut.part, &cut.level);
    offer(m, region, &cut, gain_of(m, region, cut.part, cut.n_parts), best);
    free(cut.part);
}

/* The axes from the one with the fewest places on. */
static unsigned axis_after(const region_problem *problem, bool *is_done) {
    unsigned next = problem->n_attributes;
    for (unsigned a = 0; a < problem->n_attributes; a++)
        if (!is_done[a] && (next == problem->n_attributes || is_coarser(problem, a, next)))
            next = a;
    is_done[next] = true;
    return next;
}

static void choose_by_gain(maker *m, const plain_region *region, axes_wanted wanted,
                           plain_cut *best) {
    bool is_done[REGION_ATTRIBUTES] = {false};
    for (unsigned round = 0; round < m->problem->n_attributes; round++) {
        const unsigned a = axis_after(m->problem, is_done);
        const plain_cutting cutting = plain_cutting_of(m->plan, &m->problem->axes[a]);
        if (!has_several(&m->problem->axes[a], region) || !is_wanted(m, a, wanted))
            continue;
        if (cutting == PLAIN_TREE)
            try_children(m, a, region, best);
        else if (m->plan->is_relaxed)
            try_half(m, a, region, best);
        else
            try_places(m, a, region, best);
        if (cutting == PLAIN_ANY && has_purpose(m))
            try_outcomes(m, a, region, best);
        else if (cutting == PLAIN_ANY)
            try_frequent(m, a, region, best);
    }
}

/* What tells the outcome apart, else the widest of the axes that the model uses, else of the others. */
static void choose_for(maker *m, const plain_region *region, plain_cut *best) {
    choose_by_gain(m, region, USED_AXES, best);
    if (best->n_parts == 0)
        choose_by_score(m, region, USED_AXES, best);
    if (best->n_parts == 0)
        choose_by_score(m, region, OTHER_AXES, best);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void cut_bound(const maker *m, const plain_cut *cut, unsigned p, const plain_region *part,
                      plain_bound *bound) {
    if (plain_cutting_of(m->plan, &m->problem->axes[cut->axis]) == PLAIN_TREE) {
        bound->level = cut->level;
        bound->leaf = m->problem->axes[cut->axis].leaf[part->rows[0]];
    } else if (p == 0) {
        bound->high = cut->place;
    } else {
        bound->low = cut->place + (m->plan->is_relaxed ? 0 : 1);
    }
}

/* Takes over the rows of the region. */
static void cut_region(maker *m, const plain_region *region) {
    plain_cut best = {.n_parts = 0};
    if (has_purpose(m))
        choose_for(m, region, &best);
    else if (strcmp(m->plan->split, "cost") == 0)
        choose_by_gain(m, region, ALL_AXES, &best);
    else
        choose_by_score(m, region, ALL_AXES, &best);
    if (best.n_parts == 0) {
        plain_regions *out = m->out;
        if (out->n == out->room) {
            out->room = out->room * 2 + 8;
            out->regions = realloc(out->regions, out->room * sizeof *out->regions);
            assert_non_null(out->regions);
        }
        out->regions[out->n++] = *region;
        return;
    }
    for (unsigned p = 0; p < best.n_parts; p++) {
        plain_region part = *region;
        part.rows = rows_of_part(region->rows, best.part, region->n, p, &part.n);
        cut_bound(m, &best, p, &part, &part.bounds[best.axis]);
        cut_region(m, &part);
    }
    free(region->rows);
    free(best.part);
}

void plain_mondrian(const region_problem *problem, const plain_plan *plan, plain_regions *out) {
    maker m = {problem, plan, out};
    plain_region all = {.n = problem->n_rows};
    *out = (plain_regions){.n = 0};
    if (!plain_is_allowed(problem, plan, problem->rows, problem->n_rows))
        return;
    all.rows = take(all.n, sizeof *all.rows);
    memcpy(all.rows, problem->rows, all.n * sizeof *all.rows);
    for (unsigned a = 0; a < problem->n_attributes; a++)
        all.bounds[a] =
            (plain_bound){.high = problem->axes[a].n_places - 1, .level = problem->axes[a].height};
    cut_region(&m, &all);
}

void plain_regions_destroy(plain_regions *regions) {
    for (size_t r = 0; r < regions->n; r++)
        free(regions->regions[r].rows);
    free(regions->regions);
}

/* ---- purposes ------------------------------------------------------------------------------- */

void plain_purpose_make(const region_problem *problem, uint64_t *random, plain_purpose *out) {
    static const uint32_t most[] = {1, 5, 1000, KAN_PURPOSE_STEPS};
    const uint32_t limit = most[kan_random_below(random, 4)];
    const uint64_t unknown = kan_random_below(random, 3);
    *out = (plain_purpose){.steps = NULL};
    for (unsigned a = 0; a < problem->n_attributes; a++)
        out->purpose.is_used[a] = kan_random_below(random, 3) > 0;
    if (problem->class_tail == KAN_NO_TAIL || kan_random_below(random, 2))
        return;
    const kan_space *space = &problem->made.problem.space;
    const kan_column *column =
        space->dimensions[space->n_attributes + (unsigned)problem->class_tail].column;
    out->steps = take(column->dictionary.n, sizeof *out->steps);
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        out->steps[code] = kan_random_below(random, 8) < unknown
                               ? KAN_PURPOSE_UNKNOWN
                               : (uint32_t)kan_random_below(random, (uint64_t)limit + 1);
    out->purpose.steps = out->steps;
}

void plain_purpose_destroy(plain_purpose *purpose) {
    free(purpose->steps);
    *purpose = (plain_purpose){.steps = NULL};
}

/* The classes: see set_enum_classes.h.
 *
 * A value has one place, or, as a node of a hierarchy, several: these are cut one after the other.
 * A cut looks at the first tuple of each class, which says whether the class lies in the interval
 * that is cut, and passes once over those that do. Taking back costs a step for each split. */
#include "search/set_enum/set_enum_classes.h"

#include <string.h>

enum { WORK_PER_LOOK = 1 << 16 };

kan_status kan_set_classes_make(const kan_cut_space *space, kan_set_classes *out) {
    kan_run *run = space->run;
    *out = (kan_set_classes){.space = space, .n = 1};
    KAN_TRY(kan_alloc(run, space->n_tuples, sizeof *out->order, &out->order));
    KAN_TRY(kan_alloc(run, space->n_tuples + 1, sizeof *out->classes, &out->classes));
    KAN_TRY(kan_alloc(run, space->n_tuples + 1, sizeof *out->came_off, &out->came_off));
    KAN_TRY(kan_alloc(run, space->n_classes, sizeof *out->sums, &out->sums));
    for (unsigned a = 0; a < space->n_attributes; a++) {
        KAN_TRY(kan_alloc_zero(run, space->n_places[a], sizeof *out->is_cut[a], &out->is_cut[a]));
        if (space->n_places[a] > 0)
            out->is_cut[a][0] = 1;
    }
    for (size_t t = 0; t < space->n_tuples; t++)
        out->order[t] = (uint32_t)t;
    out->classes[0] = (kan_set_class){.n = (uint32_t)space->n_tuples,
                                      .rows = (uint32_t)space->n_rows,
                                      .is_lost = space->n_rows < space->k};
    out->n_lost = out->classes[0].is_lost ? space->n_rows : 0;
    return KAN_OK;
}

void kan_set_classes_destroy(kan_set_classes *classes) {
    kan_run *run = classes->space->run;
    kan_free(run, classes->order);
    kan_free(run, classes->classes);
    kan_free(run, classes->came_off);
    kan_free(run, classes->sums);
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES; a++)
        kan_free(run, classes->is_cut[a]);
}

bool kan_set_classes_tick(kan_set_classes *classes, uint64_t n_tuples) {
    classes->work += n_tuples + 1;
    if (classes->work >= WORK_PER_LOOK) {
        classes->work = 0;
        classes->is_over = classes->is_over || kan_should_stop(classes->space->run);
    }
    return classes->is_over;
}

/* ---- splitting ------------------------------------------------------------------------------ */

/* Which classes a cut splits, and what becomes of the parts. */
typedef struct {
    uint64_t least_rows; /* of a class to be split */
    uint64_t k;          /* parts below it are lost; 0: none is */
} split_rule;

/* Moves the tuples below the place to the front; how many they are, and how many rows. */
static uint32_t divide(kan_set_classes *classes, const kan_set_class *whole, unsigned a,
                       uint32_t place, uint32_t *rows_below) {
    const uint32_t *places = classes->space->places[a], *rows = classes->space->rows;
    uint32_t *tuples = classes->order + whole->first;
    uint32_t low = 0, high = whole->n, sum = 0;
    while (low < high) {
        const uint32_t tuple = tuples[low];
        if (places[tuple] < place) {
            sum += rows[tuple];
            low++;
        } else {
            tuples[low] = tuples[--high];
            tuples[high] = tuple;
        }
    }
    *rows_below = sum;
    return low;
}

static void set_lost(kan_set_classes *classes, kan_set_class *part, bool is_lost) {
    part->is_lost = is_lost;
    classes->n_lost += is_lost ? part->rows : 0;
}

static void split_class(kan_set_classes *classes, uint32_t i, unsigned a, uint32_t place,
                        split_rule rule) {
    kan_set_class *left = &classes->classes[i];
    uint32_t rows_below;
    const uint32_t n_below = divide(classes, left, a, place, &rows_below);
    if (n_below == 0 || n_below == left->n)
        return;
    kan_set_class *right = &classes->classes[classes->n];
    *right = (kan_set_class){
        .first = left->first + n_below, .n = left->n - n_below, .rows = left->rows - rows_below};
    left->n = n_below;
    left->rows = rows_below;
    set_lost(classes, left, left->rows < rule.k);
    set_lost(classes, right, right->rows < rule.k);
    classes->came_off[classes->n++ - 1] = i;
}

/* The interval that the place is in, up to its end. */
static void find_interval(const kan_set_classes *classes, unsigned a, uint32_t place,
                          uint32_t *begin, uint32_t *end) {
    const uint8_t *is_cut = classes->is_cut[a];
    *begin = *end = place;
    while (!is_cut[*begin])
        --*begin;
    while (*end < classes->space->n_places[a] && !is_cut[*end])
        ++*end;
}

static void cut(kan_set_classes *classes, unsigned a, uint32_t place, split_rule rule) {
    const uint32_t *places = classes->space->places[a];
    const size_t n = classes->n;
    uint32_t begin, end;
    find_interval(classes, a, place, &begin, &end);
    for (size_t i = 0; i < n && !classes->is_over; i++) {
        const kan_set_class *here = &classes->classes[i];
        if (here->is_lost || here->rows < rule.least_rows || here->n < 2)
            continue;
        const uint32_t first = places[classes->order[here->first]];
        if (first < begin || first >= end)
            continue;
        kan_set_classes_tick(classes, here->n);
        split_class(classes, (uint32_t)i, a, place, rule);
    }
    classes->is_cut[a][place] = 1;
}

static void cut_all(kan_set_classes *classes, unsigned choice, split_rule rule) {
    const kan_choice *value = &classes->space->choices[choice];
    for (uint32_t i = 0; i < value->n_places; i++)
        cut(classes, value->attribute, value->places[i], rule);
}

void kan_set_classes_add(kan_set_classes *classes, unsigned choice) {
    const uint64_t k = classes->space->k;
    cut_all(classes, choice, (split_rule){.least_rows = k, .k = k});
}

void kan_set_classes_refine(kan_set_classes *classes, unsigned choice, uint64_t least_rows) {
    cut_all(classes, choice, (split_rule){.least_rows = least_rows});
}

void kan_set_classes_recover(kan_set_classes *classes, unsigned choice, size_t n) {
    const kan_choice *value = &classes->space->choices[choice];
    while (classes->n > n) {
        const kan_set_class *right = &classes->classes[--classes->n];
        kan_set_class *left = &classes->classes[classes->came_off[classes->n - 1]];
        classes->n_lost -= (left->is_lost ? left->rows : 0) + (right->is_lost ? right->rows : 0);
        left->n += right->n;
        left->rows += right->rows;
        left->is_lost = false; /* what is lost is never split */
    }
    for (uint32_t i = 0; i < value->n_places; i++)
        classes->is_cut[value->attribute][value->places[i]] = 0;
}

/* ---- the cost of the head (COMPUTE-COST) ------------------------------------------------------
 */

uint64_t kan_set_classes_minority(kan_set_classes *classes, size_t first, size_t n) {
    const kan_cut_space *space = classes->space;
    uint64_t *sums = classes->sums, all = 0, most = 0;
    memset(sums, 0, space->n_classes * sizeof *sums);
    for (size_t i = first; i < first + n; i++) {
        const uint32_t *rows = space->class_rows + (size_t)classes->order[i] * space->n_classes;
        for (unsigned value = 0; value < space->n_classes; value++)
            sums[value] += rows[value];
    }
    for (unsigned value = 0; value < space->n_classes; value++) {
        all += sums[value];
        most = sums[value] > most ? sums[value] : most;
    }
    return all - most;
}

uint64_t kan_set_classes_cost(kan_set_classes *classes) {
    const kan_cut_space *space = classes->space;
    uint64_t cost = classes->n_lost * kan_set_penalty(space);
    if (kan_set_is_refused(space, classes->n_lost))
        return UINT64_MAX;
    for (size_t i = 0; i < classes->n; i++) {
        const kan_set_class *here = &classes->classes[i];
        if (here->is_lost)
            continue;
        cost += space->cost == KAN_CUT_DISCERNIBILITY
                    ? (uint64_t)here->rows * here->rows
                    : kan_set_classes_minority(classes, here->first, here->n);
    }
    return cost;
}

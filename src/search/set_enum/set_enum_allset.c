/* Allsets: see set_enum_allset.h.
 *
 * The classes of an allset come about in one of two ways (6.3). For short tails the head's classes
 * are split by each value in turn, and the splits taken back. For longer ones the tuples of each
 * class of the head are sorted by their intervals: attribute by attribute, within the runs that the
 * attributes before have left, so that nothing is sorted further than the bound needs. For
 * discernibility a run of k rows or fewer is done: whatever becomes of it, each of its rows counts
 * k. For classification a run of one class value is. Either way: a few passes over the tuples that
 * the head releases. */
#include "search/set_enum/set_enum_allset.h"

#include <string.h>

enum {
    SPECIALIZE_MOST = 20, /* the paper's limit */
    INSERT_MOST = 24      /* up to here insertion sorts faster than counting */
};

#define KEEPS_PLACE UINT32_MAX

/* What lies in an interval. */
typedef struct kan_set_interval {
    uint32_t n; /* tuples; later the place of the next one */
    uint64_t rows;
} interval_count;

kan_status kan_set_allset_make(kan_set_classes *classes, kan_set_allset *out) {
    const kan_cut_space *space = classes->space;
    const size_t n = space->n_tuples;
    size_t most = 0;
    *out = (kan_set_allset){
        .classes = classes, .specialize_most = SPECIALIZE_MOST, .insert_most = INSERT_MOST};
    for (unsigned a = 0; a < space->n_attributes; a++) {
        KAN_TRY(kan_alloc(space->run, space->n_places[a], sizeof *out->number[a], &out->number[a]));
        most = space->n_places[a] > most ? space->n_places[a] : most;
    }
    for (unsigned a = 0; a < space->n_attributes; a++) {
        KAN_TRY(kan_alloc_zero(space->run, space->n_places[a], sizeof *out->place_rows[a],
                               &out->place_rows[a]));
        for (size_t t = 0; t < n; t++)
            out->place_rows[a][space->places[a][t]] += space->rows[t];
    }
    KAN_TRY(kan_alloc(space->run, n, sizeof *out->keys, &out->keys));
    KAN_TRY(kan_alloc(space->run, n, sizeof *out->moved_keys, &out->moved_keys));
    KAN_TRY(kan_alloc(space->run, n, sizeof *out->moved, &out->moved));
    KAN_TRY(kan_alloc(space->run, most + 1, sizeof *out->counts, &out->counts));
    if (space->cost == KAN_CUT_CLASSIFICATION)
        KAN_TRY(kan_alloc_zero(space->run, n, sizeof *out->weights, &out->weights));
    return KAN_OK;
}

void kan_set_allset_destroy(kan_set_allset *allset) {
    kan_run *run = allset->classes->space->run;
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES; a++) {
        kan_free(run, allset->number[a]);
        kan_free(run, allset->place_rows[a]);
    }
    kan_free(run, allset->keys);
    kan_free(run, allset->moved_keys);
    kan_free(run, allset->moved);
    kan_free(run, allset->counts);
    kan_free(run, allset->weights);
}

/* What a class of the allset contributes, that the head releases. */
static uint64_t weigh(kan_set_allset *allset, uint32_t first, uint32_t n, uint64_t rows) {
    kan_set_classes *classes = allset->classes;
    const uint64_t k = classes->space->k;
    if (classes->space->cost == KAN_CUT_DISCERNIBILITY)
        return rows * (rows > k ? rows : k);
    const uint64_t minority = kan_set_classes_minority(classes, first, n);
    for (uint32_t i = first; i < first + n; i++)
        allset->weights[classes->order[i]] = 0;
    allset->weights[classes->order[first]] = minority;
    return minority;
}

/* ---- by specialization ---------------------------------------------------------------------- */

static uint64_t bound_by_splits(kan_set_allset *allset, const kan_set_value *tail, size_t n) {
    kan_set_classes *classes = allset->classes;
    const kan_cut_space *space = classes->space;
    const uint64_t least = space->cost == KAN_CUT_DISCERNIBILITY ? space->k + 1 : 1;
    const size_t n_head = classes->n;
    uint64_t bound = 0;
    for (size_t i = 0; i < n; i++)
        kan_set_classes_refine(classes, tail[i].choice, least);
    for (size_t i = 0; i < classes->n && !classes->is_over; i++) {
        const kan_set_class *here = &classes->classes[i];
        if (!here->is_lost)
            bound += weigh(allset, here->first, here->n, here->rows);
    }
    for (size_t i = n; i-- > 0;)
        kan_set_classes_recover(classes, tail[i].choice, n_head);
    return bound;
}

/* ---- by sorting ----------------------------------------------------------------------------- */

/* Marks the places at which intervals of the allset begin. */
static void mark_intervals(kan_set_allset *allset, const kan_set_value *tail, size_t n) {
    const kan_set_classes *classes = allset->classes;
    const kan_cut_space *space = classes->space;
    for (unsigned a = 0; a < space->n_attributes; a++)
        for (uint32_t place = 0; place < space->n_places[a]; place++)
            allset->number[a][place] = classes->is_cut[a][place];
    for (size_t i = 0; i < n; i++) {
        const kan_choice *value = &space->choices[tail[i].choice];
        for (uint32_t j = 0; j < value->n_places; j++)
            allset->number[value->attribute][value->places[j]] = 1;
    }
}

/* Numbers the intervals of one attribute; false where they are the head's. *share says how well
 * they tell rows apart that the head does not: the sum of squares of their rows, as a share of that
 * of the head's intervals. */
static bool number_intervals(kan_set_allset *allset, unsigned a, double *share) {
    const uint8_t *is_cut = allset->classes->is_cut[a];
    uint32_t *number = allset->number[a], n = 0, n_head = 0;
    double rows = 0, head_rows = 0, squares = 0, head_squares = 0;
    for (uint32_t place = 0; place < allset->classes->space->n_places[a]; place++) {
        if (number[place]) {
            squares += rows * rows;
            rows = 0;
            n++;
        }
        if (is_cut[place]) {
            head_squares += head_rows * head_rows;
            head_rows = 0;
            n_head++;
        }
        number[place] = n;
        rows += allset->place_rows[a][place];
        head_rows += allset->place_rows[a][place];
    }
    *share = (squares + rows * rows) / (head_squares + head_rows * head_rows);
    return n > n_head;
}

/* Lists the attributes that the tail cuts, those first that tell most rows apart: it only matters
 * for how soon runs are small. */
static void order_attributes(kan_set_allset *allset) {
    double shares[KAN_MAX_ATTRIBUTES];
    unsigned n = 0;
    for (unsigned a = 0; a < allset->classes->space->n_attributes; a++) {
        double share;
        unsigned at = n;
        if (!number_intervals(allset, a, &share))
            continue;
        for (; at > 0 && shares[at - 1] > share; at--) {
            shares[at] = shares[at - 1];
            allset->attributes[at] = allset->attributes[at - 1];
        }
        shares[at] = share;
        allset->attributes[at] = a;
        n++;
    }
    allset->n_attributes = n;
}

static void sort_by_insertion(kan_set_allset *allset, uint32_t first, uint32_t n) {
    uint32_t *keys = allset->keys + first, *tuples = allset->classes->order + first;
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t key = keys[i], tuple = tuples[i];
        uint32_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
            tuples[at] = tuples[at - 1];
        }
        keys[at] = key;
        tuples[at] = tuple;
    }
}

/* Counts the tuples and the rows of each interval, and turns the counts into places. Intervals that
 * are done get none, KEEPS_PLACE; what they contribute is returned, and in *n_done their tuples. */
static uint64_t count_intervals(kan_set_allset *allset, uint32_t first, uint32_t n, uint32_t least,
                                uint32_t most, uint32_t *n_done) {
    const kan_cut_space *space = allset->classes->space;
    const uint32_t *keys = allset->keys + first, *tuples = allset->classes->order + first;
    const uint64_t k = space->k, done = space->cost == KAN_CUT_DISCERNIBILITY ? k : 0;
    interval_count *counts = allset->counts;
    uint64_t bound = 0;
    uint32_t sum = 0;
    *n_done = 0;
    memset(counts, 0, (most - least + 1) * sizeof *counts);
    for (uint32_t i = 0; i < n; i++) {
        counts[keys[i] - least].n++;
        counts[keys[i] - least].rows += space->rows[tuples[i]];
    }
    for (uint32_t interval = 0; interval <= most - least; interval++) {
        interval_count *here = &counts[interval];
        const uint32_t n_here = here->n;
        const bool is_done = here->rows <= done;
        here->n = is_done ? KEEPS_PLACE : sum;
        sum += is_done ? 0 : n_here;
        *n_done += is_done ? n_here : 0;
        bound += is_done ? here->rows * k : 0;
    }
    return bound;
}

/* Sorts a range; tuples of intervals that are done go to its front, in no order. */
static uint64_t sort_by_counting(kan_set_allset *allset, uint32_t first, uint32_t n, uint32_t least,
                                 uint32_t most, uint32_t *n_done) {
    uint32_t *keys = allset->keys + first, *tuples = allset->classes->order + first;
    const uint64_t bound = count_intervals(allset, first, n, least, most, n_done);
    uint32_t front = 0;
    if (*n_done == n)
        return bound;
    for (uint32_t i = 0; i < n; i++) {
        interval_count *to = &allset->counts[keys[i] - least];
        if (to->n == KEEPS_PLACE) {
            tuples[front++] = tuples[i];
        } else {
            allset->moved_keys[to->n] = keys[i];
            allset->moved[to->n++] = tuples[i];
        }
    }
    memcpy(keys + front, allset->moved_keys, (n - front) * sizeof *keys);
    memcpy(tuples + front, allset->moved, (n - front) * sizeof *tuples);
    return bound;
}

/* Finds the interval of each tuple of a range; false when it is the same for all. */
static bool find_keys(kan_set_allset *allset, uint32_t first, uint32_t n, unsigned a,
                      uint32_t *least, uint32_t *most) {
    const uint32_t *places = allset->classes->space->places[a], *number = allset->number[a];
    const uint32_t *tuples = allset->classes->order + first;
    uint32_t *keys = allset->keys + first;
    *least = UINT32_MAX;
    *most = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t key = number[places[tuples[i]]];
        keys[i] = key;
        *least = key < *least ? key : *least;
        *most = key > *most ? key : *most;
    }
    return *least < *most;
}

/* Whether further sorting changes nothing in what the range contributes. */
static bool is_done(kan_set_allset *allset, uint32_t first, uint32_t n, uint64_t rows) {
    const kan_cut_space *space = allset->classes->space;
    if (space->cost == KAN_CUT_DISCERNIBILITY)
        return n == 1 || rows <= space->k;
    return n == 1 ||
           (n <= allset->insert_most && kan_set_classes_minority(allset->classes, first, n) == 0);
}

/* What the classes of the allset contribute that lie in a range, in which the attributes before
 * number `from` are sorted out. As deep as there are attributes. */
static uint64_t bound_range(kan_set_allset *allset, uint32_t first, uint32_t n, uint64_t rows,
                            unsigned from) {
    const kan_cut_space *space = allset->classes->space;
    uint32_t least = 0, most = 0, n_done = 0;
    uint64_t bound = 0;
    const bool is_open = !is_done(allset, first, n, rows);
    bool is_split = false;
    while (is_open && !is_split && from < allset->n_attributes)
        is_split = find_keys(allset, first, n, allset->attributes[from++], &least, &most);
    if (!is_split)
        return weigh(allset, first, n, rows);
    if (n <= allset->insert_most)
        sort_by_insertion(allset, first, n);
    else
        bound = sort_by_counting(allset, first, n, least, most, &n_done);
    /* Keys stand by place in the order, so sorting a run leaves those of the next runs alone. */
    for (uint32_t run = first + n_done, end; run < first + n; run = end) {
        uint64_t rows_of_run = 0;
        for (end = run; end < first + n && allset->keys[end] == allset->keys[run]; end++)
            rows_of_run += space->rows[allset->classes->order[end]];
        if (kan_set_classes_tick(allset->classes, end - run))
            return bound;
        bound += bound_range(allset, run, end - run, rows_of_run, from);
    }
    return bound;
}

static uint64_t bound_by_sorting(kan_set_allset *allset, const kan_set_value *tail, size_t n) {
    const kan_set_classes *classes = allset->classes;
    uint64_t bound = 0;
    mark_intervals(allset, tail, n);
    order_attributes(allset);
    for (size_t i = 0; i < classes->n; i++) {
        const kan_set_class *here = &classes->classes[i];
        if (!here->is_lost)
            bound += bound_range(allset, here->first, here->n, here->rows, 0);
    }
    return bound;
}

uint64_t kan_set_allset_bound(kan_set_allset *allset, const kan_set_value *tail, size_t n) {
    const kan_set_classes *classes = allset->classes;
    const uint64_t lost = classes->n_lost * kan_set_penalty(classes->space);
    if (kan_set_is_refused(classes->space, classes->n_lost))
        return UINT64_MAX;
    return lost + (n <= allset->specialize_most ? bound_by_splits(allset, tail, n)
                                                : bound_by_sorting(allset, tail, n));
}

/* Tails: see set_enum_tail.h. The proofs are in docs/papers/k-optimize.md.
 *
 * Looking at a tail takes a pass over the tuples that the head releases for each attribute that the
 * tail cuts: the rows of a class are counted by place, and summed up, so that the parts that any
 * value makes of it are differences. Pruning takes a bound (search/set_enum/set_enum_allset.h) for
 * each round in which something was dropped. */
#include "search/set_enum/set_enum_tail.h"

#include <stdlib.h>
#include <string.h>

static void find_depths(kan_set_tail *tail) {
    const kan_cut_space *space = tail->classes->space;
    for (unsigned c = 0; c < space->n_choices; c++) {
        uint32_t depth = 0;
        for (int at = space->choices[c].parent; at >= 0; at = space->choices[at].parent)
            depth++;
        tail->depths[c] = depth;
        tail->most_depth = depth > tail->most_depth ? depth : tail->most_depth;
    }
}

kan_status kan_set_tail_make(kan_set_classes *classes, kan_set_allset *allset, kan_set_tail *out) {
    const kan_cut_space *space = classes->space;
    const unsigned n = space->n_choices;
    size_t most = 0;
    *out = (kan_set_tail){.classes = classes, .allset = allset};
    for (unsigned a = 0; a < space->n_attributes; a++)
        most = space->n_places[a] > most ? space->n_places[a] : most;
    KAN_TRY(kan_alloc_zero(space->run, n, sizeof *out->is_made, &out->is_made));
    KAN_TRY(kan_alloc_zero(space->run, n, sizeof *out->is_in, &out->is_in));
    KAN_TRY(kan_alloc_zero(space->run, n, sizeof *out->effects, &out->effects));
    KAN_TRY(kan_alloc(space->run, n, sizeof *out->depths, &out->depths));
    KAN_TRY(kan_alloc_zero(space->run, n, sizeof *out->n_children, &out->n_children));
    KAN_TRY(kan_alloc_zero(space->run, most + 1, sizeof *out->rows, &out->rows));
    KAN_TRY(kan_alloc_zero(space->run, most + 1, sizeof *out->weights, &out->weights));
    find_depths(out);
    return KAN_OK;
}

void kan_set_tail_destroy(kan_set_tail *tail) {
    kan_run *run = tail->classes->space->run;
    kan_free(run, tail->is_made);
    kan_free(run, tail->is_in);
    kan_free(run, tail->effects);
    kan_free(run, tail->depths);
    kan_free(run, tail->n_children);
    kan_free(run, tail->rows);
    kan_free(run, tail->weights);
}

static void mark(kan_set_tail *tail, const kan_set_value *values, size_t n, uint8_t mark) {
    for (size_t i = 0; i < n; i++)
        tail->is_in[values[i].choice] = mark;
}

/* ---- the parts that a value makes of a class (category 2) -------------------------------------
 */

/* One class in one attribute. */
typedef struct {
    uint32_t least, most; /* its places */
    uint64_t n_rows;
    /* At least .. most + 1: how many of its rows lie below the place, and what they weigh (0 where
     * weights do not count). */
    const uint32_t *rows;
    const uint64_t *weights;
} profile;

/* Fills in tail->rows and tail->weights, which are 0 before and must be cleared. */
static profile make_profile(kan_set_tail *tail, const kan_set_class *here, unsigned a,
                            bool has_weights) {
    const kan_cut_space *space = tail->classes->space;
    const uint32_t *places = space->places[a], *rows = space->rows;
    const uint32_t *tuples = tail->classes->order + here->first;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < here->n; i++) {
        const uint32_t place = places[tuples[i]];
        tail->rows[place + 1] += rows[tuples[i]];
        if (has_weights)
            tail->weights[place + 1] += tail->allset->weights[tuples[i]];
        least = place < least ? place : least;
        most = place > most ? place : most;
    }
    for (uint32_t place = least + 1; place <= most; place++) {
        tail->rows[place + 1] += tail->rows[place];
        tail->weights[place + 1] += has_weights ? tail->weights[place] : 0;
    }
    return (profile){least, most, here->rows, tail->rows, tail->weights};
}

static void clear_profile(kan_set_tail *tail, const profile *made) {
    const size_t first = made->least + 1, n = made->most - made->least + 1;
    memset(tail->rows + first, 0, n * sizeof *tail->rows);
    memset(tail->weights + first, 0, n * sizeof *tail->weights);
}

/* The part that lies at the places from .. to - 1. */
typedef struct {
    uint64_t rows, weight;
} part;

static part part_of(const profile *of, uint32_t from, uint32_t to) {
    from = from < of->least ? of->least : from > of->most ? of->most + 1 : from;
    to = to < of->least ? of->least : to > of->most ? of->most + 1 : to;
    return (part){of->rows[to] - of->rows[from], of->weights[to] - of->weights[from]};
}

/* Adds up what a value does to one class. Parts of k rows or more: with two of them it tells rows
 * apart that stay. With none, or with one where that is no dearer, merging the parts again is never
 * worse, in any set below the head. */
static void add_effect(const kan_cut_space *space, const kan_choice *value, const profile *of,
                       kan_set_effect *effect) {
    uint64_t squares = 0, lost = 0, kept = 0, large = 0;
    unsigned n_parts = 0, n_large = 0;
    for (uint32_t i = 0; i <= value->n_places; i++) {
        const part here = part_of(of, i == 0 ? 0 : value->places[i - 1],
                                  i == value->n_places ? UINT32_MAX : value->places[i]);
        if (here.rows == 0)
            continue;
        n_parts++;
        squares += here.rows * here.rows;
        if (here.rows >= space->k) {
            n_large++;
            large = here.rows;
        } else {
            lost += here.rows;
            kept += here.weight;
        }
    }
    if (n_parts < 2)
        return;
    effect->n_split++;
    effect->gain += of->n_rows * of->n_rows - squares;
    effect->lost += lost;
    effect->kept += kept;
    if (n_large > 1 ||
        (n_large == 1 && space->cost == KAN_CUT_DISCERNIBILITY && 2 * large + lost > space->n_rows))
        effect->is_useful = true;
}

/* The values in hand of one attribute, in one class: each is met at its first place. */
static void add_effects(kan_set_tail *tail, unsigned a, const profile *of) {
    const kan_cut_space *space = tail->classes->space;
    const bool is_tree = space->recoding == KAN_RECODING_SUBTREES;
    const uint32_t from = is_tree ? 1 : of->least + 1;
    const uint32_t to = is_tree ? space->n_places[a] - 1 : of->most;
    for (uint32_t place = from; place <= to; place++) {
        const int choice = space->choice_at[a][place];
        if (choice < 0 || !tail->is_in[choice] || space->choices[choice].places[0] != place)
            continue;
        add_effect(space, &space->choices[choice], of, &tail->effects[choice]);
    }
}

/* What the marked values do to the head's classes. */
static void find_effects(kan_set_tail *tail, const kan_set_value *values, size_t n,
                         bool has_weights) {
    kan_set_classes *classes = tail->classes;
    bool has_tail[KAN_MAX_ATTRIBUTES] = {false};
    for (size_t i = 0; i < n; i++)
        if (tail->is_in[values[i].choice]) {
            tail->effects[values[i].choice] = (kan_set_effect){.n_split = 0};
            has_tail[classes->space->choices[values[i].choice].attribute] = true;
        }
    for (unsigned a = 0; a < classes->space->n_attributes; a++)
        for (size_t i = 0; has_tail[a] && i < classes->n; i++) {
            const kan_set_class *here = &classes->classes[i];
            if (here->is_lost || here->n < 2)
                continue;
            if (kan_set_classes_tick(classes, here->n))
                return;
            const profile made = make_profile(tail, here, a, has_weights);
            add_effects(tail, a, &made);
            clear_profile(tail, &made);
        }
}

void kan_set_tail_look(kan_set_tail *tail, kan_set_value *values, size_t n) {
    mark(tail, values, n, 1);
    find_effects(tail, values, n, false);
    mark(tail, values, n, 0);
    for (size_t i = 0; i < n; i++) {
        const kan_set_effect *effect = &tail->effects[values[i].choice];
        values[i].lost = (uint32_t)effect->lost;
        values[i].n_split = effect->n_split;
        values[i].gain = effect->gain;
    }
}

/* ---- dropping ------------------------------------------------------------------------------- */

/* Keeps the values that are marked, and takes their marks away. */
static size_t keep_marked(kan_set_tail *tail, kan_set_value *values, size_t n) {
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++)
        if (tail->is_in[values[i].choice]) {
            tail->is_in[values[i].choice] = 0;
            values[n_kept++] = values[i];
        }
    return n_kept;
}

/* Takes the marks of values that need one which is neither made nor marked; parents first. */
static void unmark_orphans(kan_set_tail *tail, const kan_set_value *values, size_t n) {
    const kan_cut_space *space = tail->classes->space;
    for (uint32_t depth = 1; depth <= tail->most_depth; depth++)
        for (size_t i = 0; i < n; i++) {
            const unsigned choice = values[i].choice;
            const int parent = space->choices[choice].parent;
            if (tail->depths[choice] == depth && !tail->is_made[parent] && !tail->is_in[parent])
                tail->is_in[choice] = 0;
        }
}

size_t kan_set_tail_drop_useless(kan_set_tail *tail, kan_set_value *values, size_t n) {
    const kan_cut_space *space = tail->classes->space;
    if (tail->classes->is_over)
        return n; /* the effects are not complete */
    mark(tail, values, n, 1);
    for (size_t i = 0; i < n; i++)
        if (space->choices[values[i].choice].parent >= 0)
            tail->n_children[space->choices[values[i].choice].parent]++;
    /* A value can do without only when no other needs it: children first. */
    for (uint32_t depth = tail->most_depth + 1; depth-- > 0;)
        for (size_t i = 0; i < n; i++) {
            const unsigned choice = values[i].choice;
            const int parent = space->choices[choice].parent;
            if (tail->depths[choice] != depth || tail->n_children[choice] > 0 ||
                tail->effects[choice].is_useful)
                continue;
            tail->is_in[choice] = 0;
            if (parent >= 0)
                tail->n_children[parent]--;
        }
    for (size_t i = 0; i < n; i++)
        if (space->choices[values[i].choice].parent >= 0)
            tail->n_children[space->choices[values[i].choice].parent] = 0;
    return keep_marked(tail, values, n);
}

size_t kan_set_tail_drop(kan_set_tail *tail, kan_set_value *values, size_t n, size_t index) {
    mark(tail, values, n, 1);
    tail->is_in[values[index].choice] = 0;
    unmark_orphans(tail, values, n);
    return keep_marked(tail, values, n);
}

/* ---- pruning -------------------------------------------------------------------------------- */

/* The bound of the imaginary node: head and value, with the same allset. Beyond the head's bound
 * its newly suppressed rows cost the penalty, less what they contributed before. */
static uint64_t bound_with(const kan_set_tail *tail, const kan_set_value *value, uint64_t bound,
                           uint64_t contributed) {
    const kan_cut_space *space = tail->classes->space;
    if (kan_set_is_refused(space, tail->classes->n_lost + value->lost))
        return UINT64_MAX;
    return bound + value->lost * kan_set_penalty(space) - contributed;
}

/* Discernibility: whatever the allset makes of a part below k, each of its rows contributed k. */
static void unmark_dear_rows(kan_set_tail *tail, uint64_t best, uint64_t bound,
                             const kan_set_value *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (bound_with(tail, &values[i], bound, values[i].lost * tail->classes->space->k) >= best)
            tail->is_in[values[i].choice] = 0;
}

/* Classification: weights have to be added up, for values only that could be too dear if their
 * parts had contributed nothing. */
static void unmark_dear_classes(kan_set_tail *tail, uint64_t best, uint64_t bound,
                                const kan_set_value *values, size_t n) {
    bool is_any_open = false;
    for (size_t i = 0; i < n; i++) {
        tail->is_in[values[i].choice] = bound_with(tail, &values[i], bound, 0) >= best;
        is_any_open |= tail->is_in[values[i].choice] != 0;
    }
    if (is_any_open)
        find_effects(tail, values, n, true);
    for (size_t i = 0; i < n; i++) {
        const unsigned choice = values[i].choice;
        const bool is_dear =
            tail->is_in[choice] && !tail->classes->is_over &&
            bound_with(tail, &values[i], bound, tail->effects[choice].kept) >= best;
        tail->is_in[choice] = !is_dear;
    }
}

size_t kan_set_tail_prune(kan_set_tail *tail, uint64_t best, kan_set_value *values, size_t n,
                          uint64_t *bound) {
    const kan_cut_space *space = tail->classes->space;
    size_t n_before;
    do {
        const uint64_t here = kan_set_allset_bound(tail->allset, values, n);
        if (tail->classes->is_over)
            return n;
        *bound = here;
        if (here >= best)
            return 0;
        n_before = n;
        mark(tail, values, n, 1);
        if (space->cost == KAN_CUT_DISCERNIBILITY)
            unmark_dear_rows(tail, best, here, values, n);
        else
            unmark_dear_classes(tail, best, here, values, n);
        unmark_orphans(tail, values, n);
        n = keep_marked(tail, values, n);
    } while (n < n_before && n > 0);
    return n;
}

/* ---- reordering ----------------------------------------------------------------------------- */

static int compare_values(const void *left, const void *right) {
    const kan_set_value *a = left, *b = right;
    if (a->n_split != b->n_split)
        return a->n_split > b->n_split ? -1 : 1;
    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    return (a->choice > b->choice) - (a->choice < b->choice);
}

void kan_set_tail_reorder(kan_set_value *values, size_t n) {
    if (n > 1)
        qsort(values, n, sizeof *values, compare_values);
}

/* What the class values say about the choices of a class, by classification.
 *
 * Apart: a choice is worth deciding early when it sets rows of different values apart; rows of one
 * value it may leave together. When only one value can be a majority in all of its parts, and the
 * same, it sets nothing apart.
 *
 * Made: a part of less than 2 k rows, or in which only one value can be a majority, costs its
 * minority as a whole, whatever else is made: its cells no longer count. Costs time for the tuples
 * of the class once per attribute. */
#include <math.h>
#include <string.h>

#include "search/k_optimize/cut_class_scratch.h"

typedef struct {
    const kan_cut_class *class_;
    unsigned attribute;
    uint32_t *below; /* [place * values + v]: rows of a value at lower places */
    uint64_t *cells; /* by column: what the cells of lower columns cost */
    /* Of the choice in hand: */
    uint64_t pairs;   /* of different values, that it sets apart */
    unsigned n_kept;  /* parts that can be released, */
    unsigned n_mixed; /* of these: different values can be a majority */
    int label;        /* the only one of the others; -1: not the same in all, -2: none yet */
    uint64_t cost;    /* of all parts when it is made */
    bool is_known;    /* that is */
} counts;

/* ---- one attribute -------------------------------------------------------------------------- */

static void count_values(kan_cut_maker *maker, counts *x) {
    const unsigned values = maker->space->n_classes, a = x->attribute;
    const kan_cut_class *class_ = x->class_;
    const uint32_t least = class_->least[a], end = class_->greatest[a] + 1;
    memset(x->below + (size_t)least * values, 0,
           (size_t)(end + 1 - least) * values * sizeof *x->below);
    for (size_t t = 0; t < class_->n_atoms; t++) {
        const uint32_t place = kan_cut_place(maker, class_->keys + t * maker->words, a);
        for (unsigned v = 0; v < values; v++)
            x->below[((size_t)place + 1) * values + v] += class_->class_rows[t * values + v];
    }
    for (size_t i = (size_t)(least + 1) * values; i < ((size_t)end + 1) * values; i++)
        x->below[i] += x->below[i - values];
}

static void count_cells(kan_cut_maker *maker, counts *x) {
    const kan_cut_scratch *s = maker->scratch;
    const uint32_t n = s->n_columns[x->attribute];
    memset(x->cells, 0, ((size_t)n + 1) * sizeof *x->cells);
    for (size_t i = 0; i < s->n_cells && n > 1; i++)
        x->cells[kan_cut_place(maker, s->cell_keys + i * maker->words, x->attribute) + 1] +=
            kan_cut_cell_cost(maker, i);
    for (uint32_t column = 0; column < n; column++)
        x->cells[column + 1] += x->cells[column];
}

/* ---- one choice ----------------------------------------------------------------------------- */

/* What its cells cost, from place to place. */
static uint64_t cell_cost(const kan_cut_maker *maker, uint32_t from, uint32_t to, const counts *x) {
    const uint32_t *column = maker->scratch->column[x->attribute];
    const bool is_last = to > x->class_->greatest[x->attribute];
    const uint32_t end = is_last ? maker->scratch->n_columns[x->attribute] : column[to];
    return x->cells[end] - x->cells[column[from]];
}

/* The part at places from..to-1; with its cost, when cells are known. */
static void add_part(const kan_cut_maker *maker, uint32_t from, uint32_t to,
                     const kan_cut_effect *effect, counts *x) {
    const kan_cut_space *space = maker->space;
    const unsigned values = space->n_classes;
    uint64_t rows = 0, squares = 0, most = 0;
    unsigned n_labels = 0;
    int label = -1;
    for (unsigned v = 0; v < values; v++) {
        const uint64_t of = x->below[(size_t)to * values + v] - x->below[(size_t)from * values + v];
        rows += of;
        squares += of * of;
        most = of > most ? of : most;
        if (of > 0 && of * values >= space->k) {
            n_labels++;
            label = (int)v;
        }
    }
    x->pairs -= (rows * rows - squares) / 2;
    if (rows < space->k) {
        x->cost += rows;
        return;
    }
    x->n_kept++;
    x->n_mixed += n_labels > 1;
    x->label = x->label == -2 || x->label == label ? label : -1;
    if (rows < 2 * space->k || n_labels == 1)
        x->cost += rows - most;
    else if (x->cells && effect->divides_cells)
        x->cost += cell_cost(maker, from, to, x);
    else
        x->is_known = false;
}

static void look_at(const kan_cut_maker *maker, const kan_cut_effect *effect, counts *x) {
    const kan_choice *choice = &maker->space->choices[effect->choice];
    const uint32_t end = x->class_->greatest[x->attribute] + 1;
    uint32_t from = x->class_->least[x->attribute];
    x->n_kept = x->n_mixed = 0;
    x->label = -2;
    x->cost = 0;
    x->is_known = true;
    for (uint32_t i = 0; i <= choice->n_places; i++) {
        uint32_t to = i < choice->n_places ? choice->places[i] : end;
        to = to < end ? to : end;
        if (to <= from)
            continue;
        add_part(maker, from, to, effect, x);
        from = to;
    }
}

/* Pairs of rows of different values. */
static uint64_t count_pairs(const kan_cut_space *space, const kan_cut_class *class_) {
    uint64_t squares = 0;
    for (unsigned v = 0; v < space->n_classes; v++) {
        uint64_t rows = 0;
        for (size_t t = 0; t < class_->n_atoms; t++)
            rows += class_->class_rows[t * space->n_classes + v];
        squares += rows * rows;
    }
    return (class_->n_rows * class_->n_rows - squares) / 2;
}

void kan_cut_class_apart(kan_cut_maker *maker, const kan_cut_class *made, kan_cut_effect *effects,
                         unsigned n) {
    const kan_cut_space *space = maker->space;
    const uint64_t n_pairs = n > 0 ? count_pairs(space, made) : 0;
    counts x = {.class_ = made, .attribute = UINT32_MAX};
    for (unsigned i = 0; i < n; i++) {
        const unsigned a = space->choices[effects[i].choice].attribute;
        if (a != x.attribute) {
            x.attribute = a;
            x.below = maker->scratch->values_below[a];
            count_values(maker, &x);
        }
        x.pairs = n_pairs;
        look_at(maker, &effects[i], &x);
        const bool is_good = x.n_kept > 1 && (x.n_mixed > 0 || x.label == -1);
        effects[i].divides_cells = is_good;
        effects[i].apart = is_good ? (uint64_t)sqrt((double)x.pairs) + 1 : 0;
    }
}

void kan_cut_class_parts(kan_cut_maker *maker, kan_cut_class *made) {
    const kan_cut_space *space = maker->space;
    counts x = {.class_ = made, .attribute = UINT32_MAX, .cells = maker->scratch->cells_below};
    for (unsigned i = 0; i < made->n_effects; i++) {
        kan_cut_effect *effect = &made->effects[i];
        const unsigned a = space->choices[effect->choice].attribute;
        if (a != x.attribute) {
            x.attribute = a;
            x.below = maker->scratch->values_below[a];
            count_cells(maker, &x);
        }
        look_at(maker, effect, &x);
        if (x.is_known && x.cost > made->bound + effect->made)
            effect->made = x.cost - made->bound;
    }
}

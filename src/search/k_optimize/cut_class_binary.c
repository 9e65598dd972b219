/* Classes where there are two class values, and every choice has one place: what cut_class.c,
 * cut_class_values.c and cut_class_cells.c work out step by step, but in fewer steps. Such classes
 * are many and small, a dozen tuples each, so that every pass over tuples and choices counts.
 *
 * Rows and those of the second value are counted together, as two halves of one number. Choices
 * between the same neighbours divide a class in the same way: what one does is copied to the next.
 * Cells are looked at only where some choice divides them.
 *
 * property.cut_binary compares every number with what the other files find. */
#include <math.h>
#include <string.h>

#include "search/k_optimize/cut_binary_rows.h"
#include "search/k_optimize/cut_class_scratch.h"

bool kan_cut_is_binary(const kan_cut_maker *maker) {
    const kan_cut_space *space = maker->space;
    if (space->cost != KAN_CUT_CLASSIFICATION || space->n_classes != 2 || maker->words != 1 ||
        space->k > INT32_MAX)
        return false;
    for (unsigned c = 0; c < space->n_choices; c++)
        if (space->choices[c].n_places != 1)
            return false;
    return true;
}

enum { FEW = 16 }; /* tuples: put in order one by one */

/* What is known of the class in hand. */
typedef struct {
    kan_cut_maker *maker;
    kan_cut_class *made;
    uint32_t k;
    kan_binary all;
    bool is_label[2]; /* can be the majority of a released group */
    bool has_labels;  /* both can */
    bool has_cells;   /* some choice divides them */
    unsigned n_effects;
    kan_cut_effect *effects;
    kan_binary *low; /* by effect: what lies below its place */
} binary_class;

/* ---- both sides of every choice ------------------------------------------------------------- */

static void begin(binary_class *x) {
    kan_cut_scratch *s = x->maker->scratch;
    const kan_cut_class *made = x->made;
    x->all = 0;
    for (size_t i = 0; i < made->n_atoms; i++) {
        s->binary[i] = kan_binary_of(made->rows[i], made->class_rows[2 * i + 1]);
        x->all += s->binary[i];
    }
    x->is_label[0] = kan_binary_is_label(kan_binary_first(x->all), x->k);
    x->is_label[1] = kan_binary_is_label(kan_binary_second(x->all), x->k);
    x->has_labels = x->is_label[0] && x->is_label[1];
}

/* What lies at each place, from the first that has any to the last. */
static void count_attribute(binary_class *x, unsigned a) {
    const kan_cut_scratch *s = x->maker->scratch;
    kan_cut_class *made = x->made;
    const struct kan_cut_field field = x->maker->fields[a];
    uint32_t least = made->least[a], greatest = made->greatest[a];
    memset(s->binary_below[a] + least, 0, (size_t)(greatest - least + 1) * sizeof(kan_binary));
    for (size_t i = 0; i < made->n_atoms; i++)
        s->binary_below[a][made->keys[i] >> field.shift & field.mask] += s->binary[i];
    while (least < greatest && s->binary_below[a][least] == 0)
        least++;
    while (least < greatest && s->binary_below[a][greatest] == 0)
        greatest--;
    made->least[a] = least;
    made->greatest[a] = greatest;
}

static void look_at(const binary_class *x, kan_binary low, kan_cut_effect *effect) {
    const kan_binary high = x->all - low;
    memset(effect, 0, sizeof *effect);
    effect->n_lost = (kan_binary_rows(low) < x->k ? kan_binary_rows(low) : 0) +
                     (kan_binary_rows(high) < x->k ? kan_binary_rows(high) : 0);
    if (!x->has_labels || !kan_binary_is_good(low, high, x->k))
        return;
    const uint64_t pairs = (uint64_t)kan_binary_first(x->all) * kan_binary_second(x->all) -
                           (uint64_t)kan_binary_first(low) * kan_binary_second(low) -
                           (uint64_t)kan_binary_first(high) * kan_binary_second(high);
    effect->divides_cells = true;
    effect->apart = (uint64_t)sqrt((double)pairs) + 1;
}

/* What the open choices of an attribute divide, and its columns; what lies at places becomes what
 * lies below them. */
static void find_effects(binary_class *x, unsigned a) {
    kan_cut_scratch *s = x->maker->scratch;
    const kan_cut_space *space = x->maker->space;
    const uint32_t least = x->made->least[a], greatest = x->made->greatest[a];
    kan_binary below = 0, looked_at = 0;
    uint32_t column = 0;
    for (uint32_t place = least; place <= greatest; place++) {
        const kan_binary here = s->binary_below[a][place];
        const int choice = space->choice_at[a][place];
        if (place > least && choice >= 0 && x->maker->decision[choice] == KAN_CUT_OPEN) {
            kan_cut_effect *effect = &x->effects[x->n_effects];
            if (below != looked_at)
                look_at(x, below, effect);
            else
                *effect = effect[-1];
            looked_at = below;
            effect->choice = (uint32_t)choice;
            x->low[x->n_effects] = below;
            if (effect->divides_cells)
                s->border[a][++column] = x->n_effects;
            x->n_effects++;
        }
        s->column[a][place] = column;
        s->binary_below[a][place] = below;
        below += here;
    }
    s->n_columns[a] = column + 1;
    x->has_cells = x->has_cells || column > 0;
}

/* Attributes that no open choice divides are of no interest any more, and stay as they were. */
static void find_all_effects(binary_class *x, const kan_cut_class *from,
                             const kan_cut_attributes *changed) {
    const kan_cut_space *space = x->maker->space;
    kan_cut_scratch *s = x->maker->scratch;
    bool is_open[KAN_MAX_ATTRIBUTES] = {false};
    for (unsigned i = 0; i < from->n_effects; i++)
        if (x->maker->decision[from->effects[i].choice] == KAN_CUT_OPEN)
            is_open[space->choices[from->effects[i].choice].attribute] = true;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        x->made->least[a] = from->least[a];
        x->made->greatest[a] = from->greatest[a];
        s->n_columns[a] = 1;
    }
    /* Joined tuples stand at the first of their places, which the class may not have had. */
    for (unsigned t = 0; t < changed->n; t++)
        x->made->least[changed->attribute[t]] =
            s->start_of[changed->attribute[t]][from->least[changed->attribute[t]]];
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (is_open[a] || from->is_raw) {
            count_attribute(x, a);
            find_effects(x, a);
        }
}

/* ---- cells ---------------------------------------------------------------------------------- */

static void make_cells(binary_class *x) {
    kan_cut_scratch *s = x->maker->scratch;
    kan_cut_class *made = x->made;
    memset(s->mapped, 0, made->n_atoms * sizeof *s->mapped);
    for (unsigned a = 0; a < x->maker->space->n_attributes; a++) {
        const struct kan_cut_field field = x->maker->fields[a];
        if (s->n_columns[a] < 2)
            continue;
        for (size_t i = 0; i < made->n_atoms; i++)
            s->mapped[i] |= (uint64_t)s->column[a][made->keys[i] >> field.shift & field.mask]
                            << field.shift;
    }
    s->n_cells = kan_cut_group(x->maker, made->n_atoms, s->cell_keys, s->cell_of);
    memset(s->cell_binary, 0, s->n_cells * sizeof *s->cell_binary);
    for (size_t i = 0; i < made->n_atoms; i++)
        s->cell_binary[s->cell_of[i]] += s->binary[i];
    made->bound = 0;
    made->largest = x->k;
    for (size_t i = 0; i < s->n_cells; i++) {
        const uint32_t rows = kan_binary_rows(s->cell_binary[i]);
        made->bound += kan_binary_least(s->cell_binary[i]);
        made->largest = rows > made->largest ? rows : made->largest;
    }
}

/* Two cells that only one choice divides. */
static inline void weigh_pair(const kan_cut_scratch *s, size_t i, size_t j,
                              kan_cut_effect *effect) {
    const kan_binary one = s->cell_binary[i], other = s->cell_binary[j];
    const uint32_t rise =
        kan_binary_most(one) + kan_binary_most(other) - kan_binary_most(one + other);
    effect->left += rise;
    if (rise == 0 || s->is_paired[i] || s->is_paired[j])
        return;
    s->is_paired[i] = s->is_paired[j] = 1;
    effect->left_part += rise;
}

static void weigh_left(binary_class *x) {
    kan_cut_scratch *s = x->maker->scratch;
    struct {
        uint64_t mask, last, step;
        const uint32_t *border;
        unsigned shift;
    } ways[KAN_MAX_ATTRIBUTES];
    unsigned n = 0;
    for (unsigned a = 0; a < x->maker->space->n_attributes; a++) {
        const struct kan_cut_field *field = &x->maker->fields[a];
        if (s->n_columns[a] < 2)
            continue;
        ways[n].mask = field->mask << field->shift;
        ways[n].last = (uint64_t)(s->n_columns[a] - 1) << field->shift;
        ways[n].step = UINT64_C(1) << field->shift;
        ways[n].border = s->border[a];
        ways[n++].shift = field->shift;
    }
    memset(s->is_paired, 0, s->n_cells);
    for (size_t i = 0; i < s->n_cells; i++)
        for (unsigned t = 0; t < n; t++) {
            if ((s->cell_keys[i] & ways[t].mask) == ways[t].last)
                continue;
            const uint64_t key = s->cell_keys[i] + ways[t].step, hash = kan_cut_hash(&key, 1);
            if (!kan_cut_may_have(s, hash))
                continue;
            const uint32_t j = kan_cut_find(s, s->cell_keys, &key, hash, 1);
            if (j != UINT32_MAX)
                weigh_pair(s, i, j,
                           &x->effects[ways[t].border[(key & ways[t].mask) >> ways[t].shift]]);
        }
}

/* ---- made ----------------------------------------------------------------------------------- */

/* What it costs that a cell has lost some rows. */
static inline uint32_t loss_cost(const binary_class *x, kan_binary all, kan_binary lost) {
    if (x->has_labels)
        return kan_binary_most(all) - kan_binary_most(all - lost);
    return x->is_label[0] ? kan_binary_first(lost) : kan_binary_second(lost);
}

static inline uint32_t place_of(const binary_class *x, const struct kan_cut_field *field,
                                size_t tuple) {
    return (uint32_t)(x->made->keys[tuple] >> field->shift & field->mask);
}

/* The tuples at places from..to-1, those farthest out first. A few are put in order one by one. */
static size_t take_few(const binary_class *x, const struct kan_cut_field *field, uint32_t from,
                       uint32_t to, bool is_upper, uint32_t *tuples) {
    size_t n = 0;
    for (size_t i = 0; i < x->made->n_atoms; i++) {
        const uint32_t place = place_of(x, field, i);
        if (place < from || place >= to)
            continue;
        size_t at = n++;
        for (; at > 0; at--) {
            const uint32_t other = place_of(x, field, tuples[at - 1]);
            if (is_upper ? other >= place : other <= place)
                break;
            tuples[at] = tuples[at - 1];
        }
        tuples[at] = (uint32_t)i;
    }
    return n;
}

static size_t take_many(const binary_class *x, const struct kan_cut_field *field, uint32_t from,
                        uint32_t to, bool is_upper, uint32_t *tuples) {
    uint32_t *start = x->maker->scratch->place_start, n = 0;
    memset(start, 0, (size_t)(to - from) * sizeof *start);
    for (size_t i = 0; i < x->made->n_atoms; i++) {
        const uint32_t place = place_of(x, field, i);
        if (place >= from && place < to)
            start[is_upper ? to - 1 - place : place - from]++;
    }
    for (uint32_t p = 0; p < to - from; p++) {
        const uint32_t here = start[p];
        start[p] = n;
        n += here;
    }
    for (size_t i = 0; i < x->made->n_atoms; i++) {
        const uint32_t place = place_of(x, field, i);
        if (place >= from && place < to)
            tuples[start[is_upper ? to - 1 - place : place - from]++] = (uint32_t)i;
    }
    return n;
}

/* The choices first..end-1 of an attribute, of which each loses all tuples beyond it; they are less
 * than k rows together. */
static void walk_end(binary_class *x, unsigned a, unsigned first, unsigned end, bool is_upper) {
    kan_cut_scratch *s = x->maker->scratch;
    const kan_cut_space *space = x->maker->space;
    const struct kan_cut_field field = x->maker->fields[a];
    const unsigned n_effects = end - first;
    const uint32_t outer = is_upper ? x->made->greatest[a] + 1 : x->made->least[a];
    const uint32_t inner = space->choices[x->effects[is_upper ? first : end - 1].choice].places[0];
    uint32_t *tuples = s->by_place, *touched = s->touched;
    const uint32_t from = is_upper ? inner : outer, to = is_upper ? outer : inner;
    const size_t n = x->k <= FEW ? take_few(x, &field, from, to, is_upper, tuples)
                                 : take_many(x, &field, from, to, is_upper, tuples);
    uint64_t cost = 0;
    size_t next = 0;
    for (unsigned t = 0; t < n_effects; t++) {
        kan_cut_effect *effect = &x->effects[is_upper ? end - 1 - t : first + t];
        const uint32_t border = space->choices[effect->choice].places[0];
        for (; next < n; next++) {
            const uint32_t place = place_of(x, &field, tuples[next]);
            if (is_upper ? place < border : place >= border)
                break;
            const uint32_t cell = s->cell_of[tuples[next]];
            const kan_binary all = s->cell_binary[cell];
            cost -= loss_cost(x, all, s->cell_binary_lost[cell]);
            s->cell_binary_lost[cell] += s->binary[tuples[next]];
            cost += loss_cost(x, all, s->cell_binary_lost[cell]);
            touched[next] = cell;
        }
        effect->made += cost;
    }
    for (size_t i = 0; i < next; i++)
        s->cell_binary_lost[touched[i]] = 0;
}

/* With cells: choices that lose rows at either end of an attribute. */
static void weigh_losses(binary_class *x) {
    const kan_cut_space *space = x->maker->space;
    for (unsigned first = 0, end; first < x->n_effects; first = end) {
        const unsigned a = space->choices[x->effects[first].choice].attribute;
        unsigned low_end = first, high_first;
        for (end = first;
             end < x->n_effects && space->choices[x->effects[end].choice].attribute == a; end++)
            low_end += kan_binary_rows(x->low[end]) < x->k;
        for (high_first = end;
             high_first > first && kan_binary_rows(x->all - x->low[high_first - 1]) < x->k;
             high_first--)
            ;
        if (low_end > first)
            walk_end(x, a, first, low_end, false);
        if (high_first < end)
            walk_end(x, a, high_first, end, true);
    }
}

/* With a single cell: what is lost of it is what lies on one side. */
static void weigh_whole(binary_class *x) {
    for (unsigned i = 0; i < x->n_effects; i++) {
        const kan_binary low = x->low[i], high = x->all - low;
        if (kan_binary_rows(low) < x->k)
            x->effects[i].made += loss_cost(x, x->all, low);
        if (kan_binary_rows(high) < x->k)
            x->effects[i].made += loss_cost(x, x->all, high);
    }
}

/* What a part costs whatever else is made; false when that is not known. */
static bool part_cost(const binary_class *x, kan_binary part, uint64_t *cost) {
    const uint32_t rows = kan_binary_rows(part);
    *cost = rows < x->k ? rows : kan_binary_least(part);
    return !kan_binary_is_mixed(part, x->k);
}

/* By attribute: what the cells of lower columns cost. */
static void add_up_cells(binary_class *x, unsigned a) {
    kan_cut_scratch *s = x->maker->scratch;
    const struct kan_cut_field field = x->maker->fields[a];
    uint64_t *below = s->cells_below;
    memset(below, 0, ((size_t)s->n_columns[a] + 1) * sizeof *below);
    for (size_t i = 0; i < s->n_cells; i++)
        below[(s->cell_keys[i] >> field.shift & field.mask) + 1] +=
            kan_binary_least(s->cell_binary[i]);
    for (uint32_t column = 0; column < s->n_columns[a]; column++)
        below[column + 1] += below[column];
}

/* See kan_cut_class_parts. */
static void weigh_parts(binary_class *x) {
    const kan_cut_space *space = x->maker->space;
    const kan_cut_scratch *s = x->maker->scratch;
    unsigned added_up = UINT32_MAX;
    for (unsigned i = 0; i < x->n_effects; i++) {
        kan_cut_effect *effect = &x->effects[i];
        const kan_choice *choice = &space->choices[effect->choice];
        uint64_t low, high;
        const bool has_low = part_cost(x, x->low[i], &low);
        const bool has_high = part_cost(x, x->all - x->low[i], &high);
        if (!has_low || !has_high) {
            if (!effect->divides_cells)
                continue;
            if (added_up != choice->attribute)
                add_up_cells(x, choice->attribute);
            added_up = choice->attribute;
            const uint64_t below = s->cells_below[s->column[choice->attribute][choice->places[0]]];
            low = has_low ? low : below;
            high = has_high ? high : x->made->bound - below;
        }
        if (low + high > x->made->bound + effect->made)
            effect->made = low + high - x->made->bound;
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

kan_status kan_cut_class_binary(kan_cut_maker *maker, const kan_cut_class *from,
                                const kan_cut_attributes *changed, kan_cut_class *made) {
    binary_class x = {.maker = maker,
                      .made = made,
                      .k = (uint32_t)maker->space->k,
                      .effects = maker->scratch->effects,
                      .low = maker->scratch->binary_low};
    begin(&x);
    find_all_effects(&x, from, changed);
    made->cost = kan_binary_least(x.all);
    if (x.has_cells) {
        make_cells(&x);
        weigh_left(&x);
        weigh_losses(&x);
    } else {
        made->bound = made->cost;
        made->largest = made->n_rows;
        weigh_whole(&x);
    }
    for (unsigned i = 0; i < x.n_effects; i++)
        if (x.effects[i].n_lost == made->n_rows)
            x.effects[i].made = made->n_rows - made->bound;
    if (x.has_labels)
        weigh_parts(&x);
    made->n_effects = x.n_effects;
    KAN_TRY(kan_stack_take(&maker->stack, x.n_effects, sizeof *made->effects, &made->effects));
    memcpy(made->effects, x.effects, x.n_effects * sizeof *made->effects);
    return KAN_OK;
}

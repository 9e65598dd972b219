/* The cells of a class: what its rows cost at least, and how that rises when a choice is left
 * (cells across it join) or made (the rows of parts of less than k are lost).
 *
 * Left. A row costs at least as much as its cell has rows, and k at least. Cells that only one
 * choice divides are neighbours; a look-up per cell and attribute finds them. By discernibility the
 * rises of several choices add up, because cells on the other sides of different choices are
 * different cells and a row's cost is convex in what joins its cell. By classification they need
 * not; there each cell is paired with one neighbour at most, and what pairs cost adds up.
 *
 * Made. Walking the places of an attribute from either end, rows of the cells walked over are lost,
 * until there are k of them; every choice on the way is told what that costs. */
#include <string.h>

#include "search/k_optimize/cut_class_scratch.h"

/* ---- cells ---------------------------------------------------------------------------------- */

/* Dense columns: a new one begins at every place of a choice that divides cells. */
static void number_columns(kan_cut_maker *maker, const kan_cut_class *made) {
    kan_cut_scratch *s = maker->scratch;
    const kan_cut_space *space = maker->space;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        for (uint32_t place = made->least[a]; place <= made->greatest[a]; place++)
            s->effect_of[a][place] = KAN_CUT_NO_EFFECT;
    }
    for (unsigned i = 0; i < made->n_effects; i++) {
        const kan_choice *choice = &space->choices[made->effects[i].choice];
        const unsigned a = choice->attribute;
        for (uint32_t p = 0; p < choice->n_places; p++)
            if (choice->places[p] > made->least[a] && choice->places[p] <= made->greatest[a])
                s->effect_of[a][choice->places[p]] = (int32_t)i;
    }
    for (unsigned a = 0; a < space->n_attributes; a++) {
        uint32_t column = 0;
        s->column[a][made->least[a]] = 0;
        for (uint32_t place = made->least[a] + 1; place <= made->greatest[a]; place++) {
            const int32_t effect = s->effect_of[a][place];
            if (effect != KAN_CUT_NO_EFFECT && made->effects[effect].divides_cells)
                s->border[a][++column] = (uint32_t)effect;
            s->column[a][place] = column;
        }
        s->n_columns[a] = column + 1;
    }
}

static void make_cells(kan_cut_maker *maker, kan_cut_class *made) {
    kan_cut_scratch *s = maker->scratch;
    const kan_cut_space *space = maker->space;
    const unsigned classes = space->n_classes;
    kan_cut_attributes divided = {.n = 0};
    number_columns(maker, made);
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (s->n_columns[a] > 1)
            divided.attribute[divided.n++] = a;
    kan_cut_project(maker, made->keys, made->n_atoms, &divided, s->column);
    s->n_cells = kan_cut_group(maker, made->n_atoms, s->cell_keys, s->cell_of);
    memset(s->cell_rows, 0, s->n_cells * sizeof *s->cell_rows);
    for (size_t i = 0; i < made->n_atoms; i++)
        s->cell_rows[s->cell_of[i]] += made->rows[i];
    if (classes > 0) {
        memset(s->cell_class_rows, 0, s->n_cells * classes * sizeof *s->cell_class_rows);
        for (size_t i = 0; i < made->n_atoms; i++)
            for (unsigned c = 0; c < classes; c++)
                s->cell_class_rows[s->cell_of[i] * classes + c] +=
                    made->class_rows[i * classes + c];
    }
    made->bound = 0;
    made->largest = space->k;
    for (size_t i = 0; i < s->n_cells; i++) {
        made->bound += kan_cut_cell_cost(maker, i);
        if (s->cell_rows[i] > made->largest)
            made->largest = s->cell_rows[i];
    }
}

/* What the whole class costs as one group. */
static uint64_t whole_cost(const kan_cut_maker *maker, const kan_cut_class *made) {
    const kan_cut_space *space = maker->space;
    if (space->cost == KAN_CUT_DISCERNIBILITY)
        return made->n_rows * made->n_rows;
    uint64_t most = 0;
    for (unsigned c = 0; c < space->n_classes; c++) {
        uint64_t rows = 0;
        for (size_t i = 0; i < made->n_atoms; i++)
            rows += made->class_rows[i * space->n_classes + c];
        most = rows > most ? rows : most;
    }
    return made->n_rows - most;
}

/* ---- left ----------------------------------------------------------------------------------- */

/* By how much the cost rises when two cells join. */
static inline uint64_t join_cost(const kan_cut_maker *maker, size_t i, size_t j) {
    const kan_cut_space *space = maker->space;
    const kan_cut_scratch *s = maker->scratch;
    const uint64_t x = s->cell_rows[i], y = s->cell_rows[j];
    if (space->cost == KAN_CUT_DISCERNIBILITY) {
        const uint64_t k = space->k;
        return (x + y) * (x + y > k ? x + y : k) - x * (x > k ? x : k) - y * (y > k ? y : k);
    }
    const uint32_t *of_x = s->cell_class_rows + i * space->n_classes;
    const uint32_t *of_y = s->cell_class_rows + j * space->n_classes;
    uint32_t most_x = 0, most_y = 0, most = 0;
    for (unsigned c = 0; c < space->n_classes; c++) {
        if (!s->is_label[c])
            continue;
        most_x = of_x[c] > most_x ? of_x[c] : most_x;
        most_y = of_y[c] > most_y ? of_y[c] : most_y;
        most = of_x[c] + of_y[c] > most ? of_x[c] + of_y[c] : most;
    }
    return (uint64_t)most_x + most_y - most;
}

/* Two cells that only one choice divides. */
static inline void weigh_pair(kan_cut_maker *maker, kan_cut_effect *effect, size_t i, size_t j) {
    kan_cut_scratch *s = maker->scratch;
    const uint64_t rise = join_cost(maker, i, j);
    effect->left += rise;
    if (maker->space->cost == KAN_CUT_DISCERNIBILITY || rise == 0 || s->is_paired[i] ||
        s->is_paired[j])
        return;
    s->is_paired[i] = s->is_paired[j] = 1;
    effect->left_part += rise;
}

/* Keys of one word: the attributes along which cells can have neighbours. */
typedef struct {
    uint64_t mask, last, step, hash; /* last: the highest column, in its place; hash: of a step */
    unsigned shift, attribute;
} way;

static unsigned find_ways(const kan_cut_maker *maker, way *ways) {
    const kan_cut_scratch *s = maker->scratch;
    unsigned n = 0;
    for (unsigned a = 0; a < maker->space->n_attributes; a++) {
        if (s->n_columns[a] < 2)
            continue;
        const struct kan_cut_field *field = &maker->fields[a];
        const uint64_t step = UINT64_C(1) << field->shift;
        ways[n++] = (way){.mask = field->mask << field->shift,
                          .last = (uint64_t)(s->n_columns[a] - 1) << field->shift,
                          .step = step,
                          .hash = step * KAN_CUT_HASH,
                          .shift = field->shift,
                          .attribute = a};
    }
    return n;
}

/* The neighbour one step on (or back) along a way, or UINT32_MAX. */
static inline uint32_t neighbour(const kan_cut_scratch *s, uint64_t key, uint64_t hash) {
    return kan_cut_may_have(s, hash) ? kan_cut_find(s, s->cell_keys, &key, hash, 1) : UINT32_MAX;
}

static inline kan_cut_effect *effect_between(const kan_cut_scratch *s, kan_cut_class *made,
                                             const way *along, uint64_t upper_key) {
    return &made->effects[s->border[along->attribute][(upper_key & along->mask) >> along->shift]];
}

static void find_pairs(kan_cut_maker *maker, kan_cut_class *made) {
    kan_cut_scratch *s = maker->scratch;
    way ways[KAN_MAX_ATTRIBUTES];
    const unsigned n = find_ways(maker, ways);
    for (size_t i = 0; i < s->n_cells; i++) {
        const uint64_t key = s->cell_keys[i], hash = key * KAN_CUT_HASH;
        for (unsigned t = 0; t < n; t++) {
            if ((key & ways[t].mask) == ways[t].last)
                continue;
            const uint32_t j = neighbour(s, key + ways[t].step, hash + ways[t].hash);
            if (j != UINT32_MAX)
                weigh_pair(maker, effect_between(s, made, &ways[t], key + ways[t].step), i, j);
        }
    }
}

/* By discernibility two cells of k rows or less together cost the same when they join: one of a
 * pair that matters has more than half of k, and those are few. */
static void find_large_pairs(kan_cut_maker *maker, kan_cut_class *made) {
    kan_cut_scratch *s = maker->scratch;
    way ways[KAN_MAX_ATTRIBUTES];
    const unsigned n = find_ways(maker, ways);
    const uint64_t half = maker->space->k / 2;
    for (size_t i = 0; i < s->n_cells; i++) {
        if (s->cell_rows[i] <= half)
            continue;
        const uint64_t key = s->cell_keys[i], hash = key * KAN_CUT_HASH;
        for (unsigned t = 0; t < n; t++) {
            uint32_t j = UINT32_MAX;
            if ((key & ways[t].mask) != ways[t].last)
                j = neighbour(s, key + ways[t].step, hash + ways[t].hash);
            if (j != UINT32_MAX)
                weigh_pair(maker, effect_between(s, made, &ways[t], key + ways[t].step), i, j);
            j = UINT32_MAX;
            if ((key & ways[t].mask) != 0)
                j = neighbour(s, key - ways[t].step, hash - ways[t].hash);
            /* Two large ones meet from below. */
            if (j != UINT32_MAX && s->cell_rows[j] <= half)
                weigh_pair(maker, effect_between(s, made, &ways[t], key), j, i);
        }
    }
}

/* Keys of any number of words. */
static void find_wide_pairs(kan_cut_maker *maker, kan_cut_class *made) {
    kan_cut_scratch *s = maker->scratch;
    const unsigned words = maker->words;
    uint64_t key[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < maker->space->n_attributes; a++) {
        const struct kan_cut_field field = maker->fields[a];
        for (size_t i = 0; i < s->n_cells && s->n_columns[a] > 1; i++) {
            memcpy(key, s->cell_keys + i * words, words * sizeof *key);
            const uint64_t column = key[field.word] >> field.shift & field.mask;
            if (column + 1 >= s->n_columns[a])
                continue;
            key[field.word] += UINT64_C(1) << field.shift;
            const uint32_t j = kan_cut_find(s, s->cell_keys, key, kan_cut_hash(key, words), words);
            if (j != UINT32_MAX)
                weigh_pair(maker, &made->effects[s->border[a][column + 1]], i, j);
        }
    }
}

static void weigh_left(kan_cut_maker *maker, kan_cut_class *made) {
    const kan_cut_space *space = maker->space;
    if (space->cost != KAN_CUT_DISCERNIBILITY)
        memset(maker->scratch->is_paired, 0, maker->scratch->n_cells);
    if (maker->words > 1)
        find_wide_pairs(maker, made);
    else if (space->cost == KAN_CUT_DISCERNIBILITY)
        find_large_pairs(maker, made);
    else
        find_pairs(maker, made);
    for (unsigned i = 0; i < made->n_effects; i++) {
        kan_cut_effect *effect = &made->effects[i];
        if (space->cost == KAN_CUT_DISCERNIBILITY)
            effect->left_part = effect->left;
        else if (space->choices[effect->choice].n_places > 1)
            effect->left = effect->left_part; /* three cells in a row are not two pairs */
    }
}

/* ---- made ----------------------------------------------------------------------------------- */

/* What it costs that a cell has lost the rows that are noted as lost. */
static inline uint64_t loss_cost(const kan_cut_maker *maker, size_t cell) {
    const kan_cut_space *space = maker->space;
    const kan_cut_scratch *s = maker->scratch;
    if (space->cost == KAN_CUT_DISCERNIBILITY) {
        const uint64_t k = space->k, all = s->cell_rows[cell], lost = s->cell_lost[cell];
        const uint64_t kept = all - lost;
        return space->n_rows * lost + kept * (kept > k ? kept : k) - all * (all > k ? all : k);
    }
    const uint32_t *of = s->cell_class_rows + cell * space->n_classes;
    const uint32_t *lost = s->cell_lost_class + cell * space->n_classes;
    uint32_t most = 0, most_kept = 0;
    for (unsigned c = 0; c < space->n_classes; c++) {
        if (!s->is_label[c])
            continue;
        most = of[c] > most ? of[c] : most;
        most_kept = of[c] - lost[c] > most_kept ? of[c] - lost[c] : most_kept;
    }
    return most - most_kept;
}

typedef struct {
    uint64_t cost;
    size_t n_touched;
} losses;

static void add_losses(kan_cut_maker *maker, const kan_cut_class *made, const uint32_t *atoms,
                       size_t n, losses *lost) {
    kan_cut_scratch *s = maker->scratch;
    const unsigned classes = maker->space->n_classes;
    for (size_t i = 0; i < n; i++) {
        const uint32_t atom = atoms[i], cell = s->cell_of[atom];
        if (s->cell_lost[cell] == 0)
            s->touched[lost->n_touched++] = cell;
        else
            lost->cost -= loss_cost(maker, cell);
        s->cell_lost[cell] += made->rows[atom];
        for (unsigned c = 0; c < classes; c++)
            s->cell_lost_class[cell * classes + c] += made->class_rows[atom * classes + c];
        lost->cost += loss_cost(maker, cell);
    }
}

static void forget_losses(kan_cut_maker *maker, losses *lost) {
    kan_cut_scratch *s = maker->scratch;
    const unsigned classes = maker->space->n_classes;
    for (size_t i = 0; i < lost->n_touched; i++) {
        s->cell_lost[s->touched[i]] = 0;
        for (unsigned c = 0; c < classes; c++)
            s->cell_lost_class[s->touched[i] * classes + c] = 0;
    }
    *lost = (losses){0, 0};
}

/* Choices of one place: from either end. Atoms are in the order of their places. */
static void walk_ends(kan_cut_maker *maker, kan_cut_class *made, unsigned a) {
    kan_cut_scratch *s = maker->scratch;
    const kan_cut_space *space = maker->space;
    const uint32_t *at = s->place_start;
    const uint32_t least = made->least[a], greatest = made->greatest[a];
    losses lost = {0, 0};
    for (uint32_t place = least; place < greatest && s->below[a][place + 1] < space->k; place++) {
        add_losses(maker, made, s->by_place + at[place - least],
                   at[place - least + 1] - at[place - least], &lost);
        const int32_t effect = s->effect_of[a][place + 1];
        if (effect != KAN_CUT_NO_EFFECT &&
            space->choices[made->effects[effect].choice].n_places == 1)
            made->effects[effect].made += lost.cost;
    }
    forget_losses(maker, &lost);
    for (uint32_t place = greatest; place > least && made->n_rows - s->below[a][place] < space->k;
         place--) {
        add_losses(maker, made, s->by_place + at[place - least],
                   at[place - least + 1] - at[place - least], &lost);
        const int32_t effect = s->effect_of[a][place];
        if (effect != KAN_CUT_NO_EFFECT &&
            space->choices[made->effects[effect].choice].n_places == 1)
            made->effects[effect].made += lost.cost;
    }
    forget_losses(maker, &lost);
}

/* Choices of several places: each part of less than k. */
static void walk_parts(kan_cut_maker *maker, kan_cut_class *made, kan_cut_effect *effect) {
    kan_cut_scratch *s = maker->scratch;
    const kan_choice *choice = &maker->space->choices[effect->choice];
    const unsigned a = choice->attribute;
    const uint32_t least = made->least[a], end = made->greatest[a] + 1;
    losses lost = {0, 0};
    uint32_t from = least;
    for (uint32_t p = 0; p <= choice->n_places; p++) {
        uint32_t to = p < choice->n_places ? choice->places[p] : end;
        if (to <= from)
            continue;
        to = to < end ? to : end;
        if (s->below[a][to] - s->below[a][from] < maker->space->k)
            add_losses(maker, made, s->by_place + s->place_start[from - least],
                       s->place_start[to - least] - s->place_start[from - least], &lost);
        from = to;
    }
    effect->made = lost.cost;
    forget_losses(maker, &lost);
}

static void sort_by_place(kan_cut_maker *maker, const kan_cut_class *made, unsigned a) {
    kan_cut_scratch *s = maker->scratch;
    const uint32_t least = made->least[a], n = made->greatest[a] - least + 1;
    memset(s->place_start, 0, (size_t)(n + 1) * sizeof *s->place_start);
    for (size_t i = 0; i < made->n_atoms; i++)
        s->place_start[kan_cut_place(maker, made->keys + i * maker->words, a) - least + 1]++;
    for (uint32_t p = 0; p < n; p++)
        s->place_start[p + 1] += s->place_start[p];
    for (size_t i = 0; i < made->n_atoms; i++)
        s->by_place[s->place_start[kan_cut_place(maker, made->keys + i * maker->words, a) -
                                   least]++] = (uint32_t)i;
    for (uint32_t p = n; p > 0; p--)
        s->place_start[p] = s->place_start[p - 1];
    s->place_start[0] = 0;
}

static void weigh_made(kan_cut_maker *maker, kan_cut_class *made) {
    const kan_cut_space *space = maker->space;
    for (unsigned first = 0, end; first < made->n_effects; first = end) {
        const unsigned a = space->choices[made->effects[first].choice].attribute;
        bool has_loss = false, has_single = false;
        for (end = first; end < made->n_effects; end++) {
            const kan_choice *choice = &space->choices[made->effects[end].choice];
            if (choice->attribute != a)
                break;
            has_loss |= made->effects[end].n_lost > 0;
            has_single |= made->effects[end].n_lost > 0 && choice->n_places == 1;
        }
        if (!has_loss)
            continue;
        sort_by_place(maker, made, a);
        if (has_single)
            walk_ends(maker, made, a);
        for (unsigned i = first; i < end; i++)
            if (made->effects[i].n_lost > 0 && space->choices[made->effects[i].choice].n_places > 1)
                walk_parts(maker, made, &made->effects[i]);
    }
    for (unsigned i = 0; i < made->n_effects; i++) {
        kan_cut_effect *effect = &made->effects[i];
        if (effect->n_lost == made->n_rows)
            effect->made = kan_cut_lost_cost(space, made->n_rows) - made->bound;
        if (space->cost != KAN_CUT_DISCERNIBILITY || 2 * made->n_rows > space->n_rows)
            continue; /* a row that others joined may be as dear as a lost one */
        const uint64_t sure = effect->n_lost * (space->n_rows - 2 * made->n_rows);
        effect->made_part = sure < effect->made ? sure : effect->made;
    }
}

void kan_cut_class_cells(kan_cut_maker *maker, kan_cut_class *made) {
    make_cells(maker, made);
    made->cost = whole_cost(maker, made);
    weigh_left(maker, made);
    weigh_made(maker, made);
    if (maker->space->cost == KAN_CUT_CLASSIFICATION && maker->scratch->n_labels > 1)
        kan_cut_class_parts(maker, made);
}

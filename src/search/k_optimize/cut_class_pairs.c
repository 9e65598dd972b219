/* Pairs of open choices: the rows that are lost when both are made. Two choices of one attribute
 * divide a class into three parts, two of different attributes into four: their sizes come from a
 * table of two attributes, summed up from its corner. Costs time for the atoms of the class per
 * pair of attributes, and for each pair of choices. */
#include <string.h>

#include "search/k_optimize/cut_class_scratch.h"

typedef struct {
    const uint32_t *rows; /* of the table below and left of a point */
    size_t width;
} corner_sums;

static inline uint32_t sum_inside(const uint32_t *sums, size_t width, const uint32_t *x,
                                  const uint32_t *y) {
    return sums[x[1] * width + y[1]] - sums[x[0] * width + y[1]] - sums[x[1] * width + y[0]] +
           sums[x[0] * width + y[0]];
}

/* Columns: a new one begins at every place of an open choice that divides the class. */
static void number_columns(kan_cut_maker *maker, const kan_cut_class *class_) {
    kan_cut_scratch *s = maker->scratch;
    const kan_cut_space *space = maker->space;
    for (unsigned a = 0; a < space->n_attributes; a++)
        memset(s->column[a] + class_->least[a], 0,
               (size_t)(class_->greatest[a] - class_->least[a] + 1) * sizeof **s->column);
    for (unsigned i = 0; i < class_->n_effects; i++) {
        const kan_choice *choice = &space->choices[class_->effects[i].choice];
        const unsigned a = choice->attribute;
        for (uint32_t p = 0; p < choice->n_places; p++)
            if (choice->places[p] > class_->least[a] && choice->places[p] <= class_->greatest[a])
                s->column[a][choice->places[p]] = 1;
    }
    for (unsigned a = 0; a < space->n_attributes; a++) {
        uint32_t column = 0;
        for (uint32_t place = class_->least[a]; place <= class_->greatest[a]; place++) {
            column += s->column[a][place];
            s->column[a][place] = column;
        }
        s->n_columns[a] = column + 1;
        if (column > 0)
            for (size_t i = 0; i < class_->n_atoms; i++)
                s->dense[a][i] =
                    (uint16_t)
                        s->column[a][kan_cut_place(maker, class_->keys + i * maker->words, a)];
    }
}

/* Sums for columns 0 .. n of both attributes; a is b for the sums of one. */
static void sum_up(kan_cut_maker *maker, const kan_cut_class *class_, unsigned a, unsigned b) {
    const kan_cut_scratch *s = maker->scratch;
    uint32_t *sums = s->table;
    const size_t height = s->n_columns[a] + 1, width = s->n_columns[b] + 1;
    memset(sums, 0, height * width * sizeof *sums);
    for (size_t i = 0; i < class_->n_atoms; i++)
        sums[(s->dense[a][i] + 1) * width + s->dense[b][i] + 1] += class_->rows[i];
    for (size_t y = 1; y < height; y++) {
        uint32_t row = 0;
        for (size_t x = 1; x < width; x++) {
            row += sums[y * width + x];
            sums[y * width + x] = sums[(y - 1) * width + x] + row;
        }
    }
}

/* The next part of a choice after column *at: its columns in span; false when there is none. */
static bool next_part(const kan_cut_maker *maker, const kan_cut_class *class_,
                      const kan_choice *choice, uint32_t *index, uint32_t *span) {
    const kan_cut_scratch *s = maker->scratch;
    const unsigned a = choice->attribute;
    if (*index > choice->n_places)
        return false;
    span[0] = span[1];
    while (*index < choice->n_places && choice->places[*index] <= class_->least[a])
        ++*index;
    const bool is_last = *index >= choice->n_places || choice->places[*index] > class_->greatest[a];
    span[1] = is_last ? s->n_columns[a] : s->column[a][choice->places[*index]];
    *index = is_last ? choice->n_places + 1 : *index + 1;
    return true;
}

static void add_lost(const kan_cut_maker *maker, const corner_sums *sums, const uint32_t *x,
                     const uint32_t *y, size_t pair, kan_cut_class *class_) {
    const uint32_t rows = sum_inside(sums->rows, sums->width, x, y);
    if (rows < maker->space->k)
        class_->pair_lost[pair] += rows;
}

/* Two choices of different attributes. */
static void pair_across(const kan_cut_maker *maker, const corner_sums *sums, size_t i, size_t j,
                        kan_cut_class *class_) {
    const kan_choice *first = &maker->space->choices[class_->effects[i].choice];
    const kan_choice *second = &maker->space->choices[class_->effects[j].choice];
    uint32_t x[2] = {0, 0};
    for (uint32_t p = 0; next_part(maker, class_, first, &p, x);) {
        uint32_t y[2] = {0, 0};
        for (uint32_t q = 0; next_part(maker, class_, second, &q, y);)
            add_lost(maker, sums, x, y, kan_cut_pair(i, j), class_);
    }
}

/* The same for choices of one place, which is nearly always so: one look-up gives all four parts.
 */
static void cross_single(const kan_cut_maker *maker, const corner_sums *sums, uint32_t x,
                         uint32_t y, size_t height, size_t pair, kan_cut_class *class_) {
    const size_t width = sums->width;
    const uint32_t *rows = sums->rows;
    const uint32_t k = maker->space->k < UINT32_MAX ? (uint32_t)maker->space->k : UINT32_MAX;
    const uint32_t both = rows[x * width + y], low = rows[x * width + width - 1],
                   left = rows[height * width + y], all = rows[height * width + width - 1];
    const uint32_t parts[4] = {both, low - both, left - both, all - low - left + both};
    uint32_t lost = 0;
    for (unsigned p = 0; p < 4; p++)
        lost += parts[p] < k ? parts[p] : 0;
    class_->pair_lost[pair] = lost;
}

/* Two choices of one attribute: the parts of both together. */
static void pair_along(const kan_cut_maker *maker, const corner_sums *sums, size_t i, size_t j,
                       kan_cut_class *class_) {
    const kan_choice *choices[2] = {&maker->space->choices[class_->effects[i].choice],
                                    &maker->space->choices[class_->effects[j].choice]};
    const kan_cut_scratch *s = maker->scratch;
    const unsigned a = choices[0]->attribute;
    uint32_t at[2] = {0, 0}, x[2] = {0, 0};
    const uint32_t whole[2] = {0, (uint32_t)sums->width - 1};
    while (x[1] < s->n_columns[a]) {
        uint32_t end = s->n_columns[a];
        for (unsigned c = 0; c < 2; c++) {
            while (at[c] < choices[c]->n_places &&
                   (choices[c]->places[at[c]] <= class_->least[a] ||
                    (choices[c]->places[at[c]] <= class_->greatest[a] &&
                     s->column[a][choices[c]->places[at[c]]] <= x[1])))
                at[c]++;
            if (at[c] < choices[c]->n_places && choices[c]->places[at[c]] <= class_->greatest[a] &&
                s->column[a][choices[c]->places[at[c]]] < end)
                end = s->column[a][choices[c]->places[at[c]]];
        }
        x[0] = x[1];
        x[1] = end;
        add_lost(maker, sums, x, whole, kan_cut_pair(i, j), class_);
    }
}

/* The first effect of the next attribute. */
static size_t attribute_end(const kan_cut_maker *maker, const kan_cut_class *class_, size_t first) {
    const unsigned a = maker->space->choices[class_->effects[first].choice].attribute;
    size_t end = first;
    while (end < class_->n_effects &&
           maker->space->choices[class_->effects[end].choice].attribute == a)
        end++;
    return end;
}

static void pair_up(kan_cut_maker *maker, const corner_sums *sums, size_t i, size_t j,
                    size_t height, kan_cut_class *class_) {
    const kan_cut_scratch *s = maker->scratch;
    const kan_choice *first = &maker->space->choices[class_->effects[i].choice];
    const kan_choice *second = &maker->space->choices[class_->effects[j].choice];
    if (first->attribute == second->attribute)
        pair_along(maker, sums, i, j, class_);
    else if (first->n_places == 1 && second->n_places == 1)
        cross_single(maker, sums, s->column[first->attribute][first->places[0]],
                     s->column[second->attribute][second->places[0]], height, kan_cut_pair(i, j),
                     class_);
    else
        pair_across(maker, sums, i, j, class_);
}

kan_status kan_cut_class_pairs(kan_cut_maker *maker, kan_cut_class *class_) {
    kan_cut_scratch *s = maker->scratch;
    const size_t n = class_->n_effects, n_pairs = n > 1 ? kan_cut_pair(0, n) : 0;
    if (class_->has_pairs)
        return KAN_OK;
    memset(class_->pair_lost, 0, n_pairs * sizeof *class_->pair_lost);
    number_columns(maker, class_);
    for (size_t i = 0, i_end; i < n; i = i_end) {
        i_end = attribute_end(maker, class_, i);
        const unsigned a = maker->space->choices[class_->effects[i].choice].attribute;
        for (size_t j = i, j_end; j < n; j = j_end) {
            j_end = attribute_end(maker, class_, j);
            const unsigned b = maker->space->choices[class_->effects[j].choice].attribute;
            const size_t height = s->n_columns[a], width = s->n_columns[b] + 1;
            KAN_TRY(kan_reserve(maker->space->run, (height + 1) * width, sizeof *s->table,
                                &s->table_room, &s->table));
            sum_up(maker, class_, a, b);
            const corner_sums sums = {s->table, width};
            for (size_t x = i; x < i_end; x++)
                for (size_t y = j > x ? j : x + 1; y < j_end; y++)
                    pair_up(maker, &sums, x, y, height, class_);
        }
    }
    class_->has_pairs = true;
    return KAN_OK;
}

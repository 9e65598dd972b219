/* Numbering classes, from the tables at the bottom up. Words of an item are what its columns show, then
 * for each table below how many children there are and their classes in order. O(rows log children). */
#include <stdlib.h>

#include "group/kin/kin_inside.h"

bool kan_kin_is_plain(const kan_kin_table *table) {
    return table->n_columns == 0 && table->n_children == 0;
}

static kan_status make_room(kan_kin_space *space) {
    const kan_kin *kin = space->kin;
    size_t most = 1, codes = 1;
    for (size_t t = 0; t < kin->n_tables; t++) {
        const kan_kin_table *table = &kin->tables[t];
        KAN_TRY(kan_alloc_zero(space->run, table->n, sizeof(uint32_t), &space->classes[t]));
        KAN_TRY(kan_alloc(space->run, table->n, sizeof(uint32_t), &space->firsts[t]));
        KAN_TRY(kan_alloc(space->run, 2 * (size_t)table->n, sizeof(uint64_t), &space->rows[t]));
        most = table->n > most ? table->n : most;
        for (size_t c = 0; c < table->n_columns; c++)
            codes = table->columns[c].n_codes > codes ? table->columns[c].n_codes : codes;
    }
    for (space->n_slots = 4; space->n_slots < 2 * most; space->n_slots *= 2)
        ;
    KAN_TRY(kan_alloc(space->run, most + 1, sizeof *space->starts, &space->starts));
    KAN_TRY(kan_alloc(space->run, most, sizeof *space->hashes, &space->hashes));
    KAN_TRY(kan_alloc(space->run, space->n_slots, sizeof *space->slots, &space->slots));
    KAN_TRY(kan_alloc(space->run, codes, sizeof *space->histogram, &space->histogram));
    return kan_alloc(space->run, (size_t)kin->tables[0].n + 1, sizeof *space->people,
                     &space->people);
}

kan_status kan_kin_space_create(kan_run *run, const kan_kin *kin, kan_kin_space **out) {
    kan_kin_space *space;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *space, &space));
    space->run = run;
    space->kin = kin;
    const kan_status status = make_room(space);
    if (status == KAN_OK)
        *out = space;
    else
        kan_kin_space_destroy(space);
    return status;
}

void kan_kin_space_destroy(kan_kin_space *space) {
    if (!space)
        return;
    for (size_t t = 0; t < space->kin->n_tables; t++) {
        kan_free(space->run, space->classes[t]);
        kan_free(space->run, space->firsts[t]);
        kan_free(space->run, space->rows[t]);
    }
    kan_free(space->run, space->words);
    kan_free(space->run, space->starts);
    kan_free(space->run, space->hashes);
    kan_free(space->run, space->slots);
    kan_free(space->run, space->histogram);
    kan_free(space->run, space->people);
    kan_free(space->run, space);
}

const uint32_t *kan_kin_classes(const kan_kin_space *space, size_t table, uint32_t *n) {
    *n = space->n_classes[table];
    return space->classes[table];
}

/* ---- words ---------------------------------------------------------------------------------- */

static int compare_words(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Most rows have few children. */
static void sort_words(uint32_t *words, size_t n) {
    enum { FEW = 24 };
    if (n > FEW) {
        qsort(words, n, sizeof *words, compare_words);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const uint32_t word = words[i];
        size_t at = i;
        for (; at > 0 && words[at - 1] > word; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
}

/* Adds the words of an item behind those of the classes; how many is told. */
static kan_status spell(kan_kin_space *space, const kan_kin_table *table, const unsigned *levels,
                        uint32_t item, size_t *size) {
    size_t need = table->n_columns;
    for (size_t c = 0; c < table->n_children; c++)
        need += 1 + (size_t)(table->children[c].start[item + 1] - table->children[c].start[item]);
    KAN_TRY(kan_reserve(space->run, space->n_words + need, sizeof *space->words,
                        &space->words_capacity, &space->words));
    uint32_t *to = space->words + space->n_words;
    for (size_t c = 0; c < table->n_columns; c++) {
        const kan_kin_column *column = &table->columns[c];
        *to++ = column->groups[levels[column->attribute]][column->codes[item]];
    }
    for (size_t c = 0; c < table->n_children; c++) {
        const kan_kin_children *children = &table->children[c];
        const uint64_t begin = children->start[item], end = children->start[item + 1];
        *to++ = (uint32_t)(end - begin);
        if (kan_kin_is_plain(&space->kin->tables[children->table]))
            continue;
        for (uint64_t i = begin; i < end; i++)
            to[i - begin] = space->classes[children->table][children->members[i]];
        sort_words(to, (size_t)(end - begin));
        to += end - begin;
    }
    *size = (size_t)(to - space->words) - space->n_words;
    return KAN_OK;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* The class that has the words behind all others; a new one where none has. */
static uint32_t find_class(kan_kin_space *space, size_t size, uint32_t *n_classes) {
    const uint32_t *words = space->words + space->n_words;
    const uint64_t hash = kan_hash_bytes(words, size * sizeof *words);
    size_t slot = (size_t)hash & (space->n_slots - 1);
    for (; space->slots[slot]; slot = (slot + 1) & (space->n_slots - 1)) {
        const uint32_t class = space->slots[slot] - 1;
        const size_t start = space->starts[class];
        if (space->hashes[class] == hash && space->starts[class + 1] - start == size &&
            (size == 0 || memcmp(space->words + start, words, size * sizeof *words) == 0))
            return class;
    }
    const uint32_t class = (*n_classes)++;
    space->slots[slot] = class + 1;
    space->hashes[class] = hash;
    space->n_words += size;
    space->starts[class + 1] = space->n_words;
    return class;
}

static kan_status number_table(kan_kin_space *space, size_t t, const unsigned *levels) {
    const kan_kin_table *table = &space->kin->tables[t];
    uint32_t n = 0;
    memset(space->slots, 0, space->n_slots * sizeof *space->slots);
    space->n_words = 0;
    space->starts[0] = 0;
    for (uint32_t item = 0; item < table->n; item++) {
        size_t size;
        KAN_TRY(spell(space, table, levels, item, &size));
        const uint32_t before = n, class = find_class(space, size, &n);
        if (n > before)
            space->firsts[t][class] = item;
        space->classes[t][item] = class;
    }
    space->n_classes[t] = n;
    return KAN_OK;
}

kan_status kan_kin_number(kan_kin_space *space, const unsigned *levels) {
    for (size_t t = space->kin->n_tables; t-- > 0;)
        KAN_TRY(number_table(space, t, levels));
    return KAN_OK;
}

/* ---- people --------------------------------------------------------------------------------- */

static uint64_t people_of(const kan_kin_table *table, uint32_t item) {
    return table->counts ? table->counts[item] : 1;
}

uint64_t kan_kin_leave(kan_kin_space *space, uint64_t k, uint8_t *is_left) {
    const kan_kin_table *people = &space->kin->tables[0];
    uint64_t n_left = 0;
    memset(space->people, 0, (size_t)space->n_classes[0] * sizeof *space->people);
    for (uint32_t item = 0; item < people->n; item++)
        space->people[space->classes[0][item]] += people_of(people, item);
    for (uint32_t item = 0; item < people->n; item++) {
        is_left[item] = space->people[space->classes[0][item]] < k;
        n_left += is_left[item] ? people_of(people, item) : 0;
    }
    return n_left;
}

uint64_t kan_kin_leave_classes(const kan_kin_space *space, const uint8_t *fails, uint8_t *is_left) {
    const kan_kin_table *people = &space->kin->tables[0];
    uint64_t n_left = 0;
    for (uint32_t item = 0; item < people->n; item++) {
        is_left[item] |= fails[space->classes[0][item]];
        n_left += is_left[item] ? people_of(people, item) : 0;
    }
    return n_left;
}

/* ---- prices --------------------------------------------------------------------------------- */

/* rows[2 * item] are rows of people who stay, rows[2 * item + 1] of those who do not. */
static void spread_rows(const kan_kin_space *space, size_t t) {
    const kan_kin_table *table = &space->kin->tables[t];
    for (size_t c = 0; c < table->n_children; c++) {
        const kan_kin_children *children = &table->children[c];
        uint64_t *to = space->rows[children->table];
        for (uint32_t item = 0; children->members && item < table->n; item++)
            for (uint64_t i = children->start[item]; i < children->start[item + 1]; i++) {
                to[2 * (size_t)children->members[i]] += space->rows[t][2 * (size_t)item];
                to[2 * (size_t)children->members[i] + 1] += space->rows[t][2 * (size_t)item + 1];
            }
    }
}

static kan_u128 price_column(kan_kin_space *space, size_t t, const kan_kin_column *column,
                             kan_u128 *sums) {
    const uint32_t n = space->kin->tables[t].n;
    const unsigned height = space->kin->heights[column->attribute];
    uint64_t n_left = 0;
    memset(space->histogram, 0, column->n_codes * sizeof *space->histogram);
    for (uint32_t item = 0; item < n; item++) {
        space->histogram[column->codes[item]] += space->rows[t][2 * (size_t)item];
        n_left += space->rows[t][2 * (size_t)item + 1];
    }
    for (unsigned level = 0; level <= height; level++)
        for (uint32_t code = 0; code < column->n_codes; code++)
            sums[level] += (kan_u128)space->histogram[code] * column->prices[level][code];
    return (kan_u128)n_left * column->suppressed;
}

kan_u128 kan_kin_price(kan_kin_space *space, const uint8_t *is_left, kan_u128 *sums) {
    const kan_kin *kin = space->kin;
    kan_u128 left = 0;
    memset(sums, 0, (size_t)kin->n_attributes * kin->n_levels * sizeof *sums);
    for (size_t t = 0; t < kin->n_tables; t++)
        memset(space->rows[t], 0, 2 * (size_t)kin->tables[t].n * sizeof **space->rows);
    for (uint32_t item = 0; item < kin->tables[0].n; item++)
        space->rows[0][2 * (size_t)item + (is_left[item] != 0)] = people_of(&kin->tables[0], item);
    for (size_t t = 0; t < kin->n_tables; t++) {
        const kan_kin_table *table = &kin->tables[t];
        for (size_t c = 0; c < table->n_columns; c++)
            left += price_column(space, t, &table->columns[c],
                                 sums + (size_t)table->columns[c].attribute * kin->n_levels);
        spread_rows(space, t);
    }
    return left;
}

/* Adds up rows of a table's items, of people who stay and of others. */
static void sum_rows(const kan_kin_space *space, size_t t, uint64_t *stay, uint64_t *leave) {
    for (uint32_t item = 0; item < space->kin->tables[t].n; item++) {
        *stay += space->rows[t][2 * (size_t)item];
        *leave += space->rows[t][2 * (size_t)item + 1];
    }
}

/* The same of rows of which their parents only know how many there are. */
static void sum_plain_rows(const kan_kin_space *space, size_t parent,
                           const kan_kin_children *children, uint64_t *stay, uint64_t *leave) {
    for (uint32_t item = 0; item < space->kin->tables[parent].n; item++) {
        const uint64_t n = children->start[item + 1] - children->start[item];
        *stay += n * space->rows[parent][2 * (size_t)item];
        *leave += n * space->rows[parent][2 * (size_t)item + 1];
    }
}

bool kan_kin_keeps_all_tables(const kan_kin_space *space) {
    const kan_kin *kin = space->kin;
    uint64_t stay[KAN_KIN_TABLES] = {0}, leave[KAN_KIN_TABLES] = {0};
    bool keeps = true;
    for (size_t t = 0; t < kin->n_tables; t++) {
        const kan_kin_table *table = &kin->tables[t];
        sum_rows(space, t, &stay[t], &leave[t]);
        for (size_t c = 0; c < table->n_children; c++) {
            const kan_kin_children *children = &table->children[c];
            if (!children->members)
                sum_plain_rows(space, t, children, &stay[children->table], &leave[children->table]);
        }
    }
    for (size_t t = 0; t < kin->n_tables; t++)
        keeps = keeps && (stay[t] > 0 || leave[t] == 0);
    return keeps;
}

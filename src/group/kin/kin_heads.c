/* Groups of every table by itself: rows that show the same, whatever is above and below them. How many
 * people have a row in each is counted, and who has one in a group of fewer than k leaves with all rows,
 * again and again, until no group fails (docs/papers/people.md, by person). What rows show at the lowest
 * levels is a tuple; people of one item have the same tuples, and are counted together.
 * O(different pairs of item and tuple) each time. */
#include <stdlib.h>

#include "group/kin/kin_inside.h"

/* A table. */
typedef struct {
    size_t n_columns;
    const kan_kin_column *columns; /* of the rows */
    uint32_t n;                    /* tuples */
    uint32_t *row;                 /* of each: a row that shows it */
    size_t *start;                 /* by item of people, and one more */
    uint32_t *tuples;              /* those of each item, each once */
    uint32_t *group;               /* by tuple, at the node in hand */
    uint64_t *people;              /* by group: those who are left */
    uint32_t *met;                 /* by group: the item that was counted last, from 1 */
} head_table;

struct kan_kin_heads {
    kan_run *run;
    kan_arena arena;
    const kan_kin *items;
    size_t n_tables;
    head_table tables[KAN_KIN_TABLES];
    uint32_t *words, *slots; /* of as many tuples as the largest table has; open addressing */
    size_t n_slots;
};

/* ---- tuples --------------------------------------------------------------------------------- */

static const uint32_t *words_of(const kan_kin_heads *heads, const head_table *table, uint32_t n) {
    return heads->words + (size_t)n * table->n_columns;
}

/* The number of what a row shows; a new one is *n, which is counted up. Levels are by attribute. */
static uint32_t number_row(kan_kin_heads *heads, const head_table *table, const unsigned *levels,
                           uint32_t row, uint32_t *n) {
    uint32_t *words = heads->words + (size_t)*n * table->n_columns;
    const size_t size = table->n_columns * sizeof *words;
    for (size_t c = 0; c < table->n_columns; c++)
        words[c] = table->columns[c]
                       .groups[levels[table->columns[c].attribute]][table->columns[c].codes[row]];
    size_t slot = (size_t)kan_hash_bytes(words, size) & (heads->n_slots - 1);
    for (; heads->slots[slot]; slot = (slot + 1) & (heads->n_slots - 1))
        if (size == 0 || memcmp(words_of(heads, table, heads->slots[slot] - 1), words, size) == 0)
            return heads->slots[slot] - 1;
    heads->slots[slot] = ++*n;
    return *n - 1;
}

static void begin_numbers(kan_kin_heads *heads, size_t most) {
    for (heads->n_slots = 4; heads->n_slots < 2 * most; heads->n_slots *= 2)
        ;
    memset(heads->slots, 0, heads->n_slots * sizeof *heads->slots);
}

/* ---- once ----------------------------------------------------------------------------------- */

typedef struct {
    uint32_t item, tuple;
} pair;

static int compare_pairs(const void *a, const void *b) {
    const pair *x = a, *y = b;
    if (x->item != y->item)
        return x->item < y->item ? -1 : 1;
    return (x->tuple > y->tuple) - (x->tuple < y->tuple);
}

/* The tuples of each item, from one pair for each row. */
static kan_status list_tuples(kan_kin_heads *heads, head_table *table, pair *pairs, size_t n) {
    const uint32_t n_items = heads->items->tables[0].n;
    size_t n_once = 0;
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    KAN_TRY(
        kan_arena_alloc(&heads->arena, (size_t)n_items + 1, sizeof *table->start, &table->start));
    KAN_TRY(kan_arena_alloc(&heads->arena, n, sizeof *table->tuples, &table->tuples));
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare_pairs(&pairs[i - 1], &pairs[i]) != 0) {
            table->start[pairs[i].item + 1]++;
            table->tuples[n_once++] = pairs[i].tuple;
        }
    for (uint32_t item = 0; item < n_items; item++)
        table->start[item + 1] += table->start[item];
    return KAN_OK;
}

static kan_status take_table(kan_kin_heads *heads, const kan_kin_table *rows,
                             const uint32_t *person, const uint32_t *item_of,
                             const unsigned *lowest, head_table *table) {
    pair *pairs;
    kan_status status;
    table->n_columns = rows->n_columns;
    table->columns = rows->columns;
    KAN_TRY(kan_arena_alloc(&heads->arena, rows->n, sizeof *table->row, &table->row));
    KAN_TRY(kan_alloc(heads->run, rows->n, sizeof *pairs, &pairs));
    begin_numbers(heads, rows->n);
    for (uint32_t row = 0; row < rows->n; row++) {
        const uint32_t before = table->n, tuple = number_row(heads, table, lowest, row, &table->n);
        if (table->n > before)
            table->row[tuple] = row;
        pairs[row] = (pair){item_of ? item_of[person[row]] : person[row], tuple};
    }
    status = list_tuples(heads, table, pairs, rows->n);
    kan_free(heads->run, pairs);
    KAN_TRY(status);
    KAN_TRY(kan_arena_alloc(&heads->arena, table->n, sizeof *table->group, &table->group));
    KAN_TRY(kan_arena_alloc(&heads->arena, table->n, sizeof *table->people, &table->people));
    return kan_arena_alloc(&heads->arena, table->n, sizeof *table->met, &table->met);
}

static kan_status make_room(kan_kin_heads *heads, const kan_kin *rows) {
    size_t most = 1, most_words = 1;
    for (size_t t = 0; t < rows->n_tables; t++) {
        const size_t n = rows->tables[t].n, words = (n + 1) * rows->tables[t].n_columns;
        most = n > most ? n : most;
        most_words = words > most_words ? words : most_words;
    }
    for (heads->n_slots = 4; heads->n_slots < 2 * most; heads->n_slots *= 2)
        ;
    KAN_TRY(kan_alloc(heads->run, most_words, sizeof *heads->words, &heads->words));
    return kan_alloc(heads->run, heads->n_slots, sizeof *heads->slots, &heads->slots);
}

static kan_status make(kan_kin_heads *heads, const kan_kin *rows, const uint32_t *item_of,
                       const unsigned *lowest) {
    uint32_t *person[KAN_KIN_TABLES] = {NULL};
    kan_status status;
    KAN_TRY_DONE(make_room(heads, rows));
    for (size_t t = 0; t < rows->n_tables; t++)
        KAN_TRY_DONE(kan_alloc(heads->run, rows->tables[t].n, sizeof *person[t], &person[t]));
    kan_kin_find_people(rows, person);
    for (size_t t = 0; t < rows->n_tables; t++)
        KAN_TRY_DONE(
            take_table(heads, &rows->tables[t], person[t], item_of, lowest, &heads->tables[t]));
done:
    for (size_t t = 0; t < rows->n_tables; t++)
        kan_free(heads->run, person[t]);
    return status;
}

kan_status kan_kin_heads_create(kan_run *run, const kan_kin *rows, const kan_kin *items,
                                const uint32_t *item_of, const unsigned *lowest,
                                kan_kin_heads **out) {
    kan_kin_heads *heads;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *heads, &heads));
    heads->run = run;
    heads->items = items;
    heads->n_tables = rows->n_tables;
    kan_arena_init(&heads->arena, run);
    const kan_status status = make(heads, rows, item_of, lowest);
    if (status == KAN_OK)
        *out = heads;
    else
        kan_kin_heads_destroy(heads);
    return status;
}

void kan_kin_heads_destroy(kan_kin_heads *heads) {
    if (!heads)
        return;
    kan_free(heads->run, heads->words);
    kan_free(heads->run, heads->slots);
    kan_arena_destroy(&heads->arena);
    kan_free(heads->run, heads);
}

/* ---- a node --------------------------------------------------------------------------------- */

static void number_groups(kan_kin_heads *heads, head_table *table, const unsigned *levels) {
    uint32_t n = 0;
    begin_numbers(heads, table->n);
    for (uint32_t tuple = 0; tuple < table->n; tuple++)
        table->group[tuple] = number_row(heads, table, levels, table->row[tuple], &n);
}

static uint64_t people_of(const kan_kin_heads *heads, uint32_t item) {
    const uint64_t *counts = heads->items->tables[0].counts;
    return counts ? counts[item] : 1;
}

/* Who is left and has a row in each group. */
static void count_table(const kan_kin_heads *heads, head_table *table, const uint8_t *is_left) {
    if (table->n == 0)
        return;
    memset(table->people, 0, table->n * sizeof *table->people);
    memset(table->met, 0, table->n * sizeof *table->met);
    for (uint32_t item = 0; item < heads->items->tables[0].n; item++)
        for (size_t i = table->start[item]; i < table->start[item + 1] && !is_left[item]; i++) {
            const uint32_t group = table->group[table->tuples[i]];
            table->people[group] += table->met[group] == item + 1 ? 0 : people_of(heads, item);
            table->met[group] = item + 1;
        }
}

/* Whether somebody more leaves. */
static bool leave_table(const kan_kin_heads *heads, const head_table *table, uint64_t k,
                        uint8_t *is_left) {
    bool any = false;
    for (uint32_t item = 0; item < heads->items->tables[0].n && table->n > 0; item++)
        for (size_t i = table->start[item]; i < table->start[item + 1] && !is_left[item]; i++)
            if (table->people[table->group[table->tuples[i]]] < k) {
                is_left[item] = 1;
                any = true;
            }
    return any;
}

uint64_t kan_kin_heads_leave(kan_kin_heads *heads, const unsigned *levels, uint64_t k,
                             uint8_t *is_left) {
    uint64_t n_left = 0;
    memset(is_left, 0, heads->items->tables[0].n);
    for (size_t t = 0; t < heads->n_tables; t++)
        number_groups(heads, &heads->tables[t], levels);
    for (bool any = true; any;) {
        any = false;
        for (size_t t = 0; t < heads->n_tables; t++) {
            count_table(heads, &heads->tables[t], is_left);
            any |= leave_table(heads, &heads->tables[t], k, is_left);
        }
    }
    for (uint32_t item = 0; item < heads->items->tables[0].n; item++)
        n_left += is_left[item] ? people_of(heads, item) : 0;
    return n_left;
}

/* Parts: rows of people of one class under the same chain of classes.
 *
 * At the lowest levels a part is known by the part that its rows are below and by their item; parts there
 * are numbered once, and at a node they merge: two are one when those above them are, and their items
 * have one class. Who has which value in which part is kept in the order of values and people, so that
 * one pass puts it into the parts of a node, where whoever has a value twice stands next to herself.
 * O(rows log rows) once, O(different parts and values) at a node. */
#include <stdlib.h>

#include "group/kin/kin_inside.h"

/* Somebody who has a value in a part. */
typedef struct {
    uint32_t value, person, part;
} holding;

/* A column of a table. */
typedef struct {
    holding *holdings; /* by value, then by person; each once */
    size_t n;
    uint32_t *order; /* of these, by part at the node in hand */
    size_t *start, *ends;
    uint32_t *value;
    uint64_t *count, *total;
} tail;

/* A table. */
typedef struct {
    bool is_needed;
    size_t parent;
    uint32_t n;             /* parts at the lowest levels */
    uint32_t *above, *item; /* of each: the part of the parent table that its rows are below */
    uint32_t *node;         /* of each: the part of the node in hand that it belongs to */
    uint32_t n_nodes;
    uint32_t *classes; /* by part of the node in hand: the class of people */
    uint64_t *people;
    size_t n_tails;
    tail *tails;
    kan_tally *tallies;
    const uint64_t **totals;
} stage;

struct kan_kin_parts {
    kan_run *run;
    kan_arena arena;
    size_t n_tables;
    stage stages[KAN_KIN_TABLES];
    uint64_t *pairs; /* a table of pairs: open addressing */
    uint32_t *numbers;
    size_t n_slots;
    uint64_t edition; /* of what groups show */
};

/* ---- pairs ---------------------------------------------------------------------------------- */

static void begin_pairs(kan_kin_parts *parts, size_t most) {
    for (parts->n_slots = 4; parts->n_slots < 2 * most; parts->n_slots *= 2)
        ;
    memset(parts->numbers, 0, parts->n_slots * sizeof *parts->numbers);
}

/* The number of a pair; a new one is *n, which is counted up. */
static uint32_t number_pair(kan_kin_parts *parts, uint32_t above, uint32_t item, uint32_t *n) {
    const uint64_t pair = (uint64_t)above << 32 | item;
    uint64_t mixed = pair * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    size_t slot = (size_t)(mixed ^ mixed >> 32) & (parts->n_slots - 1);
    for (; parts->numbers[slot]; slot = (slot + 1) & (parts->n_slots - 1))
        if (parts->pairs[slot] == pair)
            return parts->numbers[slot] - 1;
    parts->pairs[slot] = pair;
    parts->numbers[slot] = ++*n;
    return *n - 1;
}

/* ---- the lowest levels ---------------------------------------------------------------------- */

static void find_parents(const kan_kin *rows, kan_kin_parts *parts) {
    for (size_t t = 0; t < rows->n_tables; t++)
        for (size_t c = 0; c < rows->tables[t].n_children; c++)
            parts->stages[rows->tables[t].children[c].table].parent = t;
}

static void mark_needed(kan_kin_parts *parts, const kan_kin_secrets *secrets) {
    for (size_t t = parts->n_tables; t-- > 0;) {
        parts->stages[t].is_needed |= secrets[t].n_tails > 0;
        if (parts->stages[t].is_needed)
            parts->stages[parts->stages[t].parent].is_needed = true;
    }
}

/* Everything of a row: its person, and the row that it is below. */
typedef struct {
    uint32_t *person[KAN_KIN_TABLES], *above[KAN_KIN_TABLES], *part[KAN_KIN_TABLES];
} row_facts;

void kan_kin_find_people(const kan_kin *rows, uint32_t *const *person) {
    for (uint32_t row = 0; row < rows->tables[0].n; row++)
        person[0][row] = row;
    for (size_t t = 0; t < rows->n_tables; t++)
        for (size_t c = 0; c < rows->tables[t].n_children; c++) {
            const kan_kin_children *children = &rows->tables[t].children[c];
            for (uint32_t row = 0; row < rows->tables[t].n; row++)
                for (uint64_t i = children->start[row]; i < children->start[row + 1]; i++)
                    person[children->table][children->members[i]] = person[t][row];
        }
}

static kan_status find_facts(kan_arena *arena, const kan_kin *rows, row_facts *out) {
    for (size_t t = 0; t < rows->n_tables; t++) {
        KAN_TRY(kan_arena_alloc(arena, rows->tables[t].n, sizeof **out->person, &out->person[t]));
        KAN_TRY(kan_arena_alloc(arena, rows->tables[t].n, sizeof **out->above, &out->above[t]));
        KAN_TRY(kan_arena_alloc(arena, rows->tables[t].n, sizeof **out->part, &out->part[t]));
    }
    kan_kin_find_people(rows, out->person);
    for (size_t t = 0; t < rows->n_tables; t++)
        for (size_t c = 0; c < rows->tables[t].n_children; c++) {
            const kan_kin_children *children = &rows->tables[t].children[c];
            for (uint32_t row = 0; row < rows->tables[t].n; row++)
                for (uint64_t i = children->start[row]; i < children->start[row + 1]; i++)
                    out->above[children->table][children->members[i]] = row;
        }
    return KAN_OK;
}

static kan_status number_lowest(kan_kin_parts *parts, const kan_kin *rows, uint32_t *const *item_of,
                                row_facts *facts, size_t t) {
    stage *s = &parts->stages[t];
    const uint32_t n_rows = rows->tables[t].n;
    const bool is_plain = kan_kin_is_plain(&rows->tables[t]) && t > 0;
    KAN_TRY(kan_arena_alloc(&parts->arena, n_rows, sizeof *s->above, &s->above));
    KAN_TRY(kan_arena_alloc(&parts->arena, n_rows, sizeof *s->item, &s->item));
    begin_pairs(parts, n_rows);
    for (uint32_t row = 0; row < n_rows; row++) {
        const uint32_t above = t > 0 ? facts->part[s->parent][facts->above[t][row]] : 0;
        const uint32_t item = is_plain ? 0 : item_of ? item_of[t][row] : row;
        const uint32_t part = number_pair(parts, above, item, &s->n);
        s->above[part] = above;
        s->item[part] = item;
        facts->part[t][row] = part;
    }
    KAN_TRY(kan_arena_alloc(&parts->arena, s->n, sizeof *s->node, &s->node));
    KAN_TRY(kan_arena_alloc(&parts->arena, s->n, sizeof *s->classes, &s->classes));
    return kan_arena_alloc(&parts->arena, s->n, sizeof *s->people, &s->people);
}

static int compare_holdings(const void *a, const void *b) {
    const holding *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->person != y->person)
        return x->person < y->person ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

static kan_status list_holdings(kan_kin_parts *parts, size_t t, const uint32_t *values,
                                uint32_t n_rows, const row_facts *facts, tail *out) {
    kan_arena *arena = &parts->arena;
    const size_t n_parts = parts->stages[t].n;
    KAN_TRY(kan_arena_alloc(arena, n_rows, sizeof *out->holdings, &out->holdings));
    for (uint32_t row = 0; row < n_rows; row++)
        out->holdings[row] = (holding){values[row], facts->person[t][row], facts->part[t][row]};
    qsort(out->holdings, n_rows, sizeof *out->holdings, compare_holdings);
    for (uint32_t i = 0; i < n_rows; i++)
        if (i == 0 || compare_holdings(&out->holdings[i], &out->holdings[i - 1]) != 0)
            out->holdings[out->n++] = out->holdings[i];
    KAN_TRY(kan_arena_alloc(arena, out->n, sizeof *out->order, &out->order));
    KAN_TRY(kan_arena_alloc(arena, out->n, sizeof *out->value, &out->value));
    KAN_TRY(kan_arena_alloc(arena, out->n, sizeof *out->count, &out->count));
    KAN_TRY(kan_arena_alloc(arena, n_parts, sizeof *out->total, &out->total));
    KAN_TRY(kan_arena_alloc(arena, n_parts + 1, sizeof *out->ends, &out->ends));
    return kan_arena_alloc(arena, n_parts + 1, sizeof *out->start, &out->start);
}

static kan_status take_secrets(kan_kin_parts *parts, size_t t, const kan_kin_secrets *secrets,
                               uint32_t n_rows, const row_facts *facts) {
    stage *s = &parts->stages[t];
    s->n_tails = secrets->n_tails;
    KAN_TRY(kan_arena_alloc(&parts->arena, s->n_tails, sizeof *s->tails, &s->tails));
    KAN_TRY(kan_arena_alloc(&parts->arena, s->n_tails, sizeof *s->tallies, &s->tallies));
    KAN_TRY(kan_arena_alloc(&parts->arena, s->n_tails, sizeof *s->totals, &s->totals));
    for (size_t i = 0; i < s->n_tails; i++)
        if (secrets->values[i])
            KAN_TRY(list_holdings(parts, t, secrets->values[i], n_rows, facts, &s->tails[i]));
    return KAN_OK;
}

static kan_status make(kan_kin_parts *parts, const kan_kin *rows, uint32_t *const *item_of,
                       const kan_kin_secrets *secrets, row_facts *facts) {
    size_t most = 1;
    for (size_t t = 0; t < rows->n_tables; t++)
        most = rows->tables[t].n > most ? rows->tables[t].n : most;
    for (parts->n_slots = 4; parts->n_slots < 2 * most; parts->n_slots *= 2)
        ;
    KAN_TRY(kan_alloc(parts->run, parts->n_slots, sizeof *parts->pairs, &parts->pairs));
    KAN_TRY(kan_alloc(parts->run, parts->n_slots, sizeof *parts->numbers, &parts->numbers));
    find_parents(rows, parts);
    mark_needed(parts, secrets);
    for (size_t t = 0; t < rows->n_tables; t++) {
        if (!parts->stages[t].is_needed)
            continue;
        KAN_TRY(number_lowest(parts, rows, item_of, facts, t));
        KAN_TRY(take_secrets(parts, t, &secrets[t], rows->tables[t].n, facts));
        KAN_TRY(kan_check_cancel(parts->run));
    }
    return KAN_OK;
}

kan_status kan_kin_parts_create(kan_run *run, const kan_kin *rows, uint32_t *const *item_of,
                                const kan_kin_secrets *secrets, kan_kin_parts **out) {
    kan_arena scratch;
    kan_kin_parts *parts;
    row_facts facts = {.person = {NULL}};
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *parts, &parts));
    parts->run = run;
    parts->n_tables = rows->n_tables;
    kan_arena_init(&parts->arena, run);
    kan_arena_init(&scratch, run);
    kan_status status = find_facts(&scratch, rows, &facts);
    if (status == KAN_OK)
        status = make(parts, rows, item_of, secrets, &facts);
    kan_arena_destroy(&scratch);
    if (status == KAN_OK)
        *out = parts;
    else
        kan_kin_parts_destroy(parts);
    return status;
}

void kan_kin_parts_destroy(kan_kin_parts *parts) {
    if (!parts)
        return;
    kan_free(parts->run, parts->pairs);
    kan_free(parts->run, parts->numbers);
    kan_arena_destroy(&parts->arena);
    kan_free(parts->run, parts);
}

/* ---- a node --------------------------------------------------------------------------------- */

/* The parts of a table and of those above it. */
static void number_parts(kan_kin_parts *parts, const kan_kin_space *space, size_t t) {
    stage *s = &parts->stages[t];
    const stage *above = &parts->stages[s->parent];
    if (t > 0)
        number_parts(parts, space, s->parent);
    s->n_nodes = 0;
    begin_pairs(parts, s->n);
    for (uint32_t part = 0; part < s->n; part++) {
        const bool is_counted = t > 0 && kan_kin_is_plain(&space->kin->tables[t]);
        const uint32_t class = is_counted ? 0 : space->classes[t][s->item[part]];
        const uint32_t up = t > 0 ? above->node[s->above[part]] : 0;
        const uint32_t node = number_pair(parts, up, class, &s->n_nodes);
        s->node[part] = node;
        s->classes[node] = t > 0 ? above->classes[up] : class;
        s->people[node] = space->people[s->classes[node]];
    }
}

/* Holdings by part: within a part they stay in their order. */
static void order_holdings(const stage *s, tail *of) {
    memset(of->ends, 0, ((size_t)s->n_nodes + 1) * sizeof *of->ends);
    for (size_t i = 0; i < of->n; i++)
        of->ends[s->node[of->holdings[i].part] + 1]++;
    for (uint32_t node = 0; node < s->n_nodes; node++)
        of->ends[node + 1] += of->ends[node];
    for (size_t i = 0; i < of->n; i++)
        of->order[of->ends[s->node[of->holdings[i].part]]++] = (uint32_t)i;
}

/* Everybody counts once for each value, in whichever of the parts that became one she has it. */
static void count_holdings(const stage *s, tail *of) {
    size_t at = 0, n = 0;
    for (uint32_t node = 0; node < s->n_nodes; node++) {
        const holding *before = NULL;
        of->start[node] = n;
        of->total[node] = 0;
        for (; at < of->ends[node]; at++) {
            const holding *h = &of->holdings[of->order[at]];
            if (before && before->value == h->value && before->person == h->person)
                continue;
            if (!before || before->value != h->value) {
                of->value[n] = h->value;
                of->count[n++] = 0;
            }
            of->count[n - 1]++;
            of->total[node]++;
            before = h;
        }
    }
    of->start[s->n_nodes] = n;
}

kan_status kan_kin_parts_groups(kan_kin_parts *parts, const kan_kin_space *space, size_t table,
                                kan_groups *out, const uint32_t **classes) {
    stage *s = &parts->stages[table];
    number_parts(parts, space, table);
    for (size_t i = 0; i < s->n_tails; i++) {
        tail *of = &s->tails[i];
        if (!of->holdings)
            continue;
        order_holdings(s, of);
        count_holdings(s, of);
        s->tallies[i] = (kan_tally){of->start, of->value, of->count};
        s->totals[i] = of->total;
    }
    parts->edition++;
    *out = (kan_groups){.n_groups = s->n_nodes,
                        .n_rows = space->kin->tables[0].n,
                        .count = s->people,
                        .tallies = s->tallies,
                        .totals = s->totals};
    kan_groups_borrow(out, &parts->edition);
    *classes = s->classes;
    return kan_check_cancel(parts->run);
}

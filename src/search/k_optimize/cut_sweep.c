/* The sweep: see cut_sweep.h. Places are taken in blocks as first places of spans; within a block
 * the rows are taken in stages, each with at most twice as many rows as when it begins, and the
 * cells of a stage serve all spans of the block that end in it. */
#include "search/k_optimize/cut_sweep.h"

#include <string.h>

#include "search/k_optimize/cut_binary_rows.h"
#include "search/k_optimize/cut_class_scratch.h"

enum {
    BLOCK = 4,            /* first places that share cells */
    LARGE_CLASS = 1 << 12 /* tuples: takes so long that it may have to stop in between */
};

/* A span that begins at one place of the block, and grows. */
typedef struct {
    uint32_t from;
    size_t first, next; /* its first tuple, and the one to be added next */
    uint64_t n_rows;
    int64_t cost, n_lost; /* of what it has by now */
    uint64_t *of;         /* rows by class value */
    kan_binary binary;    /* the same, if there are two */
} runner;

struct kan_cut_swept {
    uint32_t *class_of, *class_first, *order;
    /* Tuples of the class in hand, by place. */
    size_t n;
    uint32_t *place, *rows, *class_rows;
    uint64_t *keys;
    kan_cut_attributes open; /* attributes with open choices, beside the axis */
    /* Tuples that differ on the axis alone are of one kind; they are told when they are needed. */
    size_t n_kinds;
    uint64_t *kind_keys;
    uint32_t *kind_of;                     /* by tuple */
    uint32_t *kind_rows, *kinds, *cell_of; /* by kind; those that a stage has; and their cells */
    bool has_cells;
    uint32_t n_cells;
    uint32_t *cell_rows, *most; /* of a cell: by class value, and the most of one */
    uint64_t minorities;        /* of all cells, for the runner in hand */
    uint64_t *of;               /* rows of the block by class value */
    /* Where there are two class values: by tuple, kind and cell. */
    kan_binary *binary, *kind_binary, *cell_binary;
    uint64_t *keys_of_slots;
    uint32_t *slots, *stamps, stamp;
    size_t n_slots;
    uint8_t *is_good; /* by choice */
    runner runners[BLOCK];
};

kan_status kan_cut_sweep_create(kan_cut_maker *maker, const kan_cut_axis *axis, kan_arena *arena,
                                kan_cut_sweep *out) {
    const kan_cut_space *space = maker->space;
    const size_t n = axis->whole->n_atoms, classes = space->n_classes;
    const size_t spans = ((size_t)axis->n + 1) * ((size_t)axis->n + 1);
    struct kan_cut_swept *s;
    size_t n_slots = 16;
    while (n_slots < 2 * n)
        n_slots *= 2;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *s, &s));
    memset(s, 0, sizeof *s);
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->class_of, &s->class_of));
    KAN_TRY(kan_arena_alloc(arena, n + 2, sizeof *s->class_first, &s->class_first));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->order, &s->order));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->place, &s->place));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->rows, &s->rows));
    KAN_TRY(kan_arena_alloc(arena, n * classes, sizeof *s->class_rows, &s->class_rows));
    KAN_TRY(kan_arena_alloc(arena, n * maker->words, sizeof *s->keys, &s->keys));
    KAN_TRY(kan_arena_alloc(arena, n * maker->words, sizeof *s->kind_keys, &s->kind_keys));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->kind_of, &s->kind_of));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->kind_rows, &s->kind_rows));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->kinds, &s->kinds));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->cell_of, &s->cell_of));
    KAN_TRY(kan_arena_alloc(arena, n * classes, sizeof *s->cell_rows, &s->cell_rows));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->most, &s->most));
    KAN_TRY(kan_arena_alloc(arena, n_slots * maker->words, sizeof *s->keys_of_slots,
                            &s->keys_of_slots));
    KAN_TRY(kan_arena_alloc(arena, n_slots, sizeof *s->slots, &s->slots));
    KAN_TRY(kan_arena_alloc(arena, n_slots, sizeof *s->stamps, &s->stamps));
    memset(s->stamps, 0, n_slots * sizeof *s->stamps);
    s->n_slots = n_slots;
    KAN_TRY(kan_arena_alloc(arena, space->n_choices + (size_t)1, 1, &s->is_good));
    for (unsigned i = 0; i < BLOCK; i++)
        KAN_TRY(kan_arena_alloc(arena, classes, sizeof(uint64_t), &s->runners[i].of));
    KAN_TRY(kan_arena_alloc(arena, classes, sizeof *s->of, &s->of));
    if (maker->is_binary) {
        KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->binary, &s->binary));
        KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->kind_binary, &s->kind_binary));
        KAN_TRY(kan_arena_alloc(arena, n, sizeof *s->cell_binary, &s->cell_binary));
    }
    KAN_TRY(kan_arena_alloc(arena, spans, sizeof *out->cost, &out->cost));
    KAN_TRY(kan_arena_alloc(arena, spans, sizeof *out->n_lost, &out->n_lost));
    out->maker = maker;
    out->swept = s;
    return KAN_OK;
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Whether two parts at least of those that a choice divides the rows into can be released. */
static bool is_good(const kan_cut_space *space, const kan_choice *choice, const uint32_t *below,
                    uint32_t n_rows) {
    uint32_t from = 0;
    unsigned n_kept = 0;
    for (uint32_t i = 0; i <= choice->n_places; i++) {
        const uint32_t to = i < choice->n_places ? below[choice->places[i]] : n_rows;
        n_kept += to - from >= space->k;
        from = to;
    }
    return n_kept > 1;
}

static void tell_kinds(kan_cut_sweep *sweep, const kan_cut_axis *axis) {
    kan_cut_maker *maker = sweep->maker;
    struct kan_cut_swept *s = sweep->swept;
    const struct kan_cut_field *field = &maker->fields[axis->attribute];
    uint64_t *mapped = maker->scratch->mapped;
    memcpy(mapped, s->keys, s->n * maker->words * sizeof *mapped);
    for (size_t t = 0; t < s->n; t++)
        mapped[t * maker->words + field->word] &= ~(field->mask << field->shift);
    s->n_kinds = kan_cut_group(maker, s->n, s->kind_keys, s->kind_of);
}

/* The kinds of the tuples from..to-1, with their rows there, and their number. */
static size_t count_binary_kinds(struct kan_cut_swept *s, size_t from, size_t to) {
    size_t n = 0;
    memset(s->kind_binary, 0, s->n_kinds * sizeof *s->kind_binary);
    for (size_t t = from; t < to; t++) {
        const uint32_t kind = s->kind_of[t];
        if (s->kind_binary[kind] == 0)
            s->kinds[n++] = kind;
        s->kind_binary[kind] += s->binary[t];
    }
    return n;
}

static size_t count_kinds(struct kan_cut_swept *s, size_t from, size_t to) {
    size_t n = 0;
    memset(s->kind_rows, 0, s->n_kinds * sizeof *s->kind_rows);
    for (size_t t = from; t < to; t++) {
        const uint32_t kind = s->kind_of[t];
        if (s->kind_rows[kind] == 0)
            s->kinds[n++] = kind;
        s->kind_rows[kind] += s->rows[t];
    }
    return n;
}

/* start_of: where the cell of each place begins. False when the attribute is not divided. */
static bool find_binary_starts(kan_cut_sweep *sweep, unsigned a, size_t n_kinds) {
    const kan_cut_maker *maker = sweep->maker;
    const kan_cut_space *space = maker->space;
    const struct kan_cut_swept *s = sweep->swept;
    const struct kan_cut_field field = maker->fields[a];
    const uint32_t k = (uint32_t)space->k;
    kan_binary *at = maker->scratch->binary_below[a], all = 0, below = 0;
    uint32_t *start_of = maker->scratch->start_of[a], start = 0;
    memset(at, 0, space->n_places[a] * sizeof *at);
    for (size_t i = 0; i < n_kinds; i++) {
        const kan_binary here = s->kind_binary[s->kinds[i]];
        at[s->kind_keys[s->kinds[i]] >> field.shift & field.mask] += here;
        all += here;
    }
    for (uint32_t place = 0; place < space->n_places[a]; place++) {
        const int c = space->choice_at[a][place];
        if (c >= 0 && maker->decision[c] == KAN_CUT_OPEN &&
            kan_binary_is_good(below, all - below, k))
            start = place;
        start_of[place] = start;
        below += at[place];
    }
    return start > 0;
}

static bool find_starts(kan_cut_sweep *sweep, unsigned a, size_t n_kinds) {
    const kan_cut_maker *maker = sweep->maker;
    const kan_cut_space *space = maker->space;
    struct kan_cut_swept *s = sweep->swept;
    uint32_t *below = maker->scratch->below[a], *start_of = maker->scratch->start_of[a];
    uint32_t sum = 0, start = 0;
    bool is_divided = false;
    memset(below, 0, ((size_t)space->n_places[a] + 1) * sizeof *below);
    for (size_t i = 0; i < n_kinds; i++)
        below[kan_cut_place(maker, s->kind_keys + (size_t)s->kinds[i] * maker->words, a)] +=
            s->kind_rows[s->kinds[i]];
    for (uint32_t place = 0; place <= space->n_places[a]; place++) {
        const uint32_t here = below[place];
        below[place] = sum;
        sum += here;
    }
    for (uint32_t place = 0; place < space->n_places[a]; place++) {
        const int c = space->choice_at[a][place];
        if (c >= 0 && maker->decision[c] == KAN_CUT_OPEN) {
            if (place == space->choices[c].places[0])
                s->is_good[c] = is_good(space, &space->choices[c], below, sum);
            if (s->is_good[c]) {
                start = place;
                is_divided = true;
            }
        }
        start_of[place] = start;
    }
    return is_divided;
}

/* Cells by key: one is found, or made. */
static inline uint32_t find_cell(struct kan_cut_swept *s, const uint64_t *key, unsigned bits,
                                 uint32_t *n_cells, const unsigned words) {
    size_t slot = kan_cut_hash(key, words) >> (64 - bits);
    while (s->stamps[slot] == s->stamp &&
           !kan_cut_is_same(s->keys_of_slots + slot * words, key, words))
        slot = (slot + 1) & (((size_t)1 << bits) - 1);
    if (s->stamps[slot] != s->stamp) {
        s->stamps[slot] = s->stamp;
        s->slots[slot] = (*n_cells)++;
        for (unsigned w = 0; w < words; w++)
            s->keys_of_slots[slot * words + w] = key[w];
    }
    return s->slots[slot];
}

static void begin_cells(struct kan_cut_swept *s) {
    if (++s->stamp > 0)
        return;
    memset(s->stamps, 0, s->n_slots * sizeof *s->stamps); /* wrapped around: all are old */
    s->stamp = 1;
}

/* The cell of each kind of the tuples from..to-1, by the choices that are good in all of them. */
static void make_cells(kan_cut_sweep *sweep, const kan_cut_axis *axis, size_t from, size_t to) {
    kan_cut_maker *maker = sweep->maker;
    struct kan_cut_swept *s = sweep->swept;
    const unsigned words = maker->words;
    kan_cut_attributes chosen = {.n = 0};
    uint64_t key[KAN_MAX_ATTRIBUTES];
    unsigned bits = 4;
    if (s->n_kinds == 0)
        tell_kinds(sweep, axis);
    const size_t n_kinds = s->binary ? count_binary_kinds(s, from, to) : count_kinds(s, from, to);
    for (unsigned i = 0; i < s->open.n; i++) {
        const unsigned a = s->open.attribute[i];
        if (s->binary ? find_binary_starts(sweep, a, n_kinds) : find_starts(sweep, a, n_kinds))
            chosen.attribute[chosen.n++] = a;
    }
    while ((size_t)1 << bits < 2 * n_kinds)
        bits++;
    begin_cells(s);
    s->n_cells = 0;
    for (size_t i = 0; i < n_kinds; i++) {
        const uint64_t *of = s->kind_keys + (size_t)s->kinds[i] * words;
        for (unsigned w = 0; w < words; w++)
            key[w] = 0;
        for (unsigned j = 0; j < chosen.n; j++) {
            const unsigned a = chosen.attribute[j];
            const uint64_t start = maker->scratch->start_of[a][kan_cut_place(maker, of, a)];
            key[maker->fields[a].word] |= start << maker->fields[a].shift;
        }
        s->cell_of[s->kinds[i]] = words == 1 ? find_cell(s, key, bits, &s->n_cells, 1)
                                             : find_cell(s, key, bits, &s->n_cells, words);
    }
    maker->n_work += to - from;
}

static void empty_cells(kan_cut_sweep *sweep) {
    struct kan_cut_swept *s = sweep->swept;
    s->minorities = 0;
    if (s->binary) {
        memset(s->cell_binary, 0, s->n_cells * sizeof *s->cell_binary);
        return;
    }
    memset(s->cell_rows, 0,
           (size_t)s->n_cells * sweep->maker->space->n_classes * sizeof *s->cell_rows);
    memset(s->most, 0, s->n_cells * sizeof *s->most);
}

static inline void add_to_cell(struct kan_cut_swept *s, size_t t, const unsigned classes) {
    const uint32_t cell = s->cell_of[s->kind_of[t]];
    if (s->binary) {
        const kan_binary before = s->cell_binary[cell], now = before + s->binary[t];
        s->minorities += kan_binary_least(now) - kan_binary_least(before);
        s->cell_binary[cell] = now;
        return;
    }
    uint32_t *of = s->cell_rows + (size_t)cell * classes, most = s->most[cell];
    for (unsigned c = 0; c < classes; c++) {
        of[c] += s->class_rows[t * classes + c];
        most = of[c] > most ? of[c] : most;
    }
    s->minorities += s->rows[t] - (most - s->most[cell]);
    s->most[cell] = most;
}

/* ---- one class ------------------------------------------------------------------------------ */

/* What rows cost together. *is_whole: they cannot be divided into groups of different values. */
static uint64_t whole_cost(const kan_cut_space *space, const uint64_t *of, uint64_t n_rows,
                           bool *is_whole) {
    uint64_t most = 0, next = 0;
    for (unsigned c = 0; c < space->n_classes; c++) {
        if (of[c] > most) {
            next = most;
            most = of[c];
        } else if (of[c] > next) {
            next = of[c];
        }
    }
    /* The majority of a released group has an even share of k rows at least. */
    *is_whole = n_rows < 2 * space->k || next * space->n_classes < space->k;
    return n_rows < space->k ? n_rows : n_rows - most;
}

/* Takes the tuples of one place. */
static uint64_t take_place(kan_cut_sweep *sweep, runner *r, size_t to, bool *is_whole) {
    const kan_cut_space *space = sweep->maker->space;
    struct kan_cut_swept *s = sweep->swept;
    const unsigned classes = space->n_classes;
    const uint32_t place = s->place[r->next];
    for (; r->next < to && s->place[r->next] == place; r->next++) {
        r->n_rows += s->rows[r->next];
        for (unsigned c = 0; c < classes; c++)
            r->of[c] += s->class_rows[r->next * classes + c];
        if (s->has_cells)
            add_to_cell(s, r->next, classes);
    }
    return whole_cost(space, r->of, r->n_rows, is_whole);
}

static uint64_t take_place_of_binary(kan_cut_sweep *sweep, runner *r, size_t to, bool *is_whole) {
    struct kan_cut_swept *s = sweep->swept;
    const uint32_t place = s->place[r->next], k = (uint32_t)sweep->maker->space->k;
    size_t t = r->next;
    if (s->has_cells)
        for (; t < to && s->place[t] == place; t++) {
            r->binary += s->binary[t];
            add_to_cell(s, t, 2);
        }
    else
        for (; t < to && s->place[t] == place; t++)
            r->binary += s->binary[t];
    r->next = t;
    r->n_rows = kan_binary_rows(r->binary);
    *is_whole = !kan_binary_is_mixed(r->binary, k);
    return r->n_rows < k ? r->n_rows : kan_binary_least(r->binary);
}

/* Takes the tuples of a stage up to `to`, place by place. */
static void take_tuples(kan_cut_sweep *sweep, const kan_cut_axis *axis, runner *r, size_t to) {
    const kan_cut_space *space = sweep->maker->space;
    const struct kan_cut_swept *s = sweep->swept;
    while (r->next < to && s->place[r->next] < sweep->last[r->from]) {
        const size_t at = kan_cut_sweep_at(axis, r->from, s->place[r->next] + 1);
        bool is_whole;
        const uint64_t whole = s->binary ? take_place_of_binary(sweep, r, to, &is_whole)
                                         : take_place(sweep, r, to, &is_whole);
        const int64_t cost = (int64_t)(is_whole || !s->has_cells ? whole : s->minorities);
        const int64_t n_lost = (int64_t)(r->n_rows < space->k ? r->n_rows : 0);
        sweep->cost[at] += cost - r->cost;
        sweep->n_lost[at] += n_lost - r->n_lost;
        r->cost = cost;
        r->n_lost = n_lost;
    }
}

/* The end of the stage that begins with tuple `begin`, at a place below `last`; *n_rows are those
 * before it, and then with it. As long as there are less than 2 k, all; then twice as many. */
static size_t stage_end(const kan_cut_space *space, const struct kan_cut_swept *s, size_t begin,
                        uint32_t last, uint64_t *n_rows) {
    uint64_t most = 2 * space->k - 1;
    size_t end = begin;
    while (end < s->n && s->place[end] < last) {
        uint64_t here = 0;
        size_t next = end;
        for (; next < s->n && s->place[next] == s->place[end]; next++)
            here += s->rows[next];
        if (end == begin && *n_rows + here > most)
            most = 2 * (*n_rows + here);
        if (*n_rows + here > most)
            break;
        *n_rows += here;
        end = next;
    }
    return end;
}

/* Whether no span of the block, with the tuples begin..end-1 at most, can be divided. */
static bool is_whole(const kan_cut_space *space, struct kan_cut_swept *s, size_t begin, size_t end,
                     uint64_t n_rows) {
    bool is_all_whole;
    for (size_t t = begin; t < end; t++)
        for (unsigned c = 0; c < space->n_classes; c++)
            s->of[c] += s->class_rows[t * space->n_classes + c];
    (void)whole_cost(space, s->of, n_rows, &is_all_whole);
    return is_all_whole;
}

/* All spans that begin at the places of a block; `first` is the first tuple there. */
static void sweep_block(kan_cut_sweep *sweep, const kan_cut_axis *axis, uint32_t block,
                        size_t first) {
    const kan_cut_space *space = sweep->maker->space;
    struct kan_cut_swept *s = sweep->swept;
    unsigned n_runners = 0;
    uint32_t last = 0;
    uint64_t n_rows = 0;
    size_t next = first;
    memset(s->of, 0, space->n_classes * sizeof *s->of);
    for (uint32_t from = block; from < block + BLOCK && from < axis->n; from++) {
        runner *r = &s->runners[n_runners];
        while (next < s->n && s->place[next] < from)
            next++;
        if (sweep->last[from] == 0)
            continue;
        *r = (runner){.from = from, .first = next, .next = next, .of = r->of};
        memset(r->of, 0, space->n_classes * sizeof *r->of);
        last = sweep->last[from] > last ? sweep->last[from] : last;
        n_runners++;
    }
    for (size_t begin = first, end; begin < s->n && s->place[begin] < last; begin = end) {
        end = stage_end(space, s, begin, last, &n_rows);
        s->has_cells = !is_whole(space, s, begin, end, n_rows);
        if (s->has_cells)
            make_cells(sweep, axis, first, end);
        for (unsigned i = 0; i < n_runners; i++) {
            runner *r = &s->runners[i];
            if (s->has_cells)
                empty_cells(sweep);
            for (size_t t = r->first; s->has_cells && t < r->next; t++)
                add_to_cell(s, t, space->n_classes);
            take_tuples(sweep, axis, r, end);
        }
    }
}

/* Where it has to stop, what is missing counts as nothing: less than it costs. */
static void sweep_class(kan_cut_sweep *sweep, const kan_cut_axis *axis) {
    struct kan_cut_swept *s = sweep->swept;
    size_t first = 0;
    for (uint32_t block = 0; block < axis->n && first < s->n; block += BLOCK) {
        if (s->n >= LARGE_CLASS && kan_should_stop(sweep->maker->space->run))
            return;
        while (first < s->n && s->place[first] < block)
            first++;
        if (first < s->n)
            sweep_block(sweep, axis, block, first);
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Numbers the classes of the made choices, beside those of the axis, and lists their tuples. */
static size_t find_classes(kan_cut_sweep *sweep, const kan_cut_axis *axis) {
    kan_cut_maker *maker = sweep->maker;
    const kan_cut_space *space = maker->space;
    struct kan_cut_swept *s = sweep->swept;
    const size_t n = axis->whole->n_atoms;
    kan_cut_attributes others = {.n = 0};
    s->open.n = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        uint32_t start = 0;
        bool is_open = false;
        if ((int)a == axis->attribute)
            continue;
        others.attribute[others.n++] = a;
        for (uint32_t place = 0; place < space->n_places[a]; place++) {
            const int c = space->choice_at[a][place];
            if (c >= 0 && maker->decision[c] == KAN_CUT_MADE)
                start = place;
            is_open |= c >= 0 && maker->decision[c] == KAN_CUT_OPEN;
            maker->scratch->column[a][place] = start;
        }
        if (is_open)
            s->open.attribute[s->open.n++] = a;
    }
    kan_cut_project(maker, axis->whole->keys, n, &others, maker->scratch->column);
    const size_t n_classes = kan_cut_group(maker, n, maker->scratch->cell_keys, s->class_of);
    memset(s->class_first, 0, (n_classes + 2) * sizeof *s->class_first);
    /* Counts one further on, so that filling leaves every start in its place. */
    for (size_t t = 0; t < n; t++)
        s->class_first[s->class_of[t] + 2]++;
    for (size_t c = 0; c < n_classes; c++)
        s->class_first[c + 2] += s->class_first[c + 1];
    for (size_t t = 0; t < n; t++)
        s->order[s->class_first[s->class_of[t] + 1]++] = (uint32_t)t;
    return n_classes;
}

/* Takes the tuples of a class in hand; those of the axis are in the order of its places. */
static void take_class(kan_cut_sweep *sweep, const kan_cut_axis *axis, size_t number) {
    const kan_cut_maker *maker = sweep->maker;
    const unsigned words = maker->words, classes = maker->space->n_classes;
    const kan_cut_class *whole = axis->whole;
    struct kan_cut_swept *s = sweep->swept;
    const uint32_t *order = s->order + s->class_first[number];
    s->n = s->class_first[number + 1] - s->class_first[number];
    s->n_kinds = 0;
    for (size_t i = 0; i < s->n; i++) {
        const size_t t = order[i];
        memcpy(s->keys + i * words, whole->keys + t * words, words * sizeof *s->keys);
        s->place[i] = kan_cut_place(maker, s->keys + i * words, (unsigned)axis->attribute);
        s->rows[i] = whole->rows[t];
        memcpy(s->class_rows + i * classes, whole->class_rows + t * classes,
               classes * sizeof *s->class_rows);
        if (s->binary)
            s->binary[i] = kan_binary_of(s->rows[i], s->class_rows[2 * i + 1]);
    }
}

void kan_cut_sweep_all(kan_cut_sweep *sweep, const kan_cut_axis *axis) {
    const size_t n_spans = kan_cut_sweep_at(axis, axis->n, 0);
    memset(sweep->cost, 0, n_spans * sizeof *sweep->cost);
    memset(sweep->n_lost, 0, n_spans * sizeof *sweep->n_lost);
    const size_t n_classes = find_classes(sweep, axis);
    for (size_t i = 0; i < n_classes; i++) {
        if (i % 64 == 0 && kan_should_stop(sweep->maker->space->run))
            break;
        take_class(sweep, axis, i);
        sweep_class(sweep, axis);
    }
    /* What was noted are changes from one end to the next. */
    for (uint32_t from = 0; from < axis->n; from++)
        for (uint32_t to = from + 1; to <= axis->n; to++) {
            const size_t at = kan_cut_sweep_at(axis, from, to);
            sweep->cost[at] += sweep->cost[at - 1];
            sweep->n_lost[at] += sweep->n_lost[at - 1];
        }
    sweep->maker->n_work += axis->whole->n_atoms;
}

/* Cutting one attribute anew: see cut_recut.h. A line of m places takes time for their pairs; a
 * path takes time for all intervals, and where rows may be suppressed up to a limit, for each
 * number of rows lost. */
#include "search/cuts/cut_recut.h"

#include <string.h>

#include "search/cuts/cut_state_groups.h"

enum {
    MOST_PLACES = KAN_CUT_MOST_PLACES,
    MOST_STEPS = 128,    /* in which lost rows are counted */
    LINES_PER_LOOK = 256 /* at whether the run has to stop */
};

#define NEVER (UINT64_MAX / 4)

struct kan_cut_recutter {
    const kan_cut_space *space;
    kan_arena arena;
    /* Lines: the last group of each by hash, and from group to group of a line. */
    uint32_t *slots, *heads, *next;
    /* Of the line in hand: its rows by place, and the places that have any. */
    uint32_t rows[MOST_PLACES], here[MOST_PLACES], *class_rows, *sums;
    /* Lines of less than k rows, which are lost however they are cut. */
    uint64_t base_cost, base_lost;
    /* By first place and end: what the other lines cost in an interval, and lose. */
    int64_t *cost, *n_lost;
    uint64_t *length; /* of the shortest path to each place, by rows lost */
    uint16_t *before;
    uint8_t *is_made;
};

static size_t slots_for(size_t n) {
    size_t n_slots = 16;
    while (n_slots < 2 * n)
        n_slots *= 2;
    return n_slots;
}

kan_status kan_cut_recutter_create(const kan_cut_space *space, kan_cut_recutter **out) {
    const size_t n = space->n_tuples, classes = space->n_classes;
    const size_t spans = (size_t)(MOST_PLACES + 1) * (MOST_PLACES + 1);
    const size_t ends = (size_t)(MOST_PLACES + 1) * MOST_STEPS;
    kan_arena arena, *in = &arena;
    kan_cut_recutter *r;
    kan_status status;
    kan_arena_init(in, space->run);
    KAN_TRY_DONE(kan_arena_alloc(in, 1, sizeof *r, &r));
    KAN_TRY_DONE(kan_arena_alloc(in, slots_for(n), sizeof *r->slots, &r->slots));
    KAN_TRY_DONE(kan_arena_alloc(in, n + 1, sizeof *r->heads, &r->heads));
    KAN_TRY_DONE(kan_arena_alloc(in, n + 1, sizeof *r->next, &r->next));
    KAN_TRY_DONE(
        kan_arena_alloc(in, MOST_PLACES * classes + 1, sizeof *r->class_rows, &r->class_rows));
    KAN_TRY_DONE(kan_arena_alloc(in, classes + 1, sizeof *r->sums, &r->sums));
    KAN_TRY_DONE(kan_arena_alloc(in, spans, sizeof *r->cost, &r->cost));
    KAN_TRY_DONE(kan_arena_alloc(in, spans, sizeof *r->n_lost, &r->n_lost));
    KAN_TRY_DONE(kan_arena_alloc(in, ends, sizeof *r->length, &r->length));
    KAN_TRY_DONE(kan_arena_alloc(in, ends, sizeof *r->before, &r->before));
    KAN_TRY_DONE(kan_arena_alloc(in, (size_t)space->n_choices + 1, 1, &r->is_made));
    r->space = space;
    r->arena = arena;
    *out = r;
    return KAN_OK;
done:
    kan_arena_destroy(in);
    return status;
}

void kan_cut_recutter_destroy(kan_cut_recutter *r) {
    if (!r)
        return;
    kan_arena arena = r->arena; /* in which it lies itself */
    kan_arena_destroy(&arena);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static bool are_in_line(const kan_cut_groups *groups, uint32_t g, uint32_t h, unsigned a) {
    const uint32_t *x = groups->at + (size_t)g * groups->n_attributes;
    const uint32_t *y = groups->at + (size_t)h * groups->n_attributes;
    for (unsigned b = 0; b < groups->n_attributes; b++)
        if (b != a && x[b] != y[b])
            return false;
    return true;
}

/* heads: the last group of each line, from which `next` leads to the others. */
static size_t find_lines(kan_cut_recutter *r, const kan_cut_groups *groups, unsigned a) {
    const size_t n_slots = slots_for(groups->n), mask = n_slots - 1;
    size_t n_lines = 0;
    memset(r->slots, 0xff, n_slots * sizeof *r->slots);
    for (uint32_t g = 0; g < groups->n; g++) {
        const uint32_t at = groups->at[(size_t)g * groups->n_attributes + a];
        size_t slot = (groups->hash[g] ^ groups->salts[at]) & mask;
        while (r->slots[slot] != UINT32_MAX && !are_in_line(groups, r->heads[r->slots[slot]], g, a))
            slot = (slot + 1) & mask;
        r->next[g] = KAN_NO_GROUP;
        if (r->slots[slot] == UINT32_MAX)
            r->slots[slot] = (uint32_t)n_lines++;
        else
            r->next[g] = r->heads[r->slots[slot]];
        r->heads[r->slots[slot]] = g;
    }
    return n_lines;
}

static uint64_t count_rows(const kan_cut_recutter *r, const kan_cut_groups *groups, uint32_t g) {
    uint64_t rows = 0;
    for (; g != KAN_NO_GROUP; g = r->next[g])
        rows += groups->rows[g];
    return rows;
}

/* The rows of a line by place; and how many places have any. */
static uint32_t take_line(kan_cut_recutter *r, const kan_cut_groups *groups, uint32_t g,
                          unsigned a) {
    const kan_cut_space *space = r->space;
    const unsigned classes = space->n_classes;
    const uint32_t n = space->n_places[a];
    uint32_t n_here = 0;
    memset(r->rows, 0, n * sizeof *r->rows);
    memset(r->class_rows, 0, (size_t)n * classes * sizeof *r->class_rows);
    for (; g != KAN_NO_GROUP; g = r->next[g])
        for (uint32_t t = groups->first[g]; t != KAN_NO_GROUP; t = groups->next[t]) {
            const uint32_t place = space->places[a][t];
            r->rows[place] += space->rows[t];
            for (unsigned c = 0; c < classes; c++)
                r->class_rows[place * classes + c] += space->class_rows[(size_t)t * classes + c];
        }
    for (uint32_t place = 0; place < n; place++)
        if (r->rows[place] > 0)
            r->here[n_here++] = place;
    return n_here;
}

static inline size_t span_at(const kan_cut_space *space, unsigned a, uint32_t from, uint32_t to) {
    return (size_t)from * (space->n_places[a] + 1) + to;
}

/* Notes what a line costs in every interval. Those that begin after one of its places and up to the
 * next have the same rows of it, and so do those that end likewise: only changes are noted, in both
 * directions. */
static void add_line(kan_cut_recutter *r, unsigned a, uint32_t n_here) {
    const kan_cut_space *space = r->space;
    const unsigned classes = space->n_classes;
    for (uint32_t i = 0; i < n_here; i++) {
        const size_t from = span_at(space, a, i > 0 ? r->here[i - 1] + 1 : 0, 0);
        const size_t behind = span_at(space, a, r->here[i] + 1, 0);
        uint64_t rows = 0, cost = 0, n_lost = 0;
        memset(r->sums, 0, classes * sizeof *r->sums);
        for (uint32_t j = i; j < n_here; j++) {
            const uint32_t place = r->here[j];
            rows += r->rows[place];
            for (unsigned c = 0; c < classes; c++)
                r->sums[c] += r->class_rows[place * classes + c];
            const uint64_t now = kan_cut_cost_of(space, rows, kan_cut_majority(r->sums, classes));
            const uint64_t lost_now = kan_cut_lost_of(space, rows);
            r->cost[from + place + 1] += (int64_t)(now - cost);
            r->cost[behind + place + 1] -= (int64_t)(now - cost);
            r->n_lost[from + place + 1] += (int64_t)(lost_now - n_lost);
            r->n_lost[behind + place + 1] -= (int64_t)(lost_now - n_lost);
            cost = now;
            n_lost = lost_now;
        }
    }
}

/* From changes to sums. */
static void add_up(int64_t *sums, uint32_t n) {
    const size_t width = (size_t)n + 1;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 1; to <= n; to++)
            sums[from * width + to] += from > 0 ? sums[(from - 1) * width + to] : 0;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 1; to <= n; to++)
            sums[from * width + to] += sums[from * width + to - 1];
}

/* What every interval costs. False when the run has to stop. */
static bool measure(kan_cut_recutter *r, const kan_cut_groups *groups, unsigned a) {
    const kan_cut_space *space = r->space;
    const size_t n_spans = span_at(space, a, space->n_places[a] + 1, 0);
    memset(r->cost, 0, n_spans * sizeof *r->cost);
    memset(r->n_lost, 0, n_spans * sizeof *r->n_lost);
    r->base_cost = r->base_lost = 0;
    const size_t n_lines = find_lines(r, groups, a);
    for (size_t i = 0; i < n_lines; i++) {
        const uint64_t rows = count_rows(r, groups, r->heads[i]);
        if (i % LINES_PER_LOOK == 0 && kan_should_stop(space->run))
            return false;
        if (rows < space->k) {
            r->base_cost += kan_cut_cost_of(space, rows, 0);
            r->base_lost += rows;
        } else {
            add_line(r, a, take_line(r, groups, r->heads[i], a));
        }
    }
    add_up(r->cost, space->n_places[a]);
    add_up(r->n_lost, space->n_places[a]);
    return true;
}

/* ---- the path ------------------------------------------------------------------------------- */

/* In what steps lost rows are counted: of so many rows each, or 0 where any may be lost; and how
 * many numbers of steps there are. */
typedef struct {
    uint64_t rows;
    size_t n;
} steps;

static steps find_steps(const kan_cut_recutter *r) {
    const kan_cut_space *space = r->space;
    if (space->limit >= space->n_rows)
        return (steps){0, 1};
    KAN_ASSERT(r->base_lost <= space->limit);
    const uint64_t limit = space->limit - r->base_lost, rows = limit / MOST_STEPS + 1;
    return (steps){rows, (size_t)(limit / rows) + 1};
}

static size_t count_steps(steps s, int64_t n_lost) {
    KAN_ASSERT(n_lost >= 0);
    return s.rows == 0 ? 0 : (size_t)(((uint64_t)n_lost + s.rows - 1) / s.rows);
}

/* The shortest path by rows lost; the least length of all, and its number of steps. */
static uint64_t find_path(kan_cut_recutter *r, unsigned a, steps s, size_t *at) {
    const kan_cut_space *space = r->space;
    const uint32_t n = space->n_places[a];
    for (size_t i = 0; i < s.n * (n + 1); i++)
        r->length[i] = NEVER;
    r->length[0] = 0;
    for (uint32_t to = 1, first = 0; to <= n; to++) {
        /* an interval does not go beyond a cut that must be made */
        if (to > 1 && kan_cut_is_forced(space, (unsigned)space->choice_at[a][to - 1]))
            first = to - 1;
        for (uint32_t from = first; from < to; from++) {
            const size_t span = span_at(space, a, from, to);
            const size_t lost = count_steps(s, r->n_lost[span]);
            if (lost >= s.n)
                continue;
            const uint64_t cost = (uint64_t)r->cost[span], *here = r->length + from * s.n;
            uint64_t *there = r->length + to * s.n + lost;
            uint16_t *before = r->before + to * s.n + lost;
            for (size_t i = 0; i + lost < s.n; i++)
                if (here[i] + cost < there[i]) {
                    there[i] = here[i] + cost;
                    before[i] = (uint16_t)from;
                }
        }
    }
    const uint64_t *last = r->length + n * s.n;
    *at = 0;
    for (size_t i = 1; i < s.n; i++)
        if (last[i] < last[*at])
            *at = i;
    return last[*at];
}

static void take_path(kan_cut_recutter *r, unsigned a, steps s, size_t at) {
    const kan_cut_space *space = r->space;
    for (uint32_t to = space->n_places[a], from; to > 0; to = from) {
        from = r->before[to * s.n + at];
        KAN_ASSERT(from < to);
        if (from > 0)
            r->is_made[space->choice_at[a][from]] = 1;
        at -= count_steps(s, r->n_lost[span_at(space, a, from, to)]);
    }
}

bool kan_cut_recut(kan_cut_recutter *r, kan_cut_state *state, unsigned a) {
    const kan_cut_space *space = r->space;
    size_t at;
    if (!measure(r, state->groups, a))
        return false;
    const steps s = find_steps(r);
    /* What costs less than a release does not lose all rows. */
    if (r->base_cost + find_path(r, a, s, &at) >= state->cost)
        return false;
    for (unsigned c = 0; c < space->n_choices; c++)
        r->is_made[c] = space->choices[c].attribute != a && state->is_made[c];
    take_path(r, a, s, at);
    kan_cut_state_go_to(state, r->is_made);
    return true;
}

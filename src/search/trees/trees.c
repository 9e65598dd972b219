/* Boxes in a heap, the least bound first. See trees.h. */
#include "search/trees/trees_inside.h"

/* What was found out about the top of a box. */
typedef struct {
    kan_u128 left;  /* what the rows of those cost who leave there and everywhere below */
    kan_u128 *sums; /* kan_kin_price */
} top_of_box;

typedef struct {
    unsigned low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
    const top_of_box *top;
    kan_u128 bound;
    uint64_t number; /* boxes are made in an order that is always the same */
} box;

typedef struct {
    kan_run *run;
    const kan_trees_question *question;
    kan_kin_space *space;
    kan_arena arena;
    kan_trees_leavers leavers;
    kan_u128 *sums;
    box **heap;
    size_t n, capacity;
    uint64_t n_made;
    kan_trees_answer answer;
} searcher;

/* ---- the heap ------------------------------------------------------------------------------- */

static bool is_before(const box *a, const box *b) {
    return a->bound != b->bound ? a->bound < b->bound : a->number < b->number;
}

static kan_status push(searcher *s, box *made) {
    KAN_TRY(kan_reserve(s->run, s->n + 1, sizeof(box *), &s->capacity, &s->heap));
    size_t at = s->n++;
    for (; at > 0 && is_before(made, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = made;
    return KAN_OK;
}

static box *pop(searcher *s) {
    box *first = s->heap[0], *moved = s->heap[--s->n];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= s->n)
            break;
        if (child + 1 < s->n && is_before(s->heap[child + 1], s->heap[child]))
            child++;
        if (!is_before(s->heap[child], moved))
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = moved;
    return first;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static unsigned n_attributes(const searcher *s) {
    return s->question->kin->n_attributes;
}

/* What rows cost at levels that are not above those at which they were counted, where nobody else leaves. */
static kan_u128 price_at(const searcher *s, kan_u128 left, const kan_u128 *sums,
                         const unsigned *levels) {
    for (unsigned a = 0; a < n_attributes(s); a++)
        left += sums[a * s->question->kin->n_levels + levels[a]];
    return left;
}

static bool is_better(const searcher *s, kan_u128 cost, const unsigned *levels) {
    const kan_trees_answer *best = &s->answer;
    unsigned sum = 0, best_sum = 0;
    if (!best->is_found || cost != best->cost)
        return !best->is_found || cost < best->cost;
    for (unsigned a = 0; a < n_attributes(s); a++) {
        sum += levels[a];
        best_sum += best->levels[a];
    }
    if (sum != best_sum)
        return sum < best_sum;
    for (unsigned a = 0; a < n_attributes(s); a++)
        if (levels[a] != best->levels[a])
            return levels[a] < best->levels[a];
    return false;
}

/* A node at which so many people leave, and its rows cost as much as `sums` says. */
static void take_node(searcher *s, const unsigned *levels, kan_u128 left, const kan_u128 *sums) {
    const uint64_t n_left = s->leavers.n_left;
    if (n_left > s->question->limit || !kan_kin_keeps_all_tables(s->space))
        return;
    const kan_u128 cost = price_at(s, left, sums, levels);
    if (!is_better(s, cost, levels))
        return;
    s->answer.is_found = true;
    s->answer.cost = cost;
    s->answer.n_left = n_left;
    memcpy(s->answer.levels, levels, sizeof s->answer.levels);
}

/* Looks at a node; *out is NULL where it and all below leave out too many, or all who have a row in some
 * table. */
static kan_status look_at(searcher *s, const unsigned *levels, const top_of_box **out) {
    const kan_trees_leavers *leavers = &s->leavers;
    top_of_box *top;
    *out = NULL;
    KAN_TRY(kan_trees_find_leavers(s->question, s->space, levels, &s->leavers));
    if (s->answer.n_checked++ == 0)
        s->answer.n_left = leavers->n_left;
    if (leavers->n_below > s->question->limit)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&s->arena, 1, sizeof *top, &top));
    KAN_TRY(kan_arena_alloc(&s->arena, (size_t)n_attributes(s) * s->question->kin->n_levels + 1,
                            sizeof *top->sums, &top->sums));
    top->left = kan_kin_price(s->space, leavers->leaves_below, top->sums);
    if (!kan_kin_keeps_all_tables(s->space))
        return KAN_OK;
    if (leavers->n_left == leavers->n_below)
        take_node(s, levels, top->left, top->sums);
    else if (leavers->n_left <= s->question->limit)
        take_node(s, levels, kan_kin_price(s->space, leavers->is_left, s->sums), s->sums);
    *out = top;
    return KAN_OK;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

/* Puts a box in line, unless nothing in it can be better. Those whose bound is the best cost stay, for
 * the sake of ties. */
static kan_status add(searcher *s, const unsigned *low, const unsigned *high,
                      const top_of_box *top) {
    box *made;
    const kan_u128 bound = price_at(s, top->left, top->sums, low);
    if (memcmp(low, high, n_attributes(s) * sizeof *low) == 0 ||
        (s->answer.is_found && bound > s->answer.cost))
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&s->arena, 1, sizeof *made, &made));
    *made = (box){.top = top, .bound = bound, .number = s->n_made++};
    memcpy(made->low, low, sizeof made->low);
    memcpy(made->high, high, sizeof made->high);
    return push(s, made);
}

/* The attribute whose levels cost most apart, of several the one with most levels. */
static unsigned choose(const searcher *s, const box *b) {
    unsigned best = 0;
    kan_u128 most = 0;
    bool is_chosen = false;
    for (unsigned a = 0; a < n_attributes(s); a++) {
        const kan_u128 *sums = b->top->sums + (size_t)a * s->question->kin->n_levels;
        const kan_u128 gap = sums[b->high[a]] - sums[b->low[a]];
        if (b->high[a] == b->low[a])
            continue;
        if (!is_chosen || gap > most ||
            (gap == most && b->high[a] - b->low[a] > b->high[best] - b->low[best])) {
            best = a;
            most = gap;
            is_chosen = true;
        }
    }
    return best;
}

/* Two halves: the upper one keeps the top, that of the lower one is looked at. */
static kan_status divide(searcher *s, const box *b) {
    const unsigned a = choose(s, b), middle = b->low[a] + (b->high[a] - b->low[a]) / 2;
    unsigned low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
    const top_of_box *top;
    memcpy(low, b->low, sizeof low);
    memcpy(high, b->high, sizeof high);
    low[a] = middle + 1;
    KAN_TRY(add(s, low, high, b->top));
    high[a] = middle;
    KAN_TRY(look_at(s, high, &top));
    return top ? add(s, b->low, high, top) : KAN_OK;
}

static kan_status search(searcher *s) {
    const kan_trees_question *q = s->question;
    const top_of_box *top;
    KAN_TRY(look_at(s, q->highest, &top));
    if (top)
        KAN_TRY(add(s, q->lowest, q->highest, top));
    while (s->n > 0 && (!s->answer.is_found || s->heap[0]->bound <= s->answer.cost)) {
        if (s->answer.n_checked >= q->most_steps || kan_should_stop(s->run)) {
            s->answer.bound = s->heap[0]->bound;
            return kan_run_is_cancelled(s->run) ? kan_check_cancel(s->run) : KAN_OK;
        }
        kan_report_units(s->run, "search", "nodes", s->answer.n_checked, 0);
        KAN_TRY(divide(s, pop(s)));
    }
    s->answer.is_proven = true;
    s->answer.bound = s->answer.cost;
    return KAN_OK;
}

kan_status kan_trees_search(kan_run *run, const kan_trees_question *question,
                            kan_trees_answer *out) {
    kan_status status;
    searcher s = {.run = run, .question = question};
    const size_t n_sums = (size_t)question->kin->n_attributes * question->kin->n_levels + 1;
    kan_arena_init(&s.arena, run);
    KAN_TRY_DONE(kan_trees_leavers_init(run, question, &s.leavers));
    KAN_TRY_DONE(kan_alloc(run, n_sums, sizeof *s.sums, &s.sums));
    KAN_TRY_DONE(kan_kin_space_create(run, question->kin, &s.space));
    status = search(&s);
    *out = s.answer;
done:
    kan_kin_space_destroy(s.space);
    kan_trees_leavers_destroy(&s.leavers);
    kan_free(run, s.sums);
    kan_free(run, s.heap);
    kan_arena_destroy(&s.arena);
    return status;
}

kan_status kan_trees_leave(kan_run *run, const kan_trees_question *question, const unsigned *levels,
                           uint8_t *is_left, uint64_t *n_left) {
    kan_status status;
    kan_trees_leavers leavers;
    kan_kin_space *space = NULL;
    KAN_TRY_DONE(kan_trees_leavers_init(run, question, &leavers));
    KAN_TRY_DONE(kan_kin_space_create(run, question->kin, &space));
    KAN_TRY_DONE(kan_trees_find_leavers(question, space, levels, &leavers));
    memcpy(is_left, leavers.is_left, question->kin->tables[0].n);
    *n_left = leavers.n_left;
done:
    kan_kin_space_destroy(space);
    kan_trees_leavers_destroy(&leavers);
    return status;
}

/* Spans: see cut_spans.h. A shortest path takes time for all spans; where it would lose more rows
 * than may be, it is looked for again with rows lost as a second measure. */
#include "search/k_optimize/cut_spans.h"

#include <string.h>

enum {
    MOST_STEPS = 128, /* in which the rows lost are measured */
    /* After a sweep: shortest paths that an if is followed through, with many places or few. */
    MANY_SPANS_ROUNDS = 4,
    FEW_SPANS_ROUNDS = 32
};

kan_status kan_cut_spans_create(kan_cut_maker *maker, const kan_cut_axis *axis, kan_arena *arena,
                                kan_cut_spans *out) {
    const size_t n = (size_t)axis->n + 1, n_reach = n * (MOST_STEPS + 1);
    memset(out, 0, sizeof *out);
    out->maker = maker;
    out->axis = axis;
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *out->distance, &out->distance));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *out->ahead, &out->ahead));
    KAN_TRY(kan_arena_alloc(arena, n_reach, sizeof *out->reach, &out->reach));
    KAN_TRY(kan_arena_alloc(arena, n_reach, sizeof *out->reach_before, &out->reach_before));
    out->sweeps = axis->n > 1 && maker->space->cost == KAN_CUT_CLASSIFICATION;
    if (out->sweeps)
        KAN_TRY(kan_cut_sweep_create(maker, axis, arena, &out->sweep));
    return kan_arena_alloc(arena, KAN_CUT_MOST_PATHS, sizeof *out->paths, &out->paths);
}

/* ---- what is known of a span ---------------------------------------------------------------- */

static bool is_up_to_date(const kan_cut_spans *x, const kan_cut_span *span) {
    return span->node && span->n_decided == x->n_decided;
}

/* What a node of earlier decisions says about a choice that is still open still holds. */
static uint64_t weigh(const kan_cut_span *span, kan_cut_assumption what) {
    if (what.decision == KAN_CUT_OPEN || !span->node)
        return span->lower;
    const uint64_t with = kan_cut_node_with(span->node, span->beside, what.choice, what.decision);
    return with > span->lower ? with : span->lower;
}

static uint64_t count_lost(const kan_cut_span *span, kan_cut_assumption what) {
    if (what.decision != KAN_CUT_MADE || !span->node)
        return span->n_lost;
    const uint64_t n_lost = span->node->n_lost + span->node->sums[what.choice].n_lost;
    return n_lost > span->n_lost ? n_lost : span->n_lost;
}

static void learn(const kan_cut_spans *x, kan_cut_span *span, uint64_t lower, uint64_t n_lost) {
    if (n_lost > x->maker->limit)
        lower = KAN_CUT_NEVER;
    span->lower = lower > span->lower ? lower : span->lower;
    span->n_lost = n_lost > span->n_lost ? n_lost : span->n_lost;
}

/* Gives back the memory of all nodes that are not kept. */
static void forget(kan_cut_spans *x) {
    const size_t n = kan_cut_n_spans(x->axis);
    for (size_t i = 0; i < n; i++)
        if (x->spans[i].node && !x->spans[i].node->is_kept)
            x->spans[i].node = NULL;
    kan_stack_back(&x->maker->stack, x->base);
    x->n_paths = 0;
}

/* Brings a span up to date. */
static kan_status work_out(kan_cut_spans *x, uint32_t from, uint32_t to) {
    kan_cut_span *span = &x->spans[kan_cut_span_at(from, to)];
    kan_cut_node *node;
    if (!span->node || !kan_cut_node_is_true(x->maker, span->node)) {
        KAN_TRY(kan_stack_take(&x->maker->stack, 1, sizeof *node, &node));
        if (span->node) {
            KAN_TRY(kan_cut_node_renew(x->maker, span->node, node));
        } else {
            kan_cut_slice slice;
            kan_cut_axis_slice(x->maker, x->axis, from, to, &slice);
            KAN_TRY(kan_cut_node_build(x->maker, &slice.class_, node));
        }
        span->node = node;
    }
    span->n_decided = x->n_decided;
    span->beside = span->node->either;
    learn(x, span, kan_cut_node_bound(span->node), span->node->n_lost);
    return KAN_OK;
}

void kan_cut_spans_begin(kan_cut_spans *x, const uint8_t *places) {
    const kan_cut_space *space = x->maker->space;
    for (uint32_t to = 1; to <= x->axis->n; to++)
        for (uint32_t from = 0; from < to; from++) {
            const uint64_t rows = x->axis->below[to] - x->axis->below[from];
            kan_cut_span *span = &x->spans[kan_cut_span_at(from, to)];
            *span = (kan_cut_span){.node = NULL};
            if (rows < space->k)
                learn(x, span, kan_cut_lost_cost(space, rows), rows);
            else if (space->cost == KAN_CUT_DISCERNIBILITY)
                learn(x, span, rows * space->k, 0);
        }
    for (uint32_t place = 1; place < x->axis->n; place++)
        kan_cut_spans_decide(x, place, (kan_cut_decision)places[place]);
}

void kan_cut_spans_decide(kan_cut_spans *x, uint32_t place, kan_cut_decision decision) {
    for (uint32_t to = 1; to <= x->axis->n; to++)
        for (uint32_t from = 0; from < to; from++)
            if ((decision == KAN_CUT_LEFT && (from == place || to == place)) ||
                (decision == KAN_CUT_MADE && from < place && place < to))
                x->spans[kan_cut_span_at(from, to)].lower = KAN_CUT_NEVER;
}

void kan_cut_spans_presume(kan_cut_spans *x, const uint32_t *trail) {
    const size_t n = kan_cut_n_spans(x->axis);
    for (size_t i = 0; i < n; i++) {
        kan_cut_span *span = &x->spans[i];
        if (!span->node || span->lower >= x->best)
            continue;
        const kan_cut_node *node = span->node;
        uint64_t alone = 0, parts = 0, part = 0, n_lost = 0;
        span->beside = node->either;
        for (unsigned t = span->n_decided; t < x->n_decided; t++) {
            const kan_cut_sum *sum = &node->sums[trail[t]];
            const bool is_made = x->maker->decision[trail[t]] == KAN_CUT_MADE;
            const uint64_t one = kan_cut_rise(node, sum, is_made);
            alone = one > alone ? one : alone;
            span->beside += (is_made ? sum->made_share : sum->left_part) - kan_cut_either(sum);
            parts += is_made ? 0 : sum->left_part;
            if (is_made) {
                part = sum->made_part > part ? sum->made_part : part;
                n_lost = sum->n_lost > n_lost ? sum->n_lost : n_lost;
            }
        }
        parts += part;
        alone = parts > alone ? parts : alone;
        learn(x, span, node->bound + (alone > span->beside ? alone : span->beside),
              node->n_lost + n_lost);
    }
}

/* ---- paths ---------------------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b) {
    return a + b < KAN_CUT_NEVER ? a + b : KAN_CUT_NEVER;
}

static uint64_t lost_on(const kan_cut_spans *x, const kan_cut_path *path, kan_cut_assumption what) {
    uint64_t n_lost = 0;
    for (uint32_t at = x->axis->n; at > 0; at = path->before[at])
        n_lost += count_lost(kan_cut_span_before(x, path, at), what);
    return n_lost;
}

/* Whatever is lost. */
static uint64_t shortest(kan_cut_spans *x, kan_cut_assumption what, kan_cut_path *path) {
    x->distance[0] = 0;
    for (uint32_t to = 1; to <= x->axis->n; to++) {
        const kan_cut_span *spans = &x->spans[kan_cut_span_at(0, to)];
        uint64_t least = KAN_CUT_NEVER;
        path->before[to] = 0;
        for (uint32_t from = 0; from < to; from++) {
            if (x->distance[from] + spans[from].lower >= least)
                continue;
            const uint64_t length = x->distance[from] + weigh(&spans[from], what);
            if (length < least) {
                least = length;
                path->before[to] = (uint16_t)from;
            }
        }
        x->distance[to] = least;
    }
    return x->distance[x->axis->n];
}

/* Within the limit. Rows lost are measured in steps, rounded down span by span: a limit of less
 * than MOST_STEPS is kept exactly, a larger one nearly. */
static uint64_t shortest_within(kan_cut_spans *x, kan_cut_assumption what, kan_cut_path *path) {
    const uint64_t step = x->maker->limit / MOST_STEPS + 1;
    const size_t width = (size_t)(x->maker->limit / step) + 1;
    const uint32_t n = x->axis->n;
    for (size_t i = 0; i < width * (n + 1); i++)
        x->reach[i] = KAN_CUT_NEVER;
    x->reach[0] = 0;
    for (uint32_t to = 1; to <= n; to++)
        for (uint32_t from = 0; from < to; from++) {
            const kan_cut_span *span = &x->spans[kan_cut_span_at(from, to)];
            const uint64_t length = weigh(span, what);
            const uint64_t steps = count_lost(span, what) / step;
            if (length >= KAN_CUT_NEVER || steps >= width)
                continue;
            const uint64_t *here = x->reach + from * width;
            uint64_t *there = x->reach + to * width + steps;
            uint16_t *before = x->reach_before + to * width + steps;
            for (size_t i = 0; i + steps < width; i++)
                if (here[i] + length < there[i]) {
                    there[i] = here[i] + length;
                    before[i] = (uint16_t)from;
                }
        }
    size_t at = 0;
    for (size_t i = 1; i < width; i++)
        if (x->reach[n * width + i] < x->reach[n * width + at])
            at = i;
    const uint64_t length = x->reach[n * width + at];
    for (uint32_t to = n; to > 0 && length < KAN_CUT_NEVER; to = path->before[to]) {
        path->before[to] = x->reach_before[to * width + at];
        at -= (size_t)(count_lost(kan_cut_span_before(x, path, to), what) / step);
    }
    return length;
}

static uint64_t find_path(kan_cut_spans *x, kan_cut_assumption what, kan_cut_path *path) {
    const uint64_t length = shortest(x, what, path);
    if (length >= x->best || lost_on(x, path, what) <= x->maker->limit)
        return length;
    return shortest_within(x, what, path);
}

static bool has_room(const kan_cut_spans *x, size_t most) {
    return x->axis->n == 1 || kan_stack_since(&x->maker->stack, x->base) <= most;
}

/* Until the shortest path is up to date, or there is nothing better; or, when it is asked what
 * would be, until memory is full: what is not up to date then counts as it is known. */
static kan_status relax(kan_cut_spans *x, kan_cut_assumption what, kan_cut_path *path,
                        uint64_t *out) {
    const bool is_if = what.decision != KAN_CUT_OPEN;
    const unsigned most_rounds =
        x->axis->n < KAN_CUT_MANY_PLACES ? FEW_SPANS_ROUNDS : MANY_SPANS_ROUNDS;
    size_t most = x->most_taken;
    unsigned n_rounds = 0;
    for (bool is_done = false; !is_done;) {
        is_done = true;
        *out = find_path(x, what, path);
        if (*out >= x->best || (is_if && x->sweeps && n_rounds++ == most_rounds))
            return KAN_OK;
        for (uint32_t at = x->axis->n; at > 0; at = path->before[at]) {
            if (is_up_to_date(x, kan_cut_span_before(x, path, at)))
                continue;
            x->is_stopped = x->is_stopped || kan_should_stop(x->maker->space->run);
            if (x->is_stopped || (is_if && !has_room(x, most)))
                return KAN_OK;
            if (!has_room(x, most)) {
                forget(x);
                most *= 2; /* the path itself has to fit in the end */
            }
            KAN_TRY(work_out(x, path->before[at], at));
            is_done = false;
        }
    }
    return KAN_OK;
}

/* A span that no path below the best goes through is none, here and below. */
static void drop_dear(kan_cut_spans *x) {
    const uint32_t n = x->axis->n;
    kan_cut_path path;
    shortest(x, (kan_cut_assumption){0, KAN_CUT_OPEN}, &path);
    x->ahead[n] = 0;
    for (uint32_t from = n; from-- > 0;) {
        x->ahead[from] = KAN_CUT_NEVER;
        for (uint32_t to = from + 1; to <= n; to++) {
            const uint64_t length = add(x->ahead[to], x->spans[kan_cut_span_at(from, to)].lower);
            x->ahead[from] = length < x->ahead[from] ? length : x->ahead[from];
        }
    }
    for (uint32_t to = 1; to <= n; to++)
        for (uint32_t from = 0; from < to; from++) {
            kan_cut_span *span = &x->spans[kan_cut_span_at(from, to)];
            if (add(add(x->distance[from], span->lower), x->ahead[to]) >= x->best)
                span->lower = KAN_CUT_NEVER;
        }
}

void kan_cut_spans_sweep(kan_cut_spans *x) {
    const uint32_t n = x->axis->n;
    if (!x->sweeps)
        return;
    for (uint32_t from = 0; from < n; from++) {
        x->sweep.last[from] = 0;
        for (uint32_t to = n; to > from && x->sweep.last[from] == 0; to--)
            if (x->spans[kan_cut_span_at(from, to)].lower < x->best)
                x->sweep.last[from] = to;
    }
    kan_cut_sweep_all(&x->sweep, x->axis);
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = from + 1; to <= x->sweep.last[from]; to++) {
            const size_t at = kan_cut_sweep_at(x->axis, from, to);
            learn(x, &x->spans[kan_cut_span_at(from, to)], (uint64_t)x->sweep.cost[at],
                  (uint64_t)x->sweep.n_lost[at]);
        }
}

kan_status kan_cut_spans_bound(kan_cut_spans *x, kan_cut_path *path, uint64_t *out) {
    x->n_paths = 0;
    if (x->sweeps)
        drop_dear(x);
    KAN_TRY(relax(x, (kan_cut_assumption){0, KAN_CUT_OPEN}, path, out));
    if (*out < x->best && !x->is_stopped)
        x->paths[x->n_paths++] = *path;
    return KAN_OK;
}

/* A path that is known and stays below the best answers at once. */
static bool is_survived(const kan_cut_spans *x, kan_cut_assumption what) {
    for (unsigned i = x->n_paths; i-- > 0;) {
        uint64_t length = 0, n_lost = 0;
        for (uint32_t at = x->axis->n; at > 0 && length < x->best; at = x->paths[i].before[at]) {
            const kan_cut_span *span = kan_cut_span_before(x, &x->paths[i], at);
            length = add(length, weigh(span, what));
            n_lost += count_lost(span, what);
        }
        if (length < x->best && n_lost <= x->maker->limit)
            return true;
    }
    return false;
}

kan_status kan_cut_spans_excludes(kan_cut_spans *x, kan_cut_assumption what, bool *out) {
    kan_cut_path path;
    uint64_t length;
    *out = false;
    if (is_survived(x, what))
        return KAN_OK;
    KAN_TRY(relax(x, what, &path, &length));
    *out = length >= x->best;
    if (!*out && !x->is_stopped && has_room(x, x->most_taken) && x->n_paths < KAN_CUT_MOST_PATHS)
        x->paths[x->n_paths++] = path;
    return KAN_OK;
}

uint64_t kan_cut_spans_known(kan_cut_spans *x, kan_cut_assumption what) {
    kan_cut_path path;
    return find_path(x, what, &path);
}

/* Boxes by a counter: see tally_boxes.h. */
#include "search/counted/tally_boxes.h"

#include <math.h>
#include <string.h>

#include "search/boxes/boxes.h"

/* Counting a corner from a smaller set pays where it is done so often. */
enum { FEW_NODES = 8 };

typedef struct {
    uint8_t low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
    bool low_is_known; /* `at_low` holds */
    kan_counted at_low;
    uint64_t n_lost; /* rows that the high corner leaves out */
    kan_score bound;
    bool is_bounded, may_hold_best; /* not known to be no better than what was found */
    bool all_satisfy;
} box;

typedef struct {
    kan_tally_run *tally;
    kan_tally_boxes *boxes;
    unsigned n;
    uint64_t limit;
    bool is_by_levels; /* the cost's bound looks at levels alone */
    bool is_stopped, has_left;
    kan_score left_bound;
    double n_decided;
} walk;

static bool is_node(const walk *w, const box *b) {
    return memcmp(b->low, b->high, w->n) == 0;
}

static double count_nodes(const walk *w, const box *b) {
    double n = 1;
    for (unsigned a = 0; a < w->n; a++)
        n *= b->high[a] - b->low[a] + 1;
    return n;
}

static void count_decided(walk *w, double n_nodes) {
    const kan_lattice *lattice = &w->tally->lattice;
    w->n_decided += n_nodes;
    if (lattice->is_countable)
        kan_report_units(w->tally->run, "search", "nodes", (uint64_t)w->n_decided,
                         lattice->n_nodes);
    else
        kan_report_units(w->tally->run, "search", "nodes", w->tally->n_checked, 0);
}

static void mark_box(const walk *w, const box *b) {
    const kan_lattice *lattice = &w->tally->lattice;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < w->n; a++)
        levels[a] = b->low[a];
    for (;;) {
        kan_bit_set(w->boxes->satisfies, kan_lattice_node(lattice, levels));
        unsigned a = w->n;
        for (; a > 0 && levels[a - 1] == b->high[a - 1]; a--)
            levels[a - 1] = b->low[a - 1];
        if (a == 0)
            return;
        levels[a - 1]++;
    }
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* Something better may have been found since the box was bounded. */
static void compare(const walk *w, box *b) {
    if (b->is_bounded && b->may_hold_best)
        b->may_hold_best = !kan_judge_is_hopeless(&w->tally->judge, &b->bound, b->low);
}

/* Bounds a box by what is known of its low corner. What held for a larger box holds for this one. */
static void bound_box(const walk *w, box *b) {
    if (!b->low_is_known && !w->is_by_levels)
        return;
    const kan_score bound =
        kan_tally_bound(w->tally, b->low, b->low_is_known ? &b->at_low : NULL, b->n_lost);
    if (!b->is_bounded || kan_score_compare(&bound, &b->bound) > 0)
        b->bound = bound;
    b->is_bounded = true;
    compare(w, b);
}

/* Whether a box must be cut. What is decided is marked. */
static bool is_open(walk *w, const box *b) {
    const bool fails = b->n_lost > w->limit, is_single = is_node(w, b);
    bool open = !fails && !is_single && b->may_hold_best;
    if (w->boxes->satisfies && !fails) {
        open |= !b->all_satisfy && !is_single;
        if (!open)
            mark_box(w, b);
    }
    if (!open)
        count_decided(w, count_nodes(w, b));
    return open;
}

/* What a box still owes when the time is up. */
static void leave_open(walk *w, const box *b) {
    const kan_score bound = b->is_bounded ? b->bound : kan_score_real(-INFINITY);
    if (b->may_hold_best && (!w->has_left || bound.real < w->left_bound.real))
        w->left_bound = bound;
    else if (!w->has_left)
        w->left_bound = kan_score_real(INFINITY);
    w->has_left = true;
}

/* ---- corners -------------------------------------------------------------------------------- */

static bool is_known_to_fail(const walk *w, const uint8_t *node) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    if (!w->boxes->known)
        return false;
    for (unsigned a = 0; a < w->n; a++)
        levels[a] = node[a];
    return !kan_bit(w->boxes->known, kan_lattice_node(&w->tally->lattice, levels));
}

static kan_status look_high(walk *w, box *b, uint32_t from) {
    kan_counted counted;
    if (is_node(w, b) && b->low_is_known) {
        b->n_lost = b->at_low.n_small_rows;
    } else if (is_known_to_fail(w, b->high)) {
        b->n_lost = UINT64_MAX;
    } else {
        KAN_TRY(kan_tally_look(w->tally, b->high, from, false, &counted));
        b->n_lost = counted.n_small_rows;
    }
    return KAN_OK;
}

/* Looks at a low corner where that may decide the box, or where its set is of use. */
static kan_status look_low(walk *w, box *b, uint32_t from, uint32_t *kept) {
    const bool keeps = count_nodes(w, b) >= FEW_NODES;
    *kept = KAN_COUNTER_BASE;
    b->low_is_known = false;
    bound_box(w, b);
    if ((!b->may_hold_best && !w->boxes->satisfies) ||
        (!keeps && w->is_by_levels && !w->boxes->satisfies))
        return KAN_OK;
    KAN_TRY(kan_tally_look(w->tally, b->low, from, keeps, &b->at_low));
    if (keeps)
        *kept = b->at_low.set;
    b->low_is_known = true;
    b->all_satisfy |= b->at_low.n_small_rows <= w->limit;
    bound_box(w, b);
    return KAN_OK;
}

/* ---- cutting -------------------------------------------------------------------------------- */

/* An attribute of many groups takes the high corner down to failing, one that costs much takes the
 * low corner up to being too dear. */
static unsigned choose_attribute(const walk *w, const box *b) {
    unsigned best = w->n;
    double most = 0;
    for (unsigned a = 0; a < w->n; a++) {
        if (b->low[a] == b->high[a])
            continue;
        double worth = kan_dimension_groups(&w->tally->space->dimensions[a], b->low[a]);
        if (w->is_by_levels) {
            uint8_t above[KAN_MAX_ATTRIBUTES];
            memcpy(above, b->low, sizeof above);
            above[a] = (uint8_t)((b->low[a] + b->high[a]) / 2 + 1);
            worth = log2(worth) * (kan_tally_bound(w->tally, above, NULL, 0).real -
                                   kan_tally_bound(w->tally, b->low, NULL, 0).real);
        }
        if (best == w->n || worth > most) {
            best = a;
            most = worth;
        }
    }
    KAN_ASSERT(best < w->n); /* an open box has more than one node */
    return best;
}

static kan_status cut(walk *w, const box *b, uint32_t from);

static kan_status cut_lower(walk *w, const box *b, uint32_t from, unsigned attribute,
                            unsigned middle) {
    box lower = *b;
    lower.high[attribute] = (uint8_t)middle;
    KAN_TRY(look_high(w, &lower, from));
    if (lower.n_lost <= w->limit && !is_node(w, &lower))
        bound_box(w, &lower); /* more rows are lost at the new corner */
    return is_open(w, &lower) ? cut(w, &lower, from) : KAN_OK;
}

static kan_status cut_upper(walk *w, const box *b, uint32_t from, unsigned attribute,
                            unsigned middle) {
    box upper = *b;
    uint32_t kept = KAN_COUNTER_BASE;
    upper.low[attribute] = (uint8_t)(middle + 1);
    if (!is_node(w, &upper)) /* else it is the high corner, which was looked at */
        KAN_TRY(look_low(w, &upper, from, &kept));
    if (is_open(w, &upper))
        KAN_TRY(cut(w, &upper, kept ? kept : from));
    return kan_tally_drop(w->tally, kept);
}

static kan_status cut(walk *w, const box *b, uint32_t from) {
    box here = *b;
    KAN_TRY(kan_run_is_cancelled(w->tally->run) ? kan_check_cancel(w->tally->run) : KAN_OK);
    w->is_stopped |= kan_should_stop(w->tally->run);
    if (w->is_stopped) {
        leave_open(w, b);
        return KAN_OK;
    }
    const unsigned attribute = choose_attribute(w, &here);
    const unsigned middle = (here.low[attribute] + here.high[attribute]) / 2u;
    KAN_TRY(cut_lower(w, &here, from, attribute, middle));
    compare(w, &here); /* what the lower half brought may have settled the upper one */
    return cut_upper(w, &here, from, attribute, middle);
}

/* ---- the whole lattice ---------------------------------------------------------------------- */

static kan_status explore(walk *w) {
    box root = {.may_hold_best = true};
    uint64_t tight = 0;
    uint32_t kept = KAN_COUNTER_BASE;
    for (unsigned a = 0; a < w->n; a++) {
        root.low[a] = (uint8_t)w->tally->lattice.low[a];
        root.high[a] = (uint8_t)kan_lattice_high(&w->tally->lattice, a);
    }
    const double n_nodes = count_nodes(w, &root);
    if (!w->boxes->known)
        KAN_TRY(kan_root_raise(w->tally->question, root.high, root.low, &tight));
    count_decided(w, n_nodes - count_nodes(w, &root));
    /* Where nothing keeps the promise it is told what is lost at the top: it is looked at in any
     * case. */
    kan_counted top;
    KAN_TRY(kan_tally_look(w->tally, root.high, KAN_COUNTER_BASE, false, &top));
    root.n_lost = top.n_small_rows;
    if (root.n_lost <= w->limit && !is_node(w, &root))
        KAN_TRY(look_low(w, &root, KAN_COUNTER_BASE, &kept));
    if (is_open(w, &root))
        KAN_TRY(cut(w, &root, kept));
    return kan_tally_drop(w->tally, kept);
}

kan_status kan_tally_boxes_search(kan_tally_run *tally, kan_tally_boxes *boxes) {
    walk w = {.tally = tally,
              .boxes = boxes,
              .n = tally->space->n_attributes,
              .limit = tally->question->promise->limit,
              .is_by_levels = tally->question->objective->kind->bound_is_by_levels};
    const kan_found *best = &tally->judge.best;
    KAN_TRY(explore(&w));
    boxes->is_proven = !w.has_left;
    boxes->bound = w.has_left ? w.left_bound : kan_score_real(INFINITY);
    if (best->is_found && (boxes->is_proven || best->score.real < boxes->bound.real))
        boxes->bound = best->score;
    return boxes->is_proven || best->is_found ? KAN_OK : kan_check_cancel(tally->run);
}

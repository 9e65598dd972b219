/* Cutting boxes: see box_explorer.h. */
#include "search/boxes/box_explorer.h"

#include <math.h>

#include "search/boxes/box_cut.h"

enum { MUCH_ROOM = 1 << 16 };

/* ---- boxes ---------------------------------------------------------------------------------- */

double kan_box_nodes(const kan_box_explorer *e, const kan_box *b) {
    double n = 1;
    for (unsigned a = 0; a < e->plan->n_attributes; a++)
        n *= b->high[a] - b->low[a] + 1;
    return n;
}

/* Marks all nodes of a box. Boxes of other threads may share words with it. */
static void mark_box(const kan_box_explorer *e, const kan_box *b) {
    const kan_lattice *lattice = e->plan->boxes->lattice;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_box_levels(e, b->low, levels);
    for (;;) {
        const uint64_t node = kan_lattice_node(lattice, levels);
        __atomic_fetch_or(&e->plan->boxes->satisfies[node >> 6], UINT64_C(1) << (node & 63),
                          __ATOMIC_RELAXED);
        unsigned a = lattice->n_attributes;
        while (a > 0 && levels[a - 1] == b->high[a - 1]) {
            a--;
            levels[a] = b->low[a];
        }
        if (a == 0)
            return;
        levels[a - 1]++;
    }
}

/* By k alone it is known which groups the lost rows are in, which some bounds rest on; by the whole
 * promise only how many they are. */
kan_corner kan_box_corner(const kan_box_explorer *e, const kan_groups *groups) {
    KAN_ASSERT(kan_groups_is_fresh(groups));
    return (kan_corner){true, groups->n_left_out,
                        e->plan->counts_all_losses ? groups->n_left_out : groups->n_suppressed};
}

void kan_box_explorer_bound(kan_box_explorer *e, kan_box *b, const kan_groups *low) {
    kan_score bound;
    if (!b->may_hold_best || !kan_probe_bound(&e->probe, low, b->at_high.n_lost, &bound))
        return;
    /* What held for a larger box holds for this one. */
    if (!b->is_bounded || kan_score_compare(&bound, &b->bound) > 0)
        b->bound = bound;
    b->is_bounded = true;
    b->may_hold_best = !kan_judge_is_hopeless(&e->probe.judge, &b->bound, b->low);
}

/* Something better may have been found since the box was bounded. */
static void compare_again(const kan_box_explorer *e, kan_box *b) {
    if (b->is_bounded && b->may_hold_best)
        b->may_hold_best = !kan_judge_is_hopeless(&e->probe.judge, &b->bound, b->low);
}

static void set_bound_by_levels(kan_box_explorer *e, kan_box *b) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_box_levels(e, b->low, levels);
    const kan_groups low = {.n_rows = e->probe.question->problem->n_rows, .levels = levels};
    if (e->plan->is_by_levels)
        kan_box_explorer_bound(e, b, &low);
}

void kan_box_explorer_count_decided(kan_box_explorer *e, double n_nodes) {
    const kan_lattice *lattice = e->plan->boxes->lattice;
    if (e->plan->boxes->is_part)
        return;
    if (!lattice->is_countable) {
        kan_report_units(e->probe.run, "search", "nodes", e->probe.n_checked, 0);
        return;
    }
    const uint64_t n = (uint64_t)n_nodes;
    const uint64_t done = atomic_fetch_add_explicit(&e->plan->n_decided, n, memory_order_relaxed);
    kan_report_units(e->probe.run, "search", "nodes", done + n, lattice->n_nodes);
}

bool kan_box_explorer_is_open(kan_box_explorer *e, const kan_box *b) {
    KAN_ASSERT(b->at_high.is_known);
    const uint64_t limit = e->plan->promise->limit;
    const bool fails = b->at_high.n_failing > limit;
    const bool is_single = kan_box_is_node(e, b);
    bool open = !fails && !is_single && b->may_hold_best;
    if (e->plan->boxes->satisfies && !fails) {
        open |= !b->all_satisfy && !is_single;
        if (!open)
            mark_box(e, b);
    }
    if (!open)
        kan_box_explorer_count_decided(e, kan_box_nodes(e, b));
    return open;
}

kan_status kan_box_explorer_note(kan_box_explorer *e) {
    return kan_trail_note(e->trail, e->probe.run, kan_box_explorer_checked(e),
                          &e->probe.judge.best);
}

/* What a box still owes when the time is up, or the nodes are. */
static void leave_open(kan_box_explorer *e, const kan_box *b) {
    const kan_score bound = b->is_bounded ? b->bound : kan_score_real(-INFINITY);
    if (b->may_hold_best && (!e->has_left || bound.real < e->left_bound.real))
        e->left_bound = bound;
    else if (!e->has_left)
        e->left_bound = kan_score_real(INFINITY);
    e->has_left = true;
}

/* ---- cutting -------------------------------------------------------------------------------- */

kan_status kan_box_explorer_hand_on(kan_box_explorer *e, const kan_box *b, const kan_freqset *set,
                                    bool is_low_set, unsigned depth) {
    kan_box_plan *p = e->plan;
    if (!e->is_collecting || depth < p->task_cuts)
        return kan_box_explorer_cut(e, b, set, is_low_set, depth);
    KAN_TRY(kan_reserve(e->probe.run, p->n_tasks + 1, sizeof *p->tasks, &p->task_room, &p->tasks));
    p->tasks[p->n_tasks++] = (kan_box_task){.box = *b, .set = set, .is_low_set = is_low_set};
    return KAN_OK;
}

/* The set of a depth, for a low corner there; NULL where it would not pay. It costs several counts
 * of sizes from the set there is, so the box must be large and the set smaller; how much, nobody
 * knows before, but the number of possible groups is a fair guess. More so where nodes are only
 * split, which is quick, and none of them is settled by its low corner. */
static kan_status find_room(kan_box_explorer *e, const kan_box *b, const kan_freqset *from,
                            unsigned depth, kan_freqset **out) {
    const bool is_quick = (e->probe.splits || e->probe.checks_sizes) && e->plan->is_by_levels &&
                          e->plan->promise->limit > 0;
    const double few_nodes = is_quick ? 64 : 8;
    const double least_ratio = is_quick ? 8 : e->plan->wants_low ? 1 : 2;
    const kan_space *space = e->probe.space;
    /* The set itself, and what counting and sorting sets of that size may take beside it. */
    const uint64_t bytes = 10 * kan_set_bytes(from);
    double ratio = 1;
    *out = NULL;
    for (unsigned f = 0; f < from->layout.n_fields; f++) {
        const kan_key_field *field = &from->layout.fields[f];
        if (field->dimension < e->plan->n_attributes)
            ratio *=
                (double)kan_dimension_groups(&space->dimensions[field->dimension], field->level) /
                kan_dimension_groups(&space->dimensions[field->dimension],
                                     b->low[field->dimension]);
    }
    const bool pays =
        e->probe.needs_sets || (kan_box_nodes(e, b) >= few_nodes && ratio > least_ratio);
    if (!pays || kan_run_memory_left(e->probe.run) < bytes)
        return KAN_OK;
    if (!e->sets[depth])
        KAN_TRY(kan_alloc_zero(e->probe.run, 1, sizeof **e->sets, &e->sets[depth]));
    *out = e->sets[depth];
    return KAN_OK;
}

/* A set that tasks refer to is theirs from now on. */
static kan_status keep_set(kan_box_explorer *e, unsigned depth, size_t first_task) {
    kan_box_plan *p = e->plan;
    bool is_used = false;
    for (size_t t = first_task; t < p->n_tasks; t++)
        is_used |= p->tasks[t].set == e->sets[depth];
    if (!is_used || !e->sets[depth])
        return KAN_OK;
    KAN_TRY(kan_reserve(e->probe.run, p->n_kept + 1, sizeof *p->kept, &p->kept_room, &p->kept));
    p->kept[p->n_kept++] = e->sets[depth];
    e->sets[depth] = NULL;
    return KAN_OK;
}

/* The known bits say that a node fails: its rows need not be counted. */
static bool is_known_to_fail(const kan_box_explorer *e, const unsigned *levels) {
    const kan_boxes *boxes = e->plan->boxes;
    return boxes->known && !kan_bit(boxes->known, kan_lattice_node(boxes->lattice, levels));
}

/* Bounds a lower half: more rows are lost at its new corner. What was seen there may still have to
 * be measured, so that the low corner is seen beside it. */
static kan_status bound_lower(kan_box_explorer *e, const kan_box *b, const kan_freqset *set,
                              bool is_low_set, kan_box *lower) {
    kan_groups groups;
    if (lower->at_high.n_failing > e->plan->promise->limit || kan_box_is_node(e, lower))
        return KAN_OK;
    set_bound_by_levels(e, lower);
    compare_again(e, lower);
    if (!e->plan->bounds_losses || !is_low_set || !lower->may_hold_best ||
        lower->at_high.n_lost <= b->at_high.n_lost)
        return KAN_OK;
    KAN_TRY(kan_probe_see_below(&e->probe, set, &groups));
    kan_box_explorer_bound(e, lower, &groups);
    return KAN_OK;
}

static kan_status cut_lower(kan_box_explorer *e, const kan_box *b, const kan_freqset *set,
                            bool is_low_set, kan_box_cut cut, unsigned depth) {
    const uint64_t limit = e->plan->promise->limit;
    kan_box lower = *b;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    lower.high[cut.attribute] = (uint8_t)cut.middle;
    lower.tight = lower.seen = 0;
    kan_box_levels(e, lower.high, levels);
    if (kan_box_is_node(e, &lower) && b->at_low.is_known) {
        lower.at_high = b->at_low; /* the low corner was looked at */
    } else if (is_known_to_fail(e, levels)) {
        lower.at_high = (kan_corner){true, UINT64_MAX, 0};
    } else if (limit == 0 && cut.middle == b->low[cut.attribute] &&
               (b->seen >> cut.attribute & 1)) {
        lower.at_high = (kan_corner){true, 0, 0}; /* it was looked at when the box was shaved */
    } else {
        KAN_TRY(kan_probe_look(&e->probe, set, levels, NULL, &groups));
        lower.at_high = kan_box_corner(e, &groups);
        if (e->probe.strict.looks_early) /* sizes may settle it */
            KAN_TRY(bound_lower(e, b, set, is_low_set, &lower));
        if (lower.may_hold_best || e->plan->boxes->satisfies) {
            KAN_TRY(kan_probe_look_strictly(&e->probe, set, &groups));
            lower.at_high = kan_box_corner(e, &groups);
        }
        KAN_TRY(kan_probe_measure(&e->probe, set, NULL, &groups));
    }
    KAN_TRY(bound_lower(e, b, set, is_low_set, &lower));
    return kan_box_explorer_is_open(e, &lower)
               ? kan_box_explorer_hand_on(e, &lower, set, is_low_set, depth + 1)
               : KAN_OK;
}

/* Looks at the low corner of a box, from a set below it. `set` becomes its set where one is made.
 */
static kan_status look_low(kan_box_explorer *e, kan_box *b, unsigned depth, const kan_freqset **set,
                           bool *is_low_set) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    kan_freqset *made;
    b->at_low.is_known = *is_low_set = false;
    set_bound_by_levels(e, b);
    if (!b->may_hold_best && !e->plan->boxes->satisfies)
        return KAN_OK;
    KAN_TRY(find_room(e, b, *set, depth, &made));
    if (!made && !e->plan->wants_low)
        return KAN_OK;
    kan_box_levels(e, b->low, levels);
    KAN_TRY(kan_probe_look(&e->probe, *set, levels, made, &groups));
    if (!e->plan->is_by_levels)
        kan_box_explorer_bound(e, b, &groups);
    if (e->plan->boxes->satisfies)
        KAN_TRY(kan_probe_look_strictly(&e->probe, *set, &groups));
    b->at_low = kan_box_corner(e, &groups);
    b->all_satisfy |= groups.n_left_out <= e->plan->promise->limit;
    KAN_TRY(kan_probe_measure(&e->probe, *set, made, &groups));
    compare_again(e, b);
    if (!made)
        return KAN_OK;
    *set = made;
    *is_low_set = true;
    /* What a large set leaves over, or any under a budget, is room for the next. */
    return made->key_room > MUCH_ROOM || kan_run_memory_budget(e->probe.run) > 0
               ? kan_freqset_trim(e->probe.run, made)
               : KAN_OK;
}

static kan_status cut_upper(kan_box_explorer *e, const kan_box *b, const kan_freqset *set,
                            kan_box_cut cut, unsigned depth) {
    kan_box upper = *b;
    bool is_low_set = false;
    const size_t first_task = e->plan->n_tasks;
    upper.low[cut.attribute] = (uint8_t)(cut.middle + 1);
    upper.seen &= ~(UINT64_C(1) << cut.attribute);
    if (kan_box_is_node(e, &upper))
        upper.at_low = b->at_high; /* the high corner was looked at */
    else
        KAN_TRY(look_low(e, &upper, depth, &set, &is_low_set));
    if (!kan_box_explorer_is_open(e, &upper))
        return KAN_OK;
    KAN_TRY(kan_box_explorer_hand_on(e, &upper, set, is_low_set, depth + 1));
    return e->is_collecting ? keep_set(e, depth, first_task) : KAN_OK;
}

/* Raises the low corner as far as single attributes allow: where the high corner fails with one
 * attribute at its lowest, every node of the box fails there. */
static kan_status shave(kan_box_explorer *e, kan_box *b, const kan_freqset *set, bool *is_raised) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    *is_raised = false;
    for (unsigned a = 0; a < e->plan->n_attributes; a++) {
        if (b->low[a] == b->high[a] || b->tight >> a & 1)
            continue;
        const unsigned low = b->low[a];
        kan_box_levels(e, b->high, levels);
        levels[a] = low;
        while (levels[a] < b->high[a] && is_known_to_fail(e, levels))
            levels[a]++;
        if (levels[a] < b->high[a]) {
            KAN_TRY(kan_probe_climb(&e->probe, set, levels, a, b->high[a] - 1u, &groups));
            if (groups.n_left_out > e->plan->promise->limit) {
                levels[a]++;
            } else {
                KAN_TRY(kan_probe_measure(&e->probe, set, NULL, &groups));
                b->seen |= UINT64_C(1) << a;
            }
        }
        b->tight |= UINT64_C(1) << a;
        b->low[a] = (uint8_t)levels[a];
        KAN_ASSERT(low <= levels[a] && levels[a] <= b->high[a]);
        *is_raised |= levels[a] > low;
    }
    return KAN_OK;
}

kan_status kan_box_explorer_cut(kan_box_explorer *e, const kan_box *b, const kan_freqset *set,
                                bool is_low_set, unsigned depth) {
    kan_box here = *b;
    bool is_raised = false;
    KAN_ASSERT(depth + 1 < e->plan->n_depths);
    if (kan_run_is_cancelled(e->probe.run))
        return kan_check_cancel(e->probe.run);
    KAN_TRY(kan_box_explorer_note(e));
    e->is_stopped |= kan_should_stop(e->probe.run);
    if (e->is_stopped || kan_box_explorer_checked(e) >= e->most_checked) {
        leave_open(e, b);
        return KAN_OK;
    }
    if (e->plan->shaves)
        KAN_TRY(shave(e, &here, set, &is_raised));
    if (is_raised) {
        kan_box_explorer_count_decided(e, kan_box_nodes(e, b) - kan_box_nodes(e, &here));
        const size_t first_task = e->plan->n_tasks;
        KAN_TRY(look_low(e, &here, depth, &set, &is_low_set));
        if (!kan_box_explorer_is_open(e, &here))
            return KAN_OK;
        /* It is as if it had been cut once more. */
        if (is_low_set) {
            KAN_TRY(kan_box_explorer_hand_on(e, &here, set, true, depth + 1));
            return e->is_collecting ? keep_set(e, depth, first_task) : KAN_OK;
        }
    }
    const kan_box_cut cut = kan_box_cut_choose(e, &here);
    KAN_ASSERT(cut.attribute < e->plan->n_attributes); /* an open box has more than one node */
    KAN_ASSERT(here.low[cut.attribute] <= cut.middle && cut.middle < here.high[cut.attribute]);
    KAN_TRY(cut_lower(e, &here, set, is_low_set, cut, depth));
    compare_again(e, &here); /* what the lower half brought may have settled the upper one */
    return cut_upper(e, &here, set, cut, depth);
}

/* ---- something good to begin with ----------------------------------------------------------- */

/* First those attributes that bring most for the groups that they make. */
static unsigned order_by_price(const kan_box_explorer *e, const kan_box *root, unsigned *order) {
    double worth[KAN_MAX_ATTRIBUTES];
    unsigned n = 0;
    for (unsigned a = 0; a < e->plan->n_attributes; a++) {
        const double *dearer = e->plan->dearer[a];
        const double n_groups = kan_dimension_groups(&e->probe.space->dimensions[a], root->low[a]);
        if (root->low[a] == root->high[a])
            continue;
        worth[a] = (dearer[root->high[a]] - dearer[root->low[a]]) / log2(1 + n_groups);
        unsigned at = n++;
        for (; at > 0 && worth[order[at - 1]] < worth[a]; at--)
            order[at] = order[at - 1];
        order[at] = a;
    }
    return n;
}

kan_status kan_box_explorer_descend(kan_box_explorer *e, const kan_box *root,
                                    const kan_freqset *set) {
    const kan_found *best = &e->probe.judge.best;
    unsigned order[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
    const unsigned n = order_by_price(e, root, order);
    kan_groups groups;
    for (unsigned i = 0; best->is_found && i < n; i++) {
        kan_box_levels(e, best->levels, levels);
        /* Whatever is not better is left at once. */
        while (levels[order[i]] > root->low[order[i]] &&
               levels[order[i]] == best->levels[order[i]]) {
            levels[order[i]]--;
            KAN_TRY(kan_probe_look(&e->probe, set, levels, NULL, &groups));
            KAN_TRY(kan_probe_measure(&e->probe, set, NULL, &groups));
        }
    }
    return KAN_OK;
}

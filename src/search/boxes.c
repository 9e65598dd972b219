/* Branch and bound over boxes: see boxes.h.
 *
 * A box is cut in the middle of the attribute that has most groups at the low corner. Of the two
 * halves, the lower one keeps the low corner and gets a new high one, whose group sizes are counted
 * from the low corner's frequency set; the upper one gets a new low corner, whose set is rolled up
 * from the old one and serves all counts within. So a cut costs at most two passes over a set that
 * shrinks with every step up, and the lower half is searched first: it leads straight to a minimal
 * node, a good one to compare with.
 *
 * Keys are laid out with the attributes of few values first: those that are rolled up most often
 * are at the end, where rolling up is cheapest.
 *
 * Memory: one set per cut that is open, each no larger than the one before. */
#include "search/boxes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "group/sizes.h"

enum { MOST_DEPTH = KAN_MAX_ATTRIBUTES * 8 }; /* a level has at most 8 bits, and each is cut once */

/* What is known of a corner. */
typedef struct {
    bool is_known;
    uint64_t n_failing, n_released_groups;
} corner;

typedef struct {
    uint8_t low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
    corner at_low, at_high; /* the high one is always known */
    kan_score bound;
    bool is_bounded;    /* `bound` holds */
    bool may_hold_best; /* it is not known that something better, or as good, was found */
} box;

typedef struct {
    kan_boxes *boxes;
    kan_run *run;
    const kan_space *space;
    const kan_promise *promise;
    const kan_objective *objective;
    kan_judge *judge;
    bool needs_sets; /* sizes alone tell too little of this promise or cost */
    kan_workspace *workspace;
    kan_sizes sizes;
    kan_freqset base, scratch;
    kan_freqset sets[MOST_DEPTH]; /* of the low corners, by depth */
    uint8_t *is_released;
    size_t flag_room;
    bool is_stopped;
    double n_decided, n_nodes;
} engine;

static bool is_one_node(const engine *e, const box *b) {
    return memcmp(b->low, b->high, e->space->n_attributes) == 0;
}

/* ---- looking at a node ---------------------------------------------------------------------- */

static void to_levels(const engine *e, const uint8_t *node, unsigned *levels) {
    for (unsigned a = 0; a < e->space->n_attributes; a++)
        levels[a] = node[a];
}

/* Counts what fails when a group's size decides. */
static void count_small(const engine *e, kan_groups *groups) {
    const uint64_t least = e->promise->least_size;
    uint64_t rows = 0, n_small = 0;
    for (size_t g = 0; g < groups->n_groups; g++) {
        const bool is_small = groups->count[g] < least;
        rows += is_small ? groups->count[g] : 0;
        n_small += is_small;
    }
    groups->n_suppressed = rows;
    groups->n_released_groups = groups->n_groups - n_small;
}

/* A set that has been made, as groups that have been checked. Where sizes decide the flags of
 * released groups are left for flag_groups. */
static kan_status see_set(engine *e, const kan_freqset *set, kan_groups *groups) {
    KAN_TRY(kan_viewer_groups(&e->judge->viewer, set, groups));
    if (e->needs_sets)
        kan_promise_check(e->promise, groups, e->judge->viewer.is_released);
    else
        count_small(e, groups);
    return KAN_OK;
}

static kan_status flag_groups(engine *e, kan_groups *groups) {
    if (groups->is_released || groups->n_suppressed == 0)
        return KAN_OK;
    if (groups->n_groups > e->flag_room)
        KAN_TRY(kan_reserve(e->run, groups->n_groups, 1, &e->flag_room, &e->is_released));
    kan_promise_check(e->promise, groups, e->is_released);
    return KAN_OK;
}

/* The groups of a node, from a set at a node below it. `made` becomes its set; without it, and
 * where that is enough, only sizes are counted. */
static kan_status look(engine *e, const kan_freqset *from, const unsigned *levels,
                       kan_freqset *made, kan_groups *groups) {
    e->boxes->n_checked++;
    e->boxes->effort.n_tuples += from->n;
    if (from == &e->base)
        e->boxes->effort.n_scans++;
    else
        e->boxes->effort.n_rollups++;
    if (made || e->needs_sets) {
        kan_freqset *set = made ? made : &e->scratch;
        KAN_TRY(kan_freqset_rollup(e->space, from, levels, e->workspace, set));
        KAN_TRY(see_set(e, set, groups));
    } else {
        KAN_TRY(kan_sizes_count(&e->sizes, from, levels, e->workspace));
        *groups = (kan_groups){.n_groups = e->sizes.n,
                               .n_rows = e->judge->question->problem->n_rows,
                               .count = e->sizes.counts,
                               .levels = levels};
        count_small(e, groups);
    }
    if (groups->n_suppressed < e->judge->least_suppressed)
        e->judge->least_suppressed = groups->n_suppressed;
    return KAN_OK;
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* Rows that are lost count for a bound only where it is known which groups they are in. */
static uint64_t lost_rows(const engine *e, uint64_t n_failing) {
    return e->promise->size_decides ? n_failing : 0;
}

/* Whether no node at or above `low` that costs `bound` or more can replace the best: it costs more,
 * or as much and comes later in the order of ties. Scores that are rounded need a margin. */
static bool is_hopeless(const engine *e, const kan_score *bound, const uint8_t *low) {
    const kan_found *best = &e->judge->best;
    if (!best->is_found)
        return false;
    if (!bound->is_exact || !best->score.is_exact)
        return bound->real > best->score.real + fabs(best->score.real) * 1e-9;
    if (bound->whole != best->score.whole)
        return bound->whole > best->score.whole;
    unsigned height = 0;
    for (unsigned a = 0; a < e->space->n_attributes; a++)
        height += low[a];
    /* `low` is the first of its box in both orders. */
    return height != best->height ? height > best->height
                                  : memcmp(low, best->levels, e->space->n_attributes) >= 0;
}

static void set_bound(const engine *e, box *b, const kan_groups *low, uint64_t n_failing_high) {
    const kan_cost_kind *cost = e->objective->kind;
    if (!cost->bound || !b->may_hold_best)
        return;
    b->bound = cost->bound(e->objective->state, low, lost_rows(e, n_failing_high));
    b->is_bounded = true;
    b->may_hold_best = !is_hopeless(e, &b->bound, b->low);
}

/* Measures a node that satisfies, unless it cannot be the best. `set` is its set or NULL; `from` is
 * a set below it. */
static kan_status consider(engine *e, const kan_freqset *from, const kan_freqset *set,
                           kan_groups *groups) {
    const kan_cost_kind *cost = e->objective->kind;
    uint8_t levels[KAN_MAX_ATTRIBUTES] = {0};
    if (groups->n_suppressed > e->promise->limit)
        return KAN_OK;
    for (unsigned a = 0; a < e->space->n_attributes; a++)
        levels[a] = (uint8_t)groups->levels[a];
    if (cost->bound) {
        kan_score bound =
            cost->bound(e->objective->state, groups, lost_rows(e, groups->n_suppressed));
        if (is_hopeless(e, &bound, levels))
            return KAN_OK;
    }
    if (!e->needs_sets && !cost->needs_loss) {
        KAN_TRY(flag_groups(e, groups));
        kan_judge_measured(e->judge, groups);
        return KAN_OK;
    }
    bool satisfies;
    if (!set && !e->needs_sets) {
        unsigned at[KAN_MAX_ATTRIBUTES];
        to_levels(e, levels, at);
        KAN_TRY(kan_freqset_rollup(e->space, from, at, e->workspace, &e->scratch));
        e->boxes->effort.n_tuples += from->n;
    }
    return kan_judge_node(e->judge, set ? set : &e->scratch, &satisfies);
}

/* ---- boxes ---------------------------------------------------------------------------------- */

static double count_nodes(const engine *e, const box *b) {
    double n = 1;
    for (unsigned a = 0; a < e->space->n_attributes; a++)
        n *= b->high[a] - b->low[a] + 1;
    return n;
}

static void note_decided(engine *e, const box *b) {
    e->n_decided += count_nodes(e, b);
    if (e->boxes->lattice->is_countable)
        kan_report_progress(e->run, "search", (uint64_t)e->n_decided, e->boxes->lattice->n_nodes);
    else
        kan_report_progress(e->run, "search", e->boxes->n_checked, 0);
}

/* Marks all nodes of a box. */
static void mark_box(engine *e, const box *b) {
    const kan_lattice *lattice = e->boxes->lattice;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    to_levels(e, b->low, levels);
    for (;;) {
        kan_bit_set(e->boxes->satisfies, kan_lattice_node(lattice, levels));
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

static bool satisfies_at(const engine *e, const corner *c) {
    return c->is_known && c->n_failing <= e->promise->limit;
}

/* Whether a box must be cut further; marks what is decided. */
static bool is_open(engine *e, const box *b) {
    const bool fails = b->at_high.n_failing > e->promise->limit;
    const bool all_satisfy = satisfies_at(e, &b->at_low);
    bool open = !fails && !is_one_node(e, b) && b->may_hold_best;
    if (e->boxes->satisfies && !fails) {
        open |= !all_satisfy && !is_one_node(e, b);
        if (!open)
            mark_box(e, b);
    }
    return open;
}

/* The attribute with most groups at the low corner, among those that can be cut. */
static unsigned choose_attribute(const engine *e, const box *b) {
    unsigned best = 0;
    uint32_t most = 0;
    for (unsigned a = 0; a < e->space->n_attributes; a++) {
        uint32_t n = kan_dimension_groups(&e->space->dimensions[a], b->low[a]);
        if (b->low[a] < b->high[a] && n > most) {
            best = a;
            most = n;
        }
    }
    return best;
}

static kan_status explore(engine *e, const box *b, const kan_freqset *set, bool is_low_set,
                          unsigned depth);

/* What the box still owes when the time is up: its bound joins the one of all that was left. */
static void leave_open(engine *e, const box *b) {
    kan_boxes *boxes = e->boxes;
    boxes->is_proven = false;
    if (!b->may_hold_best)
        return;
    kan_score bound = b->is_bounded ? b->bound : kan_score_real(-INFINITY);
    if (bound.real < boxes->bound.real)
        boxes->bound = bound;
}

/* The known bits say that a node fails: its rows need not be counted. */
static bool is_known_to_fail(const engine *e, const unsigned *levels) {
    return e->boxes->known &&
           !kan_bit(e->boxes->known, kan_lattice_node(e->boxes->lattice, levels));
}

static kan_status explore_lower(engine *e, const box *b, const kan_freqset *set, bool is_low_set,
                                unsigned attribute, uint8_t middle, unsigned depth) {
    box lower = *b;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    lower.high[attribute] = middle;
    to_levels(e, lower.high, levels);
    if (is_one_node(e, &lower) && b->at_low.is_known) {
        lower.at_high = b->at_low; /* the low corner was looked at */
    } else if (is_known_to_fail(e, levels)) {
        lower.at_high = (corner){true, UINT64_MAX, 0};
    } else {
        KAN_TRY(look(e, set, levels, NULL, &groups));
        lower.at_high = (corner){true, groups.n_suppressed, groups.n_released_groups};
        KAN_TRY(consider(e, set, NULL, &groups));
    }
    if (lower.at_high.n_failing <= e->promise->limit && !is_one_node(e, &lower)) {
        unsigned low[KAN_MAX_ATTRIBUTES];
        const bool by_levels = e->objective->kind->bound_is_by_levels;
        to_levels(e, lower.low, low);
        if (by_levels) {
            groups = (kan_groups){.n_rows = e->judge->question->problem->n_rows, .levels = low};
            set_bound(e, &lower, &groups, lower.at_high.n_failing);
        } else if (is_low_set && lower.may_hold_best) {
            KAN_TRY(see_set(e, set, &groups));
            set_bound(e, &lower, &groups, lower.at_high.n_failing);
        }
    }
    if (!is_open(e, &lower)) {
        note_decided(e, &lower);
        return KAN_OK;
    }
    return explore(e, &lower, set, is_low_set, depth + 1);
}

static kan_status explore_upper(engine *e, const box *b, const kan_freqset *set, unsigned attribute,
                                uint8_t middle, unsigned depth) {
    box upper = *b;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    kan_freqset *made = &e->sets[depth];
    upper.low[attribute] = (uint8_t)(middle + 1);
    to_levels(e, upper.low, levels);
    if (is_one_node(e, &upper)) {
        upper.at_low = b->at_high; /* the high corner was looked at */
    } else {
        if (e->objective->kind->bound_is_by_levels) {
            groups = (kan_groups){.n_rows = e->judge->question->problem->n_rows, .levels = levels};
            set_bound(e, &upper, &groups, upper.at_high.n_failing);
        }
        if (upper.may_hold_best || e->boxes->satisfies) {
            KAN_TRY(look(e, set, levels, made, &groups));
            upper.at_low = (corner){true, groups.n_suppressed, groups.n_released_groups};
            KAN_TRY(consider(e, set, made, &groups));
            set_bound(e, &upper, &groups, upper.at_high.n_failing);
        }
    }
    if (!is_open(e, &upper)) {
        note_decided(e, &upper);
        return KAN_OK;
    }
    return explore(e, &upper, made, true, depth + 1);
}

/* Cuts a box that is open. `set` is the one of its low corner, or of a node below it. */
static kan_status explore(engine *e, const box *b, const kan_freqset *set, bool is_low_set,
                          unsigned depth) {
    assert(depth < MOST_DEPTH);
    if (e->is_stopped || kan_should_stop(e->run)) {
        KAN_TRY(kan_run_is_cancelled(e->run) || !e->judge->best.is_found ? kan_check_cancel(e->run)
                                                                         : KAN_OK);
        e->is_stopped = true;
        leave_open(e, b);
        return KAN_OK;
    }
    const unsigned attribute = choose_attribute(e, b);
    const uint8_t middle = (uint8_t)((b->low[attribute] + b->high[attribute]) / 2);
    KAN_TRY(explore_lower(e, b, set, is_low_set, attribute, middle, depth));
    /* What the lower half brought may have settled the upper one. */
    box rest = *b;
    if (rest.is_bounded && rest.may_hold_best)
        rest.may_hold_best = !is_hopeless(e, &rest.bound, rest.low);
    return explore_upper(e, &rest, set, attribute, middle, depth);
}

/* ---- the whole lattice ---------------------------------------------------------------------- */

/* Attributes of few values first. */
static void order_attributes(const kan_space *space, unsigned *order) {
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const uint32_t n = kan_dimension_groups(&space->dimensions[a], 0);
        unsigned at = a;
        for (; at > 0 && kan_dimension_groups(&space->dimensions[order[at - 1]], 0) > n; at--)
            order[at] = order[at - 1];
        order[at] = a;
    }
}

/* Rows of groups that are too small when one attribute alone stands below its top. */
static kan_status count_alone(const engine *e, unsigned attribute, unsigned level,
                              uint64_t *rows_of_group, uint64_t *n_failing) {
    const kan_hierarchy *hierarchy = e->space->dimensions[attribute].hierarchy;
    const uint64_t *leaf_rows = e->judge->question->problem->leaf_rows[attribute];
    const uint32_t n_leaves = hierarchy->levels[0].n_groups;
    const uint32_t n_groups = hierarchy->levels[level].n_groups;
    memset(rows_of_group, 0, n_groups * sizeof *rows_of_group);
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
        rows_of_group[hierarchy->levels[level].from_leaf[leaf]] += leaf_rows[leaf];
    *n_failing = 0;
    for (uint32_t g = 0; g < n_groups; g++)
        *n_failing += rows_of_group[g] < e->promise->least_size ? rows_of_group[g] : 0;
    return KAN_OK;
}

/* An attribute that fails at a level even when all others are at their top fails there always: the
 * low corner of everything rises. The counts of values are known, so this costs nearly nothing. */
static kan_status raise_low(engine *e, box *root) {
    if (!e->promise->size_decides || e->boxes->known)
        return KAN_OK;
    for (unsigned a = 0; a < e->space->n_attributes; a++) {
        uint64_t *rows, n_failing = 0;
        KAN_TRY(kan_alloc(e->run, kan_dimension_groups(&e->space->dimensions[a], 0), sizeof *rows,
                          &rows));
        for (; root->low[a] < root->high[a]; root->low[a]++) {
            (void)count_alone(e, a, root->low[a], rows, &n_failing);
            e->boxes->n_checked++;
            if (n_failing <= e->promise->limit)
                break;
        }
        kan_free(e->run, rows);
    }
    return KAN_OK;
}

static kan_status search_root(engine *e) {
    box root = {.may_hold_best = true};
    unsigned order[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    order_attributes(e->space, order);
    KAN_TRY(kan_question_base(e->judge->question, order, e->workspace, &e->base));
    for (unsigned a = 0; a < e->space->n_attributes; a++)
        root.high[a] = (uint8_t)e->space->dimensions[a].height;
    to_levels(e, root.high, levels);
    KAN_TRY(look(e, &e->base, levels, NULL, &groups));
    root.at_high = (corner){true, groups.n_suppressed, groups.n_released_groups};
    KAN_TRY(consider(e, &e->base, NULL, &groups));
    if (root.at_high.n_failing > e->promise->limit)
        return KAN_OK;
    KAN_TRY(raise_low(e, &root));
    to_levels(e, root.low, levels);
    KAN_TRY(look(e, &e->base, levels, &e->sets[0], &groups));
    root.at_low = (corner){true, groups.n_suppressed, groups.n_released_groups};
    KAN_TRY(consider(e, &e->base, &e->sets[0], &groups));
    set_bound(e, &root, &groups, root.at_high.n_failing);
    if (!is_open(e, &root))
        return KAN_OK;
    return explore(e, &root, &e->sets[0], true, 1);
}

kan_status kan_boxes_search(kan_boxes *boxes, kan_judge *judge) {
    kan_status status;
    const kan_question *question = judge->question;
    engine *e = NULL;
    kan_run *run = question->problem->run;
    boxes->is_proven = true;
    boxes->bound = kan_score_real(INFINITY);
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *e, &e));
    e->boxes = boxes;
    e->run = run;
    e->space = &question->problem->space;
    e->promise = question->promise;
    e->objective = question->objective;
    e->judge = judge;
    e->needs_sets = !question->promise->size_decides || question->promise->needs_tallies ||
                    question->objective->kind->needs_class;
    kan_sizes_init(&e->sizes, e->space);
    KAN_TRY_DONE(kan_workspace_create(run, &e->workspace));
    KAN_TRY_DONE(search_root(e));
    if (boxes->is_proven || judge->best.score.real < boxes->bound.real)
        boxes->bound = judge->best.score;
done:
    for (unsigned i = 0; i < MOST_DEPTH; i++)
        kan_freqset_destroy(run, &e->sets[i]);
    kan_freqset_destroy(run, &e->base);
    kan_freqset_destroy(run, &e->scratch);
    kan_sizes_destroy(&e->sizes);
    kan_workspace_destroy(e->workspace);
    kan_free(run, e->is_released);
    kan_free(run, e);
    return status;
}

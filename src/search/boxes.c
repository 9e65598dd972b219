/* Branch and bound over boxes: see boxes.h.
 *
 * A box is cut in the middle of one attribute. Of the two halves, the lower one keeps the low
 * corner and gets a new high one, whose group sizes are counted from the low corner's set; the
 * upper one gets a new low corner, whose set is rolled up from the old one, where that pays, and
 * serves all counts within. The lower half is searched first: it leads straight to a minimal node,
 * a good one to compare with. Where nothing may be suppressed a box is shaved before it is cut.
 *
 * Threads: where there is enough to do, the first cuts are made before anything else, and what is
 * open then are tasks. They are done in waves of 1, 1, 2, 4, ... tasks; all tasks of a wave start
 * from the best that was known before it, so that neither the answer nor the number of checks
 * depends on threads.
 *
 * Memory: per thread one set for each cut that is open, each no larger than the one before; none
 * where the budget is short. */
#include "search/boxes.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/pool.h"
#include "search/probe.h"

/* What is known of a corner. */
typedef struct {
    bool is_known;
    uint64_t n_failing;
} corner;

typedef struct {
    uint8_t low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
    corner at_low, at_high; /* the high one is always known */
    /* A bit per attribute: that the high corner does not fail with it at its lowest, and that this
     * node was measured. */
    uint64_t tight, seen;
    kan_score bound;
    bool all_satisfy;   /* its nodes do, as the low corner, or one below it, does */
    bool is_bounded;    /* `bound` holds */
    bool may_hold_best; /* not known to be no better than what was found */
} box;

/* A box that is open, with a set at its low corner or below it. */
typedef struct {
    box box;
    const kan_freqset *set;
    bool is_low_set;
    kan_found best; /* what was found in it, or before */
} task;

/* What all threads share. */
typedef struct {
    kan_boxes *boxes;
    const kan_promise *promise;
    unsigned n_attributes;
    bool wants_low;    /* the groups at a low corner often settle a box */
    bool shaves;       /* boxes are shaved before they are cut */
    bool never_fails;  /* every row may be suppressed */
    bool is_by_levels; /* the cost's bound looks at levels alone */
    /* Then: how much dearer each level of an attribute is. */
    double *dearer[KAN_MAX_ATTRIBUTES];
    unsigned n_depths;  /* no box is cut more often */
    unsigned task_cuts; /* boxes that were cut so often are tasks; 0: none are */
    size_t n_tasks, task_room, n_kept, kept_room;
    task *tasks;
    kan_freqset **kept; /* sets that tasks refer to */
    atomic_uint_fast64_t n_decided;
} plan;

typedef struct {
    plan *plan;
    kan_probe probe;
    kan_freqset **sets; /* by depth; made when they are needed */
    bool is_collecting; /* open boxes become tasks */
    bool is_stopped;
    bool has_left; /* something, whose bound is */
    kan_score left_bound;
} explorer;

/* ---- boxes ---------------------------------------------------------------------------------- */

static void to_levels(const explorer *e, const uint8_t *node, unsigned *levels) {
    for (unsigned a = 0; a < e->plan->n_attributes; a++)
        levels[a] = node[a];
}

static bool is_one_node(const explorer *e, const box *b) {
    return memcmp(b->low, b->high, e->plan->n_attributes) == 0;
}

static double count_nodes(const explorer *e, const box *b) {
    double n = 1;
    for (unsigned a = 0; a < e->plan->n_attributes; a++)
        n *= b->high[a] - b->low[a] + 1;
    return n;
}

/* Marks all nodes of a box. Boxes of other threads may share words with it. */
static void mark_box(const explorer *e, const box *b) {
    const kan_lattice *lattice = e->plan->boxes->lattice;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    to_levels(e, b->low, levels);
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

static void set_bound(explorer *e, box *b, const kan_groups *low) {
    kan_score bound;
    if (!b->may_hold_best || !kan_probe_bound(&e->probe, low, b->at_high.n_failing, &bound))
        return;
    /* What held for a larger box holds for this one. */
    if (!b->is_bounded || kan_score_compare(&bound, &b->bound) > 0)
        b->bound = bound;
    b->is_bounded = true;
    b->may_hold_best = !kan_probe_is_hopeless(&e->probe, &b->bound, b->low);
}

static void set_bound_by_levels(explorer *e, box *b) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    to_levels(e, b->low, levels);
    const kan_groups low = {.n_rows = e->probe.question->problem->n_rows, .levels = levels};
    if (e->plan->is_by_levels)
        set_bound(e, b, &low);
}

static void note_decided(explorer *e, const box *b) {
    const kan_lattice *lattice = e->plan->boxes->lattice;
    if (!lattice->is_countable) {
        kan_report_progress(e->probe.run, "search", e->probe.n_checked, 0);
        return;
    }
    const uint64_t n = (uint64_t)count_nodes(e, b);
    const uint64_t done = atomic_fetch_add_explicit(&e->plan->n_decided, n, memory_order_relaxed);
    kan_report_progress(e->probe.run, "search", done + n, lattice->n_nodes);
}

/* Whether a box must be cut further. What is decided is marked. */
static bool is_open(explorer *e, const box *b) {
    const uint64_t limit = e->plan->promise->limit;
    const bool fails = b->at_high.n_failing > limit;
    const bool is_single = is_one_node(e, b);
    bool open = !fails && !is_single && b->may_hold_best;
    if (e->plan->boxes->satisfies && !fails) {
        open |= !b->all_satisfy && !is_single;
        if (!open)
            mark_box(e, b);
    }
    if (!open)
        note_decided(e, b);
    return open;
}

/* What a box still owes when the time is up. */
static void leave_open(explorer *e, const box *b) {
    const kan_score bound = b->is_bounded ? b->bound : kan_score_real(-INFINITY);
    if (b->may_hold_best && (!e->has_left || bound.real < e->left_bound.real))
        e->left_bound = bound;
    else if (!e->has_left)
        e->left_bound = kan_score_real(INFINITY);
    e->has_left = true;
}

/* ---- cutting -------------------------------------------------------------------------------- */

/* Where to cut: what settles the halves soonest. An attribute of many groups takes the high corner
 * down to failing; one that costs much takes the low corner up to being too dear. Where every row
 * may be suppressed nothing fails, and only the cost counts. */
static unsigned choose_attribute(const explorer *e, const box *b) {
    const plan *p = e->plan;
    unsigned best = p->n_attributes;
    double most = 0;
    for (unsigned a = 0; a < p->n_attributes; a++) {
        if (b->low[a] == b->high[a])
            continue;
        double worth = kan_dimension_groups(&e->probe.space->dimensions[a], b->low[a]);
        if (p->dearer[a]) {
            const unsigned above = (b->low[a] + b->high[a]) / 2u + 1;
            const double gain = p->dearer[a][above] - p->dearer[a][b->low[a]];
            worth = p->never_fails ? gain : gain * log2(worth);
        }
        if (best == p->n_attributes || worth > most) {
            best = a;
            most = worth;
        }
    }
    return best;
}

static kan_status explore(explorer *e, const box *b, const kan_freqset *set, bool is_low_set,
                          unsigned depth);

/* Hands an open box on: to be cut, or to the tasks. */
static kan_status hand_on(explorer *e, const box *b, const kan_freqset *set, bool is_low_set,
                          unsigned depth) {
    plan *p = e->plan;
    if (!e->is_collecting || depth < p->task_cuts)
        return explore(e, b, set, is_low_set, depth);
    KAN_TRY(kan_reserve(e->probe.run, p->n_tasks + 1, sizeof *p->tasks, &p->task_room, &p->tasks));
    p->tasks[p->n_tasks++] = (task){.box = *b, .set = set, .is_low_set = is_low_set};
    return KAN_OK;
}

static uint64_t set_bytes(const kan_freqset *set) {
    return (uint64_t)(set->n + 1) * (set->layout.n_words + 1) * sizeof(uint64_t);
}

/* The set of a depth, for a low corner there; NULL where it would not pay. It costs several counts
 * of sizes from the set there is, so the box must be large and the set smaller; how much, nobody
 * knows before, but the number of possible groups is a fair guess. */
static kan_status find_room(explorer *e, const box *b, const kan_freqset *from, unsigned depth,
                            kan_freqset **out) {
    enum { FEW_NODES = 8 };
    const kan_space *space = e->probe.space;
    /* The set itself, and what counting and sorting sets of that size may take beside it. */
    const uint64_t bytes = 10 * set_bytes(from);
    double ratio = 1;
    *out = NULL;
    for (unsigned f = 0; f < from->layout.n_fields; f++) {
        const kan_field *field = &from->layout.fields[f];
        if (field->dimension < e->plan->n_attributes)
            ratio *=
                (double)kan_dimension_groups(&space->dimensions[field->dimension], field->level) /
                kan_dimension_groups(&space->dimensions[field->dimension],
                                     b->low[field->dimension]);
    }
    const bool pays = e->probe.needs_sets ||
                      (count_nodes(e, b) >= FEW_NODES && ratio > (e->plan->wants_low ? 1 : 2));
    if (!pays || kan_run_memory_left(e->probe.run) < bytes)
        return KAN_OK;
    if (!e->sets[depth])
        KAN_TRY(kan_alloc_zero(e->probe.run, 1, sizeof **e->sets, &e->sets[depth]));
    *out = e->sets[depth];
    return KAN_OK;
}

/* A set that tasks refer to is theirs from now on. */
static kan_status keep_set(explorer *e, unsigned depth, size_t first_task) {
    plan *p = e->plan;
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
static bool is_known_to_fail(const explorer *e, const unsigned *levels) {
    const kan_boxes *boxes = e->plan->boxes;
    return boxes->known && !kan_bit(boxes->known, kan_lattice_node(boxes->lattice, levels));
}

static kan_status cut_lower(explorer *e, const box *b, const kan_freqset *set, bool is_low_set,
                            unsigned attribute, unsigned middle, unsigned depth) {
    const uint64_t limit = e->plan->promise->limit;
    box lower = *b;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    lower.high[attribute] = (uint8_t)middle;
    lower.tight = lower.seen = 0;
    to_levels(e, lower.high, levels);
    if (is_one_node(e, &lower) && b->at_low.is_known) {
        lower.at_high = b->at_low; /* the low corner was looked at */
    } else if (is_known_to_fail(e, levels)) {
        lower.at_high = (corner){true, UINT64_MAX};
    } else if (limit == 0 && middle == b->low[attribute] && (b->seen >> attribute & 1)) {
        lower.at_high = (corner){true, 0}; /* it was looked at when the box was shaved */
    } else {
        KAN_TRY(kan_probe_look(&e->probe, set, levels, NULL, &groups));
        lower.at_high = (corner){true, groups.n_suppressed};
        KAN_TRY(kan_probe_measure(&e->probe, set, NULL, &groups));
    }
    if (lower.at_high.n_failing <= limit && !is_one_node(e, &lower)) {
        set_bound_by_levels(e, &lower);
        /* More rows are lost at the new corner: the bound rises. */
        if (!e->plan->is_by_levels && is_low_set && lower.may_hold_best &&
            lower.at_high.n_failing > b->at_high.n_failing) {
            KAN_TRY(kan_probe_see(&e->probe, set, &groups));
            set_bound(e, &lower, &groups);
        }
    }
    return is_open(e, &lower) ? hand_on(e, &lower, set, is_low_set, depth + 1) : KAN_OK;
}

/* Looks at the low corner of a box, from a set below it. `set` becomes its set where one is made.
 */
static kan_status look_low(explorer *e, box *b, unsigned depth, const kan_freqset **set,
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
    to_levels(e, b->low, levels);
    KAN_TRY(kan_probe_look(&e->probe, *set, levels, made, &groups));
    b->at_low = (corner){true, groups.n_suppressed};
    b->all_satisfy |= groups.n_suppressed <= e->plan->promise->limit;
    KAN_TRY(kan_probe_measure(&e->probe, *set, made, &groups));
    if (!e->plan->is_by_levels) {
        if (made) /* measuring may have replaced the view */
            KAN_TRY(kan_probe_see(&e->probe, made, &groups));
        set_bound(e, b, &groups);
    }
    if (!made)
        return KAN_OK;
    *set = made;
    *is_low_set = true;
    /* Under a budget what this set leaves over is room for the next. */
    return kan_run_memory_budget(e->probe.run) > 0 ? kan_freqset_trim(e->probe.run, made) : KAN_OK;
}

static kan_status cut_upper(explorer *e, const box *b, const kan_freqset *set, unsigned attribute,
                            unsigned middle, unsigned depth) {
    box upper = *b;
    bool is_low_set = false;
    const size_t first_task = e->plan->n_tasks;
    upper.low[attribute] = (uint8_t)(middle + 1);
    upper.seen &= ~(UINT64_C(1) << attribute);
    if (is_one_node(e, &upper))
        upper.at_low = b->at_high; /* the high corner was looked at */
    else
        KAN_TRY(look_low(e, &upper, depth, &set, &is_low_set));
    if (!is_open(e, &upper))
        return KAN_OK;
    KAN_TRY(hand_on(e, &upper, set, is_low_set, depth + 1));
    return e->is_collecting ? keep_set(e, depth, first_task) : KAN_OK;
}

/* Raises the low corner as far as single attributes allow: where the high corner fails with one
 * attribute at its lowest, every node of the box fails there. */
static kan_status shave(explorer *e, box *b, const kan_freqset *set, bool *is_raised) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    *is_raised = false;
    for (unsigned a = 0; a < e->plan->n_attributes; a++) {
        if (b->low[a] == b->high[a] || b->tight >> a & 1)
            continue;
        const unsigned low = b->low[a];
        to_levels(e, b->high, levels);
        levels[a] = low;
        while (levels[a] < b->high[a] && is_known_to_fail(e, levels))
            levels[a]++;
        if (levels[a] < b->high[a]) {
            KAN_TRY(kan_probe_climb(&e->probe, set, levels, a, b->high[a] - 1u, &groups));
            if (groups.n_suppressed > e->plan->promise->limit) {
                levels[a]++;
            } else {
                KAN_TRY(kan_probe_measure(&e->probe, set, NULL, &groups));
                b->seen |= UINT64_C(1) << a;
            }
        }
        b->tight |= UINT64_C(1) << a;
        b->low[a] = (uint8_t)levels[a];
        *is_raised |= levels[a] > low;
    }
    return KAN_OK;
}

/* Cuts a box that is open. `set` is the one of its low corner, or of a node below it. */
static kan_status explore(explorer *e, const box *b, const kan_freqset *set, bool is_low_set,
                          unsigned depth) {
    box here = *b;
    bool is_raised = false;
    assert(depth + 1 < e->plan->n_depths);
    if (kan_run_is_cancelled(e->probe.run))
        return kan_check_cancel(e->probe.run);
    e->is_stopped |= kan_should_stop(e->probe.run);
    if (e->is_stopped) {
        leave_open(e, b);
        return KAN_OK;
    }
    if (e->plan->shaves)
        KAN_TRY(shave(e, &here, set, &is_raised));
    if (is_raised) {
        const size_t first_task = e->plan->n_tasks;
        KAN_TRY(look_low(e, &here, depth, &set, &is_low_set));
        if (!is_open(e, &here))
            return KAN_OK;
        /* It is as if it had been cut once more. */
        if (is_low_set) {
            KAN_TRY(hand_on(e, &here, set, true, depth + 1));
            return e->is_collecting ? keep_set(e, depth, first_task) : KAN_OK;
        }
    }
    const unsigned attribute = choose_attribute(e, &here);
    const unsigned middle = (here.low[attribute] + here.high[attribute]) / 2u;
    KAN_TRY(cut_lower(e, &here, set, is_low_set, attribute, middle, depth));
    /* What the lower half brought may have settled the upper one. */
    if (here.is_bounded && here.may_hold_best)
        here.may_hold_best = !kan_probe_is_hopeless(&e->probe, &here.bound, here.low);
    return cut_upper(e, &here, set, attribute, middle, depth);
}

/* ---- the whole lattice ---------------------------------------------------------------------- */

/* What each level of each attribute adds to the cost when all others are at their lowest: a guess
 * at what it adds elsewhere, by which cuts are chosen. */
static kan_status price_levels(plan *p, const explorer *e) {
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    const kan_groups low = {.n_rows = e->probe.question->problem->n_rows, .levels = levels};
    kan_score nothing, price;
    if (!p->is_by_levels || !kan_probe_bound(&e->probe, &low, 0, &nothing))
        return KAN_OK;
    for (unsigned a = 0; a < p->n_attributes; a++) {
        const unsigned height = e->probe.space->dimensions[a].height;
        KAN_TRY(kan_alloc(e->probe.run, height + 1, sizeof *p->dearer[a], &p->dearer[a]));
        for (levels[a] = 0; levels[a] <= height; levels[a]++) {
            (void)kan_probe_bound(&e->probe, &low, 0, &price);
            p->dearer[a][levels[a]] = price.real - nothing.real;
        }
        levels[a] = 0;
    }
    return KAN_OK;
}

/* Rows of groups that are too small when one attribute alone stands below its top. */
static uint64_t count_alone(const explorer *e, unsigned attribute, unsigned level, uint64_t *rows) {
    const kan_hierarchy *hierarchy = e->probe.space->dimensions[attribute].hierarchy;
    const uint64_t *leaf_rows = e->probe.question->problem->leaf_rows[attribute];
    const uint32_t n_groups = hierarchy->levels[level].n_groups;
    uint64_t n_failing = 0;
    memset(rows, 0, n_groups * sizeof *rows);
    for (uint32_t leaf = 0; leaf < hierarchy->levels[0].n_groups; leaf++)
        rows[hierarchy->levels[level].from_leaf[leaf]] += leaf_rows[leaf];
    for (uint32_t g = 0; g < n_groups; g++)
        n_failing += rows[g] < e->plan->promise->least_size ? rows[g] : 0;
    return n_failing;
}

/* An attribute that fails at a level even when all others are at their top fails there always: the
 * low corner of everything rises. The counts of values are known, so this costs nearly nothing. */
static kan_status raise_root(explorer *e, box *root) {
    const kan_space *space = e->probe.space;
    if (!e->plan->promise->size_decides || e->plan->boxes->known)
        return KAN_OK;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        uint64_t *rows;
        bool fails = true;
        for (unsigned b = 0; b < space->n_attributes; b++) /* the tops must be one group each */
            if (b != a && kan_dimension_groups(&space->dimensions[b], root->high[b]) > 1)
                return KAN_OK;
        KAN_TRY(kan_alloc(e->probe.run, kan_dimension_groups(&space->dimensions[a], 0),
                          sizeof *rows, &rows));
        while (fails && root->low[a] < root->high[a]) {
            fails = count_alone(e, a, root->low[a], rows) > e->plan->promise->limit;
            root->low[a] = (uint8_t)(root->low[a] + fails);
        }
        kan_free(e->probe.run, rows);
        root->tight |= UINT64_C(1) << a;
    }
    return KAN_OK;
}

static kan_status explore_root(explorer *e) {
    box root = {.may_hold_best = true};
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    for (unsigned a = 0; a < e->plan->n_attributes; a++)
        root.high[a] = (uint8_t)e->probe.space->dimensions[a].height;
    KAN_TRY(raise_root(e, &root));
    KAN_TRY(kan_alloc_zero(e->probe.run, 1, sizeof **e->sets, &e->sets[0]));
    to_levels(e, root.low, levels);
    KAN_TRY(kan_probe_scan(&e->probe, levels, e->sets[0]));
    to_levels(e, root.high, levels);
    KAN_TRY(kan_probe_look(&e->probe, e->sets[0], levels, NULL, &groups));
    root.at_high = (corner){true, groups.n_suppressed};
    KAN_TRY(kan_probe_measure(&e->probe, e->sets[0], NULL, &groups));
    if (root.at_high.n_failing <= e->plan->promise->limit) {
        KAN_TRY(kan_probe_see(&e->probe, e->sets[0], &groups));
        e->probe.n_checked += !is_one_node(e, &root);
        root.at_low = (corner){true, groups.n_suppressed};
        root.all_satisfy = groups.n_suppressed <= e->plan->promise->limit;
        set_bound(e, &root, &groups);
        KAN_TRY(kan_probe_measure(&e->probe, e->sets[0], e->sets[0], &groups));
    }
    return is_open(e, &root) ? hand_on(e, &root, e->sets[0], true, 1) : KAN_OK;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

typedef struct {
    plan *plan;
    explorer *explorers; /* by thread */
    task *first;         /* of the wave */
    kan_found best;      /* when it began */
} wave;

static kan_status do_task(void *context, size_t index, unsigned worker) {
    wave *w = context;
    explorer *e = &w->explorers[worker];
    task *t = &w->first[index];
    if (kan_run_is_cancelled(e->probe.run))
        return kan_check_cancel(e->probe.run);
    e->probe.judge.best = w->best;
    box here = t->box;
    if (here.is_bounded && here.may_hold_best)
        here.may_hold_best = !kan_probe_is_hopeless(&e->probe, &here.bound, here.low);
    if (is_open(e, &here))
        KAN_TRY(explore(e, &here, t->set, t->is_low_set, w->plan->task_cuts));
    t->best = e->probe.judge.best;
    return KAN_OK;
}

static kan_status do_waves(plan *p, explorer *explorers, unsigned n_explorers) {
    kan_run *run = explorers[0].probe.run;
    size_t size = 1;
    for (size_t done = 0; done < p->n_tasks; done += size) {
        /* The first two tasks go alone: their best prunes all others. */
        size = done < 2 ? 1 : done;
        if (size > p->n_tasks - done)
            size = p->n_tasks - done;
        wave w = {p, explorers, p->tasks + done, explorers[0].probe.judge.best};
        if (n_explorers > 1)
            KAN_TRY(kan_parallel(run, size, do_task, &w));
        for (size_t i = 0; n_explorers == 1 && i < size; i++)
            KAN_TRY(do_task(&w, i, 0));
        for (size_t i = 0; i < size; i++)
            if (kan_found_is_better(&w.first[i].best, &w.best))
                w.best = w.first[i].best;
        explorers[0].probe.judge.best = w.best;
    }
    return KAN_OK;
}

static unsigned count_bits(unsigned n) {
    return n ? 32 - (unsigned)__builtin_clz(n) : 0;
}

static kan_status open_explorer(plan *p, const kan_question *question, explorer *e) {
    e->plan = p;
    KAN_TRY(kan_probe_init(&e->probe, question));
    return kan_alloc_zero(e->probe.run, p->n_depths, sizeof *e->sets, &e->sets);
}

static void close_explorer(explorer *e) {
    kan_run *run = e->probe.run;
    for (unsigned i = 0; e->sets && i < e->plan->n_depths; i++)
        if (e->sets[i]) {
            kan_freqset_destroy(run, e->sets[i]);
            kan_free(run, e->sets[i]);
        }
    if (e->plan)
        kan_free(run, e->sets);
    kan_probe_destroy(&e->probe);
}

/* Threads pay where sets are large or boxes many; what is small is over before they have begun.
 * That depends on the problem alone, not on the threads there are. */
static void make_plan(plan *p, kan_boxes *boxes, const kan_question *question) {
    enum { LARGE_BASE = 1 << 15, LARGE_LATTICE = 1 << 20, TASK_CUTS = 6 };
    const kan_problem *problem = question->problem;
    *p = (plan){.boxes = boxes,
                .promise = question->promise,
                .n_attributes = problem->space.n_attributes,
                .never_fails = question->promise->limit >= problem->n_rows,
                .is_by_levels = question->objective->kind->bound_is_by_levels};
    const bool needs_sets = !question->promise->size_decides || question->promise->needs_tallies ||
                            question->objective->kind->needs_class;
    p->wants_low = needs_sets || (question->promise->limit > 0 && !p->is_by_levels);
    p->shaves = question->promise->limit == 0 && !p->wants_low;
    p->n_depths = TASK_CUTS + 4;
    for (unsigned a = 0; a < p->n_attributes; a++) /* a cut, and perhaps a shave before it */
        p->n_depths += 2 * count_bits(problem->space.dimensions[a].height);
    p->task_cuts = boxes->task_cuts;
    if (p->task_cuts == 0 &&
        (problem->base.n >= LARGE_BASE || boxes->lattice->n_nodes >= LARGE_LATTICE))
        p->task_cuts = TASK_CUTS;
}

static kan_status run_plan(plan *p, explorer *explorers, unsigned n_explorers,
                           const kan_question *question) {
    kan_run *run = question->problem->run;
    for (unsigned i = 0; i < n_explorers; i++)
        KAN_TRY(open_explorer(p, question, &explorers[i]));
    KAN_TRY(price_levels(p, &explorers[0]));
    explorers[0].is_collecting = p->task_cuts > 0;
    KAN_TRY(explore_root(&explorers[0]));
    explorers[0].is_collecting = false;
    if (p->n_tasks > 0) {
        /* The root's own set is referred to as well. */
        KAN_TRY(kan_reserve(run, p->n_kept + 1, sizeof *p->kept, &p->kept_room, &p->kept));
        p->kept[p->n_kept++] = explorers[0].sets[0];
        explorers[0].sets[0] = NULL;
    }
    return do_waves(p, explorers, n_explorers);
}

static void conclude(kan_boxes *boxes, const explorer *explorers, unsigned n_explorers,
                     kan_judge *judge) {
    boxes->is_proven = true;
    boxes->bound = kan_score_real(INFINITY);
    kan_judge_merge(judge, &explorers[0].probe.judge);
    for (unsigned i = 0; i < n_explorers; i++) {
        const explorer *e = &explorers[i];
        if (e->probe.judge.least_suppressed < judge->least_suppressed)
            judge->least_suppressed = e->probe.judge.least_suppressed;
        boxes->n_checked += e->probe.n_checked;
        boxes->effort.n_scans += e->probe.effort.n_scans;
        boxes->effort.n_rollups += e->probe.effort.n_rollups;
        boxes->effort.n_tuples += e->probe.effort.n_tuples;
        if (!e->has_left)
            continue;
        boxes->is_proven = false;
        if (e->left_bound.real < boxes->bound.real)
            boxes->bound = e->left_bound;
    }
    if (judge->best.is_found && (boxes->is_proven || judge->best.score.real < boxes->bound.real))
        boxes->bound = judge->best.score;
}

/* Each thread has sets and scratch of its own: under a budget that does not hold several of them
 * for each, one does the work. */
static unsigned count_explorers(const plan *p, const kan_problem *problem) {
    const unsigned n_threads = kan_run_threads(problem->run);
    const uint64_t needed = 20 * set_bytes(&problem->base);
    if (p->task_cuts == 0 || kan_run_memory_left(problem->run) / n_threads < needed)
        return 1;
    return n_threads;
}

kan_status kan_boxes_search(kan_boxes *boxes, kan_judge *judge) {
    kan_status status;
    const kan_question *question = judge->question;
    kan_run *run = question->problem->run;
    plan p;
    make_plan(&p, boxes, question);
    const unsigned n_explorers = count_explorers(&p, question->problem);
    explorer *explorers;
    KAN_TRY(kan_alloc_zero(run, n_explorers, sizeof *explorers, &explorers));
    KAN_TRY_DONE(run_plan(&p, explorers, n_explorers, question));
    conclude(boxes, explorers, n_explorers, judge);
    if (!boxes->is_proven && !judge->best.is_found)
        status = kan_check_cancel(run);
done:
    for (unsigned i = 0; i < n_explorers; i++)
        close_explorer(&explorers[i]);
    for (size_t i = 0; i < p.n_kept; i++) {
        kan_freqset_destroy(run, p.kept[i]);
        kan_free(run, p.kept[i]);
    }
    kan_free(run, p.kept);
    kan_free(run, p.tasks);
    for (unsigned a = 0; a < p.n_attributes; a++)
        kan_free(run, p.dearer[a]);
    kan_free(run, explorers);
    return status;
}

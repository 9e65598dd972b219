/* The tree: decisions with a trail to take them back, nodes on a stack, depth first.
 *
 * Two stacks: what is worked out while a node settles lies in the maker's; when it has settled,
 * what its children begin with is copied to the other, and the maker's is empty again. Only so much
 * is kept per level; what is not, is worked out again where it is needed. */
#include "search/k_optimize/cut_tree.h"

#include <string.h>

#include "search/k_optimize/cut_spans.h"

/* Bytes that are kept for the levels above, and that one level may work in. */
enum { MOST_KEPT = 96 << 20, MOST_TAKEN = 160 << 20 };

struct kan_cut_tree {
    kan_cut_maker maker;
    kan_arena arena;
    kan_cut_axis axis;
    kan_stack kept;
    size_t n_kept, most_kept; /* bytes in it */
    uint32_t *trail;          /* choices in the order of their decisions */
    uint8_t *places;          /* decisions for the places of the axis */
    /* Choices below each choice: children[first_child[c]] .. */
    uint32_t *first_child, *children;
    uint8_t *is_useful;
    kan_cut_spans spans; /* of the node in hand */
    kan_cut_conflicts conflicts;
    kan_cut_task *task;
};

/* ---- open nodes ----------------------------------------------------------------------------- */

size_t kan_cut_packed_size(const kan_cut_space *space) {
    return ((size_t)space->n_choices + 3) / 4;
}

kan_status kan_cut_pack(const kan_cut_space *space, const uint8_t *decision, kan_cut_open *out) {
    KAN_TRY(kan_alloc_zero(space->run, kan_cut_packed_size(space) + 1, 1, &out->packed));
    for (unsigned c = 0; c < space->n_choices; c++)
        out->packed[c / 4] |= (uint8_t)(decision[c] << (c % 4 * 2));
    return KAN_OK;
}

void kan_cut_unpack(const kan_cut_space *space, const uint8_t *packed, uint8_t *decision) {
    for (unsigned c = 0; c < space->n_choices; c++)
        decision[c] = packed[c / 4] >> (c % 4 * 2) & 3;
}

void kan_cut_open_destroy(kan_run *run, kan_cut_open *open) {
    kan_free(run, open->packed);
    kan_free(run, open->lower);
    *open = (kan_cut_open){0, NULL, NULL};
}

void kan_cut_task_destroy(kan_run *run, kan_cut_task *task) {
    for (size_t i = 0; i < task->n_open; i++)
        kan_cut_open_destroy(run, &task->open[i]);
    kan_free(run, task->open);
    task->open = NULL;
    task->n_open = task->room = 0;
}

static bool is_on_axis(const kan_cut_tree *tree, uint32_t choice) {
    return (int)tree->maker.space->choices[choice].attribute == tree->axis.attribute;
}

static uint8_t *decision_of(kan_cut_tree *tree, uint32_t choice) {
    return is_on_axis(tree, choice) ? &tree->places[tree->maker.space->choices[choice].places[0]]
                                    : &tree->maker.decision[choice];
}

/* The decisions of now, to be explored later. */
static kan_status hand_back(kan_cut_tree *tree, uint64_t bound) {
    const kan_cut_space *space = tree->maker.space;
    const size_t n = kan_cut_n_spans(&tree->axis);
    kan_cut_task *task = tree->task;
    kan_cut_open open = {.bound = bound};
    KAN_TRY(
        kan_reserve(space->run, task->n_open + 1, sizeof *task->open, &task->room, &task->open));
    for (unsigned c = 0; c < space->n_choices; c++)
        tree->is_useful[c] = *decision_of(tree, c);
    KAN_TRY(kan_cut_pack(space, tree->is_useful, &open));
    if (n > 1 && task->keeps_lower) {
        kan_status status = kan_alloc(space->run, n, sizeof *open.lower, &open.lower);
        if (status != KAN_OK)
            kan_free(space->run, open.packed);
        KAN_TRY(status);
        for (size_t i = 0; i < n; i++)
            open.lower[i] = tree->spans.spans[i].lower;
    }
    task->open[task->n_open++] = open;
    return KAN_OK;
}

/* ---- decisions ------------------------------------------------------------------------------ */

static void set_decision(kan_cut_tree *tree, uint32_t choice, kan_cut_decision decision) {
    KAN_ASSERT(*decision_of(tree, choice) == KAN_CUT_OPEN);
    KAN_ASSERT(tree->spans.n_decided < tree->maker.space->n_choices);
    *decision_of(tree, choice) = (uint8_t)decision;
    tree->trail[tree->spans.n_decided++] = choice;
    if (tree->spans.spans && is_on_axis(tree, choice))
        kan_cut_spans_decide(&tree->spans, tree->maker.space->choices[choice].places[0], decision);
}

/* Leaving a choice leaves all below it; making one makes all above it. */
static void leave_choice(kan_cut_tree *tree, uint32_t choice) {
    if (*decision_of(tree, choice) != KAN_CUT_OPEN)
        return;
    set_decision(tree, choice, KAN_CUT_LEFT);
    for (uint32_t i = tree->first_child[choice]; i < tree->first_child[choice + 1]; i++)
        leave_choice(tree, tree->children[i]);
}

static void make_choice(kan_cut_tree *tree, uint32_t choice) {
    for (int c = (int)choice; c >= 0; c = tree->maker.space->choices[c].parent)
        if (*decision_of(tree, (uint32_t)c) == KAN_CUT_OPEN)
            set_decision(tree, (uint32_t)c, KAN_CUT_MADE);
}

static void take_back(kan_cut_tree *tree, unsigned n_decided) {
    while (tree->spans.n_decided > n_decided)
        *decision_of(tree, tree->trail[--tree->spans.n_decided]) = KAN_CUT_OPEN;
}

static bool is_open(kan_cut_tree *tree, uint32_t choice) {
    return *decision_of(tree, choice) == KAN_CUT_OPEN;
}

/* ---- what must be so ------------------------------------------------------------------------ */

/* Sums of what is said about a choice along a path. */
static kan_cut_sum sum_along(const kan_cut_tree *tree, const kan_cut_path *path, unsigned choice) {
    kan_cut_sum sum = {.n_lost = 0};
    for (uint32_t at = tree->axis.n; at > 0; at = path->before[at]) {
        const kan_cut_sum *one = &kan_cut_span_before(&tree->spans, path, at)->node->sums[choice];
        sum.apart += one->apart;
        sum.left += one->left;
    }
    return sum;
}

/* A choice is useful when it, or one below it, sets something apart on the path. */
static void find_useful(kan_cut_tree *tree, const kan_cut_path *path) {
    const kan_cut_space *space = tree->maker.space;
    memset(tree->is_useful, 0, space->n_choices);
    for (unsigned c = 0; c < space->n_choices; c++) {
        if (is_on_axis(tree, c) || !is_open(tree, c) || sum_along(tree, path, c).apart == 0)
            continue;
        for (int up = (int)c; up >= 0 && !tree->is_useful[up]; up = space->choices[up].parent)
            tree->is_useful[up] = 1;
    }
}

/* Without an axis: decides what can be decided in one way only. False when some choice can be
 * decided in neither. */
static bool force(kan_cut_tree *tree, const kan_cut_node *node, const kan_cut_path *path) {
    const kan_cut_space *space = tree->maker.space;
    const kan_cut_conflicts *conflicts = &tree->conflicts;
    const uint64_t gap = tree->spans.best - node->bound;
    find_useful(tree, path);
    for (unsigned c = 0; c < space->n_choices; c++) {
        if (!is_open(tree, c))
            continue;
        const int32_t i = conflicts->n > 0 ? conflicts->index[c] : -1;
        const uint64_t made =
            i >= 0 ? conflicts->made[i]
                   : kan_cut_node_with(node, node->either, c, KAN_CUT_MADE) - node->bound;
        const uint64_t left =
            i >= 0 ? conflicts->left[i]
                   : kan_cut_node_with(node, node->either, c, KAN_CUT_LEFT) - node->bound;
        const bool cannot_make =
            made >= gap || node->n_lost + node->sums[c].n_lost > tree->maker.limit;
        if (cannot_make && left >= gap)
            return false;
        /* By the same argument that leaves bad choices out of the cells, a set without a choice
         * that sets nothing apart costs no more than the same with it. */
        if (cannot_make || !tree->is_useful[c])
            leave_choice(tree, c);
    }
    for (unsigned c = 0; c < space->n_choices; c++) {
        const int32_t i = conflicts->n > 0 ? conflicts->index[c] : -1;
        const uint64_t left =
            i >= 0 ? conflicts->left[i] : kan_cut_rise(node, &node->sums[c], false);
        const uint8_t decision = tree->maker.decision[c];
        if (left < gap || decision == KAN_CUT_MADE)
            continue;
        if (decision == KAN_CUT_LEFT && i >= 0)
            return false; /* left together with one above it */
        if (decision == KAN_CUT_OPEN)
            make_choice(tree, c);
    }
    return true;
}

/* With an axis: the same by paths. *is_over: some choice can be decided in neither way. */
static kan_status force_by_paths(kan_cut_tree *tree, bool *is_over) {
    const unsigned n = tree->maker.space->n_choices;
    uint8_t *forced = tree->is_useful; /* not in use now */
    *is_over = false;
    memset(forced, KAN_CUT_OPEN, n);
    for (unsigned c = 0; c < n && !tree->spans.is_stopped; c++) {
        bool cannot_make, cannot_leave = false;
        if (is_on_axis(tree, c) || !is_open(tree, c))
            continue;
        KAN_TRY(kan_cut_spans_excludes(&tree->spans, (kan_cut_assumption){c, KAN_CUT_MADE},
                                       &cannot_make));
        if (!cannot_make || tree->first_child[c] < tree->first_child[c + 1])
            KAN_TRY(kan_cut_spans_excludes(&tree->spans, (kan_cut_assumption){c, KAN_CUT_LEFT},
                                           &cannot_leave));
        if (cannot_make && cannot_leave) {
            *is_over = true;
            return KAN_OK;
        }
        forced[c] = cannot_make ? KAN_CUT_LEFT : cannot_leave ? KAN_CUT_MADE : KAN_CUT_OPEN;
    }
    if (tree->spans.is_stopped)
        return KAN_OK;
    for (unsigned c = 0; c < n; c++)
        if (forced[c] == KAN_CUT_LEFT)
            leave_choice(tree, c);
    for (unsigned c = 0; c < n && !*is_over; c++) {
        if (forced[c] != KAN_CUT_MADE)
            continue;
        *is_over = *decision_of(tree, c) == KAN_CUT_LEFT; /* together with one above it */
        make_choice(tree, c);
    }
    return KAN_OK;
}

/* The made choices with the cuts of the path are a set too. */
static void offer(kan_cut_tree *tree, const kan_cut_path *path) {
    const kan_cut_space *space = tree->maker.space;
    kan_cut_task *task = tree->task;
    uint64_t cost = 0, n_lost = 0;
    for (uint32_t at = tree->axis.n; at > 0; at = path->before[at]) {
        const kan_cut_node *node = kan_cut_span_before(&tree->spans, path, at)->node;
        cost += node->cost;
        n_lost += node->n_lost;
    }
    if (cost >= tree->spans.best || n_lost > tree->maker.limit ||
        (space->wants_release && n_lost == space->n_rows))
        return;
    tree->spans.best = task->best = task->cost = cost;
    task->is_better = true;
    for (unsigned c = 0; c < space->n_choices; c++)
        task->is_made[c] = !is_on_axis(tree, c) && tree->maker.decision[c] == KAN_CUT_MADE;
    if (tree->axis.attribute < 0)
        return;
    for (uint32_t at = path->before[tree->axis.n]; at > 0; at = path->before[at])
        task->is_made[space->choice_at[tree->axis.attribute][at]] = 1;
}

/* Decides what is forced. *is_over: there is nothing to be found here. */
static kan_status decide(kan_cut_tree *tree, const kan_cut_path *path, uint64_t *bound,
                         bool *is_over) {
    const kan_cut_node *node = tree->spans.spans[0].node;
    const unsigned n_decided = tree->spans.n_decided;
    if (tree->axis.n > 1)
        return force_by_paths(tree, is_over);
    tree->conflicts.n = 0;
    *is_over = !force(tree, node, path);
    if (*is_over || tree->spans.n_decided != n_decided)
        return KAN_OK;
    KAN_TRY(kan_cut_conflicts_find(&tree->maker, node, tree->spans.best - node->bound,
                                   &tree->conflicts));
    if (tree->conflicts.n > 0 && node->bound + tree->conflicts.packed > *bound)
        *bound = node->bound + tree->conflicts.packed;
    *is_over = *bound >= tree->spans.best || !force(tree, node, path);
    return KAN_OK;
}

/* Decides until nothing is forced. The path is up to date then, unless it is over or stopped. */
static kan_status settle(kan_cut_tree *tree, kan_cut_path *path, uint64_t *bound, bool *is_over) {
    *is_over = false;
    kan_cut_spans_sweep(&tree->spans);
    for (;;) {
        const unsigned n_decided = tree->spans.n_decided;
        KAN_TRY(kan_cut_spans_bound(&tree->spans, path, bound));
        if (*bound < tree->spans.best && !tree->spans.is_stopped)
            offer(tree, path);
        *is_over = *bound >= tree->spans.best;
        if (!*is_over && !tree->spans.is_stopped)
            KAN_TRY(decide(tree, path, bound, is_over));
        if (*is_over || tree->spans.is_stopped || tree->spans.n_decided == n_decided)
            return KAN_OK;
        kan_cut_spans_presume(&tree->spans, tree->trail);
    }
}

/* ---- branching ------------------------------------------------------------------------------ */

/* Where the axis itself has to be decided: an open place on the path, or within its spans. */
static int pick_place(const kan_cut_tree *tree, const kan_cut_path *path) {
    const int a = tree->axis.attribute;
    for (uint32_t at = a < 0 ? 0 : path->before[tree->axis.n]; at > 0; at = path->before[at])
        if (tree->places[at] == KAN_CUT_OPEN)
            return tree->maker.space->choice_at[a][at];
    for (uint32_t at = 1; at < tree->axis.n; at++)
        if (tree->places[at] == KAN_CUT_OPEN)
            return tree->maker.space->choice_at[a][at];
    return -1;
}

/* The choice that sets most pairs of rows apart on the path, and is missed most when it is left. If
 * none does, the path costs what its bound says, and only other cuts of the axis can help; -1 when
 * there are none. */
static int pick(kan_cut_tree *tree, const kan_cut_path *path) {
    const kan_cut_space *space = tree->maker.space;
    /* Found by trying. */
    const bool is_by_pairs = space->cost == KAN_CUT_DISCERNIBILITY;
    const uint64_t times_left = is_by_pairs ? 6 : 20;
    int best = -1;
    uint64_t most = 0;
    find_useful(tree, path);
    for (unsigned c = 0; c < space->n_choices; c++) {
        const int parent = space->choices[c].parent;
        if (!tree->is_useful[c] || !is_open(tree, c) ||
            (parent >= 0 && tree->maker.decision[parent] != KAN_CUT_MADE))
            continue;
        const kan_cut_sum sum = sum_along(tree, path, c);
        const uint64_t weight = sum.apart + sum.left * times_left + 1;
        if (weight > most) {
            most = weight;
            best = (int)c;
        }
    }
    return best >= 0 ? best : pick_place(tree, path);
}

/* Copies to the other stack what the children of a settled node begin with, as far as it may: each
 * level takes a quarter of what is left. */
static kan_status keep_for_children(kan_cut_tree *tree) {
    const size_t n = kan_cut_n_spans(&tree->axis);
    const size_t level_end = tree->n_kept + (tree->most_kept - tree->n_kept) / 4;
    for (size_t i = 0; i < n; i++) {
        kan_cut_span *span = &tree->spans.spans[i];
        if (!span->node || span->node->is_kept)
            continue;
        const size_t size = kan_cut_node_size(&tree->maker, span->node);
        if (n > 1 && (span->lower >= tree->spans.best || tree->n_kept + size > level_end)) {
            span->node = NULL;
            continue;
        }
        KAN_TRY(kan_cut_node_keep(&tree->maker, span->node, &tree->kept, &span->node));
        tree->n_kept += n > 1 ? size : 0;
    }
    kan_stack_back(&tree->maker.stack, tree->spans.base);
    return KAN_OK;
}

static kan_status explore(kan_cut_tree *tree, uint64_t bound);

static bool is_full(const kan_cut_tree *tree) {
    const kan_cut_task *task = tree->task;
    return tree->spans.is_stopped || task->n_states >= task->n_states_most ||
           (task->n_work_most > 0 && tree->maker.n_work >= task->n_work_most &&
            task->n_states >= task->n_states_least);
}

static kan_status branch(kan_cut_tree *tree, uint32_t choice, kan_cut_decision decision,
                         uint64_t bound) {
    kan_status status;
    const unsigned n_decided = tree->spans.n_decided;
    const kan_stack_mark mark = kan_stack_here(&tree->kept);
    const size_t n_kept = tree->n_kept, n = kan_cut_n_spans(&tree->axis);
    kan_cut_span *const parent = tree->spans.spans;
    if (bound >= tree->spans.best)
        return KAN_OK;
    KAN_TRY_DONE(kan_stack_take(&tree->kept, n, sizeof *parent, &tree->spans.spans));
    memcpy(tree->spans.spans, parent, n * sizeof *parent);
    if (decision == KAN_CUT_MADE)
        make_choice(tree, choice);
    else
        leave_choice(tree, choice);
    kan_cut_spans_presume(&tree->spans, tree->trail);
    status = is_full(tree) ? hand_back(tree, bound) : explore(tree, bound);
done:
    take_back(tree, n_decided);
    tree->spans.spans = parent;
    kan_stack_back(&tree->kept, mark);
    tree->n_kept = n_kept;
    return status;
}

/* A bound of a child, from what is known. */
static uint64_t bound_with(kan_cut_tree *tree, uint32_t choice, kan_cut_decision decision,
                           uint64_t bound) {
    uint64_t known = bound;
    if (tree->axis.n == 1 && tree->conflicts.n > 0 && tree->conflicts.index[choice] >= 0) {
        const int32_t i = tree->conflicts.index[choice];
        known = tree->spans.spans[0].node->bound +
                (decision == KAN_CUT_MADE ? tree->conflicts.made[i] : tree->conflicts.left[i]);
    } else if (!is_on_axis(tree, choice)) {
        known = kan_cut_spans_known(&tree->spans, (kan_cut_assumption){choice, decision});
    }
    return known > bound ? known : bound;
}

static kan_status explore(kan_cut_tree *tree, uint64_t bound) {
    const unsigned n_decided = tree->spans.n_decided;
    const kan_cut_axis axis = tree->axis;
    kan_cut_path path;
    bool is_over;
    uint64_t found;
    kan_status status = KAN_OK;
    tree->task->n_states++;
    tree->spans.is_stopped = tree->spans.is_stopped || kan_should_stop(tree->maker.space->run);
    if (axis.n > 1)
        KAN_TRY_DONE(kan_cut_axis_join(&tree->maker, &axis, &tree->kept, &tree->axis));
    KAN_TRY_DONE(settle(tree, &path, &found, &is_over));
    bound = found > bound ? found : bound;
    if (is_over)
        goto done;
    if (tree->spans.is_stopped) {
        status = hand_back(tree, bound);
        goto done;
    }
    const int choice = pick(tree, &path);
    if (choice < 0)
        goto done;
    const uint64_t made = bound_with(tree, (uint32_t)choice, KAN_CUT_MADE, bound);
    const uint64_t left = bound_with(tree, (uint32_t)choice, KAN_CUT_LEFT, bound);
    KAN_TRY_DONE(keep_for_children(tree));
    KAN_TRY_DONE(branch(tree, (uint32_t)choice, KAN_CUT_MADE, made));
    status = branch(tree, (uint32_t)choice, KAN_CUT_LEFT, left);
done:
    tree->axis = axis;
    kan_stack_back(&tree->maker.stack, tree->spans.base);
    take_back(tree, n_decided);
    return status;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

/* Takes over decisions, and begins with all spans. */
static kan_status task_begin(kan_cut_tree *tree, kan_cut_task *task, const uint8_t *decision) {
    const kan_cut_space *space = tree->maker.space;
    const size_t n = kan_cut_n_spans(&tree->axis);
    tree->task = task;
    tree->spans.is_stopped = false;
    tree->spans.best = task->best < KAN_CUT_NEVER ? task->best : KAN_CUT_NEVER;
    tree->maker.n_work = 0;
    task->is_better = false;
    task->n_states = 0;
    KAN_TRY(kan_stack_take(&tree->kept, n, sizeof *tree->spans.spans, &tree->spans.spans));
    kan_cut_spans_begin(&tree->spans, tree->places);
    for (unsigned c = 0; c < space->n_choices; c++)
        if (decision[c] != KAN_CUT_OPEN)
            set_decision(tree, c, (kan_cut_decision)decision[c]);
    for (size_t i = 0; i < n && task->lower; i++)
        if (task->lower[i] > tree->spans.spans[i].lower)
            tree->spans.spans[i].lower = task->lower[i];
    return KAN_OK;
}

static void task_end(kan_cut_tree *tree) {
    take_back(tree, 0);
    tree->spans.spans = NULL;
    tree->n_kept = 0;
    kan_stack_back(&tree->kept, (kan_stack_mark){0, 0, 0});
    kan_stack_back(&tree->maker.stack, tree->spans.base);
}

kan_status kan_cut_tree_explore(kan_cut_tree *tree, kan_cut_task *task) {
    kan_status status;
    const kan_cut_space *space = tree->maker.space;
    if (task->packed)
        kan_cut_unpack(space, task->packed, tree->is_useful);
    else
        memset(tree->is_useful, KAN_CUT_OPEN, space->n_choices);
    KAN_TRY_DONE(task_begin(tree, task, tree->is_useful));
    status =
        kan_should_stop(space->run) ? hand_back(tree, task->bound) : explore(tree, task->bound);
    task->n_work = tree->maker.n_work;
done:
    task_end(tree);
    return status;
}

kan_status kan_cut_tree_bound(kan_cut_tree *tree, uint8_t *decision, uint64_t best, uint64_t *out) {
    kan_status status;
    bool is_over;
    kan_cut_path path;
    const unsigned n = tree->maker.space->n_choices;
    kan_cut_task task = {.best = best, .is_made = decision + n};
    KAN_TRY_DONE(task_begin(tree, &task, decision));
    KAN_TRY_DONE(settle(tree, &path, out, &is_over));
    if (is_over)
        *out = UINT64_MAX;
    for (unsigned c = 0; c < n; c++)
        decision[c] = *decision_of(tree, c);
done:
    task_end(tree);
    return status;
}

/* ---- the tree itself ------------------------------------------------------------------------ */

static kan_status list_children(kan_cut_tree *tree) {
    const kan_cut_space *space = tree->maker.space;
    const size_t n = space->n_choices;
    KAN_TRY(kan_arena_alloc(&tree->arena, n + 2, sizeof *tree->first_child, &tree->first_child));
    KAN_TRY(kan_arena_alloc(&tree->arena, n, sizeof *tree->children, &tree->children));
    memset(tree->first_child, 0, (n + 2) * sizeof *tree->first_child);
    /* Counts one further on, so that filling leaves every start in its place. */
    for (size_t c = 0; c < n; c++)
        if (space->choices[c].parent >= 0)
            tree->first_child[space->choices[c].parent + 2]++;
    for (size_t c = 0; c < n; c++)
        tree->first_child[c + 2] += tree->first_child[c + 1];
    for (size_t c = 0; c < n; c++)
        if (space->choices[c].parent >= 0)
            tree->children[tree->first_child[space->choices[c].parent + 1]++] = (uint32_t)c;
    return KAN_OK;
}

/* Within a budget a small part of it, the same on any number of threads: what is not kept may be
 * worked out in other steps, and the answer shall not depend on that. A path has each tuple once,
 * and has to fit many times. */
static void find_room(kan_cut_tree *tree) {
    const uint64_t budget = kan_run_memory_budget(tree->maker.space->run);
    const uint64_t share = budget > 0 ? budget / 64 : UINT64_MAX;
    const size_t least = 16 * kan_cut_class_size(&tree->maker, tree->axis.whole);
    tree->most_kept = share < MOST_KEPT ? (size_t)share : MOST_KEPT;
    tree->spans.most_taken = share < MOST_TAKEN ? (size_t)share : MOST_TAKEN;
    if (tree->spans.most_taken < least)
        tree->spans.most_taken = least;
}

kan_status kan_cut_tree_create(const kan_cut_space *space, uint64_t limit, int axis,
                               kan_cut_tree **out) {
    kan_cut_tree *tree;
    kan_status status;
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *tree, &tree));
    kan_arena_init(&tree->arena, space->run);
    kan_stack_init(&tree->kept, space->run);
    KAN_TRY_DONE(kan_cut_maker_create(space, limit, &tree->maker));
    tree->maker.wants_pairs = axis < 0;
    tree->maker.wants_anyway = axis < 0 || space->n_places[axis] < KAN_CUT_MANY_PLACES;
    tree->maker.wants_shares = axis >= 0 && space->cost == KAN_CUT_DISCERNIBILITY;
    KAN_TRY_DONE(
        kan_arena_alloc(&tree->arena, space->n_choices, sizeof *tree->trail, &tree->trail));
    KAN_TRY_DONE(kan_arena_alloc(&tree->arena, space->n_choices, 1, &tree->is_useful));
    KAN_TRY_DONE(list_children(tree));
    KAN_TRY_DONE(kan_cut_conflicts_create(space, &tree->arena, &tree->conflicts));
    KAN_TRY_DONE(kan_cut_axis_make(&tree->maker, axis, &tree->arena, &tree->axis));
    KAN_TRY_DONE(kan_arena_alloc(&tree->arena, tree->axis.n, 1, &tree->places));
    for (uint32_t place = 0; place < tree->axis.n; place++)
        tree->places[place] =
            axis < 0 || space->choice_at[axis][place] >= 0 ? KAN_CUT_OPEN : KAN_CUT_LEFT;
    KAN_TRY_DONE(kan_cut_spans_create(&tree->maker, &tree->axis, &tree->arena, &tree->spans));
    /* Within a span the axis is not divided. */
    for (unsigned c = 0; c < space->n_choices; c++)
        if (is_on_axis(tree, c))
            tree->maker.decision[c] = KAN_CUT_LEFT;
    tree->spans.base = kan_stack_here(&tree->maker.stack);
    find_room(tree);
    *out = tree;
    return KAN_OK;
done:
    kan_cut_tree_destroy(tree);
    return status;
}

void kan_cut_tree_destroy(kan_cut_tree *tree) {
    if (!tree)
        return;
    kan_run *run = tree->arena.run;
    kan_stack_destroy(&tree->kept);
    kan_cut_maker_destroy(&tree->maker);
    kan_arena_destroy(&tree->arena);
    kan_free(run, tree);
}

/* The tree: decisions with a trail to take them back, nodes on a stack, depth first. A node shares
 * every class that its last decisions did not touch with the node above. Costs time for the classes
 * that a decision divides or whose cells it joins. */
#include "search/cut_tree.h"

#include <string.h>

#include "search/cut_node.h"

struct kan_cut_tree {
    kan_cut_shop shop;
    kan_arena arena;
    kan_cut_class *whole;
    kan_stack_mark base; /* above the whole table */
    uint32_t *trail;     /* choices in the order of their decisions */
    unsigned n_trail;
    /* Choices below each choice: children[first_child[c]] .. */
    uint32_t *first_child, *children;
    uint8_t *is_useful;
    kan_cut_conflicts conflicts;
    kan_cut_task *task;
    bool is_stopped;
};

/* ---- open nodes ----------------------------------------------------------------------------- */

size_t kan_cut_packed_size(const kan_cut_space *space) {
    return ((size_t)space->n_choices + 3) / 4;
}

void kan_cut_task_destroy(kan_run *run, kan_cut_task *task) {
    for (size_t i = 0; i < task->n_open; i++)
        kan_free(run, task->open[i].packed);
    kan_free(run, task->open);
    task->open = NULL;
    task->n_open = task->room = 0;
}

/* The decisions of now, to be explored later. */
static kan_status hand_back(kan_cut_tree *tree, uint64_t bound) {
    const kan_cut_space *space = tree->shop.space;
    kan_cut_task *task = tree->task;
    uint8_t *packed;
    KAN_TRY(
        kan_reserve(space->run, task->n_open + 1, sizeof *task->open, &task->room, &task->open));
    KAN_TRY(kan_alloc_zero(space->run, kan_cut_packed_size(space), 1, &packed));
    for (unsigned c = 0; c < space->n_choices; c++)
        packed[c / 4] |= (uint8_t)(tree->shop.decision[c] << (c % 4 * 2));
    task->open[task->n_open++] = (kan_cut_open){bound, packed};
    return KAN_OK;
}

/* ---- decisions ------------------------------------------------------------------------------ */

static void set(kan_cut_tree *tree, uint32_t choice, kan_cut_decision decision) {
    tree->shop.decision[choice] = (uint8_t)decision;
    tree->trail[tree->n_trail++] = choice;
}

/* Leaving a choice leaves all below it; making one makes all above it. */
static void leave(kan_cut_tree *tree, uint32_t choice) {
    if (tree->shop.decision[choice] != KAN_CUT_OPEN)
        return;
    set(tree, choice, KAN_CUT_LEFT);
    for (uint32_t i = tree->first_child[choice]; i < tree->first_child[choice + 1]; i++)
        leave(tree, tree->children[i]);
}

static void make(kan_cut_tree *tree, uint32_t choice) {
    for (int c = (int)choice; c >= 0; c = tree->shop.space->choices[c].parent)
        if (tree->shop.decision[c] == KAN_CUT_OPEN)
            set(tree, (uint32_t)c, KAN_CUT_MADE);
}

static void take_back(kan_cut_tree *tree, unsigned n_trail) {
    while (tree->n_trail > n_trail) {
        const uint32_t choice = tree->trail[--tree->n_trail];
        tree->shop.decision[choice] = KAN_CUT_OPEN;
    }
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bool is_done(const kan_cut_tree *tree, const kan_cut_node *node) {
    return node->bound >= tree->task->best || node->n_lost > tree->shop.limit;
}

static void add_class(kan_cut_node *node, kan_cut_class *class_) {
    node->classes[node->n_classes++] = class_;
    node->bound += class_->bound;
    node->cost += class_->cost;
    for (unsigned i = 0; i < class_->n_says; i++) {
        const kan_cut_say *say = &class_->says[i];
        kan_cut_sum *sum = &node->sums[say->choice];
        sum->n_lost += say->n_lost;
        sum->apart += say->apart;
        sum->left += say->left;
        sum->made += say->made;
        sum->left_part += say->left_part;
        sum->made_part += say->made_part;
    }
}

static void drop_class(kan_cut_node *node, const kan_cut_class *class_) {
    node->bound -= class_->bound;
    node->cost -= class_->cost;
    for (unsigned i = 0; i < class_->n_says; i++) {
        const kan_cut_say *say = &class_->says[i];
        kan_cut_sum *sum = &node->sums[say->choice];
        sum->n_lost -= say->n_lost;
        sum->apart -= say->apart;
        sum->left -= say->left;
        sum->made -= say->made;
        sum->left_part -= say->left_part;
        sum->made_part -= say->made_part;
    }
}

/* Whether the decisions since it was made concern a class. */
static bool is_outdated(const kan_cut_tree *tree, const kan_cut_class *class_) {
    for (unsigned i = 0; i < class_->n_says; i++) {
        const uint8_t decision = tree->shop.decision[class_->says[i].choice];
        if (decision == KAN_CUT_MADE || (decision == KAN_CUT_LEFT && class_->says[i].divides_cells))
            return true;
    }
    return false;
}

/* The most classes that a class can become. */
static size_t most_parts(const kan_cut_tree *tree, const kan_cut_class *class_) {
    const size_t by_rows = (size_t)(class_->n_rows / tree->shop.space->k);
    return by_rows < class_->n_atoms ? by_rows : class_->n_atoms;
}

/* Adds what a class has become. */
static kan_status renew(kan_cut_tree *tree, kan_cut_node *node, const kan_cut_class *class_) {
    const kan_cut_space *space = tree->shop.space;
    kan_cut_class **parts;
    size_t n_parts;
    uint64_t n_lost;
    KAN_TRY(kan_stack_take(&tree->shop.stack, most_parts(tree, class_), sizeof *parts, &parts));
    KAN_TRY(kan_cut_class_divide(&tree->shop, class_, parts, &n_parts, &n_lost));
    for (size_t i = 0; i < n_parts; i++)
        add_class(node, parts[i]);
    node->n_lost += n_lost;
    node->bound += kan_cut_lost_cost(space, n_lost);
    node->cost += kan_cut_lost_cost(space, n_lost);
    return KAN_OK;
}

/* Brings a node up to date with the decisions; stops early, with the node unfit for anything else,
 * when it is done with. */
static kan_status update(kan_cut_tree *tree, kan_cut_node *node) {
    const kan_cut_node before = *node;
    size_t room = 0;
    for (size_t i = 0; i < before.n_classes; i++)
        room += is_outdated(tree, before.classes[i]) ? most_parts(tree, before.classes[i]) : 1;
    KAN_TRY(kan_stack_take(&tree->shop.stack, room, sizeof *node->classes, &node->classes));
    node->n_classes = 0;
    for (size_t i = 0; i < before.n_classes; i++) {
        kan_cut_class *class_ = before.classes[i];
        if (!is_outdated(tree, class_)) {
            node->classes[node->n_classes++] = class_;
            continue;
        }
        drop_class(node, class_);
        KAN_TRY(renew(tree, node, class_));
        if (is_done(tree, node))
            break;
    }
    return KAN_OK;
}

/* The node of the decisions of now, from the whole table. */
static kan_status build(kan_cut_tree *tree, kan_cut_node *node) {
    const kan_cut_space *space = tree->shop.space;
    memset(node, 0, sizeof *node);
    KAN_TRY(kan_stack_take(&tree->shop.stack, most_parts(tree, tree->whole), sizeof *node->classes,
                           &node->classes));
    KAN_TRY(kan_stack_take(&tree->shop.stack, space->n_choices, sizeof *node->sums, &node->sums));
    memset(node->sums, 0, space->n_choices * sizeof *node->sums);
    return renew(tree, node, tree->whole);
}

/* A copy whose lists may change. */
static kan_status copy(kan_cut_tree *tree, const kan_cut_node *node, kan_cut_node *out) {
    const size_t n = tree->shop.space->n_choices;
    *out = *node;
    KAN_TRY(kan_stack_take(&tree->shop.stack, n, sizeof *out->sums, &out->sums));
    memcpy(out->sums, node->sums, n * sizeof *out->sums);
    return KAN_OK;
}

/* ---- what must be so ------------------------------------------------------------------------ */

/* A choice that sets nothing apart never helps, unless one below it does. */
static void find_useful(kan_cut_tree *tree, const kan_cut_node *node) {
    const kan_cut_space *space = tree->shop.space;
    memset(tree->is_useful, 0, space->n_choices);
    for (unsigned c = 0; c < space->n_choices; c++) {
        if (tree->shop.decision[c] != KAN_CUT_OPEN || node->sums[c].apart == 0)
            continue;
        for (int up = (int)c; up >= 0 && !tree->is_useful[up]; up = space->choices[up].parent)
            tree->is_useful[up] = 1;
    }
}

/* Decides what can be decided in one way only. False when some choice can be decided in neither. */
static bool force(kan_cut_tree *tree, const kan_cut_node *node) {
    const kan_cut_space *space = tree->shop.space;
    const kan_cut_conflicts *conflicts = &tree->conflicts;
    const uint64_t gap = tree->task->best - node->bound;
    find_useful(tree, node);
    for (unsigned c = 0; c < space->n_choices; c++) {
        if (tree->shop.decision[c] != KAN_CUT_OPEN)
            continue;
        const int32_t i = conflicts->n > 0 ? conflicts->index[c] : -1;
        const uint64_t made = i >= 0 ? conflicts->made[i] : node->sums[c].made;
        const uint64_t left = i >= 0 ? conflicts->left[i] : node->sums[c].left;
        const bool cannot_make =
            made >= gap || node->n_lost + node->sums[c].n_lost > tree->shop.limit;
        if (cannot_make && left >= gap)
            return false;
        if (cannot_make || !tree->is_useful[c])
            leave(tree, c);
    }
    for (unsigned c = 0; c < space->n_choices; c++) {
        const int32_t i = conflicts->n > 0 ? conflicts->index[c] : -1;
        const uint64_t left = i >= 0 ? conflicts->left[i] : node->sums[c].left;
        if (left < gap || tree->shop.decision[c] == KAN_CUT_MADE)
            continue;
        if (tree->shop.decision[c] == KAN_CUT_LEFT && i >= 0)
            return false; /* left together with one above it */
        if (tree->shop.decision[c] == KAN_CUT_OPEN)
            make(tree, c);
    }
    return true;
}

static void offer(kan_cut_tree *tree, const kan_cut_node *node) {
    const kan_cut_space *space = tree->shop.space;
    kan_cut_task *task = tree->task;
    if (node->cost >= task->best || node->n_lost > tree->shop.limit ||
        (space->wants_release && node->n_classes == 0))
        return;
    task->best = task->cost = node->cost;
    task->is_better = true;
    for (unsigned c = 0; c < space->n_choices; c++)
        task->is_made[c] = tree->shop.decision[c] == KAN_CUT_MADE;
}

/* Decides until nothing is forced. *is_over: there is nothing to be found here. */
static kan_status settle(kan_cut_tree *tree, kan_cut_node *node, bool *is_over) {
    *is_over = true;
    while (!is_done(tree, node)) {
        const unsigned n_trail = tree->n_trail;
        offer(tree, node);
        if (is_done(tree, node))
            return KAN_OK;
        tree->conflicts.n = 0;
        if (!force(tree, node))
            return KAN_OK;
        if (tree->n_trail != n_trail) {
            KAN_TRY(update(tree, node));
            continue;
        }
        KAN_TRY(kan_cut_conflicts_find(&tree->shop, node, tree->task->best - node->bound,
                                       &tree->conflicts));
        if (tree->conflicts.n > 0 && node->bound + tree->conflicts.packed >= tree->task->best)
            return KAN_OK;
        if (!force(tree, node))
            return KAN_OK;
        if (tree->n_trail == n_trail) {
            *is_over = false;
            return KAN_OK;
        }
        KAN_TRY(update(tree, node));
    }
    return KAN_OK;
}

/* ---- branching ------------------------------------------------------------------------------ */

/* The choice that sets most pairs of rows apart, and is missed most when it is left; -1 when none
 * is open. */
static int pick(const kan_cut_tree *tree, const kan_cut_node *node) {
    const kan_cut_space *space = tree->shop.space;
    /* Found by trying: a row in the wrong class weighs as much as a third of all pairs with it. */
    const uint64_t scale = space->cost == KAN_CUT_DISCERNIBILITY ? 1 : space->n_rows / 3 + 1;
    int best = -1;
    uint64_t most = 0;
    for (unsigned c = 0; c < space->n_choices; c++) {
        const int parent = space->choices[c].parent;
        if (tree->shop.decision[c] != KAN_CUT_OPEN ||
            (parent >= 0 && tree->shop.decision[parent] != KAN_CUT_MADE))
            continue;
        const uint64_t weight = node->sums[c].apart / 6 + node->sums[c].left * scale + 1;
        if (weight > most) {
            most = weight;
            best = (int)c;
        }
    }
    return best;
}

static kan_status explore(kan_cut_tree *tree, kan_cut_node *node);

static kan_status branch(kan_cut_tree *tree, const kan_cut_node *node, uint32_t choice,
                         bool is_made, uint64_t rise) {
    kan_status status;
    const unsigned n_trail = tree->n_trail;
    const kan_stack_mark mark = kan_stack_here(&tree->shop.stack);
    kan_cut_node child;
    if (node->bound + rise >= tree->task->best)
        return KAN_OK;
    if (is_made)
        make(tree, choice);
    else
        leave(tree, choice);
    if (tree->is_stopped || tree->task->n_states >= tree->task->n_states_most) {
        KAN_TRY_DONE(hand_back(tree, node->bound + rise));
        goto done;
    }
    KAN_TRY_DONE(copy(tree, node, &child));
    KAN_TRY_DONE(update(tree, &child));
    status = explore(tree, &child);
done:
    take_back(tree, n_trail);
    kan_stack_back(&tree->shop.stack, mark);
    return status;
}

static kan_status explore(kan_cut_tree *tree, kan_cut_node *node) {
    const unsigned n_trail = tree->n_trail;
    bool is_over;
    kan_status status = KAN_OK;
    tree->task->n_states++;
    tree->is_stopped = tree->is_stopped || kan_should_stop(tree->shop.space->run);
    KAN_TRY(settle(tree, node, &is_over));
    const int choice = is_over ? -1 : pick(tree, node);
    if (choice >= 0) {
        const kan_cut_conflicts *conflicts = &tree->conflicts;
        const int32_t i = conflicts->n > 0 ? conflicts->index[choice] : -1;
        const uint64_t made = i >= 0 ? conflicts->made[i] : node->sums[choice].made;
        const uint64_t left = i >= 0 ? conflicts->left[i] : node->sums[choice].left;
        status = branch(tree, node, (uint32_t)choice, true, made);
        if (status == KAN_OK)
            status = branch(tree, node, (uint32_t)choice, false, left);
    }
    take_back(tree, n_trail);
    return status;
}

kan_status kan_cut_tree_explore(kan_cut_tree *tree, kan_cut_task *task) {
    kan_status status;
    kan_cut_node node;
    const kan_cut_space *space = tree->shop.space;
    tree->task = task;
    tree->is_stopped = false;
    task->is_better = false;
    task->n_states = 0;
    for (unsigned c = 0; task->packed && c < space->n_choices; c++) {
        const unsigned decision = task->packed[c / 4] >> (c % 4 * 2) & 3;
        if (decision != KAN_CUT_OPEN)
            set(tree, c, (kan_cut_decision)decision);
    }
    if (kan_should_stop(space->run)) {
        status = hand_back(tree, task->bound);
        goto done;
    }
    KAN_TRY_DONE(build(tree, &node));
    status = explore(tree, &node);
done:
    take_back(tree, 0);
    kan_stack_back(&tree->shop.stack, tree->base);
    return status;
}

kan_status kan_cut_tree_bound(kan_cut_tree *tree, uint8_t *decision, uint64_t best, uint64_t *out) {
    kan_status status;
    kan_cut_node node;
    bool is_over;
    const unsigned n = tree->shop.space->n_choices;
    kan_cut_task task = {.best = best, .is_made = decision + n};
    tree->task = &task;
    for (unsigned c = 0; c < n; c++)
        if (decision[c] != KAN_CUT_OPEN)
            set(tree, c, (kan_cut_decision)decision[c]);
    KAN_TRY_DONE(build(tree, &node));
    *out = is_done(tree, &node) ? UINT64_MAX : node.bound;
    KAN_TRY_DONE(settle(tree, &node, &is_over));
    if (is_over)
        *out = UINT64_MAX;
    else
        *out = node.bound + (tree->conflicts.n > 0 ? tree->conflicts.packed : 0);
    memcpy(decision, tree->shop.decision, n);
done:
    take_back(tree, 0);
    kan_stack_back(&tree->shop.stack, tree->base);
    return status;
}

/* ---- the tree itself ------------------------------------------------------------------------ */

static kan_status list_children(kan_cut_tree *tree) {
    const kan_cut_space *space = tree->shop.space;
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

kan_status kan_cut_tree_create(const kan_cut_space *space, uint64_t limit, kan_cut_tree **out) {
    kan_cut_tree *tree;
    kan_status status;
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *tree, &tree));
    kan_arena_init(&tree->arena, space->run);
    KAN_TRY_DONE(kan_cut_shop_create(space, limit, &tree->shop));
    KAN_TRY_DONE(
        kan_arena_alloc(&tree->arena, space->n_choices, sizeof *tree->trail, &tree->trail));
    KAN_TRY_DONE(kan_arena_alloc(&tree->arena, space->n_choices, 1, &tree->is_useful));
    KAN_TRY_DONE(list_children(tree));
    KAN_TRY_DONE(kan_cut_conflicts_create(space, &tree->arena, &tree->conflicts));
    KAN_TRY_DONE(kan_cut_class_whole(&tree->shop, &tree->whole));
    tree->base = kan_stack_here(&tree->shop.stack);
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
    kan_cut_shop_destroy(&tree->shop);
    kan_arena_destroy(&tree->arena);
    kan_free(run, tree);
}

/* Every code at a level of its own, so that what is shown are nodes that divide the hierarchy: branch and
 * bound, from the top node down.
 *
 * A step takes a node that is shown and not decided on, the one whose codes could save most, and divides
 * it into its children. Who is left out before is left out afterwards, so that nothing below is within the
 * limit where a step is not; then the node stays, as it does when all below the step was looked at. What
 * costs least below a step: whoever is left out already, codes of nodes that stay at their price, all
 * others at the price of the code itself. Where that is not below the best so far, nothing is looked
 * at. The first way down is a greedy search; with steps enough the answer is proven.
 *
 * A node with one child shows no more than that child does: it is the lowest of such a chain, which
 * costs least. A step is O(people and codes of the node's people), and the sets that have one of its
 * children (codes_count.c). */
#include "search/codes/codes_inside.h"

#include <string.h>

#define NO_NODE UINT32_MAX

typedef enum { ABOVE, OPEN, STAYS, BELOW } node_state;

typedef struct {
    uint32_t from, to;          /* its leaves */
    unsigned level;             /* the lowest with these leaves */
    uint32_t child, n_children; /* its first one */
    node_state state;
    kan_u128 gain; /* what its codes could save at most */
} node;

typedef struct {
    uint32_t node;
    bool is_divided; /* else it stays */
    uint64_t n_left; /* in `left` before */
} decision;

typedef struct {
    kan_run *run;
    const kan_codes_question *question;
    kan_codes_answer *answer;
    kan_codes_counter *counter;
    node *nodes; /* the top first, children behind their parents */
    uint32_t n_nodes;
    uint32_t *order; /* those with children, by gain */
    uint32_t n_order;
    uint32_t *node_of;   /* by leaf: what is shown */
    uint64_t *n_staying; /* by leaf: people who have it and are not left out */
    kan_u128 left_cost;  /* of those who are */
    uint8_t *is_left;
    uint32_t *left; /* in the order in which they were left out */
    uint64_t n_left;
    decision *path;
    uint32_t n_path;
    bool is_broken;
} searcher;

/* ---- the tree ------------------------------------------------------------------------------- */

static uint32_t end_of_group(const kan_codes_tree *tree, unsigned level, uint32_t from,
                             uint32_t to) {
    uint32_t at = from + 1;
    while (at < to && tree->groups[level][at] == tree->groups[level][from])
        at++;
    return at;
}

static void place(searcher *s, uint32_t from, uint32_t to, unsigned level) {
    const kan_codes_tree *tree = &s->question->tree;
    while (level > 0 && end_of_group(tree, level - 1, from, to) == to)
        level--;
    s->nodes[s->n_nodes++] =
        (node){.from = from, .to = to, .level = level, .child = NO_NODE, .state = BELOW};
}

/* The top, and behind each node its children in their order. A leaf is a node without any. */
static void make_nodes(searcher *s) {
    const kan_codes_tree *tree = &s->question->tree;
    place(s, 0, tree->n_leaves, tree->height);
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        node *parent = &s->nodes[i];
        parent->child = s->n_nodes;
        for (uint32_t at = parent->from, end; parent->level > 0 && at < parent->to; at = end) {
            end = end_of_group(tree, parent->level - 1, at, parent->to);
            place(s, at, end, parent->level - 1);
        }
        parent->n_children = s->n_nodes - parent->child;
    }
}

static void count_staying(searcher *s) {
    const kan_codes_people *people = &s->question->people;
    for (uint64_t i = 0; i < people->start[people->n]; i++)
        s->n_staying[people->leaves[i]]++;
}

static void order_nodes(searcher *s) {
    const kan_codes_tree *tree = &s->question->tree;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        node *n = &s->nodes[i];
        for (uint32_t leaf = n->from; leaf < n->to; leaf++)
            n->gain += (kan_u128)s->n_staying[leaf] *
                       (tree->prices[n->level][leaf] - tree->prices[0][leaf]);
        if (n->n_children == 0)
            continue;
        uint32_t at = s->n_order++;
        for (; at > 0 && s->nodes[s->order[at - 1]].gain < n->gain; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
}

/* ---- costs ---------------------------------------------------------------------------------- */

/* What is shown now costs, and the least that anything below can. */
static kan_u128 cost_of(const searcher *s, bool is_bound) {
    const kan_codes_tree *tree = &s->question->tree;
    kan_u128 cost = s->left_cost;
    for (uint32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        const node *n = &s->nodes[s->node_of[leaf]];
        const unsigned level = is_bound && n->state == OPEN ? 0 : n->level;
        cost += (kan_u128)s->n_staying[leaf] * tree->prices[level][leaf];
    }
    return cost;
}

static void take_best(searcher *s) {
    kan_codes_answer *best = s->answer;
    const kan_u128 cost = cost_of(s, false);
    if (cost >= best->cost)
        return;
    best->cost = cost;
    best->n_left = s->n_left;
    memcpy(best->is_left, s->is_left, s->question->people.n);
    for (uint32_t leaf = 0; leaf < s->question->tree.n_leaves; leaf++)
        best->levels[leaf] = (uint8_t)s->nodes[s->node_of[leaf]].level;
}

/* The best level as a cut: a node with one child is shown as that child, which may cost less. */
static void take_level(searcher *s) {
    const kan_codes_people *people = &s->question->people;
    const kan_codes_tree *tree = &s->question->tree;
    kan_codes_answer *best = s->answer;
    for (uint32_t from = 0, to; from < tree->n_leaves; from = to) {
        unsigned level = best->levels[from];
        to = end_of_group(tree, level, from, tree->n_leaves);
        while (level > 0 && end_of_group(tree, level - 1, from, to) == to)
            level--;
        memset(best->levels + from, (int)level, to - from);
    }
    best->cost = 0;
    for (uint32_t p = 0; p < people->n; p++)
        for (uint64_t i = people->start[p]; i < people->start[p + 1]; i++) {
            const uint32_t leaf = people->leaves[i];
            best->cost +=
                best->is_left[p] ? tree->suppressed : tree->prices[best->levels[leaf]][leaf];
        }
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void show(searcher *s, uint32_t n) {
    for (uint32_t leaf = s->nodes[n].from; leaf < s->nodes[n].to; leaf++)
        s->node_of[leaf] = n;
    s->nodes[n].state = s->nodes[n].n_children > 0 ? OPEN : STAYS;
}

static void show_children(searcher *s, uint32_t n) {
    s->nodes[n].state = ABOVE;
    for (uint32_t i = 0; i < s->nodes[n].n_children; i++)
        show(s, s->nodes[n].child + i);
}

static void hide_children(searcher *s, uint32_t n) {
    for (uint32_t i = 0; i < s->nodes[n].n_children; i++)
        s->nodes[s->nodes[n].child + i].state = BELOW;
    show(s, n);
}

/* The codes of people who are left out cost what such ones do, or again what is shown. */
static void count_person(searcher *s, uint32_t person, bool is_leaving) {
    const kan_codes_people *people = &s->question->people;
    for (uint64_t i = people->start[person]; i < people->start[person + 1]; i++) {
        if (is_leaving) {
            s->n_staying[people->leaves[i]]--;
            s->left_cost += s->question->tree.suppressed;
        } else {
            s->n_staying[people->leaves[i]]++;
            s->left_cost -= s->question->tree.suppressed;
        }
    }
}

/* Finds who is left out with what is shown now; false: too many, and nobody is added. */
static kan_status leave(searcher *s, uint32_t n, bool is_new, bool *is_within) {
    const kan_codes_question *q = s->question;
    const kan_codes_shown shown = {
        .items = s->node_of, .from = s->nodes[n].from, .to = s->nodes[n].to, .is_new = is_new};
    const uint64_t most = q->limit - s->n_left;
    uint64_t n_added;
    KAN_TRY(kan_codes_leave(s->counter, &shown, most, s->is_left, s->left + s->n_left, &n_added));
    s->answer->n_checked++;
    s->is_broken |= kan_codes_is_broken(s->counter);
    *is_within = !s->is_broken && n_added <= most;
    if (!*is_within)
        return KAN_OK;
    for (uint64_t i = 0; i < n_added; i++)
        count_person(s, s->left[s->n_left + i], true);
    s->n_left += n_added;
    *is_within = s->n_left < q->people.n;
    return KAN_OK;
}

static void call_back(searcher *s, uint64_t n_left) {
    while (s->n_left > n_left) {
        const uint32_t person = s->left[--s->n_left];
        s->is_left[person] = 0;
        count_person(s, person, false);
    }
}

static void decide(searcher *s, uint32_t n, bool is_divided, uint64_t n_left) {
    s->path[s->n_path++] = (decision){n, is_divided, n_left};
    if (!is_divided)
        s->nodes[n].state = STAYS;
}

/* Back to the last step, whose node stays from here on; false: there is none. */
static bool turn_back(searcher *s) {
    while (s->n_path > 0) {
        const decision d = s->path[--s->n_path];
        if (!d.is_divided) {
            s->nodes[d.node].state = OPEN;
            continue;
        }
        call_back(s, d.n_left);
        hide_children(s, d.node);
        decide(s, d.node, false, d.n_left);
        return true;
    }
    return false;
}

static uint32_t choose(const searcher *s) {
    for (uint32_t i = 0; i < s->n_order; i++)
        if (s->nodes[s->order[i]].state == OPEN && s->nodes[s->order[i]].gain > 0)
            return s->order[i];
    return NO_NODE;
}

static kan_status step(searcher *s, uint32_t n) {
    const uint64_t before = s->n_left;
    bool is_within;
    show_children(s, n);
    KAN_TRY(leave(s, n, false, &is_within));
    if (is_within) {
        take_best(s);
        decide(s, n, true, before);
        return KAN_OK;
    }
    call_back(s, before);
    hide_children(s, n);
    decide(s, n, false, before);
    return KAN_OK;
}

/* Whether the search has to end before everything was looked at. */
static bool is_over(const searcher *s) {
    return s->is_broken || s->answer->n_checked >= s->question->most_steps ||
           kan_should_stop(s->run);
}

static kan_status walk(searcher *s) {
    kan_codes_answer *best = s->answer;
    bool is_within;
    show(s, 0);
    KAN_TRY(leave(s, 0, true, &is_within));
    if (!is_within) /* only where it was broken off: levels have the same top */
        return KAN_OK;
    take_best(s);
    best->bound = cost_of(s, true);
    for (;;) {
        const uint32_t n = cost_of(s, true) < best->cost ? choose(s) : NO_NODE;
        if (n == NO_NODE) {
            if (!turn_back(s))
                break;
            continue;
        }
        if (is_over(s))
            return KAN_OK;
        kan_report_search(s->run, "steps", best->n_checked, s->question->most_steps, false, 0, 0);
        KAN_TRY(step(s, n));
    }
    best->is_proven = !s->is_broken;
    if (best->is_proven)
        best->bound = best->cost;
    return KAN_OK;
}

static kan_status make_room(searcher *s) {
    const uint32_t n_leaves = s->question->tree.n_leaves, n = s->question->people.n;
    const size_t n_most = 2 * (size_t)n_leaves; /* each node but leaves has two children */
    KAN_TRY(kan_alloc(s->run, n_most, sizeof *s->nodes, &s->nodes));
    KAN_TRY(kan_alloc(s->run, n_most, sizeof *s->order, &s->order));
    KAN_TRY(kan_alloc(s->run, n_most, sizeof *s->path, &s->path));
    KAN_TRY(kan_alloc(s->run, n_leaves, sizeof *s->node_of, &s->node_of));
    KAN_TRY(kan_alloc_zero(s->run, n_leaves, sizeof *s->n_staying, &s->n_staying));
    KAN_TRY(kan_alloc_zero(s->run, n, 1, &s->is_left));
    return kan_alloc(s->run, n, sizeof *s->left, &s->left);
}

kan_status kan_codes_search_cuts(kan_run *run, const kan_codes_question *question,
                                 kan_codes_answer *answer) {
    kan_status status = KAN_OK;
    searcher s = {.run = run, .question = question, .answer = answer};
    if (question->tree.n_leaves == 0)
        return KAN_OK;
    answer->is_proven = false;
    answer->bound = 0;
    KAN_TRY_DONE(make_room(&s));
    take_level(&s);
    make_nodes(&s);
    count_staying(&s);
    order_nodes(&s);
    KAN_TRY_DONE(kan_codes_counter_create(run, question, s.n_nodes, &s.counter));
    KAN_TRY_DONE(walk(&s));
done:
    kan_codes_counter_destroy(s.counter);
    kan_free(run, s.nodes);
    kan_free(run, s.order);
    kan_free(run, s.path);
    kan_free(run, s.node_of);
    kan_free(run, s.n_staying);
    kan_free(run, s.is_left);
    kan_free(run, s.left);
    return status;
}

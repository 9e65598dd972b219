/* Dividing a tree of rows, so that every piece has k rows or more, and few have more than 2k - 1.
 *
 *   1. An edge with k rows or more on either side goes; of several the longest.
 *   2. If there is none, and the tree has more than max(2k - 1, 3k - 5) rows, there is a row all of
 *      whose branches have fewer than k. Some of the branches become a piece. They hang together by
 *      that row, which is counted in the other piece, or the other way round; no edge is counted
 *      twice. That a choice of branches exists is shown in docs/papers/cell-suppression.md.
 *
 * A step is linear in the tree, so that all take its rows times its pieces at worst. */
#include <stdlib.h>
#include <string.h>

#include "search/cells/cells_inside.h"

void kan_row_trees_destroy(kan_row_trees *trees) {
    kan_run *run = trees->tuples->space->run;
    kan_free(run, trees->place);
    kan_free(run, trees->parent);
    kan_free(run, trees->weight);
    kan_free(run, trees->order);
    kan_free(run, trees->size);
    kan_free(run, trees->first_child);
    kan_free(run, trees->sibling);
    kan_free(run, trees->list);
    kan_free(run, trees->stack);
}

kan_status kan_row_trees_begin(kan_row_trees *trees, size_t n) {
    kan_run *run = trees->tuples->space->run;
    trees->n = 0;
    if (n >= KAN_NO_VERTEX)
        return kan_fail(run, KAN_FAILED, "too many rows for --algorithm forest: 2^32 or more");
    if (n <= trees->room)
        return KAN_OK;
    const size_t room = n + n / 2;
    trees->room = 0;
    KAN_TRY(kan_resize(run, room, sizeof *trees->place, &trees->place));
    KAN_TRY(kan_resize(run, room, sizeof *trees->parent, &trees->parent));
    KAN_TRY(kan_resize(run, room, sizeof *trees->weight, &trees->weight));
    KAN_TRY(kan_resize(run, room, sizeof *trees->order, &trees->order));
    KAN_TRY(kan_resize(run, room, sizeof *trees->size, &trees->size));
    KAN_TRY(kan_resize(run, room, sizeof *trees->first_child, &trees->first_child));
    KAN_TRY(kan_resize(run, room, sizeof *trees->sibling, &trees->sibling));
    KAN_TRY(kan_resize(run, room, sizeof *trees->list, &trees->list));
    trees->room = room;
    return KAN_OK;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static int compare_vertices(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Rows of a tuple stand together, and become one bundle. */
static kan_status add_piece(kan_row_trees *trees, uint32_t *vertices, size_t n) {
    size_t c;
    KAN_ASSERT(n >= trees->tuples->least_size);
    qsort(vertices, n, sizeof *vertices, compare_vertices);
    KAN_TRY(kan_local_clusters_add(trees->clusters, &c));
    for (size_t i = 0, end; i < n; i = end) {
        const uint32_t place = trees->place[vertices[i]];
        for (end = i + 1; end < n && trees->place[vertices[end]] == place; end++)
            ;
        KAN_TRY(kan_local_cluster_add(trees->clusters, c, trees->tuples->tuple[place], end - i));
    }
    return KAN_OK;
}

static kan_status push(kan_row_trees *trees, size_t first, size_t n) {
    KAN_TRY(kan_reserve(trees->tuples->space->run, trees->stack_n + 1, sizeof *trees->stack,
                        &trees->stack_room, &trees->stack));
    trees->stack[trees->stack_n++] = (struct kan_row_tree){first, n};
    return KAN_OK;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Vertices from the root on, each behind its parent; the rows below each, itself included. */
static void survey(kan_row_trees *trees, const uint32_t *vertices, size_t n) {
    size_t done = 0, known = 0;
    for (size_t i = 0; i < n; i++) {
        trees->first_child[vertices[i]] = KAN_NO_VERTEX;
        trees->size[vertices[i]] = 1;
    }
    for (size_t i = n; i-- > 0;) {
        const uint32_t v = vertices[i], parent = trees->parent[v];
        if (parent == KAN_NO_VERTEX) {
            trees->order[known++] = v;
            continue;
        }
        trees->sibling[v] = trees->first_child[parent];
        trees->first_child[parent] = v;
    }
    KAN_ASSERT(known == 1);
    for (; done < known; done++)
        for (uint32_t v = trees->first_child[trees->order[done]]; v != KAN_NO_VERTEX;
             v = trees->sibling[v])
            trees->order[known++] = v;
    KAN_ASSERT(known == n);
    for (size_t i = n; i-- > 1;)
        trees->size[trees->parent[trees->order[i]]] += trees->size[trees->order[i]];
}

/* The longest edge that can go, by its lower end. */
static uint32_t find_edge(const kan_row_trees *trees, size_t n) {
    const uint64_t k = trees->tuples->least_size;
    uint32_t best = KAN_NO_VERTEX;
    for (size_t i = 1; i < n; i++) {
        const uint32_t v = trees->order[i];
        if (trees->size[v] >= k && n - trees->size[v] >= k &&
            (best == KAN_NO_VERTEX || trees->weight[v] > trees->weight[best]))
            best = v;
    }
    return best;
}

/* The lowest vertex that has k rows below it: then no branch of it has as many, neither above,
 * where no edge can go. */
static uint32_t find_middle(const kan_row_trees *trees, size_t n) {
    size_t i = n;
    while (trees->size[trees->order[--i]] < trees->tuples->least_size)
        ;
    return trees->order[i];
}

/* Makes a vertex the root. */
static void turn(kan_row_trees *trees, uint32_t root) {
    uint32_t v = root, above = KAN_NO_VERTEX;
    double weight = 0;
    while (v != KAN_NO_VERTEX) {
        const uint32_t parent = trees->parent[v];
        const double length = trees->weight[v];
        trees->parent[v] = above;
        trees->weight[v] = weight;
        above = v;
        weight = length;
        v = parent;
    }
}

/* ---- dividing -------------------------------------------------------------------------------- */

/* Puts the vertices for which is_first[v] (in trees->size) stands first; how many they are. */
static size_t part(kan_row_trees *trees, uint32_t *vertices, size_t n) {
    size_t n_first = 0, n_rest = 0;
    for (size_t i = 0; i < n; i++)
        if (trees->size[vertices[i]])
            vertices[n_first++] = vertices[i];
        else
            trees->order[n_rest++] = vertices[i];
    memcpy(vertices + n_first, trees->order, n_rest * sizeof *vertices);
    return n_first;
}

/* Marks, in trees->size, all that is below marked vertices; `order` is known. */
static void mark_below(kan_row_trees *trees, size_t n) {
    for (size_t i = 1; i < n; i++) {
        const uint32_t v = trees->order[i];
        if (trees->size[trees->parent[v]])
            trees->size[v] = 1;
    }
}

static kan_status cut_edge(kan_row_trees *trees, struct kan_row_tree tree, uint32_t v) {
    for (size_t i = 0; i < tree.n; i++)
        trees->size[trees->list[tree.first + i]] = 0;
    trees->size[v] = 1;
    mark_below(trees, tree.n);
    const size_t n = part(trees, trees->list + tree.first, tree.n);
    trees->parent[v] = KAN_NO_VERTEX;
    KAN_TRY(push(trees, tree.first, n));
    return push(trees, tree.first + n, tree.n - n);
}

/* Chooses branches of the root: marks them in trees->size and returns their rows, which are k - 1
 * where the root is to go with them. */
static size_t choose_branches(kan_row_trees *trees, const uint32_t *vertices, size_t n) {
    const size_t k = (size_t)trees->tuples->least_size;
    const uint32_t root = trees->order[0];
    size_t least = n >= 3 * k - 2 ? k : k - 1, sum = 0;
    uint32_t *next = trees->sibling, whole = KAN_NO_VERTEX;
    for (uint32_t v = trees->first_child[root]; v != KAN_NO_VERTEX; v = next[v])
        if (trees->size[v] == k - 1 && whole == KAN_NO_VERTEX)
            whole = v;
    uint32_t chosen = trees->first_child[root], end = chosen;
    if (least == k - 1 && whole != KAN_NO_VERTEX) {
        chosen = whole;
        end = next[whole];
        sum = k - 1;
    } else {
        for (; sum < least; end = next[end])
            sum += trees->size[end];
    }
    for (size_t i = 0; i < n; i++)
        trees->size[vertices[i]] = 0;
    for (uint32_t v = chosen; v != end; v = next[v])
        trees->size[v] = 1;
    return sum;
}

static kan_status cut_branches(kan_row_trees *trees, struct kan_row_tree tree, uint32_t middle) {
    const size_t k = (size_t)trees->tuples->least_size;
    uint32_t *vertices = trees->list + tree.first;
    turn(trees, middle);
    survey(trees, vertices, tree.n);
    const size_t sum = choose_branches(trees, vertices, tree.n);
    mark_below(trees, tree.n);
    const bool takes_root = sum < k;
    if (takes_root)
        trees->size[middle] = 1; /* after its branches: others are not below it here */
    const size_t n = part(trees, vertices, tree.n);
    KAN_ASSERT(n == sum + takes_root && tree.n - n >= k);
    KAN_TRY(add_piece(trees, vertices, n));
    if (takes_root) /* what is left hangs together by a row that has gone, and is small enough */
        return add_piece(trees, vertices + n, tree.n - n);
    return push(trees, tree.first + n, tree.n - n);
}

static kan_status divide(kan_row_trees *trees, struct kan_row_tree tree) {
    const size_t k = (size_t)trees->tuples->least_size;
    uint32_t *vertices = trees->list + tree.first;
    if (tree.n < 2 * k)
        return add_piece(trees, vertices, tree.n);
    survey(trees, vertices, tree.n);
    const uint32_t edge = find_edge(trees, tree.n);
    if (edge != KAN_NO_VERTEX)
        return cut_edge(trees, tree, edge);
    if (tree.n + 5 <= 3 * k)
        return add_piece(trees, vertices, tree.n);
    return cut_branches(trees, tree, find_middle(trees, tree.n));
}

kan_status kan_row_trees_divide(kan_row_trees *trees) {
    kan_run *run = trees->tuples->space->run;
    for (size_t v = 0; v < trees->n; v++)
        trees->list[v] = (uint32_t)v;
    trees->stack_n = 0;
    KAN_TRY(push(trees, 0, trees->n));
    while (trees->stack_n > 0) {
        KAN_TRY(kan_check_cancel(run));
        KAN_TRY(divide(trees, trees->stack[--trees->stack_n]));
    }
    return KAN_OK;
}

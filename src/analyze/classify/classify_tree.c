/* A decision tree: nodes are split in two, by the column and the cut that lower the Gini impurity of the
 * classes most; of equal ones by the first. Numbers are cut in their order; categories in the order of their share
 * of the node's second class, which of two classes is the best cut there is (Breiman and others 1984,
 * section 4.2). A node is a leaf at MOST_DEPTH, where no cut leaves LEAST_SHARE of the rows, and LEAST_ROWS,
 * on either side, or where none lowers the impurity. There is no pruning: leaves are that large.
 *
 * Weights are added up in the order of rows, so that a tree is the same on every machine. */
#include <stdlib.h>
#include <string.h>

#include "analyze/classify/classify_inside.h"
#include "core/memory.h"

enum { MOST_DEPTH = 12, LEAST_ROWS = 5 };
#define LEAST_SHARE 0.002
#define LEAST_GAIN  1e-9 /* of the weight: more than rounding */

typedef struct {
    uint32_t bin;
    uint64_t rows;
    double share; /* of the class by which categories are ordered */
} ordered_bin;

typedef struct {
    kan_run *run;
    const kan_tree_question *question;
    kan_tree *tree;
    uint64_t *rows, *spare; /* those of a node stand together */
    double *counts;         /* by bin and class */
    uint64_t *n_in_bin;
    ordered_bin *order;
    double *left, *all; /* by class */
    uint64_t least_rows;
    double total;
} tree_grower;

typedef struct {
    double gain;
    size_t feature;
    uint32_t n_bins;    /* of those in `order` that go left */
    ordered_bin *order; /* a copy */
} tree_cut;

typedef struct {
    size_t node;
    uint64_t first, end; /* of rows */
    unsigned depth;
} open_node;

static const uint32_t *bins_of(const kan_feature *feature, const kan_seen_values *values) {
    return feature->is_number ? values->bins : values->places;
}

static kan_status add_node(tree_grower *g, size_t *out) {
    kan_tree *tree = g->tree;
    size_t share_room = tree->node_room;
    KAN_TRY(kan_reserve(g->run, tree->n_nodes + 1, sizeof *tree->nodes, &tree->node_room,
                        &tree->nodes));
    if (tree->node_room != share_room)
        KAN_TRY(kan_resize(g->run, tree->node_room * tree->n_classes, sizeof *tree->shares,
                           &tree->shares));
    tree->nodes[tree->n_nodes] = (kan_tree_node){.feature = SIZE_MAX};
    *out = tree->n_nodes++;
    return KAN_OK;
}

/* The weight of each class in the node. */
static double count_classes(const tree_grower *g, const open_node *at, double *out) {
    double sum = 0;
    memset(out, 0, g->question->n_classes * sizeof *out);
    for (uint64_t i = at->first; i < at->end; i++)
        out[g->question->classes[g->rows[i]]] += g->question->weights[g->rows[i]];
    for (size_t c = 0; c < g->question->n_classes; c++)
        sum += out[c];
    return sum;
}

/* Weight times (1 - Gini impurity): the sum of squares over the sum. */
static double purity(const double *classes, size_t n, double *total) {
    double sum = 0, squares = 0;
    for (size_t c = 0; c < n; c++) {
        sum += classes[c];
        squares += classes[c] * classes[c];
    }
    *total = sum;
    return sum > 0 ? squares / sum : 0;
}

static int compare_bins(const void *a, const void *b) {
    const ordered_bin *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? -1 : 1;
    return (x->bin > y->bin) - (x->bin < y->bin);
}

/* Bins that the node has, in the order in which they are cut. */
static uint32_t order_bins(const tree_grower *g, const kan_feature *feature) {
    const size_t n_classes = g->question->n_classes;
    uint32_t n = 0;
    size_t first = 0, second = n_classes;
    for (size_t c = 1; c < n_classes; c++)
        first = g->all[c] > g->all[first] ? c : first;
    for (size_t c = 0; c < n_classes; c++)
        if (c != first && (second == n_classes || g->all[c] > g->all[second]))
            second = c;
    for (uint32_t bin = 0; bin < feature->n_bins; bin++) {
        const double *counts = g->counts + bin * n_classes;
        double sum = 0;
        if (g->n_in_bin[bin] == 0)
            continue;
        for (size_t c = 0; c < n_classes; c++)
            sum += counts[c];
        g->order[n++] =
            (ordered_bin){bin, g->n_in_bin[bin], feature->is_number ? 0 : counts[second] / sum};
    }
    if (!feature->is_number)
        qsort(g->order, n, sizeof *g->order, compare_bins);
    return n;
}

static void count_bins(const tree_grower *g, const kan_feature *feature, const open_node *at) {
    const kan_tree_question *question = g->question;
    const uint32_t *bins = bins_of(feature, &feature->learnt);
    memset(g->counts, 0, feature->n_bins * question->n_classes * sizeof *g->counts);
    memset(g->n_in_bin, 0, feature->n_bins * sizeof *g->n_in_bin);
    for (uint64_t i = at->first; i < at->end; i++) {
        const uint64_t row = g->rows[i];
        const uint32_t bin = bins[kan_seen_code(&feature->learnt, row)];
        g->counts[bin * question->n_classes + question->classes[row]] += question->weights[row];
        g->n_in_bin[bin]++;
    }
}

/* The best cut of a column, where it is better than the one so far. */
static void try_feature(tree_grower *g, size_t f, const open_node *at, tree_cut *best) {
    const kan_feature *feature = &g->question->features->features[f];
    const size_t n_classes = g->question->n_classes;
    double total, left, right, rest[KAN_MOST_LEARNT];
    uint64_t rows = 0;
    uint32_t best_here = 0;
    count_bins(g, feature, at);
    const uint32_t n = order_bins(g, feature);
    const double before = purity(g->all, n_classes, &total);
    memset(g->left, 0, n_classes * sizeof *g->left);
    for (uint32_t i = 0; i + 1 < n; i++) {
        const double *counts = g->counts + g->order[i].bin * n_classes;
        rows += g->order[i].rows;
        for (size_t c = 0; c < n_classes; c++) {
            g->left[c] += counts[c];
            rest[c] = g->all[c] > g->left[c] ? g->all[c] - g->left[c] : 0;
        }
        if (rows < g->least_rows || at->end - at->first - rows < g->least_rows)
            continue;
        const double gain =
            purity(g->left, n_classes, &left) + purity(rest, n_classes, &right) - before;
        if (gain > best->gain) {
            best->gain = gain;
            best_here = i + 1;
        }
    }
    if (best_here == 0)
        return;
    best->feature = f;
    best->n_bins = best_here;
    memcpy(best->order, g->order, best_here * sizeof *best->order);
}

/* Which bins go left; those that the node does not have go where most rows go. */
static kan_status write_cut(tree_grower *g, const open_node *at, const tree_cut *cut) {
    kan_tree *tree = g->tree;
    const kan_feature *feature = &g->question->features->features[cut->feature];
    uint64_t rows = 0;
    KAN_TRY(kan_reserve(g->run, tree->n_bins + feature->n_bins, sizeof *tree->goes_left,
                        &tree->bin_room, &tree->goes_left));
    count_bins(g, feature, at);
    for (uint32_t i = 0; i < cut->n_bins; i++)
        rows += cut->order[i].rows;
    uint8_t *goes_left = tree->goes_left + tree->n_bins;
    for (uint32_t bin = 0; bin < feature->n_bins; bin++)
        goes_left[bin] = g->n_in_bin[bin] == 0 && 2 * rows >= at->end - at->first;
    for (uint32_t i = 0; i < cut->n_bins; i++)
        goes_left[cut->order[i].bin] = 1;
    tree->nodes[at->node].feature = cut->feature;
    tree->nodes[at->node].first_bin = tree->n_bins;
    tree->n_bins += feature->n_bins;
    return KAN_OK;
}

/* Rows of the left side first, each side in its order. */
static uint64_t part_rows(tree_grower *g, const open_node *at) {
    const kan_tree_node *node = &g->tree->nodes[at->node];
    const kan_feature *feature = &g->question->features->features[node->feature];
    const uint32_t *bins = bins_of(feature, &feature->learnt);
    const uint8_t *goes_left = g->tree->goes_left + node->first_bin;
    uint64_t left = at->first, n_right = 0;
    for (uint64_t i = at->first; i < at->end; i++) {
        const uint64_t row = g->rows[i];
        if (goes_left[bins[kan_seen_code(&feature->learnt, row)]])
            g->rows[left++] = row;
        else
            g->spare[n_right++] = row;
    }
    memcpy(g->rows + left, g->spare, n_right * sizeof *g->rows);
    return left;
}

/* Splits the node, or leaves it as it is. Its children are the last two nodes. */
static kan_status split(tree_grower *g, const open_node *at, tree_cut *best, bool *is_split,
                        uint64_t *middle) {
    const size_t n_classes = g->question->n_classes;
    size_t left, right;
    const double sum = count_classes(g, at, g->all);
    double *shares = g->tree->shares + at->node * n_classes;
    for (size_t c = 0; c < n_classes; c++)
        shares[c] = sum > 0 ? g->all[c] / sum : 0;
    *is_split = false;
    best->gain = LEAST_GAIN * g->total;
    best->feature = SIZE_MAX;
    for (size_t f = 0; f < g->question->features->n && at->depth < MOST_DEPTH; f++) {
        KAN_TRY(kan_check_cancel(g->run));
        try_feature(g, f, at, best);
    }
    if (best->feature == SIZE_MAX)
        return KAN_OK;
    KAN_TRY(write_cut(g, at, best));
    KAN_TRY(add_node(g, &left));
    KAN_TRY(add_node(g, &right));
    g->tree->nodes[at->node].left = left;
    *middle = part_rows(g, at);
    *is_split = true;
    return KAN_OK;
}

static kan_status grow(tree_grower *g, uint64_t n_rows, tree_cut *best) {
    open_node open[MOST_DEPTH + 2];
    size_t n_open = 1;
    KAN_TRY(add_node(g, &open[0].node));
    open[0] = (open_node){.node = 0, .first = 0, .end = n_rows, .depth = 0};
    while (n_open > 0) { /* the left side first, so that at most one more is open for each level */
        const open_node at = open[--n_open];
        bool is_split;
        uint64_t middle;
        KAN_TRY(split(g, &at, best, &is_split, &middle));
        if (!is_split)
            continue;
        const size_t left = g->tree->nodes[at.node].left;
        open[n_open++] = (open_node){left + 1, middle, at.end, at.depth + 1};
        open[n_open++] = (open_node){left, at.first, middle, at.depth + 1};
    }
    return KAN_OK;
}

static kan_status make_room(tree_grower *g, tree_cut *best) {
    const kan_features *features = g->question->features;
    size_t most = 1;
    for (size_t f = 0; f < features->n; f++)
        most = features->features[f].n_bins > most ? features->features[f].n_bins : most;
    KAN_TRY(kan_alloc(g->run, g->question->n_rows, sizeof *g->rows, &g->rows));
    KAN_TRY(kan_alloc(g->run, g->question->n_rows, sizeof *g->spare, &g->spare));
    KAN_TRY(kan_alloc(g->run, most * g->question->n_classes, sizeof *g->counts, &g->counts));
    KAN_TRY(kan_alloc(g->run, most, sizeof *g->n_in_bin, &g->n_in_bin));
    KAN_TRY(kan_alloc(g->run, most, sizeof *g->order, &g->order));
    KAN_TRY(kan_alloc(g->run, most, sizeof *best->order, &best->order));
    KAN_TRY(kan_alloc(g->run, g->question->n_classes, sizeof *g->left, &g->left));
    return kan_alloc(g->run, g->question->n_classes, sizeof *g->all, &g->all);
}

static kan_status grow_tree(tree_grower *g, tree_cut *best) {
    uint64_t n_rows = 0;
    KAN_TRY(make_room(g, best));
    for (uint64_t row = 0; row < g->question->n_rows; row++)
        if (g->question->weights[row] > 0) {
            g->rows[n_rows++] = row;
            g->total += g->question->weights[row];
        }
    g->least_rows = (uint64_t)((double)n_rows * LEAST_SHARE);
    g->least_rows = g->least_rows > LEAST_ROWS ? g->least_rows : LEAST_ROWS;
    return grow(g, n_rows, best);
}

kan_status kan_tree_grow(kan_run *run, const kan_tree_question *question, kan_tree *out) {
    kan_tree tree = {.run = run, .n_classes = question->n_classes};
    tree_grower g = {.run = run, .question = question, .tree = &tree};
    tree_cut best = {.order = NULL};
    const kan_status status = grow_tree(&g, &best);
    kan_free(run, g.rows);
    kan_free(run, g.spare);
    kan_free(run, g.counts);
    kan_free(run, g.n_in_bin);
    kan_free(run, g.order);
    kan_free(run, best.order);
    kan_free(run, g.left);
    kan_free(run, g.all);
    if (status == KAN_OK)
        *out = tree;
    else
        kan_tree_destroy(&tree);
    return status;
}

void kan_tree_destroy(kan_tree *tree) {
    if (!tree->run)
        return;
    kan_free(tree->run, tree->nodes);
    kan_free(tree->run, tree->shares);
    kan_free(tree->run, tree->goes_left);
    *tree = (kan_tree){.run = NULL};
}

const double *kan_tree_find(const kan_tree *tree, const kan_features *features, uint64_t row) {
    size_t at = 0;
    while (tree->nodes[at].feature != SIZE_MAX) {
        const kan_tree_node *node = &tree->nodes[at];
        const kan_feature *feature = &features->features[node->feature];
        const uint32_t bin =
            bins_of(feature, &feature->tested)[kan_seen_code(&feature->tested, row)];
        at = tree->goes_left[node->first_bin + bin] ? node->left : node->left + 1;
    }
    return tree->shares + at * tree->n_classes;
}

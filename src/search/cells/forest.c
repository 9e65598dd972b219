/* The forest of Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas and Zhu, Approximation
 * Algorithms for k-Anonymity (2005), section 4.
 *
 * Every tree of fewer than k rows has one row that points nowhere. It is made to point to the
 * nearest row outside of its tree. There is one among its k - 1 nearest, so that an edge costs no
 * more than that row gives up in any release: all edges together cost no more than the best one.
 * Then trees are divided (forest_divide.c), and each becomes a cluster, which gives up at most the
 * edges of its tree in every row. So the factor is the greatest number of rows of a tree,
 * max(2k - 1, 3k - 5): docs/papers/cell-suppression.md.
 *
 * Rows of one tuple are one tree from the start, and a tuple of k rows or more points nowhere.
 * Time: tuples of fewer than k rows, times all tuples, times attributes. Memory: a few words per
 * tuple, and per row of trees that are divided. */
#include <math.h>

#include "core/pool.h"
#include "search/cells/cells.h"
#include "search/cells/cells_inside.h"

/* A billion pairs take about ten seconds on one thread, with eight columns. */
#define MOST_PAIRS (UINT64_C(1) << 34)
enum { TASK_PLACES = 64 };

typedef struct {
    const kan_cell_tuples *tuples;
    kan_run *run;
    kan_cell_ruler *rulers; /* by worker */
    uint32_t *nearest;      /* by place: another one; of places of fewer than k rows */
    uint32_t *to;           /* by place: where it points; KAN_NO_VERTEX */
    double *weight;         /* by place: how far that is */
    /* Trees: the one of a place by its representative (union-find); members as a list. */
    uint32_t *up;
    uint64_t *n_rows;      /* by representative */
    uint32_t *open;        /* by representative: the place that points nowhere */
    uint32_t *next, *last; /* by place: another of the tree; by representative: the last */
    uint32_t *vertex_of;   /* by place: its first row, while its tree is divided */
} growing;

/* ---- growing --------------------------------------------------------------------------------- */

static uint32_t tree_of(growing *g, uint32_t place) {
    while (g->up[place] != place) {
        g->up[place] = g->up[g->up[place]];
        place = g->up[place];
    }
    return place;
}

/* The first of the nearest places that is not in the tree of `place`; its members are a list. */
static uint32_t find_nearest(const growing *g, kan_cell_ruler *ruler, uint32_t place,
                             uint32_t tree) {
    const size_t n = g->tuples->n;
    uint32_t best = KAN_NO_VERTEX;
    kan_cell_measure(ruler, place);
    for (uint32_t p = tree; p != KAN_NO_VERTEX; p = g->next[p])
        ruler->distance[p] = HUGE_VAL;
    for (size_t p = 0; p < n; p++)
        if (ruler->distance[p] < (best == KAN_NO_VERTEX ? HUGE_VAL : ruler->distance[best]))
            best = (uint32_t)p;
    return best;
}

/* While every place is a tree of its own. */
static kan_status find_first(void *context, size_t task, unsigned worker) {
    growing *g = context;
    const size_t first = task * TASK_PLACES;
    KAN_TRY(kan_check_cancel(g->run));
    kan_report_progress(g->run, "search", first, g->tuples->n);
    for (size_t p = first; p < g->tuples->n && p < first + TASK_PLACES; p++)
        if (g->tuples->rows[p] < g->tuples->least_size)
            g->nearest[p] = find_nearest(g, &g->rulers[worker], (uint32_t)p, (uint32_t)p);
    return KAN_OK;
}

static void join(growing *g, uint32_t tree, uint32_t other) {
    g->up[tree] = other;
    g->n_rows[other] += g->n_rows[tree];
    g->next[g->last[other]] = tree;
    g->last[other] = g->last[tree];
}

/* The place of a tree that points nowhere is made to; there are rows elsewhere. */
static void grow(growing *g, uint32_t tree) {
    const uint32_t from = g->open[tree];
    kan_cell_ruler *ruler = &g->rulers[0];
    uint32_t to = g->nearest[from];
    if (tree_of(g, to) == tree)
        to = find_nearest(g, ruler, from, tree);
    kan_cell_measure_some(ruler, from, &to, 1);
    g->to[from] = to;
    g->weight[from] = ruler->distance[0];
    join(g, tree, tree_of(g, to));
}

static kan_status grow_all(growing *g) {
    for (uint32_t p = 0; p < g->tuples->n; p++) {
        if (p % TASK_PLACES == 0)
            KAN_TRY(kan_check_cancel(g->run));
        for (uint32_t tree = tree_of(g, p); g->n_rows[tree] < g->tuples->least_size;
             tree = tree_of(g, p))
            grow(g, tree);
    }
    return KAN_OK;
}

/* ---- dividing -------------------------------------------------------------------------------- */

/* Rows of a tuple that need not be in its tree: they are as good by themselves. */
static uint64_t n_apart(const growing *g, uint32_t place) {
    const uint64_t rows = g->tuples->rows[place], k = g->tuples->least_size;
    return rows >= 2 * k ? rows - k : 0;
}

static kan_status add_cluster(const growing *g, kan_local_clusters *clusters, uint32_t place,
                              uint64_t n_rows) {
    size_t c;
    KAN_TRY(kan_local_clusters_add(clusters, &c));
    return kan_local_cluster_add(clusters, c, g->tuples->tuple[place], n_rows);
}

/* The rows of one tuple in the tree. */
static void add_vertices(growing *g, kan_row_trees *trees, uint32_t place) {
    const uint64_t n = g->tuples->rows[place] - n_apart(g, place);
    const uint32_t first = (uint32_t)trees->n;
    g->vertex_of[place] = first;
    for (uint64_t i = 0; i < n; i++) {
        trees->place[trees->n] = place;
        trees->parent[trees->n] = i == 0 ? KAN_NO_VERTEX : first;
        trees->weight[trees->n++] = 0;
    }
}

/* Members of a tree stand in the order in which they came; clusters are sets. */
static kan_status divide_tree(growing *g, kan_row_trees *trees, uint32_t tree) {
    uint64_t n = 0;
    if (g->next[tree] == KAN_NO_VERTEX)
        return add_cluster(g, trees->clusters, tree, g->tuples->rows[tree]);
    for (uint32_t p = tree; p != KAN_NO_VERTEX; p = g->next[p]) {
        n += g->tuples->rows[p] - n_apart(g, p);
        if (n_apart(g, p) > 0)
            KAN_TRY(add_cluster(g, trees->clusters, p, n_apart(g, p)));
    }
    KAN_TRY(kan_row_trees_begin(trees, n));
    for (uint32_t p = tree; p != KAN_NO_VERTEX; p = g->next[p])
        add_vertices(g, trees, p);
    for (uint32_t p = tree; p != KAN_NO_VERTEX; p = g->next[p])
        if (g->to[p] != KAN_NO_VERTEX) {
            trees->parent[g->vertex_of[p]] = g->vertex_of[g->to[p]];
            trees->weight[g->vertex_of[p]] = g->weight[p];
        }
    return kan_row_trees_divide(trees);
}

static kan_status divide_all(growing *g, kan_local_clusters *clusters) {
    kan_row_trees trees = {.tuples = g->tuples, .clusters = clusters};
    kan_status status = KAN_OK;
    for (uint32_t p = 0; p < g->tuples->n && status == KAN_OK; p++)
        if (tree_of(g, p) == p) {
            status = kan_check_cancel(g->run);
            if (status == KAN_OK)
                status = divide_tree(g, &trees, p);
        }
    kan_row_trees_destroy(&trees);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

static kan_status check_size(const growing *g) {
    char pairs[32], most[32];
    uint64_t n_small = 0;
    for (size_t p = 0; p < g->tuples->n; p++)
        n_small += g->tuples->rows[p] < g->tuples->least_size;
    if (n_small == 0 || g->tuples->n <= MOST_PAIRS / n_small)
        return KAN_OK;
    return kan_fail(g->run, KAN_BAD_INPUT,
                    "--algorithm forest compares every tuple of fewer than k rows with all others, "
                    "%s pairs here, and takes at most %s; use --algorithm top-down or progressive, "
                    "which do without, or make columns coarser first",
                    kan_count_text(n_small * g->tuples->n, pairs),
                    kan_count_text(MOST_PAIRS, most));
}

static kan_status begin(growing *g) {
    const size_t n = g->tuples->n;
    const unsigned n_workers = kan_run_threads(g->run);
    KAN_TRY(kan_alloc_zero(g->run, n_workers, sizeof *g->rulers, &g->rulers));
    for (unsigned i = 0; i < n_workers; i++)
        KAN_TRY(kan_cell_ruler_make(g->tuples, &g->rulers[i]));
    KAN_TRY(kan_alloc(g->run, n, sizeof *g->nearest, &g->nearest));
    KAN_TRY(kan_alloc(g->run, n, sizeof *g->to, &g->to));
    KAN_TRY(kan_alloc(g->run, n, sizeof *g->weight, &g->weight));
    KAN_TRY(kan_alloc(g->run, n, sizeof *g->up, &g->up));
    KAN_TRY(kan_alloc(g->run, n, sizeof *g->n_rows, &g->n_rows));
    KAN_TRY(kan_alloc(g->run, n, sizeof *g->open, &g->open));
    KAN_TRY(kan_alloc(g->run, n, sizeof *g->next, &g->next));
    KAN_TRY(kan_alloc(g->run, n, sizeof *g->last, &g->last));
    KAN_TRY(kan_alloc(g->run, n, sizeof *g->vertex_of, &g->vertex_of));
    for (uint32_t p = 0; p < n; p++) {
        g->to[p] = g->next[p] = KAN_NO_VERTEX;
        g->up[p] = g->open[p] = g->last[p] = p;
        g->n_rows[p] = g->tuples->rows[p];
    }
    return KAN_OK;
}

static void end(growing *g) {
    for (unsigned i = 0; g->rulers && i < kan_run_threads(g->run); i++)
        kan_cell_ruler_destroy(&g->rulers[i]);
    kan_free(g->run, g->rulers);
    kan_free(g->run, g->nearest);
    kan_free(g->run, g->to);
    kan_free(g->run, g->weight);
    kan_free(g->run, g->up);
    kan_free(g->run, g->n_rows);
    kan_free(g->run, g->open);
    kan_free(g->run, g->next);
    kan_free(g->run, g->last);
    kan_free(g->run, g->vertex_of);
}

static kan_status make_forest(const kan_cell_tuples *tuples, kan_local_clusters *clusters) {
    growing g = {.tuples = tuples, .run = tuples->space->run};
    kan_status status;
    KAN_TRY(check_size(&g));
    KAN_TRY_DONE(begin(&g));
    KAN_TRY_DONE(kan_parallel(g.run, (tuples->n + TASK_PLACES - 1) / TASK_PLACES, find_first, &g));
    KAN_TRY_DONE(grow_all(&g));
    KAN_TRY_DONE(divide_all(&g, clusters));
done:
    end(&g);
    return status;
}

static kan_status make_clusters(kan_local_clusters *clusters, const uint64_t *rows, bool passes) {
    kan_cell_tuples tuples;
    (void)passes; /* clusters that fail a model beyond k are joined later */
    kan_status status = kan_cell_tuples_make(clusters->space, rows, &tuples);
    if (status == KAN_OK)
        status = tuples.n_rows < tuples.least_size ? kan_cell_tuples_join(&tuples, clusters)
                                                   : make_forest(&tuples, clusters);
    kan_cell_tuples_destroy(&tuples);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    const kan_local_method method = {.make = make_clusters, .follows = KAN_FOLLOWS_CELLS};
    return kan_local_search(run, question, &method, out);
}

static const kan_option_spec options[] = {KAN_LOCAL_OPTIONS};

const kan_search_kind kan_search_forest = {
    .kind = {.name = "forest",
             .summary =
                 "joins near rows into trees of k or more, within a proven factor of the best",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Aggarwal et al. 2005, 4"},
    .models = {&kan_model_cell_generalization, &kan_model_cell_suppression},
    .costs = &kan_local_costs,
    .regions = true,
    .local = true,
    .divides = true,
    .is_anytime = true,
    .search = search,
};

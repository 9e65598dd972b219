/* Largest matching by augmenting paths.
 *
 * First each left node gives what it can, those with the fewest choices first; for hierarchies that
 * is nearly always all. Then, in rounds: a breadth-first search from every left node that still has
 * rows goes forward along any edge and back along edges in use; each right node with room that it
 * reaches ends a path along which rows can be moved. A round whose search reaches no room proves
 * that nothing more can be given. A round looks at each edge twice at most. */
#include "analyze/cover/match_flow.h"

#include <stdlib.h>

#define NO_EDGE SIZE_MAX
#define ROOT    (SIZE_MAX - 1) /* where a search begins */

typedef struct {
    kan_flow *flow;
    uint32_t *source;    /* by edge: its left node */
    size_t *into_start;  /* n_right + 1: the edges into a right node */
    size_t *into;        /* edges, by right node */
    size_t *left_by;     /* by left node: the edge by which the search came back to it */
    size_t *right_by;    /* by right node: the edge by which the search reached it */
    uint32_t *queue;     /* left nodes that were reached */
    uint32_t *free_ends; /* right nodes with room that were reached */
    uint64_t *work_left;
} solver;

static void solver_destroy(kan_run *run, solver *s) {
    kan_free(run, s->source);
    kan_free(run, s->into_start);
    kan_free(run, s->into);
    kan_free(run, s->left_by);
    kan_free(run, s->right_by);
    kan_free(run, s->queue);
    kan_free(run, s->free_ends);
}

static kan_status solver_create(kan_run *run, kan_flow *flow, uint64_t *work_left, solver *s) {
    size_t n_edges = flow->start[flow->n_left];
    s->flow = flow;
    s->work_left = work_left;
    KAN_TRY(kan_alloc(run, n_edges, sizeof *s->source, &s->source));
    KAN_TRY(kan_alloc_zero(run, flow->n_right + 2, sizeof *s->into_start, &s->into_start));
    KAN_TRY(kan_alloc(run, n_edges, sizeof *s->into, &s->into));
    KAN_TRY(kan_alloc(run, flow->n_left, sizeof *s->left_by, &s->left_by));
    KAN_TRY(kan_alloc(run, flow->n_right, sizeof *s->right_by, &s->right_by));
    KAN_TRY(kan_alloc(run, flow->n_left, sizeof *s->queue, &s->queue));
    KAN_TRY(kan_alloc(run, flow->n_right, sizeof *s->free_ends, &s->free_ends));
    /* Counts stand two places further on, so that filling in leaves each start in its own place. */
    for (size_t left = 0; left < flow->n_left; left++)
        for (size_t e = flow->start[left]; e < flow->start[left + 1]; e++) {
            s->source[e] = (uint32_t)left;
            s->into_start[flow->target[e] + 2]++;
        }
    for (size_t right = 0; right < flow->n_right; right++)
        s->into_start[right + 2] += s->into_start[right + 1];
    for (size_t e = 0; e < n_edges; e++)
        s->into[s->into_start[flow->target[e] + 1]++] = e;
    return KAN_OK;
}

static kan_status spend(kan_run *run, solver *s, size_t n_edges) {
    if (*s->work_left < n_edges)
        return kan_fail(run, KAN_FAILED,
                        "the rows of the release and of the original cannot be matched within "
                        "reasonable time; verify a release in the order of the original's rows");
    *s->work_left -= n_edges;
    return kan_check_cancel(run);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ---- the first guess ------------------------------------------------------------------------ */

typedef struct {
    size_t n_edges;
    uint32_t left;
} choice;

static int compare_choices(const void *a, const void *b) {
    const choice *x = a, *y = b;
    if (x->n_edges != y->n_edges)
        return x->n_edges < y->n_edges ? -1 : 1;
    return x->left < y->left ? -1 : x->left > y->left;
}

static kan_status give_greedily(kan_run *run, solver *s) {
    kan_flow *flow = s->flow;
    choice *order;
    KAN_TRY(spend(run, s, flow->start[flow->n_left]));
    KAN_TRY(kan_alloc(run, flow->n_left, sizeof *order, &order));
    for (size_t left = 0; left < flow->n_left; left++)
        order[left] = (choice){flow->start[left + 1] - flow->start[left], (uint32_t)left};
    if (flow->n_left > 0)
        qsort(order, flow->n_left, sizeof *order, compare_choices);
    for (size_t i = 0; i < flow->n_left; i++) {
        uint32_t left = order[i].left;
        for (size_t e = flow->start[left]; e < flow->start[left + 1] && flow->supply[left]; e++) {
            uint64_t rows = least(flow->supply[left], flow->room[flow->target[e]]);
            flow->given[e] += rows;
            flow->supply[left] -= rows;
            flow->room[flow->target[e]] -= rows;
        }
    }
    kan_free(run, order);
    return KAN_OK;
}

/* ---- augmenting paths ----------------------------------------------------------------------- */

/* Continues from a right node to all that give to it: they could give elsewhere instead. */
static kan_status go_back(kan_run *run, solver *s, uint32_t right, size_t *n_queue) {
    size_t first = s->into_start[right], end = s->into_start[right + 1];
    KAN_TRY(spend(run, s, end - first));
    for (size_t i = first; i < end; i++) {
        size_t e = s->into[i];
        if (s->flow->given[e] > 0 && s->left_by[s->source[e]] == NO_EDGE) {
            s->left_by[s->source[e]] = e;
            s->queue[(*n_queue)++] = s->source[e];
        }
    }
    return KAN_OK;
}

/* Gives the number of right nodes with room that can be reached. */
static kan_status find_free_ends(kan_run *run, solver *s, size_t *n_free) {
    kan_flow *flow = s->flow;
    size_t n_queue = 0;
    *n_free = 0;
    for (size_t right = 0; right < flow->n_right; right++)
        s->right_by[right] = NO_EDGE;
    for (size_t left = 0; left < flow->n_left; left++) {
        s->left_by[left] = flow->supply[left] > 0 ? ROOT : NO_EDGE;
        if (flow->supply[left] > 0)
            s->queue[n_queue++] = (uint32_t)left;
    }
    for (size_t at = 0; at < n_queue; at++) {
        uint32_t left = s->queue[at];
        KAN_TRY(spend(run, s, flow->start[left + 1] - flow->start[left]));
        for (size_t e = flow->start[left]; e < flow->start[left + 1]; e++) {
            uint32_t right = flow->target[e];
            if (s->right_by[right] != NO_EDGE)
                continue;
            s->right_by[right] = e;
            if (flow->room[right] > 0)
                s->free_ends[(*n_free)++] = right;
            KAN_TRY(go_back(run, s, right, &n_queue));
        }
    }
    return KAN_OK;
}

/* Moves rows along the path that ends at a right node: as many as every step of it allows now, none
 * when an earlier path of the round has used one up. */
static void augment(solver *s, uint32_t end) {
    kan_flow *flow = s->flow;
    uint64_t rows = flow->room[end];
    uint32_t left = s->source[s->right_by[end]];
    while (s->left_by[left] != ROOT) {
        size_t back = s->left_by[left];
        rows = least(rows, flow->given[back]);
        left = s->source[s->right_by[flow->target[back]]];
    }
    rows = least(rows, flow->supply[left]);
    flow->supply[left] -= rows;
    flow->room[end] -= rows;
    for (uint32_t right = end;;) {
        size_t forth = s->right_by[right], back = s->left_by[s->source[forth]];
        flow->given[forth] += rows;
        if (back == ROOT)
            break;
        flow->given[back] -= rows;
        right = flow->target[back];
    }
}

kan_status kan_flow_solve(kan_run *run, kan_flow *flow, uint64_t *work_left) {
    solver s = {0};
    size_t n_free;
    kan_status status;
    KAN_TRY_DONE(solver_create(run, flow, work_left, &s));
    KAN_TRY_DONE(give_greedily(run, &s));
    for (;;) {
        KAN_TRY_DONE(find_free_ends(run, &s, &n_free));
        if (n_free == 0)
            break;
        for (size_t i = 0; i < n_free; i++)
            augment(&s, s.free_ends[i]);
    }
done:
    solver_destroy(run, &s);
    return status;
}

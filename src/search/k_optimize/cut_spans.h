/* The spans of the axis at a node of the branch and bound, and the shortest path over them.
 *
 * Every span has a lower bound of what its rows cost; it never falls on the way down the tree. A
 * bound is worked out only when it is needed: a span whose node was made by earlier decisions, or
 * that has none, keeps the bound that it had. The shortest path is looked for with what is known;
 * the spans on it are brought up to date, and so on until a shortest path has only such spans.
 *
 * By classification a span says little about its neighbours, and all of them would have to be
 * brought up to date: there a sweep (cut_sweep.h) begins, with a bound for each. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_SPANS_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_SPANS_H

#include "search/k_optimize/cut_axis.h"
#include "search/k_optimize/cut_node.h"
#include "search/k_optimize/cut_sweep.h"

/* More than any cost: impossible. Twice as much can still be counted. */
#define KAN_CUT_NEVER (UINT64_MAX / 2)

typedef struct kan_cut_span {
    uint64_t lower;  /* nothing costs less */
    uint64_t n_lost; /* and so many rows are lost at least */
    kan_cut_node *node;
    unsigned n_decided; /* how many decisions were taken when the node was true */
    uint64_t beside;    /* node->either, with what was decided since in place of what may be */
} kan_cut_span;

/* A path: by its places the place before; from the last one on to 0. */
typedef struct kan_cut_path {
    uint16_t before[KAN_CUT_MOST_PLACES + 1];
} kan_cut_path;

/* What if an open choice were decided? KAN_CUT_OPEN: it is not. */
typedef struct kan_cut_assumption {
    unsigned choice;
    kan_cut_decision decision;
} kan_cut_assumption;

enum { KAN_CUT_MOST_PATHS = 48 };

typedef struct kan_cut_spans {
    kan_cut_maker *maker;
    const kan_cut_axis *axis;
    uint64_t best;      /* only what costs less is of interest */
    unsigned n_decided; /* decisions taken by now */
    kan_cut_span *spans;
    uint64_t *distance, *reach; /* scratch, by place; the latter by rows lost, too */
    uint16_t *reach_before;
    kan_stack_mark base; /* of the maker's stack: nodes lie above it */
    size_t most_taken;   /* bytes there: beyond, nodes are forgotten, and their bounds kept */
    bool is_stopped;     /* the run has to stop: nothing more is brought up to date */
    bool sweeps;
    kan_cut_sweep sweep;
    uint64_t *ahead; /* scratch, by place: the shortest way to the end */
    /* Paths below the best: of now, or, after a sweep, as far as an if was followed. */
    unsigned n_paths;
    kan_cut_path *paths;
} kan_cut_spans;

/* Scratch of one thread; `spans` is the node's. */
KAN_MUST_USE kan_status kan_cut_spans_create(kan_cut_maker *maker, const kan_cut_axis *axis,
                                             kan_arena *arena, kan_cut_spans *out);
/* Bounds that the number of rows gives. `places` has the decision for each place of the axis. */
void kan_cut_spans_begin(kan_cut_spans *spans, const uint8_t *places);
/* A decision for a place of the axis: spans that it makes impossible. */
void kan_cut_spans_decide(kan_cut_spans *spans, uint32_t place, kan_cut_decision decision);

/* By classification: a rough bound for every span, by the decisions of now. It takes as long as
 * working out several of them, and later decisions of the same node change little about it: once
 * per node is enough. */
void kan_cut_spans_sweep(kan_cut_spans *spans);
/* The shortest path whose spans are all up to date, and its length; or some length that is not
 * below the best, and then the path is none. When it is stopped, a length that holds, and no path.
 */
KAN_MUST_USE kan_status kan_cut_spans_bound(kan_cut_spans *spans, kan_cut_path *path,
                                            uint64_t *out);
/* Whether nothing better is left when a choice is decided so. Exact for the bounds there are,
 * unless memory is full, it is stopped, or a sweep has to do: then it may be false where it could
 * be true. */
KAN_MUST_USE kan_status kan_cut_spans_excludes(kan_cut_spans *spans, kan_cut_assumption what,
                                               bool *out);
/* A bound for that from what is known already. */
uint64_t kan_cut_spans_known(kan_cut_spans *spans, kan_cut_assumption what);
/* What the decisions of the trail say about spans whose nodes were made before them. */
void kan_cut_spans_presume(kan_cut_spans *spans, const uint32_t *trail);

static inline const kan_cut_span *kan_cut_span_before(const kan_cut_spans *spans,
                                                      const kan_cut_path *path, uint32_t place) {
    return &spans->spans[kan_cut_span_at(path->before[place], place)];
}

#endif

/* The search of all subsets of the attributes, smallest first: the loop of Incognito's Figure 8.
 *
 * For each size of subset: make the candidates of each subset from the survivors of the size before
 * (candidates.h), search their graph (graph_search.h), keep the survivors. The survivors of the set
 * of all attributes are the answer. The variants of Incognito differ in one thing, where the
 * frequency set of a node may come from; a supply says that.
 *
 * Order of calls: create; what the supply needs; run; destroy. */
#ifndef KANON_SEARCH_INCOGNITO_SUBSET_SEARCH_H
#define KANON_SEARCH_INCOGNITO_SUBSET_SEARCH_H

#include "group/freqsets/freqsets.h"
#include "search/incognito/candidates.h"
#include "search/incognito/graph_search.h"
#include "search/levels/levels.h"

/* Where a frequency set comes from. */
typedef enum kan_origin { KAN_FROM_BASE, KAN_FROM_SET, KAN_FROM_CUBE } kan_origin;

/* The sets that nodes can be rolled up from, beside the base and those of their failing parents. */
typedef struct kan_supply {
    void *context;
    /* Before a graph is searched by that worker; NULL: nothing to do. */
    kan_status (*begin)(void *context, unsigned worker, const kan_candidates *graph);
    /* The smallest set at hand for a node of that graph; NULL when there is none, and the member
     * NULL when there never is. `levels` are those of the graph's attributes. */
    const kan_freqset *(*find)(void *context, unsigned worker, const kan_candidates *graph,
                               size_t node, const unsigned *levels, kan_origin *origin);
} kan_supply;

typedef enum kan_sight { KAN_SEEN_PASS, KAN_SEEN_FAIL, KAN_SEEN_MARK } kan_sight;

/* Watches a search step by step; with one thread the steps come in order. */
typedef struct kan_observer {
    void *context;
    /* The n attributes as the problem numbers them; where a check took its set from. */
    void (*see)(void *context, kan_sight sight, unsigned n, const unsigned *attributes,
                const unsigned *levels, kan_origin origin);
} kan_observer;

/* What a thread needs. */
typedef struct kan_subset_worker {
    unsigned index;
    kan_workspace *workspace;
    kan_sizes sizes;
    kan_judge judge;
    kan_graph_walk walk;
    uint64_t n_checked;
    kan_effort effort;
} kan_subset_worker;

typedef struct kan_subset_search {
    kan_run *run;
    const kan_question *question;
    const kan_space *space;
    kan_lattice lattice;                    /* of the attributes in the order of places */
    unsigned order[KAN_MAX_ATTRIBUTES];     /* the attribute at each place */
    unsigned n_tails, tails[KAN_MAX_TAILS]; /* dimensions that the promise looks at */
    kan_freqset base;                       /* the attributes in that order, then the tails */
    bool is_literal;                        /* marking.h */
    uint64_t keep_bytes; /* of the sets that one graph keeps: the same for any number of threads */
    unsigned n_workers;
    kan_subset_worker *workers;
    const kan_supply *supply;
    const kan_observer *observer;
    _Atomic uint64_t n_done; /* nodes of all subsets that are settled */
    uint64_t n_known;
} kan_subset_search;

/* Refuses, with a text, more attributes or nodes than can be looked at. */
KAN_MUST_USE kan_status kan_subset_search_create(kan_run *run, const kan_question *question,
                                                 kan_subset_search **out);
void kan_subset_search_destroy(kan_subset_search *search);
/* Once. `supply` may be all NULL; `observer` may be NULL. */
KAN_MUST_USE kan_status kan_subset_search_run(kan_subset_search *search, const kan_supply *supply,
                                              const kan_observer *observer, kan_answer *out);

/* Runs tasks on the workers: on all threads, or on this one where there is one worker. */
KAN_MUST_USE kan_status kan_subset_parallel(kan_subset_search *search, size_t n_tasks,
                                            kan_task_fn task, void *context);

/* The layout of a subset's node: its attributes in the order of places, then the tails. */
void kan_subset_layout(const kan_subset_search *search, unsigned n, const unsigned *places,
                       const unsigned *levels, kan_layout *out);
/* Regroups, and counts the effort. */
KAN_MUST_USE kan_status kan_subset_regroup(const kan_subset_search *search,
                                           kan_subset_worker *worker, const kan_freqset *from,
                                           kan_origin origin, const kan_layout *to,
                                           kan_freqset *out);
void kan_subset_count(kan_subset_worker *worker, const kan_freqset *from, kan_origin origin);

/* A copy of exactly the size that is needed, in one block: kan_free releases it. */
KAN_MUST_USE kan_status kan_freqset_keep(kan_run *run, const kan_freqset *set, kan_freqset **out);
/* Bytes of it. */
uint64_t kan_freqset_bytes(const kan_freqset *set);

#endif

/* Searches: a question goes in, an answer comes out. A search never touches a row; it merges base
 * tuples. One file per search; no search includes another.
 *
 * Searches that work alike share a room, a folder below this one, and each room has a door, the
 * header of its name:
 *
 *   levels/levels.h          one level per attribute: the lattice and what walks it
 *   incognito/incognito.h    the same, subset of attributes by subset (on top of levels)
 *   counted/counted.h        both where frequency sets stay elsewhere (on top of incognito)
 *   cuts/cuts.h              ordered domains cut into intervals, by trial
 *   k_optimize/k_optimize.h  the same, with proof that nothing is better (on top of cuts)
 *   set_enum/set_enum.h      the same, as the paper of k-optimize has it (on top of cuts)
 *   regions/regions.h        the space of tuples cut into regions
 *   microaggregate/microaggregate.h  near rows in groups of k (on top of regions)
 *   local/local.h            every row at nodes of its own (on top of levels)
 *   cells/cells.h            the same within a proven factor of the best (on top of local)
 *   maps/maps.h              every value, or every distinct tuple, at nodes of its own
 *
 * This header is what they share, and all that a caller of a search needs. The folder may touch
 * core, data, group, privacy, cost and recode. */
#ifndef KANON_SEARCH_SEARCH_H
#define KANON_SEARCH_SEARCH_H

#include "cost/cost.h"
#include "group/freqsets/freqsets.h"
#include "privacy/privacy.h"
#include "recode/models.h"
#include "recode/recoding.h"
#include "search/proof.h"

/* A query of a workload, as the box of places that it selects. */
typedef struct kan_query_box {
    double weight;
    uint32_t first[KAN_MAX_ATTRIBUTES], last[KAN_MAX_ATTRIBUTES]; /* places; last included */
} kan_query_box;

/* What a release is made for, where cuts are to follow the outcome: the class of the problem. */
typedef struct kan_purpose {
    bool is_used[KAN_MAX_ATTRIBUTES]; /* attributes that the model uses */
    /* By code of the class: the number that it is, in whole steps from the least to the greatest, so few
     * that those of all rows add up to less than 2^63; KAN_PURPOSE_UNKNOWN: none. NULL: the outcome is a
     * category, and missing values are one. */
    const uint32_t *steps;
} kan_purpose;

#define KAN_PURPOSE_UNKNOWN UINT32_MAX
enum { KAN_PURPOSE_STEPS = 1 << 30 }; /* the greatest number, at most */

typedef struct kan_question {
    const kan_problem *problem;
    const kan_promise *promise;
    const kan_objective *objective;
    const kan_options *options;
    const kan_recoding_kind *model; /* what it is to make, of its models; NULL: its own */
    /* The best node must release at least one row. Otherwise one that suppresses every row, within
     * the limit, satisfies the promise, too, as the definition says. */
    bool wants_release;
    bool wants_costs;   /* every cost is measured, not that of the objective alone */
    bool wants_all;     /* the solution space too, not the best node alone */
    bool wants_failing; /* with wants_all: the maximal failing nodes as well */
    size_t n_wanted;    /* with wants_all: list so many satisfying nodes, the first ones */
    /* Searches that cut: cuts that are known and may be good, or NULL. They need not be within the
     * limit, nor what the recoding allows. Searches that begin with levels: the best ones, or NULL
     * where there are none. */
    const kan_recoding *seed;
    /* Searches that begin with levels: cuts of whole subtrees that are good, too, or NULL. */
    const kan_recoding *subtrees;
    uint64_t most_steps; /* searches for levels that prove where they can: how many to make at most;
                            0: the default; UINT64_MAX: on to the proof */
    uint64_t most_work;  /* k-optimize: tuples that its proof may look at; 0: all */
    /* Searches that prove: what an earlier run has proven, or NULL; and whether what this one
     * proves is wanted, so that another can go on. */
    const kan_proof *proof;
    bool wants_proof;
    /* Called now and then with what is proven so far, where a proof is wanted; or NULL. */
    kan_status (*keep_proof)(void *context, const kan_proof *proof);
    void *keep_context;
    /* Local searches: rows that differ in this dimension of the problem are never together. What shows the
     * same is of one group all the same. */
    bool keeps_apart;
    unsigned apart;
    /* Searches over regions: the queries that the release is to answer well. */
    const kan_query_box *queries;
    size_t n_queries;
    const kan_purpose *purpose; /* those that `follows_outcome`: NULL: there is none */
} kan_question;

/* What a search did to find its answer. */
typedef struct kan_effort {
    uint64_t n_scans;    /* frequency sets, or group sizes, made from the base */
    uint64_t n_rollups;  /* from another frequency set */
    uint64_t n_cube;     /* taken from a cube, or rolled up from a set of it */
    uint64_t n_measured; /* made only to find the best of the nodes that were found */
    uint64_t n_tuples;   /* tuples looked at for all of these */
} kan_effort;

/* A moment of a search that gets better with time. */
typedef struct kan_moment {
    double seconds;    /* since the search began */
    uint64_t n_states; /* looked at by then */
    bool is_found;
    double cost, bound; /* the best so far (when is_found); what nothing costs less than */
} kan_moment;

typedef struct kan_answer {
    bool is_found; /* some node satisfies the promise; the members below hold then */
    kan_recoding recoding;
    kan_score score;
    /* Proven best by the objective, and for levels by the fixed order of ties; of equally cheap cut
     * sets it is one that was met early, the same on any number of threads. */
    bool is_optimal;
    double bound; /* no node costs less */

    /* Searches that make the sum of squares as small as they can, whatever the cost is. */
    bool has_squares;
    double squares_gap; /* by which share of it other groups could be better at most; 0: none are */

    /* The solution space, for full-domain searches. */
    uint64_t n_nodes, n_checked;
    bool is_out_of_steps; /* that ended it, without a proof */
    uint64_t n_steps; /* as many give the same answer again; 0: the search does not count them */
    kan_effort effort;
    bool is_complete;     /* all nodes that satisfy the promise were found */
    uint64_t n_anonymous; /* when is_complete */
    /* When is_complete: level vectors, sorted; the caller's (kan_answer_destroy). */
    size_t n_minimal, n_failing, n_satisfying;
    uint8_t *satisfying; /* when wanted: the first n_satisfying nodes that satisfy */
    uint8_t *minimal;    /* nodes that satisfy, with no satisfying node below them */
    uint8_t *failing;    /* when wanted: nodes that fail, with no failing node above them */

    /* Searches that cut: how the answer got better; the caller's. n_checked is the number of
     * states, n_nodes is 0: there are 2 to the power of n_cuts. */
    unsigned n_cuts;
    size_t n_moments;
    kan_moment *moments;
    kan_proof proof; /* when it was wanted; the caller's */

    /* When nothing was found: the fewest rows that would have to be suppressed. */
    uint64_t least_suppressed;
} kan_answer;

enum { KAN_SEARCH_MODELS = 4 };

/* Which costs a search without levels takes, and why no others. */
typedef struct kan_search_costs {
    unsigned shapes; /* bits, 1u << kan_cost_shape; 0: any */
    const char *why; /* "--cost NAME" and this is the message: the reason, then the remedy */
} kan_search_costs;

/* Where frequency sets may stay elsewhere, who walks in its place (counted/counted.h). */
typedef enum kan_search_counting {
    KAN_COUNTING_NONE, /* it needs the tuples */
    KAN_COUNTING_BOXES,
    KAN_COUNTING_SCANS, /* subsets of attributes; where the set of a root comes from */
    KAN_COUNTING_SUPERROOTS,
    KAN_COUNTING_CUBE
} kan_search_counting;

typedef struct kan_search_kind {
    kan_kind kind;
    /* The recoding models that it can make; the first is what it makes unless it is told otherwise.
     * NULL ends the list. */
    const kan_recoding_kind *models[KAN_SEARCH_MODELS];
    /* NULL: it chooses levels, and takes every cost. Others take none that measures levels. */
    const kan_search_costs *costs;
    kan_search_counting counting;
    /* It prunes: only promises that generalizing never breaks (kan_promise_is_monotone). */
    bool needs_monotone;
    bool finds_all;  /* complete whenever it is asked for the solution space */
    bool finds_best; /* its answer is the optimum, by any cost that it takes */
    bool cuts;       /* it cuts ordered domains (kan_problem.domains) instead of choosing levels */
    bool regions;    /* it cuts the space of tuples into regions; needs kan_problem.domains too */
    bool local; /* with `regions`: cells are nodes of the hierarchies as the user gave them, rows
                   may be left out, and nothing is needed but the folded base */
    /* With a person (kan_problem.has_person) its groups are those of people. Whoever chooses levels
     * does so anyway. */
    bool counts_people;
    bool counts_histories; /* and what all rows of a person show together; cuts do so anyway */
    bool
        counts_pasts; /* with pasts (kan_problem.has_pasts) each part of its groups keeps the promise; whoever
                          chooses levels does so anyway */
    bool follows_outcome; /* it cuts where the outcome differs (kan_question.purpose) */
    bool ignores_weights; /* what it finds does not depend on the weights of columns */
    bool divides;         /* rows with the same values may come to show different ones */
    bool one_column;      /* it takes one quasi-identifier; several by themselves alone */
    /* The question's seed is to be the best full-domain recoding, beside good subtrees: its own
     * contain both. */
    bool begins_with_levels;
    bool counts_steps; /* kan_question.most_steps ends it, with its best so far */
    bool is_anytime;   /* Ctrl-C and the time limit make it return its best so far */
    /* `out` is all 0 before, and is destroyed also when this fails. */
    kan_status (*search)(kan_run *run, const kan_question *question, kan_answer *out);
} kan_search_kind;

void kan_answer_destroy(kan_run *run, kan_answer *answer);

/* Whether a search can make the model. */
bool kan_search_makes(const kan_search_kind *kind, const kan_recoding_kind *model);

/* The one rule of which costs searches take; NULL takes all. */
bool kan_costs_take(const kan_search_costs *costs, const kan_cost_kind *cost);
/* KAN_BAD_INPUT, with the reason, where they do not. A search asks before it begins. */
KAN_MUST_USE kan_status kan_costs_check(kan_run *run, const kan_search_costs *costs,
                                        const kan_cost_kind *cost);

/* The base as a full-domain search wants it: the attributes in the order order[0..n_attributes-1],
 * at the lowest levels that may be chosen, then the tails that the promise or the cost looks at. */
KAN_MUST_USE kan_status kan_question_base(const kan_question *question, const unsigned *order,
                                          kan_workspace *workspace, kan_freqset *out);

#endif

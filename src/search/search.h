/* Searches: a question goes in, an answer comes out. A search never touches a row; it merges base
 * tuples. One file per search; no search includes another. */
#ifndef KANON_SEARCH_SEARCH_H
#define KANON_SEARCH_SEARCH_H

#include "cost/cost.h"
#include "privacy/privacy.h"
#include "recode/recoding.h"

typedef struct kan_question {
    const kan_problem *problem;
    const kan_promise *promise;
    const kan_objective *objective;
    const kan_options *options;
    bool wants_release; /* the best node must release at least one row */
} kan_question;

typedef struct kan_answer {
    bool is_found; /* some node satisfies the promise; the members below hold then */
    kan_recoding recoding;
    kan_score score;
    bool is_optimal; /* proven best by the objective and the fixed order of ties */
    double bound;    /* no node costs less */

    /* The solution space, for full-domain searches. */
    uint64_t n_nodes, n_checked;
    bool is_complete;     /* all nodes that satisfy the promise were found */
    uint64_t n_anonymous; /* when is_complete */
    size_t n_minimal;
    uint8_t *minimal; /* n_minimal level vectors, sorted; the caller's (kan_free) */

    /* When nothing was found: the fewest rows that would have to be suppressed. */
    uint64_t least_suppressed;
} kan_answer;

typedef struct kan_search_kind {
    kan_kind kind;
    const char *paper; /* section of the paper that describes it */
    kan_status (*search)(kan_run *run, const kan_question *question, kan_answer *out);
} kan_search_kind;

extern const kan_search_kind kan_search_exhaustive;

#endif

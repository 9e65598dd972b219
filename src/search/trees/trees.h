/* The door of search/trees: levels for tables that belong together, one for each attribute over all
 * of them, so that at least k people have the same tree (group/kin).
 *
 * Best first, by branch and bound. A box is all nodes between two. People whose tree fewer than k have
 * at the top of a box are alone at every node of it, so that a box whose top leaves out too many is
 * empty; a row that is left out at the top is left out everywhere below, and any other costs at least
 * what it does at the bottom: that bounds the box. docs/papers/tables.md has the proofs. Costs are
 * compared as whole numbers. One thread: the answer is the same on any machine.
 *
 * Models of sensitive values are held against the parts of each table, and a class of people fails as a
 * whole. k and distinct l fail at every node below where they do, so that they bound boxes; the others
 * decide at the nodes that are looked at, and nothing follows from them.
 *
 * Where groups of every table are promised, and no trees, people leave who have a row in a group of fewer
 * than k: on the way down they only become more, too, and all else is the same.
 *
 * May touch group/kin and privacy. */
#ifndef KANON_SEARCH_TREES_TREES_H
#define KANON_SEARCH_TREES_TREES_H

#include "data/table.h"
#include "group/kin/kin.h"
#include "privacy/privacy.h"

typedef struct kan_trees_question {
    const kan_kin *kin; /* folded at `lowest`, or not at all */
    uint64_t k;
    kan_kin_heads *heads; /* k people in each group of every table, and no trees; NULL: trees */
    kan_kin_parts *parts; /* of the same items; NULL: no model looks at values */
    const kan_promise *promises[KAN_KIN_TABLES]; /* by table; NULL: none looks at its values */
    uint64_t limit; /* people who may be left out, unless a table would have no row any more */
    unsigned lowest[KAN_MAX_ATTRIBUTES], highest[KAN_MAX_ATTRIBUTES];
    uint64_t most_steps; /* nodes that are looked at, at most */
} kan_trees_question;

typedef struct kan_trees_answer {
    bool is_found;
    bool
        is_proven; /* where nothing was found: no node is within the limit and has rows in all tables */
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_u128 cost, bound; /* nothing costs less than the bound */
    uint64_t n_left; /* people; where nothing was found, those whom the highest node leaves out */
    uint64_t n_checked; /* nodes */
} kan_trees_answer;

/* The best node: the least cost; of those the one with the least sum of levels, and the first of these.
 * An interrupt or a time limit ends it as most_steps does. */
KAN_MUST_USE kan_status kan_trees_search(kan_run *run, const kan_trees_question *question,
                                         kan_trees_answer *out);
/* Who leaves at a node: is_left by item of table 0, and how many people these are. */
KAN_MUST_USE kan_status kan_trees_leave(kan_run *run, const kan_trees_question *question,
                                        const unsigned *levels, uint8_t *is_left, uint64_t *n_left);

#endif

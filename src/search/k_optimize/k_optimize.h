/* The room of k-optimize: the best set of cuts, with proof.
 *
 * Branch and bound over sets of choices. The tree is in cut_tree.h, its nodes in cut_node.h, and
 * the classes of rows that a node divides the table into, with what they say about every open
 * choice, in cut_class.h. Threads work in waves (cut_waves.h); a proof can be kept and taken up
 * again (cut_proof.h). The proofs of the bounds are in docs/papers/k-optimize.md. The room may
 * touch what src/search may, and the door of cuts. Other rooms use nothing of it. */
#ifndef KANON_SEARCH_K_OPTIMIZE_K_OPTIMIZE_H
#define KANON_SEARCH_K_OPTIMIZE_K_OPTIMIZE_H

#include "search/search.h"

extern const kan_search_kind kan_search_k_optimize;

#endif

/* The largest matching between two sides with capacities. For src/analyze alone.
 *
 * Left nodes have rows to give away, right nodes have room for rows, edges say who may give to
 * whom. Which rows of a node go where makes no difference, so only numbers flow. */
#ifndef KANON_ANALYZE_COVER_MATCH_FLOW_H
#define KANON_ANALYZE_COVER_MATCH_FLOW_H

#include "core/memory.h"

typedef struct kan_flow {
    size_t n_left, n_right;
    uint64_t *supply; /* by left node: rows that are not given away yet */
    uint64_t *room;   /* by right node: rows that it can still take */
    size_t *start;    /* n_left + 1: the edges of a left node */
    uint32_t *target; /* by edge: a right node, each at most once for a left one */
    uint64_t *given;  /* by edge: rows that flow along it; all 0 at the beginning */
} kan_flow;

/* Gives away as many rows as can be given; what is left in `supply` then cannot be, in whatever way
 * the rest is matched. Every edge that is looked at costs one of *work_left; KAN_FAILED when none
 * is left. */
KAN_MUST_USE kan_status kan_flow_solve(kan_run *run, kan_flow *flow, uint64_t *work_left);

#endif

/* Newcomers who are hidden (--attacker knows-if). Somebody who knows who is in the new release, and nothing of who
 * was in earlier ones, cannot tell a newcomer from people who were there before and are in her group, where each of
 * their earlier groups would take her in as well. So a newcomer stays in a group though fewer than k are new in it
 * with her, when the people of one past who stay there cover her (docs/papers/over-time.md). */
#ifndef KANON_SEARCH_NEWCOMERS_H
#define KANON_SEARCH_NEWCOMERS_H

#include "group/head_count.h"

typedef struct kan_newcomers {
    const kan_problem *problem;
    size_t *met;       /* by past: the group in which it was met last, from 1 */
    uint32_t *pasts;   /* of the people who stay in the group in hand */
    uint64_t n_hidden; /* who stay for that */
} kan_newcomers;

static inline void kan_newcomers_init(kan_newcomers *newcomers, const kan_problem *problem) {
    *newcomers = (kan_newcomers){.problem = problem};
}
void kan_newcomers_destroy(kan_newcomers *newcomers);

/* When all others are known to stay or to be gone: newcomers who are gone and hidden stay. */
KAN_MUST_USE kan_status kan_newcomers_stay(kan_newcomers *newcomers, const kan_head_count *heads,
                                           uint8_t *is_gone);

#endif

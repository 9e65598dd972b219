/* --ledger: what the release is together with earlier ones. What it tells of people who are not in the release
 * is for whoever has the ledger: the JSON result and notes, and neither summary nor report. */
#ifndef KANON_JOB_OUTCOME_OUTCOME_LEDGER_H
#define KANON_JOB_OUTCOME_OUTCOME_LEDGER_H

#include <jansson.h>

#include "job/solution/solution.h"

typedef struct kan_ledger_figures {
    size_t n_earlier;
    uint64_t smallest; /* people of the smallest part of a released group; 0: nothing is released */
    /* Of k or more who were together in all earlier releases 1 to k - 1 are not in this one: how often, and how
     * many people these are. And who was together with fewer than k before: no release can help them. */
    uint64_t n_cells, n_leavers, n_stranded;
    uint64_t n_hidden;   /* --attacker knows-if: newcomers who stay with fewer than k of them */
    uint64_t n_repaired; /* --leavers repair: who left so that those who are out are k */
} kan_ledger_figures;

KAN_MUST_USE kan_status kan_ledger_measure(const kan_solution *solution, kan_ledger_figures *out);
/* KAN_UNSATISFIED where there are leavers, and --leavers refuse. */
KAN_MUST_USE kan_status kan_ledger_check(const kan_solution *solution);
/* null without --ledger. */
json_t *kan_ledger_json(const kan_setup *setup, const kan_ledger_figures *figures);
/* Notes of what nobody else should know. */
void kan_ledger_tell(const kan_setup *setup, const kan_ledger_figures *figures);
/* A line of the summary; `lead` is what a line without a name begins with. */
void kan_ledger_add(const kan_setup *setup, const char *lead, kan_text *text);

#endif

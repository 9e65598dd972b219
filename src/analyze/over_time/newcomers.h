/* Newcomers who are hidden by people who were there before: see over_time.h. For src/analyze/over_time alone. */
#ifndef KANON_ANALYZE_OVER_TIME_NEWCOMERS_H
#define KANON_ANALYZE_OVER_TIME_NEWCOMERS_H

#include "analyze/over_time/over_time.h"

typedef struct kan_newcomers_question {
    const kan_over_time_question *over_time;
    const uint32_t
        *trace_of; /* by row of the release: 0 is a newcomer's, else a tuple of `traces` + 1 */
    const kan_tuples *traces; /* the group of each earlier release, 0 for none, from the first on */
} kan_newcomers_question;

/* is_aside[row] = 1 for the newcomers of each group of which all are hidden by a cell of k people. */
KAN_MUST_USE kan_status kan_over_time_set_aside(kan_run *run,
                                                const kan_newcomers_question *question,
                                                uint8_t *is_aside, uint64_t *n_aside);

#endif

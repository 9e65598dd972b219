/* Where a person may have several rows: how many people somebody cannot be told from, person by
 * person, and the risk that follows. */
#ifndef KANON_JOB_OUTCOME_OUTCOME_PEOPLE_H
#define KANON_JOB_OUTCOME_OUTCOME_PEOPLE_H

#include "analyze/risk/risk.h"
#include "job/solution/solution.h"

/* A size for each person who has a released row. The caller's to destroy. */
KAN_MUST_USE kan_status kan_people_sizes_released(const kan_solution *solution,
                                                  kan_group_sizes *out);
/* The same of the table as it was; of released rows alone where not all may be told. */
KAN_MUST_USE kan_status kan_people_sizes_before(const kan_solution *solution, bool tells_all,
                                                kan_group_sizes *out);

#endif

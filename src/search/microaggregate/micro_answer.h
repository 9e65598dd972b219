/* What all searches of the room do alike: what they ask of the space before, and the answer that
 * groups of tuples make. `name` is that of the search, for messages. */
#ifndef KANON_SEARCH_MICROAGGREGATE_MICRO_ANSWER_H
#define KANON_SEARCH_MICROAGGREGATE_MICRO_ANSWER_H

#include "search/microaggregate/mdav_inside.h"

/* What is taken over from Mondrian's space: how a dimension is shown. */
KAN_MUST_USE kan_status kan_micro_adapt(kan_partition_space *space, const char *name);

/* No release of all rows keeps a promise that the table as a whole breaks. */
KAN_MUST_USE kan_status kan_micro_whole_holds(const kan_partition_space *space, bool *out);

/* A region for each group. The records of the space stand group by group then. */
KAN_MUST_USE kan_status kan_micro_answer(kan_partition_space *space, const kan_mdav_groups *groups,
                                         kan_answer *out);

#endif

/* The figures of one node, from its set. */
#ifndef KANON_SEARCH_LEVELS_SURVEY_NODE_H
#define KANON_SEARCH_LEVELS_SURVEY_NODE_H

#include "search/levels/survey.h"
#include "search/levels/workers.h"

/* What a thread needs beside its judge. */
typedef struct kan_survey_scratch {
    uint8_t *nobody; /* by person: nobody is gone */
    uint64_t *sizes; /* by person */
    uint8_t *passes; /* by group */
    size_t pass_room;
} kan_survey_scratch;

KAN_MUST_USE kan_status kan_survey_node(const kan_survey *survey, kan_judge *judge,
                                        kan_survey_scratch *scratch, const kan_freqset *set,
                                        kan_node_figures *out, kan_score *scores);

#endif

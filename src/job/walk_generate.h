/* The command `generate`: synthetic tables. */
#ifndef KANON_JOB_WALK_GENERATE_H
#define KANON_JOB_WALK_GENERATE_H

#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_generate(kan_job *job, kan_result *out);

#endif

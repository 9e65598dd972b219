/* The command `generate`: synthetic tables. */
#ifndef KANON_JOB_WALK_GENERATE_H
#define KANON_JOB_WALK_GENERATE_H

#include "job/tell/tell.h"

/* Adds a problem where --rows is no number, or --output does not suit what is made. */
void kan_generate_check(kan_job *job);
KAN_MUST_USE kan_status kan_walk_generate(kan_job *job, kan_result *out);

#endif

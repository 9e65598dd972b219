/* The door of job/profile: the command `profile`.
 *
 * May touch core, data, io, analyze, job/settings, job/input and job/tell. */
#ifndef KANON_JOB_PROFILE_PROFILE_H
#define KANON_JOB_PROFILE_PROFILE_H

#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_profile(kan_job *job, kan_result *out);

#endif

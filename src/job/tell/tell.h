/* The door of job/tell: how any command tells what it found.
 *
 * The result with its JSON and its lines for people, words and values that all commands write
 * alike, the command that comes next, and what was promised of a release beside what a recount
 * found. It knows no command. May touch core, data, privacy, analyze/verify, job/settings and
 * job/input. */
#ifndef KANON_JOB_TELL_TELL_H
#define KANON_JOB_TELL_TELL_H

#include "job/tell/claim_make.h"
#include "job/tell/json.h"
#include "job/tell/next_step.h"
#include "job/tell/recounted.h"
#include "job/tell/result.h"
#include "job/tell/words.h"

#endif

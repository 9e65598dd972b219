/* What a command does not take from a job file.
 *
 * A job file may come from somebody else, with the request to check it: a command that only looks
 * (kan_command_entry.only_looks) then writes no file that the job file names, and overwrites none
 * because the job file says `force`. Flags, and settings of a program, work as ever. */
#ifndef KANON_JOB_PASS_OVER_H
#define KANON_JOB_PASS_OVER_H

#include "job/commands.h"

/* Moves such settings out of the way until the next run of the job, with a note that names them. */
KAN_MUST_USE kan_status kan_job_pass_over(kan_job *job, const kan_command_entry *command);

#endif

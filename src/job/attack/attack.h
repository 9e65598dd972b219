/* The door of job/attack: the command `attack`, which does with a release what an intruder would.
 *
 * May touch what job/downcode and job/verify may, and both. */
#ifndef KANON_JOB_ATTACK_ATTACK_H
#define KANON_JOB_ATTACK_ATTACK_H

#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_attack(kan_job *job, kan_result *out);
/* Adds the problems of a job without an attack, or about what no attack can be. */
void kan_attack_check(kan_job *job);

#endif

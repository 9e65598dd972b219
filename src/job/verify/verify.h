/* The door of job/verify: the command `verify`, the file of a certificate, and what `risk` reads
 * releases by, too.
 *
 * May touch core, data, io, analyze, job/settings, job/input and job/tell; nothing of what searches
 * or releases, so that what was made is judged by code that did not make it. */
#ifndef KANON_JOB_VERIFY_VERIFY_H
#define KANON_JOB_VERIFY_VERIFY_H

#include "job/tell/tell.h"
#include "job/verify/certificate_file.h"
#include "job/verify/earlier_labels.h"
#include "job/verify/verify_side.h"

KAN_MUST_USE kan_status kan_walk_verify(kan_job *job, kan_result *out);

#endif

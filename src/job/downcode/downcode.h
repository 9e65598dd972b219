/* The door of job/downcode: what of a release somebody undoes who knows how it was made.
 *
 * A job makes one release of one table. Who knows the job can change a hidden value, make the release
 * again, and see whether it is the same: what makes another one cannot have stood there. Three figures
 * are counted so (docs/papers/downcoding.md): of hidden cells, each by itself; of all of them at once;
 * and of whose record is whose within groups. Each change is a run of `anonymize` in memory.
 *
 * May touch what job/release may, and job/release. */
#ifndef KANON_JOB_DOWNCODE_DOWNCODE_H
#define KANON_JOB_DOWNCODE_DOWNCODE_H

#include "job/found/found.h"

typedef struct kan_downcode kan_downcode;

/* Adds problems where settings lack what it needs, or name what it cannot read. */
void kan_downcode_check(kan_job *job);
/* The release is `input`, what it was made from `original`, and the job is that of the job file which was
 * read last. KAN_BAD_INPUT where the job cannot be run again, or makes another release. */
KAN_MUST_USE kan_status kan_downcode_open(kan_job *job, kan_downcode **out);
/* Counts, until the probes of --probes are used up or somebody interrupts: what there is then is told. */
KAN_MUST_USE kan_status kan_downcode_measure(kan_downcode *d);
/* An object; NULL when memory runs out. */
json_t *kan_downcode_json(const kan_downcode *d);
void kan_downcode_tell(const kan_downcode *d, kan_found_words *words);
bool kan_downcode_was_interrupted(const kan_downcode *d);
void kan_downcode_close(kan_downcode *d); /* NULL is none */

#endif

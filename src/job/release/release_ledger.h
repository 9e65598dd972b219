/* --ledger: a release and its ledger get their new state together. Without one nothing is done. */
#ifndef KANON_JOB_RELEASE_RELEASE_LEDGER_H
#define KANON_JOB_RELEASE_RELEASE_LEDGER_H

#include "job/release/application.h"

/* Counts rows that a release shows again, together with the earlier releases as the ledger has them: an internal
 * error where they do not keep the promise. row_of: the row of the table that each is. */
KAN_MUST_USE kan_status kan_release_recount_past(const kan_setup *setup,
                                                 const kan_models_question *question,
                                                 const uint64_t *row_of);
/* Writes who is in which group of the release, which was recounted, as pending: right before it gets its
 * name. `path` is where its bytes are now; NULL: in no file. */
KAN_MUST_USE kan_status kan_release_stage(const kan_application *app, const char *output,
                                          const char *path);
/* Right after that: whether it has its name. */
void kan_release_settle(const kan_application *app, bool is_named);

#endif

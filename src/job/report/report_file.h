/* The report of a job as a file: beside its target until everything else is ready. */
#ifndef KANON_JOB_REPORT_REPORT_FILE_H
#define KANON_JOB_REPORT_REPORT_FILE_H

#include "io/streams/streams.h"
#include "job/report/report_data.h"

/* Whether the job asks for a report, and in the form that those may see who may see the table. */
bool kan_report_is_wanted(const kan_job *job);
bool kan_report_is_internal(const kan_job *job);
/* Whether the search is to find the whole solution space for it: where that is small enough. */
bool kan_report_wants_all(const kan_setup *setup);
/* KAN_BAD_INPUT when the settings about it do not fit together. To be called before the search. */
KAN_MUST_USE kan_status kan_report_is_possible(const kan_job *job);

/* Makes outcome->report, the key `report` of the result, where a report is wanted, or its figures
 * alone; nobody loses a release for the latter. */
KAN_MUST_USE kan_status kan_report_prepare(const kan_report_source *source, kan_outcome *outcome);
/* The page of the result, from the result's own JSON, beside its target; NULL where none is wanted.
 * The caller's to close. */
KAN_MUST_USE kan_status kan_report_write(const kan_report_source *source, const kan_result *result,
                                         kan_target **out);
/* Gives it its name, and says so in the summary; NULL is none. */
KAN_MUST_USE kan_status kan_report_commit(const kan_setup *setup, kan_target *target,
                                          kan_result *result);

/* KAN_BAD_INPUT unless all that a page of the object shows is there, and of the right type; `name`
 * is that of the file. */
KAN_MUST_USE kan_status kan_report_check(kan_run *run, const char *name, const json_t *object);
/* Writes the page of a JSON object beside the path that it is for. */
KAN_MUST_USE kan_status kan_report_open(kan_run *run, const json_t *object, const char *path,
                                        bool overwrite, kan_target **out);

#endif

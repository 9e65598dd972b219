/* The door of job/tables: jobs over several tables that belong together (`tables:` of a job file).
 *
 *   tables_check.c    what is taken, and what is refused and why; which table hangs on which
 *   tables_read.c     each table with its roles and hierarchies, as a job of its own
 *   tables_order.c    the order of rows that come in none
 *   tables_with.c     columns of a parent that its children show, too
 *   tables_link.c     whose row each row is
 *   tables_models.c   models of sensitive values, table by table
 *   tables_kin.c      the question: trees of rows with their prices
 *   tables_solve.c    the promise, the search, who is left out
 *   tables_sink.c     which kind of file each table becomes
 *   tables_schema.c   a schema of a database, which they become tables of
 *   tables_folder.c   a folder that gets its name when all its files are complete
 *   tables_recount.c  the folder read again, and counted
 *   tables_match.c    which row is whose in a release without keys
 *   tables_claims.c   models of sensitive values, counted again, and told
 *   tables_figures.c  what may be told of it: released rows alone
 *   tables_tell.c     the result
 *   tables_report.c   its report
 *   tables_shown.c    what a release would show, counted without one
 *   tables_search.c   what would be released
 *   tables_risk.c     how likely people are recognised
 *
 * May touch what job/release may, job/risk, group/kin, search/trees and analyze/forest. */
#ifndef KANON_JOB_TABLES_TABLES_H
#define KANON_JOB_TABLES_TABLES_H

#include "job/tell/tell.h"

/* Refuses what a job with tables cannot be run for, or says that is not taken. */
KAN_MUST_USE kan_status kan_tables_check(const kan_job *job, const kan_command *command);
/* Whether the release of such a job is one file, by the name of its target, and not a folder. */
bool kan_tables_is_file(const kan_job *job);
KAN_MUST_USE kan_status kan_tables_anonymize(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_tables_verify(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_tables_search(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_tables_risk(kan_job *job, kan_result *out);

#endif

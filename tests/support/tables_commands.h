/* What commands say of several tables, held against each other. */
#ifndef KANON_TESTS_TABLES_COMMANDS_H
#define KANON_TESTS_TABLES_COMMANDS_H

#include <kanon.h>

/* `search`, and the one cell of `compare`, say what `anonymize` found for the job, which made the release, and
 * `risk` counts the same people in that. */
void expect_commands_agree(kan_run *run, const char *job, const char *release,
                           const kan_result *made);

#endif

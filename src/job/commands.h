/* The table of commands: what a job can be run for, and what each of them needs.
 *
 * A row is all that the rest knows of a command: kan_job_run calls its walk, the checks before it
 * come from its needs, help and pages and completion from its texts, and which files it reads and
 * writes from its settings. So a new command is its walk, its row, and its settings. */
#ifndef KANON_JOB_COMMANDS_H
#define KANON_JOB_COMMANDS_H

#include "job/settings/settings.h"

/* What must be given, and what is said when it is not. */
typedef struct kan_need {
    const char *setting; /* NULL: a promise, any model's */
    const char *message; /* what is missing, and the remedy; NULL behind the last need */
    const char *when;    /* only where this setting is given, too; NULL: always */
    unsigned
        when_trait; /* only with settings of that trait (kan_trait), for each of which the message,
                            behind --NAME, is told; 0: always */
    const char *unless, *or_unless; /* not where this setting is given; NULL: always */
    bool or_table;                  /* a table in memory will do */
    bool is_refused;                /* the other way round: it must not be given */
} kan_need;

enum { KAN_MOST_NEEDS = 12 };

typedef struct kan_command_entry {
    kan_command command; /* what the public header shows */
    kan_status (*walk)(kan_job *job, kan_result *out);
    /* The same of a job over several tables; NULL: it takes none. */
    kan_status (*walk_tables)(kan_job *job, kan_result *out);
    bool only_looks; /* it is asked what is so: no job file makes it write (job/pass_over.h) */
    kan_need needs[KAN_MOST_NEEDS]; /* in the order in which they are told */
    void (*check)(kan_job *job);    /* adds problems that no need can say; NULL: there are none */
    /* Sets what follows from other settings, before anything is checked; NULL: nothing does. */
    kan_status (*prepare)(kan_job *job);
} kan_command_entry;

/* The row of that name, or NULL. */
const kan_command_entry *kan_command_entry_find(const char *name);

#endif

/* Work beside the server: commands of this same program, run one after another in the folder of a
 * project, as a user would type them. A crash, a full memory or a kill of one of them ends that task
 * and nothing else. A project has at most one task of a kind; a new one takes the place of the old.
 *
 * Whatever a page shows of a task's result it reads from files that the commands wrote (--json
 * work/KIND.json). */
#ifndef KANON_SERVER_PROJECTS_TASKS_H
#define KANON_SERVER_PROJECTS_TASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "project.h"
#include "text.h"

typedef struct sv_tasks sv_tasks;
typedef struct sv_task sv_task;

typedef enum sv_task_status {
    SV_NONE,    /* there never was one */
    SV_WAITING, /* for another task to end */
    SV_RUNNING,
    SV_DONE,
    SV_FAILED,  /* `error` says why: the words of the command */
    SV_STOPPED, /* by the user */
    SV_LOST     /* the server ended meanwhile */
} sv_task_status;

/* How a task stands, copied. */
typedef struct sv_task_state {
    sv_task_status status;
    size_t step, n_steps; /* which command it is at, from 0 */
    int exit_status;      /* of the last command that ended; 3: nothing satisfies the promise */
    double seconds;       /* since it began, or from begin to end */
    char *key;            /* what it was started under */
    char *title;          /* "searching", for people */
    char *error;          /* "" where there is none; lines of text */
    char *notes;          /* what the commands noted on the way; lines */
    char *progress;       /* the last line of --progress json; "" before the first */
    char *commands;       /* as a user would type them, one a line */
} sv_task_state;

void sv_task_state_free(sv_task_state *state);

/* One command: words after `kanon`, NULL behind the last. The strings are copied. */
typedef struct sv_step {
    const char *const *words;
} sv_step;

/* Starts it, or queues it where enough are running; stops the one of that kind before. `kind` is a
 * word of ours (letters, digits, -). `goes_on`: a command that ends with status 3 does not end the
 * task, nor does a later one that is refused (2). False: memory is out, or a command names a file outside of the project; `error` says so. */
bool sv_task_start(sv_tasks *tasks, const sv_project *project, const char *kind, const char *title,
                   const char *key, const sv_step *steps, size_t n_steps, bool goes_on,
                   sv_text *error);
/* How the task of that kind stands, from memory, else from work/KIND.end.json. */
void sv_task_look(sv_tasks *tasks, const sv_project *project, const char *kind, sv_task_state *out);
/* Ends it. With `keeps_best` a search that gets better with time ends with its best so far, which
 * is then written as any other; a second time, and otherwise, it ends with nothing. */
void sv_task_stop(sv_tasks *tasks, const sv_project *project, const char *kind, bool keeps_best);

/* The path of this program, which tasks start. */
const char *sv_tasks_program(const sv_tasks *tasks);

#endif

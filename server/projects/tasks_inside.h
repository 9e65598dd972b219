/* Tasks as the server sees them: made with it, ended with it, and streamed to browsers. */
#ifndef KANON_SERVER_PROJECTS_TASKS_INSIDE_H
#define KANON_SERVER_PROJECTS_TASKS_INSIDE_H

#include <stdint.h>

#include "tasks.h"

/* `flags` go to every command; NULL behind the last. */
sv_tasks *sv_tasks_create(const char *program, const char *const *flags);
/* Kills what runs, and waits until it is gone. Streams end. */
void sv_tasks_end(sv_tasks *tasks);
void sv_tasks_destroy(sv_tasks *tasks);
/* Ends the tasks of a project that is about to be deleted, and waits for it. */
void sv_tasks_forget(sv_tasks *tasks, const sv_project *project);

/* The task of that kind if this server has started it; NULL otherwise. It stays until it is let
 * go. */
sv_task *sv_task_hold(sv_tasks *tasks, const sv_project *project, const char *kind);
void sv_task_let_go(sv_task *task);

/* "running": what a status is called in JSON and in classes of the page. */
const char *sv_status_word(sv_task_status status);

/* A browser that follows a task. */
typedef struct sv_stream {
    sv_task *task; /* held */
    uint64_t seen; /* the version that was sent last; 0: none */
    void *connection;
    /* Nothing is read from the stream between the two. Called under the tasks' lock. */
    void (*sleep)(struct sv_stream *stream);
    void (*wake)(struct sv_stream *stream);
    struct sv_stream *next; /* of those that wait for news */
    sv_text unsent;         /* what the connection has not taken yet */
    size_t sent;
    bool has_ended;
} sv_stream;

/* News of the task; false: there are none, and the stream sleeps. */
bool sv_stream_next(sv_stream *stream, sv_task_state *out);

#endif

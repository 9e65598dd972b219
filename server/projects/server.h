/* The server: what all requests share. */
#ifndef KANON_SERVER_PROJECTS_SERVER_H
#define KANON_SERVER_PROJECTS_SERVER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sv_server {
    char *folder;           /* of projects, absolute, without links */
    struct sv_tasks *tasks; /* of all projects (tasks.h) */
} sv_server;

static inline const char *sv_folder(const sv_server *server) {
    return server->folder;
}

static inline struct sv_tasks *sv_server_tasks(sv_server *server) {
    return server->tasks;
}

#endif

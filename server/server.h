/* The server: what all requests share. */
#ifndef KANON_SERVER_SERVER_H
#define KANON_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sv_server sv_server;

/* The folder of projects, absolute, without links. */
const char *sv_folder(const sv_server *server);
/* The tasks of all projects (tasks.h). */
struct sv_tasks *sv_server_tasks(sv_server *server);

#endif

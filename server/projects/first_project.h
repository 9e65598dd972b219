/* The project that the server begins with. */
#ifndef KANON_SERVER_PROJECTS_FIRST_PROJECT_H
#define KANON_SERVER_PROJECTS_FIRST_PROJECT_H

#include "server.h"
#include "text.h"

/* A project of a table that the command line named: a copy of it, or the one that was made of the
 * same file before. */
bool sv_first_of_file(sv_server *server, const char *path, char **name, sv_text *error);
/* The project `census-demo`: the built-in table with its hierarchies, ready to be released. */
bool sv_first_of_demo(sv_server *server, const char *program, char **name, sv_text *error);

#endif

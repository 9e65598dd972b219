/* The door of server/projects: projects as folders, their files, and work beside the server.
 *
 * Knows nothing of requests and pages. May touch kanon.h. */
#ifndef KANON_SERVER_PROJECTS_PROJECTS_H
#define KANON_SERVER_PROJECTS_PROJECTS_H

#include "confine.h"
#include "files.h"
#include "first_project.h"
#include "project.h"
#include "releases.h"
#include "server.h"
#include "tasks.h"
#include "tasks_inside.h"
#include "text.h"

#endif

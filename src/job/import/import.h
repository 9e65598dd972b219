/* The door of job/import: `import`, a project of ARX as a folder with its tables, its hierarchies and a job file.
 *
 * A project (.deid) is a zip archive that may come from anybody. Nothing in it decides where a file is written:
 * the names in the folder are this room's own. XML and limits of size are those of io/excel/package.h. Java
 * object streams are not read. What could not be taken over is listed, each with its reason.
 *
 * The format is known from what ARX's public sources say of it; no line of them is here. */
#ifndef KANON_JOB_IMPORT_IMPORT_H
#define KANON_JOB_IMPORT_IMPORT_H

#include "job/settings/settings.h"

KAN_MUST_USE kan_status kan_walk_import(kan_job *job, kan_result *out);

#endif

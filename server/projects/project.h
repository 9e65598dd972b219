/* A project: a folder below the folder of projects, with a job file and what it needs.
 *
 *   NAME/kanon.yaml     the job file: every choice that was made; `kanon anonymize --job kanon.yaml`
 *   NAME/<table>        the table as it came (the setting `input`)
 *   NAME/hierarchies/   a file per column: c<number>-<name>.csv, or .txt for a tree
 *   NAME/work/          what tasks found: KIND.json, KIND.end.json; all of it can be made again
 *   NAME/releases/N/    release, report, certificate and result (releases.h)
 *   NAME/release-N.yaml the job file that made them: beside the table, as its paths say
 *
 * It is read anew for each request and written whole, under another name first: whatever ends the
 * server, a project is as it was after some click. All commands run in the project's folder, so that
 * its paths are short and a copy of the folder works elsewhere. */
#ifndef KANON_SERVER_PROJECTS_PROJECT_H
#define KANON_SERVER_PROJECTS_PROJECT_H

#include <jansson.h>
#include <stdio.h>

#include "kanon.h"
#include "server.h"
#include "text.h"

typedef struct sv_project {
    char *name;   /* of the folder: letters, digits, - and _ */
    char *folder; /* absolute */
    kan_run *run; /* errors of the settings */
    kan_job *job; /* settings as they are; of several tables those of all */
    kan_job *
        tables; /* the job file, where it names several tables: pages show it, and change nothing */
    char *error; /* why the job file cannot be read; NULL: it can */
} sv_project;

/* NULL: there is no project of that name, or memory is out. */
sv_project *sv_project_open(sv_server *server, const char *name);
/* The same project with what another job file in it says. */
sv_project *sv_project_open_job(const sv_project *project, const char *file);
void sv_project_close(sv_project *project);
/* Makes a folder for a table that was uploaded (moved from `path`) under its own name; `*name` is
 * the caller's. */
bool sv_project_create(sv_server *server, const char *title, const char *path,
                       const char *file_name, char **name, sv_text *error);
/* The names of all projects, by time of change, last first. The list and its texts are the
 * caller's. */
size_t sv_project_names(sv_server *server, char ***names);
bool sv_project_delete(sv_server *server, const char *name, sv_text *error);

/* ---- settings ------------------------------------------------------------------------------- */

/* The index-th value of a setting; NULL: fewer. */
const char *sv_setting(const sv_project *project, const char *name, size_t index);
/* The index-th value that one of several tables has, as kan_job_table_get, with paths in the project;
 * false: fewer. */
bool sv_table_setting(const sv_project *project, size_t table, const char *name, size_t index,
                      sv_text *out);
/* Replaces all values of a setting; none take it away. One value is one item, commas and all. False,
 * and kan_run_error(project->run) says why, when a value is not understood: nothing has changed
 * then. It is in memory alone until sv_project_save. */
bool sv_set_all(sv_project *project, const char *name, const char *const *values, size_t n);
bool sv_set(sv_project *project, const char *name, const char *value);
/* Writes kanon.yaml: complete, or as it was. One over several tables is never written. */
bool sv_project_save(sv_project *project);

/* What a result depends on, as text: the table's name, size and time, the settings of reading it;
 * with `whole`, all settings and the hierarchy files, too; and in either case the files that these
 * settings name, but results. A task started under one key is stale when the key is another. */
void sv_project_key(const sv_project *project, bool whole, sv_text *out);
/* The same of a release, with `whole`, without the files that it is entered in, such as a ledger: it
 * would be stale as soon as it is made. */
void sv_project_release_key(const sv_project *project, sv_text *out);

/* ---- files ---------------------------------------------------------------------------------- */

/* The path of a file of the project; false when `relative` leaves the folder, also by a link. The
 * file need not be there. */
bool sv_project_path(const sv_project *project, const char *relative, sv_text *out);
/* Whether a file of the project is there. */
bool sv_project_has(const sv_project *project, const char *relative);
/* A JSON file of the project; NULL: not there, or not whole. */
json_t *sv_project_json(const sv_project *project, const char *relative);
/* Whether it is a file, and too large for that. */
bool sv_project_is_large(const sv_project *project, const char *relative);
/* The whole text of a small file (up to 64 MiB); NULL: not there. The caller's. */
char *sv_project_text(const sv_project *project, const char *relative, size_t *size);
/* The job file as a page shows it: as it is, or without the secrets that it names. The caller's. */
char *sv_project_shown(const sv_project *project, size_t *size);
/* Writes it whole, or not at all. */
bool sv_project_write(const sv_project *project, const char *relative, const char *bytes,
                      size_t size);
bool sv_project_remove(const sv_project *project, const char *relative);
/* Moves an uploaded file into the project under `prefix` and its own name, as far as that is plain;
 * one of that name is replaced. `stored` is what it is called there. */
bool sv_project_bring(const sv_project *project, const char *prefix, const char *path,
                      const char *file_name, sv_text *stored);

/* ---- columns -------------------------------------------------------------------------------- */

/* The names of the table's columns, as the profile found them: a JSON array of its objects, borrowed
 * from `profile` (sv_project_json(project, "work/profile.json")). */
json_t *sv_profile_columns(const json_t *profile);
/* What stands behind the name in the setting qi, "intervals:5,10" or a file; "" for nothing; NULL:
 * the column is no quasi-identifier. The caller's. */
char *sv_column_hierarchy(const sv_project *project, const char *column);
/* "hierarchies/c3-age" without an ending: the file of a column's hierarchy. */
void sv_hierarchy_file(size_t index, const char *column, sv_text *out);

#endif

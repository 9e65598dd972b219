/* What a command may name: files of its project and no others. Pages see to it by themselves; this
 * is the second lock, for all commands at once. */
#ifndef KANON_SERVER_PROJECTS_CONFINE_H
#define KANON_SERVER_PROJECTS_CONFINE_H

#include "project.h"

/* Whether every path in the settings of the project stays in its folder; `error` names the first
 * that does not. */
bool sv_confine_job(const sv_project *project, sv_text *error);
/* The same of another job file of the project. */
bool sv_confine_file(const sv_project *project, const char *file, sv_text *error);
/* The same of the words of a command. */
bool sv_confine_words(const sv_project *project, const char *const *words, sv_text *error);

#endif

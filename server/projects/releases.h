/* Which releases a project has. A number is of one release for ever: that of one that was deleted is not given again,
 * so nothing that was found about it can be taken for another's.
 *
 *   NAME/releases/N/      the files of release N; there is one when result.json is
 *   NAME/release-N.yaml   its job file
 *   NAME/releases/N.gone  it was deleted: when */
#ifndef KANON_SERVER_PROJECTS_RELEASES_H
#define KANON_SERVER_PROJECTS_RELEASES_H

#include "project.h"

/* The greatest number that a release has or had; 0: there never was one. */
unsigned sv_release_last(const sv_project *project);
/* Whether release N was made, and not deleted. */
bool sv_release_is_there(const sv_project *project, unsigned number);
/* Whether there is any. */
bool sv_release_is_any(const sv_project *project);
/* Whether it was deleted, and when, "2026-03-14 10:20", unless that is NULL. */
bool sv_release_gone(const sv_project *project, unsigned number, sv_text *when);
/* The number of the next one; what a run that failed left under it is removed. */
unsigned sv_release_free_number(const sv_project *project);

/* Deletes release N: its folder, its job file, and what was found about it. What a deletion that was interrupted has left
 * is taken away by sv_release_sweep. */
bool sv_release_delete(const sv_project *project, unsigned number, sv_text *error);
void sv_release_sweep(const sv_project *project);

#endif

/* What there is: the registry of models, costs, searches and formats, as pages ask it. A kind that is
 * registered shows up with the words that it brings along; no page has a list of its own. */
#ifndef KANON_SERVER_PAGES_REGISTRY_H
#define KANON_SERVER_PAGES_REGISTRY_H

#include <jansson.h>

#include "server/projects/projects.h"

/* What `kanon list --json` shows; the caller's. NULL: memory is out. */
json_t *sv_registry(const sv_project *project);
/* Whether a form may ask for an option of a kind: files and secrets are left to the job file. */
bool sv_option_is_asked(const json_t *option);

#endif

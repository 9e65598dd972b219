/* How values, counts and shares of a table are shown. Whatever a value holds, it stands in one
 * place of the page: escaped, cut, and isolated from the direction of what is beside it. */
#ifndef KANON_SERVER_PAGES_VALUES_H
#define KANON_SERVER_PAGES_VALUES_H

#include <jansson.h>
#include <stdint.h>

#include "server/projects/projects.h"

/* A value or a name, cut at about 60 characters; a title has more of it. */
void sv_value(sv_text *out, const char *value);
/* The same without markup: for options, titles and captions. */
void sv_value_plain(sv_text *out, const char *value);
/* The same, not escaped yet. */
void sv_value_cut(sv_text *out, const char *value);

/* "1 row", "5,000 rows". */
void sv_count_of(sv_text *out, uint64_t count, const char *one, const char *many);
/* "12.5 %", "< 0.1 %". */
void sv_share(sv_text *out, double share);

/* A bar that fills its cell by this share, 0 to 1; screen readers pass it over. */
void sv_bar(sv_text *out, double share);
/* Upright bars, one a count, as high as their share of the greatest. */
void sv_bins(sv_text *out, const json_t *counts, const char *title);

/* ---- JSON that a command wrote: what is not there is empty, or nothing -------------------------- */

const char *sv_json_text(const json_t *object, const char *key);
bool sv_json_is(const json_t *object, const char *key);
uint64_t sv_json_count(const json_t *object, const char *key);
double sv_json_real(const json_t *object, const char *key);

/* ---- the registry of models, costs, searches and formats ----------------------------------------- */

/* What `kanon list --json` shows; the caller's. NULL: memory is out. A kind that is registered shows up with the words
 * that it brings along; no page has a list of its own. */
json_t *sv_registry(const sv_project *project);
/* Whether a form may ask for an option of a kind: files and secrets are left to the job file. */
bool sv_option_is_asked(const json_t *option);

#endif

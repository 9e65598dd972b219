/* The page of releases: what its files share.
 *
 *   release-N.yaml              the job file of a release: `kanon anonymize --job release-N.yaml`
 *   releases/N/about.json       what was picked, under which settings, and the name of the file
 *   releases/N/release.ENDING   the release
 *   releases/N/report.html, result.json, certificate.json, and cuts.json where cuts were applied
 *   releases/N/internal.html    the internal report, where it was wanted: mode 0600 */
#ifndef KANON_SERVER_RELEASE_RELEASE_H
#define KANON_SERVER_RELEASE_RELEASE_H

#include "server/explore/explore.h"

typedef struct sv_form_of_file {
    const char *ending; /* "csv.gz" */
    const char *sink;   /* in the registry */
    const char *words;
    bool needs_duckdb;
} sv_form_of_file;

/* NULL behind the last. */
const sv_form_of_file *sv_format_at(size_t index);

/* The searches that can be picked beside the best. */
const char *sv_rival_at(size_t index);
bool sv_is_rival(const char *name);

/* Whether a proof of the best can be written: only for k-anonymity. */
bool sv_can_certify(const sv_project *project, const json_t *registry);

/* What was said of release N; NULL: there is none. */
json_t *sv_release_about(const sv_project *project, unsigned number);
/* What came out; NULL: not yet, or it failed. */
json_t *sv_release_result(const sv_project *project, unsigned number);

/* release_open.c: whether there is something that the promise of a result does not cover; a list. */
bool sv_release_is_open(const json_t *result);
void sv_release_put_open(sv_text *out, const json_t *result);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_release(sv_request *request, sv_reply *reply);       /* GET  /p/NAME/release          */
void sv_release_start(sv_request *request, sv_reply *reply); /* POST /p/NAME/release          */
void sv_release_file(sv_request *request, sv_reply *reply);  /* GET  /p/NAME/release/N/FILE   */

#endif

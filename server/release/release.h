/* The page of releases: what its files share.
 *
 *   release-N.yaml              the job file of a release: `kanon anonymize --job release-N.yaml`
 *   releases/N/about.json       what was picked, under which settings, and the name of the file
 *   releases/N/release.ENDING   the release
 *   releases/N/report.html, result.json, certificate.json, and cuts.json where cuts were applied
 *   releases/N/internal.html    the internal report, where it was wanted: mode 0600
 *
 * Of a project over several tables (release_tables.c), release-N.yaml is a copy of its job file, and the
 * release is the folder releases/N/tables. */
#ifndef KANON_SERVER_RELEASE_RELEASE_H
#define KANON_SERVER_RELEASE_RELEASE_H

#include "server/explore/explore.h"

/* One kind of file that a release can be. */
typedef struct sv_release_form {
    const char *ending;  /* "csv.gz" */
    const char *words;   /* for people */
    const char *missing; /* what this machine lacks for it; NULL: nothing */
} sv_release_form;

/* Those of the registry, first those of the kind that writes any file; false behind the last. The texts
 * are the registry's. */
bool sv_release_form_at(const json_t *registry, size_t index, sv_release_form *out);
/* The one of that ending; false: there is none. */
bool sv_release_form_find(const json_t *registry, const char *ending, sv_release_form *out);

/* A search of the registry; NULL: there is none of that name. */
const json_t *sv_search_find(const json_t *registry, const char *name);

/* Whether a proof of the best can be written: only for k-anonymity by all columns, of rows and people. */
bool sv_can_certify(const sv_project *project, const json_t *registry);

/* What was said of release N; NULL: there is none, or it was deleted. */
json_t *sv_release_about(const sv_project *project, unsigned number);
/* What came out; NULL: not yet, or it failed. */
json_t *sv_release_result(const sv_project *project, unsigned number);

/* The path below the project of a table's file in release N; false: there is no such table. */
bool sv_release_find_table(const sv_project *project, unsigned number, const char *file,
                           sv_text *out);
/* An item of a list: the link to a file of a release, where it is there. */
void sv_release_put_file(const sv_request *request, sv_text *out, unsigned number, const char *file,
                         const char *words);
/* The shareable report, folded. */
void sv_release_put_report(const sv_request *request, sv_text *out, unsigned number);

/* Puts the effort of a search that was not proven into the job file of its release, in place of what
 * ended it: a clock makes another release each time, steps make the same one. What cannot be written
 * stays as it is. */
void sv_release_keep_effort(const sv_project *project, unsigned number, const json_t *result);

/* release_open.c: whether there is something that the promise of a result does not cover; a list. */
bool sv_release_is_open(const json_t *result);
void sv_release_put_open(sv_text *out, const json_t *result);

/* The number that a field or an address says; 0: none. */
unsigned sv_release_number(const char *text);
/* release_delete.c: the form that deletes it, folded. */
void sv_release_put_delete(const sv_request *request, sv_text *out, unsigned number);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_release(sv_request *request, sv_reply *reply);           /* GET  /p/NAME/release          */
void sv_release_start(sv_request *request, sv_reply *reply);     /* POST /p/NAME/release          */
void sv_release_file(sv_request *request, sv_reply *reply);      /* GET  /p/NAME/release/N/FILE   */
void sv_release_delete_it(sv_request *request, sv_reply *reply); /* POST /p/NAME/release/N/delete */
void sv_release_history(sv_request *request, sv_reply *reply);   /* GET  /p/NAME/history */
void sv_tables(sv_request *request, sv_reply *reply);            /* GET  /p/NAME/tables           */
void sv_tables_start(sv_request *request, sv_reply *reply);      /* POST /p/NAME/tables           */

#endif

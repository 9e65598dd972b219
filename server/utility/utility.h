/* The page of what can still be done with a release: its figures, and models that somebody asks for.
 *
 *   work/utility.json, work/utility.svg   `kanon utility` of a release, and its picture
 *   work/model.json                       the same with --regress and --classify
 *
 * All of it compares with the table: it is internal. */
#ifndef KANON_SERVER_UTILITY_UTILITY_H
#define KANON_SERVER_UTILITY_UTILITY_H

#include "server/release/release.h"

#define SV_UTILITY_FIGURES "work/utility.json"
#define SV_UTILITY_PICTURE "work/utility.svg"
#define SV_UTILITY_MODEL   "work/model.json"

enum { SV_MOST_FORMULA = 1000 }; /* bytes */

/* Whether release N can be read again: a file, of one table. Adds its path. */
bool sv_utility_can_read(const sv_project *project, unsigned number, sv_text *path);
/* Tables of a result: columns, and the pairs that moved most; of a regression and of a class. */
void sv_utility_put_columns(sv_text *out, const json_t *columns);
void sv_utility_put_pairs(sv_text *out, const json_t *changed);
void sv_utility_put_regression(sv_text *out, const json_t *regression);
void sv_utility_put_class(sv_text *out, const json_t *classification);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_utility(sv_request *request, sv_reply *reply);         /* GET  /p/NAME/utility */
void sv_utility_start(sv_request *request, sv_reply *reply);   /* POST /p/NAME/utility */
void sv_utility_picture(sv_request *request, sv_reply *reply); /* GET  /p/NAME/utility/picture */

#endif

/* The door of server/columns: the page on which each column gets its role. */
#ifndef KANON_SERVER_COLUMNS_COLUMNS_H
#define KANON_SERVER_COLUMNS_COLUMNS_H

#include "server/pages/pages.h"

/* The page again, with what the form said and what is wrong with it. */
void sv_columns_show(sv_request *request, sv_reply *reply, const char *wrong);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_columns(sv_request *request, sv_reply *reply);        /* GET  /p/NAME/columns */
void sv_columns_change(sv_request *request, sv_reply *reply); /* POST /p/NAME/columns */

#endif

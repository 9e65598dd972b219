/* The table of paths. */
#ifndef KANON_SERVER_ROUTES_H
#define KANON_SERVER_ROUTES_H

#include "server/pages/pages.h"

typedef struct sv_route {
    const char *method, *pattern;
    sv_handler handler;
} sv_route;

const sv_route *sv_routes(size_t *n);

#endif

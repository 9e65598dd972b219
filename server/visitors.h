/* Connections of which nobody knows yet whose they are. Whoever can reach the port can open as many as
 * the server takes, and say nothing: places are kept for those who have shown the cookie. Strangers
 * get most of the places and no more, and for each further one the oldest of them goes. All of it happens in the thread of
 * the server. */
#ifndef KANON_SERVER_VISITORS_H
#define KANON_SERVER_VISITORS_H

#include <microhttpd.h>
#include <stddef.h>

typedef struct sv_visitor sv_visitor;

typedef struct sv_visitors {
    sv_visitor *oldest, *newest; /* strangers */
    size_t n;
} sv_visitors;

/* For MHD_OPTION_NOTIFY_CONNECTION; the user is the server. */
void sv_visitor_change(void *server, struct MHD_Connection *connection, void **context,
                       enum MHD_ConnectionNotificationCode what);
/* It has shown the cookie: its place is its own. */
void sv_visitor_know(sv_visitors *visitors, struct MHD_Connection *connection);

#endif

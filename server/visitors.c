#include "visitors.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "server_inside.h"

enum { MOST_STRANGERS = 1500 }; /* of the connections that the server takes: 500 are kept */

struct sv_visitor {
    int socket;
    bool is_listed; /* among the strangers */
    sv_visitor *older, *newer;
};

static void take_out(sv_visitors *visitors, sv_visitor *visitor) {
    if (!visitor->is_listed)
        return;
    *(visitor->older ? &visitor->older->newer : &visitors->oldest) = visitor->newer;
    *(visitor->newer ? &visitor->newer->older : &visitors->newest) = visitor->older;
    visitor->older = visitor->newer = NULL;
    visitor->is_listed = false;
    visitors->n--;
}

static void put_in(sv_visitors *visitors, sv_visitor *visitor) {
    visitor->older = visitors->newest;
    *(visitors->newest ? &visitors->newest->newer : &visitors->oldest) = visitor;
    visitors->newest = visitor;
    visitor->is_listed = true;
    visitors->n++;
}

/* The library sees the end of the line, and closes it. */
static void send_away(sv_visitors *visitors, sv_visitor *visitor) {
    take_out(visitors, visitor);
    (void)shutdown(visitor->socket, SHUT_RDWR);
}

static void begin(sv_visitors *visitors, struct MHD_Connection *connection, void **context) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    sv_visitor *visitor = info ? calloc(1, sizeof *visitor) : NULL;
    if (!visitor)
        return;
    visitor->socket = info->connect_fd;
    *context = visitor;
    if (visitors->n >= MOST_STRANGERS)
        send_away(visitors, visitors->oldest);
    put_in(visitors, visitor);
}

void sv_visitor_change(void *user, struct MHD_Connection *connection, void **context,
                       enum MHD_ConnectionNotificationCode what) {
    sv_daemon *server = user;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        begin(&server->visitors, connection, context);
    } else if (*context) {
        take_out(&server->visitors, *context);
        free(*context);
        *context = NULL;
    }
}

void sv_visitor_know(sv_visitors *visitors, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info && info->socket_context)
        take_out(visitors, info->socket_context);
}

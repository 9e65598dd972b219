/* Who may ask. The server listens on the loopback alone, but other users of the machine can reach
 * that, and so can any web page in the user's own browser. Therefore: a link with a token that works
 * once, a cookie for whoever came by it, the name of the host that was asked for, and for whatever
 * changes something the page that it came from. */
#ifndef KANON_SERVER_GUARD_H
#define KANON_SERVER_GUARD_H

#include <stdbool.h>
#include <stdint.h>

enum { SV_SECRET = 33 }; /* 128 bits in hexadecimal digits, and a NUL */

typedef struct sv_guard {
    uint16_t port;
    char cookie_name[24]; /* browsers do not tell ports apart: the name does */
    char cookie[SV_SECRET];
    char link[SV_SECRET]; /* "": was used, and no other was made */
} sv_guard;

/* False: the system gives no random numbers. */
bool sv_guard_begin(sv_guard *guard, uint16_t port);
/* Makes a new link; the old one works no more. */
bool sv_guard_renew(sv_guard *guard);

/* The headers of a request; NULL: not there. */
typedef struct sv_asked {
    const char *host, *origin, *fetch_site, *cookie;
    bool is_post;
} sv_asked;

/* Whether the request is meant for this server: 127.0.0.1 or localhost, with its port. */
bool sv_guard_host(const sv_guard *guard, const char *host);
/* Whether it came from a page of this server; only what changes something must. */
bool sv_guard_origin(const sv_guard *guard, const sv_asked *asked);
bool sv_guard_cookie(const sv_guard *guard, const char *cookie);
/* Whether the token is that of the link, which is used up by it. */
bool sv_guard_enter(sv_guard *guard, const char *token);

#endif

/* Who may ask. The server listens on the loopback alone, but other users of the machine can reach
 * that, and so can any web page in the user's own browser. Therefore: a link with a token that works
 * once, a cookie for whoever came by it, the name of the host that was asked for, and for whatever
 * changes something the page that it came from.
 *
 * Browsers send a cookie to every port of its host, and other users have servers on 127.0.0.1, too. So
 * the host has a name of this run that nobody can guess: NAME.localhost, which browsers take for this
 * machine by themselves. Where one does not, the user can ask for 127.0.0.1 in its place. */
#ifndef KANON_SERVER_GATE_H
#define KANON_SERVER_GATE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SV_SECRET = 33, /* 128 bits in hexadecimal digits, and a NUL */
    SV_HOST = 64    /* NAME.localhost */
};

typedef struct sv_gate {
    uint16_t port;
    char host[SV_HOST];   /* without the port */
    char cookie_name[24]; /* browsers do not tell ports apart: the name does */
    char cookie[SV_SECRET];
    char link[SV_SECRET]; /* "": was used, and no other was made */
    char used[SV_SECRET]; /* the link that was used last; "": none was */
} sv_gate;

/* False: the system gives no random numbers. */
bool sv_gate_begin(sv_gate *gate, uint16_t port, bool by_address);
/* Makes a new link, to a name or to 127.0.0.1; all others, and all cookies, work no more. */
bool sv_gate_renew(sv_gate *gate, bool by_address);

/* The headers of a request; NULL: not there. */
typedef struct sv_asked {
    const char *host, *origin, *fetch_site, *cookie;
    bool is_post;
} sv_asked;

/* Whether the request is meant for this server: its name of this run with its port, to the letter. */
bool sv_gate_host(const sv_gate *gate, const char *host);
/* Whether it is meant for this machine, by whatever port it came; that port is then in `port`. */
bool sv_gate_is_near(const sv_gate *gate, const char *host, unsigned *port);
/* Whether it came from a page of this server; only what changes something must. */
bool sv_gate_origin(const sv_gate *gate, const sv_asked *asked);
bool sv_gate_cookie(const sv_gate *gate, const char *cookie);
/* Whether the token is that of the link, which is used up by it. */
bool sv_gate_enter(sv_gate *gate, const char *token);
/* Whether the token is that of a link with which somebody has entered. */
bool sv_gate_was_used(const sv_gate *gate, const char *token);

#endif

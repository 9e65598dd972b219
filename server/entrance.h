/* The way in: the link, where it is printed, how a browser gets it, and the keys of the terminal. */
#ifndef KANON_SERVER_ENTRANCE_H
#define KANON_SERVER_ENTRANCE_H

#include "server_inside.h"

typedef void (*sv_say)(const char *format, ...);

/* Prints the link, and what is risky about it. */
void sv_entrance_print(sv_daemon *server);
/* Opens it with the user's browser, and does not wait for that. The arguments of programs are there for
 * all users of the machine to see: the browser gets a file that only this user can read, which leads to
 * the link. */
void sv_entrance_open(sv_daemon *server, const char *program, sv_say error);
/* Removes the file; nothing where there is none. */
void sv_entrance_close(sv_daemon *server);
/* Somebody has opened a link that another has used: says so, once for each link. */
void sv_entrance_tell_used(sv_daemon *server);
/* Waits until the program is told to stop; Enter makes a new link, which ends all others. */
void sv_entrance_wait(sv_daemon *server, int signals);

#endif

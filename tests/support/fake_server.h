/* A server on this machine that answers what a test tells it: each connection is handed to a function, on a
 * thread of its own. For databases that answer nonsense. */
#ifndef KANON_TESTS_FAKE_SERVER_H
#define KANON_TESTS_FAKE_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { FAKE_MOST_CONNECTIONS = 256 };

typedef struct fake_server {
    void (*serve)(int connection, void *context); /* closed when it returns */
    void *context;
    char port[8];
    int listener;
    pthread_t thread, serving[FAKE_MOST_CONNECTIONS];
    size_t n_serving;
} fake_server;

/* Listens on a free port of 127.0.0.1; `serve` and `context` are set, all else is zero. */
void fake_server_begin(fake_server *server);
/* Whoever is connected has to be gone. */
void fake_server_end(fake_server *server);

/* Exactly so many bytes; false where the other side has gone. */
bool fake_read(int connection, void *bytes, size_t size);
void fake_write(int connection, const void *bytes, size_t size);

#endif

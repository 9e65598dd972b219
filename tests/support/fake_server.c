#include "support/fake_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void must(bool is_done, const char *what) {
    if (!is_done) {
        perror(what);
        exit(99);
    }
}

typedef struct guest {
    const fake_server *server;
    int connection;
} guest;

static void *serve(void *context) {
    guest *here = context;
    here->server->serve(here->connection, here->server->context);
    (void)close(here->connection);
    free(here);
    return NULL;
}

static void *accept_all(void *context) {
    fake_server *server = context;
    for (int connection; (connection = accept(server->listener, NULL, NULL)) >= 0;) {
        guest *here = malloc(sizeof *here);
        must(here && server->n_serving < FAKE_MOST_CONNECTIONS, "room for a connection");
        *here = (guest){server, connection};
        must(pthread_create(&server->serving[server->n_serving++], NULL, serve, here) == 0,
             "a thread for a connection");
    }
    return NULL;
}

void fake_server_begin(fake_server *server) {
    struct sockaddr_in place = {.sin_family = AF_INET,
                                .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof place;
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(server->listener >= 0 &&
             bind(server->listener, (struct sockaddr *)&place, sizeof place) == 0 &&
             listen(server->listener, 16) == 0 &&
             getsockname(server->listener, (struct sockaddr *)&place, &size) == 0,
         "a server for the test");
    (void)snprintf(server->port, sizeof server->port, "%u", (unsigned)ntohs(place.sin_port));
    must(pthread_create(&server->thread, NULL, accept_all, server) == 0, "a thread for the test");
}

void fake_server_end(fake_server *server) {
    (void)shutdown(server->listener, SHUT_RDWR);
    (void)pthread_join(server->thread, NULL);
    for (size_t i = 0; i < server->n_serving; i++)
        (void)pthread_join(server->serving[i], NULL);
    (void)close(server->listener);
}

bool fake_read(int connection, void *bytes, size_t size) {
    for (char *at = bytes; size > 0;) {
        const ssize_t n = recv(connection, at, size, 0);
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

void fake_write(int connection, const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0;) {
        const ssize_t n = send(connection, at, size, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        at += n;
        size -= (size_t)n;
    }
}

/* Treats a server badly, over the loopback, and says how it took it.
 *
 *   hammer HOST:PORT COOKIE broken SEED N   N requests that are no good HTTP, from random changes of good ones
 *   hammer HOST:PORT COOKIE many N          N connections at once, each with a good request: all answered
 *   hammer HOST:PORT COOKIE idle N          N connections that say half a request; a good one is answered beside
 *   hammer HOST:PORT COOKIE slow N          N uploads that come byte by byte and end in the middle; the same
 *
 * After each of them a good request must be answered with 200. Exit status 0 then, else 1. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 1 << 16, PATIENCE_MS = 300 * 1000 };

static uint16_t port;
static const char *host; /* as requests name it: NAME:PORT */
static const char *said; /* what was asked last */
static size_t said_size;
static const char *cookie;

static int connect_it(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int line = socket(AF_INET, SOCK_STREAM, 0);
    if (line < 0 || connect(line, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("connect");
        exit(1);
    }
    return line;
}

/* What a server that has had enough does not take any more is no fault. */
static void say(int line, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t n = send(line, bytes, size, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        bytes += n;
        size -= (size_t)n;
    }
}

/* The status of the answer; 0: the line was closed without one. */
static int answer(int line) {
    char room[4096];
    size_t size = 0;
    int status = 0;
    for (;;) {
        struct pollfd wait = {.fd = line, .events = POLLIN};
        if (poll(&wait, 1, PATIENCE_MS) != 1) {
            fprintf(stderr, "no answer to:\n");
            fwrite(said, 1, said_size, stderr);
            exit(1);
        }
        const ssize_t n = recv(line, room + size, sizeof room - 1 - size, 0);
        if (n <= 0)
            return status;
        size += (size_t)n;
        room[size] = '\0';
        if (!status && size > 12)
            status = atoi(room + 9);
        if (status)
            return status;
    }
}

static size_t good(char room[MOST]) {
    return (size_t)snprintf(room, MOST, "GET / HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n", host,
                            cookie);
}

static void expect_life(const char *after) {
    char room[MOST];
    const int line = connect_it();
    say(line, room, good(room));
    const int status = answer(line);
    close(line);
    if (status != 200) {
        fprintf(stderr, "after %s a good request has status %d\n", after, status);
        exit(1);
    }
}

/* ---- broken requests ------------------------------------------------------------------------ */

static uint64_t state;

static uint64_t random_below(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

static size_t start_from(char room[MOST]) {
    static const char *const starts[] = {
        "GET / HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n",
        "GET /p/census-demo/../../x?a=%%00&b=%%ff&c HTTP/1.1\r\nHost: %s\r\nCookie: "
        "%s\r\n\r\n",
        "POST /projects HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nOrigin: "
        "http://nowhere\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\ntitle=abc",
        "POST /projects HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n"
        "Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: 110\r\n\r\n--XX\r\n"
        "Content-Disposition: form-data; name=\"file\"; "
        "filename=\"a.csv\"\r\n\r\na,b\r\n1,2\r\n--XX--\r\n",
        "POST /p/census-demo/table HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n"
        "Transfer-Encoding: chunked\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
        "5\r\na=b&c\r\nffffffffffffffff\r\nx\r\n0\r\n\r\n",
        "GET /p/census-demo/tasks/profile/events HTTP/1.0\r\nHost: %s\r\nCookie: "
        "%s\r\n\r\n",
    };
    const char *format = starts[random_below(sizeof starts / sizeof *starts)];
    size_t n = (size_t)snprintf(room, MOST / 2, format, host, cookie);
    /* The origin that belongs to the request, often enough: what is behind the guard is tried, too. */
    char *origin = strstr(room, "nowhere\r");
    if (origin && random_below(4)) {
        const size_t size = strlen(host);
        memmove(origin + size, origin + 7, n - (size_t)(origin + 7 - room));
        memcpy(origin, host, size);
        n += size - 7;
    }
    return n;
}

static size_t change(char room[MOST], size_t n) {
    const size_t at = random_below(n);
    switch (random_below(8)) {
    case 0:
        room[at] = (char)random_below(256);
        break;
    case 1:
        n = at + 1;
        break;
    case 2: /* a part twice */
        if (n < MOST / 2) {
            memmove(room + n, room + at, n - at);
            n += n - at;
        }
        break;
    case 3: /* a very long name or value */
        if (n < MOST / 4) {
            memmove(room + at + 20000, room + at, n - at);
            memset(room + at, 'A', 20000);
            n += 20000;
        }
        break;
    case 4:
        room[at] ^= (char)(1 << random_below(8));
        break;
    case 5:
        room[at] = '\0';
        break;
    case 6:
        room[at] = '\n';
        break;
    default:
        room[at] = "%/.;=&:\"\r -9"[random_below(12)];
        break;
    }
    return n;
}

static void broken(uint64_t seed, unsigned long n_requests) {
    state = seed * 0x9E3779B97F4A7C15u + 1;
    for (unsigned long i = 0; i < n_requests; i++) {
        static char room[MOST];
        size_t n = start_from(room);
        for (uint64_t k = 1 + random_below(4); k > 0; k--)
            n = change(room, n);
        const int line = connect_it();
        said = room;
        said_size = n;
        say(line, room, n);
        /* Nothing more will come: whatever the request was, the server need not wait. */
        shutdown(line, SHUT_WR);
        (void)answer(line);
        close(line);
        if (i % 100 == 99)
            expect_life("broken requests");
    }
}

/* ---- many lines ----------------------------------------------------------------------------- */

static void many(size_t n) {
    int *lines = malloc(n * sizeof *lines);
    char room[MOST];
    const size_t size = good(room);
    for (size_t i = 0; i < n; i++)
        lines[i] = connect_it();
    for (size_t i = 0; i < n; i++)
        say(lines[i], room, size);
    for (size_t i = 0; i < n; i++) {
        const int status = answer(lines[i]);
        if (status != 200) {
            fprintf(stderr, "line %zu of %zu has status %d\n", i, n, status);
            exit(1);
        }
        close(lines[i]);
    }
    free(lines);
}

static void idle(size_t n) {
    int *lines = malloc(n * sizeof *lines);
    for (size_t i = 0; i < n; i++) {
        lines[i] = connect_it();
        say(lines[i], "GET / HTTP/1.1\r\nHost: 127", 25);
    }
    expect_life("many idle lines, which are still there,");
    for (size_t i = 0; i < n; i++)
        close(lines[i]);
    free(lines);
}

static void slow(size_t n) {
    char room[MOST];
    for (size_t i = 0; i < n; i++) {
        const int line = connect_it();
        const int size = snprintf(
            room, sizeof room,
            "POST /projects HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nOrigin: "
            "http://%s\r\nContent-Type: multipart/form-data; boundary=XX\r\n"
            "Content-Length: 100000\r\n\r\n--XX\r\nContent-Disposition: form-data; name=\"file\"; "
            "filename=\"a.csv\"\r\n\r\nabc",
            host, cookie, host);
        for (int at = 0; at < size; at++)
            say(line, room + at, 1);
        expect_life("a slow upload, which goes on,");
        close(line);
    }
}

int main(int n, char **arguments) {
    struct rlimit limit;
    if (n < 5)
        return 2;
    host = arguments[1];
    port = (uint16_t)atoi(strrchr(host, ':') ? strrchr(host, ':') + 1 : host);
    cookie = arguments[2];
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    const unsigned long number = strtoul(arguments[4], NULL, 10);
    if (strcmp(arguments[3], "broken") == 0 && n > 5)
        broken(number, strtoul(arguments[5], NULL, 10));
    else if (strcmp(arguments[3], "many") == 0)
        many(number);
    else if (strcmp(arguments[3], "idle") == 0)
        idle(number);
    else if (strcmp(arguments[3], "slow") == 0)
        slow(number);
    else
        return 2;
    expect_life(arguments[3]);
    return 0;
}

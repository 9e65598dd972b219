#include "guard.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static bool make_secret(char out[SV_SECRET]) {
    unsigned char bytes[(SV_SECRET - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* Takes as long for any text of that length, so that time tells nothing. */
static bool is_secret(const char *text, size_t size, const char *secret) {
    unsigned difference = 0;
    if (size != SV_SECRET - 1 || !secret[0])
        return false;
    for (size_t i = 0; i < SV_SECRET - 1; i++)
        difference |= (unsigned)((unsigned char)text[i] ^ (unsigned char)secret[i]);
    return difference == 0;
}

bool sv_guard_begin(sv_guard *guard, uint16_t port) {
    *guard = (sv_guard){.port = port};
    snprintf(guard->cookie_name, sizeof guard->cookie_name, "kanon-%u", (unsigned)port);
    return make_secret(guard->cookie) && make_secret(guard->link);
}

bool sv_guard_renew(sv_guard *guard) {
    return make_secret(guard->link);
}

bool sv_guard_host(const sv_guard *guard, const char *host) {
    char ip[32], name[32];
    snprintf(ip, sizeof ip, "127.0.0.1:%u", (unsigned)guard->port);
    snprintf(name, sizeof name, "localhost:%u", (unsigned)guard->port);
    return host && (strcmp(host, ip) == 0 || strcmp(host, name) == 0);
}

bool sv_guard_origin(const sv_guard *guard, const sv_asked *asked) {
    const bool is_ours = asked->origin && strncmp(asked->origin, "http://", 7) == 0 &&
                         sv_guard_host(guard, asked->origin + 7);
    if (asked->origin && !is_ours)
        return false;
    /* Browsers say where a request comes from; what says nothing changes nothing. */
    if (asked->fetch_site && strcmp(asked->fetch_site, "same-origin") != 0 &&
        strcmp(asked->fetch_site, "none") != 0)
        return false;
    return !asked->is_post || is_ours;
}

bool sv_guard_cookie(const sv_guard *guard, const char *cookie) {
    const size_t n = strlen(guard->cookie_name);
    while (cookie && *cookie) {
        cookie += strspn(cookie, " ;");
        const size_t size = strcspn(cookie, ";");
        if (size > n && strncmp(cookie, guard->cookie_name, n) == 0 && cookie[n] == '=' &&
            is_secret(cookie + n + 1, size - n - 1, guard->cookie))
            return true;
        cookie += size;
    }
    return false;
}

bool sv_guard_enter(sv_guard *guard, const char *token) {
    if (!token || !is_secret(token, strlen(token), guard->link))
        return false;
    guard->link[0] = '\0';
    return true;
}

#include "gate.h"

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

/* 80 bits, as a label of a name of a host. */
static bool make_host(char out[SV_HOST], bool by_address) {
    char secret[SV_SECRET];
    if (!make_secret(secret))
        return false;
    if (by_address)
        snprintf(out, SV_HOST, "127.0.0.1");
    else
        snprintf(out, SV_HOST, "kanon-%.20s.localhost", secret);
    return true;
}

bool sv_gate_begin(sv_gate *gate, uint16_t port, bool by_address) {
    *gate = (sv_gate){.port = port};
    snprintf(gate->cookie_name, sizeof gate->cookie_name, "kanon-%u", (unsigned)port);
    return sv_gate_renew(gate, by_address);
}

/* The name is a new one, too: who came in by another link knows the old one. */
bool sv_gate_renew(sv_gate *gate, bool by_address) {
    gate->used[0] = '\0';
    return make_host(gate->host, by_address) && make_secret(gate->cookie) &&
           make_secret(gate->link);
}

bool sv_gate_host(const sv_gate *gate, const char *host) {
    char ours[SV_HOST + 8];
    snprintf(ours, sizeof ours, "%s:%u", gate->host, (unsigned)gate->port);
    return host && strcmp(host, ours) == 0;
}

bool sv_gate_is_near(const sv_gate *gate, const char *host, unsigned *port) {
    const char *const colon = host ? strrchr(host, ':') : NULL;
    const size_t size = colon ? (size_t)(colon - host) : 0;
    const char *const names[] = {gate->host, "127.0.0.1", "localhost"};
    unsigned number = 0;
    for (const char *at = colon ? colon + 1 : ""; *at; at++) {
        if (*at < '0' || *at > '9' || number > 65535)
            return false;
        number = number * 10 + (unsigned)(*at - '0');
    }
    *port = number;
    for (size_t i = 0; i < sizeof names / sizeof *names && number > 0 && number <= 65535; i++)
        if (strlen(names[i]) == size && strncmp(names[i], host, size) == 0)
            return true;
    return false;
}

bool sv_gate_origin(const sv_gate *gate, const sv_asked *asked) {
    const bool is_ours = asked->origin && strncmp(asked->origin, "http://", 7) == 0 &&
                         sv_gate_host(gate, asked->origin + 7);
    if (asked->origin && !is_ours)
        return false;
    /* Browsers say where a request comes from; what says nothing changes nothing. */
    if (asked->fetch_site && strcmp(asked->fetch_site, "same-origin") != 0 &&
        strcmp(asked->fetch_site, "none") != 0)
        return false;
    return !asked->is_post || is_ours;
}

bool sv_gate_cookie(const sv_gate *gate, const char *cookie) {
    const size_t n = strlen(gate->cookie_name);
    while (cookie && *cookie) {
        cookie += strspn(cookie, " ;");
        const size_t size = strcspn(cookie, ";");
        if (size > n && strncmp(cookie, gate->cookie_name, n) == 0 && cookie[n] == '=' &&
            is_secret(cookie + n + 1, size - n - 1, gate->cookie))
            return true;
        cookie += size;
    }
    return false;
}

bool sv_gate_enter(sv_gate *gate, const char *token) {
    if (!token || !is_secret(token, strlen(token), gate->link))
        return false;
    memcpy(gate->used, gate->link, sizeof gate->used);
    gate->link[0] = '\0';
    return true;
}

bool sv_gate_was_used(const sv_gate *gate, const char *token) {
    return token && is_secret(token, strlen(token), gate->used);
}

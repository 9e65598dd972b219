#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entrance.h"
#include "routes.h"
#include "server/pages/pages.h"
#include "server/release/release.h"
#include "server_inside.h"

enum { MOST_PARTS = 8, FORM_ROOM = 64 << 10 };

/* What is known of a request while its body comes in. */
typedef struct {
    sv_request request;
    sv_form_reader form;
    struct MHD_PostProcessor *processor;
    char *url;
    char *path; /* the same, its parts each with a NUL behind it */
    const char *parts[MOST_PARTS];
    size_t n_parts;
    const sv_route *route;
} exchange;

static const char *header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static enum MHD_Result refuse_plain(struct MHD_Connection *connection, unsigned status,
                                    const char *title, const char *text) {
    sv_reply reply = {.status = status};
    sv_html(&reply.body,
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>%s</title>"
            "<h1>%s</h1><p>%s</p></html>\n",
            title, title, text);
    return sv_respond(connection, &reply, NULL);
}

static enum MHD_Result refuse_stranger(struct MHD_Connection *connection) {
    return refuse_plain(connection, 403, "This browser has no access",
                        "Open the link that kanon serve printed. It works once; pressing Enter in "
                        "the terminal where kanon serve runs prints a new one.");
}

/* ---- finding the handler --------------------------------------------------------------------- */

static bool split(exchange *work, const char *url) {
    work->path = strdup(url);
    work->url = strdup(url);
    work->request.path = work->url ? work->url : "/";
    if (!work->path)
        return false;
    for (char *at = work->path; at && *at == '/';) {
        *at++ = '\0';
        if (!*at)
            break;
        if (work->n_parts == MOST_PARTS)
            return false;
        work->parts[work->n_parts++] = at;
        at = strchr(at, '/');
    }
    return true;
}

/* Whether the parts of a path are those of a pattern; a star is any. */
static bool matches(const exchange *work, const char *pattern) {
    size_t n = 0;
    for (const char *at = pattern; *at == '/' && at[1]; n++) {
        const size_t size = strcspn(++at, "/");
        if (n == work->n_parts)
            return false;
        if (!(size == 1 && *at == '*') &&
            (strlen(work->parts[n]) != size || strncmp(work->parts[n], at, size) != 0))
            return false;
        at += size;
    }
    return n == work->n_parts;
}

static void find_route(exchange *work, const char *method) {
    size_t n;
    const sv_route *routes = sv_routes(&n);
    for (size_t i = 0; i < n && !work->route; i++)
        if (strcmp(routes[i].method, method) == 0 && matches(work, routes[i].pattern))
            work->route = &routes[i];
}

/* The project, and what stands for the other stars. */
static bool find_project(exchange *work) {
    size_t at = 0, n = 0;
    for (const char *part = work->route->pattern; (part = strchr(part, '/')) && part[1]; at++) {
        part++;
        if (*part != '*')
            continue;
        if (at == 1 && strcmp(work->parts[0], "p") == 0)
            work->request.project = sv_project_open(work->request.server, work->parts[at]);
        else if (n < 2)
            work->request.rest[n++] = work->parts[at];
    }
    return work->n_parts < 2 || strcmp(work->parts[0], "p") != 0 || work->request.project;
}

/* ---- the request ----------------------------------------------------------------------------- */

static enum MHD_Result take_argument(void *user, enum MHD_ValueKind kind, const char *key,
                                     size_t key_size, const char *value, size_t size) {
    exchange *work = user;
    (void)kind;
    if (!key || strlen(key) != key_size || (value && memchr(value, '\0', size)) ||
        work->request.n_fields > 1000 ||
        !sv_form_add(&work->request, key, value ? value : "", value ? size : 0))
        work->form.status = 400;
    return work->form.status ? MHD_NO : MHD_YES;
}

/* A field at the end of a form that is empty is told only now. */
static void end_form(exchange *work) {
    if (work->processor)
        (void)MHD_destroy_post_processor(work->processor);
    work->processor = NULL;
}

/* What there is for a project of several tables, whose choices stand in its job file alone. */
static bool takes_tables(sv_handler handler) {
    return handler == sv_tables || handler == sv_tables_start || handler == sv_release_file ||
           handler == sv_release_delete_it || handler == sv_task_page ||
           handler == sv_task_events || handler == sv_task_stop_it || handler == sv_projects_delete;
}

static void refuse_tables(exchange *work, sv_reply *reply) {
    if (work->request.is_post)
        sv_refuse(&work->request, reply, 409,
                  "The job of this project is over several tables. Its choices stand in kanon.yaml "
                  "and are changed there, in an editor; the pages show the tables and make the "
                  "release.");
    else
        sv_go(reply, work->request.project, "tables");
}

static enum MHD_Result handle(exchange *work, struct MHD_Connection *connection) {
    sv_reply reply = {0};
    end_form(work);
    if (work->form.file >= 0) {
        if (close(work->form.file) != 0 && !work->form.status) {
            work->form.status = 507;
            work->form.why = "The disk is full; the file was not kept.";
        }
        work->form.file = -1;
    }
    if (!work->route && !work->request.is_post && sv_asset_get(work->request.path, &reply))
        return sv_respond(connection, &reply, NULL);
    if (!work->route)
        sv_refuse(&work->request, &reply, 404, "There is no such page.");
    else if (work->form.status)
        sv_refuse(&work->request, &reply, work->form.status, "%s",
                  work->form.why ? work->form.why : "The request is malformed.");
    else if (!find_project(work))
        sv_refuse(&work->request, &reply, 404, "There is no project of that name.");
    else if (work->request.project && work->request.project->error &&
             work->route->handler != sv_projects_delete)
        sv_refuse(&work->request, &reply, 409, "The job file of this project cannot be read. %s",
                  work->request.project->error);
    else if (work->request.project && work->request.project->tables &&
             !takes_tables(work->route->handler))
        refuse_tables(work, &reply);
    else
        work->route->handler(&work->request, &reply);
    return sv_respond(connection, &reply, NULL);
}

static bool begin_form(exchange *work, struct MHD_Connection *connection) {
    work->processor = MHD_create_post_processor(connection, FORM_ROOM, sv_form_take, &work->form);
    return work->processor != NULL;
}

/* A page of its own that goes on by itself: a cookie for this site alone is not sent along a redirect
 * that began elsewhere, such as in the file that opened the browser. */
static enum MHD_Result go_on(sv_daemon *server, struct MHD_Connection *connection,
                             const char *cookie) {
    sv_reply reply = {0};
    sv_html(&reply.body,
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>kanon</title>"
            "<link rel=\"icon\" href=\"data:,\">" /* else browsers ask for /favicon.ico */
            "<meta http-equiv=\"refresh\" content=\"0; url=%s\"><h1>kanon</h1><p>You are in. <a "
            "href=\"%s\">Continue</a></p></html>\n",
            server->start, server->start);
    return sv_respond(connection, &reply, cookie);
}

static enum MHD_Result refuse_used(sv_daemon *server, struct MHD_Connection *connection) {
    sv_entrance_tell_used(server);
    return refuse_plain(
        connection, 403, "This link has already been used",
        "Somebody has already used it, in another browser. If that was not you: press Enter in the "
        "terminal where kanon serve runs. It prints a new link, and ends all others.");
}

/* The link: the token is used up, and the browser has the cookie from here on. */
static enum MHD_Result enter(sv_daemon *server, struct MHD_Connection *connection) {
    char cookie[128];
    const char *token = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
    pthread_mutex_lock(&server->gate_lock);
    const bool is_good = sv_gate_enter(&server->gate, token);
    const bool was_used = !is_good && sv_gate_was_used(&server->gate, token);
    snprintf(cookie, sizeof cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=/",
             server->gate.cookie_name, server->gate.cookie);
    const bool is_known = sv_gate_cookie(&server->gate, header(connection, "Cookie"));
    pthread_mutex_unlock(&server->gate_lock);
    if (is_good)
        sv_entrance_close(server); /* the file has done its work */
    if (is_good || is_known)
        return go_on(server, connection, is_good ? cookie : NULL);
    return was_used ? refuse_used(server, connection) : refuse_stranger(connection);
}

/* By another port, as with ssh -L: what would work. */
static enum MHD_Result refuse_host(sv_daemon *server, struct MHD_Connection *connection,
                                   const char *host) {
    sv_text text = {0};
    unsigned port = 0;
    pthread_mutex_lock(&server->gate_lock);
    const unsigned ours = server->gate.port;
    const bool is_near = sv_gate_is_near(&server->gate, host, &port);
    pthread_mutex_unlock(&server->gate_lock);
    if (is_near && port != ours)
        sv_print(
            &text,
            "The request came by port %u, and kanon serve listens on port %u. Through SSH both "
            "ends need the same port: ssh -t -L %u:127.0.0.1:%u SERVER kanon serve --port %u; "
            "then open the link as it was printed.",
            port, ours, port, port, port);
    else if (is_near)
        sv_raw(&text, "Open the link as kanon serve printed it, with the name of its host. If the "
                      "browser does not find that name, start kanon serve with --by-address.");
    else
        sv_raw(&text, "The request is meant for another host.");
    const enum MHD_Result result = refuse_plain(connection, 421, "Not this server",
                                                text.failed ? "Out of memory." : text.bytes);
    sv_text_free(&text);
    return result;
}

/* Everything that can be known before the body: true to go on, else `*result` is the answer's. */
static bool let_in(sv_daemon *server, struct MHD_Connection *connection, const char *url,
                   const char *method, enum MHD_Result *result) {
    const bool is_post = strcmp(method, "POST") == 0;
    const sv_asked asked = {.host = header(connection, "Host"),
                            .origin = header(connection, "Origin"),
                            .fetch_site = header(connection, "Sec-Fetch-Site"),
                            .cookie = header(connection, "Cookie"),
                            .is_post = is_post};
    pthread_mutex_lock(&server->gate_lock);
    const bool is_host = sv_gate_host(&server->gate, asked.host);
    const bool is_origin = sv_gate_origin(&server->gate, &asked);
    const bool is_known = sv_gate_cookie(&server->gate, asked.cookie);
    pthread_mutex_unlock(&server->gate_lock);
    if (is_host && is_known)
        sv_visitor_know(&server->visitors, connection);
    if (!is_post && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        *result = refuse_plain(connection, 405, "Not allowed",
                               "Pages are read with GET and changed "
                               "with POST.");
    else if (!is_host)
        *result = refuse_host(server, connection, asked.host);
    else if (strcmp(url, "/enter") == 0 &&
             strcmp(method, "GET") == 0) /* a preview uses no link up */
        *result = enter(server, connection);
    else if (!is_known)
        *result = refuse_stranger(connection);
    else if (!is_origin)
        *result = refuse_plain(connection, 403, "Not from another page",
                               "The request does not come from a page of this server.");
    else
        return true;
    return false;
}

static exchange *begin(sv_daemon *server, const char *url, const char *method) {
    exchange *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->request.server = &server->shared;
    work->request.is_post = strcmp(method, "POST") == 0;
    work->form =
        (sv_form_reader){.request = &work->request, .file = -1, .folder = server->shared.folder};
    if (split(work, url))
        find_route(work, strcmp(method, "HEAD") == 0 ? "GET" : method);
    return work;
}

/* The size that the body is said to have; 0: nothing is said. */
static uint64_t body_size(struct MHD_Connection *connection) {
    const char *size = header(connection, "Content-Length");
    return size ? strtoull(size, NULL, 10) : 0;
}

static enum MHD_Result first_call(sv_daemon *server, struct MHD_Connection *connection,
                                  const char *url, const char *method, void **memory) {
    enum MHD_Result result;
    sv_reply reply = {0};
    if (!let_in(server, connection, url, method, &result))
        return result;
    exchange *work = begin(server, url, method);
    if (!work)
        return MHD_NO;
    *memory = work;
    (void)MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, take_argument, work);
    if (!work->request.is_post)
        return MHD_YES;
    if (!work->route) {
        sv_refuse(&work->request, &reply, 404, "There is no such page.");
        return sv_respond(connection, &reply, NULL);
    }
    if (body_size(connection) > server->upload_limit) {
        sv_refuse(&work->request, &reply, 413,
                  "The file is larger than this server accepts; kanon serve --upload-limit sets "
                  "the limit.");
        return sv_respond(connection, &reply, NULL);
    }
    if (!begin_form(work, connection)) {
        sv_refuse(&work->request, &reply, 415, "The request is not a form.");
        return sv_respond(connection, &reply, NULL);
    }
    return MHD_YES;
}

enum MHD_Result sv_exchange_answer(void *user, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *bytes,
                                   size_t *size, void **memory) {
    sv_daemon *server = user;
    exchange *work = *memory;
    (void)version;
    if (!work)
        return first_call(server, connection, url, method, memory);
    if (*size == 0)
        return handle(work, connection);
    if (work->request.upload.size > server->upload_limit)
        return MHD_NO; /* more than it said: nobody to answer */
    if (!work->form.status && work->processor &&
        MHD_post_process(work->processor, bytes, *size) == MHD_NO && !work->form.status)
        work->form.status = 400;
    *size = 0;
    return MHD_YES;
}

void sv_exchange_end(void *server, struct MHD_Connection *connection, void **memory,
                     enum MHD_RequestTerminationCode how) {
    exchange *work = *memory;
    (void)server;
    (void)connection;
    (void)how;
    if (!work)
        return;
    end_form(work);
    if (work->form.file >= 0)
        close(work->form.file);
    sv_request_free(&work->request);
    free(work->path);
    free(work->url);
    free(work);
    *memory = NULL;
}

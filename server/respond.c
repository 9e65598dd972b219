#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server_inside.h"

/* Nothing but our own files, and no request to anywhere else. */
#define POLICY                                                                                     \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "              \
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "                  \
    "frame-ancestors 'none'"
/* A report: a document of its own, without script, that may be shown inside one of our pages. */
#define SANDBOX                                                                                    \
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "     \
    "form-action 'none'; frame-ancestors 'self'"

/* ---- streams -------------------------------------------------------------------------------- */

static void sleep_stream(sv_stream *stream) {
    MHD_suspend_connection(stream->connection);
}

static void wake_stream(sv_stream *stream) {
    MHD_resume_connection(stream->connection);
}

/* How a task stands, as an event. Progress is JSON of our own, a line of it. */
static void add_event(sv_stream *stream, const sv_task_state *state) {
    const bool is_over = state->status != SV_WAITING && state->status != SV_RUNNING;
    stream->unsent.size = 0;
    stream->sent = 0;
    sv_print(&stream->unsent,
             "event: %s\ndata: {\"status\":\"%s\",\"step\":%zu,\"steps\":%zu,\"seconds\":%.1f,"
             "\"progress\":%s}\n\n",
             is_over ? "end" : "progress", sv_status_word(state->status), state->step,
             state->n_steps, state->seconds,
             state->progress && *state->progress ? state->progress : "null");
    stream->has_ended = is_over;
}

static ssize_t read_stream(void *user, uint64_t position, char *room, size_t size) {
    sv_stream *stream = user;
    (void)position;
    if (stream->sent == stream->unsent.size) {
        sv_task_state state;
        if (stream->has_ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (!sv_stream_next(stream, &state))
            return 0;
        add_event(stream, &state);
        sv_task_state_free(&state);
        if (stream->unsent.failed)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    const size_t left = stream->unsent.size - stream->sent, n = left < size ? left : size;
    memcpy(room, stream->unsent.bytes + stream->sent, n);
    stream->sent += n;
    return (ssize_t)n;
}

static void free_stream(void *user) {
    sv_stream *stream = user;
    sv_task_let_go(stream->task);
    sv_text_free(&stream->unsent);
    free(stream);
}

static struct MHD_Response *stream_response(struct MHD_Connection *connection, sv_task *task) {
    sv_stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        sv_task_let_go(task);
        return NULL;
    }
    *stream = (sv_stream){
        .task = task, .connection = connection, .sleep = sleep_stream, .wake = wake_stream};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_stream, stream, free_stream);
    if (!response)
        free_stream(stream);
    return response;
}

/* ---- responses ------------------------------------------------------------------------------ */

static struct MHD_Response *file_response(sv_reply *reply) {
    struct stat seen;
    const int file = open(reply->file.bytes, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file >= 0 && fstat(file, &seen) == 0 && S_ISREG(seen.st_mode))
        return MHD_create_response_from_fd64((uint64_t)seen.st_size, file);
    if (file >= 0)
        close(file);
    reply->status = 404;
    reply->type = "text/plain; charset=utf-8";
    static char gone[] = "This file no longer exists.\n";
    return MHD_create_response_from_buffer(sizeof gone - 1, gone, MHD_RESPMEM_PERSISTENT);
}

static struct MHD_Response *make_response(struct MHD_Connection *connection, sv_reply *reply) {
    if (reply->events) {
        reply->type = "text/event-stream";
        return stream_response(connection, reply->events);
    }
    if (reply->file.size && !reply->file.failed)
        return file_response(reply);
    if (reply->body.failed || reply->location.failed || reply->file.failed) {
        static char out[] = "Out of memory.\n";
        reply->status = 500;
        reply->type = "text/plain; charset=utf-8";
        return MHD_create_response_from_buffer(sizeof out - 1, out, MHD_RESPMEM_PERSISTENT);
    }
    if (!reply->body.bytes)
        return MHD_create_response_from_buffer(0, (char *)"", MHD_RESPMEM_PERSISTENT);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->body.size, reply->body.bytes, MHD_RESPMEM_MUST_FREE);
    if (response)
        reply->body = (sv_text){0};
    return response;
}

/* The name of a download: plain signs alone. */
static void add_disposition(sv_text *out, const char *name) {
    sv_raw(out, "attachment; filename=\"");
    for (const char *at = name; *at; at++) {
        const bool is_plain = sv_is_letter_or_digit(*at) || strchr("-._", *at);
        sv_bytes(out, is_plain ? at : "-", 1);
    }
    sv_raw(out, "\"");
}

static void add_headers(struct MHD_Response *response, const sv_reply *reply,
                        const char *set_cookie) {
    const char *const headers[][2] = {
        {"Content-Type", reply->type ? reply->type : "text/html; charset=utf-8"},
        {"Content-Security-Policy", reply->is_sandboxed ? SANDBOX : POLICY},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", reply->is_sandboxed ? "SAMEORIGIN" : "DENY"},
        {"Cache-Control", "no-store"},
        /* Not no-referrer: browsers then hide the origin of forms, too, and we ask for it. */
        {"Referrer-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        (void)MHD_add_response_header(response, headers[i][0], headers[i][1]);
    if (set_cookie)
        (void)MHD_add_response_header(response, "Set-Cookie", set_cookie);
    if (reply->location.size)
        (void)MHD_add_response_header(response, "Location", reply->location.bytes);
    if (reply->download.size) {
        sv_text text = {0};
        add_disposition(&text, reply->download.bytes);
        if (!text.failed)
            (void)MHD_add_response_header(response, "Content-Disposition", text.bytes);
        sv_text_free(&text);
    }
}

enum MHD_Result sv_respond(struct MHD_Connection *connection, sv_reply *reply,
                           const char *set_cookie) {
    enum MHD_Result result = MHD_NO;
    struct MHD_Response *response = make_response(connection, reply);
    if (response) {
        add_headers(response, reply, set_cookie);
        result = MHD_queue_response(connection, reply->status ? reply->status : 200, response);
        MHD_destroy_response(response);
    }
    sv_text_free(&reply->body);
    sv_text_free(&reply->location);
    sv_text_free(&reply->file);
    sv_text_free(&reply->download);
    return result;
}

/* A request that the gate has let through, and the reply to it. Handlers run one at a time, in the
 * thread of the server: what takes longer than a moment is a task. */
#ifndef KANON_SERVER_PAGES_REQUEST_H
#define KANON_SERVER_PAGES_REQUEST_H

#include <stdint.h>

#include "server/projects/projects.h"

typedef struct sv_field {
    char *name, *value; /* UTF-8, NUL-terminated; a field with a NUL byte is refused */
} sv_field;

typedef struct sv_upload {
    char *name; /* what the browser calls the file; never used as a path */
    char *path; /* where its bytes are, below the folder of projects; deleted after the request
                 * unless the handler has moved it */
    uint64_t size;
} sv_upload;

typedef struct sv_request {
    sv_server *server;
    const char *path; /* decoded, without query */
    bool is_post;
    sv_project *project; /* of /p/NAME/...; NULL elsewhere */
    const char *rest[2]; /* what stands for the `*` of the route, the project's name left out */
    sv_field *fields;    /* of the query, then of the form */
    size_t n_fields;
    sv_upload upload; /* the one file of a form; name NULL: none */
} sv_request;

/* The first value of that name; NULL: none. */
const char *sv_field_of(const sv_request *request, const char *name);
/* The index-th value of that name; NULL: fewer. */
const char *sv_field_at(const sv_request *request, const char *name, size_t index);

typedef struct sv_reply {
    unsigned status;  /* 200 unless set */
    const char *type; /* text/html; charset=utf-8 unless set */
    sv_text body;
    sv_text location;  /* where to go from here (303) */
    sv_text file;      /* a path to send instead of the body */
    sv_text download;  /* the name under which the browser keeps it; empty: it is shown */
    bool is_sandboxed; /* a page that somebody's data made, such as a report: no script, its own
                           * inline style */
    struct sv_task *events; /* the reply is the stream of this task */
} sv_reply;

/* 303 to the path that the format says; links are made by sv_url before. */
void sv_redirect(sv_reply *reply, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* To a page of the project, such as "columns" or "hierarchies/3". */
void sv_go(sv_reply *reply, const sv_project *project, const char *page);

typedef void (*sv_handler)(sv_request *request, sv_reply *reply);

#endif

/* The server's own files. */
#ifndef KANON_SERVER_SERVER_INSIDE_H
#define KANON_SERVER_SERVER_INSIDE_H

#include <microhttpd.h>
#include <pthread.h>

#include "gate.h"
#include "server/pages/pages.h"
#include "server/projects/projects.h"
#include "visitors.h"

/* The server as it runs. */
typedef struct sv_daemon {
    sv_server shared;          /* what requests see of it */
    pthread_mutex_t gate_lock; /* the terminal makes new links */
    sv_gate gate;
    char *start;   /* the page that the link leads to */
    char *opened;  /* the file that the browser was given; NULL: none is there */
    bool has_told; /* that a link was opened again which somebody had used */
    sv_visitors visitors;
    uint64_t upload_limit; /* bytes of one request */
    struct MHD_Daemon *daemon;
} sv_daemon;

/* ---- exchange.c: one request from its first header to its last byte -------------------------- */

enum MHD_Result sv_exchange_answer(void *server, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *bytes,
                                   size_t *size, void **memory);
void sv_exchange_end(void *server, struct MHD_Connection *connection, void **memory,
                     enum MHD_RequestTerminationCode how);

/* ---- form.c: fields and the uploaded file ---------------------------------------------------- */

typedef struct sv_form_reader {
    sv_request *request;
    size_t bytes;    /* of all fields */
    int file;        /* that is being written; -1: none */
    unsigned status; /* of the refusal; 0: all is well */
    const char *why;
    const char *folder; /* of projects */
} sv_form_reader;

/* For MHD_create_post_processor. */
enum MHD_Result sv_form_take(void *reader, enum MHD_ValueKind kind, const char *key,
                             const char *file_name, const char *type, const char *encoding,
                             const char *bytes, uint64_t offset, size_t size);
bool sv_form_add(sv_request *request, const char *name, const char *value, size_t size);
void sv_request_free(sv_request *request);

/* ---- respond.c: a reply as a response of HTTP ------------------------------------------------ */

/* Sends it; the reply is used up. */
enum MHD_Result sv_respond(struct MHD_Connection *connection, sv_reply *reply,
                           const char *set_cookie);

/* ---- assets.c -------------------------------------------------------------------------------- */

typedef struct sv_asset {
    const char *name, *type;
    const unsigned char *bytes;
    size_t size;
} sv_asset;

/* Every file of web/; made by the build. NULL name behind the last. */
extern const sv_asset sv_assets[];

/* Answers a path such as /kanon.js; false: there is none of that name. */
bool sv_asset_get(const char *path, sv_reply *reply);

#endif

/* Statements to one server of ClickHouse, over HTTP by libcurl.
 *
 * A truncated answer must never be taken for a small one. So the server is asked to finish a
 * statement before it sends the first byte of the answer (wait_end_of_query): whatever goes wrong in
 * between then has a status of its own, also in versions that else write the error into the rows.
 * Rows go in and out as RowBinary. User and password go in headers, never into an address, and the
 * server's own words are handed on without them.
 *
 * One statement at a time; one thread. */
#ifndef KANON_ENGINE_CLICKHOUSE_HTTP_H
#define KANON_ENGINE_CLICKHOUSE_HTTP_H

#include <curl/curl.h>

#include "engine/transport.h"

/* The calls of libcurl, in the order of their names in curl.c. */
typedef struct kan_curl {
    CURLcode (*global_init)(long flags);
    void (*global_cleanup)(void);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *easy);
    CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
    CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
    const char *(*easy_strerror)(CURLcode code);
    struct curl_slist *(*slist_append)(struct curl_slist *list, const char *line);
    void (*slist_free_all)(struct curl_slist *list);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *multi);
    CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
    CURLMcode (*multi_perform)(CURLM *multi, int *n_running);
    CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *more, unsigned n_more, int timeout_ms,
                            int *n_ready);
    CURLMsg *(*multi_info_read)(CURLM *multi, int *n_left);
} kan_curl;

/* Loads libcurl; KAN_BAD_INPUT says what to install. */
KAN_MUST_USE kan_status kan_curl_load(kan_run *run, kan_curl *out);

/* Who asks, and how; shared by all servers of a cluster. Texts are borrowed. */
typedef struct kan_click_login {
    const char *user, *password; /* "" is none */
    bool is_secure;              /* https */
    uint64_t silence_s;          /* how long a server may be silent before it counts as gone */
} kan_click_login;

typedef struct kan_click_server {
    kan_run *run;
    const kan_curl *curl; /* borrowed */
    const kan_click_login *login;
    const char *host, *port, *name; /* "host:port" in messages; in the arena of who opened it */
    CURL *easy, *side;              /* for statements; for signs of life and KILL QUERY */
    CURLM *multi;
    struct curl_slist *headers;
    kan_text settings; /* of every statement: "&skip_unavailable_shards=0.." */
    char tag[17];      /* what all ids of its statements begin with */
    uint64_t n_asked, n_received;
    long code;        /* of the last error that it answered with */
    bool knows_final; /* it has a setting that puts FINAL behind every table */
    bool is_broken;
} kan_click_server;

/* Prepares everything, sends nothing. `server` is initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_click_open(kan_run *run, kan_arena *arena, const kan_curl *curl,
                                       const kan_click_login *login, const char *host,
                                       const char *port, kan_click_server *server);
void kan_click_close(kan_click_server *server);

/* A statement. Of `taker`, `giver` and `text` at most one is there; `n_columns` and `types` (one
 * each, from kan_click_types) go with the first two. */
typedef struct kan_click_request {
    kan_statement statement;
    size_t n_columns;
    const struct kan_click_type *types;
    const kan_row_taker *taker;
    const kan_row_giver *giver; /* rows behind the statement, which is an INSERT */
    uint64_t *n_given;          /* rows that it gave */
    kan_text *text;             /* gets the answer as it is, at most 16 MiB */
} kan_click_request;

/* Runs it. A run that is cancelled ends it on the server, too; see kan_statement.cleans_up. */
KAN_MUST_USE kan_status kan_click_ask(kan_click_server *server, const kan_click_request *request);

/* A statement without rows on several servers at once. One that fails ends it on the others. */
KAN_MUST_USE kan_status kan_click_ask_all(kan_click_server *servers, size_t n,
                                          const kan_statement *statement);

/* ---- rows as RowBinary ---------------------------------------------------------------------- */

typedef struct kan_click_type {
    bool is_nullable;
    unsigned integer; /* bytes of a whole number: 1, 2, 4 or 8; 0: it is text */
    bool is_signed;
} kan_click_type;

/* Reads what the server calls a type; false where rows of it cannot be read or written here. */
bool kan_click_type_read(kan_slice name, kan_click_type *out);

/* Takes rows out of bytes that come in pieces. */
typedef struct kan_click_reader {
    kan_run *run;
    size_t n_columns;
    const kan_click_type *types;
    const kan_row_taker *taker;
    kan_slice *values;
    char (*digits)[24]; /* texts of whole numbers, one room per column */
    char *bytes;        /* of a row that is not complete */
    size_t size, capacity;
} kan_click_reader;

KAN_MUST_USE kan_status kan_click_reader_init(kan_click_reader *reader, kan_run *run,
                                              const kan_click_request *request);
void kan_click_reader_destroy(kan_click_reader *reader);
KAN_MUST_USE kan_status kan_click_reader_add(kan_click_reader *reader, const char *bytes,
                                             size_t size);
/* Whether all bytes were rows. */
static inline bool kan_click_reader_is_done(const kan_click_reader *reader) {
    return reader->size == 0;
}

/* Appends a row. KAN_FAILED where a value does not fit its type. */
KAN_MUST_USE kan_status kan_click_row_write(kan_text *text, size_t n_columns,
                                            const kan_click_type *types, const kan_slice *values);

/* ---- errors --------------------------------------------------------------------------------- */

/* What a server answered in place of rows becomes the run's error. */
kan_status kan_click_fail(kan_click_server *server, const char *what, long http_status,
                          kan_slice answer);

#endif

#include "engine/clickhouse/http.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/secret.h"

enum {
    MOST_ANSWER = 16 << 20, /* bytes of an answer that is taken as one text */
    MOST_ERROR = 8 << 10,
    POLL_MS = 100,
    PING_AFTER_MS = 10000,
    KILL_LIMIT_S = 20,
    SENT_AT_ONCE = 256 << 10
};

/* A statement under way. */
typedef struct exchange {
    kan_click_server *server;
    const kan_click_request *request;
    kan_click_reader reader;
    kan_text answer; /* an error, or what `request->text` gets */
    kan_text rows;   /* to be sent */
    size_t n_sent;   /* bytes of them */
    bool gave_all;
    kan_slice *values;
    kan_status status; /* of taking and giving rows */
    kan_text url, ping, base;
    char id[64];
    bool is_added; /* libcurl has it */
    bool is_done, is_pinging, is_gone;
    CURLcode code; /* when it is done */
    double heard_ms, pinged_ms;
} exchange;

/* ---- opening -------------------------------------------------------------------------------- */

static bool host_is_plain(const char *host) {
    return *host && strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
                                 ":[]") == strlen(host);
}

static kan_status add_header(kan_click_server *server, const char *name, const char *value) {
    kan_text line;
    kan_text_init(&line, server->run);
    /* With nothing behind the colon libcurl would leave the header out. */
    kan_text_print(&line, *value ? "%s: %s" : "%s;%s", name, value);
    kan_status status = kan_text_status(&line);
    if (status == KAN_OK) {
        struct curl_slist *longer = server->curl->slist_append(server->headers, line.bytes);
        if (longer)
            server->headers = longer;
        else
            status = kan_fail(server->run, KAN_FAILED, "out of memory in libcurl");
        explicit_bzero(line.bytes, line.size);
    }
    kan_text_destroy(&line);
    return status;
}

static kan_status set_options(kan_click_server *server, CURL *easy) {
    const kan_curl *curl = server->curl;
    CURLcode code = curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_HTTPHEADER, server->headers);
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)server->login->silence_s);
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    /* Passwords go to the server that was named, and to no proxy of the environment. */
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_PROXY, "");
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_BUFFERSIZE, 512L << 10);
    /* On a connection that is used again libcurl sends a statement twice where the first got no
     * answer; a statement that changes something must not be. */
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    return code == CURLE_OK
               ? KAN_OK
               : kan_fail(server->run, KAN_FAILED, "libcurl: %s", curl->easy_strerror(code));
}

static kan_status draw_tag(kan_run *run, char *tag) {
    kan_secret secret;
    KAN_TRY(kan_secret_draw(run, &secret));
    for (int i = 0; i < 16; i++)
        tag[i] = "0123456789abcdef"[kan_secret_below(&secret, 16)];
    kan_secret_forget(&secret);
    return KAN_OK;
}

kan_status kan_click_open(kan_run *run, kan_arena *arena, const kan_curl *curl,
                          const kan_click_login *login, const char *host, const char *port,
                          kan_click_server *server) {
    *server =
        (kan_click_server){.run = run, .curl = curl, .login = login, .host = host, .port = port};
    kan_text_init(&server->settings, run);
    uint64_t number = 0;
    if (!host_is_plain(host))
        return kan_fail(run, KAN_BAD_INPUT, "clickhouse: the name of the host is invalid");
    if (!kan_parse_count(port, &number) || number == 0 || number > 65535)
        return kan_fail(run, KAN_BAD_INPUT,
                        "clickhouse: the port of %s is a number up to 65535, of "
                        "the server's HTTP interface (often 8123)",
                        host);
    kan_text name;
    kan_text_init(&name, run);
    kan_text_print(&name, strchr(host, ':') && host[0] != '[' ? "[%s]:%s" : "%s:%s", host, port);
    kan_status status = kan_text_status(&name);
    if (status == KAN_OK)
        status = kan_arena_copy(arena, name.bytes, name.size, &server->name);
    kan_text_destroy(&name);
    KAN_TRY(status);
    KAN_TRY(draw_tag(run, server->tag));
    server->easy = curl->easy_init();
    server->side = curl->easy_init();
    server->multi = curl->multi_init();
    if (!server->easy || !server->side || !server->multi)
        return kan_fail(run, KAN_FAILED, "out of memory in libcurl");
    KAN_TRY(add_header(server, "X-ClickHouse-User", login->user));
    if (*login->password)
        KAN_TRY(add_header(server, "X-ClickHouse-Key", login->password));
    KAN_TRY(add_header(server, "Content-Type", "application/octet-stream"));
    KAN_TRY(add_header(server, "User-Agent", "kanon"));
    struct curl_slist *longer = curl->slist_append(server->headers, "Expect:");
    if (!longer)
        return kan_fail(run, KAN_FAILED, "out of memory in libcurl");
    server->headers = longer;
    KAN_TRY(set_options(server, server->easy));
    return set_options(server, server->side);
}

void kan_click_close(kan_click_server *server) {
    if (!server->run)
        return;
    if (server->easy)
        server->curl->easy_cleanup(server->easy);
    if (server->side)
        server->curl->easy_cleanup(server->side);
    if (server->multi)
        (void)server->curl->multi_cleanup(server->multi);
    for (struct curl_slist *line = server->headers; line; line = line->next)
        explicit_bzero(line->data, strlen(line->data));
    server->curl->slist_free_all(server->headers);
    kan_text_destroy(&server->settings);
    server->run = NULL;
}

/* ---- bytes that come and go ----------------------------------------------------------------- */

static bool is_refused(const kan_click_server *server, long *http_status) {
    *http_status = 0;
    (void)server->curl->easy_getinfo(server->easy, CURLINFO_RESPONSE_CODE, http_status);
    return *http_status != 200;
}

static size_t take_bytes(char *bytes, size_t size, size_t n, void *context) {
    exchange *now = context;
    size *= n;
    now->server->n_received += size;
    now->heard_ms = kan_now_ms();
    long http_status;
    const bool failed = is_refused(now->server, &http_status);
    if (failed || !now->request->taker) {
        const size_t most = failed ? MOST_ERROR : MOST_ANSWER;
        if (now->answer.size + size > most && !failed)
            now->status = kan_fail(now->server->run, KAN_FAILED, "%s: the answer is too long",
                                   now->request->statement.what);
        else if (now->answer.size < most)
            kan_text_add(&now->answer, bytes,
                         size < most - now->answer.size ? size : most - now->answer.size);
    } else if (now->status == KAN_OK) {
        now->status = kan_click_reader_add(&now->reader, bytes, size);
    }
    return now->status == KAN_OK ? size : 0;
}

/* Makes rows until there is a piece to send. */
static void give_rows(exchange *now) {
    const kan_click_request *request = now->request;
    now->rows.size = now->n_sent = 0;
    while (now->status == KAN_OK && !now->gave_all && now->rows.size < SENT_AT_ONCE) {
        bool is_row = false;
        now->status = request->giver->give(request->giver->context, now->values, &is_row);
        now->gave_all = !is_row;
        if (now->status == KAN_OK && is_row) {
            now->status =
                kan_click_row_write(&now->rows, request->n_columns, request->types, now->values);
            ++*request->n_given;
        }
    }
}

static size_t give_bytes(char *room, size_t size, size_t n, void *context) {
    exchange *now = context;
    now->heard_ms = kan_now_ms();
    if (now->n_sent == now->rows.size)
        give_rows(now);
    if (now->status != KAN_OK)
        return CURL_READFUNC_ABORT;
    size_t left = now->rows.size - now->n_sent;
    left = left < size * n ? left : size * n;
    if (left > 0)
        memcpy(room, now->rows.bytes + now->n_sent, left);
    now->n_sent += left;
    return left;
}

static size_t drop_bytes(char *bytes, size_t size, size_t n, void *context) {
    (void)bytes;
    (void)context;
    return size * n;
}

/* ---- one statement -------------------------------------------------------------------------- */

static void add_escaped(kan_text *text, const char *value) {
    for (; *value; value++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", *value))
            kan_text_add(text, value, 1);
        else
            kan_text_print(text, "%%%02X", (unsigned)(unsigned char)*value);
}

static void begin_url(const kan_click_server *server, kan_text *url) {
    kan_text_print(url, "%s://%s/", server->login->is_secure ? "https" : "http", server->name);
}

static CURLcode plan_transfer(exchange *now, const char *url) {
    const kan_curl *curl = now->server->curl;
    CURL *easy = now->server->easy;
    CURLcode code = curl->easy_setopt(easy, CURLOPT_URL, url);
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_POST, 1L);
    if (code == CURLE_OK && !now->request->giver) {
        const char *sql = now->request->statement.sql;
        code = curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(sql));
        if (code == CURLE_OK)
            code = curl->easy_setopt(easy, CURLOPT_POSTFIELDS, sql);
    } else if (code == CURLE_OK) {
        code = curl->easy_setopt(easy, CURLOPT_POSTFIELDS, NULL);
        if (code == CURLE_OK) /* unknown: it goes in chunks */
            code = curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)-1);
        if (code == CURLE_OK)
            code = curl->easy_setopt(easy, CURLOPT_READFUNCTION, give_bytes);
        if (code == CURLE_OK)
            code = curl->easy_setopt(easy, CURLOPT_READDATA, now);
    }
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
    if (code == CURLE_OK)
        code = curl->easy_setopt(easy, CURLOPT_WRITEDATA, now);
    return code;
}

/* Asks whether the server is alive, beside a statement that takes long. */
static bool begin_ping(kan_click_server *server, const char *url) {
    const kan_curl *curl = server->curl;
    return curl->easy_setopt(server->side, CURLOPT_URL, url) == CURLE_OK &&
           curl->easy_setopt(server->side, CURLOPT_HTTPGET, 1L) == CURLE_OK &&
           curl->easy_setopt(server->side, CURLOPT_TIMEOUT, (long)server->login->silence_s) ==
               CURLE_OK &&
           curl->easy_setopt(server->side, CURLOPT_WRITEFUNCTION, drop_bytes) == CURLE_OK &&
           curl->multi_add_handle(server->multi, server->side) == CURLM_OK;
}

/* Ends a statement on the server. What comes of it is not looked at: there is nothing more that
 * could be done. */
static void kill_statement(kan_click_server *server, const char *url, const char *id) {
    const kan_curl *curl = server->curl;
    kan_text sql;
    kan_text_init(&sql, server->run);
    kan_text_print(&sql, "KILL QUERY WHERE query_id = '%s' SYNC", id);
    if (kan_text_status(&sql) == KAN_OK &&
        curl->easy_setopt(server->side, CURLOPT_URL, url) == CURLE_OK &&
        curl->easy_setopt(server->side, CURLOPT_POST, 1L) == CURLE_OK &&
        curl->easy_setopt(server->side, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)sql.size) ==
            CURLE_OK &&
        curl->easy_setopt(server->side, CURLOPT_POSTFIELDS, sql.bytes) == CURLE_OK &&
        curl->easy_setopt(server->side, CURLOPT_TIMEOUT, (long)KILL_LIMIT_S) == CURLE_OK &&
        curl->easy_setopt(server->side, CURLOPT_WRITEFUNCTION, drop_bytes) == CURLE_OK &&
        curl->multi_add_handle(server->multi, server->side) == CURLM_OK) {
        for (int n_running = 1, n_ready; n_running > 0;)
            if (curl->multi_perform(server->multi, &n_running) != CURLM_OK ||
                (n_running > 0 &&
                 curl->multi_poll(server->multi, NULL, 0, POLL_MS, &n_ready) != CURLM_OK))
                break;
        (void)curl->multi_remove_handle(server->multi, server->side);
    }
    kan_text_destroy(&sql);
}

static void look_at_messages(exchange *now) {
    kan_click_server *server = now->server;
    int n_left;
    for (CURLMsg *message; (message = server->curl->multi_info_read(server->multi, &n_left));) {
        if (message->msg != CURLMSG_DONE)
            continue;
        if (message->easy_handle == server->easy) {
            now->is_done = true;
            now->code = message->data.result;
        } else {
            now->is_gone = message->data.result != CURLE_OK;
            now->is_pinging = false;
            now->pinged_ms = kan_now_ms();
            (void)server->curl->multi_remove_handle(server->multi, server->side);
        }
    }
}

/* Sends and receives what is ready; KAN_OK: go on, or it is done. */
static kan_status step(exchange *now) {
    kan_click_server *server = now->server;
    int n_running;
    if (server->curl->multi_perform(server->multi, &n_running) != CURLM_OK)
        return kan_fail(server->run, KAN_FAILED, "libcurl failed");
    look_at_messages(now);
    if (now->is_done)
        return KAN_OK;
    if (!now->request->statement.cleans_up && !now->request->statement.is_final)
        KAN_TRY(kan_check_cancel(server->run));
    if (now->is_gone)
        return kan_fail(server->run, KAN_FAILED,
                        "%s: %s has not answered for %" PRIu64 " seconds; is it overloaded, or was "
                        "it stopped? (?timeout=SECONDS in the address waits longer)",
                        now->request->statement.what, server->name, server->login->silence_s);
    const double now_ms = kan_now_ms();
    if (!now->is_pinging && now_ms - now->heard_ms > PING_AFTER_MS &&
        now_ms - now->pinged_ms > PING_AFTER_MS)
        now->is_pinging = begin_ping(server, now->ping.bytes);
    return KAN_OK;
}

static kan_status wait_a_while(kan_click_server *server, int most_ms) {
    int n_ready;
    return server->curl->multi_poll(server->multi, NULL, 0, most_ms, &n_ready) == CURLM_OK
               ? KAN_OK
               : kan_fail(server->run, KAN_FAILED, "libcurl could not wait");
}

static kan_status conclude(exchange *now) {
    const CURLcode code = now->code;
    kan_click_server *server = now->server;
    const kan_click_request *request = now->request;
    KAN_TRY(now->status); /* of whoever took or gave rows: libcurl only knows that it was ended */
    if (code != CURLE_OK) {
        server->is_broken = true;
        return kan_fail(server->run, KAN_FAILED, "%s: the connection to %s failed: %s%s",
                        request->statement.what, server->name, server->curl->easy_strerror(code),
                        code == CURLE_COULDNT_CONNECT
                            ? "; is the server running, and is this the port of its HTTP interface?"
                            : "");
    }
    KAN_TRY(kan_text_status(&now->answer));
    long http_status;
    if (is_refused(server, &http_status))
        return kan_click_fail(server, request->statement.what, http_status,
                              (kan_slice){now->answer.bytes, now->answer.size});
    if (request->taker && !kan_click_reader_is_done(&now->reader))
        return kan_fail(server->run, KAN_FAILED, "%s: the last row that came from %s is cut off",
                        request->statement.what, server->name);
    if (request->text)
        kan_text_add(request->text, now->answer.bytes, now->answer.size);
    return request->text ? kan_text_status(request->text) : KAN_OK;
}

/* Begins a statement; whatever comes of it, `end` follows. */
static kan_status begin(exchange *now, kan_click_server *server, const kan_click_request *request) {
    *now = (exchange){.server = server, .request = request, .status = KAN_OK};
    kan_text_init(&now->url, server->run);
    kan_text_init(&now->ping, server->run);
    kan_text_init(&now->base, server->run);
    kan_text_init(&now->answer, server->run);
    kan_text_init(&now->rows, server->run);
    if (!request->statement.cleans_up) {
        KAN_TRY(kan_check_cancel(server->run));
        if (server->is_broken)
            return kan_fail(server->run, KAN_FAILED, "%s: the connection to %s was lost before",
                            request->statement.what, server->name);
    }
    if (!server->easy || !server->side || !server->multi)
        return kan_fail(server->run, KAN_FAILED, "%s: %s was not opened", request->statement.what,
                        server->name ? server->name : "the server");
    snprintf(now->id, sizeof now->id, "kanon-%s-%" PRIu64, server->tag, ++server->n_asked);
    begin_url(server, &now->base);
    begin_url(server, &now->ping);
    kan_text_print(&now->ping, "ping");
    begin_url(server, &now->url);
    kan_text_print(&now->url, "?query_id=%s&wait_end_of_query=1&buffer_size=4194304", now->id);
    if (server->settings.size > 0)
        kan_text_add(&now->url, server->settings.bytes, server->settings.size);
    if (request->giver) {
        *request->n_given = 0;
        kan_text_print(&now->url, "&query=");
        add_escaped(&now->url, request->statement.sql);
        KAN_TRY(kan_alloc(server->run, request->n_columns, sizeof *now->values, &now->values));
    }
    if (request->taker)
        KAN_TRY(kan_click_reader_init(&now->reader, server->run, request));
    KAN_TRY(kan_text_status(&now->url));
    KAN_TRY(kan_text_status(&now->base));
    KAN_TRY(kan_text_status(&now->ping));
    now->heard_ms = now->pinged_ms = kan_now_ms();
    now->is_added = plan_transfer(now, now->url.bytes) == CURLE_OK &&
                    server->curl->multi_add_handle(server->multi, server->easy) == CURLM_OK;
    return now->is_added
               ? KAN_OK
               : kan_fail(server->run, KAN_FAILED, "libcurl could not accept a statement");
}

/* What came of it; a statement that is not done is ended on the server. */
static kan_status end(exchange *now, kan_status status) {
    kan_click_server *server = now->server;
    if (now->is_pinging)
        (void)server->curl->multi_remove_handle(server->multi, server->side);
    if (status == KAN_OK)
        status = conclude(now);
    if (now->is_added)
        (void)server->curl->multi_remove_handle(server->multi, server->easy);
    if (now->is_added && !now->is_done && !now->is_gone)
        kill_statement(server, now->base.bytes, now->id);
    if (now->is_gone)
        server->is_broken = true;
    kan_click_reader_destroy(&now->reader);
    kan_free(server->run, now->values);
    kan_text_destroy(&now->url);
    kan_text_destroy(&now->ping);
    kan_text_destroy(&now->base);
    kan_text_destroy(&now->answer);
    kan_text_destroy(&now->rows);
    return status;
}

kan_status kan_click_ask(kan_click_server *server, const kan_click_request *request) {
    exchange now;
    kan_status status = begin(&now, server, request);
    while (status == KAN_OK && !now.is_done) {
        status = step(&now);
        if (status == KAN_OK && !now.is_done)
            status = wait_a_while(server, POLL_MS);
    }
    return end(&now, status);
}

/* Several servers at once: one after the other is looked at, and one waited for. */
static kan_status wait_for_all(exchange *all, size_t n) {
    for (;;) {
        exchange *waits = NULL;
        for (size_t i = 0; i < n; i++) {
            if (all[i].is_done)
                continue;
            KAN_TRY(step(&all[i]));
            if (all[i].is_done) { /* one that failed ends the others */
                long http_status;
                if (all[i].code != CURLE_OK || is_refused(all[i].server, &http_status))
                    return KAN_OK;
            } else {
                waits = &all[i];
            }
        }
        if (!waits)
            return KAN_OK;
        KAN_TRY(wait_a_while(waits->server, POLL_MS / 10));
    }
}

kan_status kan_click_ask_all(kan_click_server *servers, size_t n, const kan_statement *statement) {
    if (n == 0)
        return KAN_OK;
    kan_run *run = servers[0].run;
    const kan_click_request request = {.statement = *statement};
    exchange *all;
    size_t n_begun = 0;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(run, n, sizeof *all, &all));
    for (; n_begun < n && status == KAN_OK; n_begun++)
        status = begin(&all[n_begun], &servers[n_begun], &request);
    if (status == KAN_OK)
        status = wait_for_all(all, n);
    /* Those that are done first: their words say why the others are ended. */
    for (size_t i = 0; i < n_begun; i++)
        if (status == KAN_OK && all[i].is_done)
            status = conclude(&all[i]);
    for (size_t i = 0; i < n_begun; i++)
        (void)end(&all[i], KAN_CANCELLED); /* already concluded, or to be ended */
    kan_free(run, all);
    return status;
}

#include "support/fake_clickhouse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the server ----------------------------------------------------------------------------- */

/* The head up to its empty line, and what is behind it: of a length that it says, or in chunks up to an empty one. */
static bool read_request(int connection, char *room, size_t capacity) {
    size_t n = 0, n_head = 0, length = 0;
    bool is_chunked = false;
    for (;;) {
        if (n + 1 >= capacity || !fake_read(connection, room + n, 1))
            return false;
        room[++n] = '\0';
        if (n_head == 0 && n >= 4 && strcmp(room + n - 4, "\r\n\r\n") == 0) {
            const char *said = strcasestr(room, "\r\nContent-Length: ");
            n_head = n;
            is_chunked = strcasestr(room, "\r\nTransfer-Encoding: chunked") != NULL;
            length = said ? strtoul(said + 18, NULL, 10) : 0;
        }
        if (n_head > 0 &&
            (is_chunked ? n >= 5 && strcmp(room + n - 5, "0\r\n\r\n") == 0 : n - n_head == length))
            return true;
    }
}

static size_t write_texts(const char *const *texts, char *room) {
    size_t n = 0;
    for (; *texts; texts++) {
        size_t left = strlen(*texts);
        do {
            room[n++] = (char)((left & 127) | (left > 127 ? 128 : 0));
            left >>= 7;
        } while (left > 0);
        memcpy(room + n, *texts, strlen(*texts));
        n += strlen(*texts);
    }
    return n;
}

static void serve(int connection, void *context) {
    char room[1 << 14];
    click_scene *at = context;
    char head[256];
    click_answer found = {.body = ""};
    if (!read_request(connection, at->heard, sizeof at->heard))
        return;
    for (size_t i = 0; i < CLICK_ANSWERS && !found.asks; i++)
        if (at->answers[i].asks && strstr(at->heard, at->answers[i].asks))
            found = at->answers[i];
    const char *body = found.texts ? room : found.body;
    const size_t size = found.texts ? write_texts(found.texts, room) : strlen(body);
    const int n = snprintf(head, sizeof head,
                           "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                           found.status ? found.status : "200 OK", size + found.n_missing);
    if (!found.is_bare)
        fake_write(connection, head, (size_t)n);
    fake_write(connection, body, size);
}

/* ---- what a test does ----------------------------------------------------------------------- */

kan_status click_begin(click_visit *v, const char *option, const char *value) {
    v->run = kan_run_create();
    v->server = (fake_server){.serve = serve, .context = &v->scene};
    fake_server_begin(&v->server);
    v->option = (struct kan_address_option){option, value};
    v->address = (kan_address){.text = "clickhouse://127.0.0.1/default/people",
                               .scheme = "clickhouse",
                               .host = "127.0.0.1",
                               .port = v->server.port,
                               .table = "people",
                               .n_options = option ? 1 : 0,
                               .options = &v->option};
    return click_engine->connect(v->run, &v->address, NULL, &v->connection);
}

void click_end(click_visit *v) {
    click_engine->disconnect(v->connection);
    fake_server_end(&v->server);
    kan_run_destroy(v->run);
    free(v);
}

click_visit *click_visit_new(void) {
    click_visit *v = calloc(1, sizeof *v);
    assert_non_null(v);
    return v;
}

click_visit *click_connected(const click_answer *answers, size_t n) {
    click_visit *v = click_visit_new();
    if (n > 0) /* there may be none, and no array then */
        memcpy(v->scene.answers, answers, n * sizeof *answers);
    if (click_begin(v, NULL, NULL) != KAN_OK)
        fail_msg("%s", kan_run_error(v->run));
    return v;
}

void click_assert_says(const click_visit *v, const char *part) {
    if (!strstr(kan_run_error(v->run), part))
        fail_msg("'%s' is not in: %s", part, kan_run_error(v->run));
}

void click_refuses(const click_answer *answers, size_t n, kan_status status, const char *part) {
    click_visit *v = click_visit_new();
    if (n > 0) /* there may be none, and no array then */
        memcpy(v->scene.answers, answers, n * sizeof *answers);
    assert_int_equal(click_begin(v, NULL, NULL), status);
    click_assert_says(v, part);
    assert_null(v->connection);
    click_end(v);
}

kan_status click_count_row(void *context, const kan_slice *values) {
    (void)values;
    ++*(size_t *)context;
    return KAN_OK;
}

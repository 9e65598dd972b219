/* A server that speaks as ClickHouse does over HTTP, and says what a test tells it; and what such tests share. */
#ifndef KANON_TESTS_FAKE_CLICKHOUSE_H
#define KANON_TESTS_FAKE_CLICKHOUSE_H

#include "core/run.h"
#include "engine/clickhouse/clickhouse.h"
#include "engine/transport.h"
#include "support/fake_server.h"

/* What the server answers to a statement that has these words; to others, nothing. */
typedef struct click_answer {
    const char *asks;
    const char *const *texts; /* as RowBinary, up to NULL */
    const char *body;         /* without texts: this */
    const char *status;       /* NULL: "200 OK" */
    size_t n_missing;         /* bytes that the head promises, and that do not come */
    bool is_bare;             /* the body stands alone, without a head */
} click_answer;

/* Words of what is asked on every new connection: settings, the kind of the table, and, where that is Distributed, its
 * cluster. */
#define CLICK_SETTINGS "system.settings"
#define CLICK_KIND     "create_table_query"
#define CLICK_FACTS    "engine, engine_full FROM"
#define CLICK_CLUSTERS "system.clusters"

enum { CLICK_ANSWERS = 8, CLICK_REQUEST = 1 << 20 };

typedef struct click_scene {
    click_answer answers[CLICK_ANSWERS]; /* the first that fits */
    char heard[CLICK_REQUEST];           /* the last statement */
} click_scene;

/* A connection to such a server. */
typedef struct click_visit {
    kan_run *run;
    click_scene scene;
    fake_server server;
    kan_address address;
    struct kan_address_option option;
    void *connection;
} click_visit;

#define click_engine (kan_engine_clickhouse.transport)

click_visit *click_visit_new(void);
/* Starts the server, and connects to its table default.people; an option of the address may be NULL. */
kan_status click_begin(click_visit *v, const char *option, const char *value);
void click_end(click_visit *v);

/* With a connection on which nothing went wrong so far. */
click_visit *click_connected(const click_answer *answers, size_t n);
/* No connection comes of these answers. */
void click_refuses(const click_answer *answers, size_t n, kan_status status, const char *part);

void click_assert_says(const click_visit *v, const char *part);
/* A taker of rows that counts them, in a size_t. */
kan_status click_count_row(void *context, const kan_slice *values);

#endif

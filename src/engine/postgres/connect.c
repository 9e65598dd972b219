/* Connecting to PostgreSQL, as libpq does it: what the address does not say comes from the
 * environment (PGHOST, PGUSER, PGPASSWORD, PGSERVICE, PGSSLMODE..), from ~/.pgpass and from
 * pg_service.conf. */
#include <poll.h>
#include <stdlib.h>

#include "engine/library.h"
#include "engine/postgres/connection.h"

enum { CONNECT_SECONDS = 20, TURN_MS = 50, N_KEYWORDS = 32 };

/* Options of an address that libpq gets. None of them holds a secret or changes what SQL means;
 * what is not here is refused, so that a misspelt sslmode is not simply not there. */
static const char *const allowed[] = {"host",
                                      "port",
                                      "hostaddr",
                                      "service",
                                      "passfile",
                                      "connect_timeout",
                                      "application_name",
                                      "keepalives",
                                      "keepalives_idle",
                                      "keepalives_interval",
                                      "keepalives_count",
                                      "tcp_user_timeout",
                                      "sslmode",
                                      "sslrootcert",
                                      "sslcert",
                                      "sslkey",
                                      "sslcrl",
                                      "sslcrldir",
                                      "sslsni",
                                      "ssl_min_protocol_version",
                                      "ssl_max_protocol_version",
                                      "channel_binding",
                                      "gssencmode",
                                      "krbsrvname",
                                      "gsslib",
                                      "target_session_attrs"};

static bool is_allowed(const char *name) {
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (strcmp(allowed[i], name) == 0)
            return true;
    return false;
}

static kan_status load_library(kan_pg *pg) {
    static const char *const names[] = {
#define KAN_PG_NAME(name) "PQ" #name,
        KAN_PG_CALLS(KAN_PG_NAME)
#undef KAN_PG_NAME
    };
    const kan_library_plan plan = {.what = "a table of PostgreSQL",
                                   .files = {"libpq.so.5", "libpq.so"},
                                   .package = "libpq5",
                                   .names = names,
                                   .n = sizeof names / sizeof *names,
                                   .calls = &pg->pq};
    static_assert(sizeof pg->pq == sizeof names, "a pointer per name");
    return kan_library_load(pg->run, &plan);
}

typedef struct keywords {
    size_t n;
    const char *names[N_KEYWORDS + 1], *values[N_KEYWORDS + 1];
} keywords;

static void add(keywords *words, const char *name, const char *value) {
    if (value) {
        KAN_ASSERT(words->n < N_KEYWORDS);
        words->names[words->n] = name;
        words->values[words->n++] = value;
    }
}

static kan_status collect(kan_pg *pg, keywords *words) {
    const kan_address *address = pg->address;
    static_assert(sizeof allowed / sizeof *allowed + 5 <= N_KEYWORDS, "room for all");
    add(words, "host", address->host);
    add(words, "port", address->port);
    add(words, "user", address->user);
    add(words, "dbname", address->database);
    add(words, "fallback_application_name", "kanon");
    for (size_t i = 0; i < address->n_options; i++) {
        const char *name = address->options[i].name;
        if (!is_allowed(name))
            return kan_fail(pg->run, KAN_BAD_INPUT,
                            "%s: '%s' is not an option of such an address; it takes those of libpq "
                            "that choose a server and secure the connection (sslmode, sslrootcert, "
                            "service, connect_timeout..)",
                            address->text, name);
        for (size_t j = 0; j < words->n; j++)
            if (strcmp(words->names[j], name) == 0)
                return kan_fail(pg->run, KAN_BAD_INPUT, "%s: '%s' is given twice", address->text,
                                name);
        add(words, name, address->options[i].value);
    }
    return KAN_OK;
}

/* libpq's own limit of time does not hold for calls that do not block. */
static double seconds_to_connect(kan_pg *pg) {
    double seconds = CONNECT_SECONDS;
    PQconninfoOption *said = pg->pq.conninfo(pg->connection);
    for (PQconninfoOption *option = said; option && option->keyword; option++)
        if (strcmp(option->keyword, "connect_timeout") == 0 && option->val && atof(option->val) > 0)
            seconds = atof(option->val);
    pg->pq.conninfoFree(said);
    return seconds;
}

static kan_status wait_for_server(kan_pg *pg) {
    const double seconds = seconds_to_connect(pg), until = kan_now_ms() + seconds * 1000;
    PostgresPollingStatusType next = PGRES_POLLING_WRITING; /* as if it had been asked */
    while (next != PGRES_POLLING_OK) {
        KAN_TRY(kan_check_cancel(pg->run));
        if (kan_now_ms() > until)
            return kan_fail(pg->run, KAN_FAILED,
                            "%s: no connection within %g seconds; check host and port, or give it "
                            "more time: connect_timeout=SECONDS",
                            pg->address->text, seconds);
        /* The socket may be another one after each call. */
        struct pollfd place = {.fd = pg->pq.socket(pg->connection),
                               .events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT};
        if (poll(&place, 1, TURN_MS) > 0)
            next = pg->pq.connectPoll(pg->connection);
        if (next == PGRES_POLLING_FAILED)
            return kan_pg_fail_connect(pg);
    }
    return KAN_OK;
}

/* Notices may hold values: they go nowhere. */
static void drop_notice(void *context, const PGresult *notice) {
    kan_pg_keep_end(context, notice);
}

enum { OLDEST_SERVER = 120000 }; /* the first whose floats have the shortest text */

static kan_status check_version(kan_pg *pg) {
    const int version = pg->pq.serverVersion(pg->connection);
    if (version < OLDEST_SERVER)
        return kan_fail(pg->run, KAN_BAD_INPUT,
                        "%s: the server is PostgreSQL %d; kanon needs 12 or later",
                        pg->address->text, version / 10000);
    return KAN_OK;
}

kan_status kan_pg_connect(kan_run *run, const kan_address *address, const kan_options *given,
                          void **out) {
    (void)given;
    kan_pg *pg = NULL;
    keywords words = {0};
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, 1, sizeof *pg, &pg));
    pg->run = run;
    pg->address = address;
    KAN_TRY_DONE(load_library(pg));
    KAN_TRY_DONE(collect(pg, &words));
    /* 0: a database's name is a name, never a list of further settings. */
    pg->connection = pg->pq.connectStartParams(words.names, words.values, 0);
    if (!pg->connection || pg->pq.status(pg->connection) == CONNECTION_BAD) {
        status = kan_pg_fail_connect(pg);
        goto done;
    }
    (void)pg->pq.setErrorVerbosity(pg->connection, PQERRORS_VERBOSE);
    (void)pg->pq.setNoticeReceiver(pg->connection, drop_notice, pg);
    KAN_TRY_DONE(wait_for_server(pg));
    if (pg->pq.setnonblocking(pg->connection, 1) != 0) {
        status = kan_pg_fail_broken(pg, "connect");
        goto done;
    }
    KAN_TRY_DONE(check_version(pg));
    *out = pg;
    pg = NULL;
done:
    kan_pg_disconnect(pg);
    return status;
}

void kan_pg_disconnect(void *connection) {
    kan_pg *pg = connection;
    if (!pg)
        return;
    if (pg->connection)
        pg->pq.finish(pg->connection);
    kan_free(pg->run, pg->row);
    kan_free(pg->run, pg->values);
    kan_free(pg->run, pg);
}

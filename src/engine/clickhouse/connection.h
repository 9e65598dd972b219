/* A connection to ClickHouse: the server of the address, and, where the table is a Distributed one and a
 * release is to be made, the servers that hold its parts. Inside of the engine's own files. */
#ifndef KANON_ENGINE_CLICKHOUSE_CONNECTION_H
#define KANON_ENGINE_CLICKHOUSE_CONNECTION_H

#include "engine/clickhouse/http.h"

/* The cluster behind a Distributed table, as its engine and system.clusters describe it. */
typedef struct kan_click_cluster {
    bool is_there;
    const char *name, *database, *table; /* of the parts */
    const char *key;                     /* the expression that chooses a shard; NULL: none */
    const char *part;                    /* database.table, quoted */
    size_t n_shards;
    bool has_replicas; /* a shard has several */
    struct kan_click_shard {
        const char *host, *port; /* of its HTTP interface */
    } * shards;
} kan_click_cluster;

typedef struct kan_click {
    kan_run *run;
    kan_arena arena;
    const kan_address *address;
    bool has_curl; /* it was started, and has to be ended */
    kan_curl curl;
    kan_click_login login;
    char *password; /* wiped in the end */
    const char *database;
    kan_click_server server; /* that of the address: node 0 */
    kan_click_cluster cluster;
    kan_click_server *shards; /* nodes 1 to n; NULL: nobody asked for them yet */
    size_t n_open;            /* of them */
    bool is_checked;          /* the tables of the shards are plain ones */
    bool is_final;            /* the table keeps versions of rows: it is read with FINAL */
} kan_click;

/* Settings that go with every statement to this server, as many as it knows. KAN_BAD_INPUT where
 * the user may not set any. */
KAN_MUST_USE kan_status kan_click_set_up(kan_click *click, kan_click_server *server);

/* Finds out whether the table is divided, and among whom; opens nothing. */
KAN_MUST_USE kan_status kan_click_find_cluster(kan_click *click);
/* The first n arguments of an engine, names, as system.tables has it: Buffer(a, b). And a name within a
 * statement, behind which *at points then. */
KAN_MUST_USE kan_status kan_click_engine_names(kan_click *click, const char *full, size_t n,
                                               const char **out);
KAN_MUST_USE kan_status kan_click_read_name(kan_click *click, const char **at, const char **out);
/* kind.c: whether the table keeps several versions of a row. KAN_BAD_INPUT where it does, and they
 * cannot be told apart. */
KAN_MUST_USE kan_status kan_click_find_kind(kan_click *click);
/* A node, which is opened where it was not yet. */
KAN_MUST_USE kan_status kan_click_node(kan_click *click, size_t node, kan_click_server **out);

/* The transport's. */
KAN_MUST_USE kan_status kan_click_check_rows(void *connection);
size_t kan_click_n_parts(const void *connection);
const char *kan_click_part(const void *connection);
const char *kan_click_part_schema(const void *connection);
KAN_MUST_USE kan_status kan_click_execute_parts(void *connection, const kan_statement *statement);
KAN_MUST_USE kan_status kan_click_check_parts(void *connection);
KAN_MUST_USE kan_status kan_click_gather(void *connection, const kan_gathering *gathering);

/* A query of texts whose columns are String in SQL already. */
KAN_MUST_USE kan_status kan_click_texts(kan_click_server *server, const char *sql, const char *what,
                                        size_t n_columns, const kan_row_taker *taker);
/* A query that gives one whole number. */
KAN_MUST_USE kan_status kan_click_number(kan_click_server *server, const char *sql,
                                         const char *what, uint64_t *out);
void kan_click_add_text(kan_text *sql, const char *text); /* 'quoted' */
void kan_click_add_name(kan_text *sql, const char *name); /* `quoted` */

#endif

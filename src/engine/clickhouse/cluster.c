/* A Distributed table: a name on one server for tables of one name on several (its shards). Counting
 * goes through it, so that the shards count and one server adds up. A release is made on the shards,
 * from their table to another beside it, and becomes a Distributed table as the input is one.
 *
 * Nothing but the cluster's configuration says who the shards are, and it has their ports of the
 * native protocol, not of HTTP. So addresses are guessed (the same HTTP port as the first server's)
 * or said (?shards=), and then proved: a table of a name that nobody knows is made at each address,
 * which fails where two are the same server, and then the cluster must show it on every shard. */
#include <inttypes.h>
#include <stdio.h>

#include "core/signs.h"
#include "engine/clickhouse/connection.h"

/* ---- what the engine of the table says ------------------------------------------------------ */

typedef struct table_facts {
    kan_click *click;
    const char *engine, *full;
} table_facts;

static kan_status take_facts(void *context, const kan_slice *values) {
    table_facts *facts = context;
    KAN_TRY(kan_arena_copy(&facts->click->arena, values[0].bytes, values[0].size, &facts->engine));
    return kan_arena_copy(&facts->click->arena, values[1].bytes, values[1].size, &facts->full);
}

/* One argument behind the open bracket or a comma: up to the next comma or closing bracket of its
 * own depth, outside of quotes. */
static kan_slice take_argument(const char **at) {
    const char *from = *at + 1;
    while (*from == ' ')
        from++;
    const char *to = from;
    for (int depth = 0; *to; to++) {
        if (*to == '\'' || *to == '`' || *to == '"') {
            const char quote = *to;
            for (to++; *to && *to != quote; to++)
                to += *to == '\\' && to[1];
            if (!*to)
                break;
        } else if (*to == '(' || *to == '[') {
            depth++;
        } else if (depth == 0 && (*to == ',' || *to == ')')) {
            break;
        } else if (*to == ')' || *to == ']') {
            depth--;
        }
    }
    *at = to;
    while (to > from && to[-1] == ' ')
        to--;
    return (kan_slice){from, (size_t)(to - from)};
}

/* A name, which may be in quotes of any kind. */
static kan_status plain_name(kan_click *click, kan_slice written, const char **out) {
    char *name;
    size_t n = 0;
    KAN_TRY(kan_arena_alloc(&click->arena, written.size + 1, 1, &name));
    const bool is_quoted = written.size >= 2 && strchr("'`\"", written.bytes[0]);
    for (size_t i = is_quoted; i + is_quoted < written.size; i++) {
        i += written.bytes[i] == '\\' && i + 1 + is_quoted < written.size;
        name[n++] = written.bytes[i];
    }
    name[n] = '\0';
    *out = name;
    return KAN_OK;
}

kan_status kan_click_engine_names(kan_click *click, const char *full, size_t n, const char **out) {
    const char *at = strchr(full, '(');
    for (size_t i = 0; i < n; i++) {
        if (!at || (*at != '(' && *at != ','))
            return kan_fail(click->run, KAN_FAILED,
                            "%s.%s: there is a table of an unknown kind behind it", click->database,
                            click->address->table);
        KAN_TRY(plain_name(click, take_argument(&at), &out[i]));
    }
    return KAN_OK;
}

kan_status kan_click_read_name(kan_click *click, const char **at, const char **out) {
    const char *from = *at, *to = from;
    if (*to == '`' || *to == '"') {
        const char quote = *to;
        for (to++; *to && *to != quote; to++)
            to += *to == '\\' && to[1];
        to += *to != '\0';
    } else {
        to += strcspn(to, " .(\n");
    }
    *at = to;
    return plain_name(click, (kan_slice){from, (size_t)(to - from)}, out);
}

static kan_status read_engine(kan_click *click, const char *full) {
    kan_click_cluster *cluster = &click->cluster;
    const char *at = strchr(full, '(');
    const char **const names[] = {&cluster->name, &cluster->database, &cluster->table};
    for (size_t i = 0; i < 3; i++) {
        if (!at || (*at != '(' && *at != ','))
            return kan_fail(click->run, KAN_FAILED,
                            "%s.%s: its engine is Distributed, of an unknown form", click->database,
                            click->address->table);
        KAN_TRY(plain_name(click, take_argument(&at), names[i]));
    }
    if (*cluster->database == '\0') /* of the shards' own default: not to be relied on */
        cluster->database = click->database;
    if (*at == ',') {
        const kan_slice key = take_argument(&at);
        KAN_TRY(kan_arena_copy(&click->arena, key.bytes, key.size, &cluster->key));
    }
    kan_text part;
    kan_text_init(&part, click->run);
    kan_click_add_name(&part, cluster->database);
    kan_text_add(&part, ".", 1);
    kan_click_add_name(&part, cluster->table);
    kan_status status = kan_text_status(&part);
    if (status == KAN_OK)
        status = kan_arena_copy(&click->arena, part.bytes, part.size, &cluster->part);
    kan_text_destroy(&part);
    return status;
}

/* ---- who the shards are --------------------------------------------------------------------- */

typedef struct shard_list {
    kan_click *click;
    size_t capacity;
    struct kan_click_shard *shards;
} shard_list;

static kan_status take_shard(void *context, const kan_slice *values) {
    shard_list *list = context;
    kan_click *click = list->click;
    if (!kan_slice_is(values[0], "1")) {
        click->cluster.has_replicas = true;
        return KAN_OK;
    }
    KAN_TRY(kan_reserve(click->run, click->cluster.n_shards + 1, sizeof *list->shards,
                        &list->capacity, &list->shards));
    struct kan_click_shard *shard = &list->shards[click->cluster.n_shards++];
    *shard = (struct kan_click_shard){.host = click->server.host, .port = click->server.port};
    return kan_slice_is(values[2], "1")
               ? KAN_OK
               : kan_arena_copy(&click->arena, values[1].bytes, values[1].size, &shard->host);
}

/* ?shards=host:port,host:port, in any order. */
static kan_status read_shards(kan_click *click, const char *text) {
    size_t n = 0;
    for (const char *at = text; *at; n++) {
        const size_t size = strcspn(at, ",");
        const char *colon = memrchr(at, ':', size);
        if (!colon || colon == at || colon + 1 == at + size)
            return kan_fail(click->run, KAN_BAD_INPUT,
                            "the address of a table in clickhouse: shards=HOST:PORT,HOST:PORT has "
                            "the HTTP ports of all shards");
        if (n < click->cluster.n_shards) {
            struct kan_click_shard *shard = &click->cluster.shards[n];
            KAN_TRY(kan_arena_copy(&click->arena, at, (size_t)(colon - at), &shard->host));
            KAN_TRY(kan_arena_copy(&click->arena, colon + 1, size - (size_t)(colon + 1 - at),
                                   &shard->port));
        }
        at += size + (at[size] == ',');
    }
    if (n != click->cluster.n_shards)
        return kan_fail(click->run, KAN_BAD_INPUT,
                        "the address of a table in clickhouse: shards= names %zu %s, and the "
                        "cluster %s has %zu",
                        n, kan_plural(n, "server", "servers"), click->cluster.name,
                        click->cluster.n_shards);
    return KAN_OK;
}

static kan_status list_shards(kan_click *click) {
    kan_click_cluster *cluster = &click->cluster;
    shard_list list = {.click = click};
    kan_text sql;
    kan_status status;
    kan_text_init(&sql, click->run);
    kan_text_print(&sql, "SELECT toString(replica_num), host_name, toString(is_local) FROM "
                         "system.clusters WHERE cluster = ");
    kan_click_add_text(&sql, cluster->name);
    kan_text_print(&sql, " ORDER BY shard_num, replica_num");
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(kan_click_texts(&click->server, sql.bytes, "find the shards", 3,
                                 &(kan_row_taker){take_shard, &list}));
    if (cluster->n_shards == 0) {
        status =
            kan_fail(click->run, KAN_BAD_INPUT, "%s knows no cluster %s, of which %s.%s is a table",
                     click->server.name, cluster->name, click->database, click->address->table);
        goto done;
    }
    KAN_TRY_DONE(kan_arena_alloc(&click->arena, cluster->n_shards, sizeof *cluster->shards,
                                 &cluster->shards));
    memcpy(cluster->shards, list.shards, cluster->n_shards * sizeof *cluster->shards);
    const char *said = kan_address_option(click->address, "shards");
    if (said)
        status = read_shards(click, said);
done:
    kan_free(click->run, list.shards);
    kan_text_destroy(&sql);
    return status;
}

kan_status kan_click_find_cluster(kan_click *click) {
    table_facts facts = {.click = click};
    kan_text sql;
    kan_status status;
    kan_text_init(&sql, click->run);
    kan_text_print(&sql, "SELECT engine, engine_full FROM system.tables WHERE database = ");
    kan_click_add_text(&sql, click->database);
    kan_text_print(&sql, " AND name = ");
    kan_click_add_text(&sql, click->address->table);
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(kan_click_texts(&click->server, sql.bytes, "find the table", 2,
                                 &(kan_row_taker){take_facts, &facts}));
    if (facts.engine && strcmp(facts.engine, "Distributed") == 0) {
        KAN_TRY_DONE(read_engine(click, facts.full));
        KAN_TRY_DONE(list_shards(click));
        click->cluster.is_there = true;
    }
done:
    kan_text_destroy(&sql);
    return status;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

size_t kan_click_n_parts(const void *connection) {
    const kan_click *click = connection;
    return click->cluster.is_there ? click->cluster.n_shards : 0;
}

const char *kan_click_part(const void *connection) {
    const kan_click *click = connection;
    return click->cluster.part;
}

const char *kan_click_part_schema(const void *connection) {
    const kan_click *click = connection;
    return click->cluster.database;
}

kan_status kan_click_node(kan_click *click, size_t node, kan_click_server **out) {
    KAN_ASSERT(node <= click->cluster.n_shards);
    if (node > 0 && !click->shards) {
        kan_click_cluster *cluster = &click->cluster;
        KAN_TRY(kan_arena_alloc(&click->arena, cluster->n_shards, sizeof *click->shards,
                                &click->shards));
    }
    while (click->n_open < node) {
        const struct kan_click_shard *shard = &click->cluster.shards[click->n_open];
        kan_click_server *server = &click->shards[click->n_open++]; /* closed, whatever happens */
        kan_status status = kan_click_open(click->run, &click->arena, &click->curl, &click->login,
                                           shard->host, shard->port, server);
        if (status == KAN_OK)
            status = kan_click_set_up(click, server);
        if (status != KAN_OK) {
            server->is_broken = true; /* without its settings nothing may be asked */
            return status;
        }
    }
    *out = node > 0 ? &click->shards[node - 1] : &click->server;
    return KAN_OK;
}

kan_status kan_click_execute_parts(void *connection, const kan_statement *statement) {
    kan_click *click = connection;
    kan_click_server *last;
    KAN_TRY(kan_click_node(click, click->cluster.n_shards, &last));
    return kan_click_ask_all(click->shards, click->cluster.n_shards, statement);
}

/* ---- proving that they are the shards ------------------------------------------------------- */

static kan_status refuse_replicas(kan_click *click) {
    return kan_fail(
        click->run, KAN_BAD_INPUT,
        "%s.%s: a shard of the cluster %s has several replicas, and kanon writes to "
        "shards one by one, which would leave the others behind; make the release from a "
        "Distributed table over a cluster that names one replica per shard",
        click->database, click->address->table, click->cluster.name);
}

static void add_probe(kan_text *sql, const kan_click *click) {
    kan_click_add_name(sql, click->cluster.database);
    kan_text_print(sql, ".kanon_%s_probe", click->server.tag);
}

/* Makes the table at each address, as far as it can; *n_made are there. */
static kan_status make_probes(kan_click *click, size_t *n_made) {
    enum { TABLE_EXISTS = 57 };
    kan_text sql;
    kan_status status;
    kan_text_init(&sql, click->run);
    kan_text_print(&sql, "CREATE TABLE ");
    add_probe(&sql, click);
    kan_text_print(&sql, " (x UInt8) ENGINE = TinyLog");
    KAN_TRY_DONE(kan_text_status(&sql));
    for (*n_made = 0; *n_made < click->cluster.n_shards; ++*n_made) {
        kan_click_server *server;
        KAN_TRY_DONE(kan_click_node(click, *n_made + 1, &server));
        server->code = 0;
        status = kan_click_ask(
            server, &(kan_click_request){
                        .statement = {.sql = sql.bytes, .what = "make a table on a shard"}});
        if (status != KAN_OK && server->code == TABLE_EXISTS)
            status = kan_fail(click->run, KAN_BAD_INPUT,
                              "%s is not a shard of its own: two shards of the cluster %s have the "
                              "same address here; name the HTTP interface of each with "
                              "?shards=HOST:PORT,HOST:PORT in the address",
                              server->name, click->cluster.name);
        if (status != KAN_OK)
            goto done;
    }
done:
    kan_text_destroy(&sql);
    return status;
}

static kan_status count_probes(kan_click *click) {
    kan_text sql;
    uint64_t n = 0;
    kan_status status;
    kan_text_init(&sql, click->run);
    kan_text_print(&sql, "SELECT count() FROM cluster(");
    kan_click_add_text(&sql, click->cluster.name);
    kan_text_print(&sql, ", system, tables) WHERE database = ");
    kan_click_add_text(&sql, click->cluster.database);
    kan_text_print(&sql, " AND name = 'kanon_%s_probe'", click->server.tag);
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(kan_click_number(&click->server, sql.bytes, "look at the shards", &n));
    if (n != click->cluster.n_shards)
        status =
            kan_fail(click->run, KAN_BAD_INPUT,
                     "of the %zu shards of the cluster %s only %" PRIu64 " %s at the addresses "
                     "that are known here; name the HTTP interface of each with "
                     "?shards=HOST:PORT,HOST:PORT in the address",
                     click->cluster.n_shards, click->cluster.name, n, kan_plural(n, "is", "are"));
done:
    kan_text_destroy(&sql);
    return status;
}

static void drop_probes(kan_click *click, size_t n_made) {
    kan_text sql;
    kan_text_init(&sql, click->run);
    kan_text_print(&sql, "DROP TABLE IF EXISTS ");
    add_probe(&sql, click);
    for (size_t i = 0; i < n_made && kan_text_status(&sql) == KAN_OK; i++)
        if (kan_click_ask(&click->shards[i],
                          &(kan_click_request){.statement = {.sql = sql.bytes,
                                                             .what = "clean up",
                                                             .cleans_up = true}}) != KAN_OK)
            kan_note(click->run, "%s: an empty table %s.kanon_%s_probe stays behind; drop it",
                     click->shards[i].name, click->cluster.database, click->server.tag);
    kan_text_destroy(&sql);
}

kan_status kan_click_check_parts(void *connection) {
    kan_click *click = connection;
    size_t n_made = 0;
    if (click->cluster.has_replicas)
        return refuse_replicas(click);
    kan_status status = make_probes(click, &n_made);
    if (status == KAN_OK)
        status = count_probes(click);
    /* Where they cannot be dropped either, what failed first is told. */
    char why[4096];
    (void)snprintf(why, sizeof why, "%s", kan_run_error(click->run));
    drop_probes(click, n_made);
    return status == KAN_OK ? KAN_OK : kan_fail(click->run, status, "%s", why);
}

/* ---- the table that shows all parts --------------------------------------------------------- */

static bool is_kept(const kan_gathering *gathering, kan_slice name) {
    for (size_t i = 0; i < gathering->n_kept; i++)
        if (kan_slice_is(name, gathering->kept[i]))
            return true;
    return false;
}

/* Whether the key speaks of columns alone that are as they were: words that are not in quotes and
 * not followed by a bracket are taken for columns, so one too many at worst. */
static bool key_survives(const char *key, const kan_gathering *gathering) {
    for (const char *at = key; *at;) {
        if (*at == '`' || *at == '"')
            return false; /* a quoted name: not worth a parser */
        if (*at == '\'') {
            for (at++; *at && *at != '\''; at++)
                at += *at == '\\' && at[1];
            at += *at == '\'';
        } else if (kan_is_name_sign(*at)) {
            const char *from = at;
            while (kan_is_name_sign(*at))
                at++;
            const bool is_number = kan_is_digit(*from);
            if (*at != '(' && !is_number &&
                !is_kept(gathering, (kan_slice){from, (size_t)(at - from)}))
                return false;
        } else {
            at++;
        }
    }
    return true;
}

typedef struct structure {
    kan_text *sql;
    size_t n;
} structure;

static kan_status take_structure(void *context, const kan_slice *values) {
    structure *columns = context;
    kan_text name;
    kan_text_init(&name, columns->sql->run);
    kan_text_add(&name, values[0].bytes, values[0].size);
    const kan_status status = kan_text_status(&name);
    if (status == KAN_OK) {
        kan_text_add(columns->sql, ", ", columns->n++ ? 2 : 0);
        kan_click_add_name(columns->sql, name.bytes);
        kan_text_add(columns->sql, " ", 1);
        kan_text_add(columns->sql, values[1].bytes, values[1].size); /* the server's own words */
    }
    kan_text_destroy(&name);
    return status == KAN_OK ? kan_text_status(columns->sql) : status;
}

/* Rows stay on the shard that they are on: who may ask one shard alone sees a part of each group, and
 * by the input's key he knows something of its rows. */
static void note_places(kan_click *click) {
    const char *key = click->cluster.key;
    if (key && strcmp(key, "rand()") == 0)
        return;
    kan_note(click->run,
             "%s.%s: rows of the release lie on the shard that they are on in the input (%s), "
             "which reveals something about them to anyone who may query shards one by one; let "
             "people read the release only through its Distributed table",
             click->database, click->address->table, key ? key : "its key is not known");
}

/* Its columns are those of the parts, by the first of them. */
kan_status kan_click_gather(void *connection, const kan_gathering *gathering) {
    kan_click *click = connection;
    const kan_click_cluster *cluster = &click->cluster;
    kan_text ask, sql;
    structure columns = {.sql = &sql};
    kan_click_server *first;
    kan_status status;
    kan_text_init(&ask, click->run);
    kan_text_init(&sql, click->run);
    KAN_TRY_DONE(kan_click_node(click, 1, &first));
    kan_text_print(&ask, "SELECT name, type FROM system.columns WHERE database = ");
    kan_click_add_text(&ask, cluster->database);
    kan_text_print(&ask, " AND table = ");
    kan_click_add_text(&ask, gathering->part);
    KAN_TRY_DONE(kan_text_status(&ask));
    kan_text_print(&sql, "CREATE TABLE %s (", gathering->whole);
    KAN_TRY_DONE(kan_click_texts(first, ask.bytes, "look at the release", 2,
                                 &(kan_row_taker){take_structure, &columns}));
    kan_text_print(&sql, ") ENGINE = Distributed(");
    kan_click_add_text(&sql, cluster->name);
    kan_text_print(&sql, ", ");
    kan_click_add_text(&sql, cluster->database);
    kan_text_print(&sql, ", ");
    kan_click_add_text(&sql, gathering->part);
    if (cluster->key)
        kan_text_print(&sql, ", %s",
                       key_survives(cluster->key, gathering) ? cluster->key : "rand()");
    kan_text_print(&sql, ")");
    KAN_TRY_DONE(kan_text_status(&sql));
    status = kan_click_ask(
        &click->server,
        &(kan_click_request){.statement = {.sql = sql.bytes, .what = "make the release"}});
    if (status == KAN_OK && gathering->is_last)
        note_places(click);
done:
    kan_text_destroy(&ask);
    kan_text_destroy(&sql);
    return status;
}

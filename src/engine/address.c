#include "engine/address.h"
#include "core/signs.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

struct parser;

typedef struct scheme {
    const char *written, *name; /* "postgresql", "postgres" */
    const char *port;           /* when none is said */
    bool takes_schema;          /* an address may name a schema in place of a table */
    bool is_file;               /* the database is a path */
    const char *example, *secret;
    kan_status (*parse)(struct parser *parser, const char *rest);
} scheme;

typedef struct parser {
    kan_run *run;
    kan_arena *arena;
    const scheme *scheme;
    kan_address *out;
    const char *schema; /* NULL: none was named by itself */
    bool wants_schema;  /* it is taken */
} parser;

/* Never with the text: a password may stand in it. */
static kan_status fail(const parser *p, const char *what) {
    return kan_fail(p->run, KAN_BAD_INPUT, "the address of a table in %s: %s; write %s",
                    p->scheme->name, what, p->scheme->example);
}

static kan_status fail_secret(const parser *p) {
    return kan_fail(p->run, KAN_BAD_INPUT,
                    "the address of a table in %s has a password in it: whoever lists processes "
                    "sees it, and it would get into results; leave it out, and %s",
                    p->scheme->name, p->scheme->secret);
}

/* A part without its %41; it has no byte 0. */
static kan_status decode(const parser *p, const char *from, size_t size, const char **out) {
    char *bytes;
    size_t n = 0;
    KAN_TRY(kan_arena_alloc(p->arena, size + 1, 1, &bytes));
    for (size_t i = 0; i < size; i++) {
        if (from[i] != '%') {
            bytes[n++] = from[i];
            continue;
        }
        const int high = i + 2 < size ? kan_hex_value(from[i + 1]) : -1;
        const int low = i + 2 < size ? kan_hex_value(from[i + 2]) : -1;
        if (high < 0 || low < 0)
            return fail(p, "after % come two digits of 0-9, A-F (%25 is % itself)");
        if (high == 0 && low == 0)
            return fail(p, "it has a byte 0 (%00)");
        bytes[n++] = (char)(high * 16 + low);
        i += 2;
    }
    bytes[n] = '\0';
    *out = bytes;
    return KAN_OK;
}

static kan_status decode_or_null(const parser *p, const char *from, size_t size, const char **out) {
    if (size == 0) {
        *out = NULL;
        return KAN_OK;
    }
    return decode(p, from, size, out);
}

/* A part of SCHEMA.NAME: as it stands, or in double quotes, which are doubled in it. */
static kan_status take_name(const parser *p, const char **at, const char **out) {
    const char *from = *at;
    char *bytes;
    size_t n = 0;
    KAN_TRY(kan_arena_alloc(p->arena, strlen(from) + 1, 1, &bytes));
    if (*from == '"') {
        for (from++; *from && !(from[0] == '"' && from[1] != '"'); from++) {
            from += *from == '"';
            bytes[n++] = *from;
        }
        if (*from != '"')
            return fail(p, "a double quote in the name of the table is not closed");
        from++;
    } else {
        while (*from && *from != '.')
            bytes[n++] = *from++;
    }
    bytes[n] = '\0';
    if (n == 0)
        return fail(p, "the name of the table is empty");
    *at = from;
    *out = bytes;
    return KAN_OK;
}

static kan_status take_table(const parser *p, const char *text) {
    const char *first, *second = NULL;
    if (p->out->table)
        return fail(p, "it names two tables");
    KAN_TRY(take_name(p, &text, &first));
    if (*text == '.') {
        text++;
        KAN_TRY(take_name(p, &text, &second));
    }
    if (*text)
        return fail(p, "the name of the table has more than SCHEMA.NAME; put a name that has a dot "
                       "in it in double quotes");
    p->out->schema = second ? first : NULL;
    p->out->table = second ? second : first;
    return KAN_OK;
}

/* Names under which engines take a password: drivers have many ("SSLKeyPassword", "AuthToken"), and
 * take blanks around them. */
static bool is_secret(const char *name) {
    static const char *const parts[] = {"password", "passwd", "pwd", "secret", "token"};
    static const char *const names[] = {"pass", "key"};
    name += strspn(name, " \t\r\n");
    const size_t size = strcspn(name, " \t\r\n");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(name, parts[i]))
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (size == strlen(names[i]) && strncasecmp(name, names[i], size) == 0)
            return true;
    return false;
}

static kan_status add_option(const parser *p, const char *name, const char *value) {
    kan_address *a = p->out;
    struct kan_address_option *grown;
    if (name[0] == '\0')
        return fail(p, "an option has no name");
    if (kan_address_option(a, name))
        return fail(p, "an option is given twice");
    KAN_TRY(kan_arena_alloc(p->arena, a->n_options + 1, sizeof *grown, &grown));
    if (a->n_options)
        memcpy(grown, a->options, a->n_options * sizeof *grown);
    grown[a->n_options++] = (struct kan_address_option){name, value};
    a->options = grown;
    return KAN_OK;
}

/* A schema by itself: its name as it stands. */
static kan_status take_schema(parser *p, const char *value) {
    if (p->schema)
        return fail(p, "it names two schemas");
    if (!*value)
        return fail(p, "the name of the schema is empty");
    p->schema = value;
    return KAN_OK;
}

/* A table, or a schema where one is wanted. */
static kan_status end_place(const parser *p) {
    if (p->schema && p->out->table)
        return fail(p, "it names a table and a schema; the schema of a table is a part of its "
                       "name, table=SCHEMA.NAME");
    if (p->schema && !p->wants_schema)
        return fail(p, "it names a schema, which is for the release of several tables (`tables:` "
                       "in a job file)");
    if (p->schema)
        p->out->schema = p->schema;
    return p->schema || p->out->table ? KAN_OK : fail(p, "it names no table");
}

/* OPTION=VALUE&OPTION=VALUE */
static kan_status take_options(parser *p, const char *text) {
    while (*text) {
        const size_t size = strcspn(text, "&");
        const char *const equals = memchr(text, '=', size);
        const char *name, *value;
        if (!equals)
            return fail(p, "after ? comes OPTION=VALUE, with & between them");
        KAN_TRY(decode(p, text, (size_t)(equals - text), &name));
        if (is_secret(name))
            return fail_secret(p);
        KAN_TRY(decode(p, equals + 1, size - (size_t)(equals + 1 - text), &value));
        if (strcmp(name, "table") == 0)
            KAN_TRY(take_table(p, value));
        else if (strcmp(name, "schema") == 0 && p->scheme->takes_schema)
            KAN_TRY(take_schema(p, value));
        else
            KAN_TRY(add_option(p, name, value));
        text += size + (text[size] == '&');
    }
    return KAN_OK;
}

/* [USER@]HOST[:PORT], of `size` bytes. */
static kan_status take_server(const parser *p, const char *text, size_t size) {
    kan_address *a = p->out;
    const char *const at = memrchr(text, '@', size);
    if (at) {
        const size_t user = (size_t)(at - text);
        if (memchr(text, ':', user))
            return fail_secret(p);
        KAN_TRY(decode_or_null(p, text, user, &a->user));
        if (a->user && strchr(a->user, ':')) /* %3A is one, too */
            return fail_secret(p);
        text = at + 1;
        size -= user + 1;
    }
    const char *const bracket = size && *text == '[' ? memchr(text, ']', size) : NULL;
    const char *host_end = bracket ? bracket + 1 : memchr(text, ':', size);
    if (!host_end)
        host_end = text + size;
    const size_t host = (size_t)(host_end - text);
    if (host < size && (*host_end != ':' || host + 1 == size))
        return fail(p, "HOST:PORT is malformed");
    if (host < size) {
        KAN_TRY(decode(p, host_end + 1, size - host - 1, &a->port));
        uint64_t port;
        if (!kan_parse_count(a->port, &port) || port == 0 || port > 65535)
            return fail(p, "its port is not a number from 1 to 65535");
    }
    /* An address in brackets, as IPv6 has it. */
    return bracket ? decode_or_null(p, text + 1, host - 2, &a->host)
                   : decode_or_null(p, text, host, &a->host);
}

/* A URL: server, path, options. The path begins behind its first slash. */
static kan_status take_url(parser *p, const char *rest, const char **path, size_t *path_size) {
    const size_t server = strcspn(rest, "/?#");
    if (strchr(rest, '#'))
        return fail(p, "# has no meaning in it (%23 is # itself)");
    KAN_TRY(take_server(p, rest, server));
    rest += server;
    *path = rest + (*rest == '/');
    *path_size = strcspn(*path, "?");
    rest = *path + *path_size;
    return *rest == '?' ? take_options(p, rest + 1) : KAN_OK;
}

static kan_status parse_postgres(parser *p, const char *rest) {
    const char *path;
    size_t size;
    KAN_TRY(take_url(p, rest, &path, &size));
    if (memchr(path, '/', size))
        return fail(p, "after the host comes one name, that of the database");
    KAN_TRY(decode_or_null(p, path, size, &p->out->database));
    return end_place(p);
}

static kan_status parse_clickhouse(parser *p, const char *rest) {
    const char *path;
    size_t size;
    KAN_TRY(take_url(p, rest, &path, &size));
    const char *const slash = memchr(path, '/', size);
    if (p->out->table)
        return fail(p, "the table belongs in its path");
    if (!p->out->host)
        return fail(p, "it names no host");
    const size_t first = slash ? (size_t)(slash - path) : 0;
    if (!slash || first == 0 || first + 1 == size || memchr(slash + 1, '/', size - first - 1))
        return fail(p, "after the host come the database and the table");
    KAN_TRY(decode(p, path, first, &p->out->database));
    KAN_TRY(decode(p, slash + 1, size - first - 1, &p->out->table));
    p->out->schema = p->out->database;
    return KAN_OK;
}

static kan_status parse_duckdb(parser *p, const char *rest) {
    const char *const question = strrchr(rest, '?');
    const size_t size = question ? (size_t)(question - rest) : strlen(rest);
    KAN_TRY(decode_or_null(p, rest, size, &p->out->database));
    if (question)
        KAN_TRY(take_options(p, question + 1));
    if (!p->out->database)
        return fail(p, "it names no file");
    return end_place(p);
}

/* A value without its braces. */
static kan_status unbrace(const parser *p, const char *value, size_t size, const char **out) {
    char *bytes;
    size_t n = 0;
    if (*value != '{')
        return kan_arena_copy(p->arena, value, size, out);
    KAN_TRY(kan_arena_alloc(p->arena, size, 1, &bytes));
    for (size_t i = 1; i + 1 < size; i++) {
        bytes[n++] = value[i];
        i += value[i] == '}';
    }
    bytes[n] = '\0';
    *out = bytes;
    return KAN_OK;
}

/* NAME=VALUE;NAME={VALUE};.., as ODBC has it. Braces keep ; in a value; } is doubled in them. */
static kan_status parse_odbc(parser *p, const char *rest) {
    kan_text kept;
    kan_status status = KAN_OK;
    kan_text_init(&kept, p->run);
    kan_text_add(&kept, "", 0);
    while (status == KAN_OK && *rest) {
        const size_t name = strcspn(rest, "=;");
        if (rest[name] != '=') {
            status = name == 0 ? KAN_OK : fail(p, "it is NAME=VALUE, with ; between them");
            rest += name + (rest[name] == ';');
            continue;
        }
        const char *const value = rest + name + 1;
        size_t size = strcspn(value, ";");
        if (*value == '{') {
            size = 1;
            while (value[size] && !(value[size] == '}' && value[size + 1] != '}'))
                size += value[size] == '}' ? 2 : 1;
            status = value[size] ? KAN_OK : fail(p, "a { is not closed");
            size += status == KAN_OK;
            if (status == KAN_OK && value[size] && value[size] != ';')
                status = fail(p, "a } is followed by something other than ;");
        }
        const char *copy = NULL;
        if (status == KAN_OK)
            status = kan_arena_copy(p->arena, rest, name, &copy);
        if (status == KAN_OK && is_secret(copy)) {
            status = fail_secret(p);
        } else if (status == KAN_OK && strcasecmp(copy, "table") == 0) {
            status = unbrace(p, value, size, &copy);
            if (status == KAN_OK)
                status = take_table(p, copy);
        } else if (status == KAN_OK) {
            kan_text_add(&kept, rest, (size_t)(value - rest) + size);
            kan_text_add(&kept, ";", 1);
        }
        rest = value + size + (value[size] == ';');
    }
    if (status == KAN_OK)
        status = kan_text_status(&kept);
    if (status == KAN_OK && kept.size > 0)
        status = kan_arena_copy(p->arena, kept.bytes, kept.size - 1, &p->out->database);
    else if (status == KAN_OK)
        status = fail(p, "it names no data source");
    kan_text_destroy(&kept);
    if (status == KAN_OK && !p->out->table)
        status = fail(p, "it names no table");
    return status;
}

static const scheme schemes[] = {
    {"postgres://", "postgres", "5432", true, false,
     "postgres://[USER@]HOST[:PORT]/DATABASE?table=[SCHEMA.]NAME",
     "put it into ~/.pgpass or into the variable PGPASSWORD", parse_postgres},
    {"postgresql://", "postgres", "5432", true, false,
     "postgresql://[USER@]HOST[:PORT]/DATABASE?table=[SCHEMA.]NAME",
     "put it into ~/.pgpass or into the variable PGPASSWORD", parse_postgres},
    {"clickhouse://", "clickhouse", "8123", false, false,
     "clickhouse://[USER@]HOST[:PORT]/DATABASE/TABLE",
     "put it into the variable CLICKHOUSE_PASSWORD", parse_clickhouse},
    {"odbc:", "odbc", NULL, false, false, "'odbc:DSN=NAME;table=[SCHEMA.]NAME'",
     "put it into the source's own settings (odbc.ini)", parse_odbc},
    {"duckdb:", "duckdb", NULL, true, true, "'duckdb:PATH?table=NAME'", "DuckDB needs none",
     parse_duckdb},
};

static const scheme *find_scheme(const char *text) {
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncasecmp(text, schemes[i].written, strlen(schemes[i].written)) == 0)
            return &schemes[i];
    return NULL;
}

/* How much of a text is a scheme://, 0: it has none. */
static size_t scheme_size(const char *text) {
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || (n && text[n] && strchr("+.-", text[n])))
        n++;
    return n && isalpha((unsigned char)text[0]) && strncmp(text + n, "://", 3) == 0 ? n : 0;
}

static bool begins_with(const char *text, const char *with) {
    return strncasecmp(text, with, strlen(with)) == 0;
}

/* What somebody writes who means a table in a database, and not as it is written here: such a text may
 * have a password in it, so that it must not be taken for a path and told. */
static bool is_mistyped(const char *text) {
    static const char *const words[] = {"postgresql", "postgres", "clickhouse", "duckdb", "odbc",
                                        "jdbc",       "mysql",    "mariadb",    "sqlite", "sqlite3",
                                        "sqlserver",  "mssql",    "oracle",     "pg",     "psql"};
    static const char *const settings[] = {"dsn=", "driver=", "server="};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *const behind = text + strlen(words[i]);
        if (begins_with(text, words[i]) && (*behind == ':' || begins_with(behind, "//")))
            return true;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (begins_with(text, settings[i]) && strchr(text, ';'))
            return true;
    /* USER:PASSWORD@HOST/DATABASE?table=NAME */
    const char *const at = strchr(text, '@');
    return at && memchr(text, ':', (size_t)(at - text)) &&
           (strcasestr(at, "?table=") || strcasestr(at, "?schema="));
}

bool kan_address_is_one(const char *text) {
    return find_scheme(text) != NULL || scheme_size(text) > 0 || is_mistyped(text);
}

/* Nothing of it is told. */
static kan_status fail_mistyped(kan_run *run) {
    return kan_fail(run, KAN_BAD_INPUT,
                    "this looks like the address of a table in a database, but is not written as "
                    "one; write %s, %s, %s or %s; for a file of that name, write ./NAME",
                    schemes[0].example, schemes[2].example, schemes[3].example, schemes[4].example);
}

static kan_status fail_scheme(kan_run *run, kan_slice written) {
    static const char *const known[] = {"postgres", "clickhouse", "odbc", "duckdb"};
    char room[256], word[32], meant[64] = "";
    snprintf(word, sizeof word, "%.*s", (int)(written.size < 31 ? written.size : 31),
             written.bytes);
    const char *const near = kan_nearest(word, known, sizeof known / sizeof *known);
    if (near)
        snprintf(meant, sizeof meant, " did you mean %s?", near);
    return kan_fail(run, KAN_BAD_INPUT,
                    "%s:// is not the address of an engine;%s there are postgres://, "
                    "clickhouse://, odbc: and duckdb:",
                    kan_quote(written, room), meant);
}

static kan_status parse(kan_run *run, kan_arena *arena, const char *text, bool wants_schema,
                        kan_address *out) {
    const scheme *const found = find_scheme(text);
    kan_address parsed = {0};
    parser p = {
        .run = run, .arena = arena, .scheme = found, .out = &parsed, .wants_schema = wants_schema};
    if (!found && scheme_size(text) == 0)
        return fail_mistyped(run);
    if (!found)
        return fail_scheme(run, (kan_slice){text, scheme_size(text)});
    parsed.scheme = found->name;
    KAN_TRY(found->parse(&p, text + strlen(found->written)));
    KAN_TRY(kan_arena_copy(arena, text, strlen(text), &parsed.text));
    *out = parsed;
    return KAN_OK;
}

kan_status kan_address_parse(kan_run *run, kan_arena *arena, const char *text, kan_address *out) {
    return parse(run, arena, text, false, out);
}

kan_status kan_address_parse_any(kan_run *run, kan_arena *arena, const char *text,
                                 kan_address *out) {
    return parse(run, arena, text, true, out);
}

const char *kan_address_option(const kan_address *address, const char *name) {
    for (size_t i = 0; i < address->n_options; i++)
        if (strcmp(address->options[i].name, name) == 0)
            return address->options[i].value;
    return NULL;
}

bool kan_address_is_file(const kan_address *address) {
    const scheme *const found = find_scheme(address->text);
    return found && found->is_file;
}

static bool is_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *port_of(const kan_address *address) {
    const scheme *const found = address->port ? NULL : find_scheme(address->text);
    return found ? found->port : address->port;
}

bool kan_address_is_near(const kan_address *a, const kan_address *b) {
    if (!is_same(a->scheme, b->scheme) || !is_same(a->host, b->host) ||
        !is_same(port_of(a), port_of(b)))
        return false;
    /* A connection to ClickHouse reaches all databases of the server. */
    if (strcmp(a->scheme, "clickhouse") != 0 && !is_same(a->database, b->database))
        return false;
    if (a->user && b->user && strcmp(a->user, b->user) != 0)
        return false;
    for (size_t i = 0; i < b->n_options; i++)
        if (!is_same(kan_address_option(a, b->options[i].name), b->options[i].value))
            return false;
    return true;
}

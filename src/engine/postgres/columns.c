/* The columns of a table of PostgreSQL, and of what reads like one: views, materialized ones,
 * partitioned and foreign tables. Without a schema, the search_path finds it, as in any statement. */
#include "engine/postgres/connection.h"

enum { LONGEST_NAME = 63 }; /* the server would cut a longer one, and find another table */

/* A name in double quotes, as an identifier; `quote` ' for a text. */
static void add_quoted(kan_text *sql, const char *text, char quote) {
    kan_text_add(sql, &quote, 1);
    for (; *text; text++) {
        if (*text == quote)
            kan_text_add(sql, &quote, 1);
        kan_text_add(sql, text, 1);
    }
    kan_text_add(sql, &quote, 1);
}

/* 'schema.table', quoted as identifiers, and that once more as a text. */
static kan_status add_place(kan_text *sql, const kan_address *address) {
    kan_text name;
    kan_text_init(&name, sql->run);
    if (address->schema) {
        add_quoted(&name, address->schema, '"');
        kan_text_add(&name, ".", 1);
    }
    add_quoted(&name, address->table, '"');
    const kan_status status = kan_text_status(&name);
    if (status == KAN_OK)
        add_quoted(sql, name.bytes, '\'');
    kan_text_destroy(&name);
    return status;
}

static kan_status check_length(kan_pg *pg, const char *name) {
    if (name && strlen(name) > LONGEST_NAME)
        return kan_fail(pg->run, KAN_BAD_INPUT,
                        "%s: a name has more than %d bytes, which PostgreSQL would truncate; name "
                        "an existing table",
                        pg->address->text, LONGEST_NAME);
    return KAN_OK;
}

/* Text and varchar of a deterministic collation, by which values are equal whose bytes are, have a mark.
 * A domain is what it is made of, and an enum "enum", with a mark where '' is one of its values. Others
 * have the name that the server gives them. NOT NULL is believed of a plain table alone: tables that
 * inherit from it, and foreign ones, may have NULL all the same. */
static const char columns_of[] =
    "::pg_catalog.text)::pg_catalog.oid AS id),"
    " base(attnum, type, modifier) AS (SELECT a.attnum, a.atttypid, a.atttypmod FROM"
    " pg_catalog.pg_attribute a, place p WHERE a.attrelid = p.id AND a.attnum > 0 AND NOT"
    " a.attisdropped UNION ALL SELECT b.attnum, t.typbasetype, t.typtypmod FROM base b JOIN"
    " pg_catalog.pg_type t ON t.oid = b.type AND t.typtype = 'd')"
    " SELECT a.attname::pg_catalog.text, CASE WHEN t.typtype <> 'e' THEN"
    " pg_catalog.format_type(b.type, b.modifier) || CASE WHEN b.type IN (25, 1043) AND EXISTS"
    " (SELECT 1 FROM pg_catalog.pg_collation l WHERE l.oid = a.attcollation AND"
    " l.collisdeterministic) THEN ' by bytes' ELSE '' END WHEN EXISTS (SELECT 1 FROM "
    "pg_catalog.pg_enum e"
    " WHERE e.enumtypid = t.oid AND e.enumlabel = '') THEN 'enum with an empty text' ELSE 'enum'"
    " END, CASE WHEN a.attnotnull AND c.relkind = 'r' AND NOT c.relhassubclass THEN '0' ELSE '1' "
    "END"
    " FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type AND t.typtype <> 'd' JOIN"
    " pg_catalog.pg_attribute a ON a.attnum = b.attnum JOIN place p ON a.attrelid = p.id JOIN"
    " pg_catalog.pg_class c ON c.oid = p.id ORDER BY a.attnum";

/* "r" for what can be read like a table, "-" for what cannot; nothing for what is not there. */
static const char kind_of[] =
    "::pg_catalog.text)::pg_catalog.oid AS id) SELECT CASE WHEN c.relkind IN ('r', 'v', 'm', 'f',"
    " 'p') THEN 'r' ELSE '-' END FROM pg_catalog.pg_class c JOIN place p ON c.oid = p.id";

typedef struct found_kind {
    bool is_there, is_table;
} found_kind;

static kan_status take_kind(void *context, const kan_slice *values) {
    found_kind *kind = context;
    kind->is_there = true;
    kind->is_table = kan_slice_is(values[0], "r");
    return KAN_OK;
}

static kan_status ask(kan_pg *pg, const char *rest, size_t n_columns, const kan_row_taker *taker) {
    kan_text sql;
    kan_status status;
    kan_text_init(&sql, pg->run);
    kan_text_print(&sql, "WITH RECURSIVE place AS (SELECT pg_catalog.to_regclass(");
    KAN_TRY_DONE(add_place(&sql, pg->address));
    kan_text_print(&sql, "%s", rest);
    KAN_TRY_DONE(kan_text_status(&sql));
    status = kan_pg_query(pg, 0, &(kan_statement){.sql = sql.bytes, .what = "look for the table"},
                          n_columns, taker);
done:
    kan_text_destroy(&sql);
    return status;
}

/* The nearest name among the tables that can be seen, for "did you mean". */
typedef struct neighbour {
    const char *wanted;
    unsigned distance;
    char name[LONGEST_NAME + 1];
} neighbour;

static kan_status take_neighbour(void *context, const kan_slice *values) {
    neighbour *nearest = context;
    char name[LONGEST_NAME + 1];
    if (!values[0].bytes || values[0].size >= sizeof name)
        return KAN_OK;
    memcpy(name, values[0].bytes, values[0].size);
    name[values[0].size] = '\0';
    const unsigned distance = kan_edit_distance(nearest->wanted, name);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        memcpy(nearest->name, name, sizeof name);
    }
    return KAN_OK;
}

static kan_status fail_missing(kan_pg *pg) {
    neighbour nearest = {.wanted = pg->address->table, .distance = 3};
    const kan_statement names = {
        .sql = "SELECT relname::pg_catalog.text FROM pg_catalog.pg_class WHERE relkind IN ('r', "
               "'v', 'm', 'f', 'p') AND relnamespace <> 'pg_catalog'::pg_catalog.regnamespace "
               "ORDER BY 1 LIMIT 10000",
        .what = "look for the table"};
    KAN_TRY(kan_pg_query(pg, 0, &names, 1, &(kan_row_taker){take_neighbour, &nearest}));
    return kan_fail(pg->run, KAN_BAD_INPUT,
                    "%s: there is no table '%s' that this user sees%s%s%s; a name without a schema "
                    "is looked for in the search_path, a temporary table is seen only by its own "
                    "session: table=SCHEMA.NAME",
                    pg->address->text, pg->address->table, *nearest.name ? "; did you mean '" : "",
                    nearest.name, *nearest.name ? "'?" : "");
}

kan_status kan_pg_columns(void *connection, const kan_row_taker *taker) {
    kan_pg *pg = connection;
    found_kind kind = {0};
    if (!pg->address->table)
        return kan_fail(pg->run, KAN_BAD_INPUT, "%s: no table is named; add ?table=NAME",
                        pg->address->text);
    KAN_TRY(check_length(pg, pg->address->schema));
    KAN_TRY(check_length(pg, pg->address->table));
    KAN_TRY(ask(pg, kind_of, 1, &(kan_row_taker){take_kind, &kind}));
    if (!kind.is_there)
        return fail_missing(pg);
    if (!kind.is_table)
        return kan_fail(pg->run, KAN_BAD_INPUT,
                        "%s: '%s' is neither a table nor a view; name one of these",
                        pg->address->text, pg->address->table);
    return ask(pg, columns_of, 3, taker);
}

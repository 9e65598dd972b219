/* PostgreSQL, from version 12 on. Types are as format_type() has them, domains resolved. */
#include "engine/sql/dialect_rules.h"

#define CAST "CAST(? AS text)"
/* Equality of a nondeterministic collation is not that of bytes. */
#define BYTES "CAST(? AS text) COLLATE \"C\""
/* All bytes of a value of any type, as they would be sent. */
#define SENT "encode(record_send(ROW(?)), 'hex')"
/* Texts of these tell their values apart, but equal values may have two: 1 day and 24 hours. */
#define COMPARED           "'=' || " BYTES
#define RAW(type_, field_) RULE_RAW(type_, CAST, field_)

static const kan_sql_rule rules[] = {
    RULE_NONE("*[]", COMPARED),
    RULE_NONE("bytea", COMPARED),
    RULE_NONE("json*", COMPARED),
    RULE_NONE("xml", COMPARED),
    RULE_NONE("interval*", COMPARED),
    RULE_WHOLE("smallint", CAST),
    RULE_WHOLE("integer", CAST),
    RULE_WHOLE("bigint", CAST),
    RAW("numeric(*,*)", KAN_FIELD_NUMBER),
    {"numeric", {.text = CAST, .field = KAN_FIELD_NUMBER}},
    {"real", {.text = CAST, .field = KAN_FIELD_NUMBER, .is_real = true, .exact = SENT}},
    {"double precision", {.text = CAST, .field = KAN_FIELD_NUMBER, .is_real = true, .exact = SENT}},
    RAW("boolean", KAN_FIELD_BOOLEAN),
    RAW("date", KAN_FIELD_DATE),
    RAW("timestamp*", KAN_FIELD_TIMESTAMP),
    RAW("time without time zone", KAN_FIELD_TIME),
    RAW("time(*) without time zone", KAN_FIELD_TIME),
    RAW("uuid", KAN_FIELD_TEXT),
    {"text by bytes", {.text = BYTES, .groups_raw = true, .is_text = true}},
    {"character varying by bytes", {.text = BYTES, .groups_raw = true, .is_text = true}},
    {"character varying(*) by bytes", {.text = BYTES, .groups_raw = true, .is_text = true}},
    {"text", {.text = BYTES, .is_text = true}},
    {"character*", {.text = BYTES, .is_text = true}},
    /* Its cast drops blanks at the end, which are no padding here: 'a' and 'a ' are two values. */
    {"bpchar", {.text = BYTES, .is_text = true, .is_lossy = true, .exact = SENT}},
    {"citext", {.text = BYTES, .is_text = true}},
    {"*.citext", {.text = BYTES, .is_text = true}},
    RAW("enum", KAN_FIELD_TEXT),
    /* '' is one of its values, and is the missing value as NULL is. */
    {"enum with an empty text", {.text = BYTES, .is_text = true, .is_lossy = true}},
    /* Whether the text of any other type, such as one of an extension, tells its values apart is not
     * known. */
    {"*", {.text = BYTES, .is_text = true, .is_lossy = true, .exact = SENT}},
};

/* What texts depend on, for this transaction alone: a pool of connections gets them back as they
 * were. Limits of time stay as the user has them. A policy that would hide rows is an error: what is
 * counted and released would be a part of the table, without a word. */
static const char begin[] = "BEGIN ISOLATION LEVEL REPEATABLE READ;"
                            " SET LOCAL client_encoding = 'UTF8';"
                            " SET LOCAL standard_conforming_strings = on;"
                            " SET LOCAL TimeZone = 'UTC';"
                            " SET LOCAL DateStyle = 'ISO, YMD';"
                            " SET LOCAL IntervalStyle = 'postgres';"
                            " SET LOCAL extra_float_digits = 1;"
                            " SET LOCAL bytea_output = 'hex';"
                            " SET LOCAL row_security = off";

/* What outlives the table that is replaced: comments, NOT NULL, indexes that are of no constraint, grants
 * and the owner. Where rows were hidden from somebody by policies, which do not outlive it, grants do not. */
static const char keeps[] =
    "WITH o AS (SELECT c.oid, c.relname, c.relacl, c.relowner, c.relrowsecurity, n.nspname FROM "
    "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE "
    "n.nspname = COALESCE(CAST(@ AS text), CAST(current_schema() AS text)) AND c.relname = ?), "
    "a AS (SELECT o.*, b.attname, b.attnum, b.attnotnull, b.attacl FROM o JOIN "
    "pg_catalog.pg_attribute b ON b.attrelid = o.oid WHERE b.attnum > 0 AND NOT b.attisdropped AND "
    "b.attname IN (SELECT w.attname FROM pg_catalog.pg_attribute w WHERE w.attrelid = "
    "to_regclass(quote_ident(o.nspname) || '.' || quote_ident(#)) AND w.attnum > 0)) "
    "SELECT format('COMMENT ON TABLE %I.%I IS %L', nspname, relname, obj_description(oid, "
    "'pg_class')) FROM o WHERE obj_description(oid, 'pg_class') IS NOT NULL "
    "UNION ALL SELECT format('COMMENT ON COLUMN %I.%I.%I IS %L', nspname, relname, attname, "
    "col_description(oid, attnum)) FROM a WHERE col_description(oid, attnum) IS NOT NULL "
    "UNION ALL SELECT format('ALTER TABLE %I.%I ALTER COLUMN %I SET NOT NULL', nspname, relname, "
    "attname) FROM a WHERE attnotnull "
    "UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM o JOIN pg_catalog.pg_index i ON "
    "i.indrelid = o.oid WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k WHERE "
    "k.conindid = i.indexrelid) "
    "UNION ALL SELECT format('GRANT %s ON TABLE %I.%I TO %s%s', x.privilege_type, nspname, "
    "relname, CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE "
    "quote_ident(pg_get_userbyid(x.grantee)) END, CASE WHEN x.is_grantable THEN ' WITH GRANT "
    "OPTION' ELSE '' END) FROM o, aclexplode(o.relacl) x WHERE x.grantee <> o.relowner AND NOT "
    "o.relrowsecurity "
    "UNION ALL SELECT format('GRANT %s (%I) ON TABLE %I.%I TO %s', x.privilege_type, attname, "
    "nspname, relname, CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE "
    "quote_ident(pg_get_userbyid(x.grantee)) END) FROM a, aclexplode(a.attacl) x WHERE x.grantee "
    "<> "
    "a.relowner AND NOT a.relrowsecurity "
    "UNION ALL SELECT format('ALTER TABLE %I.%I OWNER TO %I', nspname, relname, "
    "pg_get_userbyid(relowner)) FROM o WHERE pg_get_userbyid(relowner) <> current_user";

const kan_dialect kan_dialect_postgres = {
    .name = "PostgreSQL",
    .quote = '"',
    .most_name_bytes = 63,
    .rules = rules,
    .number_text = CAST,
    .if_null = "COALESCE(?, '')",
    .key_type = "text COLLATE \"C\"",
    .label_type = "text",
    .by_bytes = " by bytes", /* the collation of a database is deterministic, and labels have it */
    .count_type = "bigint",
    .label_null = "NULLIF(?, '')",
    .create = "CREATE TABLE ",
    .create_temporary = "CREATE TEMPORARY TABLE ",
    .create_tail = "",
    .create_as = " AS ",
    .analyze = "ANALYZE ",
    /* Without a schema: there, where a table is made, not where the search_path finds one; that may
     * be another, and what is dropped for the release must be what it replaces. */
    .exists = "SELECT CAST(1 AS text) WHERE to_regclass(quote_ident(COALESCE(CAST(@ AS text), "
              "CAST(current_schema() AS text))) || '.' || quote_ident(?)) IS NOT NULL",
    .schemas = "SELECT CAST(n.nspname AS text) FROM pg_catalog.pg_class c JOIN "
               "pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = CAST(? AS "
               "name) AND pg_catalog.pg_table_is_visible(c.oid) UNION SELECT "
               "CAST(current_schema() AS text)",
    .schema_exists = "SELECT CAST(1 AS text) FROM pg_catalog.pg_namespace WHERE nspname = ?",
    .lock = "SET LOCAL lock_timeout = 5000; LOCK TABLE ? IN ACCESS EXCLUSIVE MODE",
    .keeps = keeps,
    .drop = "DROP TABLE IF EXISTS ",
    .rename = "ALTER TABLE ",
    .renamed = " RENAME TO ",
    .renames_in_schema = true,
    .begin = begin,
    .commit = "COMMIT",
    .rollback = "ROLLBACK",
    .makes_in_transaction = true,
    .temporary_schema = "pg_temp*",
    .has_windows = true,
    .casts_back = true,
    .keyed_hash = "sha256(convert_to(?, 'UTF8'))",
    .stored = "ctid",
    .drawn = "((CAST((hashtextextended(?, 0) >> 12) & 4503599627370495 AS float8) + 0.5) / "
             "4503599627370496.0::float8)",
};

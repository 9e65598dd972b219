/* DuckDB. Texts compare by bytes, in the collation C. */
#include "engine/sql/dialect_rules.h"

#define CAST               "CAST(? AS VARCHAR)"
#define BITS               "CAST(CAST(? AS BIT) AS VARCHAR)"
#define RAW(type_, field_) RULE_RAW(type_, CAST, field_)

/* Lists of one text may differ in their elements; what is hashed does not hide that. */
#define COMPARED "CAST(hash(?) AS VARCHAR) || ' ' || CAST(? AS VARCHAR)"

static const kan_sql_rule rules[] = {
    RULE_NONE("*[*]", COMPARED),
    RULE_NONE("STRUCT*", COMPARED),
    RULE_NONE("MAP*", COMPARED),
    RULE_NONE("UNION*", COMPARED),
    RULE_NONE("BLOB", COMPARED),
    RULE_NONE("BIT", COMPARED),
    RULE_NONE("INTERVAL", COMPARED),
    RULE_WHOLE("TINYINT", CAST),
    RULE_WHOLE("SMALLINT", CAST),
    RULE_WHOLE("INTEGER", CAST),
    RULE_WHOLE("BIGINT", CAST),
    RULE_WHOLE("HUGEINT", CAST),
    RULE_WHOLE("UTINYINT", CAST),
    RULE_WHOLE("USMALLINT", CAST),
    RULE_WHOLE("UINTEGER", CAST),
    RULE_WHOLE("UBIGINT", CAST),
    RULE_WHOLE("UHUGEINT", CAST),
    {"DECIMAL*", {.text = CAST, .field = KAN_FIELD_NUMBER, .groups_raw = true, .is_decimal = true}},
    {"FLOAT", {.text = CAST, .field = KAN_FIELD_NUMBER, .is_real = true, .exact = BITS}},
    {"DOUBLE", {.text = CAST, .field = KAN_FIELD_NUMBER, .is_real = true, .exact = BITS}},
    RAW("BOOLEAN", KAN_FIELD_BOOLEAN),
    RAW("DATE", KAN_FIELD_DATE),
    /* In UTC, whatever the zone of the session. */
    {"TIMESTAMP WITH TIME ZONE",
     {.text = "CASE WHEN isfinite(?) THEN CAST(make_timestamp(epoch_us(?)) AS VARCHAR) || '+00' "
              "ELSE CAST(? AS VARCHAR) END",
      .field = KAN_FIELD_TIMESTAMP,
      .groups_raw = true}},
    RAW("TIMESTAMP*", KAN_FIELD_TIMESTAMP),
    RAW("TIME", KAN_FIELD_TIME),
    RAW("UUID", KAN_FIELD_TEXT),
    /* '' may be one of its values, and is the missing value as NULL is. */
    {"ENUM*''*", {.text = CAST " COLLATE \"C\"", .is_text = true, .is_lossy = true}},
    RAW("ENUM*", KAN_FIELD_TEXT),
    {"VARCHAR", {.text = CAST " COLLATE \"C\"", .is_text = true}},
    {KAN_SQL_ANY_TYPE, {.text = CAST " COLLATE \"C\"", .is_text = true, .is_lossy = true}},
    RULE_NONE("*", COMPARED),
};

const kan_dialect kan_dialect_duckdb = {
    .name = "DuckDB",
    .quote = '"',
    .rules = rules,
    .number_text = CAST,
    .if_null = "COALESCE(?, '')",
    .key_type = "VARCHAR",
    .label_type = "VARCHAR",
    .count_type = "BIGINT",
    .label_null = "NULLIF(?, '')",
    .create = "CREATE TABLE ",
    .create_temporary = "CREATE TEMPORARY TABLE ",
    .create_tail = "",
    .create_as = " AS ",
    .exists = "SELECT '1' FROM information_schema.tables WHERE lower(table_schema) = "
              "lower(COALESCE(@, current_schema())) AND lower(table_name) = lower(?)",
    .schemas = "SELECT current_schema()",
    .schema_exists = "SELECT '1' FROM information_schema.schemata WHERE lower(schema_name) = "
                     "lower(?)",
    .drop = "DROP TABLE IF EXISTS ",
    .rename = "ALTER TABLE ",
    .renamed = " RENAME TO ",
    .renames_in_schema = true,
    .begin = "BEGIN TRANSACTION",
    .commit = "COMMIT",
    .rollback = "ROLLBACK",
    .makes_in_transaction = true,
    .temporary_schema = "temp",
    .ignores_case = true,
    .has_windows = true,
    .casts_back = true,
    .keyed_hash = "sha256(?)",
    .stored = "rowid",
    .drawn = "((CAST(hash(?) >> 12 AS DOUBLE) + 0.5) / 4503599627370496.0)",
};

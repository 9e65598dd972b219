/* Snowflake: a backslash in a text begins what is not itself; 'utf8' is the collation by bytes. */
#include "engine/sql/dialect_rules.h"

#define BYTES "COLLATE(CAST(? AS VARCHAR), 'utf8')"

static const kan_sql_rule rules[] = {
    {"*", {.text = BYTES, .is_text = true, .is_lossy = true}},
};

const kan_dialect kan_dialect_snowflake = {
    .name = "Snowflake",
    .quote = '"',
    .text_escape = KAN_ESCAPE_DOUBLE_BOTH,
    .most_name_bytes = 255,
    .rules = rules,
    .number_text = "CAST(? AS VARCHAR)",
    .if_null = "COALESCE(?, '')",
    .key_type = "VARCHAR COLLATE 'utf8'",
    .label_type = "VARCHAR",
    .count_type = "BIGINT",
    .label_null = "NULLIF(?, '')",
    .create = "CREATE TABLE ",
    .create_temporary = "CREATE TEMPORARY TABLE ",
    .temporary_in_schema = true,
    .create_tail = "",
    .create_as = " AS ",
    .drop = "DROP TABLE IF EXISTS ",
};

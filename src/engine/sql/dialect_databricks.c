/* Databricks, from Runtime 16.1 on, which knows collations. A backslash in a text begins what is not
 * itself, and what stands as ${..} or {{..}} in a statement may be replaced before it is read. */
#include "engine/sql/dialect_rules.h"

#define BYTES "CAST(? AS STRING) COLLATE UTF8_BINARY"

static const kan_sql_rule rules[] = {
    {"*", {.text = BYTES, .is_text = true, .is_lossy = true}},
};

const kan_dialect kan_dialect_databricks = {
    .name = "Databricks",
    .quote = '`',
    .text_escape = KAN_ESCAPE_BACKSLASH_BRACES,
    .most_name_bytes = 255,
    .rules = rules,
    .number_text = "CAST(? AS STRING)",
    .if_null = "COALESCE(?, '')",
    .key_type = "STRING COLLATE UTF8_BINARY",
    .label_type = "STRING",
    .count_type = "BIGINT",
    .label_null = "NULLIF(?, '')",
    .create = "CREATE TABLE ",
    .create_tail = "",
    .create_as = " AS ",
    .drop = "DROP TABLE IF EXISTS ",
};

/* BigQuery (GoogleSQL): a quoted text is on one line, and a quote in it stands behind a backslash; '' is
 * the collation by bytes. Tables that go with the script have no dataset. */
#include "engine/sql/dialect_rules.h"

#define BYTES "COLLATE(CAST(? AS STRING), '')"

static const kan_sql_rule rules[] = {
    {"*", {.text = BYTES, .is_text = true, .is_lossy = true}},
};

const kan_dialect kan_dialect_bigquery = {
    .name = "BigQuery",
    .quote = '`',
    .name_escape = KAN_ESCAPE_BACKSLASH_LINES,
    .text_escape = KAN_ESCAPE_BACKSLASH_LINES,
    .most_name_bytes = 1024,
    .rules = rules,
    .number_text = "CAST(? AS STRING)",
    .if_null = "COALESCE(?, '')",
    .key_type = "STRING",
    .label_type = "STRING",
    .count_type = "INT64",
    .label_null = "NULLIF(?, '')",
    .create = "CREATE TABLE ",
    .create_temporary = "CREATE TEMP TABLE ",
    .create_tail = "",
    .create_as = " AS ",
    .drop = "DROP TABLE IF EXISTS ",
};

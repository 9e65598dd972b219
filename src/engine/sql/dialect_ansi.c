/* SQL as most databases take it, for those of which nothing more is known. It says no collation: what is
 * compared how is asked by the probe. Longer texts than VARCHAR has may be cut, and are then one value to
 * whoever counts and in the release alike. */
#include "engine/sql/dialect_rules.h"

#define CAST "CAST(? AS VARCHAR(4000))"

static const kan_sql_rule rules[] = {
    {"*", {.text = CAST, .is_text = true, .is_lossy = true}},
};

const kan_dialect kan_dialect_ansi = {
    .name = "ANSI SQL",
    .quote = '"',
    .most_name_bytes = 63,
    .rules = rules,
    .number_text = CAST,
    .if_null = "COALESCE(?, '')",
    .key_type = "VARCHAR(4000)",
    .label_type = "VARCHAR(4000)",
    .count_type = "BIGINT",
    .label_null = "NULLIF(?, '')",
    .create = "CREATE TABLE ",
    .create_tail = "",
    .create_as = " AS ",
    .drop = "DROP TABLE ",
};

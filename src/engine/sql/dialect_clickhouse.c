/* ClickHouse, from 18.16 on: no window functions, no transactions, one JOIN per SELECT, and nothing
 * that later versions removed. Texts compare by bytes. */
#include "engine/sql/dialect_rules.h"

#define STRING             "toString(?)"
#define RAW(type_, field_) RULE_RAW(type_, STRING, field_)

static const kan_sql_rule rules[] = {
    RULE_NONE("Interval*", NULL),
    RULE_WHOLE("UInt*", STRING),
    RULE_WHOLE("Int*", STRING),
    {"Float*",
     {.text = STRING,
      .field = KAN_FIELD_NUMBER,
      .is_real = true,
      .exact = "hex(reinterpretAsString(?))"}},
    RAW("Decimal*", KAN_FIELD_NUMBER),
    RAW("Date", KAN_FIELD_DATE),
    RAW("Date32", KAN_FIELD_DATE),
    /* A moment, whatever zone it is shown in. */
    {"DateTime*",
     {.text = "concat(toString(?, 'UTC'), '+00')",
      .field = KAN_FIELD_TIMESTAMP,
      .groups_raw = true}},
    RAW("Bool", KAN_FIELD_BOOLEAN),
    /* '' may be one of its values, and is the missing value as NULL is. */
    {"Enum*''*", {.text = STRING, .is_text = true, .is_lossy = true}},
    RAW("Enum*", KAN_FIELD_TEXT),
    RAW("UUID", KAN_FIELD_TEXT),
    RAW("IPv4", KAN_FIELD_TEXT),
    RAW("IPv6", KAN_FIELD_TEXT),
    {"String", {.text = STRING, .groups_raw = true, .is_text = true}},
    {"FixedString*",
     {.text = "toStringCutToZero(?)", .is_text = true, .is_lossy = true, .exact = "hex(?)"}},
    {KAN_SQL_ANY_TYPE, {.text = STRING, .is_text = true, .is_lossy = true}},
    RULE_NONE("*", "concat('=', toString(?))"), /* arrays, tuples, maps, states of aggregates */
};

static const char *const wrappers[] = {"Nullable", "LowCardinality", NULL};

const kan_dialect kan_dialect_clickhouse = {
    .name = "ClickHouse",
    .quote = '`',
    .name_escape = KAN_ESCAPE_BACKSLASH,
    .text_escape = KAN_ESCAPE_BACKSLASH_LINES,
    .most_name_bytes = 200, /* a table is a file, and its name grows by escapes */
    .rules = rules,
    .wrappers = wrappers,
    .number_text = STRING,
    .if_null = "ifNull(?, '')",
    .key_type = "String",
    .label_type = "String",
    .count_type = "UInt64",
    .label_null = "nullIf(?, '')",
    .create = "CREATE TABLE ",
    .create_tail = " ENGINE = Memory",
    .create_as = " ENGINE = MergeTree ORDER BY tuple() AS ",
    .exists = "SELECT toString(1) FROM system.tables WHERE database = @ AND name = ?",
    .drop = "DROP TABLE IF EXISTS ",
    .rename = "RENAME TABLE ",
    .renamed = " TO ",
    .maps = KAN_MAP_TRANSFORM,
    .no_order = "ClickHouse guarantees no order of rows, and reads the parts of a table as they "
                "come; leave the flag out",
    .drawn = "((toFloat64(bitShiftRight(sipHash64(?), 12)) + 0.5) / 4503599627370496.0)",
};

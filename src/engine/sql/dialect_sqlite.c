/* SQLite, from 3.25 on (window functions). A column may hold values of any type, whatever it was
 * declared as: 1, 1.0 and '1' can stand in one. So no column is grouped by itself, and text and
 * number of the same text are told apart by nobody: each is released as its text (is_lossy). */
#include "engine/sql/dialect_rules.h"

/* Seventeen digits read back as the same number; CAST alone gives fifteen. Bytes, and texts with a byte
 * 0 (which drivers cut there), become what is no text, and are refused with it. */
#define TEXT                                                                                       \
    "CASE typeof(?) WHEN 'real' THEN printf('%!.17g', ?) WHEN 'blob' THEN CAST(x'FF' AS TEXT) "    \
    "WHEN 'text' THEN CASE WHEN instr(?, char(0)) THEN CAST(x'FF' AS TEXT) ELSE ? END ELSE "       \
    "CAST(? AS TEXT) END COLLATE BINARY"

#define EXACT "typeof(?) || quote(?)"

static const kan_sql_rule rules[] = {
    RULE_NONE("*blob*", "typeof(?) || hex(?)"),
    {"*int*",
     {.text = TEXT, .field = KAN_FIELD_NUMBER, .is_text = true, .is_lossy = true, .exact = EXACT}},
    {"*char*", {.text = TEXT, .is_text = true, .is_lossy = true, .exact = EXACT}},
    {"*text*", {.text = TEXT, .is_text = true, .is_lossy = true, .exact = EXACT}},
    {"*clob*", {.text = TEXT, .is_text = true, .is_lossy = true, .exact = EXACT}},
    {"date",
     {.text = TEXT, .field = KAN_FIELD_DATE, .is_text = true, .is_lossy = true, .exact = EXACT}},
    {"datetime",
     {.text = TEXT,
      .field = KAN_FIELD_TIMESTAMP,
      .is_text = true,
      .is_lossy = true,
      .exact = EXACT}},
    {"timestamp",
     {.text = TEXT,
      .field = KAN_FIELD_TIMESTAMP,
      .is_text = true,
      .is_lossy = true,
      .exact = EXACT}},
    {KAN_SQL_ANY_TYPE, {.text = TEXT, .is_text = true, .is_lossy = true}},
    {"", {.text = TEXT, .is_text = true, .is_lossy = true, .exact = EXACT}},
    {"*",
     {.text = TEXT,
      .field = KAN_FIELD_NUMBER,
      .is_text = true,
      .is_real = true,
      .is_lossy = true,
      .exact = EXACT}},
};

const kan_dialect kan_dialect_sqlite = {
    .name = "SQLite",
    .quote = '"',
    .most_statement_bytes = 1000000,
    .rules = rules,
    .number_text = "CAST(? AS TEXT)",
    .if_null = "COALESCE(?, '')",
    .key_type = "TEXT COLLATE BINARY",
    .label_type = "TEXT",
    .count_type = "INTEGER",
    .label_null = "NULLIF(?, '')",
    .create = "CREATE TABLE ",
    .create_temporary = "CREATE TEMPORARY TABLE ",
    .create_tail = "",
    .create_as = " AS ",
    .exists = "SELECT '1' FROM sqlite_master WHERE lower(name) = lower(?)",
    .drop = "DROP TABLE IF EXISTS ",
    .rename = "ALTER TABLE ",
    .renamed = " RENAME TO ",
    .renames_in_schema = true,
    .begin = "BEGIN",
    .commit = "COMMIT",
    .rollback = "ROLLBACK",
    .makes_in_transaction = true,
    .temporary_schema = "temp",
    .ignores_case = true,
    .has_windows = true,
    .no_order =
        "SQLite has no hash that could take a key; make a copy of the release with ORDER BY "
        "random(), and leave the flag out",
};

/* MariaDB from 10.2 on (window functions, collations without padding). The transport sets sql_mode: no
 * NO_BACKSLASH_ESCAPES, no ANSI_QUOTES, no PAD_CHAR_TO_FULL_LENGTH; time_zone +00:00; names utf8mb4.
 * The usual collations take 'a', 'A' and 'a ' for the same: texts are compared as bytes. CREATE and
 * RENAME end a transaction, so what was made stays when it is rolled back. */
#include "engine/sql/dialect_rules.h"

#define BYTES "CAST(CONVERT(? USING utf8mb4) AS BINARY)"
#define CAST  "CAST(CAST(? AS CHAR) AS BINARY)"
/* The same for digits of a second, of which the last is not 0. */
#define TRIMMED "CAST(TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CAST(? AS CHAR))) AS BINARY)"
/* The number of what an enum or a set has. */
#define INDEX "CAST(? + 0 AS CHAR)"
/* All digits, and the sign of -0. */
#define REAL                "CONCAT(CAST(CAST(? AS DOUBLE) AS CHAR), ATAN2(?, -1) < 0)"
#define HEXED               "CONCAT('x', HEX(?))"
#define FINE(type_, field_) RULE_RAW(type_, TRIMMED, field_)
#define RAW(type_, field_)  RULE_RAW(type_, CAST, field_)

static const kan_sql_rule rules[] = {
    /* Two texts of such a character set may be the same in Unicode; the transport says so. */
    {"* with doubles", {.text = BYTES, .is_text = true, .is_lossy = true, .exact = "HEX(?)"}},
    /* Before all others: their values can be any words. */
    /* '' as one of its values is another number than the '' of what was not one, or of nothing. */
    {"enum(*''*", {.text = BYTES, .is_text = true, .is_lossy = true, .exact = INDEX}},
    {"set(*''*", {.text = BYTES, .is_text = true, .is_lossy = true, .exact = INDEX}},
    {"enum(*", {.text = BYTES, .is_text = true}},
    {"set(*", {.text = BYTES, .is_text = true}},
    RULE_NONE("*blob*", HEXED),
    RULE_NONE("*binary*", HEXED),
    {"bit*",
     {.text = "CAST(CAST(? + 0 AS CHAR) AS BINARY)",
      .field = KAN_FIELD_NUMBER,
      .groups_raw = true}},
    RULE_NONE("json", HEXED),
    RULE_NONE("geometry*", HEXED),
    RULE_NONE("point*", HEXED),
    RULE_WHOLE("tinyint*", CAST),
    RULE_WHOLE("smallint*", CAST),
    RULE_WHOLE("mediumint*", CAST),
    RULE_WHOLE("int*", CAST),
    RULE_WHOLE("bigint*", CAST),
    RAW("year*", KAN_FIELD_NUMBER),
    RAW("decimal*", KAN_FIELD_NUMBER),
    RAW("numeric*", KAN_FIELD_NUMBER),
    /* Prints -0 as 0, should it ever be there. */
    {"double*",
     {.text = CAST, .field = KAN_FIELD_NUMBER, .is_real = true, .is_lossy = true, .exact = REAL}},
    /* Prints six digits of what it has. */
    {"float*",
     {.text = CAST, .field = KAN_FIELD_NUMBER, .is_real = true, .is_lossy = true, .exact = REAL}},
    {"real*",
     {.text = CAST, .field = KAN_FIELD_NUMBER, .is_real = true, .is_lossy = true, .exact = REAL}},
    RAW("date", KAN_FIELD_DATE),
    FINE("datetime(*", KAN_FIELD_TIMESTAMP),
    FINE("timestamp(*", KAN_FIELD_TIMESTAMP),
    FINE("time(*", KAN_FIELD_TIME),
    RAW("datetime*", KAN_FIELD_TIMESTAMP),
    RAW("timestamp*", KAN_FIELD_TIMESTAMP),
    RAW("time*", KAN_FIELD_TIME),
    {"*char*", {.text = BYTES, .is_text = true}},
    {"*text*", {.text = BYTES, .is_text = true}},
    {"uuid", {.text = CAST}},
    {"inet*", {.text = CAST}},
    RULE_NONE("*", HEXED),
};

const kan_dialect kan_dialect_mariadb = {
    .name = "MariaDB",
    .quote = '`',
    .text_escape = KAN_ESCAPE_DOUBLE_BOTH,
    .most_name_bytes = 64, /* characters, in truth */
    .most_statement_bytes = 1 << 20,
    .rules = rules,
    .number_text = "CAST(? AS CHAR)",
    .if_null = "COALESCE(?, '')",
    /* Longer values are refused by the server: BLOB cannot be hashed, and joins copy the whole width. */
    .key_type = "VARBINARY(1000)",
    .label_type = "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
    .count_type = "BIGINT",
    .label_null = "NULLIF(?, '')",
    .create = "CREATE TABLE ",
    .create_temporary = "CREATE TEMPORARY TABLE ",
    .temporary_in_schema = true,
    .create_tail = "",
    .create_as = " AS ",
    .join = " STRAIGHT_JOIN ",
    .exists = "SELECT '1' FROM information_schema.tables WHERE table_schema = COALESCE(@, "
              "DATABASE()) AND table_name = ?",
    .schemas = "SELECT DATABASE()",
    .drop = "DROP TABLE IF EXISTS ",
    .rename = "RENAME TABLE ",
    .renamed = " TO ",
    .begin = "START TRANSACTION WITH CONSISTENT SNAPSHOT",
    .commit = "COMMIT",
    .rollback = "ROLLBACK",
    .ignores_case = true,
    .has_windows = true,
    .no_order = "MariaDB logs the parameters of statements, and with them the key of the order; "
                "make a copy of the release with ORDER BY RAND(), and leave the flag out",
    .drawn = "((CAST(CONV(LEFT(MD5(?), 13), 16, 10) AS DOUBLE) + 0.5) / 4503599627370496e0)",
};

/* Databases that are spoken to through ODBC, and what each needs. */
#include "engine/odbc/odbc.h"
#include "engine/sql/sql.h"

/* ---- SQLite: rows come one by one only with StepAPI, and a file that is not there is an error ---- */

static kan_status sqlite_columns(kan_text *sql, const kan_address *address) {
    kan_text_print(sql, "SELECT name, type, CASE WHEN \"notnull\" THEN '0' ELSE '1' END FROM "
                        "pragma_table_xinfo(");
    kan_sql_text(sql, &kan_dialect_sqlite, kan_slice_of(address->table));
    if (address->schema) {
        kan_text_print(sql, ", ");
        kan_sql_text(sql, &kan_dialect_sqlite, kan_slice_of(address->schema));
    }
    kan_text_print(sql, ") WHERE hidden <> 1 ORDER BY cid");
    return kan_text_status(sql);
}

static const char *const sqlite_prepare[] = {NULL};

const kan_odbc_product kan_odbc_sqlite = {
    .dbms = "SQLite",
    .dialect = &kan_dialect_sqlite,
    .keys = "StepAPI=1;NoCreat=1;Timeout=10000",
    .prepare = sqlite_prepare,
    .add_columns = sqlite_columns,
};

/* ---- MariaDB ---------------------------------------------------------------------------------- */

static kan_status mariadb_columns(kan_text *sql, const kan_address *address) {
    kan_text_print(sql, "SELECT COLUMN_NAME, CONCAT(COLUMN_TYPE, IF(CHARACTER_SET_NAME IN ('big5', "
                        "'cp932', 'eucjpms', 'euckr', 'gb2312', 'gbk', 'sjis', 'ujis'), ' with "
                        "doubles', '')), IF(IS_NULLABLE = 'YES', '1', '0') FROM "
                        "information_schema.COLUMNS WHERE TABLE_SCHEMA = ");
    if (address->schema)
        kan_sql_text(sql, &kan_dialect_mariadb, kan_slice_of(address->schema));
    else
        kan_text_print(sql, "DATABASE()");
    /* The first finds it quickly, the second tells it from others that differ in case. */
    for (int i = 0; i < 2; i++) {
        kan_text_print(sql, i ? " AND BINARY TABLE_NAME = " : " AND TABLE_NAME = ");
        kan_sql_text(sql, &kan_dialect_mariadb, kan_slice_of(address->table));
    }
    kan_text_print(sql, " ORDER BY ORDINAL_POSITION");
    return kan_text_status(sql);
}

static const char *const mariadb_prepare[] = {
    /* Too long a value is an error; CHAR comes without its padding; zero dates stay what they are;
     * texts and names are written as the driver, which reads statements, too, expects by itself. */
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
    "SET SESSION collation_connection = utf8mb4_nopad_bin",
    "SET SESSION time_zone = '+00:00'",
    /* All rows, and those of now, whatever the server's own settings say. */
    "SET SESSION sql_select_limit = 18446744073709551615",
    "SET SESSION system_versioning_asof = DEFAULT",
    /* A join with a mapping is made by hashing: without it, by reading the mapping for each row. */
    "SET SESSION join_cache_level = 8",
    /* The cache keeps what a subquery gave for 'a' and gives it for 'A', whatever the subquery compares:
     * its key is the column, with the collation of the column. */
    "SET SESSION optimizer_switch = 'subquery_cache=off'",
    NULL,
};

const kan_odbc_product kan_odbc_mariadb = {
    .dbms = "MariaDB",
    .dialect = &kan_dialect_mariadb,
    .keys = "CHARSET=utf8mb4",
    .prepare = mariadb_prepare,
    .sends_bytes = true,
    .kills_by_number = true,
    .add_columns = mariadb_columns,
};

/* ---- any other -------------------------------------------------------------------------------- */

static const char *const other_prepare[] = {NULL};

const kan_odbc_product kan_odbc_other = {
    .dbms = "",
    .dialect = &kan_dialect_ansi,
    .keys = "",
    .prepare = other_prepare,
};

/* A database that nobody knows, for odbc_other.sh: SQLite's driver with another name of the product. With
 * KANON_TEST_NOCASE texts that are cast compare as a NOCASE collation has it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sql.h>
#include <sqlext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SQLRETURN SQL_API SQLGetInfo(SQLHDBC session, SQLUSMALLINT what, SQLPOINTER out, SQLSMALLINT room,
                             SQLSMALLINT *size) {
    SQLRETURN (*own)(SQLHDBC, SQLUSMALLINT, SQLPOINTER, SQLSMALLINT, SQLSMALLINT *);
    *(void **)&own = dlsym(RTLD_NEXT, "SQLGetInfo");
    if (what != SQL_DBMS_NAME)
        return own(session, what, out, room, size);
    const int length = snprintf(out, (size_t)room, "Quaxi \"DB\"");
    if (size)
        *size = (SQLSMALLINT)length;
    return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLExecDirect(SQLHSTMT statement, SQLCHAR *sql, SQLINTEGER size) {
    static const char cast[] = " AS VARCHAR(4000))",
                      collated[] = " AS VARCHAR(4000)) COLLATE NOCASE";
    SQLRETURN (*own)(SQLHSTMT, SQLCHAR *, SQLINTEGER);
    *(void **)&own = dlsym(RTLD_NEXT, "SQLExecDirect");
    if (!getenv("KANON_TEST_NOCASE") || size != SQL_NTS)
        return own(statement, sql, size);
    char *const text = malloc(3 * strlen((char *)sql) + 1);
    char *end = text;
    for (const char *at = (char *)sql; *at;) {
        const int is_cast = strncmp(at, cast, sizeof cast - 1) == 0;
        end = is_cast ? stpcpy(end, collated) : (*end = *at, end + 1);
        at += is_cast ? sizeof cast - 1 : 1;
    }
    *end = '\0';
    const SQLRETURN result = own(statement, (SQLCHAR *)text, SQL_NTS);
    free(text);
    return result;
}

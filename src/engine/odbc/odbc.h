/* The door of engine/odbc: databases behind a driver of unixODBC, which is loaded at run time. A
 * transport (engine/transport.h); nobody but tests needs more of it than kan_source_odbc. odbc.c
 * connects, products.c knows who may answer, rows.c brings rows and takes them, watch.c ends what a
 * cancelled run no longer wants. */
#ifndef KANON_ENGINE_ODBC_ODBC_H
#define KANON_ENGINE_ODBC_ODBC_H

#include <pthread.h>
#include <sql.h>
#include <sqlext.h>

#include "engine/transport.h"

/* What is called of the driver manager, which is loaded at run time: its types are the header's. */
#define KAN_ODBC_CALLS(CALL)                                                                       \
    CALL(SQLAllocHandle)                                                                           \
    CALL(SQLFreeHandle)                                                                            \
    CALL(SQLSetEnvAttr)                                                                            \
    CALL(SQLSetConnectAttr)                                                                        \
    CALL(SQLSetStmtAttr)                                                                           \
    CALL(SQLDriverConnect)                                                                         \
    CALL(SQLDisconnect)                                                                            \
    CALL(SQLGetInfo)                                                                               \
    CALL(SQLGetDiagRec)                                                                            \
    CALL(SQLExecDirect)                                                                            \
    CALL(SQLPrepare)                                                                               \
    CALL(SQLExecute)                                                                               \
    CALL(SQLBindParameter)                                                                         \
    CALL(SQLNumResultCols)                                                                         \
    CALL(SQLDescribeCol)                                                                           \
    CALL(SQLFetch)                                                                                 \
    CALL(SQLGetData)                                                                               \
    CALL(SQLCancel)

typedef struct kan_odbc_calls {
#define KAN_ODBC_MEMBER(name) __typeof__(name) *name;
    KAN_ODBC_CALLS(KAN_ODBC_MEMBER)
#undef KAN_ODBC_MEMBER
} kan_odbc_calls;

/* A database that is spoken to through ODBC. Of some the rules of comparing texts are known: one that takes
 * 'a' for 'A' would count two people as one group, and show them apart. Of others they are asked, by
 * literals, and such tables are only read: what is counted as one comes out as one text then. */
typedef struct kan_odbc_product {
    const char *dbms; /* as SQL_DBMS_NAME has it */
    const struct kan_dialect *dialect;
    const char *keys;           /* added to the connection string, unless it has them */
    const char *const *prepare; /* statements of a new session; the last is NULL */
    bool sends_bytes;           /* parameters are bytes, which no driver recodes */
    /* How what runs is ended: by a second connection with KILL QUERY; by SQLCancel of a spare
     * statement, which interrupts the whole connection and touches no statement that another thread
     * uses. */
    bool kills_by_number;
    /* The columns of a table, as kan_transport.columns has them; NULL: the driver tells their names, and
     * nobody their types. */
    kan_status (*add_columns)(kan_text *sql, const kan_address *address);
} kan_odbc_product;

extern const kan_transport kan_transport_odbc;
extern const kan_odbc_product kan_odbc_sqlite, kan_odbc_mariadb;
/* Any that is not known. */
extern const kan_odbc_product kan_odbc_other;

typedef struct kan_odbc {
    kan_run *run;
    const kan_address *address;
    kan_odbc_calls calls;
    const kan_odbc_product *product;
    char name[128]; /* of the database, where it is not known here */
    kan_text login; /* the whole connection string */
    SQLHENV environment;
    SQLHDBC session;
    bool is_connected, is_broken;
    uint64_t n_received;
    struct kan_odbc_watch {
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t change;
        bool is_started, ends;
        bool is_working; /* a call of the owner is under way */
        bool cleans_up;  /* and it may take its time, though the run is to stop */
        double since_ms;
        SQLHSTMT spare; /* for SQLCancel; NULL: not that way */
        char kill[64];  /* the statement that ends ours, from elsewhere; "": not that way */
    } watch;
} kan_odbc;

/* What went wrong with a handle: KAN_FAILED or KAN_BAD_INPUT with the driver's first words, or what a
 * run that has to stop ends with. */
kan_status kan_odbc_fail(kan_odbc *odbc, SQLSMALLINT type, SQLHANDLE handle, const char *what);

/* A new connection with the string of the first; the driver's message is lost. For the watch. */
bool kan_odbc_kill(const kan_odbc *odbc);

/* The thread that watches the run. Around each call that may take long: work_begins, work_ends. */
KAN_MUST_USE kan_status kan_odbc_watch_start(kan_odbc *odbc);
void kan_odbc_watch_stop(kan_odbc *odbc);
void kan_odbc_work_begins(kan_odbc *odbc, bool cleans_up);
void kan_odbc_work_ends(kan_odbc *odbc);

kan_status kan_odbc_execute(void *connection, size_t node, const kan_statement *statement);
/* The columns of what a statement would give, whose types are not told: rows of a taker of columns. */
kan_status kan_odbc_describe(kan_odbc *odbc, const kan_statement *statement,
                             const kan_row_taker *taker);
kan_status kan_odbc_query(void *connection, size_t node, const kan_statement *statement,
                          size_t n_columns, const kan_row_taker *taker);
kan_status kan_odbc_load(void *connection, size_t node, const char *table, size_t n_columns,
                         const kan_row_giver *giver);

#endif

/* What the files of the PostgreSQL transport share: the connection, and waiting for it.
 *
 * Everything runs in one transaction of REPEATABLE READ, which the dialect begins: the columns, the
 * fold, the release and its recount see one snapshot, and what was not committed is gone with the
 * connection, however it ends. Rows come and go by COPY
 * (copy.c), which costs least on both sides. No call blocks: all of them wait in
 * wait.c, where the run can be cancelled. */
#ifndef KANON_ENGINE_POSTGRES_CONNECTION_H
#define KANON_ENGINE_POSTGRES_CONNECTION_H

#include <libpq-fe.h>

#include "engine/transport.h"

/* The calls of libpq; the header is there when kanon is built, the library where it is used. */
#define KAN_PG_CALLS(CALL)                                                                         \
    CALL(connectStartParams)                                                                       \
    CALL(connectPoll)                                                                              \
    CALL(connectionNeedsPassword)                                                                  \
    CALL(conninfo)                                                                                 \
    CALL(conninfoFree)                                                                             \
    CALL(finish)                                                                                   \
    CALL(status)                                                                                   \
    CALL(socket)                                                                                   \
    CALL(errorMessage)                                                                             \
    CALL(serverVersion)                                                                            \
    CALL(setErrorVerbosity)                                                                        \
    CALL(setNoticeReceiver)                                                                        \
    CALL(setnonblocking)                                                                           \
    CALL(sendQuery)                                                                                \
    CALL(flush)                                                                                    \
    CALL(consumeInput)                                                                             \
    CALL(isBusy)                                                                                   \
    CALL(getResult)                                                                                \
    CALL(resultStatus)                                                                             \
    CALL(resultErrorField)                                                                         \
    CALL(resultErrorMessage)                                                                       \
    CALL(cmdStatus)                                                                                \
    CALL(clear)                                                                                    \
    CALL(getCopyData)                                                                              \
    CALL(putCopyData)                                                                              \
    CALL(putCopyEnd)                                                                               \
    CALL(freemem)                                                                                  \
    CALL(getCancel)                                                                                \
    CALL(cancel)                                                                                   \
    CALL(freeCancel)

typedef struct kan_pg_calls {
#define KAN_PG_CALL(name) __typeof__(&PQ##name) name;
    KAN_PG_CALLS(KAN_PG_CALL)
#undef KAN_PG_CALL
} kan_pg_calls;

typedef struct kan_pg {
    kan_run *run;
    const kan_address *address; /* borrowed */
    kan_pg_calls pq;
    PGconn *connection;
    uint64_t n_received;
    bool is_broken;
    bool commits;      /* the statement that runs is COMMIT */
    bool cleans_up;    /* a statement runs that takes back what was begun: the run is not asked */
    char end_state[6]; /* why the server ended the connection while nobody asked; "": it did not */
    /* The row that came last, and its values; the room is the connection's. */
    char *row;
    size_t row_capacity;
    kan_slice *values;
    size_t values_capacity;
} kan_pg;

/* ---- wait.c ------------------------------------------------------------------------ */

/* Waits until the socket can be read, or written as well; asks the run in between. */
KAN_MUST_USE kan_status kan_pg_wait(kan_pg *pg, bool to_write, const char *what);
/* Sends a statement, or several with ; between them. */
KAN_MUST_USE kan_status kan_pg_send(kan_pg *pg, const char *sql, const char *what);
/* What was put into the connection's own room goes to the server, which may talk meanwhile. */
KAN_MUST_USE kan_status kan_pg_flush(kan_pg *pg, const char *what);
/* The next result; NULL behind the last one. */
KAN_MUST_USE kan_status kan_pg_next(kan_pg *pg, const char *what, PGresult **out);
/* Takes all results that are left; KAN_OK where none is an error. */
KAN_MUST_USE kan_status kan_pg_finish(kan_pg *pg, const char *what);
/* Ends the statement that runs, on the server as well, because of `status`, which it returns. */
kan_status kan_pg_stop(kan_pg *pg, kan_status status);
/* The same where the server has ended it already. */
kan_status kan_pg_drain(kan_pg *pg, kan_status status);
kan_status kan_pg_execute(void *connection, size_t node, const kan_statement *statement);

/* ---- error.c ----------------------------------------------------------------------- */

/* What the server said to a statement. Values of the data are not shown. */
kan_status kan_pg_fail(kan_pg *pg, const PGresult *result, const char *what);
/* Whether the server ends the connection with these words. */
bool kan_pg_is_end(const kan_pg *pg, const PGresult *result);
/* Of a notice that is the last one, its state is kept for kan_pg_fail_broken. */
void kan_pg_keep_end(kan_pg *pg, const PGresult *notice);
/* The connection is gone. */
kan_status kan_pg_fail_broken(kan_pg *pg, const char *what);
/* There was none. */
kan_status kan_pg_fail_connect(kan_pg *pg);

/* ---- the rest of the transport -------------------------------------------------------------- */

kan_status kan_pg_connect(kan_run *run, const kan_address *address, const kan_options *given,
                          void **out);
void kan_pg_disconnect(void *connection);
kan_status kan_pg_columns(void *connection, const kan_row_taker *taker);
kan_status kan_pg_query(void *connection, size_t node, const kan_statement *statement,
                        size_t n_columns, const kan_row_taker *taker);
kan_status kan_pg_load(void *connection, size_t node, const char *table, size_t n_columns,
                       const kan_row_giver *giver);
uint64_t kan_pg_received(const void *connection);

#endif
